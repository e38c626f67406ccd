"""The progress bar: on a terminal, after a moment, with the phase; otherwise not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import sordino
from cli.shell import Run, Spawn, needs_terminal, on_terminal
from sordino.cli.progress import PROTECT, STEP, Bar
from sordino.engine import local

SCRIPT = """
import sys, threading, time
from sordino.cli.progress import PROTECT, STEP, Bar
from sordino.engine import local
with Bar(wanted=sys.argv[1] == "wanted") as bar:
    for done in range(4):
        worker = threading.Thread(target=bar, args=("2 known", done, 4))
        worker.start()
        worker.join()
        time.sleep(float(sys.argv[2]))
print("end")
"""


@needs_terminal
def test_long_work_shows_its_phase_and_leaves_nothing_behind() -> None:
    code, text = on_terminal("-c", SCRIPT, "wanted", "0.5")
    assert code == 0
    assert "Searching: two items known" in text
    assert "0:00:0" in text
    assert "50%" in text, "how much is done"
    assert "left of this step:" in text
    assert text.rstrip().endswith("end")
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")  # the cursor is back


WHOLE = """
import os
os.environ["COLUMNS"] = "160"  # so that no line is cut
from sordino.cli.progress import PROTECT, Bar
with Bar(steps=PROTECT) as bar:
    bar("Reading", 0, 0)
    bar._timer.join()  # it is shown, and all of it is ready
    bar._shown[0].refresh()
    bar("step: change", 0, 0)
    bar("2 known", 1, 4)
    bar._shown[0].refresh()
    bar("step: verify", 0, 0)
    bar._shown[0].refresh()
print("end")
"""


@needs_terminal
def test_it_is_said_which_step_of_the_whole_command_this_is_and_what_is_left() -> None:
    code, text = on_terminal("-c", WHOLE)
    assert code == 0
    assert "Step 1 of 8: reading (then auditing, 6 more)" in text
    assert "Step 3 of 8: changing the data (then measuring the cost, 4 more)" in text
    assert "Step 8 of 8: verifying" in text
    assert "Searching: two items known" in text
    assert text.rstrip().endswith("end")


def test_protecting_begins_its_steps_in_their_order(tmp_path: Path) -> None:
    begun: list[str] = []

    def hear(phase: str, *_: int) -> None:
        if phase.startswith(STEP):
            begun.append(phase.removeprefix(STEP))

    policy = sordino.InferencePolicy(["x"], "0.5")
    release = sordino.protect([["a", "x"], ["a", "x"], ["a"], ["b"]], policy, seed=1, progress=hear)
    release.write(tmp_path / "out", progress=hear)
    assert ["read", *begun] == list(PROTECT)
    assert local.STEP == STEP


@needs_terminal
def test_short_or_quiet_work_shows_nothing() -> None:
    assert on_terminal("-c", SCRIPT, "wanted", "0") == (0, "end\r\n")
    assert on_terminal("-c", SCRIPT, "unwanted", "0.3") == (0, "end\r\n")


def test_in_a_pipe_there_is_no_bar(spawn: Spawn) -> None:
    done = spawn("-c", SCRIPT, "wanted", "0.3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_compiling_is_said_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    from sordino.engine.kernels import compiled

    told: list[Callable[[], None]] = []
    monkeypatch.setattr(compiled, "when_compiling", told.append)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    bar = Bar()
    bar.tell_compiling()
    bar("1 known", 1, 2)
    told[0]()
    assert bar._state == ("Compiling, once per machine", 0, 0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    Bar().tell_compiling()
    assert len(told) == 1, "nobody looks"


def test_dense_data_say_early_what_to_expect(run: Run, tmp_path: Path) -> None:
    dense = tmp_path / "dense.dat"
    dense.write_text("".join(" ".join(f"{a}={(k >> a) % 2}" for a in range(22)) + "\n" for k in range(40)))
    said = run("audit", dense, "--sensitive", "1=1", "--rho", "0.9", "--time-limit", "20")
    assert "This may take minutes" not in said.err, "it cannot"
    said = run("audit", dense, "--sensitive", "1=1", "--rho", "0.9", "--knowledge", "4")
    assert "This may take minutes: records hold 22 of 28 items on average" in said.err
    assert "--time-limit 60" in said.err
    assert "--knowledge 3" in said.err
    assert run("audit", dense, "--sensitive", "1=1", "--rho", "0.9", "--knowledge", "3").err == ""
    assert run("audit", dense, "--sensitive", "1=1", "--rho", "0.9", "--knowledge", "4", "-q").err == ""
