"""`cahd`: groups in which nothing sensitive is too likely, for whoever knows non-sensitive items."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import oracle
import sordino
from sordino.audit.permutation import audit_permuted
from sordino.data.baskets import Baskets
from sordino.data.permuted import Permuted
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.protect.cahd import protect
from tables import Case, examples, small_tables


def run(table: list[set[str]], policy: sordino.InferencePolicy, **options: int) -> Permuted:
    baskets = Baskets.from_sets(table)
    resolved = policy.resolve(baskets, missing="accept")
    return protect(baskets, resolved, seed=options.pop("seed", 0), jobs=1, watch=Watch(), **options)


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(case=small_tables())
def test_small_tables(case: Case) -> None:
    policy = sordino.InferencePolicy(case.policy.sensitive, case.policy.rho, rho_of=case.rho_of)
    release = run([set(record) for record in case.records], policy)
    secret = set(policy.sensitive)
    assert list(release.baskets) == [record - secret for record in case.records]
    for g, held in enumerate(release.held):
        members = [record for record, k in zip(case.records, release.group.tolist(), strict=True) if k == g]
        assert all(count <= oracle.support(members, {e}) for e, count in held.items())
    assert oracle.permuted_holds(list(release.baskets), release.group.tolist(), release.held, case.rho_of)
    assert audit_permuted(release, policy).holds
    for e in secret:
        allowed = case.rho_of[e] * len(case.records)
        assert release.supports().get(e, 0) == min(oracle.support(case.records, {e}), int(allowed))


def test_groups_of_p_similar_records() -> None:
    table = [{"a", "b", "x"}, {"a", "b"}, {"c", "d"}, {"c", "d", "y"}, {"a", "b", "e"}, {"c", "d", "f"}] * 3
    release = run(table, sordino.InferencePolicy(["x", "y"], "1/3"))
    sizes = release.sizes.tolist()
    assert min(sizes) >= 3
    assert len(sizes) > 1
    assert release.supports() == {"x": 3, "y": 3}
    together = [
        {frozenset(table[u] & {"a", "c"}) for u in np.flatnonzero(release.group == g)} for g in range(len(sizes))
    ]
    assert sum(len(kinds) == 1 for kinds in together) >= len(sizes) - 1


def test_the_audit_tells_which_group_is_too_sure() -> None:
    baskets = Baskets.from_sets([{"a"}, {"a"}, {"b"}, {"b"}])
    release = Permuted(baskets, np.array([0, 0, 1, 1], dtype=np.int32), ({"x": 1}, {"x": 2}))
    audit = audit_permuted(release, sordino.InferencePolicy(["x"], "0.75"))
    assert not audit.holds
    assert audit.people_at_risk == 2
    assert audit.findings[0].confidence == 1
    assert audit_permuted(release, sordino.InferencePolicy(["x"], "0.9", rho_of={"x": "0.999"})).holds is False
    assert "non-sensitive" in audit.remarks[0]


def test_what_no_grouping_can_hide_is_suppressed_first() -> None:
    table = [{"a", "x"}] * 7 + [{"b"}] * 3
    release = run(table, sordino.InferencePolicy(["x"], "0.5"))
    assert release.supports() == {"x": 5}
    assert run(table, sordino.InferencePolicy(["x"], "0.01")).supports() == {}


def test_a_draw_has_the_numbers_of_the_release() -> None:
    rng = np.random.default_rng(4)
    table = [{str(i) for i in rng.choice(12, size=4, replace=False)} for _ in range(90)]
    release = run(table, sordino.InferencePolicy(["0", "1", "2"], "0.5"))
    drawn = release.drawn(1)
    assert list(drawn) != table
    assert sorted(map(sorted, [r - {"0", "1", "2"} for r in drawn])) == sorted(map(sorted, release.baskets))
    for e in "012":
        assert oracle.support(list(drawn), {e}) == release.supports()[e]
    assert list(release.drawn(1)) == list(drawn)


def test_reach_must_be_a_number() -> None:
    with pytest.raises(InputError, match="reach"):
        run([{"a", "x"}], sordino.InferencePolicy(["x"], "0.5"), reach=0)
    assert Fraction(1, 2) == sordino.InferencePolicy(["x"], "0.5").rho
