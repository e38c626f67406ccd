"""The studio without a mouse: from the sample to a release and into the tree, by Tab, Enter, Space and the arrows."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import sordino
from browser import browser_path
from studio import Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
FOCUSED = """(() => { const one = document.activeElement;
  if (one === document.body) return 'nothing';
  return [(one.innerText || '').trim(), one.getAttribute('aria-label') || '', one.tagName].join(' | ') })()"""
FAR = 120  # how often one may press Tab for the next thing


def pressed(visit: Visit, key: str) -> None:
    code, text = {"Enter": (13, "\r"), "Space": (32, " "), "Tab": (9, ""), "ArrowRight": (39, "")}[key]
    name = " " if key == "Space" else key
    for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
        more = {"text": text} if text and kind == "keyDown" else {}
        visit.tab.call("Input.dispatchKeyEvent", type=kind, key=name, code=key, windowsVirtualKeyCode=code, **more)


def reached(visit: Visit, words: str) -> int:
    """How often Tab was pressed until what bears these words has the focus."""
    for number in range(FAR):
        if words in visit.tab.ask(FOCUSED):
            return number
        pressed(visit, "Tab")
    raise AssertionError(f"'{words}' is not reached by Tab; the focus is on {visit.tab.ask(FOCUSED)}")


def chosen(visit: Visit, words: str, key: str = "Enter") -> None:
    reached(visit, words)
    pressed(visit, key)


def begins_at(visit: Visit, title: str) -> None:
    """After a step was turned to by its button, whoever listens hears its title."""
    visit.wait_for(lambda: visit.tab.ask(FOCUSED).startswith(title), f"for the focus on '{title}'", 10)


def test_from_the_sample_to_a_release_by_keys(tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio) as visit:
        visit.until("Try a sample")
        chosen(visit, "customers of a pharmacy")
        visit.until("What was read")
        time.sleep(0.5)
        chosen(visit, "Next: say what must stay quiet")
        visit.until("22 items of 120 marked")
        begins_at(visit, "What must stay quiet")
        chosen(visit, "sertraline", "Space")  # a row of the table, by the name of its box
        visit.until("21 items of 120 marked")
        reached(visit, "How sure is too sure, in percent")
        for _ in range(5):
            pressed(visit, "ArrowRight")
        visit.until("more than 55% sure")
        chosen(visit, "Next: see the risk")
        visit.until("NOT SAFE")
        begins_at(visit, "The risk")
        chosen(visit, "Try: ")
        visit.until("The policy forbids that.")
        chosen(visit, "Next: protect and publish")
        visit.until("Protect and publish")
        begins_at(visit, "Publish")
        chosen(visit, "Protect and publish")
        visit.until("The release is valid")
        reached(visit, "Download publish/ as one zip")
        chosen(visit, "Next: play the adversary again")
        begins_at(visit, "Play the adversary")
        place = "document.getElementById('adversary').getBoundingClientRect()"
        assert visit.tab.ask(f"{place}.top > 0 && {place}.bottom < innerHeight"), "it is on the screen"
        assert visit.tab.complaints() == []
    assert sordino.verify(tmp_path / "releases" / "pharmacy-release").holds


def test_a_tree_by_keys(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("bread,milk,wine\nbread,milk\nwine,milk\nbread,wine\n" * 20)
    with started(tmp_path) as studio, visited(studio) as visit:
        visit.until("Your file")
        visit.upload(tmp_path / "shop.csv")
        visit.until("What was read")
        visit.step("Hierarchies")
        chosen(visit, "Begin without groups")
        visit.until("3 values in 1 group")
        chosen(visit, "ALL (3)")
        visit.until("A new group under it")
        reached(visit, "A new group under it")
        visit.tab.call("Input.insertText", text="drinks")
        time.sleep(0.3)
        chosen(visit, "Add")
        visit.until("3 values in 2 groups", "drinks (0)")
        names = [
            f"{node['role']['value']} {node['name']['value']}"
            for node in visit.tab.call("Accessibility.getFullAXTree")["nodes"]
            if not node.get("ignored") and node.get("role", {}).get("value") in ("tree", "treeitem", "button")
        ]
        assert "tree The hierarchy" in names, json.dumps(names)
        assert [name for name in names if "wine" in name], json.dumps(names)
