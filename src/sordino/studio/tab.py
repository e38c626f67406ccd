"""The page of one tab: the steps as tabs, what is under way at the bottom; shown anew where something changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from sordino.studio.dropped import DROPPED, REFUSED
from sordino.studio.session import Session
from sordino.studio.shown import notice
from sordino.studio.style import STYLE
from sordino.words.phases import phase_words

__all__ = ["Tab"]

WAY = 5  # steps that follow each other; the others stand beside
TITLE = "document.querySelector('h1')?.focus({preventScroll: true})"  # whoever uses keys goes on there
TICK = 0.25  # seconds between two looks at the session


class Tab:
    """The elements of one page. `builders`: for each step its title and what puts it on the page."""

    def __init__(self, session: Session, builders: Mapping[str, tuple[str, Callable[[Tab], None]]]) -> None:
        self.session = session
        self.builders = builders
        self.client = ui.context.client
        self.rooms: dict[str, Any] = {}
        self.shown: dict[str, int] = {}  # which version of the session each step shows
        self.build()

    def build(self) -> None:
        ui.add_css(STYLE)
        ui.add_body_html(DROPPED)
        ui.on("dropped", lambda event: self.refuse(event.args))
        ui.colors(primary="#12436d", negative="#b3261e", positive="#1d7a4c")
        dark = ui.dark_mode(None)
        ui.html('<a class="skip" href="#content">Skip to the content</a>', sanitize=False)
        with ui.header(elevated=False).classes("items-center"):
            ui.label("sordino studio").classes("brand")
            with ui.tabs(on_change=lambda e: self.go(e.value)).props(
                'no-caps inline-label outside-arrows mobile-arrows aria-label="Steps"'
            ) as self.tabs:
                for number, (name, (title, _)) in enumerate(self.builders.items(), 1):
                    ui.tab(name, label=f"{number} {title}" if number <= WAY else title)
            ui.space()
            ui.button(icon="contrast", on_click=lambda: dark.set_value(not self._is_dark(dark))).props(
                'flat round aria-label="Light or dark"'
            )
        with ui.tab_panels(self.tabs, animated=False).classes("w-full").props('id="content"'):
            for name in self.builders:
                with ui.tab_panel(name):
                    self.rooms[name] = ui.column().classes("room")
        with ui.row().classes("bar").props('role="status" aria-live="polite"') as self.bar:
            self.doing = ui.label("")
            self.meter = ui.linear_progress(value=0, show_value=False).classes("w-64").props('aria-label="Progress"')
            ui.button("Cancel", on_click=self.session.cancel).props("no-caps outline color=negative")
        self.bar.set_visibility(False)
        first = "open" if self.session.opened is None else "quiet"
        self.tabs.set_value(first)
        self.show(first)
        ui.timer(TICK, self.tick)

    @staticmethod
    def _is_dark(mode: Any) -> bool:
        return bool(mode.value)

    @staticmethod
    def refuse(why: Any) -> None:
        """Say why something that was dropped is not taken."""
        if isinstance(why, str) and why in REFUSED:
            ui.notify(REFUSED[why], type="warning")

    @property
    def active(self) -> str:
        return str(self.tabs.value)

    def go(self, name: str, place: str = "") -> None:
        """Turn to a step, and to a place in it."""
        if self.tabs.value != name:
            self.tabs.set_value(name)
        if self.shown.get(name) != self.session.version:
            self.show(name)
        self.begin_above()
        if place:
            self.client.run_javascript(f"setTimeout(() => document.getElementById('{place}')?.scrollIntoView(), 150)")

    def lead(self, name: str, place: str = "") -> None:
        """Turn to a step by a button, which is gone then: whoever uses keys or a screen reader goes on at the title."""
        self.go(name, place)
        focus = f"document.getElementById('{place}')?.focus({{preventScroll: true}})" if place else TITLE
        self.client.run_javascript(f"setTimeout(() => {focus}, 200)")

    def begin_above(self) -> None:
        """A step is read from its beginning, however far down the last one was."""
        self.client.run_javascript("window.scrollTo(0, 0)")

    def show(self, name: str) -> None:
        """Put a step on the page anew."""
        room = self.rooms[name]
        room.clear()
        self.shown[name] = self.session.version
        with room:
            title, builder = self.builders[name]
            ui.html(f'<h1 tabindex="-1">{title}</h1>', sanitize=False)
            if self.session.trouble is not None and self.session.trouble[0] == name:
                notice(self.session.trouble[1])
            builder(self)

    def keep(self, name: str) -> None:
        """The step already shows what has just changed; others do not."""
        self.shown[name] = self.session.version

    def tick(self) -> None:
        """Look whether something changed."""
        session = self.session
        session.seen = time.monotonic()
        busy = session.busy
        if self.bar.visible != busy:
            self.bar.set_visibility(busy)
        if busy:
            phase, done, of = session.work.progress
            told = "Cancelling" if session.work.cancelled else phase_words(phase) or "Preparing"
            so_far = f" {done:,} of {of:,}" if of else ""
            seconds = int(time.monotonic() - session.since)
            self.doing.set_text(f"{session.title}: {told}{so_far} ({seconds} s)")
            self.meter.set_value(round(done / of, 3) if of else 0)
            self.meter.props("indeterminate" if not of else "", remove="" if not of else "indeterminate")
        # Once it is done, and not at every change on the way: a click on what is just being replaced would be lost.
        if not busy and self.shown.get(self.active) != session.version:
            self.show(self.active)
            if session.step == self.active:  # what it ended in is told first
                self.begin_above()
                self.client.run_javascript(
                    f"setTimeout(() => document.activeElement === document.body && {TITLE}, 200)"
                )

    def next(self, text: str, name: str, place: str = "", *, first: Callable[[], None] | None = None) -> None:
        """The button that leads on; `first` is done as it is pressed."""

        def pressed() -> None:
            if first is not None:
                first()
            self.lead(name, place)

        button = ui.button(text, icon="arrow_forward", on_click=pressed)
        button.props("no-caps").classes("self-start")

    @staticmethod
    def onward_row() -> ui.row:
        """Where what comes next stands."""
        return ui.row().classes("onward").props('role="navigation" aria-label="What comes next"')

    def onward(
        self,
        text: str,
        name: str,
        place: str = "",
        *,
        otherwise: tuple[str, str] | None = None,
        first: Callable[[], None] | None = None,
    ) -> None:
        """What comes next, at the lower edge of the window wherever one reads; and what else may."""
        with self.onward_row():
            self.next(f"Next: {text}", name, place, first=first)
            if otherwise is not None:
                other, step = otherwise
                ui.button(f"or {other}", on_click=lambda: self.lead(step)).props("no-caps flat")
