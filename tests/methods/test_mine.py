"""`mine`: the second chance for records that lost something."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import oracle
import sordino
from doors import door
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect.kernels.common import ledger
from sordino.protect.kernels.common.second_chance import restore
from sordino.protect.kernels.common.suppress import take
from sordino.protect.workspace import Workspace
from tables import Case, dense_tables, examples, small_tables

Table = Sequence[frozenset[str] | set[str]]


def loss(table: Table, policy: sordino.InferencePolicy, again: int) -> tuple[int, list[frozenset[str]]]:
    release = sordino.protect(table, policy, method="mine", jobs=1, missing="accept", again=again)
    after = list(release.data)
    assert all(new <= old for new, old in zip(after, table, strict=True))
    assert release.audit_after.holds
    return release.deletions, after


@settings(max_examples=examples(80), suppress_health_check=[HealthCheck.too_slow])
@given(case=small_tables())
def test_a_further_chance_never_costs(case: Case) -> None:
    """The first comes before the audit and may cost something; what follows a safe table must not."""
    first, _ = loss(case.records, case.policy, 1)
    later, after = loss(case.records, case.policy, 3)
    assert later <= first or case.policy.adaptive is not False  # whose thresholds follow from the result
    if case.policy.adaptive is False:
        assert oracle.holds(after, case.policy.sensitive, dict(case.rho_of), case.policy.knowledge)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow])
@given(case=dense_tables())
def test_a_further_chance_among_near_duplicates(case: Case) -> None:
    if case.policy.adaptive is False:
        assert loss(case.records, case.policy, 3)[0] <= loss(case.records, case.policy, 1)[0]


def shopping(seed: int) -> list[set[str]]:
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, 31)
    sizes = rng.integers(1, 7, size=300)
    return [{str(i) for i in rng.choice(30, size=n, replace=False, p=share / share.sum())} for n in sizes]


def test_a_second_chance_pays() -> None:
    """Over ten tables it saves something, and what comes out is safe."""
    policy = sordino.InferencePolicy([str(i) for i in range(0, 30, 3)], "0.5")
    saved = 0
    for seed in range(10):
        table = shopping(seed)
        first, _ = loss(table, policy, 0)
        later, after = loss(table, policy, 2)
        saved += first - later
        assert oracle.holds(after, policy.sensitive, dict.fromkeys(policy.sensitive, Fraction(1, 2)))
    assert saved > 0


def test_a_record_that_grows_while_it_waits_is_reached() -> None:
    """By a second chance: it stands in the queue at its old length, and moves up when its turn comes."""
    table = Baskets.from_sets([{"a", "b", "c", "x"}, {"a", "b", "x"}, {"a", "x"}])
    workspace = Workspace(table, sordino.InferencePolicy(["x"], "0.5").resolve(table), jobs=1, watch=Watch())
    g = workspace.ledger
    longest = int(g.length.argmax())
    for _ in range(2):
        door(ledger.delete)(g, longest, int(g.ptr[longest]))
    batch = np.zeros(1, dtype=np.int64)
    assert (door(take)(g, batch), batch[0], g.length[longest]) == (1, longest, 2)
    g.queued[longest] = 0
    door(ledger.enqueue)(g, longest)
    door(restore)(g, longest, int(g.ptr[longest]) + 2)
    assert g.length[longest] == 3
    taken = []
    while door(take)(g, batch):
        taken.append(int(batch[0]))
    assert longest in taken
    assert g.tally[ledger.OPEN] == 0


@pytest.mark.parametrize("again", ["many", -1, 1.5])
def test_again_is_a_number(again: object) -> None:
    policy = sordino.InferencePolicy(["x"], "0.4")
    with pytest.raises(sordino.SordinoError, match="again must be a whole number"):
        sordino.protect([{"a", "x"}, {"a"}], policy, again=again)


def test_progress_tells_people_and_deletions() -> None:
    told: list[str] = []
    records = [{"a", "x"}, {"a", "x"}, {"b", "x"}, {"a"}]
    sordino.protect(records, sordino.InferencePolicy(["x"], "0.5"), progress=lambda phase, *_: told.append(phase))
    assert "suppressing (about 3 people still at risk, 0 deleted)" in told
