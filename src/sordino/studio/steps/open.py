"""Open: a file of your own, one of the folders named at the start, or a sample; and what was read."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from nicegui import ui

from sordino.sample import names as sample_names
from sordino.sample import path as sample_path
from sordino.studio.commands import inspect_command, sample_command
from sordino.studio.dropped import ANYWHERE
from sordino.studio.places import bare_name, from_here
from sordino.studio.reading import BASKETS, DATABASE, TABLE, open_data
from sordino.studio.session import Opened, Session, told
from sordino.studio.shown import SAME, command, show, title
from sordino.studio.stated import state_text
from sordino.studio.steps import database
from sordino.studio.tab import Tab
from sordino.words.text import clean

__all__ = ["build", "open_file"]

SAMPLES = {
    "pharmacy.csv": ("Baskets: customers of a pharmacy", "pharmacy_policy.toml"),
    "patients.csv": ("A table: patients of a hospital", "patients_policy.toml"),
}
LEAD = "Choose data about people: see who could be found out, and make a safe version. Nothing leaves this machine."
DELIMITERS = {"": "found by itself", ",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar |", " ": "a blank"}
LAYOUTS = {
    "": "found by itself",
    "baskets": "a person a line",
    "long": "a person and an item a line",
    "onehot": "a person a line, an item a column",
    "fimi": "numbers, a person a line",
    "list": "lists",
}
KINDS = {BASKETS: "Baskets: each person has a set of items", TABLE: "A table: each row is a person"}


def build(tab: Tab) -> None:
    opened = tab.session.opened
    ui.label(LEAD).classes("lead")
    if opened is not None:
        title(f"What was read: {opened.name}")
        show(opened.report)
        _otherwise(tab, opened)
        ui.label(SAME)
        if opened.sample:
            command(sample_command())
        command(inspect_command(opened))
        title("Open something else")
    with ui.element("div").classes("choices"):
        _samples(tab)
        _upload(tab)
        _places(tab)
    database.build(tab, open_file)
    if opened is not None:
        tab.onward("say what must stay quiet", "quiet")


def _samples(tab: Tab) -> None:
    with ui.column().classes("panel"):
        title("Try a sample")
        ui.label("Of invented people.").classes("lead")
        for name, (label, policy) in SAMPLES.items():
            ui.button(label, on_click=lambda name=name, policy=policy: _open_sample(tab.session, name, policy)).props(
                "no-caps outline"
            )


def _upload(tab: Tab) -> None:
    session = tab.session

    async def arrived(event: Any) -> None:
        try:
            name = bare_name(event.file.name)
            await event.file.save(session.folder / name)
        except Exception as error:
            session.trouble = ("open", told(error))
            session.changed()
            return
        open_file(session, session.folder / name, name, name)

    with ui.column().classes("panel"):
        title("Your file")
        limit = session.shared.limit
        ui.label(f"Drop it anywhere here; at most {limit >> 20:,} MiB.").classes("lead")
        ui.upload(
            label="Choose a file", auto_upload=True, max_file_size=limit, on_upload=arrived,
            on_rejected=lambda: ui.notify(f"More than {limit >> 20:,} MiB", type="negative"),
        ).props('flat aria-label="Choose a file, or drop it"').classes(ANYWHERE).mark("upload")  # fmt: skip


def _places(tab: Tab) -> None:
    session = tab.session
    found = session.shared.places.files()
    if not found:
        return
    with ui.column().classes("panel"):
        title("A file of this folder")
        options = {number: place.name for number, place in enumerate(found)}
        chosen = ui.select(options, label="File", with_input=len(options) > 12).mark("place")

        def go() -> None:
            if isinstance(chosen.value, int) and 0 <= chosen.value < len(found):
                place = found[chosen.value]
                open_file(session, place.path, place.path.name, from_here(place.path))

        ui.button("Open", on_click=go).props("no-caps outline")


def _otherwise(tab: Tab, opened: Opened) -> None:
    """Another way to read it, if this one is wrong: a click on what it is instead, or one of many, and again."""
    session = tab.session

    def read(form: dict[str, Any]) -> None:
        taken_as = str(form["as"])
        wanted = {key: value for key, value in form.items() if key != "as"}
        wanted |= {key: opened.form[key] for key in DATABASE if key in opened.form}
        open_file(session, opened.path, opened.name, opened.shown, taken_as, wanted, sample=opened.sample)

    with ui.expansion("Not right? Read it otherwise").classes("more"), ui.column().classes("room"):
        for what, form in opened.ways:
            ui.button(f"No: {what}", on_click=lambda form=form: read(form)).props("no-caps outline align=left").classes(
                "self-start"
            )
        taken = ui.radio(KINDS, value=opened.form["as"]).props('aria-label="What it is"').mark("taken")
        stated = opened.form.get("delimiter") or ""
        delimiters = {**DELIMITERS, stated: DELIMITERS.get(stated, f"this: {stated}")}
        delimiter = ui.select(delimiters, value=stated, label="Fields are apart by")
        with ui.column().classes("room") as lying:
            layout = ui.select(LAYOUTS, value=opened.form.get("layout") or "", label="How baskets lie in the file")
            record = _column(opened, "record", "Column of the person (a person and an item a line)")
            item = _column(opened, "item", "Column of the item (a person and an item a line)")
        lying.bind_visibility_from(taken, "value", value=BASKETS)

        def again() -> None:
            found = {"as": taken.value, "delimiter": delimiter.value}
            if taken.value == BASKETS:
                found |= {"layout": layout.value, "record": record.value, "item": item.value}
            read(found)

        ui.button("Read again", on_click=again).props("no-caps outline").classes("self-start")


def _column(opened: Opened, role: str, label: str) -> Any:
    """Which column has this role; where the columns are not known, their name can be typed."""
    stated = opened.form.get(role) or ""
    if not opened.columns:
        return ui.input(label, value=stated)
    names = {name: clean(name) for name in (*opened.columns, *((stated,) if stated else ()))}
    return ui.select({"": "found by itself", **names}, value=stated, label=label)


def _open_sample(session: Session, name: str, policy: str) -> None:
    for each in sample_names():  # what a policy names lies beside it
        shutil.copy(sample_path(each), session.folder / each)
    text = sample_path(policy).read_text(encoding="utf-8")
    open_file(session, session.folder / name, name, name, text=text, sample=True)


def open_file(
    session: Session,
    path: Path | str,
    name: str,
    shown: str,
    taken_as: str | None = None,
    form: dict[str, Any] | None = None,
    *,
    text: str = "",
    sample: bool = False,
) -> None:
    """Read a file, and go on with it; `text` is a policy that goes with it."""

    def take(opened: Opened) -> None:
        session.take(opened)
        if text:
            state_text(session, text)
            session.given = text

    session.start(
        "open",
        f"Reading {name}",
        lambda _: open_data(path, name, shown, taken_as, form or {}, sample=sample),
        take,
    )
