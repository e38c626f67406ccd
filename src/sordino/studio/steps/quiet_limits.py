"""Limits that differ: of single items, and of frequent ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from nicegui import ui

from sordino.errors import SordinoError
from sordino.policy.threshold import read_rational, read_threshold, show_rational
from sordino.studio.session import Session
from sordino.studio.shown import Slider, title
from sordino.studio.steps.fields import Fields
from sordino.words.text import clean, exactly

__all__ = ["Limits", "meaning", "percent_of"]

SAME, RULE, FACTOR, OWN = "same", "rule", "factor", "own"
WAYS = {
    SAME: "the same limit, however frequent an item is",
    RULE: "more for items that over 40% of the people have",
    FACTOR: "more the more frequent an item is",
    OWN: "more the more frequent, item by item (as the text says)",
}
WHOSE = {
    "release": "in what is published (everybody can count it there)",
    "original": "in the original (less is deleted; the release states each limit)",
}


def meaning(rho: Fraction) -> str:
    """A threshold in people."""
    per = 100 if rho < Fraction(1, 10) or rho > Fraction(9, 10) else 10
    people = int(rho * per)
    return (
        f"Nobody may become more than {exactly(rho)} sure: of {per} people who fit what somebody knows, at most "
        f"{people} may have the sensitive item."
    )


def percent_of(stated: Any, otherwise: Fraction = Fraction(1, 2)) -> tuple[int, Fraction]:
    """Where a slider stands for a threshold, and the threshold; `otherwise`, if what is stated is none."""
    try:
        rho = read_threshold(stated)
    except (ValueError, TypeError):
        rho = otherwise
    return min(99, max(1, int(rho * 100))), rho


class Limits:
    """The part of the form; `part` is the [threshold] of the policy, `made` is told that it changed."""

    def __init__(
        self, session: Session, part: dict[str, Any], names: Callable[[], Sequence[str]], made: Callable[[], None]
    ) -> None:
        self.session, self.part, self.names, self.made = session, part, names, made
        self.fields = Fields()
        title("Do all items have the same limit?")
        self.rows = ui.column().classes("room")
        ui.button("A limit of its own for one item", icon="add", on_click=self.add).props("no-caps flat").classes(
            "self-start"
        )
        self.way = ui.select(
            {key: text for key, text in WAYS.items() if key != OWN or self._way() == OWN}, label="By how frequent",
            value=self._way(), on_change=lambda e: self.turn(str(e.value)),
        ).mark("adaptive")  # fmt: skip
        self.factor = ui.number(
            "added to the limit: this number times how frequent the item is", value=self._factor(), min=0, step=0.1,
            format="%.10g", on_change=lambda e: self.set_factor(e.value),
        ).props("debounce=300").mark("factor")  # fmt: skip
        self.whose = ui.select(
            WHOSE, label="How frequent it is", value=self._whose(), on_change=lambda e: self.set_whose(str(e.value))
        ).mark("adaptive-on")
        self.told = ui.label("").props('role="status"')
        self.show_fields()
        self.fill()

    def _way(self) -> str:
        stated = self.part.get("adaptive", False)
        if isinstance(stated, bool):
            return RULE if stated else SAME
        return OWN if isinstance(stated, dict) else FACTOR

    def _factor(self) -> float | None:
        try:
            return float(read_rational(str(self.part.get("adaptive"))))
        except ValueError:
            return None

    def _whose(self) -> str:
        return "original" if self.part.get("adaptive_on") == "original" else "release"

    def own(self) -> dict[str, Any]:
        """The limits of single items."""
        stated = self.part.get("per_item")
        return stated if isinstance(stated, dict) else {}

    def fill(self) -> None:
        """A row for each item that has a limit of its own."""
        self.rows.clear()
        self.fields.places.clear()
        with self.rows:
            for item in self.own():
                self.row(item)
        self.fields.add("adaptive", self.factor, "adaptive factor|adaptive threshold")
        self.fields.add("whose", self.whose, "adaptive_on")

    def row(self, item: str) -> None:
        percent, rho = percent_of(self.own()[item])
        with ui.column().classes("panel"):
            with ui.row().classes("items-center justify-between no-wrap"):
                free = [name for name in self.names() if name == item or name not in self.own()]
                options = {name: clean(name) for name in [*([] if item in free else [item]), *free]}
                chosen = ui.select(
                    options, label="Item", value=item, with_input=len(options) > 12,
                    on_change=lambda e: self.rename(item, str(e.value)),
                ).classes("grow").mark("own-item")  # fmt: skip
                ui.button(icon="delete", on_click=lambda: self.drop(item)).props(
                    f'flat round aria-label="{_attribute(f"Remove the limit of {clean(item)}")}"'
                )

            def sure(number: int) -> None:
                self.own()[item] = show_rational(Fraction(number, 100))
                self.made()

            name = f"{clean(item)}: how sure is too sure, in percent"
            slider = Slider(1, 99, percent, name, lambda n: meaning(Fraction(n, 100)), sure)
            slider.means.set_text(meaning(rho))
            self.fields.add(f"item {item}", chosen, r"(?!)", lambda: (item,))

    def add(self) -> None:
        free = [name for name in self.names() if name not in self.own()]
        if not free:
            ui.notify("Mark the item as sensitive first.", type="warning")
            return
        _, common = percent_of(self.part.get("rho"))
        self.part["per_item"] = {**self.own(), free[0]: show_rational(common)}
        self.fill()
        self.made()

    def drop(self, item: str) -> None:
        self.part["per_item"] = {name: rho for name, rho in self.own().items() if name != item}
        self.tidy()

    def rename(self, item: str, name: str) -> None:
        self.part["per_item"] = {name if one == item else one: rho for one, rho in self.own().items()}
        self.tidy()

    def only(self, names: Sequence[str]) -> None:
        """Limits of items that are no longer sensitive go with them."""
        kept = set(names)
        for key in ("per_item", "adaptive"):
            if isinstance(self.part.get(key), dict):
                self.part[key] = {name: one for name, one in self.part[key].items() if name in kept}
                if not self.part[key]:
                    del self.part[key]
        self.fill()

    def tidy(self) -> None:
        if not self.own():
            self.part.pop("per_item", None)
        self.fill()
        self.made()

    def turn(self, way: str) -> None:
        if way == self._way():
            return
        self.part.pop("adaptive", None)
        if way == SAME:
            self.part.pop("adaptive_on", None)
        elif way == RULE:
            self.part["adaptive"] = True
        else:
            self.part["adaptive"] = "0.5"
            self.factor.set_value(0.5)
        self.show_fields()
        self.made()

    def show_fields(self) -> None:
        self.factor.set_visibility(self._way() == FACTOR)
        self.whose.set_visibility(self._way() != SAME)

    def set_factor(self, number: float | None) -> None:
        if self._way() == FACTOR and number != self._factor():
            self.part["adaptive"] = "" if number is None else f"{number:.10g}"
            self.made()

    def set_whose(self, whose: str) -> None:
        if whose != self._whose():
            self.part.pop("adaptive_on", None)
            if whose == "original":
                self.part["adaptive_on"] = whose
            self.made()

    def tell(self, problems: Sequence[str]) -> set[str]:
        """The limits that follow, in these data; and problems where they are. Which fields have some."""
        marked = self.fields.mark(problems, {})
        self.told.set_text(self._follow())
        return marked

    def _follow(self) -> str:
        named, opened = self.session.named, self.session.opened
        if self._way() == SAME or named is None or opened is None:
            return ""
        try:
            found = named.resolve(opened.data).thresholds
        except SordinoError:
            return ""
        if not found:
            return ""
        low, high = (pick(found, key=lambda name: found[name]) for pick in (min, max))
        return f"In these data: from {exactly(found[low])} ({clean(low)}) to {exactly(found[high])} ({clean(high)})."


def _attribute(text: str) -> str:
    """A text for an attribute that is written in double quotes."""
    return text.replace('"', "'").replace("\\", "/")
