"""Hierarchies, seen and edited as a tree: which values belong together, so that a wider one can stand for them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

from nicegui import ui

import sordino
from sordino.errors import SordinoError
from sordino.studio.commands import build_command
from sordino.studio.places import bare_name
from sordino.studio.session import told
from sordino.studio.shown import SAME, command, title
from sordino.studio.stated import name_hierarchy
from sordino.studio.tab import Tab
from sordino.studio.trees import Node, flat_tree, tree_of
from sordino.words.text import clean, count

__all__ = ["build"]

LEAD = (
    "A hierarchy says which values belong together: paracetamol and ibuprofen are pain killers. Some methods can then "
    "show the wider one instead of deleting, and rules can speak of it."
)
MOST = 3000  # values that are shown as a tree


def build(tab: Tab) -> None:
    ui.label(LEAD).classes("lead")
    if tab.session.opened is None:
        ui.label("Open data first.").classes("lead")
        tab.next("Open", "open")
        return
    Editor(tab)


class Editor:
    def __init__(self, tab: Tab) -> None:
        assert tab.session.opened is not None
        self.session, self.data = tab.session, tab.session.opened.data
        self.tab = tab
        self.column: str | None = self.session.tree_of
        self.chosen: Node | None = None
        self.by = "balanced"
        self.begin()
        self.room = ui.column().classes("room")
        ui.label(SAME)
        self.line = command("")
        self.fill()

    def begin(self) -> None:
        """Where a tree comes from."""
        table = self.session.opened is not None and self.session.opened.table
        with ui.column().classes("panel"):
            if table:
                names = {name: clean(name) for name in self.data.names}
                ui.select(names, label="Column", value=self.column, on_change=lambda e: self.turn(e.value))
            with ui.row():
                ui.button("Begin without groups", on_click=lambda: self.start(self.flat)).props("no-caps outline")
                if not table:
                    ui.button("Group by name", on_click=lambda: self.start(self.balanced)).props("no-caps outline")
                    ui.button("Group by frequency", on_click=lambda: self.start(self.frequent)).props("no-caps outline")
            ui.upload(label="or read one from a file", auto_upload=True, max_file_size=16 << 20, on_upload=self.arrived)

    def command(self) -> str:
        """What builds such a tree; one that was edited is shown by its file."""
        assert self.session.opened is not None
        name = self.file()
        if (self.session.folder / name).is_file():
            return shlex.join(["sordino", "hierarchy", "show", name])
        if self.session.opened.table:
            column = self.column or "COLUMN"
            numbers = self.column is not None and self.data.column(self.column).numeric
            more = ["--column", column, "--quantile", "5", "--out", name]
            return build_command(self.session.opened, *more) if numbers else f"sordino hierarchy show {name}"
        return build_command(self.session.opened, "--by", self.by, "--out", name)

    def file(self) -> str:
        """Where the tree is put when it is used."""
        return "hierarchy.json" if self.column is None else f"hierarchy-{self.data.index(self.column) + 1}.json"

    def turn(self, column: str) -> None:
        self.column, self.session.tree, self.chosen = column, None, None
        self.fill()

    def values(self) -> list[str]:
        if self.session.opened is not None and self.session.opened.table:
            if self.column is None:
                raise sordino.InputError("choose a column first")
            column = self.data.column(self.column)
            return [text for text, number in zip(column.texts, column.counts.tolist(), strict=True) if number]
        supports = self.data.supports.tolist()
        return [name for name, number in zip(self.data.names, supports, strict=True) if number]

    def flat(self) -> Node:
        return flat_tree(self.values())

    def balanced(self) -> Node:
        self.by = "balanced"
        return tree_of(sordino.build_hierarchy(self.data, by="balanced"))

    def frequent(self) -> Node:
        self.by = "frequency"
        return tree_of(sordino.build_hierarchy(self.data, by="frequency"))

    async def arrived(self, event: Any) -> None:
        name = "given-hierarchy"
        try:
            name = bare_name(event.file.name)
            await event.file.save(self.session.folder / name)
        except Exception as error:
            ui.notify(told(error), type="negative")
            return
        self.start(lambda: tree_of(sordino.read_hierarchy(self.session.folder / name, items=self.values())))

    def start(self, make: Callable[[], Node]) -> None:
        self.attempt(lambda: self.take(make()))

    def take(self, tree: Node) -> None:
        self.session.tree, self.session.tree_of, self.chosen = tree, self.column, None

    def attempt(self, change: Callable[[], Any]) -> None:
        """A change of the tree, if it is possible; then the tree is shown anew."""
        try:
            change()
        except SordinoError as error:
            ui.notify(told(error), type="negative")
            return
        self.fill()

    def fill(self) -> None:
        self.room.clear()
        self.line.set(self.command())
        tree = self.session.tree
        if tree is None:
            return
        with self.room:
            title(f"{count(tree.leaves(), 'value')} in {count(len(tree.groups()), 'group')}")
            with ui.element("div").classes("beside"):
                self.show(tree)
                with ui.column().classes("panel") as self.side:
                    self.edit()

    def show(self, tree: Node) -> None:
        self.nodes = {str(number): node for number, node in enumerate(tree.walk())}
        number = {id(node): k for k, node in self.nodes.items()}

        def plain(node: Node) -> dict[str, Any]:
            label = clean(node.name) if node.leaf else f"{clean(node.name)} ({node.leaves():,})"
            return {"id": number[id(node)], "label": label, "children": [plain(one) for one in node.below]}

        with ui.column().classes("room"):
            if len(self.nodes) > MOST:
                ui.label(f"More than {MOST:,} values: the tree is kept, but not shown.")
                return
            search = ui.input("Search in the tree").props("clearable debounce=200")
            seen = ui.tree([plain(tree)], label_key="label", on_select=lambda e: self.choose(e.value))
            seen.props('aria-label="The hierarchy"')
            seen.bind_filter_from(search, "value", backward=lambda text: text or "")
            seen.expand(["0", *(number[id(node)] for node in tree.below)] if len(tree.below) < 30 else ["0"])

    def choose(self, number: str | None) -> None:
        self.chosen = None if number is None else self.nodes.get(number)
        self.side.clear()
        with self.side:
            self.edit()

    def edit(self) -> None:
        """What can be done with the node that is chosen."""
        tree, node = self.session.tree, self.chosen
        if node is None:
            ui.label("Choose a value or a group in the tree, to move or rename it.").classes("lead")
        else:
            title(clean(node.name))
            groups = tree.groups()
            places = {k: clean(one.name) for k, one in enumerate(groups) if one not in node.walk()}
            if node is not tree and places:
                above = tree.above(node)
                here = next((k for k, one in enumerate(groups) if one is above), None)
                ui.select(
                    places, label="Stands under", value=here,
                    on_change=lambda e: self.attempt(lambda: tree.move(node, groups[e.value])),
                )  # fmt: skip
            if not node.leaf:
                self.entry("Name of this group", node.name, "Rename", lambda name: tree.rename(node, name))
                self.entry("A new group under it", "", "Add", lambda name: tree.add(node, name))
                if node is not tree:
                    ui.button("Dissolve this group", on_click=lambda: self.attempt(lambda: tree.dissolve(node))).props(
                        "no-caps flat"
                    )
        ui.separator()
        ui.button("Use this hierarchy", icon="check", on_click=self.use).props("no-caps").mark("use")

    def entry(self, label: str, value: str, verb: str, change: Callable[[str], Any]) -> None:
        with ui.row().classes("items-end"):
            field = ui.input(label, value=clean(value))
            ui.button(verb, on_click=lambda: self.attempt(lambda: change(str(field.value)))).props("no-caps flat")

    def use(self) -> None:
        """Write it where the policy or the methods find it."""
        session = self.session
        try:
            tree = session.tree.hierarchy()
            tree.covers(self.values())
            name = self.file()
            text = json.dumps(session.tree.plain(), ensure_ascii=False, indent=1)
            (session.folder / name).write_text(text + "\n", encoding="utf-8")
            if self.column is None:
                session.hierarchy = name
                said = "The methods lgps and tdcontrol will use it."
            else:
                name_hierarchy(session, self.column, name)
                said = f"The policy names it now: {name}."
        except SordinoError as error:
            ui.notify(told(error), type="negative")
            return
        session.changed()
        self.tab.keep("hierarchies")
        self.line.set(self.command())
        ui.notify(said, type="positive")
        ui.download.content(text, name)
