"""`sordino verify`: a true proof is accepted, anything else is refused with the reason, and the audit is not needed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sordino
from cli.shell import Run, Spawn
from sordino.errors import PolicyError

OPTIONS = ("--sensitive", "x", "--rho", "0.5")


@pytest.fixture
def safe(tmp_path: Path) -> Path:
    """Everyone who has x has an alibi: (a) for (a x), (a b) for (a b x)."""
    path = tmp_path / "safe.csv"
    path.write_text("a,x\na\na,b,x\na,b\nb\n")
    return path


@pytest.fixture
def proof(run: Run, safe: Path, tmp_path: Path) -> Path:
    path = tmp_path / "proof.json.gz"
    done = run("audit", safe, *OPTIONS, "--proof", path)
    assert done.code == 0
    assert f"The proof is in {path}." in done.out
    return path


def tamper(proof: Path, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(gzip.decompress(proof.read_bytes()))
    change(document)
    proof.write_bytes(gzip.compress(json.dumps(document).encode()))


def test_a_true_proof_is_valid(run: Run, safe: Path, proof: Path) -> None:
    done = run("verify", safe, *OPTIONS, "--proof", proof)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("The proof is valid: ")
    assert "5 records, 1 sensitive item, against someone who knows any part of a record." in done.out


def test_with_a_policy_file_and_from_standard_input(run: Run, safe: Path, proof: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('kind = "inference"\n[sensitive]\nitems = ["x"]\n[threshold]\nrho = "1/2"\n')
    done = run("verify", "-", "--policy", policy, "--proof", proof, stdin=safe.read_bytes())
    assert done.code == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d["items"].clear(), "no entry for 'x'"),
        (lambda d: d["items"]["x"]["alibi"].__setitem__(0, 4), "is no alibi"),
        (lambda d: d["items"]["x"]["units"].__setitem__(0, 2), "units than it"),
        (lambda d: d.update(knowledge=1), "another limit of knowledge"),
        (lambda d: d.update(format="other"), "format"),
    ],
)
def test_a_tampered_proof_exits_1_with_the_reason(
    run: Run, safe: Path, proof: Path, change: Callable[[dict[str, Any]], object], reason: str
) -> None:
    tamper(proof, change)
    done = run("verify", safe, *OPTIONS, "--proof", proof)
    assert done.code == 1
    assert done.out.startswith("The proof is NOT valid: ")
    assert reason in done.out


def test_a_changed_record_exits_1(run: Run, safe: Path, proof: Path) -> None:
    safe.write_text("a,x\na\na,b,x\na,b\nc\n")
    done = run("verify", safe, *OPTIONS, "--proof", proof)
    assert done.code == 1
    assert "about other data" in done.out


def test_data_that_lost_the_item_are_other_data(run: Run, safe: Path, proof: Path) -> None:
    safe.write_text("a\na\na,b\na,b\nb\n")
    assert run("verify", safe, *OPTIONS, "--proof", proof).code == 1


def test_another_threshold_exits_1(run: Run, safe: Path, proof: Path) -> None:
    done = run("verify", safe, "--sensitive", "x", "--rho", "0.4", "--proof", proof)
    assert (done.code, "another threshold" in done.out) == (1, True)


def test_a_damaged_proof_exits_1_and_a_missing_one_2(run: Run, safe: Path, proof: Path) -> None:
    proof.write_bytes(proof.read_bytes()[:-9])
    assert run("verify", safe, *OPTIONS, "--proof", proof).code == 1
    proof.unlink()
    done = run("verify", safe, *OPTIONS, "--proof", proof)
    assert (done.code, done.out) == (2, "")
    assert "there is no such proof" in done.err


def test_a_sensitive_item_that_is_nowhere(run: Run, safe: Path, proof: Path) -> None:
    options = ("--sensitive", "x,vanished", "--rho", "0.5", "--proof", proof)
    refused = run("verify", safe, *options)
    assert (refused.code, "--allow-missing" in refused.err) == (2, True)
    assert run("verify", safe, *options, "--allow-missing").code == 0


def test_no_proof_of_what_is_not_so(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json.gz"
    done = run("audit", shop, "--policy", policy, "--proof", proof)
    assert done.code == 1
    assert "there is none, because the policy does not hold" in done.err
    assert not proof.exists()


def test_a_threshold_of_many_digits_survives_the_proof(run: Run, safe: Path, tmp_path: Path) -> None:
    options = ("--sensitive", "x", "--rho", "0.50000000000000000000000001", "--proof", tmp_path / "p.gz")
    assert run("audit", safe, *options).code == 0
    assert run("verify", safe, *options).code == 0


def test_verification_needs_neither_numba_nor_the_audit(spawn: Spawn, safe: Path, proof: Path) -> None:
    script = (
        "import sys\nfrom sordino.cli import main\ncode = main(sys.argv[1:])\n"
        "loaded = [m for m in sys.modules if m.split('.')[0] == 'numba' or m.startswith('sordino.audit.')]\n"
        "print(loaded)\nsys.exit(code)\n"
    )
    done = spawn("-c", script, "verify", safe, *OPTIONS, "--proof", proof)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "[]"


def test_in_python(safe: Path, proof: Path) -> None:
    policy = sordino.InferencePolicy(["x"], "0.5")
    verdict = sordino.verify(safe, policy, proof)
    assert isinstance(verdict, sordino.Verdict)
    assert (verdict.holds, verdict.reason, verdict.served) == (True, "proved", 2)
    assert not sordino.verify([{"a", "x"}], policy, proof).holds
    with pytest.raises(PolicyError, match="occurs in no record"):
        sordino.verify(safe, sordino.InferencePolicy(["x", "vanished"], "0.5"), proof)
