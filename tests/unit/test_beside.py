"""Work beside a run: engine/beside.py."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import sordino
from sordino.engine.beside import Beside
from sordino.engine.local import Watch, stop_of
from sordino.release.baskets import protect as making

WAIT = 30.0


def until_stopped(watch: Watch) -> str:
    end = time.monotonic() + WAIT
    while not watch.stop[0]:
        assert time.monotonic() < end, "nobody told it to end"
        time.sleep(0.005)
    return "stopped"


def test_the_result_comes_when_it_is_asked_for() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(watch: Watch) -> int:
        begun.set()
        assert go_on.wait(WAIT)
        return int(watch.stop[0]) + 7

    beside = Beside(work)
    assert begun.wait(WAIT)  # before anybody asks
    go_on.set()
    assert beside.result() == 7
    assert beside.result() == 7


def test_its_error_is_that_of_who_asks() -> None:
    def work(watch: Watch) -> None:
        raise ValueError(f"{watch.stop[0]}")

    with pytest.raises(ValueError, match="0"):
        Beside(work).result()


def test_who_fails_leaves_nothing_running() -> None:
    beside = Beside(until_stopped)
    with pytest.raises(KeyError), beside:
        raise KeyError
    assert beside.result() == "stopped"


def test_what_stops_the_run_stops_it() -> None:
    beside = Beside(until_stopped)
    stop_of(threading.current_thread())
    assert beside.result() == "stopped"


def test_a_release_tells_the_bound_that_was_found_beside_its_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as if it were asked for afterwards; and a method that fails ends it."""
    rng = np.random.default_rng(3)
    records = [{f"i{x}" for x in rng.choice(12, size=n, replace=False)} for n in rng.integers(1, 7, size=120)]
    policy = sordino.InferencePolicy(["i1", "i5", "i7"], "0.3")
    release = sordino.protect(records, policy, seed=1, jobs=2)
    alone = sordino.measure(records, release.data, policy=policy)
    assert release.utility.bound == alone.bound
    assert release.utility.bound is not None
    assert release.utility.bound.deletions > 0

    ended: list[str] = []
    monkeypatch.setattr(making, "least_loss", lambda *_, watch, **__: ended.append(until_stopped(watch)))

    def fail(_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(making.BasketMaking, "_changed", fail)
    with pytest.raises(RuntimeError, match="broken"):
        sordino.protect(records, policy, seed=1, jobs=2)
    end = time.monotonic() + WAIT
    while not ended and time.monotonic() < end:
        time.sleep(0.005)
    assert ended == ["stopped"]
