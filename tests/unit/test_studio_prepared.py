"""What is shown of a page: all that the command says, and no verdict where none is wanted."""

from __future__ import annotations

import sordino
from sordino.studio.prepared import Look, Title, prepare_page
from sordino.words.blocks import Closer, Page, Section, Text, Verdict
from sordino.words.pages import Source, audit_page

PAGE = Page(
    "title", "", "SAFE", True, (Section("a", "First", (Closer((Text("closer"),)),)),), cautions=("Mind the gap.",)
)  # fmt: skip


def test_cautions_stand_below_the_verdict() -> None:
    shown = prepare_page(PAGE)
    assert shown[:2] == (Verdict("SAFE", True), Look(("Mind the gap.",)))
    assert Title("First") in shown


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
