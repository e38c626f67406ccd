"""The form for tables under templates: who knows these columns may infer those values at most so surely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from nicegui import ui

import sordino
from sordino.studio.session import Session
from sordino.studio.shown import title
from sordino.words.text import clean, exactly

__all__ = ["build"]

ALL = "100%"
VALUES = 500  # values of a column that are offered


@dataclass
class Draft:
    """A template in the making."""

    given: list[str] = field(default_factory=list)
    sensitive: str | None = None
    values: list[str] = field(default_factory=list)
    rarest: Fraction | None = None
    at_most: Fraction = Fraction(1, 2)


def build(session: Session, made: Callable[..., None]) -> None:
    """The form; `made` gets each policy that it makes, or None and what is missing."""
    Form(session, made)


class Form:
    def __init__(self, session: Session, made: Callable[..., None]) -> None:
        assert session.opened is not None
        self.table, self.made = session.opened.data, made
        self.policy = session.policy if getattr(session.policy, "kind", "") == "template" else None
        drafts = [] if self.policy is None else [_draft(template) for template in self.policy.templates]
        self.drafts: list[Draft] = drafts or [Draft()]
        self.label: str | None = None if self.policy is None else self.policy.class_column
        self.columns = {name: clean(name) for name in self.table.names}
        self.room = ui.column().classes("room")
        self.fill()

    def fill(self) -> None:
        self.room.clear()
        with self.room:
            for number, draft in enumerate(self.drafts, 1):
                self._template(number, draft)
            ui.button("Another rule", icon="add", on_click=self.add).props("no-caps flat").classes("self-start")
            title("What should the data still predict?")
            ui.select(
                {"": "nothing in particular", **self.columns}, label="Column", value=self.label or "",
                on_change=lambda e: self.labelled(e.value),
            ).classes("w-64")  # fmt: skip

    def _template(self, number: int, draft: Draft) -> None:
        with ui.column().classes("panel"):
            with ui.row().classes("items-center justify-between"):
                title(f"Rule {number}")
                if len(self.drafts) > 1:
                    ui.button(icon="delete", on_click=lambda: self.drop(draft)).props(
                        f'flat round aria-label="Remove rule {number}"'
                    )
            ui.select(
                self.columns, label="Who knows", value=draft.given, multiple=True,
                on_change=lambda e: self.set(draft, given=list(e.value)),
            ).props("use-chips").mark(f"given-{number}")  # fmt: skip
            ui.select(
                self.columns, label="must not infer, of the column", value=draft.sensitive,
                on_change=lambda e: self.turn(draft, e.value),
            ).mark(f"sensitive-{number}")  # fmt: skip
            if draft.sensitive is not None and draft.rarest is None:
                ui.select(
                    self._values(draft), label="the values", value=draft.values, multiple=True, with_input=True,
                    on_change=lambda e: self.set(draft, values=list(e.value)),
                ).props("use-chips").mark(f"values-{number}")  # fmt: skip
            every = ui.checkbox(
                "every value of it" if draft.rarest in (None, 1) else f"its rarest {exactly(draft.rarest)} of values",
                value=draft.rarest is not None,
            )
            every.on_value_change(lambda e: self.every(draft, e.value))
            told = ui.label(_meaning(draft.at_most)).props('role="status"')

            def sure(percent: int) -> None:
                self.set(draft, at_most=Fraction(percent, 100))
                told.set_text(_meaning(draft.at_most))

            ui.slider(
                min=1, max=99, value=min(99, max(1, int(draft.at_most * 100))), on_change=lambda e: sure(int(e.value))
            ).props(f'label debounce=200 aria-label="Rule {number}: how sure is too sure, in percent"')

    def _values(self, draft: Draft) -> dict[str, str]:
        column = self.table.column(draft.sensitive)
        pairs = sorted(zip(column.texts, column.counts.tolist(), strict=True), key=lambda pair: -pair[1])[:VALUES]
        shown = {text: f"{clean(text)} ({number:,} people)" for text, number in pairs if number}
        return {**shown, **{text: clean(text) for text in draft.values if text not in shown}}

    def add(self) -> None:
        self.drafts.append(Draft())
        self.fill()
        self.make()

    def drop(self, draft: Draft) -> None:
        self.drafts.remove(draft)
        self.fill()
        self.make()

    def turn(self, draft: Draft, sensitive: str | None) -> None:
        draft.sensitive, draft.values = sensitive, []
        self.fill()
        self.make()

    def every(self, draft: Draft, wanted: bool) -> None:
        draft.rarest = Fraction(1) if wanted else None
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
        """The policy that the form says, if it is whole."""
        problems: list[str] = []
        templates = []
        for number, draft in enumerate(self.drafts, 1):
            values: Any = [] if draft.rarest is not None else draft.values
            if draft.sensitive is None or not (values or draft.rarest is not None):
                problems.append(f"Rule {number}: say which values must not be inferred.")
                continue
            try:
                templates.append(
                    sordino.Template(draft.given, draft.sensitive, values, draft.at_most, rarest=draft.rarest)
                )
            except sordino.PolicyError as error:
                problems += [f"Rule {number}: {problem}" for problem in error.problems]
        if problems:
            self.made(None, tuple(problems))
            return
        try:
            if self.policy is None:
                policy: Any = sordino.TemplatePolicy(templates, class_column=self.label)
            else:
                policy = replace(self.policy, templates=tuple(templates), class_column=self.label)
        except sordino.PolicyError as error:
            self.made(None, error.problems)
            return
        self.policy = policy
        self.made(policy)


def _draft(template: Any) -> Draft:
    return Draft(list(template.given), template.sensitive, list(template.values), template.rarest, template.at_most)


def _meaning(at_most: Fraction) -> str:
    return (
        f"with more than {exactly(at_most)} confidence (of 100 people who agree in that, at most {int(at_most * 100)})"
    )
