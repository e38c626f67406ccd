"""Reports: what they say is what the audit found, names cannot break them, and the same result gives the same bytes."""

from __future__ import annotations

import re
import sys
from collections import Counter
from html.parser import HTMLParser

import pytest

import sordino
from sordino.report.charts import draw
from sordino.report.documents import Source, audit_report
from sordino.words.blocks import Chart, Series
from sordino.words.inference import sentence
from sordino.words.text import clean, percent

# a -> x is right for 2 of 3, b -> y for 1 of 2; the rest says nothing.
pytestmark = pytest.mark.charts
SHOP = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "y"}, {"b"}, set()]
NASTY = "<script>alert('$x$')</script>\u202e\x07&amp;"


class Structure(HTMLParser):
    """Which elements there are, and the text of the page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.ids += [value for key, value in attrs if key == "id" and value]
        self.links += [value for key, value in attrs if key in ("href", "src") and value]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def report(records: list[set[str]], sensitive: list[str], rho: str = "0.5") -> str:
    policy = sordino.InferencePolicy(sensitive, rho)
    result = sordino.audit(records, policy)
    return audit_report(result.to_dict(), Source.of("folder/shop.csv", "aa", "bb"), policy)


def test_it_says_what_the_audit_found() -> None:
    page = report(SHOP, ["x", "y"])
    text = " ".join(Structure(page).text)
    assert "NOT SAFE: 2 of 6 people (33.3%) are at risk." in text
    assert "Someone who knows a can infer x for 2 people (2 of 3, 67% sure)." in text
    assert "What can be inferred from shop.csv?" in text
    assert "folder" not in text, "the folder of the data is nobody's business"
    for fact in ("aa", "bb", sordino.__version__, "0.5"):
        assert f" {fact} " in f" {text} "


def test_of_a_safe_file_it_says_that_too() -> None:
    text = " ".join(Structure(report(SHOP, ["y"])).text)
    assert "SAFE: no sensitive item can be inferred above its threshold." in text
    assert "What to do next" not in text


def test_it_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    page = report(SHOP, ["x", "y"])
    structure = Structure(page)
    assert structure.tags["svg"] == 1
    assert structure.tags["script"] == 0
    assert all(link.startswith(("#", "data:,")) for link in structure.links)
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "default-src 'none'" in page
    assert [name for name, times in Counter(structure.ids).items() if times > 1] == []
    assert all(link[1:] in structure.ids for link in structure.links if link.startswith("#"))


def test_every_chart_has_a_title_a_description_and_a_table() -> None:
    page = report(SHOP, ["x", "y"])
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert re.match(r'<svg role="img" aria-labelledby="[\w-]+-t [\w-]+-d"', svg)
        assert re.search(r"<title id=\"[\w-]+-t\">\w", svg)
        assert re.search(r"<desc id=\"[\w-]+-d\">\w", svg)
    assert page.count("</svg>") == page.count("</figure>") == page.count(": the numbers</caption>")


def test_names_cannot_break_it() -> None:
    records = [{NASTY, "x"}, {NASTY, "x"}, {NASTY}, {"$a_b$", "x"}]
    page = report(records, ["x"])
    structure = Structure(page)
    assert structure.tags["script"] == 0
    assert "\x07" not in page
    assert "\u202e" not in page, "it would turn the text around it"
    assert "alert(" in page


def test_the_same_result_gives_the_same_bytes() -> None:
    assert report(SHOP, ["x", "y"]) == report(SHOP, ["x", "y"])


def test_without_matplotlib_there_are_tables_and_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = report(SHOP, ["x", "y"])
    structure = Structure(page)
    assert structure.tags["svg"] == 0
    assert "pip install 'sordino[report]'" in " ".join(structure.text)
    assert "People at risk, by how little someone must know about them" in " ".join(structure.text)


@pytest.mark.parametrize("kind", ["bars", "stacked", "lines"])
def test_charts_cope_with_nothing_and_with_odd_numbers(kind: str) -> None:
    values = (0.0, None, 1e9)
    chart = Chart("t", "s", ("a", "b", "c"), (Series("one", values), Series("two", values)), kind, (1.0, 2.0, 3.0))  # type: ignore[arg-type]
    svg = draw(chart, "c1")
    assert svg is not None
    assert svg.startswith("<svg ")
    assert svg.endswith("</svg>")
    assert draw(chart, "c1") == svg
    assert "c2-" in (draw(chart, "c2") or "")


def test_a_chart_of_nothing_is_left_out() -> None:
    assert draw(Chart("t", "s", (), (Series("one", ()),)), "c1") is None


def test_shares_are_never_rounded_to_all_or_nothing() -> None:
    assert [percent(x) for x in (0.0, 0.0001, 0.5, 0.9999, 1.0)] == ["0%", "<0.1%", "50.0%", ">99.9%", "100%"]
    assert clean("plain") == "plain"
    assert clean("a\nb") == "a\\nb"


def test_sentences_are_those_of_the_finding() -> None:
    result = sordino.audit(SHOP, sordino.InferencePolicy(["x", "y"], "0.5"))
    assert [sentence(f) for f in result.to_dict()["findings"]] == [f.sentence() for f in result.findings]


def test_results_show_themselves_in_a_notebook() -> None:
    policy = sordino.InferencePolicy(["x", "y"], "0.5")
    shown = sordino.audit(SHOP, policy)._repr_html_()
    other = sordino.audit(SHOP * 2, policy)._repr_html_()
    assert shown.count("<svg") == 1
    assert "<table" in shown
    assert "NOT SAFE: 2 of 6 people" in shown
    assert not set(Structure(shown).ids) & set(Structure(other).ids), "two of them stand on one page"
    cost = sordino.protect(SHOP, policy).utility._repr_html_()
    assert cost.count("<svg") >= 2
