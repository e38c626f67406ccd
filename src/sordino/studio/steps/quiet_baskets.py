"""The form for baskets: which items are sensitive, how sure is too sure, and what an adversary may know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from nicegui import ui

import sordino
from sordino.studio.places import bare_name
from sordino.studio.session import Session, told
from sordino.studio.shown import title
from sordino.studio.stated import name_choices
from sordino.words.text import clean, count, exactly, share

__all__ = ["build", "meaning"]

LISTED = 100  # items that are shown at once
MARKED = "Only those that are marked"
KNOWN = {0: "any number of items", 1: "1 item", 2: "2 items", 3: "3 items", 4: "4 items", 5: "5 items"}


def meaning(rho: Fraction) -> str:
    """A threshold in people."""
    per = 100 if rho < Fraction(1, 10) or rho > Fraction(9, 10) else 10
    people = int(rho * per)
    return (
        f"Nobody may become more than {exactly(rho)} sure: of {per} people who fit what somebody knows, at most "
        f"{people} may have the sensitive item."
    )


def build(session: Session, made: Callable[..., None]) -> None:
    """The form; `made` gets each policy that it makes."""
    policy = session.policy if getattr(session.policy, "kind", "") == "inference" else None
    Form(session, policy or sordino.InferencePolicy([], "0.5"), made)


class Form:
    def __init__(self, session: Session, policy: Any, made: Callable[..., None]) -> None:
        assert session.opened is not None
        self.session, self.data = session, session.opened.data
        self.policy, self.made = policy, made
        order = np.argsort(-self.data.supports, kind="stable")
        self.order = [int(code) for code in order.tolist() if self.data.supports[code]]
        self.build()

    def build(self) -> None:
        title("Which items must stay quiet?")
        with ui.row().classes("items-end"):
            self.search = ui.input("Search items", on_change=lambda: self.fill()).props("clearable debounce=200")
            self.search.mark("search")
            self.only = ui.switch(MARKED, value=bool(self.policy.sensitive), on_change=lambda: self.fill())
        self.told = ui.label("").props('role="status"')
        head = [
            {"name": "shown", "label": "item", "field": "shown", "align": "left"},
            {"name": "people", "label": "people", "field": "people", "align": "right"},
            {"name": "share", "label": "share", "field": "share", "align": "right"},
        ]
        self.table = ui.table(
            columns=head,
            rows=[],
            row_key="name",
            selection="multiple",
            pagination=10,
            on_select=lambda _: self.marked(),
        ).props('flat dense wrap-cells aria-label="Items"')
        self.table.mark("items")
        self.fill()
        title("How sure is too sure?")
        percent = min(99, max(1, int(self.policy.rho * 100)))
        self.slider = ui.slider(min=1, max=99, value=percent, on_change=lambda e: self.sure(int(e.value))).props(
            'label aria-label="How sure is too sure, in percent" debounce=200'
        )
        self.means = ui.label(meaning(self.policy.rho)).props('role="status"')
        title("What may somebody know about a person?")
        known = dict(KNOWN)
        if self.policy.knowledge is not None:
            known.setdefault(self.policy.knowledge, count(self.policy.knowledge, "item"))
        self.knows = ui.select(
            known, label="At most", value=self.policy.knowledge or 0, on_change=lambda _: self.known()
        ).classes("w-64")
        self.absences = ui.checkbox(
            "and also which items the person does not have", value=self.policy.absent is not None,
            on_change=lambda _: self.known(),
        )  # fmt: skip
        title("Who chooses?")
        self._choosing()

    def _choosing(self) -> None:
        """Everybody the same, or a file of what single persons chose."""
        who = {"same": "the same for everybody", "own": "people chose for themselves: a file of their choices"}
        chosen = "own" if self.policy.personal else "same"
        radio = ui.radio(who, value=chosen, on_change=lambda e: turn(e.value)).mark("who")
        with ui.column().classes("panel") as panel:
            ui.label("A table of two columns: the person (id, or number of the record) and the item.").classes("lead")
            first = ui.checkbox("The first record has the number 1", value=True)
            ui.upload(
                label="The file of choices", auto_upload=True, max_file_size=64 << 20, on_upload=lambda e: arrived(e)
            )
        panel.set_visibility(chosen == "own")

        def turn(value: str) -> None:
            panel.set_visibility(value == "own")
            if value == "same" and self.policy.personal:
                self.chose(None, 0)

        async def arrived(event: Any) -> None:
            try:
                name = bare_name(event.file.name)
                await event.file.save(self.session.folder / name)
            except Exception as error:
                ui.notify(told(error), type="negative")
                return
            self.chose(name, int(first.value and self.data.ids is None))

        del radio

    def chose(self, file: str | None, first: int) -> None:
        name_choices(self.session, self.policy, file, first)
        if self.session.policy is not None:
            self.policy = self.session.policy
        self.made(self.session.policy, self.session.problems, written=True)

    def fill(self) -> None:
        """The items that fit the search, the most frequent first."""
        wanted = (self.search.value or "").casefold()
        marked = set(self.policy.sensitive)
        found = []
        for code in self.order:
            name = self.data.names[code]
            if wanted in name.casefold() and (name in marked or wanted or not self.only.value):
                found.append(code)
        people = len(self.data)
        rows = [
            {
                "name": self.data.names[code],
                "shown": clean(self.data.names[code]),
                "people": f"{int(self.data.supports[code]):,}",
                "share": share(int(self.data.supports[code]), people),
            }
            for code in found[:LISTED]
        ]
        self.table.rows = rows
        self.table.selected = [row for row in rows if row["name"] in marked]
        self.table.update()
        more = "" if len(found) <= LISTED else f"; the {LISTED} most frequent of {len(found):,} are shown"
        self.told.set_text(f"{count(len(marked), 'item')} of {len(self.order):,} marked as sensitive{more}.")

    def marked(self) -> None:
        """Rows were marked, or are no longer."""
        listed = {row["name"] for row in self.table.rows}
        chosen = {row["name"] for row in self.table.selected}
        kept = [name for name in self.policy.sensitive if name not in listed or name in chosen]
        new = [name for name in (row["name"] for row in self.table.rows) if name in chosen and name not in kept]
        self.change(sensitive=[*kept, *new])
        marked = count(len(self.policy.sensitive), "item")
        self.told.set_text(f"{marked} of {len(self.order):,} marked as sensitive.")

    def sure(self, percent: int) -> None:
        self.change(rho=Fraction(percent, 100))
        self.means.set_text(meaning(self.policy.rho))

    def known(self) -> None:
        if self.absences.value and self.knows.value:
            self.knows.set_value(0)  # who knows what is absent may know any number
            return
        absent = "any" if self.absences.value else None
        self.change(knowledge=self.knows.value or None, absent=absent)

    def change(self, **entries: Any) -> None:
        """Take an entry, if it makes another policy."""
        if "sensitive" in entries:  # thresholds of items that are no longer sensitive go with them
            kept = set(entries["sensitive"])
            entries["rho_of"] = {name: rho for name, rho in self.policy.rho_of.items() if name in kept}
        try:
            policy = replace(self.policy, **entries)
        except sordino.PolicyError as error:
            self.made(None, error.problems)
            return
        if policy != self.policy:
            self.policy = policy
            self.made(policy)
