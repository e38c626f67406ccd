"""The progress bar: on a terminal, after a moment, with the phase; otherwise not at all."""

from __future__ import annotations

from cli.shell import Spawn, needs_terminal, on_terminal

SCRIPT = """
import sys, threading, time
from sordino.cli.progress import Bar
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
    assert text.rstrip().endswith("end")
    assert text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")  # the cursor is back


@needs_terminal
def test_short_or_quiet_work_shows_nothing() -> None:
    assert on_terminal("-c", SCRIPT, "wanted", "0") == (0, "end\r\n")
    assert on_terminal("-c", SCRIPT, "unwanted", "0.3") == (0, "end\r\n")


def test_in_a_pipe_there_is_no_bar(spawn: Spawn) -> None:
    done = spawn("-c", SCRIPT, "wanted", "0.3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
