"""Options are stated once: of two values the first would be passed over without a word."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand, TyperOption

from sordino.errors import InputError

__all__ = ["StatedOnce"]


class StatedOnce(TyperCommand):
    """A command that refuses an option which is stated twice, unless it takes several values or is a plain flag."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As ever; an InputError names the options that were repeated."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        repeated = [option for option, times in Counter(order).items() if times > 1 and _has_one_value(option)]
        if repeated:
            names = ", ".join(option.opts[0] for option in repeated)
            several = " Several names are one value, separated by commas." if "--sensitive" in names else ""
            raise InputError(f"{names}: stated more than once", hint=f"State each option once.{several}")
        return super().parse_args(ctx, args)


def _has_one_value(parameter: Any) -> bool:
    if not isinstance(parameter, TyperOption) or parameter.multiple or parameter.count:
        return False
    return not parameter.is_flag or bool(parameter.secondary_opts)
