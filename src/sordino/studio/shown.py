"""What was prepared, put on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from nicegui import ui

from sordino.studio.prepared import Drawn, Look, More, Part, Title
from sordino.words.blocks import Steps, Table, Text, Verdict
from sordino.words.cautions import TITLE as LOOK_OUT

__all__ = ["SAME", "CommandLine", "Lines", "Slider", "command", "named", "notice", "show", "sorted_table", "title"]

TONES = {True: "good", False: "bad", None: "open"}
# Numbers sort as numbers: "1,234", "<0.1%" and "2 of 3 = 66.7%" hold one; what holds none comes before all.
BY_NUMBER = (
    "(a, b) => { const n = (t) => { const f = parseFloat(String(t).split('=').pop().replace(/[^0-9.-]/g, '')); "
    "return isNaN(f) ? -Infinity : f }; return n(a) - n(b) }"
)
ROWS = 10
SAME = "The same on the command line:"
NUMBER = "(event) => emit(event.target.value)"
# A head that the keyboard reaches, and that says how it sorts: a click on the button reaches the cell, which sorts.
HEAD = """<q-th :props="props" :aria-sort="!props.col.__thClass.includes('sorted') ? 'none'
    : props.col.__thClass.includes('sort-desc') ? 'descending' : 'ascending'">
  <button v-if="props.col.sortable" type="button">{{ props.col.label }}</button>
  <template v-else>{{ props.col.label }}</template>
</q-th>"""


def title(text: str, place: str = "") -> None:
    """The title of a section; `place` is how one gets there."""
    reached = f' id="{place}" tabindex="-1"' if place else ""
    ui.html(f"<h2{reached}>{_escaped(text)}</h2>", sanitize=False)


def show(parts: Iterable[Part]) -> None:
    """All parts, one below the other."""
    for part in parts:
        match part:
            case Drawn(html):
                ui.html(html, sanitize=False).classes("drawn")
            case Title(text):
                title(text)
            case Text(text):
                ui.label(text)
            case Look(told):
                with ui.column().classes("notice open").props(f'role="note" aria-label="{LOOK_OUT}"'):
                    ui.label(LOOK_OUT).classes("strong")
                    for caution in told:
                        ui.label(caution)
            case Verdict(text, good):
                ui.label(text).classes(f"verdict {TONES[good]}").props('role="status"').mark("verdict")
            case Table():
                sorted_table(part)
            case Steps(_, steps):
                for sentence, line in steps:
                    ui.label(sentence)
                    if line is not None:
                        command(line)
            case More(inside, folded):
                with ui.expansion(folded).classes("more"):
                    show(inside)


def sorted_table(table: Table) -> None:
    """A table whose columns sort by a click or the Enter key."""
    columns = [
        {
            "name": f"c{k}",
            "label": name or " ",
            "field": f"c{k}",
            "sortable": True,
            "align": "right" if k in table.right else "left",
            **({":sort": BY_NUMBER} if k in table.right else {}),
        }
        for k, name in enumerate(table.head)
    ]
    rows = [{"id": number, **{f"c{k}": cell for k, cell in enumerate(row)}} for number, row in enumerate(table.rows)]
    shown = ui.table(columns=columns, rows=rows, row_key="id", title=table.caption, pagination=ROWS).classes("sorted")
    named(shown.props("flat dense wrap-cells"), table.caption)
    shown.add_slot("header-cell", HEAD)


def named(table: Any, name: str) -> None:
    """A table that a screen reader announces, and that speaks of rows."""
    table.props["role"], table.props["aria-label"] = "region", name or "Table"
    table.props("rows-per-page-label='Rows at once'")


class Slider:
    """A whole number by a slider of the browser itself, which keys move and a screen reader names.

    told: what the number means, in words. changed: what is done with another one.
    """

    def __init__(
        self, least: int, most: int, value: int, name: str, told: Callable[[int], str], changed: Callable[[int], None]
    ) -> None:
        self.value, self._told, self._changed = value, told, changed
        self.element = ui.element("input").classes("slider").on("input", self._moved, throttle=0.15, js_handler=NUMBER)
        # "^": where it stands at first, as an attribute; so no later word of ours moves it under somebody's hand.
        props = {"type": "range", "min": least, "max": most, "step": 1, "^value": value, "aria-label": name}
        self.element.props.update(props)
        self.means = ui.label("").props('role="status"')
        self._tell()

    def _moved(self, event: Any) -> None:
        number = int(event.args)
        low, high = self.element.props["min"], self.element.props["max"]
        if number != self.value and low <= number <= high:
            self.value = number
            self._tell()
            self._changed(number)

    def _tell(self, told: str | None = None) -> None:
        text = told or self._told(self.value)
        self.means.set_text(text)
        self.element.props["aria-valuetext"] = text
        self.element.update()


class Lines:
    """The numbers beside the lines of a text, those with a problem marked; for the eye: the problems name them too."""

    def __init__(self) -> None:
        self.shown = ui.html("", sanitize=False).classes("numbers").props('aria-hidden="true"')

    def number(self, text: str, wrong: set[int]) -> None:
        numbers = range(1, text.count("\n") + 2)
        self.shown.set_content("".join(f"<div{' class=wrong' if k in wrong else ''}>{k}</div>" for k in numbers))


class CommandLine:
    """A command line to copy."""

    def __init__(self, line: str) -> None:
        with ui.row().classes("command"):
            self.label = ui.label(line).classes("code").props('tabindex=0 role="group" aria-label="Command line"')
            ui.button(icon="content_copy", on_click=self.copy).props('flat dense round aria-label="Copy the command"')

    def set(self, line: str) -> None:
        """Another one, because something else was chosen."""
        self.label.set_text(line)

    def copy(self) -> None:
        ui.clipboard.write(self.label.text)
        ui.notify("Copied", type="positive")


def command(line: str) -> CommandLine:
    """A command line to copy."""
    return CommandLine(line)


def notice(text: str, tone: str = "bad") -> None:
    """A message that a screen reader says at once; lines stay lines."""
    ui.label(text).classes(f"notice {tone}").props('role="alert"')


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
