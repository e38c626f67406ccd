"""Earlier runs: releases made since this tab was opened, and releases opened from disk: verified, with their report."""

from __future__ import annotations

import time

from nicegui import ui

from sordino.studio.places import Place
from sordino.studio.session import Released, Session
from sordino.studio.shown import SAME, command, title
from sordino.studio.steps.publish import looked_at, show_release
from sordino.studio.tab import Tab

__all__ = ["build"]

ANSWERS = {"HOLDS": "valid", "FAILS": "NOT valid", "NOT_CHECKED": "not checked"}


def build(tab: Tab) -> None:
    session = tab.session
    ui.label("What was made here, and releases that lie in the folders named at the start.").classes("lead")
    _from_disk(session)
    if not session.runs:
        ui.label("Nothing yet.")
        ui.label(SAME)
        command("sordino verify RELEASE")
    for run in reversed(session.runs):
        valid = ANSWERS[run.answer.name]
        made = time.strftime("%H:%M", time.localtime(run.when))
        name = f"{run.name} ({made}, {run.method or 'from disk'}): {valid}"
        with ui.expansion(name, value=run is session.runs[-1]), ui.column().classes("room"):
            show_release(tab, run)


def _from_disk(session: Session) -> None:
    found = session.shared.places.releases(session.shared.out)
    if not found:
        return
    with ui.column().classes("panel"):
        title("Open a release from disk")
        chosen = ui.select({k: place.name for k, place in enumerate(found)}, label="Release").mark("release")

        def go() -> None:
            if isinstance(chosen.value, int) and 0 <= chosen.value < len(found):
                _look(session, found[chosen.value])

        ui.button("Verify and show", on_click=go).props("no-caps outline").classes("self-start")


def _look(session: Session, place: Place) -> None:
    def then(run: Released) -> None:
        session.runs.append(run)

    session.start("earlier", f"Checking {place.name}", lambda _: looked_at(session, place.path), then)
