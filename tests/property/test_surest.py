"""How surely items can be inferred: never more than the oracle says, and as much where it says that it is exact."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

import oracle
import sordino
from sordino.audit import surest_small
from sordino.audit.surest import LEVELS


def drawn(seed: int, items: int, length: int, records: int) -> list[set[str]]:
    draw = random.Random(seed)
    names = [f"i{k}" for k in range(items)]
    return [{*draw.sample(names, draw.randint(1, min(length, items)))} for _ in range(records)]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("knowledge", [None, 1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(12))
def test_figures_are_what_the_oracle_counts(
    seed: int, knowledge: int | None, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`whole`: there is so little to look at that all is looked at."""
    if not whole:
        monkeypatch.setattr(surest_small, "SETS", 0)
    draw = random.Random(seed)
    records = drawn(seed, draw.randint(4, 8), draw.randint(2, 7), draw.randint(4, 30))
    present = sorted(set().union(*records))
    sensitive = present[: draw.randint(1, len(present))]
    rho = draw.choice(["1/2", "0.3", "0.7", "0.9", "0.95"])
    found = sordino.audit(records, sordino.InferencePolicy(sensitive, rho, knowledge=knowledge))
    told = {one.item: one for one in found.surest}
    assert set(told) == {"", *sensitive}
    for item in sensitive:
        one = told[item]
        assert one.having == oracle.support(records, {item})
        most = oracle.max_confidence(records, item, knowledge)
        assert (one.highest or 0) <= most <= one.at_most
        if one.highest_exact:
            assert (one.highest or 0) == most
        if one.antecedent and one.highest is not None:
            known = set(one.antecedent)
            assert one.highest == Fraction(oracle.support(records, known | {item}), oracle.support(records, known))
            assert item not in known
        for k, level in enumerate(LEVELS):
            people = oracle.people_inferred(records, item, level, knowledge)
            assert one.people[k] <= people
            if one.exact[k]:
                assert one.people[k] == people
    if whole or knowledge == 1:
        assert all(all(one.exact) and one.highest_exact for one in found.surest)
    elif knowledge is None:
        assert all(one.exact[-1] for one in found.surest), "who is given away for certain is always known"
    for k, level in enumerate(LEVELS):
        people = sum(_inferred(records, i, sensitive, level, knowledge) for i in range(len(records)))
        assert told[""].people[k] <= people
        if told[""].exact[k]:
            assert told[""].people[k] == people


def test_figures_are_plain_numbers_where_nothing_can_be_known() -> None:
    """What nobody can infer is counted on another way than the rest; JSON knows no truths of NumPy."""
    found = sordino.audit([{"a"}, {"b"}], sordino.InferencePolicy(["a"], "1/2", knowledge=2))
    assert json.loads(json.dumps(found.to_dict()))["surest"][0]["highest_exact"] is True


def _inferred(records: list[set[str]], i: int, sensitive: list[str], level: Fraction, m: int | None) -> bool:
    """Whether something of record i itself can be inferred at this level."""
    return any(
        Fraction(oracle.support(records, q | {e}), oracle.support(records, q)) >= level
        for e in sensitive
        if e in records[i]
        for q in oracle.antecedents(records[i] - {e}, m)
    )


def test_single_items_that_give_all_away_are_not_hidden_by_findings_about_many() -> None:
    """The findings about most people are 54 % sure; one rare item gives another away for certain."""
    records = [{"common", "poison"}] * 54 + [{"common"}] * 46 + [{"rare", "poison", "common"}] * 2
    found = sordino.audit(records, sordino.InferencePolicy(["poison"], "1/2"))
    everyone, poison = found.surest
    assert found.findings[0].confidence < 1
    assert (poison.highest, poison.antecedent, poison.highest_exact) == (1, ("rare",), True)
    assert poison.people == (56, 2, 2, 2)
    assert poison.exact[-1]
    assert everyone.people == poison.people


def test_a_safe_file_tells_how_high_it_can_be_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [{"a", "x"}, {"a"}, {"b", "x"}, {"b"}] * 2
    (_, one) = sordino.audit(records, sordino.InferencePolicy(["x"], "0.6")).surest
    assert (one.highest, one.at_most, one.highest_exact) == (Fraction(1, 2), Fraction(1, 2), True)
    monkeypatch.setattr(surest_small, "SETS", 0)  # as if there were too much to look at
    (_, one) = sordino.audit(records, sordino.InferencePolicy(["x"], "0.6")).surest
    assert (one.highest, one.at_most, one.highest_exact) == (Fraction(1, 2), Fraction(3, 5), False)
    assert one.people == (4, 0, 0, 0)
    assert one.exact == (True, True, True, True)


def test_protecting_does_not_pay_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from sordino.audit import surest

    def refused(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(surest, "surest_searched", refused)
    release = sordino.protect([{"a", "x"}, {"a"}, {"b", "x"}, {"b"}] * 2, sordino.InferencePolicy(["x"], "0.4"), seed=1)
    assert release.audit_before.surest == ()


def test_the_page_shows_it_beside_the_findings() -> None:
    from sordino.cli.page import plain
    from sordino.words.pages import Source, audit_page

    records = [{"common", "poison"}] * 54 + [{"common"}] * 46 + [{"rare", "poison", "common"}] * 2
    found = sordino.audit(records, sordino.InferencePolicy(["poison"], "1/2")).to_dict()
    page = audit_page(found, Source("the data"))
    shown = [line.split() for line in plain(page).splitlines()]
    assert ["poison", "56", "100%", "rare", "56", "2", "2", "2"] in shown
    assert page.cards is not None
    assert "100%" in {card.value for card in page.cards.cards}
