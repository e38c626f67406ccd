"""The verifier refuses what is no proof: changed, mutated, or about other data."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from proofs import (
    HALF,
    SAFE,
    Proof,
    Records,
    Rho,
    knowledge_strategy,
    made_safe,
    make_proof,
    proof_by_hand,
    records_strategy,
    rho_strategy,
    sealed,
    thorough,
    verify,
)
from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.verify import classes
from sordino.verify.proof import Verdict, verify_baskets
from tables import examples


def test_the_proof_by_hand_is_accepted() -> None:
    verdict = verify(SAFE, HALF, proof_by_hand())
    assert verdict == Verdict(Answer.HOLDS, "proved", items=2, served=3, searched=1, seconds=verdict.seconds)


def test_a_proof_that_was_changed_into_another_one_that_holds() -> None:
    """The order of two rows means nothing; but it is not what was made."""
    whole = sealed(proof_by_hand())
    assert verify_baskets(Baskets.from_sets(SAFE), HALF, None, whole).holds
    turned = copy.deepcopy(whole)
    for key in ("record", "alibi", "units"):
        turned["items"]["e"][key].reverse()
    unsealed = {key: value for key, value in whole.items() if key != "sha256"}
    for changed in (turned, unsealed, {**whole, "sha256": 5}):
        assert verify(SAFE, HALF, turned).holds
        verdict = verify_baskets(Baskets.from_sets(SAFE), HALF, None, changed)
        assert (verdict.holds, verdict.reason) == (False, "the proof was changed: its own checksum does not fit")


def test_a_proof_that_says_more_than_a_proof() -> None:
    for note in ("Alice", object()):
        more = {**proof_by_hand(), "note": note}
        assert "no place in it" in verify_baskets(Baskets.from_sets(SAFE), HALF, None, more).reason
    inside = proof_by_hand()
    inside["items"]["e"]["note"] = "Alice"
    assert "no place in it" in verify(SAFE, HALF, inside).reason


def put(*path_and_value: Any) -> Callable[[Proof], None]:
    """A tampering: set the value at a path of keys."""
    *path, last, value = path_and_value

    def tamper(proof: Any) -> None:
        for key in path:
            proof = proof[key]
        proof[last] = value

    return tamper


def drop(*path: Any) -> Callable[[Proof], None]:
    """A tampering: delete the key at a path."""

    def tamper(proof: Any) -> None:
        for key in path[:-1]:
            proof = proof[key]
        del proof[path[-1]]

    return tamper


def both(*steps: Callable[[Proof], None]) -> Callable[[Proof], None]:
    def tamper(proof: Proof) -> None:
        for step in steps:
            step(proof)

    return tamper


TAMPERINGS: dict[str, tuple[Callable[[Proof], None], str]] = {
    "format": (put("format", "sordino-proof/2"), "not of the format"),
    "no format": (drop("format"), "not of the format"),
    "data": (put("data", "0" * 64), "other data"),
    "data is no text": (put("data", ["x"]), "other data"),
    "no data": (drop("data"), "no 'data'"),
    "records": (put("records", 15), "another number of records"),
    "records as float": (put("records", 14.0), "another number of records"),
    "knowledge": (put("knowledge", 2), "another limit of knowledge"),
    "knowledge is false": (put("knowledge", False), "another limit of knowledge"),
    "no knowledge": (drop("knowledge"), "no 'knowledge'"),
    "items": (put("items", []), "not an object"),
    "entry removed": (drop("items", "s"), "no entry for 's'"),
    "entry is null": (put("items", "s", None), "no entry for 's'"),
    "entry is a list": (put("items", "s", []), "not an object"),
    "foreign entry": (put("items", "secret", {}), "not sensitive in the policy"),
    "rho": (put("items", "e", "rho", "2/3"), "another threshold for 'e'"),
    "rho as a number": (put("items", "e", "rho", 0.5), "another threshold for 'e'"),
    "no rho": (drop("items", "e", "rho"), "another threshold for 'e'"),
    "column missing": (drop("items", "e", "units"), "'units' for 'e' is not a list"),
    "column is text": (put("items", "e", "units", "12"), "'units' for 'e' is not a list"),
    "column too short": (put("items", "e", "units", [1]), "differ in length"),
    "fractional units": (put("items", "e", "units", [1, 2.0]), "not a list of whole numbers"),
    "boolean units": (put("items", "e", "units", [True, 2]), "not a list of whole numbers"),
    "nested units": (put("items", "e", "units", [[1], 2]), "not a list of whole numbers"),
    "units lowered": (put("items", "e", "units", [1, 1]), "record 2 has too few alibis for 'e'"),
    "units raised": (put("items", "e", "units", [2, 2]), "record 1 gives more units than it has"),
    "units raised within capacity": (put("items", "s", "units", [2]), "record 6 gets more units than it needs"),
    "units huge": (put("items", "e", "units", [10**30, 2]), "gives more units than it has"),
    "units zero": (put("items", "e", "units", [0, 2]), "units below 1"),
    "units negative": (put("items", "e", "units", [1, -2]), "units below 1"),
    "not a superset": (put("items", "e", "alibi", [4, 4]), "record 4 is no alibi of record 0 for 'e'"),
    "second not a superset": (put("items", "e", "alibi", [1, 12]), "record 12 is no alibi of record 2 for 'e'"),
    "guilty alibi": (put("items", "e", "alibi", [1, 0]), "record 0 is no alibi of record 2 for 'e'"),
    "a record its own alibi": (put("items", "e", "alibi", [0, 4]), "record 0 is no alibi of record 0"),
    "alibi used up": (put("items", "e", "alibi", [1, 1]), "record 1 gives more units than it has"),
    "alibi is a repeat": (put("items", "e", "alibi", [1, 5]), "record 5, which is not the first of its kind"),
    "alibi beyond the end": (put("items", "e", "alibi", [1, 14]), "does not exist"),
    "alibi negative": (put("items", "e", "alibi", [1, -10]), "does not exist"),
    "alibi huge": (put("items", "e", "alibi", [1, 10**30]), "does not exist"),
    "record is a repeat": (put("items", "e", "record", [0, 3]), "record 3, which is not the first of its kind"),
    "record swapped": (put("items", "e", "record", [2, 0]), "record 4 is no alibi of record 0"),
    "record without the item": (put("items", "e", "record", [0, 4]), "record 4 needs no alibi"),
    "row removed": (
        both(drop("items", "e", "record", 0), drop("items", "e", "alibi", 0), drop("items", "e", "units", 0)),
        "record 0 has too few alibis for 'e', and is not listed as open",
    ),
    "open removed": (put("items", "e", "open", []), "record 8 has too few alibis for 'e'"),
    "open twice": (put("items", "e", "open", [8, 8]), "twice"),
    "open without the item": (put("items", "e", "open", [8, 9]), "record 9 is listed as open for 'e', but needs no"),
    "open without anything else": (put("items", "e", "open", [8, 13]), "record 13 is listed as open for 'e', but"),
    "open beyond the end": (put("items", "e", "open", [8, 99]), "does not exist"),
    "row for a record that needs none": (
        both(
            put("items", "e", "record", [0, 2, 13]),
            put("items", "e", "alibi", [1, 4, 12]),
            put("items", "e", "units", [1, 2, 1]),
        ),
        "record 13 needs no alibi",
    ),
}


@pytest.mark.parametrize("pairs_at_once", [1, 1 << 21])
@pytest.mark.parametrize("name", TAMPERINGS)
def test_tampering_is_refused(name: str, pairs_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "PAIRS_AT_ONCE", pairs_at_once)
    tamper, reason = TAMPERINGS[name]
    proof = proof_by_hand()
    tamper(proof)
    verdict = verify(SAFE, HALF, proof)
    assert not verdict.holds
    assert reason in verdict.reason


def test_a_changed_policy_is_refused() -> None:
    assert "another threshold" in verify(SAFE, HALF | {"e": Fraction(49, 100)}, proof_by_hand()).reason
    assert "another limit" in verify(SAFE, HALF, proof_by_hand(), m=3).reason
    assert "no entry for 'a'" in verify(SAFE, HALF | {"a": Fraction(9, 10)}, proof_by_hand()).reason
    assert "not sensitive" in verify(SAFE, {"e": Fraction(1, 2)}, proof_by_hand()).reason
    assert "not between 0 and 1" in verify(SAFE, HALF | {"e": Fraction(3, 2)}, proof_by_hand()).reason
    assert "below 1" in verify(SAFE, HALF, proof_by_hand(), m=0).reason


def test_items_that_need_nothing_need_no_entry() -> None:
    assert verify(SAFE, HALF | {"nowhere": Fraction(1, 2)}, proof_by_hand()).holds
    alone = [{"e"}, {"e"}, {"a"}]
    proof = make_proof(alone, {}, None)
    assert verify(alone, {"e": Fraction(1, 9)}, proof).holds


def test_changed_data_are_refused() -> None:
    """Any change of a record, and of their order, even with the record count kept."""
    for u, record in enumerate(SAFE):
        for changed in (record - {min(record)}, record | {"z"}):
            assert "other data" in verify([*SAFE[:u], changed, *SAFE[u + 1 :]], HALF, proof_by_hand()).reason
    assert "other data" in verify(SAFE[::-1], HALF, proof_by_hand()).reason
    assert "another number" in verify(SAFE[:-1], HALF, proof_by_hand()).reason


def test_an_open_record_that_discloses_is_found() -> None:
    records: list[set[str]] = [record for u, record in enumerate(SAFE) if u != 11]
    proof = proof_by_hand()
    proof |= {"records": 13, "data": Baskets.from_sets(records).fingerprint}
    assert verify(records, HALF, proof).reason == "part of record 8 discloses 'e' beyond its threshold"
    assert verify(records, HALF, proof | {"knowledge": 1}, m=1).holds  # u and v are safe one by one


def mutate(node: Any, random: Any) -> Any:
    """The proof with one random thing changed somewhere."""
    garbage: list[Any] = [None, True, -1, 0, 1, 2, 3, 7, 10**25, 0.5, "1/2", "1/3", "", [], [0], {}, "d", "records"]
    if isinstance(node, dict) and node and random.random() < 0.9:
        key = random.choice(sorted(node))
        if random.random() < 0.15:
            return {k: v for k, v in node.items() if k != key}
        return node | {key: mutate(node[key], random)}
    if isinstance(node, list) and node and random.random() < 0.9:
        k = random.randrange(len(node))
        change = random.choice(["delete", "repeat", "swap", "change", "nudge"])
        if change == "delete":
            return node[:k] + node[k + 1 :]
        if change == "repeat":
            return [*node, node[k]]
        if change == "swap":
            j = random.randrange(len(node))
            node = list(node)
            node[k], node[j] = node[j], node[k]
            return node
        if change == "nudge" and isinstance(node[k], int):
            return [*node[:k], node[k] + random.choice([-1, 1]), *node[k + 1 :]]
        return [*node[:k], mutate(node[k], random), *node[k + 1 :]]
    return random.choice(garbage)


@settings(max_examples=examples(600), deadline=None)
@given(records_strategy, rho_strategy, knowledge_strategy, st.randoms(use_true_random=False), st.integers(1, 4))
def test_no_mutation_fools_or_breaks_it(records: Records, rho_of: Rho, m: int | None, random: Any, times: int) -> None:
    """Whatever is done to a proof: no exception, and 'holds' only if the oracle agrees."""
    proof: Any = make_proof(records, rho_of, m)
    for _ in range(times):
        proof = mutate(proof, random)
    if isinstance(proof, dict):
        verdict = verify(records, rho_of, proof, m)
        assert not verdict.holds or oracle.holds(records, rho_of, rho_of, m)


@thorough
@given(records_strategy, rho_strategy, knowledge_strategy, st.data())
def test_every_single_change_of_a_number_is_refused(
    records: Records, rho_of: Rho, m: int | None, data: st.DataObject
) -> None:
    """In a proof without open records, no other unit count will do; nor an alibi that is not one."""
    safe = made_safe(records, rho_of, None)
    proof = make_proof(safe, rho_of, m)
    full = [e for e, entry in proof["items"].items() if entry["units"] and not entry["open"]]
    if not full:
        return
    e = data.draw(st.sampled_from(full))
    tampered = copy.deepcopy(proof)
    entry = tampered["items"][e]
    k = data.draw(st.integers(0, len(entry["units"]) - 1))
    needed = safe[entry["record"][k]] - {e}
    wrong = [u for u, record in enumerate(safe) if e in record or not needed <= record or record in safe[:u]]
    if data.draw(st.booleans()):
        entry["units"][k] += data.draw(st.sampled_from([-1, 1]))
    else:
        entry["alibi"][k] = data.draw(st.sampled_from(wrong))  # never empty: the needy record itself is in it
    assert verify(safe, rho_of, proof, m).holds
    assert not verify(safe, rho_of, tampered, m).holds


def test_reasons_hold_no_record_contents() -> None:
    private = {"a", "b", "c", "x", "y", "u", "v"}
    for tamper, _ in TAMPERINGS.values():
        proof = proof_by_hand()
        tamper(proof)
        words = verify(SAFE, HALF, proof).reason.replace("'", " ").replace(",", " ").split()
        assert not (set(words) - {"a"}) & private  # "a" is also English
