"""The form for tables under diversity: everybody must keep several possible values of one column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from nicegui import ui

import sordino
from sordino.studio.session import Session
from sordino.studio.shown import title
from sordino.words.text import clean

__all__ = ["build"]


def build(session: Session, made: Callable[..., None]) -> None:
    """The form; `made` gets each policy that it makes, or None and what is missing."""
    Form(session, made)


class Form:
    def __init__(self, session: Session, made: Callable[..., None]) -> None:
        assert session.opened is not None
        self.table, self.made = session.opened.data, made
        policy = session.policy if getattr(session.policy, "kind", "") == "diversity" else None
        self.policy = policy
        columns = {name: clean(name) for name in self.table.names}
        title("Which column must stay quiet?")
        self.sensitive = ui.select(
            columns, label="Sensitive column", value=getattr(policy, "sensitive", None), on_change=lambda _: self.make()
        ).mark("sensitive")
        title("What may somebody know of everybody?")
        self.quasi = ui.select(
            columns, label="Known columns", value=list(getattr(policy, "quasi", ())), multiple=True,
            on_change=lambda _: self.make(),
        ).props("use-chips").mark("quasi")  # fmt: skip
        title("How many values must stay possible?")
        self.many = ui.slider(min=2, max=12, value=getattr(policy, "l", 3), on_change=lambda _: self.make()).props(
            'label markers snap aria-label="Values that must stay possible" debounce=200'
        )
        self.told = ui.label("").props('role="status"')
        title("What does the adversary know besides?")
        self.mined = ui.checkbox(
            "rules that the data teach: who is such never has that value", value=getattr(policy, "mined", True),
            on_change=lambda _: self.make(),
        )  # fmt: skip
        self.tell()

    def tell(self) -> None:
        number = int(self.many.value)
        self.told.set_text(f"Of everybody, at least {number} values must remain possible for whoever knows all that.")

    def make(self) -> None:
        """The policy that the form says, if it is whole."""
        self.tell()
        sensitive, quasi = self.sensitive.value, [name for name in self.quasi.value if name != self.sensitive.value]
        problems = []
        if not sensitive:
            problems.append("Say which column must stay quiet.")
        if not quasi:
            problems.append("Say which columns somebody may know.")
        if problems:
            self.made(None, tuple(problems))
            return
        entries: dict[str, Any] = {"sensitive": sensitive, "quasi": tuple(quasi), "l": int(self.many.value)}
        try:
            if self.policy is None:
                policy: Any = sordino.DiversityPolicy(sensitive, quasi, int(self.many.value), mined=self.mined.value)
            else:
                policy = replace(self.policy, mined=self.mined.value, **entries)
        except sordino.PolicyError as error:
            self.made(None, error.problems)
            return
        self.policy = policy
        self.made(policy)
