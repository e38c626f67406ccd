"""`lgps` and `tdcontrol` on arrays: the worked example of model.md 1.5, and random tables judged at leaf knowledge."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from sordino.audit.generalization import audit_generalized
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.hierarchy import Hierarchy
from sordino.data.read_hierarchy import read_hierarchy
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.protect import lgps, tdcontrol
from sordino.protect.generalized_workspace import GeneralizedWorkspace
from tables import Case, examples, small_tables
from trees import hierarchies, plain

TABLE = [
    {"a", "d", "α", "β"},
    {"a", "b", "d"},
    {"b", "c", "α", "β"},
    {"a", "c", "α"},
    {"a", "b", "α"},
    {"a", "α"},
]
TREE = {"ALL": {"A": ["a", "b"], "B": ["c", "d"]}}
METHODS = {"lgps": lgps.protect, "tdcontrol": tdcontrol.protect}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("lgps", {}),
    ("lgps", {"divide": "valid"}),
    ("lgps", {"divide": "valid", "suppressor": "dist"}),
    ("lgps", {"suppressor": "mine"}),
    ("tdcontrol", {}),
]
every_variant = pytest.mark.parametrize(
    ("method", "options"), VARIANTS, ids=["lgps", "lgps-valid", "lgps-published", "lgps-jia", "tdcontrol"]
)


def policy_of(beta: str) -> sordino.InferencePolicy:
    return sordino.InferencePolicy(["α", "β"], "0.5", rho_of={"α": "0.7", "β": beta})


def shown_as(records: list[set[str]], group: list[int], opened: tuple[tuple[int, ...], ...]) -> Generalized:
    tree = read_hierarchy(TREE)
    return Generalized(Baskets.from_sets(records), np.array(group, dtype=np.int32), tree, opened, tree.labels)


def ncp(release: Generalized) -> Fraction:
    facts = plain(release)
    return oracle.ncp(TABLE, facts["records"], facts["group"], facts["shown"], facts["under"], "αβ")


# The worked example, step by step


def test_all_at_the_root() -> None:
    first = [{"ALL", "β"}, {"ALL"}, {"ALL", "α"}, {"ALL", "α"}, {"ALL", "α"}, {"ALL", "α"}]
    release = shown_as(first, [0] * 6, ((),))
    assert ncp(release) == 14
    assert audit_generalized(release, policy_of("0.3"), jobs=1).holds


def test_after_the_first_specialization() -> None:
    second = [{"A", "B", "β"}, {"A", "B"}, {"A", "B", "α"}, {"A", "B", "α"}, {"A"}, {"A", "α"}]
    release = shown_as(second, [0, 0, 0, 0, 1, 1], ((0,), (0,)))
    assert ncp(release) == 9
    assert audit_generalized(release, policy_of("0.3"), jobs=1).holds


def test_the_release_of_the_paper_breaks_its_own_threshold() -> None:
    published = [{"a", "B", "β"}, {"a", "b", "B"}, {"b", "B", "α"}, {"a", "B", "α"}, {"a", "b"}, {"a", "α"}]
    release = shown_as(published, [0, 0, 0, 0, 1, 1], ((0, 1), (0, 1, 4)))
    assert ncp(release) == 5
    audit = audit_generalized(release, policy_of("0.3"), jobs=1)
    assert not audit.holds
    assert {f.consequent for f in audit.findings} == {"β"}
    worst = audit.findings[0]
    assert worst.confidence == Fraction(1, 3)
    assert "a" in worst.antecedent
    assert set(worst.antecedent) & {"c", "d"}
    assert audit_generalized(release, policy_of("1/3"), jobs=1).holds


def test_the_method_goes_the_way_of_the_paper() -> None:
    baskets = Baskets.from_sets(TABLE)
    workspace = GeneralizedWorkspace(baskets, policy_of("0.3").resolve(baskets), read_hierarchy(TREE))
    trace: list[int] = []
    release = lgps.specialize(workspace, lgps.Settings(one_by_one=True), trace)
    assert [Fraction(loss, workspace.whole) for loss in trace[:2]] == [14, 9]
    assert trace == sorted(trace, reverse=True)
    assert release.group.tolist() == [0, 0, 0, 0, 1, 1]
    assert ncp(release) == Fraction(trace[-1], workspace.whole)
    assert audit_generalized(release, policy_of("0.3"), jobs=1).holds


@pytest.mark.parametrize("beta", ["0.3", "1/3"])
def test_the_method_ends_with_no_more_loss_than_the_paper(beta: str) -> None:
    baskets = Baskets.from_sets(TABLE)
    release = lgps.protect(baskets, policy_of(beta).resolve(baskets), seed=0, jobs=1, watch=Watch(), hierarchy=TREE)
    assert ncp(release) <= 5
    facts = plain(release)
    exact = {"α": Fraction(7, 10), "β": Fraction(beta)}
    assert oracle.leaf_holds(facts["records"], facts["group"], facts["shown"], "αβ", exact)


# Random tables and hierarchies


@st.composite
def tables_with_trees(draw: st.DrawFn) -> tuple[Case, Hierarchy]:
    case = draw(small_tables())
    items = sorted(set().union(*case.records) | {"a", "b"})
    return case, draw(hierarchies(items))


few = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])


@every_variant
@few
@given(drawn=tables_with_trees())
def test_results_are_safe_at_leaf_knowledge(
    drawn: tuple[Case, Hierarchy], method: str, options: dict[str, Any]
) -> None:
    case, tree = drawn
    policy = sordino.InferencePolicy(
        case.policy.sensitive, case.policy.rho, rho_of=case.rho_of, knowledge=case.policy.knowledge
    )
    baskets = Baskets.from_sets(case.records)
    resolved = policy.resolve(baskets, missing="accept")
    release = METHODS[method](baskets, resolved, seed=0, jobs=1, watch=Watch(), hierarchy=tree, **options)
    facts = plain(release)
    secret = set(policy.sensitive)
    for before, after, g in zip(case.records, facts["records"], facts["group"], strict=True):
        allowed = {facts["shown"][g][item] for item in before - secret} | (before & secret)
        assert after <= allowed
    assert oracle.leaf_holds(
        facts["records"], facts["group"], facts["shown"], policy.sensitive, case.rho_of, policy.knowledge
    )
    assert audit_generalized(release, policy, jobs=1).holds


@st.composite
def arbitrary_releases(draw: st.DrawFn) -> tuple[Case, Generalized]:
    """Groups and cuts at random, safe or not."""
    case = draw(small_tables())
    secret = set(case.policy.sensitive)
    items = sorted(set().union(*case.records) - secret)
    tree = draw(hierarchies(items or ["other"]))
    labels = tree.labels_beside(secret)
    count = draw(st.integers(1, 3))
    opened = []
    for _ in range(count):
        inside: set[int] = set()
        for v in range(len(tree)):
            if tree.size[v] > 1 and (v == 0 or int(tree.parent[v]) in inside) and draw(st.booleans()):
                inside.add(v)
        opened.append(tuple(sorted(inside)))
    group = [draw(st.integers(0, count - 1)) for _ in case.records]
    blank = Generalized(Baskets.from_sets(case.records), np.array(group, dtype=np.int32), tree, tuple(opened), labels)
    shown = [blank.shown(g) for g in range(count)]
    records = [
        {item if item in secret else labels[shown[g][tree.leaf_of[item]]] for item in record}
        for record, g in zip(case.records, group, strict=True)
    ]
    return case, Generalized(Baskets.from_sets(records), blank.group, tree, tuple(opened), labels)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(drawn=arbitrary_releases())
def test_the_audit_agrees_with_the_oracle_at_leaf_knowledge(drawn: tuple[Case, Generalized]) -> None:
    case, release = drawn
    policy = sordino.InferencePolicy(
        case.policy.sensitive, case.policy.rho, rho_of=case.rho_of, knowledge=case.policy.knowledge
    )
    facts = plain(release)
    expected = oracle.leaf_holds(
        facts["records"], facts["group"], facts["shown"], policy.sensitive, case.rho_of, policy.knowledge
    )
    assert audit_generalized(release, policy, jobs=1).holds == expected


def test_a_sum_can_be_safe_where_a_group_is_not() -> None:
    """Group 0 alone gives x away at a; with the records of group 1 nobody can be sure."""
    tree = read_hierarchy({"ALL": ["a", "b"]})
    release = Generalized(
        Baskets.from_sets([{"a", "x"}, {"ALL"}]), np.array([0, 1], dtype=np.int32), tree, ((0,), ()), tree.labels
    )
    assert audit_generalized(release, sordino.InferencePolicy(["x"], "0.5"), jobs=1).holds
    assert not audit_generalized(release, sordino.InferencePolicy(["x"], "0.4"), jobs=1).holds


def test_items_that_the_hierarchy_lacks_are_named() -> None:
    baskets = Baskets.from_sets(TABLE)
    policy = policy_of("0.3").resolve(baskets)
    with pytest.raises(InputError, match="does not cover 1 name"):
        lgps.protect(baskets, policy, seed=0, jobs=1, watch=Watch(), hierarchy={"ALL": ["a", "b", "c"]})
    with pytest.raises(InputError, match=r"'bes'.*'best'"):
        lgps.protect(baskets, policy, seed=0, jobs=1, watch=Watch(), hierarchy=TREE, divide="bes")
    with pytest.raises(InputError, match="'suppressor' cannot be 'dits'"):
        lgps.protect(baskets, policy, seed=0, jobs=1, watch=Watch(), hierarchy=TREE, suppressor="dits")
    anything = sordino.InferencePolicy(["α"], "0.5", absent="any").resolve(baskets)
    with pytest.raises(InputError, match="does not protect against knowledge of what people do not have"):
        lgps.protect(baskets, anything, seed=0, jobs=1, watch=Watch(), hierarchy=TREE, suppressor="dist")


@every_variant
@pytest.mark.parametrize("patience", [-1, "4", True])
def test_patience_is_a_number(method: str, options: dict[str, Any], patience: Any) -> None:
    baskets = Baskets.from_sets(TABLE)
    with pytest.raises(InputError, match="patience"):
        METHODS[method](
            baskets, policy_of("0.3").resolve(baskets), seed=0, jobs=1, watch=Watch(), patience=patience, **options
        )


def test_a_large_group_has_less_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    baskets = Baskets.from_sets([{str(i) for i in rng.choice(30, size=rng.integers(1, 8))} for _ in range(300)])
    policy = sordino.InferencePolicy([str(i) for i in range(0, 30, 3)], "0.5").resolve(baskets)
    rounds = []
    for large in (1_000, 10):
        monkeypatch.setattr(lgps, "LARGE", large)
        trace: list[int] = []
        lgps.specialize(GeneralizedWorkspace(baskets, policy, sordino.build_hierarchy(baskets)), lgps.Settings(), trace)
        rounds.append(len(trace))
    assert rounds[1] < rounds[0]


@pytest.mark.parametrize("knowledge", [None, 2])
def test_giving_up_early_changes_no_result(monkeypatch: pytest.MonkeyPatch, knowledge: int | None) -> None:
    """What is given up would have been refused: the same release comes out if nothing is."""
    rng = np.random.default_rng(5)
    baskets = Baskets.from_sets([{str(i) for i in rng.choice(40, size=rng.integers(1, 9))} for _ in range(500)])
    policy = sordino.InferencePolicy([str(i) for i in range(0, 40, 3)], "0.4", knowledge=knowledge).resolve(baskets)
    given_up: list[bool] = []
    whole = GeneralizedWorkspace.suppressed

    def counting(self: GeneralizedWorkspace, *arguments: Any, **options: Any) -> Any:
        left = whole(self, *arguments, **options)
        given_up.append(left is None)
        return left

    def never(self: GeneralizedWorkspace, *arguments: Any, most: int | None = None, **options: Any) -> Any:
        del most
        return whole(self, *arguments, **options)

    def run() -> tuple[Generalized, list[int]]:
        trace: list[int] = []
        workspace = GeneralizedWorkspace(baskets, policy, sordino.build_hierarchy(baskets, fanout=3))
        return lgps.specialize(workspace, lgps.Settings(), trace), trace

    monkeypatch.setattr(GeneralizedWorkspace, "suppressed", counting)
    release, trace = run()
    assert any(given_up)
    assert not all(given_up[1:])
    monkeypatch.setattr(GeneralizedWorkspace, "suppressed", never)
    other, steps = run()
    assert steps == trace
    assert release.opened == other.opened
    assert release.baskets.fingerprint == other.baskets.fingerprint


def test_a_sensitive_item_may_stand_in_the_hierarchy() -> None:
    """It is shown as itself all the same, and a node above it does not stand for it."""
    baskets = Baskets.from_sets(TABLE)
    tree = {"ALL": {"A": ["a", "b", "α"], "β": ["c", "d", "β"]}}
    release = lgps.protect(baskets, policy_of("0.3").resolve(baskets), seed=0, jobs=1, watch=Watch(), hierarchy=tree)
    assert set(release.hierarchy.leaf_of) == set("abcd")
    assert "β" not in release.labels
    assert audit_generalized(release, policy_of("0.3"), jobs=1).holds


@every_variant
def test_the_number_of_threads_does_not_matter(method: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    baskets = Baskets.from_sets([{str(i) for i in rng.choice(30, size=rng.integers(1, 8))} for _ in range(400)])
    policy = sordino.InferencePolicy([str(i) for i in range(0, 30, 3)], "0.5")
    results = [
        METHODS[method](baskets, policy.resolve(baskets), seed=0, jobs=jobs, watch=Watch(), **options)
        for jobs in (1, 3)
    ]
    assert results[0].baskets.fingerprint == results[1].baskets.fingerprint
    assert results[0].opened == results[1].opened
    assert np.array_equal(results[0].group, results[1].group)
    assert audit_generalized(results[0], policy, jobs=1).holds
