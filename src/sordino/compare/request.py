"""What is to be compared: methods with their options, and thresholds, as a user writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sordino.errors import InputError
from sordino.policy.threshold import read_threshold
from sordino.release.protect import check_request

__all__ = ["Variant", "read_thresholds", "read_variants"]


@dataclass(frozen=True)
class Variant:
    """A method with options of its own."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As a user writes it: jia:heuristic=dist."""
        return ":".join([self.method, *(f"{key}={value}" for key, value in self.options.items())])


def read_variants(methods: Iterable[str]) -> tuple[Variant, ...]:
    """The methods, each perhaps with options: "mine", "jia:heuristic=dist:t_max=300". All must exist."""
    variants = []
    for text in methods:
        method, *given = (part.strip() for part in text.split(":"))
        options: dict[str, Any] = {}
        for option in given:
            name, found, value = option.partition("=")
            if not found:
                raise InputError(f"'{option}' is no option of a method", hint="For example: jia:heuristic=dist")
            options[name.strip().replace("-", "_")] = int(value) if value.strip().isdigit() else value.strip()
        check_request(method, options, seed=0, jobs=None, ids="renumber")
        variants.append(Variant(method, options))
    names = [variant.name for variant in variants]
    if not names:
        raise InputError("there is no method to compare", hint="For example: --methods mine,dist,jia")
    if len(set(names)) < len(names):
        raise InputError("a method is named twice")
    return tuple(variants)


def read_thresholds(texts: Iterable[object]) -> tuple[Fraction, ...]:
    """The thresholds, exact and ascending."""
    found = set()
    for text in texts:
        try:
            found.add(read_threshold(str(text) if isinstance(text, float) else text))  # type: ignore[arg-type]
        except ValueError as error:
            raise InputError(f"threshold: {error}") from None
    return tuple(sorted(found))
