"""What a folder may cost whoever verifies it: beyond a limit the answer is "not checked", soon and in little memory."""

from __future__ import annotations

import gzip
import json
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sordino
from diseased import QUASI, TREE, people
from forging import gzipped, reseal, sealed
from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance
from sordino.verify import contents, manifest_file, possible_values
from sordino.verify import people as people_check
from sordino.verify import proof as proofs
from sordino.verify.bounded import Effort, LeftOpenError, read_bytes, strict_json, unzipped
from sordino.verify.manifest import MANIFEST

SHOP = [{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}, {"b", "c"}]
POLICY = sordino.InferencePolicy(["x"], "0.5")


@contextmanager
def cheap(seconds: float = 20, memory: int = 300 << 20) -> Iterator[None]:
    tracemalloc.start()
    started = time.perf_counter()
    yield
    took, (_, peak) = time.perf_counter() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took < seconds
    assert peak < memory


def written(folder: Path, policy: Any = POLICY, data: Any = None, **options: Any) -> Path:
    return sordino.protect(SHOP if data is None else data, policy, seed=1, **options).write(folder / "out") / "publish"


def zeros(head: bytes, tail: bytes, count: int) -> bytes:
    """A list of so many zeros, zipped: a thousandth of its size."""
    return gzipped(head + b"0," * count + b"0" + tail)


def test_a_proof_that_unzips_to_much(tmp_path: Path) -> None:
    out = written(tmp_path)
    bomb = zeros(b'{"format":"sordino-proof/1","items":{"x":{"open":[', b"]}}}", 40_000_000)
    assert len(bomb) < 1 << 20
    (out / "proof.json.gz").write_bytes(bomb)
    reseal(out)
    with cheap():
        verdict = sordino.verify(out)
    assert verdict.answer is Answer.NOT_CHECKED
    assert "when unzipped" in verdict.reason
    with cheap():
        assert sordino.verify(SHOP, POLICY, out / "proof.json.gz").answer is Answer.NOT_CHECKED


def test_groups_that_unzip_to_much(tmp_path: Path) -> None:
    out = written(tmp_path, data=[*SHOP, {"a", "x"}] * 4, method="cahd")
    (out / "groups.json.gz").write_bytes(zeros(b'{"format":"sordino-groups/1","held":[],"group":[', b"]}", 40_000_000))
    reseal(out)
    with cheap():
        assert sordino.verify(out).answer is Answer.NOT_CHECKED


def test_data_that_unzip_to_much(tmp_path: Path) -> None:
    source = tmp_path / "t.csv.gz"
    source.write_bytes(gzip.compress(b"a,x\na\na,b,x\na,b\n"))
    out = written(tmp_path, data=sordino.read_baskets(source, layout="baskets"))
    (out / "data.csv.gz").write_bytes(gzipped(b"\n" * 70_000_000))
    reseal(out, words=False)
    with cheap():
        verdict = sordino.verify(out)
    assert (verdict.answer, "when unzipped" in verdict.reason) == (Answer.NOT_CHECKED, True)


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = written(tmp_path)
    document = json.loads((out / MANIFEST).read_bytes())
    document["files"]["data.jsonl"]["bytes"] = 1 << 50
    (out / MANIFEST).write_bytes(sealed(document))
    assert sordino.verify(out).answer is Answer.NOT_CHECKED
    os.truncate(out / MANIFEST, 1 << 40)  # takes no room on the disk
    with cheap():
        assert sordino.verify(out).answer is Answer.NOT_CHECKED
    (tmp_path / "b").mkdir()
    whole = written(tmp_path / "b")
    monkeypatch.setattr(contents, "LARGEST", 10)
    assert sordino.verify(whole).answer is Answer.NOT_CHECKED
    monkeypatch.undo()
    monkeypatch.setattr(manifest_file, "TEXT", 10)
    assert sordino.verify(whole).answer is Answer.NOT_CHECKED


@pytest.mark.parametrize(
    "assurance",
    [
        {"epsilon": "1/1000000000", "delta": "0.05", "max_knowledge": 1_000_000_000},
        {"epsilon": "1/100000000000000000000000000000000000000000000000000", "delta": "0.05", "max_knowledge": 5},
        {"epsilon": "0.2", "delta": "1/100000000000000000000000000000000000000000000000000", "max_knowledge": 10**300},
    ],
)
def test_samples_without_end(assurance: dict[str, Any], tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(["x"], "0.5", assurance=Assurance("0.2", "0.2", 2))
    out = written(tmp_path, policy)
    reseal(out, lambda document: document["policy"].update(assurance=assurance))
    with cheap():
        assert sordino.verify(out).answer is Answer.NOT_CHECKED
    with cheap():
        verdict = sordino.verify(out, original=SHOP)
    assert verdict.answer is (Answer.HOLDS if assurance["epsilon"] == "0.2" else Answer.NOT_CHECKED)


TRAPS = [b"[" * 200_000, b'{"a":' * 100_000, b"9" * 10_000, b"1e999999999", b"NaN", b'{"a":1,"a":2}']


@pytest.mark.parametrize("name", [MANIFEST, "knowledge.json", "hierarchy.json", "groups.json.gz", "proof.json.gz"])
@pytest.mark.parametrize("content", TRAPS, ids=range(len(TRAPS)))
def test_json_that_is_a_trap(name: str, content: bytes, tmp_path: Path) -> None:
    if name == "knowledge.json":
        policy = sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE})
        out = written(tmp_path, policy, people())
    elif name in ("hierarchy.json", "groups.json.gz"):
        data = [*SHOP, {"a", "x"}] * 4
        out = written(tmp_path, data=data, method="lgps", hierarchy={"ALL": {"A": ["a", "b"], "c": []}})
        assert (out / name).exists()
    else:
        out = written(tmp_path)
    (out / name).write_bytes(gzipped(content) if name.endswith(".gz") else content)
    if name != "manifest.json":
        reseal(out, words=False)
    with cheap():
        assert sordino.verify(out).answer is Answer.FAILS


def test_numbers_of_many_digits_in_a_manifest(tmp_path: Path) -> None:
    out = written(tmp_path, sordino.InferencePolicy(["x"], "0.5", adaptive="0.1"))
    document = json.loads((out / MANIFEST).read_bytes())
    changes: list[Callable[[Any], object]] = [
        lambda d: d.update(records=10**4000),
        lambda d: d["thresholds"].update(x="1e999999999"),
        lambda d: d["thresholds"].update(x="1/" + "9" * 4000),
        lambda d: d["policy"].update(rho="1e-999999999"),
        lambda d: d["policy"].update(knowledge=10**4000),
        lambda d: d["policy"].update(adaptive="1e999999999"),
    ]
    for change in changes:
        forged = json.loads(json.dumps(document))
        change(forged)
        (out / MANIFEST).write_bytes(sealed(forged))
        with cheap():
            assert sordino.verify(out).answer is Answer.FAILS


def open_proof(records: list[set[str]], knowledge: int | None) -> dict[str, Any]:
    """A proof that leaves everything to the verifier's own search."""
    import hashlib

    baskets = Baskets.from_sets(records)
    first = {frozenset(record): u for u, record in reversed(list(enumerate(records)))}
    entry = {
        "rho": "9/10",
        "record": [],
        "alibi": [],
        "units": [],
        "open": sorted(u for record, u in first.items() if "e" in record),
    }
    proof = {
        "format": "sordino-proof/1",
        "data": baskets.fingerprint,
        "records": len(records),
        "knowledge": knowledge,
        "items": {"e": entry},
    }
    return {**proof, "sha256": hashlib.sha256(json.dumps(proof, separators=(",", ":")).encode()).hexdigest()}


@pytest.mark.parametrize("knowledge", [None, 6])
def test_a_search_that_would_not_end(knowledge: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long records of which many combinations occur: given up within the steps that are allowed, not before."""
    import random

    rng = random.Random(0)
    records = [{f"i{j}" for j in range(50) if rng.random() < 0.85} for _ in range(400)]
    for record in records[::9]:
        record.add("e")
    proof, rho = open_proof(records, knowledge), {"e": Fraction(9, 10)}
    monkeypatch.setattr(proofs, "STEPS", 20_000_000)
    with cheap():
        verdict = proofs.verify_baskets(Baskets.from_sets(records), rho, knowledge, proof)
    assert (verdict.answer, "given up" in verdict.reason) == (Answer.NOT_CHECKED, True)
    few = [record & {"e", *(f"i{j}" for j in range(8))} for record in records]
    assert proofs.verify_baskets(Baskets.from_sets(few), rho, knowledge, open_proof(few, knowledge)).holds


def test_a_search_among_people_that_would_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = sordino.InferencePolicy([], "0.5", per_record={0: ["x"]})
    out = written(tmp_path, policy)
    assert sordino.verify(out, policy, original=SHOP).holds
    monkeypatch.setattr(people_check, "STEPS", 10)
    assert sordino.verify(out, policy, original=SHOP).answer is Answer.NOT_CHECKED


def test_a_count_of_values_that_would_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = written(tmp_path, sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE}), people())
    assert sordino.verify(out).holds
    for limit in ("STEPS", "CELLS"):
        monkeypatch.setattr(possible_values, limit, 100)
        assert sordino.verify(out).answer is Answer.NOT_CHECKED
        monkeypatch.undo()


def test_bounded_reading(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(LeftOpenError, match="4 bytes"):
        read_bytes(path, 4)
    packed = gzipped(b"12345")
    assert unzipped(packed, "x", 5) == b"12345"
    assert unzipped(packed + gzipped(b"6"), "x", 6, bare=False) == b"123456"
    with pytest.raises(LeftOpenError, match="4 bytes"):
        unzipped(packed, "x", 4)
    assert strict_json(b'{"a": [1]}', "x") == {"a": [1]}
    effort = Effort(2, "counting")
    effort.spend(2)
    with pytest.raises(LeftOpenError, match="counting would take too long"):
        effort.spend(1)
