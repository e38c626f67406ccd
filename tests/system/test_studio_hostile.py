"""Somebody who may use the studio and wants more: typed paths, messages that no page sends, other people's releases."""

from __future__ import annotations

import contextlib
import http.client
import json
from pathlib import Path

import pytest

from browser import browser_path
from studio import Studio, Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
SHOP = "bread,milk,wine\nbread,milk\nwine,milk\nbread,wine\n" * 20
SECRET = "smallpox-in-ward-seven"
RULE = '[[template]]\ngiven = ["sex"]\nvalue = { diagnosis = "HIV" }\nat_most = "0.2"\n'
GROUPS = 'kind = "diversity"\nsensitive = "diagnosis"\nquasi = ["sex"]\nl = 2\n'
NAMED = {
    "hierarchy of items": '[sensitive]\nnodes = ["a"]\nhierarchy = "PATH"\n[threshold]\nrho = "0.5"\n',
    "list": '[sensitive]\nfile = "PATH"\n[threshold]\nrho = "0.5"\n',
    "choices": '[sensitive]\nitems = ["a"]\nper_record = { file = "PATH" }\n[threshold]\nrho = "0.5"\n',
    "exceptions": '[sensitive]\nitems = ["a"]\nexcept_for = "PATH"\n[threshold]\nrho = "0.5"\n',
    "labels": 'labels = "PATH"\n[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\n',
    "labels of a column": f'kind = "template"\nlabels = {{ sex = "PATH" }}\n{RULE}',
    "hierarchy of a column": f'kind = "template"\nhierarchies = {{ sex = "PATH" }}\n{RULE}',
    "hierarchies": f'{GROUPS}[hierarchies]\nsex = "PATH"\n',
    "rules": f'{GROUPS}[knowledge]\nrules = "PATH"\n',
}


def test_a_typed_policy_reaches_no_file_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.csv").write_text(f"{SECRET};all\n")
    with started(tmp_path, "in") as studio, visited(studio) as visit:
        visit.click("patients of a hospital")
        visit.until("What was read")
        visit.step("What must stay quiet")
        visit.until("policy.toml")
        for path in (str(tmp_path / "secret.csv"), "../../secret.csv", "secret.csv"):
            for where, text in NAMED.items():
                visit.write("policy.toml", text.replace("PATH", path))
                told = visit.until(f"the file '{path}' was not given to the studio")
                assert SECRET not in told, where
                assert "Next: see the risk" not in told, where
                visit.write("policy.toml", "# nothing")
                visit.wait_for(lambda: "was not given" not in visit.text(), "for the next")
        assert visit.tab.complaints() == []
    assert SECRET not in (tmp_path / "studio.log").read_text()


def test_messages_that_no_page_sends_open_nothing_and_stop_nothing(tmp_path: Path) -> None:
    """The page sends the number of a file in a list; here it sends other numbers, a path, and things that are none."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "shop.csv").write_text(SHOP)
    (tmp_path / "secret.csv").write_text(f"{SECRET},b\n" * 9)
    forged = [{"value": 999}, {"value": "x"}, {}, str(tmp_path / "secret.csv"), 7, [[]], {"value": 1e300}]
    with started(tmp_path, "in") as studio, visited(studio) as visit:
        visit.until("A file of this folder")
        visit.tab.ask(
            "window.honest = window.socket.emit.bind(window.socket); window.socket.emit = (name, data, ...rest) => {"
            " if (name === 'event' && window.forged !== undefined && /value/.test(JSON.stringify(data.args)))"
            " { data = {...data, args: [JSON.stringify(window.forged)]}; window.sent = (window.sent || 0) + 1 }"
            " return window.honest(name, data, ...rest) }"
        )
        for number, args in enumerate(forged, 1):
            visit.tab.ask(f"window.forged = {json.dumps(args)}; true")
            visit.choose("File", "shop.csv")
            visit.wait_for(lambda number=number: visit.tab.ask("window.sent") >= number, "for it to be sent")
            visit.click("Open", "button")
        visit.tab.ask("delete window.forged")
        assert "What was read" not in visit.text()
        visit.step("Publish")  # it is alive
        visit.until("Open data first.")
    log = (tmp_path / "studio.log").read_text()
    assert SECRET not in log
    assert "secret.csv" not in log, "what was sent is not told"


def asked(studio: Studio, path: str, visit: Visit | None) -> int:
    headers = {}
    if visit is not None:
        (one,) = visit.tab.call("Network.getCookies")["cookies"]
        headers["Cookie"] = f"{one['name']}={one['value']}"
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)) as connection:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status


def test_a_release_and_its_report_are_for_the_tab_that_made_them(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(SHOP)
    with started(tmp_path) as studio, visited(studio) as mine, visited(studio) as yours:
        mine.upload(tmp_path / "shop.csv")
        mine.until("What was read: shop.csv")
        mine.step("What must stay quiet")
        mine.until("0 items of 3 marked")
        mine.click("wine", "[role=checkbox]")
        mine.until("The policy is complete")
        mine.step("Publish")
        mine.click("Protect and publish", "button")
        mine.until("The release is valid")
        links = mine.tab.ask("[...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href'))")
        own = [link for link in links if link.startswith(("/download/", "/report/"))]
        assert len(own) == 2
        for link in own:
            assert asked(studio, link, mine) == 200
            assert asked(studio, link, yours) == 404
            assert asked(studio, link, None) == 403
            assert asked(studio, link.rpartition("/")[0] + "/guessed", mine) == 404
        yours.step("Earlier runs")
        yours.until("What was made here")
        assert "valid" not in yours.text(), "what I made is not among your runs"
