"""The verifier against the oracle: it accepts every true proof, and nothing else.

Proofs are made here, by a slow greedy maker of our own, so that maker and checker share no code.
"""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from sordino.data.baskets import Baskets
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.verify import classes, opensearch
from sordino.verify.proof import Verdict, load_proof, verify_baskets

Records = Sequence[AbstractSet[str]]
Rho = Mapping[str, Fraction]
Proof = dict[str, Any]

ITEMS = "abcdef"
SENSITIVE = "def"


def make_proof(records: Records, rho_of: Rho, m: int | None = None) -> Proof:
    """A proof whose alibis are assigned greedily, longest record first, shortest alibi first; the rest is open."""
    first: dict[frozenset[str], int] = {}
    weight: dict[frozenset[str], int] = {}
    for u, record in enumerate(map(frozenset, records)):
        first.setdefault(record, u)
        weight[record] = weight.get(record, 0) + 1
    items: dict[str, Any] = {}
    for e, rho in rho_of.items():
        entry: dict[str, Any] = {"rho": f"{rho.numerator}/{rho.denominator}"}
        entry |= {"record": [], "alibi": [], "units": [], "open": []}
        free = {r: w * rho.numerator for r, w in weight.items() if e not in r}
        for needy in sorted((r for r in weight if e in r and len(r) > 1), key=lambda r: (-len(r), first[r])):
            demand = weight[needy] * (rho.denominator - rho.numerator)
            for alibi in sorted((r for r in free if needy - {e} <= r), key=lambda r: (len(r), first[r])):
                units = min(demand, free[alibi])
                if units:
                    free[alibi] -= units
                    demand -= units
                    entry["record"].append(first[needy])
                    entry["alibi"].append(first[alibi])
                    entry["units"].append(units)
            if demand:
                entry["open"].append(first[needy])
        items[e] = entry
    fingerprint = Baskets.from_sets(records).fingerprint
    return {
        "format": "sordino-proof/1",
        "data": fingerprint,
        "records": len(records),
        "knowledge": m,
        "items": items,
    }


def sealed(proof: Mapping[str, Any]) -> Proof:
    """The proof with the checksum that fits it, whatever was done to it before."""
    rest = {key: value for key, value in proof.items() if key != "sha256"}
    text = json.dumps(rest, separators=(",", ":"))
    return {**rest, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def verify(records: Records, rho_of: Rho, proof: object, m: int | None = None) -> Verdict:
    """What is said about a proof that may be wrong in any way but in its checksum."""
    proof = sealed(proof) if isinstance(proof, Mapping) else proof
    return verify_baskets(Baskets.from_sets(records), rho_of, m, proof)  # type: ignore[arg-type]


def made_safe(records: Records, rho_of: Rho, m: int | None) -> list[frozenset[str]]:
    """The records with sensitive items deleted, one by one, until the oracle has no objection."""
    safe = [frozenset(record) for record in records]
    while found := oracle.disclosures(safe, rho_of, rho_of, m):
        q, e, _, _ = found[0]
        guilty = next(u for u, record in enumerate(safe) if q | {e} <= record)
        safe[guilty] -= {e}
    return safe


# Many repeats of few items, so that alibis exist and most tables are neither trivially safe nor hopeless.
records_strategy = st.lists(
    st.tuples(st.frozensets(st.sampled_from(ITEMS)), st.integers(1, 3)).map(lambda pair: [pair[0]] * pair[1]),
    max_size=8,
).map(lambda groups: [record for group in groups for record in group])
rho_strategy = st.fixed_dictionaries(
    {e: st.sampled_from(["1/10", "1/4", "1/3", "1/2", "3/5", "2/3", "7/10", "9/10"]).map(Fraction) for e in SENSITIVE}
)
knowledge_strategy = st.none() | st.integers(1, 4)
thorough = settings(max_examples=300, deadline=None)


# ------------------------------------------------------------------------------------------ true proofs are accepted


@thorough
@given(records_strategy, rho_strategy, knowledge_strategy)
def test_proofs_of_safe_tables_are_accepted(records: Records, rho_of: Rho, m: int | None) -> None:
    safe = made_safe(records, rho_of, m)
    verdict = verify(safe, rho_of, make_proof(safe, rho_of, m), m)
    assert (verdict.holds, verdict.reason) == (True, "proved")
    needy = {(frozenset(r), e) for r in safe for e in rho_of if e in r and len(r) > 1}
    assert (verdict.items, verdict.served + verdict.searched) == (len(rho_of), len(needy))


@thorough
@given(
    records_strategy,
    rho_strategy,
    knowledge_strategy,
    st.randoms(use_true_random=False),
    st.sampled_from([0, 2, 10**9]),
)
def test_the_verdict_is_the_oracles_whatever_is_open(
    records: Records, rho_of: Rho, m: int | None, random: Any, few_parts: int
) -> None:
    """Rows are taken out and their records declared open: then the search must decide, by cells or by bit sets."""
    proof = make_proof(records, rho_of, m)
    for entry in proof["items"].values():
        rows = list(zip(entry["record"], entry["alibi"], entry["units"], strict=True))
        kept = [row for row in rows if random.random() < 0.6]
        entry["record"], entry["alibi"], entry["units"] = ([row[k] for row in kept] for k in range(3))
        entry["open"] = list({row[0] for row in rows if row not in kept} | set(entry["open"]))
        random.shuffle(entry["open"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opensearch, "FEW_PARTS", few_parts)
        patch.setattr(classes, "PAIRS_AT_ONCE", 3)
        verdict = verify(records, rho_of, proof, m)
    assert verdict.holds == oracle.holds(records, rho_of, rho_of, m), verdict.reason


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sets(st.sampled_from("abcdefg"), max_size=4), st.booleans(), st.integers(1, 6)), max_size=14),
    st.sampled_from(["1/4", "1/2", "2/3"]),
    knowledge_strategy,
)
def test_both_searches_agree_with_the_oracle_on_a_long_record(
    rest: list[tuple[set[str], bool, int]], rho_text: str, m: int | None
) -> None:
    """One open record of seven items beside e, among many that hold small parts of it."""
    records: list[set[str]] = [set("abcdefg") | {"e*"}]
    for part, has_e, times in rest:
        records += [part | {"e*"} if has_e else part] * times
    rho = Fraction(rho_text)
    table = classes.classes_of(Baskets.from_sets(records))
    expected = any(d.q <= records[0] for d in oracle.disclosures(records, {"e*"}, {"e*": rho}, m))
    for few_parts in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(opensearch, "FEW_PARTS", few_parts)
            search = opensearch.OpenSearch(opensearch.RecordBits(table), table.code_of["e*"], rho, m)
            assert search.discloses(0) == expected


@pytest.mark.parametrize("few_parts", [0, 10**9])
@pytest.mark.parametrize(("m", "sound"), [(None, False), (3, False), (2, False), (1, True)])
def test_the_bound_is_the_worst_of_the_records(
    few_parts: int, m: int | None, sound: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """w, x and y alone are harmless, and most records with e that hold w or x have many alibis; {w x y} has none."""
    monkeypatch.setattr(opensearch, "FEW_PARTS", few_parts)
    records = [{"w", "x", "y", "e"}, {"w", "e"}, {"x", "e"}, *([{"w"}, {"x"}, {"y"}] * 4)]
    rho = {"e": Fraction(1, 2)}
    proof = make_proof(records, rho, m)
    assert proof["items"]["e"]["open"] == [0]
    assert oracle.holds(records, rho, rho, m) == sound
    assert verify(records, rho, proof, m).holds == sound


def test_every_open_record_is_searched() -> None:
    """The longest is safe, one inside it needs no search of its own, and the last discloses."""
    records = [{"a", "b", "c", "e"}, {"a", "b", "c"}, {"a", "b", "e"}, {"a", "b"}, {"x", "y", "e"}, {"x"}, {"y"}]
    rho = {"e": Fraction(1, 2)}
    proof = make_proof(records, rho)
    proof["items"]["e"] |= {"record": [], "alibi": [], "units": [], "open": [4, 2, 0]}
    assert "part of record 4" in verify(records, rho, proof).reason
    repaired = [*records, {"x", "y"}]
    proof |= {"records": 8, "data": Baskets.from_sets(repaired).fingerprint}
    verdict = verify(repaired, rho, proof)
    assert (verdict.holds, verdict.served, verdict.searched) == (True, 0, 3)


# ------------------------------------------------------------------------------------------ false proofs are refused

HALF = {"e": Fraction(1, 2), "s": Fraction(2, 3)}
SAFE = [
    {"a", "b", "e"},  # 0, served by 1
    {"a", "b", "c"},
    {"a", "e"},  # 2 and 3: one class
    {"e", "a"},
    {"a", "c"},  # 4 and 5: the alibis of 2
    {"a", "c"},
    {"x", "y", "s"},  # 6, served by 7, which has one unit more to give
    {"x", "y"},
    {"u", "v", "e"},  # 8, open, though 11 would do as its alibi
    {"u"},
    {"v"},
    {"u", "v"},
    {"b"},
    {"e"},  # 13 needs nothing
]


def proof_by_hand() -> Proof:
    return {
        "format": "sordino-proof/1",
        "data": Baskets.from_sets(SAFE).fingerprint,
        "records": 14,
        "knowledge": None,
        "items": {
            "e": {"rho": "1/2", "record": [0, 2], "alibi": [1, 4], "units": [1, 2], "open": [8]},
            "s": {"rho": "2/3", "record": [6], "alibi": [7], "units": [1], "open": []},
        },
    }


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


@settings(max_examples=600, deadline=None)
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


# ------------------------------------------------------------------------------------------ known answers, exactness


def test_jia_table_1() -> None:
    third = {"condom": Fraction(1, 3)}
    raw = [
        {"bread", "milk", "condom"},
        {"bread", "milk"},
        {"milk", "condom"},
        {"flour", "fruits"},
        {"flour", "condom"},
        {"bread", "fruits"},
        {"fruits", "condom"},
    ]
    assert not verify(raw, third, make_proof(raw, third)).holds
    for fifth in ("condom", "flour"):
        safe = [
            record - {"condom"} if u == 0 else record - {fifth} if u == 4 else record for u, record in enumerate(raw)
        ]
        assert verify(safe, third, make_proof(safe, third)).holds


def test_chen_release() -> None:
    release = [{"a", "b"}, {"a", "α"}, {"a", "B", "β"}, {"a", "b", "B"}, {"b", "B", "α"}, {"a", "B", "α"}]
    strict = {"α": Fraction(7, 10), "β": Fraction(3, 10)}
    assert "discloses 'β'" in verify(release, strict, make_proof(release, strict)).reason
    loose = strict | {"β": Fraction(1, 3)}
    assert verify(release, loose, make_proof(release, loose)).holds


@pytest.mark.parametrize("few_parts", [0, 10**9])
def test_the_boundary_is_exact_in_the_search(few_parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opensearch, "FEW_PARTS", few_parts)
    for rho, sound in (
        (Fraction("0.07"), True),
        (Fraction("0.07") - Fraction(1, 10**30), False),
        (Fraction("0.07") + Fraction(1, 10**30), True),
        (Fraction(0), False),
        (Fraction(1), True),
    ):
        records = [{"x", "e"}] * 7 + [{"x"}] * 93
        proof = make_proof(records, {"e": rho})
        proof["items"]["e"] |= {"record": [], "alibi": [], "units": [], "open": [0]}
        assert verify(records, {"e": rho}, proof).holds == sound


@pytest.mark.parametrize(("m", "sound"), [(None, False), (3, False), (2, True)])
def test_a_very_long_open_record(m: int | None, sound: bool) -> None:
    """70 items beside e, beyond one machine word. Every pair of them is common; one triple is e's alone."""
    everything = {str(i) for i in range(70)}
    records = [everything | {"e"}] + [everything - {i} for i in ("3", "40", "69")] * 2
    rho = {"e": Fraction(1, 3)}
    proof = make_proof(records, rho, m)
    assert proof["items"]["e"]["open"] == [0]
    assert verify(records, rho, proof, m).holds == sound
    repaired = [*records, everything, everything]
    proof = make_proof(repaired, rho, m)
    proof["items"]["e"] |= {"record": [], "alibi": [], "units": [], "open": [0]}
    assert verify(repaired, rho, proof, m).holds


# ---------------------------------------------------------------------------------------------------- files and names


def test_files_gzipped_and_plain(tmp_path: Path) -> None:
    text = json.dumps(sealed(proof_by_hand())).encode()
    plain, zipped = tmp_path / "proof.json", tmp_path / "proof.json.gz"
    plain.write_bytes(text)
    zipped.write_bytes(gzip.compress(text))
    assert load_proof(plain) == load_proof(zipped) == sealed(proof_by_hand())
    assert verify(SAFE, HALF, zipped).holds
    assert verify(SAFE, HALF, str(plain)).holds


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff\xfe\xff", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"records": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"[]", "not a JSON object"),
        (gzip.compress(b"{}", mtime=0)[:-5], "gzip data are damaged"),
        (b"\x1f\x8b\x08junk and more junk", "gzip data are damaged"),
        (None, "no such file"),
    ],
)
def test_unreadable_files_give_a_verdict(content: bytes | None, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "proof"
    if content is not None:
        path.write_bytes(content)
    verdict = verify(SAFE, HALF, path)
    assert not verdict.holds
    assert verdict.reason.startswith("the proof cannot be read: ")
    assert reason in verdict.reason
    with pytest.raises(InputError, match=reason):
        load_proof(path)


def test_a_folder_is_no_proof(tmp_path: Path) -> None:
    assert verify(SAFE, HALF, tmp_path).reason.startswith("the proof cannot be read: ")


@thorough
@given(st.lists(st.sets(st.sampled_from(["1", "2", "10", "β", "ä", "x y", "", "\U0001f600"])), max_size=6))
def test_the_fingerprint_is_the_one_defined(records: list[set[str]]) -> None:
    """The verifier computes it by its own code; it must still be the fingerprint that baskets have."""
    baskets = Baskets.from_sets(records)
    assert classes.classes_of(baskets).fingerprint == baskets.fingerprint


def test_reasons_hold_no_record_contents() -> None:
    private = {"a", "b", "c", "x", "y", "u", "v"}
    for tamper, _ in TAMPERINGS.values():
        proof = proof_by_hand()
        tamper(proof)
        words = verify(SAFE, HALF, proof).reason.replace("'", " ").replace(",", " ").split()
        assert not (set(words) - {"a"}) & private  # "a" is also English


def test_it_shares_nothing_with_the_audit() -> None:
    code = "import sys, sordino.verify.proof; print([m for m in sys.modules if m.startswith(('sordino.', 'numba'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sordino.verify.proof" in done.stdout
    assert "sordino.audit." not in done.stdout  # the face loads the package itself, which is empty
    assert "sordino.protect." not in done.stdout
    assert "numba" not in done.stdout
