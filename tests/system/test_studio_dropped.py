"""Files dropped on the studio by a mouse, in a real browser: on the field, beside it, and where no file is wanted."""

from __future__ import annotations

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
PICTURES = Path(__file__).parents[2] / "out" / "studio" / "dropped"
SHOP = "bread,milk,wine\nbread,milk\nwine,milk\nbread,wine\n" * 20


def middle(visit: Visit, selector: str) -> tuple[float, float]:
    x, y = visit.tab.ask(
        f"(() => {{ const box = document.querySelector('{selector}').getBoundingClientRect(); "
        "return [box.left + box.width / 2, box.top + box.height / 2] })()"
    )
    return x, y


def test_a_file_dropped_on_its_field_goes_all_the_way_to_a_release(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "shop.csv").write_text(SHOP)
    (tmp_path / "here").mkdir()
    with started(tmp_path, "here") as studio, visited(studio, PICTURES) as visit:
        visit.until("Your file")
        visit.tab.drop(*middle(visit, ".q-uploader"), tmp_path / "mine" / "shop.csv")
        visit.until("What was read: shop.csv", "80 records")
        visit.picture("dropped")
        visit.click("Next: say what must stay quiet", "button")
        visit.until("0 items of 3 marked as sensitive")
        visit.click("wine", "[role=checkbox]")
        visit.click("Next: see the risk", "button")
        visit.until("NOT SAFE")
        visit.click("Next: protect and publish", "button")
        visit.click("Protect and publish", "button")
        visit.until("The release is valid")
        visit.picture("published")
        assert visit.tab.complaints() == []
    assert sordino.verify(tmp_path / "releases" / "shop-release").holds


def test_a_file_that_misses_the_field_is_opened_all_the_same(tmp_path: Path) -> None:
    """And of several, or of a folder, or one of no use, it is said what became of it; the page stays."""
    for name, text in (("shop.csv", SHOP), ("other.csv", SHOP.replace("wine", "beer")), ("broken.parquet", "PAR1no")):
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").mkdir()
    with started(tmp_path, "empty") as studio, visited(studio, PICTURES) as visit:
        visit.until("Your file")
        own = visit.tab.ask("location.href")
        visit.tab.drop(600, 780, tmp_path / "shop.csv")
        visit.until("What was read: shop.csv", "80 records")
        visit.tab.drop(600, 300, tmp_path / "broken.parquet")
        visit.wait_for(lambda: visit.tab.ask("document.querySelector('[role=alert]') !== null"), "for the trouble")
        assert "bug" not in visit.text()
        visit.tab.drop(600, 300, tmp_path / "other.csv", tmp_path / "shop.csv")
        visit.until("One file at a time, please")
        visit.tab.drop(600, 300, tmp_path / "empty")
        visit.until("This is no file")
        visit.tab.drop(600, 300, tmp_path / "other.csv")
        visit.until("What was read: other.csv", "beer")
        assert visit.tab.ask("location.href") == own


def test_where_no_file_is_wanted_a_dropped_one_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(SHOP)
    (tmp_path / "empty").mkdir()
    with started(tmp_path, "empty") as studio, visited(studio) as visit:
        visit.click("customers of a pharmacy")
        visit.until("What was read")
        own = visit.tab.ask("location.href")
        visit.step("The risk")
        visit.until("Play the adversary")
        visit.tab.drop(600, 500, tmp_path / "shop.csv")
        assert visit.tab.ask("document.body.classList.contains('dragging')") is False
        visit.step("Open")
        visit.until("What was read: pharmacy.csv")
        assert visit.tab.ask("location.href") == own, "the browser would show the file instead"
        assert len([url for url in visit.tab.requests() if url.startswith("file:")]) == 0
