"""Problems of a policy, told at the field of the form that they are about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

__all__ = ["Fields"]

NUMBERED = re.compile(r"template (\d+): ")


@dataclass(frozen=True)
class Place:
    """A field: what it is called here, how it is told, and by which words or values a problem is known for its own."""

    name: str
    tell: Callable[[str], None]
    words: re.Pattern[str]
    values: Callable[[], Iterable[str]]
    rule: int | None


class Fields:
    """The fields of a form, in their order."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def add(
        self,
        name: str,
        element: Any,
        words: str,
        values: Callable[[], Iterable[str]] = tuple,
        rule: int | None = None,
    ) -> None:
        """A field that was just put on the page. What has no room for a message of its own gets one below it."""
        if isinstance(element, ValidationElement):
            element.without_auto_validation()  # which would take our message away again

            def tell(text: str) -> None:
                element.error = text or None
        else:
            below = ui.label("").classes("problem")
            below.set_visibility(False)

            def tell(text: str) -> None:
                below.set_text(text)
                below.set_visibility(bool(text))
                element.props(f"aria-invalid={'true' if text else 'false'}")

        self.places.append(Place(name, tell, re.compile(words), values, rule))

    def mark(self, problems: Iterable[str], missing: Mapping[str, str]) -> set[str]:
        """Tell every field its problems, and no other; what a form itself finds `missing` is said in its own words.

        Which fields have some.
        """
        told: dict[str, list[str]] = {}
        for problem in problems:
            place = self.place_of(problem)
            if place is not None:
                told.setdefault(place.name, []).append(NUMBERED.sub("", problem))
        for place in self.places:
            place.tell(missing.get(place.name) or " ".join(told.get(place.name, ())))
        return {place.name for place in self.places if place.name in missing or place.name in told}

    def place_of(self, problem: str) -> Place | None:
        """The field that a problem is about: the one that holds what it quotes, or else the one that its words name."""
        number = NUMBERED.match(problem)
        rule = None if number is None else int(number[1])
        near = [place for place in self.places if rule is None or place.rule == rule]
        quoted = set(re.findall(r"'([^']+)'", problem))
        for place in near:
            if quoted & set(place.values()):
                return place
        return next((place for place in near if place.words.search(problem)), near[0] if rule and near else None)
