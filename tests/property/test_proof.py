"""Proofs made by the audit: the verifier, which shares no code with it, accepts them exactly where the policy holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import sordino
from counting import judge
from sordino.audit.proof import make_proof, write_proof
from sordino.data.baskets import Baskets
from sordino.verify.proof import Verdict, verify_baskets
from tables import Case, dense_tables, examples, quiet_tables, small_tables, wide_tables


def proved(case: Case) -> Verdict:
    """The verdict about the audit's own proof, which went through JSON as it would in a file."""
    baskets = Baskets.from_sets(case.records)
    resolved = case.policy.resolve(baskets)
    proof = json.loads(json.dumps(make_proof(baskets, resolved, jobs=1)))
    return verify_baskets(baskets, resolved.comparison, resolved.knowledge, proof)


def must_be_true(case: Case) -> None:
    verdict = proved(case)
    expected = judge(case.records, case.rho_of, case.policy.knowledge)
    event(f"holds: {expected.holds}, {'limited' if case.policy.knowledge else 'unlimited'}")
    assert verdict.holds == expected.holds, verdict.reason
    if verdict.holds:
        event(f"served: {verdict.served > 0}, searched: {verdict.searched > 0}")
        assert verdict.items == len(case.rho_of)
        needy = {(record, e) for record in case.records if len(record) > 1 for e in record if e in case.rho_of}
        assert verdict.served + verdict.searched == len(needy)
    else:
        assert "beyond its threshold" in verdict.reason  # it was refused for the disclosure, not for its form


@given(quiet_tables())
@settings(max_examples=examples(500))
def test_proofs_of_tables_that_nearly_hold(case: Case) -> None:
    must_be_true(case)


@given(st.one_of(small_tables(), dense_tables()))
@settings(max_examples=examples(250))
def test_proofs_of_any_small_table(case: Case) -> None:
    must_be_true(case)


@given(wide_tables())
@settings(max_examples=examples(50))
def test_proofs_of_wide_tables(case: Case) -> None:
    must_be_true(case)


@pytest.mark.parametrize("knowledge", [None, 2])
def test_a_proof_by_alibis_alone_and_its_file(knowledge: int | None, tmp_path: Path) -> None:
    """Three copies of each record without e, one with it: at rho 1/4 all are served, and nothing is searched."""
    shapes = ["ab", "abc", "bcd", "acdf"]
    records = [{*shape, *e} for shape in shapes for e in ("e", "", "", "")]
    policy = sordino.InferencePolicy(["e"], "0.25", knowledge=knowledge)
    baskets = Baskets.from_sets(records)
    path = tmp_path / "proof.json.gz"
    write_proof(make_proof(baskets, policy.resolve(baskets)), path)
    verdict = sordino.verify(records, policy, path)
    assert (verdict.holds, verdict.served, verdict.searched) == (True, 4, 0)
    changed = [*records[:-1], {"a", "c", "d"}]
    assert not sordino.verify(changed, policy, path).holds
    assert not sordino.verify(records, sordino.InferencePolicy(["e"], "0.2", knowledge=knowledge), path).holds


def test_two_threads_make_the_same_proof() -> None:
    from sordino.sample import path

    baskets = sordino.read_baskets(path("pharmacy.csv"))
    resolved = sordino.InferencePolicy(baskets.names[::5], "0.9").resolve(baskets)
    assert make_proof(baskets, resolved, jobs=1) == make_proof(baskets, resolved, jobs=2)
