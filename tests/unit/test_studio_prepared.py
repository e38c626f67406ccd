"""What is shown of a page: all that the command says, and no verdict where none is wanted."""

from __future__ import annotations

import pytest

import sordino
from sordino.studio.prepared import (
    Drawn,
    Look,
    More,
    Title,
    briefly,
    prepare,
    prepare_head,
    prepare_page,
    prepare_sections,
)
from sordino.words.blocks import (
    Card,
    Cards,
    Chart,
    Closer,
    Findings,
    Page,
    Points,
    Section,
    Series,
    Table,
    Text,
    Verdict,
)
from sordino.words.pages import Source, audit_page

PAGE = Page(
    "title", "", "SAFE", True, (Section("a", "First", (Closer((Text("closer"),)),)),), cautions=("Mind the gap.",)
)  # fmt: skip


def test_cautions_stand_below_the_verdict() -> None:
    shown = prepare_page(PAGE)
    assert shown[:2] == (Verdict("SAFE", True), Look(("Mind the gap.",)))
    assert Title("First") in shown


def shown_cards(verdict: str, *cards: Card, told: bool = True) -> str:
    page = Page("title", "", verdict, False, (), cards=Cards(cards))
    return "".join(part.html for part in prepare_head(page, verdict=told) if isinstance(part, Drawn))


def test_no_card_says_what_the_verdict_above_it_has_just_said() -> None:
    other = Card("350", "at risk if one single item is known about them")
    verdict = "NOT SAFE: 1,288 of 5,000 people (25.8%) are at risk."
    told = shown_cards(verdict, Card("1,288", "people at risk, of 5,000"), other)
    assert "people at risk, of" not in told
    assert "350" in told
    now = "SAFE now: 37 of 2,000 people (1.8%) were at risk before, nobody is now."
    assert shown_cards(now, Card("37 → 0", "people at risk, of 2,000"), other).count("<dt>") == 1
    at_least = "NOT SAFE: at least 37 of 2,000 people (1.8%) are at risk."
    assert shown_cards(at_least, Card("at least 37", "people at risk, of 2,000"), other).count("<dt>") == 1


def test_a_card_that_says_something_else_stays() -> None:
    at_risk = "NOT SAFE: 1,288 of 5,000 people (25.8%) are at risk."
    now = "SAFE now against somebody; 37 of 2,000 people (1.8%) were at risk before."
    for verdict, value, label in (
        ("NOT CHECKED: not all was looked at.", "not known", "people at risk, of 5,000"),
        ("SAFE: no sensitive item can be inferred above its threshold.", "0", "people at risk, of 5,000"),
        (at_risk, "1,288", "at risk if one single item is known about them"),
        (at_risk, "at least 1,288", "people at risk, of 5,000"),
        (at_risk, "288", "people at risk, of 5,000"),
        (at_risk, "1,288", "people at risk, of 6,000"),
        (now, "37 → 0", "people at risk, of 2,000"),  # that nobody is now, the verdict does not say
        (now, "37 → 2", "people at risk, of 2,000"),
    ):
        assert shown_cards(verdict, Card(value, label)).count("<dt>") == 1, (verdict, value)
    assert shown_cards(at_risk, Card("1,288", "people at risk, of 5,000"), told=False).count("<dt>") == 1


def test_no_verdict_where_it_was_not_looked() -> None:
    shown = prepare_page(PAGE, verdict=False)
    assert not [part for part in shown if isinstance(part, Verdict)]
    assert Look(("Mind the gap.",)) in shown


def test_an_audit_with_something_to_mind_says_so() -> None:
    """Every record has exactly one of f and m, of which m is sensitive: the command says "Look out", and so do we."""
    data = sordino.Baskets.from_sets([{"f", "tea"}, {"m", "tea"}, {"f", "rum"}, {"m", "rum"}] * 30)
    policy = sordino.InferencePolicy(["m"], "0.6")
    page = audit_page(sordino.audit(data, policy).to_dict(), Source("x"), policy)
    assert page.cautions
    assert Look(page.cautions) in prepare_page(page)


def test_folded_sections_show_their_titles_and_hold_everything() -> None:
    assert prepare_head(PAGE) == (Verdict("SAFE", True), Look(("Mind the gap.",)))
    (folded,) = prepare_sections(PAGE, folded=True)
    assert isinstance(folded, More)
    assert folded.title == "First"
    assert [isinstance(part, Drawn) and "closer" in part.html for part in folded.inside] == [True]


def test_behind_the_findings_only_what_must_not_be_missed_is_shown_at_once() -> None:
    found = Findings(Table("found", ("a",), (("b",),)), ("b",))
    numbers, open_, grounds, remarks = (
        Table("numbers", ("c",), (("d",),)),
        Points(("e",), "What stayed open"),
        Points(("f",), "How this was established"),
        Points(("g",), "Remarks"),
    )
    page = Page("t", "", "NOT SAFE", False, (Section("a", "A", (Text("q"), found, numbers, open_, grounds, remarks)),))
    assert briefly(page).sections[0].blocks == (Text("q"), found, Closer((numbers, grounds)), open_, remarks)
    assert briefly(PAGE) == PAGE


def test_remarks_and_what_stayed_open_are_called_so_by_every_audit() -> None:
    """By these names they are known for what is not folded away."""
    data = sordino.Baskets.from_sets([{"a", "b"}, {"a"}, {"b", "x"}, {"a", "x"}] * 5)
    policy = sordino.InferencePolicy(["x"], "0.4")
    page = audit_page(sordino.audit(data, policy).to_dict(), Source("x"), policy)
    titles = {block.title for section in page.sections for block in section.blocks if isinstance(block, Points)}
    assert "Remarks" in titles
    assert "How this was established" in titles


def test_what_a_picture_shows_folds_out_with_its_numbers() -> None:
    pytest.importorskip("matplotlib")
    chart = Chart("People at risk", "3 of 9 people are at risk.", ("1 item",), (Series("people", (3.0,)),))
    (drawn,) = prepare((chart,))
    assert isinstance(drawn, Drawn)
    seen, _, folded = drawn.html.partition("<details>")
    assert "<p>" not in seen
    assert "<p>3 of 9 people are at risk.</p>" in folded
