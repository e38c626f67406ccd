"""Databases and hierarchies in the studio, in a real browser; and that the studio itself asks nobody else."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from browser import browser_path
from studio import Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
TESTS = Path(__file__).parents[1]
PICTURES = TESTS.parent / "out" / "studio"
VISITS = [(person, item) for person in range(40) for item in ("bread", "milk" if person % 2 else "wine")]


def chosen_in_tree(visit: Visit, name: str) -> None:
    visit.click(name, ".q-tree__node-header")
    visit.wait_for(
        lambda: name in visit.tab.ask("[...document.querySelectorAll('h2')].map((one) => one.innerText).join()"),
        f"for '{name}' to be chosen",
    )


def test_a_query_of_a_file_and_a_hierarchy_of_its_items(tmp_path: Path) -> None:
    """And whom the process of the studio spoke to meanwhile: nobody but this machine."""
    with sqlite3.connect(tmp_path / "shop.sqlite") as base:
        base.execute("CREATE TABLE visits (customer INTEGER, product TEXT)")
        base.executemany("INSERT INTO visits VALUES (?, ?)", VISITS)
    heard = tmp_path / "heard.txt"
    path = os.pathsep.join([str(TESTS / "listening"), *filter(None, [os.environ.get("PYTHONPATH")])])
    ears = {"PYTHONPATH": path, "SORDINO_HEARD": str(heard)}
    call = "import socket; socket.getaddrinfo('localhost', 1)"
    subprocess.run([sys.executable, "-c", call], env={**os.environ, **ears}, check=True)
    assert heard.read_text() == "socket.getaddrinfo\tlocalhost\n", "it hears"
    with (
        started(tmp_path, **ears) as studio,
        visited(studio, PICTURES / "sources", height=1600) as visit,
    ):
        visit.choose("Database", "shop.sqlite")
        visit.write("or query", "SELECT customer, product FROM visits")
        visit.click("Read", "button")
        visit.until("What was read", "40")
        visit.picture("query")
        visit.step("Hierarchies")
        visit.click("Begin without groups", "button")
        visit.until("3 values in 1 group")
        chosen_in_tree(visit, "ALL")
        visit.write("A new group under it", "drinks")
        visit.click("Add", "button")
        visit.until("in 2 groups")
        chosen_in_tree(visit, "wine")
        visit.choose("Stands under", "drinks")
        visit.until("drinks (1)")
        visit.picture("tree")
        visit.click("Use this hierarchy", "button")
        visit.until("The methods lgps and tdcontrol will use it.")
    asked = {line.split("\t")[1] for line in heard.read_text().splitlines()}
    assert {name for name in asked if not name.startswith("/")} <= {"127.0.0.1", "localhost", "None", ""}, asked


def test_a_hierarchy_of_a_column_is_named_in_the_policy(tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio, PICTURES / "column", height=1600) as visit:
        visit.click("patients of a hospital")
        visit.until("What was read")
        visit.step("Hierarchies")
        visit.choose("Column", "region")
        visit.click("Begin without groups", "button")
        visit.until("values in 1 group")
        visit.click("Use this hierarchy", "button")
        visit.until("The policy names it now: hierarchy-")
        visit.step("What must stay quiet")
        text = "document.querySelector('textarea')?.value"
        visit.wait_for(lambda: "[hierarchies]" in (visit.tab.ask(text) or ""), "for the policy to name it")
        visit.until("The policy is complete")
        visit.picture("named")
