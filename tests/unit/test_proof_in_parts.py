"""A proof in parts: believed only if every part is proved, of parts that follow from the records."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sordino
from sordino.audit.by_parts import audit_by_parts
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.verify.in_parts import head_of, verify_file

SENSITIVE = ("x", "y")
HALF = dict.fromkeys(SENSITIVE, Fraction(1, 2))
Lines = list[dict[str, Any]]


def safe() -> Baskets:
    """Each record with something sensitive has a twin without it."""
    rng = np.random.default_rng(1)
    rows: list[set[str]] = []
    for _ in range(60):
        harmless = {f"h{k}" for k in rng.integers(0, 8, 3)}
        rows += [harmless | {str(rng.choice(SENSITIVE))}, harmless]
    return Baskets.from_sets(rows)


def proof_of(baskets: Baskets, number: int = 3) -> bytes:
    policy = sordino.InferencePolicy(SENSITIVE, "0.5").resolve(baskets)
    found = audit_by_parts(baskets, policy, number, jobs=1, watch=Watch())
    assert found is not None
    return found[1].encoded(baskets, policy)


def text(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def sealed(lines: Lines) -> bytes:
    """As a publisher would write it who wants it to be believed: all checksums fit."""
    for line in lines:
        if "items" in line:
            rest = {key: value for key, value in line.items() if key != "sha256"}
            line["sha256"] = hashlib.sha256(text(rest)).hexdigest()
    whole = b"".join(text(line) + b"\n" for line in lines)
    return gzip.compress(whole + text({"sha256": hashlib.sha256(whole).hexdigest()}) + b"\n", mtime=0)


def other_alibi(lines: Lines) -> None:
    """Somebody who lacks an item that the record has."""
    for line in lines[1:]:
        for entry in line["items"].values():
            if len(set(entry["alibi"])) > 1:
                entry["alibi"] = entry["alibi"][1:] + entry["alibi"][:1]
                return
    raise AssertionError


def overdrawn(lines: Lines) -> None:
    entry = next(entry for line in lines[1:] for entry in line["items"].values() if entry["units"])
    entry["units"][0] += 1


def two_parts_told_as_one(lines: Lines) -> None:
    lines[0]["parts"] = 2
    del lines[3]


def exchanged(lines: Lines) -> None:
    lines[1], lines[2] = lines[2], lines[1]


def none_of_one_item(lines: Lines) -> None:
    del next(line for line in lines[1:] if "x" in line["items"])["items"]["x"]


FORGERIES: dict[str, tuple[Callable[[Lines], object], str]] = {
    "another alibi": (other_alibi, "is no alibi of"),
    "overdrawn": (overdrawn, "units than it"),
    "a part left out": (lambda lines: lines.pop(2), "part 2 of 3"),
    "fewer parts": (two_parts_told_as_one, "another number of records"),
    "parts in another order": (exchanged, "part 1 of 3"),
    "an item left out": (none_of_one_item, "has no entry for 'x'"),
    "a part twice": (lambda lines: lines.append(lines[3]), "its own checksum does not fit"),
    "other records": (lambda lines: lines[0].update(records=7), "another number of records"),
    "other data": (lambda lines: lines[0].update(data="0" * 64), "about other data"),
    "other knowledge": (lambda lines: lines[0].update(knowledge=2), "another limit of knowledge"),
    "no parts": (lambda lines: lines[0].update(parts=0), "the number of its parts"),
    "parts without end": (lambda lines: lines[0].update(parts=10**9), "the number of its parts"),
    "something else in the head": (lambda lines: lines[0].update(name="Alice"), "its head is not as it should be"),
    "something else in a part": (lambda lines: lines[1].update(name="Alice"), "has no place in it"),
}


def test_what_was_made_is_believed(tmp_path: Path) -> None:
    baskets, file = safe(), tmp_path / "proof.json.gz"
    file.write_bytes(proof_of(baskets))
    verdict = verify_file(baskets, HALF, None, file, bare=True)
    assert (verdict.holds, verdict.reason) == (True, "proved")
    assert verdict.served > 10
    head = head_of(file)
    assert head is not None
    assert head["parts"] == 3
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    assert gzip.decompress(sealed(lines[:-1])) == gzip.decompress(file.read_bytes())  # so are forgeries sealed


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused(name: str, tmp_path: Path) -> None:
    baskets, file = safe(), tmp_path / "proof.json.gz"
    lines = [json.loads(line) for line in gzip.decompress(proof_of(baskets)).splitlines()][:-1]
    forge, reason = FORGERIES[name]
    forge(lines)
    file.write_bytes(sealed(lines))
    verdict = verify_file(baskets, HALF, None, file, bare=True)
    assert not verdict.holds
    assert reason in verdict.reason


def test_a_part_that_is_not_safe_is_not_proved_by_others(tmp_path: Path) -> None:
    """The proof of the safe records, told of records in which one person lost her alibi."""
    baskets, file = safe(), tmp_path / "proof.json.gz"
    lines = [json.loads(line) for line in gzip.decompress(proof_of(baskets)).splitlines()][:-1]
    worse = Baskets.from_sets([row | {"x"} if k < 4 else row for k, row in enumerate(list(baskets))])
    lines[0]["data"] = worse.fingerprint
    file.write_bytes(sealed(lines))
    assert not verify_file(worse, HALF, None, file, bare=True).holds


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda raw: gzip.compress(gzip.decompress(raw)[:-1], mtime=0), "its last line has no end"),
        (lambda raw: gzip.compress(gzip.decompress(raw) + b"{}\n", mtime=0), "has no place in it"),
        (lambda raw: gzip.compress(gzip.decompress(raw).replace(b",", b", "), mtime=0), "another way"),
        (lambda raw: gzip.compress(gzip.decompress(raw), mtime=7), "not plain gzip"),
        (lambda raw: raw + b"more", "after the end"),
        (lambda raw: raw[:-20], "damaged"),
    ],
)
def test_nothing_else_is_in_the_file(spoil: Callable[[bytes], bytes], reason: str, tmp_path: Path) -> None:
    baskets, file = safe(), tmp_path / "proof.json.gz"
    file.write_bytes(spoil(proof_of(baskets)))
    verdict = verify_file(baskets, HALF, None, file, bare=True)
    assert not verdict.holds
    assert reason in verdict.reason
