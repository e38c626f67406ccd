"""The audit by groups of the rarest known item says what the audit of the whole says, and what the oracle says."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from counting import Judgement, judge
from sordino.audit import examination
from sordino.audit.arrange import Arrangement
from sordino.audit.by_rarest import Shipped, divide, gather, rank_items, ship
from sordino.audit.in_groups import audit_groups, audit_in_groups
from sordino.audit.inference import audit_baskets
from sordino.audit.result import NOTHING_EXAMINED
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.engine.local import OutOfTime, Watch
from sordino.errors import InputError
from sordino.policy.answer import Answer
from tables import (
    Case,
    colliding_tables,
    dense_tables,
    examples,
    hub_tables,
    quiet_tables,
    random_table,
    small_tables,
    wide_tables,
)

GROUPS = (1, 8, 32)


def must_agree(case: Case, expected: Judgement) -> None:
    """However many groups there are, the answers are the judge's."""
    baskets = Baskets.from_sets(case.records)
    for number in GROUPS:
        # every other table is searched by the kernel that is for many sets of items
        with mock.patch.object(examination, "FEW_SETS", len(case.records) % 2 * examination.FEW_SETS):
            result = audit_in_groups(baskets, case.policy, number, jobs=1, watch=Watch(), top=5)
        assert result.holds == expected.holds
        assert result.exposure_by_knowledge == expected.exposure
        assert result.people_at_risk == expected.people
        assert result.complete
        assert bool(result.findings) == (not result.holds)
        for finding in result.findings:
            counts = finding.support, finding.with_consequent
            assert expected.disclosures[frozenset(finding.antecedent), finding.consequent] == counts
        beside = {e for record in case.records if len(record) > 1 for e in record if e in case.rho_of}
        assert result.proved_items + result.searched_items == len(beside)
    event(f"holds: {expected.holds}")


@given(small_tables())
@settings(max_examples=examples(80))
def test_small_tables_agree_with_the_oracle(case: Case) -> None:
    m = case.policy.knowledge
    disclosures = oracle.disclosures(case.records, case.rho_of, case.rho_of, m)
    exposure = oracle.exposure(case.records, case.rho_of, case.rho_of, m)
    del exposure["total"]
    must_agree(case, Judgement({(d.q, d.e): (d.sup_q, d.sup_qe) for d in disclosures}, exposure))


@given(st.one_of(dense_tables(), quiet_tables()))
@settings(max_examples=examples(60))
def test_near_duplicates_agree(case: Case) -> None:
    must_agree(case, judge(case.records, case.rho_of, case.policy.knowledge))


@given(st.one_of(wide_tables(), colliding_tables(), hub_tables()))
@settings(max_examples=examples(16))
def test_more_items_than_signature_bits_agree(case: Case) -> None:
    must_agree(case, judge(case.records, case.rho_of, case.policy.knowledge))


@pytest.mark.parametrize("knowledge", [None, 1, 2, 3, 5])
def test_a_table_in_groups_and_as_a_whole(knowledge: int | None) -> None:
    records = random_table(800, 60, 9, seed=4)
    baskets = Baskets.from_sets(records)
    policy = sordino.InferencePolicy([str(k) for k in range(0, 60, 3)], "0.6", knowledge=knowledge)
    whole = audit_baskets(baskets, policy, jobs=1)
    for number in GROUPS:
        result = audit_in_groups(baskets, policy, number, jobs=2, watch=Watch())
        assert result.answer is whole.answer is Answer.FAILS
        assert result.people_at_risk == whole.people_at_risk
        assert result.exposure_by_knowledge == whole.exposure_by_knowledge
        assert result.frequent == whole.frequent


def test_what_a_group_gets() -> None:
    """Ranks 0 to 5; 1 and 4 are sensitive; the groups begin at 0, 2 and 4."""
    ptr, items = np.array([0, 4, 6, 6, 8]), np.array([0, 1, 3, 5, 1, 2, 4, 5], dtype=np.int32)
    sensitive, bounds = np.isin(np.arange(6), (1, 4)), np.array([0, 2, 4, 6])
    record = np.array([10, 11, 12, 13])

    def got(group: int) -> dict[int, list[int]]:
        part = ship(ptr, items, sensitive, bounds, group, record)
        assert gather([part]).items.tolist() == part.items.tolist()
        return {
            int(r): part.items[a:b].tolist() for r, a, b in zip(part.record, part.ptr[:-1], part.ptr[1:], strict=True)
        }

    assert got(0) == {10: [0, 1, 3, 5], 11: [1, 2]}
    assert got(1) == {10: [1, 3, 5], 11: [1, 2]}
    assert got(2) == {10: [1, 5], 13: [4, 5]}
    twice = gather([ship(ptr, items, sensitive, bounds, 2, record)] * 2)
    assert twice.ptr.tolist() == [0, 2, 4, 6, 8]
    assert twice.record.tolist() == [10, 13, 10, 13]


def test_every_rank_belongs_to_one_group() -> None:
    supports = np.sort(np.random.default_rng(1).zipf(1.5, size=300))
    for number in (1, 2, 7, 299, 5000):
        bounds = divide(supports, 1000, number)
        assert bounds[0] == 0
        assert bounds[-1] == 300
        assert (np.diff(bounds) > 0).all()
        assert len(bounds) - 1 <= number
    assert divide(np.empty(0, dtype=np.int64), 0, 3).tolist() == [0, 0]
    code, rank = rank_items(np.array([5, 1, 5, 0]))
    assert code.tolist() == [3, 1, 0, 2]
    assert rank.tolist() == [2, 1, 3, 0]
    code, rank = rank_items(np.array([5, 1, 5, 0]), np.array([False, True, False, True]))
    assert code.tolist() == [0, 2, 3, 1]
    assert rank.tolist() == [0, 3, 1, 2]


def test_without_time_nothing_is_claimed() -> None:
    baskets = Baskets.from_sets(random_table(500, 40, 8, seed=2))
    policy = sordino.InferencePolicy(["1", "2", "5"], "0.6").resolve(baskets)
    result = audit_in_groups(baskets, policy, 4, jobs=1, watch=Watch(deadline=1e-9))
    assert result.answer is Answer.NOT_CHECKED
    assert result.unchecked == (NOTHING_EXAMINED,)
    assert not result.complete


def test_groups_that_there_was_no_time_for_stay_open() -> None:
    """Of two groups, the first shows that nothing of its own gives anything away; the second is not reached."""
    baskets = Baskets.from_sets([{"a", "s"}, {"a"}, {"a"}, {"b", "s"}, {"b"}, {"b"}, {"b"}])
    policy = sordino.InferencePolicy(["s"], "0.5").resolve(baskets)
    whole = audit_in_groups(baskets, policy, 3, jobs=1, watch=Watch())
    assert whole.answer is Answer.HOLDS
    code, rank = rank_items(baskets.supports, policy.sensitive)
    bounds = np.array([0, 2, 3])

    def load(group: int) -> Shipped:
        if group:
            raise OutOfTime
        ptr, owner = baskets.indptr, np.repeat(np.arange(len(baskets)), baskets.lengths)
        items = rank[baskets.items][np.lexsort((rank[baskets.items], owner))]
        return ship(ptr, items, policy.sensitive[code], bounds, group, np.arange(len(baskets)))

    result = audit_groups(baskets, policy, Arrangement(code, rank, bounds), load, jobs=1, watch=Watch())
    assert result.answer is Answer.NOT_CHECKED
    assert result.unchecked == ("The sensitive item was neither shown to be safe nor found to be at risk.",)
    assert not any(result.exact.values())


def test_what_needs_all_records_is_refused() -> None:
    baskets = Baskets.from_sets([{"a", "b"}, {"a"}])
    policy = sordino.InferencePolicy(["a"], "0.6", absent="any")
    with pytest.raises(InputError, match="not for knowledge of absence yet"):
        audit_in_groups(baskets, policy, 2, jobs=1, watch=Watch())


def test_a_real_file(data_folder: Path) -> None:
    baskets = read_baskets(data_folder / "BMS-WebView-1.dat.gz")
    rng = np.random.default_rng(0)
    policy = sordino.InferencePolicy([name for name in baskets.names if rng.random() < 0.4], "0.7")
    whole = audit_baskets(baskets, policy, jobs=2, top=0)
    parts = audit_in_groups(baskets, policy, 8, jobs=2, watch=Watch(), top=0)
    assert parts.exposure_by_knowledge == whole.exposure_by_knowledge
    assert parts.people_at_risk == whole.people_at_risk > 0
