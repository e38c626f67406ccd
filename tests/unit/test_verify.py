"""The verifier against the oracle: it accepts every true proof."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from proofs import (
    HALF,
    SAFE,
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
from sordino.errors import InputError
from sordino.verify import classes, opensearch
from sordino.verify.proof import load_proof
from tables import examples

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


@settings(max_examples=examples(300), deadline=None)
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


def test_it_shares_nothing_with_the_audit() -> None:
    code = "import sys, sordino.verify.proof; print([m for m in sys.modules if m.startswith(('sordino.', 'numba'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sordino.verify.proof" in done.stdout
    assert "sordino.audit." not in done.stdout  # the face loads the package itself, which is empty
    assert "sordino.protect." not in done.stdout
    assert "numba" not in done.stdout
