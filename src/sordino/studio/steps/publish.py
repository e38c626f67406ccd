"""Publish: protect, write, verify; what to hand on, and what to keep."""

from __future__ import annotations

import re
import secrets
import shlex
import time
import zipfile
from pathlib import Path
from typing import Any

from nicegui import ui

import sordino
from sordino.errors import InputError
from sordino.release.house_report import house_page
from sordino.studio.commands import command_of
from sordino.studio.places import bare_name, from_here
from sordino.studio.prepared import More, Prepared, prepare, prepare_head, prepare_sections
from sordino.studio.session import CHANGED, Released, Session
from sordino.studio.shown import SAME, command, show, title
from sordino.studio.steps.risk import ADVERSARY, not_ready
from sordino.studio.tab import Tab
from sordino.words.verified import verified_blocks

__all__ = ["build", "looked_at", "show_release"]

IDS = {
    "shuffle": "in random order, with new numbers (safest)",
    "renumber": "in the order of the source, with new numbers",
    "keep": "in the order of the source, with its own ids",
}
BASKETS = {
    "mine": "mine: deletes as little as it can",
    "dist": "dist: keeps the shares of the items",
    "twins": "twins: also against knowing what people do not have",
    "global": "global: deletes whole items",
    "lgps": "lgps: shows items as wider ones, by the hierarchy",
    "tdcontrol": "tdcontrol: shows items as wider ones, by the hierarchy",
}
CELLS = {
    "disclosure": "disclosure: keeps what predicts the class",
    "disclosure-local": "disclosure-local: keeps most cells",
}
GROUPS = {"injector": "injector: groups that rules cannot take apart", "anatomy": "anatomy: simple groups"}
BY_HIERARCHY = ("lgps", "tdcontrol")
LEAVES = 5_000_000  # entries of a release at its leaves
FINER = "Method, order of records"
LEAD = "The safe version is read back, audited again and verified before its folder appears."


def methods_of(kind: str) -> dict[str, str]:
    """The methods that are offered, each with what it does."""
    return GROUPS if kind == "diversity" else CELLS if kind == "template" else BASKETS


def build(tab: Tab) -> None:
    session = tab.session
    if not_ready(tab):
        return
    if session.released is None:
        ui.label(LEAD).classes("lead")
    else:
        show_release(tab, session.released)
        title("Make another release")
    with ui.column().classes("panel"):
        methods = {"": "the one that suits (recommended)", **methods_of(session.policy.kind)}
        if session.method and session.method not in methods:
            methods[session.method] = session.method
        name = ui.input("Name of the release", value=_free_name(session)).mark("name")
        ui.label(f"It is written into {session.shared.out}.").classes("lead")
        with ui.expansion(FINER, value=bool(session.method)).classes("more"), ui.column().classes("room"):
            method = ui.select(methods, value=session.method or "", label="Method").mark("method")
            ids = ui.select(IDS, value="shuffle", label="Records")
        ui.button(
            "Protect and publish",
            icon="lock",
            on_click=lambda: start(session, str(method.value) or None, str(ids.value), str(name.value)),
        ).props("no-caps").classes("self-start").mark("publish")
    ui.label(SAME)

    def line() -> str:
        words = ["--out", from_here(session.shared.out / str(name.value or "..."))]
        words += ["--method", str(method.value)] if method.value else []
        words += ["--ids", str(ids.value)] if ids.value != "shuffle" else []
        if session.hierarchy is not None and method.value in BY_HIERARCHY:
            words += ["--hierarchy", session.hierarchy]
        return command_of(session, "protect", *words)

    shown = command(line())
    for one in (method, ids, name):
        one.on_value_change(lambda _: shown.set(line()))
    if session.released is not None:
        tab.onward("play the adversary again", "risk", ADVERSARY)


def show_release(tab: Tab, released: Released) -> None:
    """A release: its verdict, what to hand on, what to keep, and the report."""
    session = tab.session
    show(released.verdict)
    with ui.element("div").classes("choices"):
        with ui.column().classes("panel"):
            title("Hand on")
            if released.package is not None:
                ui.label("publish/ and nothing else: its README.txt says what is guaranteed.")
                address = f"/download/{session.key}/{released.key}"
                ui.link("Download publish/ as one zip", address).props('download=""').classes("taken").mark("zip")
            else:
                ui.label("Nothing of this: it is not known to be safe.")
            ui.label(str(released.folder / "publish")).classes("code")
        with ui.column().classes("panel"):
            title("Keep")
            ui.label("keep/ must stay in the house: it shows what was changed.")
            if (released.folder / "keep" / "report.html").is_file():
                ui.link("Read the report", f"/report/{session.key}/{released.key}", new_tab=True)
                if released.answer is sordino.Answer.FAILS:
                    ui.label("It tells of what was made then; what lies there now is something else.")
            ui.label(str(released.folder / "keep")).classes("code")
    ui.label("Whoever receives it can check it:")
    command(shlex.join(["sordino", "verify", from_here(released.folder)]))
    show(released.report)


def start(session: Session, method: str | None, ids: str, name: str) -> None:
    """Protect, write, verify, pack."""
    opened, policy = session.opened, session.policy
    assert opened is not None

    def work(progress: Any) -> Released:
        folder = session.shared.out / bare_name(name)
        if folder.exists():
            raise InputError("there is already a release of this name", hint="Choose another name.")
        session.shared.out.mkdir(parents=True, exist_ok=True)
        options: dict[str, Any] = {}
        if session.hierarchy is not None and method in BY_HIERARCHY:
            options["hierarchy"] = str(session.folder / session.hierarchy)
        release = sordino.protect(opened.data, policy, method=method, ids=ids, progress=progress, **options)
        release.write(folder, progress=progress)
        progress("checking the release", 0, 0)
        return looked_at(session, folder, release)

    def then(released: Released) -> None:
        session.released = released
        session.runs.append(released)

    def late(released: Released) -> str:
        session.runs.append(released)
        return f"{CHANGED} The release '{released.name}' is among the earlier runs."

    session.start("publish", "Protect", work, then, late)


def looked_at(session: Session, folder: Path, release: Any = None) -> Released:
    """A release folder: verified, told, and packed for handing on.

    What its report says is shown only of a release that is valid: of another one it tells what once was.
    """
    verdict: Any = sordino.verify(folder)
    report: Prepared = ()
    valid = verdict.answer is sordino.Answer.HOLDS
    fails = verdict.answer is sordino.Answer.FAILS
    head: Prepared = ()
    if (folder / "keep" / "audit.json").is_file() and not fails:
        page = house_page(folder)
        head = prepare_head(page, verdict=valid)
        report = prepare_sections(page, without=("details",), folded=True)
    key = secrets.token_urlsafe(8)
    package = None
    if valid or (release is not None and not fails):
        package = session.folder / f"{key}.zip"
        with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((folder / "publish").iterdir()):
                if path.is_file() and not path.is_symlink():
                    archive.write(path, f"{folder.name}/{path.name}")
    first, *more = prepare(verified_blocks(verdict.answer, verdict.sentences(), own=False))
    told: Prepared = (first, *head) if valid else (first, *more)
    report = (*((More(tuple(more), "What the verifier did"),) if valid else head), *report)
    method = str(getattr(release, "method", ""))
    return Released(
        key, folder.name, folder, time.time(), method, report, told, verdict.answer, release, package,
        _leaves(release),
    )  # fmt: skip


def _leaves(release: Any) -> Any:
    """For the adversary of a release that shows wider items; None if that would be too large, or is not so."""
    data: Any = getattr(release, "data", None)
    if not hasattr(data, "at_leaves"):
        return None
    under = {name: len(data.hierarchy.leaves_under(node)) for name, node in data.node_of.items()}
    names, counts = data.baskets.names, data.baskets.supports.tolist()
    entries = sum(under.get(name, 1) * number for name, number in zip(names, counts, strict=True))
    return data.at_leaves() if entries <= LEAVES else None


def _free_name(session: Session) -> str:
    """A name that no release has yet."""
    assert session.opened is not None
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", session.opened.name.split(".")[0]).strip("-") or "data"
    number, name = 1, f"{stem}-release"
    while (session.shared.out / name).exists():
        number += 1
        name = f"{stem}-release-{number}"
    return name
