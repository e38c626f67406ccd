"""The form for baskets: which items are sensitive, how sure is too sure, and what an adversary may know."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from nicegui import ui

from sordino.policy.threshold import show_rational
from sordino.studio.places import bare_name
from sordino.studio.session import Session, told
from sordino.studio.shown import Slider, named, title
from sordino.studio.stated import sensitive_names
from sordino.studio.steps.fields import Fields
from sordino.studio.steps.quiet_limits import Limits, meaning, percent_of
from sordino.studio.toml import Content
from sordino.words.text import clean, count, share

__all__ = ["START", "Form"]

START: Content = {"kind": "inference", "sensitive": {"items": []}, "threshold": {"rho": "0.5"}}
FINER = "Finer: limits of single items, what somebody may know, choices of single people"
LISTED = 100  # items that are shown at once
MARKED = "Only those marked"
KNOWN = {0: "any number of items", 1: "1 item", 2: "2 items", 3: "3 items", 4: "4 items", 5: "5 items"}
TOLD_BY = ("file", "patterns", "nodes", "hierarchy")  # other ways to say which items, than one by one


class Form:
    """`made` gets the content of each policy that the form makes, whole or not."""

    def __init__(self, session: Session, made: Callable[..., None]) -> None:
        assert session.opened is not None
        self.session, self.data, self.made = session, session.opened.data, made
        own = session.content.get("kind", "inference") == "inference"
        self.content: Content = copy.deepcopy(session.content if own and session.content else START)
        self.names = list(sensitive_names(session)) if own else []
        order = np.argsort(-self.data.supports, kind="stable")
        self.order = [int(code) for code in order.tolist() if self.data.supports[code]]
        self.fields = Fields()
        self.build()

    def part(self, name: str) -> Content:
        """A section of the policy; there is one from now on."""
        if not isinstance(self.content.get(name), dict):
            self.content[name] = {}
        found: Content = self.content[name]
        return found

    def build(self) -> None:
        title("Which items must stay quiet?")
        self._items()
        title("How sure is too sure?")
        percent, rho = percent_of(self.part("threshold").get("rho"))
        self.slider = Slider(
            1, 99, percent, "How sure is too sure, in percent", lambda n: meaning(Fraction(n, 100)), self.sure
        )
        self.slider.means.set_text(meaning(rho))  # to the last digit
        self.fields.add("rho", self.slider.element, r"\brho\b(?!_)")
        # What a policy states is shown, and so is what was opened; else these are for the few who look for them.
        self.session.finer = self.session.finer or self._states_finer()
        with ui.expansion(FINER, value=self.session.finer).classes("more") as self.finer, ui.column().classes("room"):
            self.limits = Limits(self.session, self.part("threshold"), lambda: self.names, self.change)
            title("What may somebody know about a person?")
            self._knowledge()
            title("Who chooses?")
            self._choosing()
        self.finer.on_value_change(lambda e: setattr(self.session, "finer", bool(e.value)))

    def _states_finer(self) -> bool:
        stated = self.part("threshold").keys() | self.part("sensitive").keys()
        return bool(self.part("knowledge")) or bool(stated - {"rho", "items", *TOLD_BY})

    def _items(self) -> None:
        with ui.row().classes("items-end"):
            self.search = ui.input("Search items", on_change=lambda: self.fill()).props("clearable debounce=200")
            self.search.mark("search")
            self.only = ui.switch(MARKED, value=bool(self.names), on_change=lambda: self.fill())
        self.told = ui.label("").props('role="status"')
        head = [
            {"name": "shown", "label": "item", "field": "shown", "align": "left"},
            {"name": "people", "label": "people", "field": "people", "align": "right"},
            {"name": "share", "label": "share", "field": "share", "align": "right"},
        ]
        self.table = ui.table(
            columns=head, rows=[], row_key="name", selection="multiple", pagination=10,
            on_select=lambda _: self.marked(),
        ).props("flat dense wrap-cells :selected-rows-label=\"(number) => number + ' of these marked'\"")  # fmt: skip
        named(self.table, "Items")
        self.table.mark("items")
        self.table.add_slot(
            "header-selection", '<q-checkbox v-model="props.selected" dense aria-label="Mark all that are listed" />'
        )
        self.table.add_slot(
            "body-selection", '<q-checkbox v-model="props.selected" dense :aria-label="props.row.shown" />'
        )
        self.fields.add("items", self.table, r"sensitive|pattern|group '|list of names", lambda: self.names)
        self.fill()

    def _knowledge(self) -> None:
        stated = self.part("knowledge").get("items")
        at_most = stated if isinstance(stated, int) and not isinstance(stated, bool) and stated > 0 else 0
        known = {**KNOWN, at_most: KNOWN.get(at_most, count(at_most, "item"))}
        self.knows = ui.select(known, label="At most", value=at_most, on_change=lambda _: self.known()).classes("w-64")
        self.absences = ui.checkbox(
            "and also which items the person does not have", value="absent" in self.part("knowledge"),
            on_change=lambda _: self.known(),
        )  # fmt: skip
        self.fields.add("knowledge", self.knows, r"knowledge")
        self.fields.add("absences", self.absences, r"absent")

    def _choosing(self) -> None:
        """Everybody the same, or a file of what single persons chose."""
        who = {"same": "the same for everybody", "own": "people chose for themselves: a file of their choices"}
        stated = self.part("sensitive")
        chosen = "own" if "per_record" in stated or "except_for" in stated else "same"
        radio = ui.radio(who, value=chosen, on_change=lambda e: turn(e.value)).props('aria-label="Who chooses"')
        self.fields.add("who", radio.mark("who"), r"choices|chose|per_record|except_for")
        with ui.column().classes("panel") as panel:
            ui.label("A table of two columns: the person (id, or number of the record) and the item.").classes("lead")
            first = ui.checkbox("The first record has the number 1", value=True)
            ui.upload(
                label="The file of choices", auto_upload=True, max_file_size=64 << 20, on_upload=lambda e: arrived(e)
            )
        panel.set_visibility(chosen == "own")

        def turn(value: str) -> None:
            panel.set_visibility(value == "own")
            if value == "same" and {"per_record", "except_for"} & self.part("sensitive").keys():
                self.chose(None, 0)

        async def arrived(event: Any) -> None:
            try:
                name = bare_name(event.file.name)
                await event.file.save(self.session.folder / name)
            except Exception as error:
                ui.notify(told(error), type="negative")
                return
            self.chose(name, int(first.value and self.data.ids is None))

    def chose(self, file: str | None, first: int) -> None:
        """Name a file of what single persons chose, or none."""
        stated = self.part("sensitive")
        stated.pop("per_record", None)
        if file is None:
            stated.pop("except_for", None)
        else:
            stated["per_record"] = {"file": file, **({"first": first} if first else {})}
        before, self.session.text = self.session.text, ""  # the file may be another one under the same name
        self.change(before)

    def fill(self) -> None:
        """The items that fit the search, the most frequent first."""
        wanted = (self.search.value or "").casefold()
        marked = set(self.names)
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
        self.count(more)

    def count(self, more: str = "") -> None:
        self.told.set_text(f"{count(len(self.names), 'item')} of {len(self.order):,} marked as sensitive{more}.")

    def marked(self) -> None:
        """Rows were marked, or are no longer."""
        listed = {row["name"] for row in self.table.rows}
        chosen = {row["name"] for row in self.table.selected}
        kept = [name for name in self.names if name not in listed or name in chosen]
        new = [name for name in (row["name"] for row in self.table.rows) if name in chosen and name not in kept]
        self.names = [*kept, *new]
        stated = self.part("sensitive")
        for key in TOLD_BY:
            stated.pop(key, None)
        self.content["sensitive"] = {"items": list(self.names), **{k: v for k, v in stated.items() if k != "items"}}
        if "per_record" not in stated:
            self.limits.only(self.names)
        self.change()
        self.count()

    def sure(self, percent: int) -> None:
        self.part("threshold")["rho"] = show_rational(Fraction(percent, 100))
        self.change()

    def known(self) -> None:
        if self.absences.value and self.knows.value:
            self.knows.set_value(0)  # who knows what is absent may know any number
            return
        known: Content = {"absent": "any"} if self.absences.value else {}
        self.content["knowledge"] = {"items": self.knows.value, **known} if self.knows.value else known
        self.change()

    def change(self, commented: str | None = None) -> None:
        """Hand on what the form says now; `commented` is the text whose comments stay, if it is no longer there."""
        content = copy.deepcopy(self.content)
        if not content.get("knowledge", True):
            del content["knowledge"]
        self.made(content, commented)

    def mark(self, problems: Sequence[str]) -> None:
        """Problems where they are; what is missing in plain words."""
        personal = "per_record" in self.part("sensitive")
        missing = {} if self.names or personal else {"items": "Mark the items that must stay quiet."}
        told = self.fields.mark(problems, missing) | self.limits.tell(problems)
        if told - {"items", "rho"}:
            self.finer.set_value(True)  # a problem is told where it is seen
