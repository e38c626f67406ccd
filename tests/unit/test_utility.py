"""What a change cost: every measure against hand-calculated values and a naive twin."""

from __future__ import annotations

import math
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import sordino
from sordino import Baskets, InferencePolicy
from sordino.errors import InputError, MissingExtra
from sordino.utility.cost import measure_cost
from sordino.utility.divergence import measure_divergence
from sordino.utility.loss import ItemLoss, LengthLoss, measure_loss
from sordino.utility.pair import in_codes_of, pair
from sordino.utility.rules import compare_rules
from tables import examples

Records = list[frozenset[str]]

# model.md 1.3, Table 1, and what Mine makes of it: condom out of records 1 and 5.
TABLE_1 = [
    "bread milk condom",
    "bread milk",
    "milk condom",
    "flour fruits",
    "flour condom",
    "bread fruits",
    "fruits condom",
]
BEFORE = [frozenset(line.split()) for line in TABLE_1]
AFTER = [record - {"condom"} if k in (0, 4) else record for k, record in enumerate(BEFORE)]


def baskets(records: Records) -> Baskets:
    return Baskets.from_sets(records)


@st.composite
def suppressed(draw: st.DrawFn, items: str = "abcdef") -> tuple[Records, Records]:
    """Records, and what is left of them."""
    before = draw(st.lists(st.frozensets(st.sampled_from(items)), min_size=1, max_size=12))
    after = [frozenset(i for i in sorted(record) if not draw(st.booleans())) for record in before]
    return before, draw(st.sampled_from((before, after)))


# ---------------------------------------------------------------------------------------------------------------- loss


def test_loss_by_hand() -> None:
    old = baskets(BEFORE)
    loss = measure_loss(old, pair(old, baskets(AFTER)), np.array([name == "condom" for name in old.names]))
    assert (loss.occurrences, loss.left, loss.deleted, loss.share) == (15, 13, 2, Fraction(2, 15))
    assert (loss.sensitive_occurrences, loss.sensitive_deleted) == (4, 2)
    assert (loss.changed_records, loss.emptied_records, loss.vanished_items) == (2, 0, 0)
    assert loss.items == (
        ItemLoss("bread", 3, 3),
        ItemLoss("condom", 4, 2),
        ItemLoss("flour", 2, 2),
        ItemLoss("fruits", 3, 3),
        ItemLoss("milk", 3, 3),
    )
    assert loss.items[1].share == Fraction(1, 2)
    assert loss.lengths == (LengthLoss(1, 0, 1, 0), LengthLoss(2, 6, 6, 1), LengthLoss(3, 1, 0, 1))
    assert [n.share for n in loss.lengths] == [0, Fraction(1, 12), Fraction(1, 3)]


@settings(max_examples=examples(100))
@given(suppressed())
def test_loss_like_its_naive_twin(case: tuple[Records, Records]) -> None:
    before, after = case
    old = baskets(before)
    loss = measure_loss(old, pair(old, baskets(after)))
    lost = Counter(i for b, a in zip(before, after, strict=True) for i in b - a)
    assert loss.deleted == lost.total()
    assert loss.sensitive_deleted is None
    assert {n.item: n.deleted for n in loss.items} == {i: lost[i] for i in set().union(*before)}
    assert {n.length: n.records_before for n in loss.lengths if n.records_before} == Counter(map(len, before))
    assert {n.length: n.records_after for n in loss.lengths if n.records_after} == Counter(map(len, after))
    for n in loss.lengths:
        assert n.deleted == sum(len(b) - len(a) for b, a in zip(before, after, strict=True) if len(b) == n.length)
    assert loss.changed_records == sum(b != a for b, a in zip(before, after, strict=True))
    assert loss.emptied_records == sum(bool(b) and not a for b, a in zip(before, after, strict=True))


# ---------------------------------------------------------------------------------------------------------- divergence


def divergence(before: list[Any], after: list[Any]) -> tuple[float, float]:
    old = Baskets.from_sets(before)
    measured = measure_divergence(old, in_codes_of(old, Baskets.from_sets(after)))
    return measured.kl, measured.symmetric


def test_divergence_by_hand() -> None:
    # P = (1/2, 1/2), Q = (1, 0), M = (3/4, 1/4)
    kl, symmetric = divergence(["ab"], ["a"])
    assert kl == pytest.approx(math.log(2))
    assert symmetric == pytest.approx((math.log(2 / 3) / 2 + math.log(2) / 2 + math.log(4 / 3)) / 2)
    # P = (3/4, 1/4), Q = (2/3, 1/3)
    kl, _ = divergence(["ab", "a", "a"], ["ab", "a", ""])
    assert kl == pytest.approx(2 / 3 * math.log(8 / 9) + 1 / 3 * math.log(4 / 3))


def test_the_same_shares_do_not_diverge() -> None:
    assert divergence(["abc"] * 7, ["abc"] * 3 + [""] * 4) == (0.0, 0.0)


def test_divergence_at_its_ends() -> None:
    assert divergence(["ab"], [""]) == (math.inf, math.log(2))  # nothing left is as bad as can be
    assert divergence([""], [""]) == (0.0, 0.0)
    kl, symmetric = divergence(["a"], ["b"])
    assert (kl, symmetric) == (math.inf, pytest.approx(math.log(2)))
    old = Baskets.from_sets(["ab"])
    assert measure_divergence(old, in_codes_of(old, Baskets.from_sets([""]))).to_dict()["kl"] is None


@settings(max_examples=examples(100))
@given(suppressed())
def test_divergence_like_its_naive_twin(case: tuple[Records, Records]) -> None:
    before, after = case
    p, q = (Counter(i for record in records for i in record) for records in case)
    if not p or not q:
        event("empty")
        return
    share_p = {i: n / p.total() for i, n in p.items()}
    share_q = {i: q[i] / q.total() for i in p}
    middle = {i: (share_p[i] + share_q[i]) / 2 for i in p}

    def kl(a: dict[str, float], b: dict[str, float]) -> float:
        return sum(a[i] * math.log(a[i] / b[i]) for i in p if a[i] > 0)

    measured_kl, symmetric = divergence(before, after)
    assert measured_kl == pytest.approx(kl(share_q, share_p), abs=1e-12)
    assert symmetric == pytest.approx(kl(share_p, middle) / 2 + kl(share_q, middle) / 2, abs=1e-12)


# --------------------------------------------------------------------------------------------------------------- rules


def naive_rules(records: Records, least: int, confidence: Fraction, sensitive: set[str]) -> set[tuple[Any, str]]:
    """Every rule, by trying all of them."""
    found = set()
    items = sorted(set().union(*records))
    for size in range(2, len(items) + 1):
        for both in map(frozenset, combinations(items, size)):
            support = sum(both <= record for record in records)
            for y in both - sensitive:
                known = sum(both - {y} <= record for record in records)
                if support >= least and known and Fraction(support, known) >= confidence:
                    found.add((both - {y}, y))
    return found


def test_rules_by_hand() -> None:
    pytest.importorskip("fim")
    # 10 records with a, 3 of them with b: a -> b is exactly 30 % sure, which a float of 0.3 * 10 may miss
    before = [frozenset("ab")] * 3 + [frozenset("a")] * 7
    after = [frozenset("ab")] * 3 + [frozenset("a")] * 6 + [frozenset()]
    old = baskets(before)
    low, high = compare_rules(old, pair(old, baskets(after))).changes
    assert (low.before, low.after, low.kept, low.hidden, low.pseudo) == (2, 2, 2, 0, 0)
    assert (high.before, high.after, high.kept) == (1, 1, 1)  # b -> a
    after = [frozenset("ab")] * 2 + [frozenset("b")] + [frozenset("a")] * 7
    low, high = compare_rules(old, pair(old, baskets(after))).changes
    assert (low.before, low.after, low.kept, low.hidden, low.pseudo, low.jaccard) == (2, 1, 1, 1, 0, Fraction(1, 2))
    assert (high.before, high.after, high.hidden, high.jaccard) == (1, 0, 1, 0)  # b -> a is down to 2 of 3
    secret = np.array([name == "a" for name in old.names])
    low, high = compare_rules(old, pair(old, baskets(after)), secret).changes
    assert (low.before, low.after, high.before, high.jaccard) == (1, 0, 0, 1)  # nothing to keep, nothing lost


def test_a_pseudo_rule() -> None:
    pytest.importorskip("fim")
    before = [frozenset("ab"), frozenset("a"), frozenset("a"), frozenset("a")]
    after = [frozenset("ab"), frozenset("a"), frozenset(), frozenset()]
    old = baskets(before)
    (low, _) = compare_rules(old, pair(old, baskets(after))).changes
    assert (low.before, low.after, low.hidden, low.pseudo, low.jaccard) == (1, 2, 0, 1, Fraction(1, 2))


def test_rules_of_short_records_only_the_same_after() -> None:
    pytest.importorskip("fim")
    before = [frozenset("abcdef"), frozenset("ab")]
    old = baskets(before)
    new = pair(old, baskets([frozenset("ef"), frozenset("ab")]))  # short now, but it was not
    assert compare_rules(old, new).records == 1
    assert compare_rules(old, new).changes[0].after == 2
    assert compare_rules(old, new, cutoff=None).records == 2
    assert compare_rules(old, new, cutoff=None).changes[0].after == 4


def test_the_least_support_is_rounded_up() -> None:
    pytest.importorskip("fim")
    for records, least in ((1999, 1), (2000, 1), (2001, 2), (4000, 2)):
        old = baskets([frozenset("a")] * records)
        assert compare_rules(old, old).least_support == least


@settings(max_examples=examples(150))
@given(suppressed("abcde"), st.sets(st.sampled_from("abcde")), st.integers(1, 4), st.sampled_from((None, 2, 3)))
def test_rules_like_their_naive_twin(
    case: tuple[Records, Records], sensitive: set[str], least: int, cutoff: int | None
) -> None:
    pytest.importorskip("fim")
    old = baskets(case[0])
    chosen = [k for k, record in enumerate(case[0]) if cutoff is None or len(record) <= cutoff]
    support = Fraction(min(least, max(len(chosen), 1)), max(len(chosen), 1))
    mask = np.array([name in sensitive for name in old.names], dtype=np.bool_)
    confidences = (Fraction(3, 10), Fraction(1, 2), Fraction(1))
    compared = compare_rules(
        old, pair(old, baskets(case[1])), mask, cutoff=cutoff, support=support, confidences=confidences
    )
    for change in compared.changes:
        before, after = (
            naive_rules([records[k] for k in chosen], compared.least_support, change.confidence, sensitive)
            if chosen
            else set()
            for records in case
        )
        assert (change.before, change.after) == (len(before), len(after))
        assert (change.kept, change.hidden, change.pseudo) == (
            len(before & after),
            len(before - after),
            len(after - before),
        )
        assert change.jaccard == (Fraction(len(before & after), len(before | after)) if before | after else 1)


def test_without_the_library_rules_are_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fim", None)
    old = baskets(BEFORE)
    with pytest.raises(MissingExtra, match=r"sordino\[rules\]"):
        compare_rules(old, old)
    cost = measure_cost(old, baskets(AFTER))
    assert cost.rules is None
    assert cost.loss is not None
    assert cost.loss.deleted == 2
    assert "sordino[rules]" in cost.remarks[0]
    assert measure_cost(old, old, rules=False).remarks == ()


# ---------------------------------------------------------------------------------------------------------------- pairs


def test_codes_may_be_in_another_order_after() -> None:
    """With a word among the names they go by code point, without it by number."""
    before = [frozenset({"10", "9", "word"}), frozenset({"9", "10"})]
    old, new = baskets(before), baskets([frozenset({"10", "9"})] * 2)
    assert list(pair(old, new)) == [{"9", "10"}, {"9", "10"}]
    assert pair(old, new).names == old.names


@pytest.mark.parametrize(
    ("after", "what"),
    [
        (BEFORE[:-1], "7 before, 6 after"),
        (BEFORE[::-1], r"6 records have items after that are not there before \(the first is record 1\)"),
        ([frozenset({"food"}), *BEFORE[1:]], "1 item occurs after, but not before"),
    ],
)
def test_what_is_no_suppression_is_refused_with_advice(after: Records, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        measure_cost(baskets(BEFORE), baskets(after))
    assert "--unpaired" in str(caught.value)
    assert not any(name in str(caught.value) for name in ("bread", "condom", "food"))
    cost = measure_cost(baskets(BEFORE), baskets(after), paired=False)
    assert (cost.loss, cost.rules) == (None, None)
    assert cost.divergence.symmetric >= 0
    assert "not paired" in cost.remarks[0]


def test_unpaired_totals() -> None:
    cost = measure_cost(baskets(BEFORE), baskets(AFTER[::-1]), paired=False)
    assert cost.divergence == measure_cost(baskets(BEFORE), baskets(AFTER), rules=False).divergence
    assert cost.ns == Fraction(2, 15)


def test_a_policy_for_other_data_is_refused() -> None:
    old = baskets(BEFORE)
    other = InferencePolicy(["a"]).resolve(Baskets.from_sets(["a"]))
    with pytest.raises(InputError, match="other data"):
        measure_cost(old, old, policy=other)


# ------------------------------------------------------------------------------------------------------- all at once


def test_measure_in_python() -> None:
    pytest.importorskip("fim")
    cost = sordino.measure(BEFORE, AFTER, InferencePolicy(["condom"], "1/3"))
    assert cost.ns == Fraction(2, 15)
    assert cost.bound is not None
    assert cost.times_bound == Fraction(2, cost.bound.deletions)
    plain = cost.to_dict()
    assert plain["ns"] == pytest.approx(2 / 15)
    assert plain["ns_times_kl"] == pytest.approx(2 / 15 * plain["kl"])
    low = plain["rules"]["changes"][0]
    assert plain["ns_over_jaccard"][0] == pytest.approx(2 / 15 / low["jaccard"])
    assert low["before"] - low["hidden"] + low["pseudo"] == low["after"]
    assert "2 of 15 entries (13.3%) were deleted, from 2 of 7 records. Sensitive among these: 2." in cost.summary()
    assert "13.3%" in cost._repr_html_()
    assert plain["loss"]["by_item"][1] == {"item": "condom", "original": 4, "left": 2, "share": 0.5}


def test_nothing_changed_costs_nothing() -> None:
    cost = sordino.measure(BEFORE, BEFORE, rules=False)
    assert (cost.ns, cost.divergence.kl, cost.divergence.symmetric) == (0, 0, 0)
    assert (cost.bound, cost.rules, cost.times_bound, cost.ns_over_jaccard()) == (None, None, None, ())
    assert cost.summary().startswith("Nothing was deleted")


def test_less_than_any_safe_version_takes_is_said() -> None:
    cost = sordino.measure(BEFORE, BEFORE, InferencePolicy(["condom"], "1/3"), rules=False)
    assert "cannot hold" in cost.remarks[0]


def test_names_are_escaped_in_html_and_nothing_left_is_told() -> None:
    cost = sordino.measure([{"<a>"}], [set()], rules=False)
    assert "inf" in cost.summary()
    assert cost.ns_times_kl is None
    assert "<a>" not in cost._repr_html_()


def test_no_rules_are_not_a_similarity_of_one() -> None:
    pytest.importorskip("fim")
    long = [{f"i{k}" for k in range(n, n + 7)} for n in range(8)]
    cost = sordino.measure(long, long)
    assert "Rules were not compared: there is no record of at most 5 items." in cost.summary()
    assert "Jaccard" not in str(cost)
    single = [{"a"}, {"b"}, {"a"}]
    told = sordino.measure(single, single).summary()
    assert "none holds for at least 1 of 3 records of at most 5 items, neither before nor after" in told
    some = [{"a", "b"}] * 3 + [{"a"}]
    assert "Jaccard similarity 1.00" in sordino.measure(some, some).summary()
    found = sordino.compare(long, sordino.InferencePolicy(["i3"], "0.9"), methods=["mine"])
    assert found.cells[0].jaccard is None
