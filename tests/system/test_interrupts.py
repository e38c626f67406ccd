"""Ctrl-C and SIGTERM end every command soon, with the exit code of the signal, one word, and nothing left behind."""

from __future__ import annotations

import array
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sordino.cli import interrupts
from sordino.cli.interrupts import attend
from sordino.engine.local import Watch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

SOURCE = Path(__file__).parents[2] / "src"
SOON = 2.0  # seconds
BUSY = 2.0  # more seconds, for a machine that has other things to do
GUARD = 10  # seconds for the guard of a release to clean up after a process that was left
EXPECTED = b"This may take minutes: "  # what is told of dense data before the work begins


def dense() -> bytes:
    """Records so long and so alike that audit and protect take very long; what is sensitive is rare."""
    chance = random.Random(5)
    lines = (" ".join(str(2 * k + (chance.random() < 0.2)) for k in range(36)) for _ in range(4000))
    return ("\n".join(lines) + "\n").encode()


def start(folder: Path, command: str) -> subprocess.Popen[bytes]:
    """Starts the command on records from standard input; it has read them all when this returns."""
    import fcntl
    import termios

    out = ["--out", str(folder / "out")] if command == "protect" else ["--json", str(folder / "out.json")]
    words = [sys.executable, "-m", "sordino", command, "-", "--sensitive", "1,3,5", "--rho", "0.5", *out]
    process = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert process.stdin is not None
    process.stdin.write(dense())
    process.stdin.flush()
    unread = array.array("i", [1])
    while unread[0]:
        assert process.poll() is None
        fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, unread)
        time.sleep(0.01)
    process.stdin.close()
    process.stdin = None
    return process


@pytest.mark.slow
@pytest.mark.parametrize("command", ["audit", "protect"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("twice", [False, True], ids=["once", "twice"])
def test_a_signal_at_any_moment(command: str, number: signal.Signals, twice: bool, tmp_path: Path) -> None:
    chance = random.Random(f"{command} {number} {twice}")
    for turn, moment in enumerate((0.0, chance.uniform(0, 2), chance.uniform(2, 5))):
        folder = tmp_path / str(turn)
        folder.mkdir()
        process = start(folder, command)
        time.sleep(moment)
        began = time.monotonic()
        process.send_signal(number)
        if twice:
            time.sleep(chance.uniform(0, 0.4))
            process.send_signal(number)
        out, err = process.communicate(timeout=60)
        took = time.monotonic() - began
        code, word = (130, b"Interrupted.\n") if number == signal.SIGINT else (143, b"Terminated.\n")
        said = [line for line in err.splitlines(keepends=True) if not line.startswith(EXPECTED)]
        assert (process.returncode, out, said) == (code, b"", [word]), moment
        assert took < SOON + BUSY, moment
        end = time.monotonic() + GUARD
        while os.listdir(folder) and time.monotonic() < end:
            time.sleep(0.02)
        assert os.listdir(folder) == [], moment


def interrupt_soon(after: float = 0.1) -> threading.Timer:
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_work_in_python_is_interrupted() -> None:
    def work() -> int:
        while True:
            time.sleep(0.001)

    timer = interrupt_soon()
    outcome = attend(work)
    timer.join()
    assert (outcome.signals, outcome.left) == ([signal.SIGINT], False)
    assert isinstance(outcome.error, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_an_exception_that_is_swallowed_is_raised_once_more() -> None:
    """As by compiled code, which ignores whatever its callbacks raise."""
    swallowed = 0

    def work() -> int:
        nonlocal swallowed
        while True:
            try:
                while True:
                    time.sleep(0.001)
            except KeyboardInterrupt:
                if swallowed:
                    raise
                swallowed += 1

    timer = interrupt_soon()
    outcome = attend(work)
    timer.join()
    assert (swallowed, outcome.left) == (1, False)
    assert isinstance(outcome.error, KeyboardInterrupt)


def test_the_flags_of_all_watches_go_up() -> None:
    watch = Watch()

    def work() -> int:
        waiting = threading.Event()

        def kernel() -> None:
            while not watch.stop[0]:
                time.sleep(0.001)
            waiting.set()

        threading.Thread(target=kernel, daemon=True).start()
        while not waiting.is_set():  # a wait that no exception can end
            try:
                waiting.wait(5)
            except KeyboardInterrupt:
                continue
        return 7

    timer = interrupt_soon()
    outcome = attend(work)
    timer.join()
    assert (outcome.result, outcome.left, int(watch.stop[0])) == (7, False, 1)


def test_work_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "PATIENCE", 0.2)
    over = threading.Event()

    def work() -> int:
        while not over.is_set():
            try:
                over.wait(5)
            except KeyboardInterrupt:
                continue
        return 0

    timer = interrupt_soon()
    began = time.monotonic()
    outcome = attend(work)
    timer.join()
    assert (outcome.left, outcome.result) == (True, None)
    assert time.monotonic() - began < 2
    over.set()


def test_whoever_has_a_handler_of_his_own_keeps_it() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        outcome = attend(lambda: signal.raise_signal(signal.SIGINT) or 5)  # type: ignore[func-returns-value]
    finally:
        signal.signal(signal.SIGINT, before)
    assert (outcome.result, seen) == (5, [signal.SIGINT])


def test_the_first_ctrl_c_ends_what_can_end_with_what_it_has() -> None:
    """As the help of --improve says: the sweeps end, the command goes on; nothing of the signal is left."""
    watch = Watch()

    def work() -> int:
        with watch.until_enough() as enough:
            os.kill(os.getpid(), signal.SIGINT)
            until = time.monotonic() + 30
            while not enough[0]:
                assert time.monotonic() < until
                time.sleep(0.01)
        time.sleep(0.3)  # longer than it takes to be stopped
        return int(watch.stop[0])

    outcome = attend(work)
    assert (outcome.result, outcome.error, outcome.signals, outcome.left) == (0, None, [], False)


def test_the_second_ctrl_c_ends_all() -> None:
    watch = Watch()

    def work() -> int:
        with watch.until_enough() as enough:
            os.kill(os.getpid(), signal.SIGINT)
            until = time.monotonic() + 30
            while not enough[0]:
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
            while time.monotonic() < until:
                time.sleep(0.01)
        return 0

    outcome = attend(work)
    assert outcome.result is None
    assert outcome.signals == [signal.SIGINT]
    assert watch.stop[0] == 1
