"""The form for tables under diversity: everybody must keep several possible values of one column."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from sordino.studio.session import Session
from sordino.studio.shown import Slider, title
from sordino.studio.steps.fields import Fields
from sordino.studio.toml import Content
from sordino.words.text import clean

__all__ = ["START", "Form"]

START: Content = {"kind": "diversity", "l": 3}


class Form:
    """`made` gets the content of each policy that the form makes, whole or not."""

    def __init__(self, session: Session, made: Callable[[Content], None]) -> None:
        assert session.opened is not None
        self.table, self.made = session.opened.data, made
        own = session.content.get("kind") == "diversity"
        self.content: Content = copy.deepcopy(session.content if own else START)
        self.fields = Fields()
        self.build()

    def build(self) -> None:
        stated, quasi, number = (self.content.get(key) for key in ("sensitive", "quasi", "l"))
        knowledge = self.content.get("knowledge")
        mined = knowledge.get("mined", True) if isinstance(knowledge, dict) else True
        known = [str(name) for name in quasi] if isinstance(quasi, list) else []
        named = [*self.table.names, *(name for name in (stated, *known) if isinstance(name, str))]
        columns = {name: clean(name) for name in named}
        title("Which column must stay quiet?")
        self.sensitive = ui.select(
            columns, label="Sensitive column", value=stated if isinstance(stated, str) else None,
            on_change=lambda _: self.make(),
        ).mark("sensitive")  # fmt: skip
        self.fields.add("sensitive", self.sensitive, "sensitive", lambda: (str(self.sensitive.value),))
        title("What may somebody know of everybody?")
        self.quasi = (
            ui.select(columns, label="Known columns", value=known, multiple=True, on_change=lambda _: self.make())
            .props("use-chips")
            .mark("quasi")
        )
        self.fields.add("quasi", self.quasi, "quasi", lambda: self.quasi.value)
        title("How many values must stay possible?")
        most = number if isinstance(number, int) and number > 12 else 12
        start = max(2, number) if isinstance(number, int) else 3
        self.many = Slider(2, most, start, "Values that must stay possible", _meaning, lambda _: self.make())
        self.fields.add("l", self.many.element, r"\bl\b|values")
        title("What does the adversary know besides?")
        self.mined = ui.checkbox(
            "rules that the data teach: who is such never has that value", value=mined is not False,
            on_change=lambda _: self.make(),
        )  # fmt: skip
        self.fields.add("mined", self.mined, "mined|rules|knowledge|expectation|confidence|conditions")

    def make(self) -> None:
        """The policy that the form says, whole or not."""
        sensitive = self.sensitive.value
        entries: Content = {"kind": "diversity"}
        if sensitive:
            entries["sensitive"] = sensitive
        entries["quasi"] = [name for name in self.quasi.value if name != sensitive]
        entries["l"] = int(self.many.value)
        rest = {key: value for key, value in self.content.items() if key not in (*entries, "sensitive")}
        knowledge: Any = rest.get("knowledge")
        rest["knowledge"] = {**(knowledge if isinstance(knowledge, dict) else {}), "mined": bool(self.mined.value)}
        self.content = {**entries, **rest}
        self.made(copy.deepcopy(self.content))

    def mark(self, problems: Sequence[str]) -> None:
        """Problems where they are; what is missing in plain words."""
        missing = {}
        if not self.sensitive.value:
            missing["sensitive"] = "Say which column must stay quiet."
        if not [name for name in self.quasi.value if name != self.sensitive.value]:
            missing["quasi"] = "Say which columns somebody may know."
        self.fields.mark(problems, missing)


def _meaning(number: int) -> str:
    return (
        f"Of everybody, at least {number} values must remain possible for whoever knows all that: nobody can tell "
        f"which of {number} it is."
    )
