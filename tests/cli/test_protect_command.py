"""`sordino protect` and `sordino verify DIR`: a safe release or a clear error, and nothing in between."""

from __future__ import annotations

import json
import shlex
import signal
from pathlib import Path

import pytest

import deleter
import sordino
from cli.shell import Run, Spawn, needs_terminal, on_terminal
from sordino.errors import Unsatisfiable


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    deleter.register(monkeypatch)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_protect_says_what_it_did_and_verify_agrees(run: Run, shop: Path, policy: Path, out: Path) -> None:
    done = run("protect", shop, "--policy", policy, "--method", "deleter", "--out", out, "--ids", "renumber")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "SAFE now: 2 of 6 people (33.3%) were at risk before, nobody is now."
    assert any("3 of 8" in line and "37.5%" in line for line in lines)
    assert "2 items vanished from the file completely." in done.out
    assert ["in", "all", "2", "0"] in [line.split() for line in lines]
    assert (out / "publish" / "data.csv").read_text() == "a\na\na\nb\nb\n\n"
    command = next(line for line in lines if "sordino verify" in line)
    verified = run(*shlex.split(command)[1:])
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.startswith("The release is valid: ")
    assert "6 records, no sensitive item is left; someone who knows any part of a person's record" in verified.out
    assert run("verify", out / "publish").code == 0


def test_what_is_safe_stays_as_it_is(run: Run, shop: Path, out: Path) -> None:
    done = run("protect", shop, "--sensitive", "y", "--rho", "50%", "--out", out, "--ids", "keep")
    assert done.code == 0
    assert done.out.startswith("SAFE as it was: nothing had to be deleted.")
    assert (out / "publish" / "data.csv").read_bytes() == shop.read_bytes()


def test_quiet_and_standard_input(run: Run, shop: Path, policy: Path, out: Path) -> None:
    options = ("--policy", policy, "--method", "deleter", "--out", out, "--quiet")
    done = run("protect", "-", *options, stdin=shop.read_bytes())
    assert (done.code, done.out, done.err) == (0, "", "")
    assert sordino.verify(out).holds


def test_layout_ids_and_seed(run: Run, tmp_path: Path, policy: Path, out: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("kunde,ware\nanna,a\nanna,x\nben,a\nben,x\ncleo,a\ndora,b\ndora,y\nemil,b\n")
    options = ("--record", "kunde", "--item", "ware", "--policy", policy, "--method", "deleter")
    assert run("protect", table, *options, "--out", out, "--ids", "renumber").code == 0
    published = out / "publish" / "data.csv"
    assert published.read_text() == "kunde,ware\n1,a\n2,a\n3,a\n4,b\n5,b\n"
    assert run("protect", table, *options, "--out", out, "--ids", "keep", "--force").code == 0
    assert published.read_text() == "kunde,ware\nanna,a\nben,a\ncleo,a\ndora,b\nemil,b\n"
    assert run("protect", table, *options, "--out", out, "--seed", 5, "--force").code == 0
    assert sorted(published.read_text().splitlines()[1:]) != ["1,a", "2,a", "3,a", "4,b", "5,b"]
    assert json.loads((out / "keep" / "audit.json").read_text())["seed"] == 5
    assert run("verify", out).code == 0


def test_without_a_seed_every_run_draws_its_own(run: Run, tmp_path: Path, policy: Path) -> None:
    table = tmp_path / "t.dat"
    table.write_text("a b\n" + "".join(f"a i{k} {'x' if k % 2 else 'y'}\n" for k in range(40)))
    seeds, orders = set(), set()
    for name in ("one", "two"):
        out = tmp_path / name
        assert run("protect", table, "--policy", policy, "--method", "deleter", "--out", out, "--quiet").code == 0
        seeds.add(json.loads((out / "keep" / "audit.json").read_text())["seed"])
        orders.add((out / "publish" / "data.dat").read_bytes())
        assert not any(str(max(seeds)) in p.read_text() for p in (out / "publish").iterdir() if p.suffix != ".gz")
    assert (len(seeds), len(orders)) == (2, 2)
    again = run(
        "protect", table, "--policy", policy, "--method", "deleter", "--out", tmp_path / "three", "--seed", max(seeds)
    )
    assert again.code == 0
    assert (tmp_path / "three" / "publish" / "data.dat").read_bytes() in orders


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "mime"), "Did you mean 'mine'?"),
        (("--method", "deleter", "--heuristic", "mine"), "'heuristic' belongs to: jia"),
        (("--method", "deleter", "--ids", "kept"), "Did you mean 'keep'?"),
        (("--method", "deleter", "--seed", "-1"), "--seed"),
        (("--method", "deleter", "--jobs", "0"), "--jobs"),
    ],
)
def test_usage(run: Run, shop: Path, policy: Path, out: Path, options: tuple[str, ...], message: str) -> None:
    done = run("protect", shop, "--policy", policy, "--out", out, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not out.exists()


def test_no_policy_no_folder_no_item(run: Run, shop: Path, policy: Path, out: Path, tmp_path: Path) -> None:
    assert "there is no policy" in run("protect", shop, "--out", out).err
    assert "--out" in run("protect", shop, "--policy", policy).err
    done = run("protect", shop, "--sensitive", "x,zz", "--rho", "0.5", "--out", out, "--method", "deleter")
    assert (done.code, "--allow-missing" in done.err) == (2, True)
    options = ("--sensitive", "x,zz", "--rho", "0.5", "--out", out, "--method", "deleter", "--allow-missing")
    assert run("protect", shop, *options).code == 0
    done = run("protect", shop, "--policy", policy, "--out", tmp_path / "no" / "out")
    assert (done.code, "no such folder" in done.err) == (2, True)
    done = run("protect", shop, "--policy", policy, "--out", shop)
    assert (done.code, "its own input" in done.err) == (2, True)


def test_an_existing_release_is_never_overwritten_unasked(run: Run, shop: Path, policy: Path, out: Path) -> None:
    command = ("protect", shop, "--policy", policy, "--method", "deleter", "--out", out)
    assert run(*command).code == 0
    before = (out / "publish" / "manifest.json").stat().st_mtime_ns
    done = run(*command)
    assert (done.code, done.out, "--force" in done.err) == (2, "", True)
    assert (out / "publish" / "manifest.json").stat().st_mtime_ns == before
    assert run(*command, "--force").code == 0
    (out / "keep" / ".." / "own.txt").write_text("precious")
    done = run(*command, "--force")
    assert (done.code, "is not a release" in done.err) == (2, True)


def test_the_target_is_looked_at_before_the_work(run: Run, shop: Path, policy: Path, out: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from sordino.data import read

    out.mkdir()
    monkeypatch.setattr(read, "read_baskets", lambda *_, **__: pytest.fail("it began to work"))
    assert run("protect", shop, "--policy", policy, "--out", out).code == 2


def test_unsatisfiable_is_a_clear_error(run: Run, shop: Path, policy: Path, out: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Suppression always finds a way, so a method that does not has to be made up."""

    def give_up(*_: object, **__: object) -> None:
        raise Unsatisfiable("no legal change makes the policy hold")

    monkeypatch.setattr(deleter, "protect", give_up)
    done = run("protect", shop, "--policy", policy, "--method", "deleter", "--out", out)
    assert (done.code, done.out) == (2, "")
    assert done.err == "Error: no legal change makes the policy hold\n"
    assert not out.exists()


def test_verify_a_folder_that_was_tampered_with(run: Run, shop: Path, policy: Path, out: Path) -> None:
    assert run("protect", shop, "--policy", policy, "--method", "deleter", "--out", out, "-q").code == 0
    assert run("verify", out, "--policy", policy).code == 0
    done = run("verify", out, "--sensitive", "x", "--rho", "0.4")
    assert done.code == 1
    assert "they differ in the threshold: 0.5, not 0.4" in " ".join(done.out.split())
    (out / "publish" / "data.csv").write_text("a,x\n" * 6)
    done = run("verify", out)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("The release is NOT valid: data.csv was changed")


def test_verify_needs_a_folder_or_a_proof(run: Run, shop: Path, tmp_path: Path) -> None:
    for words in ((shop,), ("-",), (tmp_path / "nowhere",), (tmp_path,)):
        done = run("verify", *words)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("Error: ")


def test_verifying_a_folder_needs_neither_numba_nor_the_audit(
    run: Run, spawn: Spawn, shop: Path, policy: Path, out: Path
) -> None:
    assert run("protect", shop, "--policy", policy, "--method", "deleter", "--out", out, "-q").code == 0
    script = (
        "import sys\nfrom sordino.cli import main\ncode = main(sys.argv[1:])\n"
        "loaded = [m for m in sys.modules if m.split('.')[0] == 'numba'\n"
        "          or m.startswith(('sordino.audit.', 'sordino.protect.', 'sordino.utility'))]\n"
        "print(loaded)\nsys.exit(code)\n"
    )
    done = spawn("-c", script, "verify", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "[]"


@needs_terminal
def test_on_a_terminal(shop: Path, policy: Path, out: Path) -> None:
    code, text = on_terminal("-m", "sordino", "protect", shop, "--policy", policy, "--out", out)
    assert code == 0
    assert "nobody is now" in text
    assert text.rfind("\x1b[?25h") >= text.rfind("\x1b[?25l")


def test_ctrl_c_in_disguise_is_still_ctrl_c(run: Run, shop: Path, policy: Path, out: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """As from a library that is being loaded, and tells some error of its own."""

    def library(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise SystemError("the library is not there") from None

    monkeypatch.setattr(deleter, "protect", library)
    done = run("protect", shop, "--policy", policy, "--method", "deleter", "--out", out)
    assert (done.code, done.out, done.err) == (130, "", "Interrupted.\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_demo_can_be_repeated_but_replaces_nothing_else(
    run: Run, shop: Path, policy: Path, out: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        done = run("demo", "--out", out)
        assert (done.code, done.err) == (0, "")
        assert "VERIFIED" in done.out
    assert run("verify", out).code == 0
    real = tmp_path / "real"
    assert run("protect", shop, "--policy", policy, "--method", "deleter", "--out", real, "-q").code == 0
    refused = run("demo", "--out", real)
    assert (refused.code, "already there" in refused.err) == (2, True)
