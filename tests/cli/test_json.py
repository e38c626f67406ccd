"""--json on the commands that make, check and compare: the same answer as the page, as plain data."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

import sordino
from cli.all_commands import COMMANDS
from cli.shell import SHOP, Run


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


# What each command is asked, in words that may name files of `asked` in braces. `schema` prints JSON by itself, and
# `studio` is a server that goes on until it is ended.
WITHOUT = {"schema", "studio"}
LINES = {
    "audit": "{shop} --sensitive x --rho 0.5",
    "inspect": "{shop} --layout baskets",
    "init": "{shop} --layout baskets --sensitive x --rho 0.5 --out {new}/policy.toml",
    "protect": "{shop} --sensitive x --rho 0.5 --out {new}/release",
    "verify": "{release}",
    "measure": "{shop} {release}",
    "compare": "{shop} --sensitive x --rho 0.5 --methods mine",
    "report": "{shop} --sensitive x --rho 0.5 --out {new}/page.html",
    "rules": "{table} --sensitive ill --quasi age",
    "hierarchy build": "{shop} --layout baskets --out {new}/tree.csv",
    "hierarchy show": "{tree}",
    "sign": "{release} --key {new}/key --new",
    "sample": "",
    "demo": "",
    "datasets list": "",
    "datasets get": "Retail",
    "experiment list": "",
    "experiment show": "jia-table1",
    "experiment run": "jia-table1 --quick --out {new}/found",
    "warm": "",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files that the commands are about."""
    place = tmp_path_factory.mktemp("json")
    files = {name: place / f"{name}.csv" for name in ("shop", "table", "tree")}
    files["shop"].write_text(SHOP)
    files["table"].write_text("age,ill\n" + "30,flu\n40,cold\n" * 9)
    files["tree"].write_text("a;g;all\nb;g;all\n")
    policy = sordino.InferencePolicy(["x"], "0.5")
    files["release"] = sordino.protect(files["shop"], policy, seed=1, layout="baskets").write(place / "release")
    return files


def test_every_command_tells_in_json() -> None:
    assert set(LINES) | WITHOUT == set(COMMANDS)
    for name, command in COMMANDS.items():
        has = any("--json" in parameter.opts for parameter in command.params)
        assert has is (name not in WITHOUT), name


@pytest.mark.parametrize("command", LINES)
def test_json_goes_to_standard_output_alone_and_to_a_file(
    run: Run, command: str, asked: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORDINO_CACHE", str(tmp_path))
    monkeypatch.setattr(importlib.import_module("sordino.cli.warm"), "TASKS", {})  # nothing is compiled here
    for module in ("find", "fetch"):
        monkeypatch.setattr(f"sordino.experiments.datasets.{module}", lambda *_, **__: asked["shop"])
    told = []
    for target in ("-", tmp_path / "told.json"):
        (tmp_path / f"new{len(told)}").mkdir()
        words = LINES[command].format(**asked, new=tmp_path / f"new{len(told)}").split()
        done = run(*command.split(), *words, "--json", target)
        assert done.code in (0, 1), done.err
        told.append(done.out if target == "-" else (tmp_path / "told.json").read_text(encoding="utf-8"))
    first, second = map(json.loads, told)
    assert isinstance(first, dict)
    assert first.keys() == second.keys()
    assert first
