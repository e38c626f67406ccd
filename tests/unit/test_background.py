"""Work beside whoever asked for it: its result, its error, and an end within two seconds when it is cancelled."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import sordino
from sordino.engine.background import Cancelled
from sordino.engine.local import Progress, Watch, run_chunks


def test_the_result_and_the_error_come_back() -> None:
    assert sordino.Background(lambda _: 42).result(10) == 42

    def fails(_: Progress) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        sordino.Background(fails).result(10)


def test_progress_is_seen() -> None:
    seen: list[tuple[str, int, int]] = []
    runs: list[sordino.Background[None]] = []

    def work(progress: Progress) -> None:
        while not runs:
            time.sleep(0.001)
        progress("counting", 1, 2)
        seen.append(runs[0].progress)

    runs.append(sordino.Background(work))
    runs[0].result(10)
    assert seen == [("counting", 1, 2)]


def test_python_ends_within_two_seconds() -> None:
    def forever(_: Progress) -> None:
        while True:
            time.sleep(0.01)

    run = sordino.Background(forever)
    time.sleep(0.1)
    begun = time.monotonic()
    run.cancel()
    with pytest.raises(Cancelled):
        run.result(10)
    assert time.monotonic() - begun < 2
    assert not run._thread.is_alive()


def test_what_cannot_end_is_left_behind() -> None:
    release = []

    def stubborn(_: Progress) -> str:
        while not release:
            try:
                time.sleep(0.01)
            except KeyboardInterrupt:
                continue
        return "too late"

    run = sordino.Background(stubborn)
    time.sleep(0.1)
    begun = time.monotonic()
    run.cancel()
    with pytest.raises(Cancelled):
        run.result(10)
    assert time.monotonic() - begun < 3  # 1.5 and a busy machine
    release.append(True)


def test_only_its_own_kernels_are_stopped() -> None:
    """Flags of watches that another run made, and of those that its threads made, stay down and go up."""
    watches: dict[str, list[Watch]] = {"mine": [], "other": []}

    def work(name: str) -> Callable[[Progress], None]:
        def run(_: Progress) -> None:
            watches[name].append(Watch())
            inner: list[Watch] = []
            run_chunks(lambda _, __: inner.append(Watch()), [0], 1)
            watches[name] += inner
            while not watches[name][0].stop[0]:
                time.sleep(0.01)

        return run

    mine, other = sordino.Background(work("mine")), sordino.Background(work("other"))
    while len(watches["mine"]) < 2 or len(watches["other"]) < 2:
        time.sleep(0.01)
    mine.cancel()
    with pytest.raises(Cancelled):
        mine.result(10)
    assert [int(w.stop[0]) for w in watches["mine"]] == [1, 1]
    assert [int(w.stop[0]) for w in watches["other"]] == [0, 0]
    assert other.running
    other.cancel()


def test_an_audit_can_be_cancelled() -> None:
    rng = np.random.default_rng(0)
    data = sordino.Baskets.from_sets([set(rng.integers(0, 60, 14).tolist()) for _ in range(4000)])
    policy = sordino.InferencePolicy([str(k) for k in range(30)], "0.9")
    run = sordino.Background(lambda progress: sordino.audit(data, policy, progress=progress))
    time.sleep(0.2)
    begun = time.monotonic()
    run.cancel()
    while run.running:
        time.sleep(0.01)
    assert time.monotonic() - begun < 3


def test_nothing_is_interrupted_while_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that was left in the middle of its import could not be used again in this process."""
    (tmp_path / "slowly.py").write_text("import time\nfor _ in range(10):\n    time.sleep(0.05)\nloaded = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    begun = threading.Event()

    def work(progress: Progress) -> bool:
        begun.set()
        loaded: bool = importlib.import_module("slowly").loaded
        while True:
            progress("on", 0, 0)
            time.sleep(0.01)
        return loaded

    run = sordino.Background(work)
    begun.wait(5)
    run.cancel()
    with pytest.raises(Cancelled):
        run.result(5)
    assert sys.modules["slowly"].loaded
    del sys.modules["slowly"]
