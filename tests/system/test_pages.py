"""Reports in a real browser: nothing is logged, nothing is fetched, charts are there, keys and paper work."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import sordino
from browser import Tab, browser_path, open_page
from sordino.report.documents import Source, audit_report
from sordino.sample import path

pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)")

TAB, ENTER = ("Tab", 9), ("Enter", 13)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind: name -> file."""
    folder = tmp_path_factory.mktemp("pages")
    policy = sordino.read_policy(path("pharmacy_policy.toml"))
    data = path("pharmacy.csv")
    audit = folder / "audit.html"
    audit.write_text(audit_report(sordino.audit(data, policy).to_dict(), Source.of(str(data)), policy))
    release = sordino.protect(data, policy).write(folder / "release")
    compared = sordino.compare(data, policy, methods=["mine"], rho=["0.4", "0.5"]).write(folder / "compared")
    rules = sordino.read_policy(path("patients_policy.toml"))
    patients = sordino.protect(path("patients.csv"), rules).write(folder / "patients")
    awkward = folder / "awkward.html"
    names = {"<img src=x onerror=alert(1)>", "x" * 300, "\u05e9\u05dc\u05d5\u05dd", "a&b"}
    found = sordino.audit([names, names, {"a&b"}], sordino.InferencePolicy(names - {"a&b"}, "0.5"))
    awkward.write_text(audit_report(found.to_dict(), Source.of("d.csv")))
    return {
        "awkward names": awkward,
        "audit": audit,
        "release": release / "keep" / "report.html",
        "shareable": release / "publish" / "report.html",
        "comparison": compared / "comparison.html",
        "table": patients / "keep" / "report.html",
        "shareable table": patients / "publish" / "report.html",
    }


RULES = importlib.util.find_spec("fim") is not None  # the chart of rules needs the miner
CHARTS = {
    "awkward names": 1,
    "audit": 1,
    "release": 5 + RULES,
    "shareable": 2,
    "comparison": 1,
    "table": 4,
    "shareable table": 1,
}


@pytest.mark.parametrize("kind", CHARTS)
def test_a_page_in_a_browser(kind: str, pages: dict[str, Path]) -> None:
    page = pages[kind]
    with open_page(page) as tab:
        assert tab.complaints() == []
        assert tab.requests() == [page.resolve().as_uri()], "a report asks nobody for anything"
        _charts(tab, CHARTS[kind])
        _keyboard(tab)
        _narrow(tab)
        _paper(tab)
        assert tab.complaints() == []
        assert len(tab.requests()) == 1


def _charts(tab: Tab, wanted: int) -> None:
    """Every chart is drawn, has a name, and stands beside a table with its numbers."""
    boxes = tab.ask("[...document.querySelectorAll('svg[role=img]')].map(s => s.getBoundingClientRect().height)")
    assert len(boxes) == wanted
    assert all(height > 60 for height in boxes)
    assert tab.ask("[...document.querySelectorAll('figure svg')].every(s => s.querySelector('title').textContent)")
    assert tab.ask("[...document.querySelectorAll('.pair')].every(p => p.querySelector('table tbody tr'))")


def _keyboard(tab: Tab) -> None:
    """The first key leads to the content, and every link and scrolling table can be reached."""
    tab.press(*TAB)
    assert tab.ask("document.activeElement.className") == "skip"
    assert tab.ask("getComputedStyle(document.activeElement).left") == "16px", "it shows when it has the focus"
    tab.press(*ENTER)
    assert tab.ask("location.hash + ' ' + document.activeElement.tagName") == "#content MAIN"
    wanted = tab.ask("document.querySelectorAll('main [tabindex=\"0\"], main a').length")
    reached = 0
    for _ in range(wanted):
        tab.press(*TAB)
        reached += tab.ask("document.querySelector('main').contains(document.activeElement)")
    assert reached == wanted


def _narrow(tab: Tab) -> None:
    """On a telephone nothing sticks out."""
    tab.call("Emulation.setDeviceMetricsOverride", width=380, height=800, deviceScaleFactor=1, mobile=True)
    assert tab.ask("document.documentElement.scrollWidth") <= 380
    tab.call("Emulation.clearDeviceMetricsOverride")


def _paper(tab: Tab) -> None:
    """On paper there is no navigation, nothing is cut off, and the text is all there."""
    tab.paper()
    assert tab.ask("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert tab.ask("[...document.querySelectorAll('.scroll')].every(s => s.scrollWidth <= document.body.scrollWidth)")
    document = tab.pdf()
    assert document.startswith(b"%PDF")
    sheets = len(re.findall(rb"/Type\s*/Page\b", document))
    assert 1 <= sheets <= 8
