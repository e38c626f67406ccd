"""A kind and a method are added by the files that CONTRIBUTING lists: a toy of each, and not a line of sordino."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import deleter
import sordino
from cli.conftest import run as run
from cli.shell import Run
from sordino.errors import InputError, PolicyError
from sordino.kinds import KINDS, Kind
from sordino.protect.registry import METHODS, Method
from sordino.words.kinds import words_of
from toy.policy import CrowdPolicy, write

SOURCE = Path(sordino.__file__).parent

# Ages 30 and 40 are those of three people each, 50 of one.
PEOPLE = "Age,Job\n30,a\n30,b\n30,a\n40,a\n40,b\n40,b\n50,a\n"


@pytest.fixture
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Kind(
        "crowd",
        policy="toy.policy.CrowdPolicy",
        data="sordino.data.table.Table",
        verbs="toy.verbs",
        commands="toy.commands",
        compare="toy.compare",
        proofs="toy.proofs",
        method="hide",
    )
    method = Method("hide", "toy.method", "takes rows out", {"more": "how many more than k"}, kinds=("crowd",))
    monkeypatch.setitem(KINDS, "crowd", kind)
    monkeypatch.setitem(METHODS, "hide", method)  # type: ignore[attr-defined]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "crowd.toml"
    path.write_text(write(CrowdPolicy(("Age",), 3)), encoding="utf-8")
    return path


@pytest.mark.usefixtures("_toy")
def test_a_toy_kind_in_python(people: Path, policy: Path, tmp_path: Path) -> None:
    assert sordino.read_policy(policy) == CrowdPolicy(("Age",), 3)
    audit = sordino.audit(people, policy)
    assert (audit.answer, audit.people_at_risk) == ("fails", 1)
    release = sordino.protect(people, policy)
    assert (release.method, len(release.data), release.audit_after.holds) == ("hide", 6, True)
    assert sordino.protect(people, policy, method="hide", more=1).utility.gone == 7
    safe = release.write(tmp_path / "out") / "data.csv"
    assert sordino.measure(people, safe, policy).gone == 1
    proof = {"data": sordino.read_table(safe).fingerprint, "k": 3}
    assert sordino.verify(sordino.read_table(safe), policy, proof).holds
    assert sordino.verify(sordino.read_table(people), policy, proof).answer == "fails"
    cells = sordino.compare(people, sordino.read_policy(policy), methods=["hide", "hide:more=1"])
    assert [(cell.method, cell.left) for cell in cells.ranked()] == [("hide", 6), ("hide:more=1", 0)]


@pytest.mark.usefixtures("_toy")
def test_a_toy_kind_on_the_command_line(run: Run, people: Path, policy: Path, tmp_path: Path) -> None:
    words = ("--policy", policy)
    found = run("audit", people, *words, "--json", tmp_path / "audit.json")
    assert (found.code, "1 stand alone." in found.out, "7 rows, 2 columns" in found.out) == (1, True, True)
    assert json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))["kind"] == "crowd"
    made = run("protect", people, *words, "--out", tmp_path / "out", "--option", "more=0")
    assert (made.code, "1 rows are gone. See out." in made.out) == (0, True)
    safe = tmp_path / "out" / "data.csv"
    assert "1 rows are gone." in run("measure", people, safe, *words).out
    assert run("audit", safe, *words, "--proof", tmp_path / "proof").code == 0
    assert run("verify", safe, *words, "--proof", tmp_path / "proof").code == 0
    assert run("verify", people, *words, "--proof", tmp_path / "proof").code == 1
    assert "Take 'hide' at" in run("compare", people, *words, "--out", tmp_path / "comparison").out
    assert run("report", people, *words, "--out", tmp_path / "report.html").code == 0
    assert run("report", tmp_path / "audit.json", "--out", tmp_path / "again.html").code == 0


@pytest.mark.usefixtures("_toy")
def test_what_a_toy_kind_has_no_use_for_is_refused(run: Run, people: Path, policy: Path, tmp_path: Path) -> None:
    for option in (("--null", "x"), ("--layout", "long"), ("--time-limit", "1"), ("--original", people)):
        done = run("audit", people, "--policy", policy, *option)
        assert (done.code, f"{option[0]} is of no use here" in done.err) == (2, True), done
    for verb, option in ((sordino.audit, "original"), (sordino.protect, "previous")):
        with pytest.raises(InputError, match=f"no option '{option}' under policies of kind 'crowd'"):
            verb(people, policy, **{option: people})  # type: ignore[operator]
    with pytest.raises(InputError, match="'mine' is for policies of kind inference, not crowd"):
        sordino.protect(people, policy, method="mine")
    (tmp_path / "wrong.toml").write_text('kind = "crowd"\ncolumns = ["Age"]\n', encoding="utf-8")
    with pytest.raises(PolicyError, match="k must be a whole number"):
        sordino.audit(people, tmp_path / "wrong.toml")


def test_without_its_record_nobody_knows_the_kind(people: Path, policy: Path) -> None:
    with pytest.raises(PolicyError, match='this version knows kind = "inference", "template", "diversity"'):
        sordino.audit(people, policy)
    with pytest.raises(PolicyError, match="this is no policy: CrowdPolicy"):
        sordino.audit(people, CrowdPolicy(("Age",), 3))  # type: ignore[call-overload]


def test_a_toy_method_of_an_old_kind(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deleter.register(monkeypatch)
    data = tmp_path / "shop.csv"
    data.write_text("a,x\na,x\na\nb\n", encoding="utf-8")
    policy = sordino.InferencePolicy(["x"], "0.5")
    release = sordino.protect(data, policy, method="deleter")
    assert (release.method, release.audit_after.holds, release.data.occurrences) == ("deleter", True, 4)
    words = ("--sensitive", "x", "--rho", "0.5", "--method", "deleter", "--out", tmp_path / "out")
    assert run("protect", data, *words, "--option", "keep=0").code == 0
    assert sordino.verify(tmp_path / "out").holds
    assert [cell.method for cell in sordino.compare(data, policy, methods=["deleter"]).cells] == ["deleter"]


def test_every_record_leads_somewhere() -> None:
    for name, kind in KINDS.items():
        assert kind.name == name == kind.load_policy().kind
        assert kind.load_policy().file == f"sordino.policy.{name}_file"
        assert name in METHODS[kind.method].kinds
        assert all(name in METHODS[method].kinds for method in kind.method_where.values())
        assert kind.load_compare().SCALE.kind == name
        for verb in ("read", "audit", "protect", "measure"):
            assert callable(getattr(kind.load_verbs(), verb))
        assert callable(kind.load_commands().way)
        assert words_of(name).KEPT


def test_there_is_no_other_registry_of_kinds() -> None:
    """A dict or a tuple of the names of kinds is in kinds/ only; shapes of releases are no kinds."""
    names, allowed = set(KINDS), {"kinds/__init__.py", *SHAPES}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            keys = node.keys if isinstance(node, ast.Dict) else node.elts if isinstance(node, ast.Tuple) else []
            said = {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
            assert not names <= said or path.relative_to(SOURCE).as_posix() in allowed, f"{path}:{node.lineno}"


SHAPES = ("verify/shapes/__init__.py", "release/wording.py")
