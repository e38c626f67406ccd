"""Say what must stay quiet: a form, and beside it the policy.toml that it makes; each follows the other."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from nicegui import ui

from sordino.studio.commands import command_of
from sordino.studio.places import bare_name
from sordino.studio.session import told
from sordino.studio.shown import Lines, command, notice, title
from sordino.studio.stated import POLICY, line_of, state_content, state_text
from sordino.studio.steps import quiet_baskets, quiet_diversity, quiet_templates, risk
from sordino.studio.tab import Tab
from sordino.studio.toml import Content

__all__ = ["build"]

LEAD = "Say what nobody should find out about a person."
DONE = "Filled in for this sample: go on, or change it."
WAYS = {
    "template": "Certain values must not be inferred",
    "diversity": "Everybody must keep several possible values",
}
FORMS: dict[str, Callable[..., Any]] = {
    "template": quiet_templates.Form,
    "diversity": quiet_diversity.Form,
}  # of tables
STARTS = {"template": quiet_templates.START, "diversity": quiet_diversity.START}


def build(tab: Tab) -> None:
    session = tab.session
    if session.opened is None:
        ui.label("Open data first.").classes("lead")
        tab.next("Open", "open")
        return
    done = session.given and session.text == session.given and not session.problems
    ui.label(DONE if done else LEAD).classes("lead")
    Sides(tab).build()


class Sides:
    """The two sides of the step, and what is below both."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.session = tab, tab.session
        self.way = self._way()

    def _way(self) -> str:
        assert self.session.opened is not None
        if not self.session.opened.table:
            return "inference"
        stated = self.session.content.get("kind")
        return stated if stated in WAYS else "template"

    def build(self) -> None:
        with ui.element("div").classes("beside"):
            with ui.column().classes("room") as self.form:
                pass
            with ui.column().classes("panel"):
                title(POLICY)
                ui.label("The same as a file: edit either.").classes("lead")
                with ui.element("div").classes("lined"):
                    self.lines = Lines()
                    self.text = ui.textarea(value=self.session.text, on_change=lambda e: self.typed(e.value)).props(
                        f'outlined autogrow debounce=400 aria-label="{POLICY}" spellcheck=false wrap=off'
                    )
                    self.text.classes("toml").mark("toml")
                self.problems = ui.column().classes("room")
                with ui.row():
                    ui.button("Download", icon="download", on_click=self.download).props("no-caps flat")
                self._files()
        self.below = ui.element("div").classes("through")
        self.fill_form()
        self.fill_rest()

    def fill_form(self) -> None:
        """The form, as the policy is."""
        self.form.clear()
        with self.form:
            assert self.session.opened is not None
            if self.session.opened.table:
                ui.radio(WAYS, value=self.way, on_change=lambda e: self.turn(e.value)).props(
                    'aria-label="What must hold"'
                ).mark("way")
            self.asked = FORMS.get(self.way, quiet_baskets.Form)(self.session, self.made)

    def fill_rest(self) -> None:
        """Problems beside the text, and how to go on."""
        self.problems.clear()
        places = [(line_of(self.session.text, problem), problem) for problem in self.session.problems]
        self.lines.number(self.session.text, {line for line, _ in places if line is not None})
        self.text.props(f"aria-invalid={'true' if places else 'false'}")
        with self.problems:
            for line, problem in places:
                notice(problem if line is None else f"Line {line}: {problem}")
        self.asked.mark(self.session.problems if self.session.text.strip() else ())
        self.below.clear()
        with self.below:
            if self.session.policy is not None and not self.session.problems:
                ui.label("The policy is complete. The audit on the command line:")
                command(command_of(self.session, "audit"))
                self.tab.onward("see the risk", "risk", first=self.audit)

    def audit(self) -> None:
        """Whoever goes on to the risk wants to see it: nobody presses another button there."""
        if self.session.audited is None:
            risk.start(self.session)

    def turn(self, way: str) -> None:
        """Another kind of policy; what was said of this one is kept, for whoever turns back."""
        self.session.drawer[self.way] = (copy.deepcopy(self.session.content), self.session.text)
        self.way = way
        self.made(*self.session.drawer.get(way, (STARTS[way], "")))
        self.fill_form()
        self.fill_rest()

    def typed(self, text: str) -> None:
        """The text was edited by hand."""
        if text == self.session.text:
            return
        state_text(self.session, text)
        self.tab.keep("quiet")
        self.way = self._way()
        self.fill_form()
        self.fill_rest()

    def made(self, content: Content, commented: str | None = None) -> None:
        """The form says something else; its comments are those of the text that is there, or of another one."""
        state_content(self.session, content, commented)
        self.text.set_value(self.session.text)
        self.tab.keep("quiet")
        self.fill_rest()

    def download(self) -> None:
        ui.download.content(self.session.text, POLICY)

    def _files(self) -> None:
        """Files that the policy may name."""

        async def arrived(event: Any) -> None:
            try:
                name = bare_name(event.file.name)
                await event.file.save(self.session.folder / name)
            except Exception as error:
                ui.notify(told(error), type="negative")
                return
            ui.notify(f"{name} can now be named in the policy", type="positive")
            again, self.session.text = self.session.text, ""
            self.typed(again)

        with ui.expansion("Files that the policy names"):
            ui.label("Hierarchies, rules, lists of items, choices of people: by their bare names.").classes("lead")
            ui.upload(label="Add a file", auto_upload=True, max_file_size=self.session.shared.limit, on_upload=arrived)
