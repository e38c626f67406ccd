"""What is to be compared: methods with their options, and thresholds, as a user writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sordino.compare.scale import Scale
from sordino.errors import InputError
from sordino.policy.threshold import read_threshold
from sordino.release.request import check_request

__all__ = ["Variant", "each_of", "read_thresholds", "read_variants"]

WORDS: Mapping[str, object] = {"true": True, "false": False}


@dataclass(frozen=True)
class Variant:
    """A method with options of its own."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As a user writes it: jia:heuristic=dist."""
        shown = ((key, str(value).lower() if isinstance(value, bool) else value) for key, value in self.options.items())
        return ":".join([self.method, *(f"{key}={value}" for key, value in shown)])


def read_variants(methods: Iterable[str], kind: str = "inference") -> tuple[Variant, ...]:
    """The methods, each perhaps with options: "mine", "jia:heuristic=dist:t_max=300". All must exist for the kind."""
    variants = []
    for text in methods:
        method, *given = (part.strip() for part in text.split(":"))
        options: dict[str, Any] = {}
        for option in given:
            name, found, value = (part.strip() for part in option.partition("="))
            if not found:
                raise InputError(f"'{option}' is no option of a method", hint="For example: jia:heuristic=dist")
            known = int(value) if re.fullmatch(r"-?[0-9]{1,18}", value) else WORDS.get(value, value)
            options[name.replace("-", "_")] = known
        check_request(method, options, seed=0, jobs=None, kind=kind)
        variants.append(Variant(method, options))
    names = [variant.name for variant in variants]
    if not names:
        raise InputError("there is no method to compare", hint="For example: --methods mine,dist,jia")
    if len(set(names)) < len(names):
        raise InputError("a method is named twice")
    return tuple(variants)


def read_thresholds(texts: Iterable[object], scale: Scale) -> tuple[Fraction, ...]:
    """The thresholds, exact and ascending."""
    found = set()
    for text in texts:
        try:
            found.add(_whole(text) if scale.rising else read_threshold(text))  # type: ignore[arg-type]
        except ValueError as error:
            raise InputError(f"{scale.noun}: {error}") from None
    return tuple(sorted(found))


def each_of(values: Iterable[object]) -> tuple[object, ...]:
    """The values; a single one by itself."""
    return tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else (values,)


def _whole(value: object) -> Fraction:
    if isinstance(value, bool) or not re.fullmatch(r"\s*[0-9]{1,9}\s*", str(value)) or int(str(value)) < 2:
        raise ValueError("it must be a whole number, 2 or more")
    return Fraction(int(str(value)))
