"""Whatever goes wrong: one message on stderr, exit 2, nothing written, no traceback, no record contents."""

from __future__ import annotations

import array
import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.shell import SHOP, Run, Spawn, environment
from sordino.errors import InternalError
from sordino.kinds import inference

SECRET = "quetiapine"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cut.csv.gz", gzip.compress(SHOP.encode() * 50, mtime=0)[:-12], "cut.csv.gz"),
        ("noise.dat", b"a b\n" + bytes(range(256)), "line 2"),
        ("nul.csv", b"a,x\na\0,x\n", "line 2"),
        ("latin.csv", b"a,x\n\xe9,x\n", "line 2"),
        ("empty.csv", b"", "there are no records"),
        ("fake.parquet", b"PAR1 not really", "fake.parquet"),
        ("broken.jsonl", b'["a", "x"]\n["a"', "line 2"),
    ],
    ids=["cut gzip", "binary", "NUL", "not UTF-8", "empty", "no Parquet", "cut JSON"],
)
def test_bad_data(run: Run, tmp_path: Path, name: str, content: bytes, message: str) -> None:
    data, out, proof = tmp_path / name, tmp_path / "out.json", tmp_path / "proof.gz"
    data.write_bytes(content)
    done = run("audit", data, "--sensitive", "x", "--rho", "0.5", "--json", out, "--proof", proof)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {data}")
    assert done.err.count("Error:") == 1
    assert message in done.err
    assert "Traceback" not in done.err
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_missing_columns(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "long.csv"
    data.write_text(f"who,what\n1,{SECRET}\n")
    done = run("audit", data, "--sensitive", "x", "--rho", "0.5", "--record", "whom", "--item", "what")
    assert done.code == 2
    assert "whom" in done.err
    assert SECRET not in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is no policy"),
        (("--sensitive", "x"), "--rho is missing"),
        (("--rho", "0.5"), "--sensitive is missing"),
        (("--knowledge", "2"), "--sensitive and --rho is missing"),
        (("--sensitive", " , ", "--rho", "0.5"), "--sensitive names no item"),
        (("--sensitive", "x", "--rho", "1.5"), "1.5 is not between 0 and 1"),
        (("--sensitive", "x", "--rho", "half"), "not a number"),
        (("--sensitive", "x", "--rho", "0.5", "--knowledge", "0"), "knowledge must be a whole number"),
        (("--sensitive", "@nowhere.txt", "--rho", "0.5"), "nowhere.txt"),
        (("--sensitive", "x", "--rho", "0.5", "--layout", "lang"), "Did you mean 'long'?"),
        (("--sensitive", "x", "--rho", "0.5", "--jobs", "0"), "--jobs"),
        (("--sensitive", "x", "--rho", "0.5", "--top", "few"), "--top"),
        (("--sensitive", "x", "--rho", "0.5", "--time-limit", "-1"), "--time-limit"),
        (("--sensitive", "x", "--rho", "0.5", "--jsn", "out"), "--json"),
    ],
)
def test_bad_usage(run: Run, shop: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run("audit", shop, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("more", [("--sensitive", "x"), ("--rho", "0.5"), ("--knowledge", "2"), ("--adaptive",)])
def test_a_policy_file_stands_alone(run: Run, shop: Path, policy: Path, more: tuple[str, ...]) -> None:
    done = run("audit", shop, "--policy", policy, *more)
    assert done.code == 2
    assert f"--policy cannot be combined with {more[0]}" in done.err


def test_all_problems_of_a_policy_file_at_once(run: Run, shop: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[sensitive]\nitem = ["x"]\n[threshold]\nrho = "2"\n[knowledge]\nitems = 0\n')
    done = run("audit", shop, "--policy", policy)
    assert done.code == 2
    for part in (str(policy), "unknown key 'item'", "Did you mean 'items'?", "2 is not between", "whole number"):
        assert part in done.err


@pytest.mark.parametrize("command", ["audit", "protect", "report", "compare"])
def test_items_that_do_not_occur_are_told_with_the_rest(run: Run, shop: Path, tmp_path: Path, command: str) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[sensitive]\nitems = ["X", "y", "nowhere"]\n[threshold]\nrho = "2"\nroh = "1"\n')
    out = () if command == "audit" else ("--out", tmp_path / "out")
    done = run(command, shop, "--policy", policy, *out)
    assert (done.code, done.out, (tmp_path / "out").exists()) == (2, "", False)
    for part in (
        f"{policy}: 4 problems",
        "unknown key 'roh'",
        "2 is not between",
        "'X' occurs in no record.",
        "'nowhere' occurs",
    ):
        assert part in done.err
    if command == "audit":
        assert "'X' occurs in no record" in run("audit", shop, "--sensitive", "X", "--rho", "7").err
        done = run("audit", tmp_path / "nowhere.csv", "--policy", policy)
        assert (done.code, "2 problems" in done.err) == (2, True)


@pytest.mark.parametrize("terminal", [True, False])
def test_names_of_the_data_are_suggested_on_a_terminal_only(
    run: Run, shop: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    """Elsewhere, messages may go into logs."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    told = run("audit", shop, "--sensitive", "X", "--rho", "0.5").err
    assert "sensitive item 'X' occurs in no record." in told
    assert ("did you mean 'x'?" in told) == terminal
    assert ("On a terminal" in told) != terminal


def test_unknown_command_and_no_such_file(run: Run, tmp_path: Path) -> None:
    wrong = run("audti")
    assert (wrong.code, "Did you mean 'audit'?" in wrong.err) == (2, True)
    nowhere = run("audit", tmp_path / "nowhere.csv", "--sensitive", "x", "--rho", "0.5")
    assert (nowhere.code, "there is no such file" in nowhere.err) == (2, True)


def test_outputs_never_overwrite_inputs(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    for option in ("--json", "--proof"):
        for target in (shop, policy):
            done = run("audit", shop, "--policy", policy, option, target)
            assert (done.code, "this file is an input" in done.err) == (2, True)
    same = tmp_path / "same"
    assert run("audit", shop, "--policy", policy, "--json", same, "--proof", same).code == 2
    assert shop.read_text() == SHOP


@pytest.mark.parametrize("target", ["no/such/folder/out.json", ".", "/dev/null"])
def test_outputs_that_cannot_be_written_are_refused_before_the_work(
    run: Run, shop: Path, policy: Path, tmp_path: Path, target: str
) -> None:
    for option in ("--json", "--proof"):
        done = run("audit", shop, "--policy", policy, option, tmp_path / target)
        assert done.code == 2
        assert done.err.startswith(f"Error: {option} ")


def test_an_unexpected_exception_tells_its_type_and_place_only(
    run: Run, shop: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError(SECRET)

    monkeypatch.delenv("SORDINO_DEBUG", raising=False)
    monkeypatch.setattr(inference, "audit_baskets", fail)
    done = run("audit", shop, "--policy", policy)
    assert (done.code, done.out) == (2, "")
    assert "KeyError at sordino/kinds/inference.py:" in done.err
    assert SECRET not in done.err
    assert "Traceback" not in done.err
    monkeypatch.setenv("SORDINO_DEBUG", "1")
    assert "Traceback" in run("audit", shop, "--policy", policy).err


def test_our_own_fault_is_called_so(run: Run, shop: Path, policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InternalError("the two counts differ")

    monkeypatch.setattr(inference, "audit_baskets", fail)
    done = run("audit", shop, "--policy", policy)
    assert (done.code, "this is a bug in sordino: the two counts differ" in done.err) == (2, True)


def test_an_interrupt_exits_130(run: Run, shop: Path, policy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(inference, "audit_baskets", interrupt)
    done = run("audit", shop, "--policy", policy)
    assert (done.code, done.out, done.err) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_control_c_leaves_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sordino", "audit", "-", "--sensitive", "x", "--rho", "0.5"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdin is not None
        process.stdin.write("a,x\n")
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while _unread(process.stdin.fileno()):  # once it has read this, it waits for more
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "Interrupted.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_control_c_while_the_command_is_being_loaded(spawn: Spawn, tmp_path: Path) -> None:
    """What is loaded first is replaced by something during whose loading Ctrl-C comes."""
    (tmp_path / "typer.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n")
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    done = spawn("-m", "sordino", "--help", env={"PYTHONPATH": path})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_control_c_in_code_made_from_text_exits_130_too(spawn: Spawn, tmp_path: Path) -> None:
    """Python notes such an interrupt, and would end by the signal itself, whoever has caught it since."""
    script = (
        "import signal, sys, sordino.cli\nfrom sordino.__main__ import run\n"
        "def main():\n    try:\n        exec('signal.raise_signal(signal.SIGINT)')\n"
        "    except KeyboardInterrupt:\n        return 130\n"
        "sordino.cli.main = main\nsys.exit(run())"
    )
    (tmp_path / "interrupted.py").write_text(script)
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    done = spawn("-m", "interrupted", env={"PYTHONPATH": path})
    assert (done.returncode, done.stderr) == (130, "")


def _unread(pipe: int) -> int:
    """How many bytes in the pipe nobody has read yet."""
    import fcntl
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


@pytest.mark.skipif(os.name != "posix", reason="uses a shell")
def test_a_closed_pipe_is_no_failure() -> None:
    for command in ("sample", "audit --help"):
        line = f'"{sys.executable}" -m sordino {command} | true; exit ${{PIPESTATUS[0]}}'
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, env=environment(), timeout=60, check=False
        )
        assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="uses a shell")
def test_closed_streams_lead_nowhere(shop: Path, policy: Path) -> None:
    audit = f'"{sys.executable}" -m sordino audit'
    for command, code in (
        (f'{audit} "{shop}" --policy "{policy}" >&- 2>&-', 1),
        (f'{audit} - --policy "{policy}" <&-', 2),
    ):
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, env=environment(), timeout=60, check=False
        )
        assert (done.returncode, "Traceback" in done.stderr, "bug" in done.stderr) == (code, False, False)
    assert done.stderr == "Error: standard input: there are no records\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_a_failure() -> None:
    line = f'"{sys.executable}" -m sordino sample > /dev/full'
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment(), timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


def test_an_encoding_without_the_letters(spawn: Spawn, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("α,β\nα,β\nγ\n", encoding="utf-8")
    options = ("--sensitive", "β", "--rho", "0.5")
    env = {"PYTHONIOENCODING": "ascii"}
    done = spawn("-m", "sordino", "audit", data, *options, env=env)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\\u03b1" in done.stdout


def test_an_option_that_is_stated_twice_is_refused(tmp_path: Path, run: Run) -> None:
    """Of two values the first would be passed over: of two names, one would not be looked at."""
    data = tmp_path / "data.csv"
    data.write_text("hiv,flu\nhiv,flu\nhiv\nflu\n", encoding="utf-8")
    words = ["audit", str(data), "--layout", "baskets", "--rho", "0.5"]
    assert run(*words, "--sensitive", "hiv,flu", "-q", "-q").code == 1
    done = run(*words, "--sensitive", "hiv", "--sensitive", "flu")
    assert (done.code, done.out) == (2, "")
    assert "--sensitive: stated more than once" in done.err
    assert "--rho: stated" in run(*words, "--sensitive", "hiv", "--rho=0.9").err


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
@pytest.mark.parametrize("words", [["--policy", "/dev/zero"], ["--sensitive", "@/dev/zero", "--rho", "0.5"]])
def test_a_policy_without_end(words: list[str], tmp_path: Path, run: Run) -> None:
    data = tmp_path / "data.dat"
    data.write_text("1 2 3\n1 2\n", encoding="utf-8")
    done = run("audit", str(data), *words)
    assert (done.code, "more than 64 MiB" in done.err) == (2, True), done.err


def test_knowledge_beyond_all_bounds(tmp_path: Path, run: Run) -> None:
    data = tmp_path / "data.dat"
    data.write_text("1 2 3\n1 2\n", encoding="utf-8")
    done = run("audit", str(data), "--layout", "fimi", "--sensitive", "1", "--rho", "0.5", "--knowledge", str(2**64))
    assert (done.code, "1,000,000 items at most" in done.err) == (2, True), done.err
