"""NCP and rules at leaf level, against the oracle and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.read_hierarchy import read_hierarchy
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.protect import lgps
from sordino.utility.coarsened_cost import measure_coarsened
from sordino.utility.leaf_rules import compare_leaf_rules
from sordino.utility.ncp import measure_ncp
from tables import Case, examples, small_tables
from trees import hierarchies, plain

TREE = {"ALL": {"dairy": ["milk", "cheese"], "grain": ["rice", "wheat"]}}


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), case=small_tables())
def test_ncp_is_that_of_the_oracle(data: st.DataObject, case: Case) -> None:
    policy = sordino.InferencePolicy(case.policy.sensitive, case.policy.rho)
    baskets = Baskets.from_sets(case.records)
    resolved = policy.resolve(baskets, missing="accept")
    tree = data.draw(hierarchies(sorted(set().union(*case.records) | {"a"})))
    release = lgps.protect(
        baskets, resolved, seed=0, jobs=1, watch=Watch(), hierarchy=tree, divide=data.draw(st.sampled_from(lgps.DIVIDE))
    )
    facts = plain(release)
    penalty = measure_ncp(baskets, release, resolved.sensitive)
    expected = oracle.ncp(
        case.records, facts["records"], facts["group"], facts["shown"], facts["under"], policy.sensitive
    )
    assert penalty.total == expected
    assert 0 <= penalty.share <= 1


def shown(records: list[set[str]], opened: tuple[int, ...]) -> Generalized:
    tree = read_hierarchy(TREE)
    group = np.zeros(len(records), dtype=np.int32)
    return Generalized(Baskets.from_sets(records), group, tree, (opened,), tree.labels)


def test_ncp_by_hand() -> None:
    before = Baskets.from_sets([{"milk", "rice"}, {"cheese", "x"}])
    none = np.array([name == "x" for name in before.names])
    same = shown([{"milk", "rice"}, {"cheese", "x"}], (0, 1, 4))
    assert measure_ncp(before, same, none).total == 0
    # Three non-sensitive items occur, two of them under dairy.
    wider = measure_ncp(before, shown([{"dairy", "rice"}, {"dairy"}], (0, 4)), none)
    assert wider.total == Fraction(2, 3) * 2 + 1
    assert (wider.suppressed, wider.generalized) == (1, 2)
    assert wider.share == wider.total / 4
    with pytest.raises(InputError, match="number of records"):
        measure_ncp(before, shown([{"dairy"}], (0,)), none)


def test_records_in_another_order_are_not_measured_as_if_all_were_lost() -> None:
    """What is shown must stand for something in the record before; the distribution can be measured all the same."""
    before = Baskets.from_sets([{"milk", "rice"}, {"cheese", "x"}, {"milk"}])
    policy = sordino.InferencePolicy(["x"], "0.5").resolve(before)
    turned = shown([{"dairy"}, {"dairy", "grain"}, {"dairy"}], (0,))
    with pytest.raises(InputError, match=r"1 record shows items .* record 2.*\n.*--unpaired"):
        measure_coarsened(before, turned, policy, rules=False)
    total = measure_coarsened(before, turned, policy, paired=False)
    assert (total.ncp, total.rules, total.left) == (None, None, 4)
    assert "not paired" in total.summary()
    straight = measure_coarsened(before, shown([{"dairy", "grain"}, {"dairy"}, {"dairy"}], (0,)), policy, rules=False)
    assert straight.divergence.symmetric == pytest.approx(total.divergence.symmetric)
    assert straight.left == 4
    held: tuple[dict[str, int], ...] = ({"x": 1},)
    group = np.zeros(3, dtype=np.int32)
    dealt = Permuted(Baskets.from_sets([{"cheese"}, {"milk", "rice"}, {"milk"}]), group, held)
    with pytest.raises(InputError, match=r"2 records have items .*"):
        measure_coarsened(before, dealt, policy, rules=False)
    assert measure_coarsened(before, dealt, policy, paired=False).left == 5


def test_rules_at_leaf_level() -> None:
    pytest.importorskip("fim")
    before = Baskets.from_sets([{"milk", "rice"}] * 4 + [{"cheese"}] * 2 + [{"wheat", "x"}] * 3)
    secret = np.array([name == "x" for name in before.names])
    wider = shown([{"dairy", "rice"}] * 4 + [{"dairy"}] * 2 + [{"wheat"}] * 3, (0, 4))
    comparison = compare_leaf_rules(before, wider, secret, confidences=[Fraction(3, 5), Fraction(9, 10)])
    # Before: milk -> rice, rice -> milk, x -> wheat (and wheat -> x, which is sensitive). After: dairy -> rice (4 of 6)
    # and rice -> dairy, which stand for two rules each.
    low, high = comparison.changes
    assert (low.before, low.after, low.kept, low.hidden, low.pseudo) == (3, 4, 2, 1, 2)
    assert (high.before, high.after, high.kept) == (3, 2, 1)
    assert low.jaccard == Fraction(2, 5)


def test_rules_of_leaves_are_the_rules() -> None:
    pytest.importorskip("fim")
    records = [{"milk", "rice"}] * 4 + [{"cheese"}] * 2 + [{"wheat", "milk"}] * 3
    same = compare_leaf_rules(Baskets.from_sets(records), shown(records, (0, 1, 4)), np.zeros(4, dtype=np.bool_))
    assert all(change.jaccard == 1 for change in same.changes)
    assert same.changes[0].before > 0


def test_the_cost_in_words() -> None:
    before = Baskets.from_sets([{"milk", "rice"}, {"cheese", "x"}, {"milk"}])
    policy = sordino.InferencePolicy(["x"], "0.5").resolve(before)
    after = shown([{"dairy", "rice"}, {"dairy"}, {"dairy"}], (0, 4))
    cost = measure_coarsened(before, after, policy)
    assert cost.ns == Fraction(1, 5)
    assert cost.to_dict()["ncp"]["generalized"] == 3
    text = cost.summary()
    assert "1 of 5 entries (20.0%) were suppressed" in text
    assert "wider item" in text
