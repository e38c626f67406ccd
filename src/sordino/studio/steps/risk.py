"""See the risk: the audit in the words of the command, and a game: what would you learn?"""

from __future__ import annotations

from typing import Any

from nicegui import ui

import sordino
from sordino.studio.commands import command_of
from sordino.studio.prepared import Prepared, briefly, prepare_page
from sordino.studio.session import CHANGED, Session
from sordino.studio.shown import SAME, command, show, title
from sordino.studio.steps import adversary
from sordino.studio.tab import Tab
from sordino.words.inference import counted_once
from sordino.words.pages import Source, audit_page
from sordino.words.steps import Asked
from sordino.words.text import clean

__all__ = ["ADVERSARY", "build", "not_ready", "start"]

ADVERSARY = "adversary"  # where one plays
PLAY = "Play the adversary"
TOP = 50  # findings


def not_ready(tab: Tab) -> bool:
    """Whether data or a whole policy are missing; then it is said what to do."""
    session = tab.session
    if session.opened is None:
        ui.label("Open data first.").classes("lead")
        tab.next("Open", "open")
    elif session.policy is None or session.named is None or session.problems:
        ui.label("First say what must stay quiet.").classes("lead")
        tab.next("Say what must stay quiet", "quiet")
    else:
        return False
    return True


def build(tab: Tab) -> None:
    session = tab.session
    if not_ready(tab):
        return
    if session.audited is None:
        ui.label("What can be inferred from the file as it is, and about whom?").classes("lead")
        if session.busy and session.step == "risk":
            ui.label("It is being audited: the lower edge tells how far.").props('role="status"')
        else:
            ui.button("Audit", icon="search", on_click=lambda: start(session)).props("no-caps").classes("self-start")
        ui.html(f'<div id="{ADVERSARY}"></div>', sanitize=False)
        with ui.expansion(PLAY, value=session.released is not None).classes("more"), ui.column().classes("room"):
            adversary.build(tab)
    else:
        if session.released is not None:
            title("The file as it is")
        show(session.audited)
        title(PLAY, ADVERSARY)
        adversary.build(tab)
    with ui.row().classes("items-center justify-between"):
        ui.label(SAME)
        if session.audited is not None:
            ui.button("Audit again", icon="search", on_click=lambda: start(session)).props("no-caps flat")
    command(command_of(session, "audit"))
    if session.audited is not None:
        if session.released is None:
            tab.onward("protect and publish", "publish", otherwise=("compare methods first", "choose"))
        else:
            tab.onward("hand on the release", "publish")


def start(session: Session) -> None:
    """Audit, and keep the result."""
    opened, policy, named = session.opened, session.policy, session.named
    assert opened is not None

    def work(progress: Any) -> tuple[Any, Prepared]:
        result = sordino.audit(opened.data, policy, top=TOP, progress=progress)
        repeated = getattr(opened.data, "repeated", 0)
        asked = Asked(lambda verb, *more: command_of(session, verb, *more), notes=tuple(counted_once(repeated)))
        page = audit_page(result.to_dict(), Source(clean(opened.name)), named, asked=asked)
        return result, prepare_page(briefly(page), without=("details", "next"))

    def then(got: tuple[Any, Prepared]) -> None:
        session.audit, session.audited = got

    session.start("risk", "Audit", work, then, late=lambda _: f"{CHANGED} Audit again.")
