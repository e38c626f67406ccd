"""The form for tables under templates: who knows these columns may infer those values at most so surely."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from nicegui import ui

from sordino.policy.threshold import read_rational, show_rational
from sordino.studio.session import Session
from sordino.studio.shown import Slider, title
from sordino.studio.steps.fields import Fields
from sordino.studio.steps.quiet_limits import percent_of
from sordino.studio.toml import Content
from sordino.words.text import clean, exactly

__all__ = ["START", "Form"]

START: Content = {"kind": "template", "template": [{"given": [], "at_most": "0.5"}]}
ALL = "100%"
VALUES = 500  # values of a column that are offered


@dataclass
class Draft:
    """A template in the making: what is stated, whether or not it is right."""

    given: list[str] = field(default_factory=list)
    sensitive: str | None = None
    values: list[str] = field(default_factory=list)
    rarest: Any = None
    at_most: Any = "0.5"

    @classmethod
    def of(cls, stated: Content) -> Draft:
        """What an entry of a policy.toml says."""
        given = stated.get("given")
        named: Any = stated.get("sensitive")
        wanted: Any = None
        way = next((key for key in ("value", "values", "rarest") if key in stated), None)
        if way is not None:
            wanted = stated[way]
            if isinstance(wanted, dict) and wanted:
                named, wanted = next(iter(wanted.items()))
        values = wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]
        return cls(
            [str(name) for name in given] if isinstance(given, list) else [],
            named if isinstance(named, str) else None,
            [] if way == "rarest" else [str(value) for value in values if not isinstance(value, dict | list)],
            wanted if way == "rarest" else None,
            stated.get("at_most", "0.5"),
        )

    def entry(self) -> Content:
        """The same as an entry."""
        found: Content = {"given": list(self.given)}
        if self.sensitive is not None and self.rarest is not None:
            found["rarest"] = {self.sensitive: self.rarest}
        elif self.sensitive is not None and len(self.values) == 1:
            found["value"] = {self.sensitive: self.values[0]}
        elif self.sensitive is not None:
            found["values"] = {self.sensitive: list(self.values)}
        return {**found, "at_most": self.at_most}

    @property
    def limit(self) -> Fraction:
        return percent_of(self.at_most)[1]


class Form:
    """`made` gets the content of each policy that the form makes, whole or not."""

    def __init__(self, session: Session, made: Callable[[Content], None]) -> None:
        assert session.opened is not None
        self.table, self.made = session.opened.data, made
        own = session.content.get("kind") == "template"
        self.content: Content = copy.deepcopy(session.content if own else START)
        stated = self.content.get("template")
        entries = [one for one in stated if isinstance(one, dict)] if isinstance(stated, list) else []
        self.drafts: list[Draft] = [Draft.of(entry) for entry in entries] or [Draft()]
        label = self.content.get("class")
        self.label: str | None = label if isinstance(label, str) else None
        named = [name for draft in self.drafts for name in (*draft.given, draft.sensitive)]
        known = [*self.table.names, *(name for name in (*named, self.label) if name)]
        self.columns = {name: clean(name) for name in known}
        self.fields = Fields()
        self.room = ui.column().classes("room")
        self.fill()

    def fill(self) -> None:
        self.room.clear()
        self.fields.places.clear()
        with self.room:
            for number, draft in enumerate(self.drafts, 1):
                self._template(number, draft)
            ui.button("Another rule", icon="add", on_click=self.add).props("no-caps flat").classes("self-start")
            title("What should the data still predict?")
            predicted = ui.select(
                {"": "nothing in particular", **self.columns}, label="Column", value=self.label or "",
                on_change=lambda e: self.labelled(e.value),
            ).classes("w-64")  # fmt: skip
            self.fields.add("class", predicted, "class", lambda: (self.label or "",))

    def _template(self, number: int, draft: Draft) -> None:
        with ui.column().classes("panel"):
            with ui.row().classes("items-center justify-between"):
                title(f"Rule {number}")
                if len(self.drafts) > 1:
                    ui.button(icon="delete", on_click=lambda: self.drop(draft)).props(
                        f'flat round aria-label="Remove rule {number}"'
                    )
            given = ui.select(
                self.columns, label="Who knows", value=draft.given, multiple=True,
                on_change=lambda e: self.set(draft, given=list(e.value)),
            ).props("use-chips").mark(f"given-{number}")  # fmt: skip
            self.fields.add(f"given-{number}", given, "given", lambda: draft.given, number)
            column = ui.select(
                self.columns, label="must not infer, of the column", value=draft.sensitive,
                on_change=lambda e: self.turn(draft, e.value),
            ).mark(f"sensitive-{number}")  # fmt: skip
            shown: Any = column
            if draft.sensitive is not None and draft.rarest is None:
                shown = ui.select(
                    self._values(draft), label="the values", value=draft.values, multiple=True, with_input=True,
                    on_change=lambda e: self.set(draft, values=list(e.value)),
                ).props("use-chips").mark(f"values-{number}")  # fmt: skip
                self.fields.add(f"values-{number}", shown, "value", lambda: draft.values, number)
            self.fields.add(
                f"sensitive-{number}", column, "column|rarest|value", lambda: (draft.sensitive or "",), number
            )
            every = ui.checkbox(_every(draft.rarest), value=draft.rarest is not None)
            every.on_value_change(lambda e: self.every(draft, e.value))
            slider = Slider(
                1, 99, percent_of(draft.at_most)[0], f"Rule {number}: how sure is too sure, in percent",
                lambda n: _meaning(Fraction(n, 100)),
                lambda n: self.set(draft, at_most=show_rational(Fraction(n, 100))),
            )  # fmt: skip
            slider.means.set_text(_meaning(draft.limit))
            self.fields.add(f"at_most-{number}", slider.element, "at_most", rule=number)

    def _values(self, draft: Draft) -> dict[str, str]:
        if draft.sensitive not in self.table.names:
            return {text: clean(text) for text in draft.values}
        column = self.table.column(draft.sensitive)
        pairs = sorted(zip(column.texts, column.counts.tolist(), strict=True), key=lambda pair: -pair[1])[:VALUES]
        shown = {text: f"{clean(text)} ({number:,} people)" for text, number in pairs if number}
        return {**shown, **{text: clean(text) for text in draft.values if text not in shown}}

    def add(self) -> None:
        self.drafts.append(Draft())
        self.fill()
        self.make()

    def drop(self, draft: Draft) -> None:
        self.drafts = [one for one in self.drafts if one is not draft]
        self.fill()
        self.make()

    def turn(self, draft: Draft, sensitive: str | None) -> None:
        draft.sensitive, draft.values = sensitive, []
        self.fill()
        self.make()

    def every(self, draft: Draft, wanted: bool) -> None:
        draft.rarest = ALL if wanted else None
        self.fill()
        self.make()

    def labelled(self, name: str) -> None:
        self.label = name or None
        self.make()

    def set(self, draft: Draft, **entries: Any) -> None:
        for name, value in entries.items():
            setattr(draft, name, value)
        self.make()

    def make(self) -> None:
        """The policy that the form says, whole or not."""
        first: Content = {"kind": "template", **({"class": self.label} if self.label else {})}
        rest = {key: value for key, value in self.content.items() if key not in ("kind", "class", "template")}
        self.content = {**first, **rest, "template": [draft.entry() for draft in self.drafts]}
        self.made(copy.deepcopy(self.content))

    def mark(self, problems: Sequence[str]) -> None:
        """Problems where they are; what is missing in plain words."""
        missing = {}
        for number, draft in enumerate(self.drafts, 1):
            if not draft.given:
                missing[f"given-{number}"] = "Say which columns somebody may know."
            if draft.sensitive is None:
                missing[f"sensitive-{number}"] = "Say which column must stay quiet."
            elif not draft.values and draft.rarest is None:
                missing[f"values-{number}"] = "Say which values must not be inferred."
        self.fields.mark(problems, missing)


def _every(rarest: Any) -> str:
    try:
        share = Fraction(1) if rarest is None else read_rational(rarest)
    except (ValueError, TypeError):
        return "the rarest of its values"
    return "every value of it" if share == 1 else f"its rarest {exactly(share)} of values"


def _meaning(at_most: Fraction) -> str:
    return f"more than {exactly(at_most)} sure: of 100 people who agree in that, at most {int(at_most * 100)}"
