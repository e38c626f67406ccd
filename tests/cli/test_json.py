"""--json on the commands that make, check and compare: the same answer as the page, as plain data."""

from __future__ import annotations

import json
from pathlib import Path

from cli.shell import Run


def test_protect_verify_and_compare_tell_in_json(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    made = run("protect", shop, "--policy", policy, "--out", tmp_path / "out", "--seed", "1", "--json", "-")
    assert made.code == 0
    told = json.loads(made.out)
    assert (told["before"]["answer"], told["after"]["answer"]) == ("fails", "holds")
    assert told["utility"]["left"] < told["utility"]["occurrences"]
    assert "seed" not in told, "it is secret"

    file = tmp_path / "verdict.json"
    checked = run("verify", tmp_path / "out", "--json", file)
    assert (checked.code, checked.out.startswith("The release is valid")) == (0, True)
    verdict = json.loads(file.read_text())
    assert (verdict["answer"], verdict["holds"]) == ("holds", True)
    (tmp_path / "out" / "publish" / "README.txt").write_text("changed")
    broken = run("verify", tmp_path / "out", "--json", "-")
    assert (broken.code, json.loads(broken.out)["answer"]) == (1, "fails")

    compared = run("compare", shop, "--policy", policy, "--methods", "mine", "--json", "-")
    assert compared.code == 0
    assert json.loads(compared.out)["recommended"]["method"] == "mine"


def test_no_input_is_overwritten(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    before = shop.read_bytes()
    for words in (
        ("protect", shop, "--policy", policy, "--out", tmp_path / "o"),
        ("compare", shop, "--policy", policy),
    ):
        assert run(*words, "--json", shop).code == 2
    assert shop.read_bytes() == before
    assert not (tmp_path / "o").exists()


def test_a_proof_in_json(run: Run, tmp_path: Path) -> None:
    data, proof = tmp_path / "safe.dat", tmp_path / "proof.json.gz"
    data.write_text("a x\na\na b\nb\n" * 3)
    words = ("--sensitive", "x", "--rho", "0.6")
    assert run("audit", data, *words, "--proof", proof, "-q").code == 0
    found = run("verify", data, *words, "--proof", proof, "--json", "-")
    assert (found.code, json.loads(found.out)["reason"]) == (0, "proved")
