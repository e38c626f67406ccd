"""Threads: every chunk is worked on once, and nothing that goes wrong is lost."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import sordino
from sordino.engine import local
from sordino.engine.kernels.flag import raised
from sordino.engine.local import (
    OutOfTime,
    Stopped,
    Watch,
    deadline_after,
    default_jobs,
    raise_if_stopped,
    run_chunks,
    thread_count,
)
from sordino.errors import InputError

JOBS = pytest.mark.parametrize("jobs", [0, 1, 2, 5])


class Broken(Exception):  # noqa: N818
    pass


@JOBS
def test_every_chunk_runs_exactly_once_and_after_counts(jobs: int) -> None:
    seen: list[tuple[int, int]] = []
    told: list[int] = []

    def work(worker: int, chunk: int) -> None:
        seen.append((worker, chunk))
        time.sleep(0.0005 * (chunk % 3))

    run_chunks(work, range(60), jobs, after=told.append)
    assert Counter(chunk for _, chunk in seen) == Counter(range(60))
    assert {worker for worker, _ in seen} <= set(range(max(jobs, 1)))
    assert told == list(range(1, 61))


@JOBS
def test_no_chunks_is_no_work(jobs: int) -> None:
    run_chunks(lambda *_: pytest.fail("nothing to do"), [], jobs, after=lambda _: pytest.fail("nothing was done"))


def test_work_is_shared_among_the_workers() -> None:
    """Two chunks that wait for each other end only if two workers are at it at once."""
    both = threading.Barrier(2, timeout=20)
    workers: set[int] = set()

    def work(worker: int, _: int) -> None:
        both.wait()
        workers.add(worker)

    run_chunks(work, range(2), 2)
    assert workers == {0, 1}


@JOBS
def test_what_work_raises_is_raised_and_ends_the_run(jobs: int) -> None:
    seen: list[int] = []

    def work(_: int, chunk: int) -> None:
        seen.append(chunk)
        if chunk == 3:
            raise Broken("third")
        time.sleep(0.002)

    with pytest.raises(Broken, match="third"):
        run_chunks(work, range(1000), jobs)
    assert len(seen) < 1000


@JOBS
def test_what_after_raises_is_raised_and_ends_the_run(jobs: int) -> None:
    seen: list[int] = []

    def after(done: int) -> None:
        if done >= 4:
            raise OutOfTime

    def work(_: int, chunk: int) -> None:
        seen.append(chunk)
        time.sleep(0.002)

    with pytest.raises(OutOfTime):
        run_chunks(work, range(1000), jobs, after=after)
    assert 4 <= len(seen) <= 4 + 2 * max(jobs, 1)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_a_source_of_chunks_that_fails_is_not_taken_for_one_that_ended(jobs: int) -> None:
    def source() -> Iterator[int]:
        yield from range(20)
        raise Broken("source")

    for _ in range(10):  # whichever worker asks for the last one
        with pytest.raises(Broken, match="source"):
            run_chunks(lambda *_: time.sleep(0.0002), source(), jobs)


def test_a_failing_source_is_noticed_on_other_threads_too() -> None:
    caller = threading.get_ident()

    class Source:
        def __init__(self) -> None:
            self.given = 0

        def __iter__(self) -> Source:
            return self

        def __next__(self) -> int:
            self.given += 1
            if threading.get_ident() != caller:
                raise Broken("source")
            if self.given > 500:
                raise StopIteration
            return self.given

    with pytest.raises(Broken, match="source"):
        run_chunks(lambda *_: time.sleep(0.001), Source(), 2)


def test_the_watch_tells_whoever_listens() -> None:
    heard: list[tuple[str, int, int]] = []
    Watch(lambda *told: heard.append(told)).report("leaves", 1, 2)
    Watch().report("nobody listens", 1, 2)
    assert heard == [("leaves", 1, 2)]


def test_there_is_at_least_one_job() -> None:
    assert default_jobs() >= 1


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5, "2"])
def test_a_number_of_threads_is_a_number(jobs: Any) -> None:
    with pytest.raises(InputError, match="jobs must be a whole number"):
        sordino.audit([{"a", "x"}, {"a"}], sordino.InferencePolicy(["x"], "0.4"), jobs=jobs)


def test_threads_as_asked_for() -> None:
    assert thread_count(3) == 3
    assert thread_count(None) == default_jobs() >= 1


# Ending early


def until_raised(stop: local.Flag) -> str:
    """What a kernel does: works on until it sees the flag."""
    limit = time.monotonic() + 20
    while not raised(stop):
        assert time.monotonic() < limit
        time.sleep(0.001)
    return "left early"


def test_a_deadline_raises_the_flag_and_lowers_it_again() -> None:
    watch = Watch(deadline=time.monotonic() + 0.05)
    flag = watch.stop
    with pytest.raises(OutOfTime):
        watch.call(until_raised, flag)
    assert watch.stop is flag
    assert flag[0] == 0
    watch.deadline = None
    assert watch.call(lambda: 5) == 5  # what comes after the limit can be computed


def test_nothing_begins_after_the_deadline() -> None:
    watch = Watch(deadline=deadline_after(0))
    with pytest.raises(OutOfTime):
        watch.call(lambda: pytest.fail("there is no time"))


def test_who_has_no_flag_to_look_at_is_left_to_himself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PATIENCE", 0.05)
    watch, end = Watch(deadline=time.monotonic() + 0.05), threading.Event()
    flag = watch.stop
    started = time.monotonic()
    with pytest.raises(OutOfTime):
        watch.call(end.wait, 20)
    assert time.monotonic() - started < 10
    assert flag[0] == 1  # for him, if he should look
    assert watch.stop[0] == 0  # for those who come after
    end.set()


def test_a_failure_stops_the_others() -> None:
    watch = Watch()

    def work(_: int, chunk: int) -> None:
        if chunk == 0:
            raise Broken("first")
        until_raised(watch.stop)

    with pytest.raises(Broken, match="first"):
        run_chunks(work, range(2), 2, watch=watch)
    assert watch.stop[0] == 0


def test_an_interrupt_raises_the_flag_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Ctrl-C came to the thread that waits."""
    watch, ended, wait = Watch(), [], local._wait
    monkeypatch.setattr(local, "_wait", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    watch_end = Watch._end

    def end(self: Watch, threads: list[threading.Thread], *, interrupted: bool) -> None:
        monkeypatch.setattr(local, "_wait", wait)
        watch_end(self, threads, interrupted=interrupted)

    monkeypatch.setattr(Watch, "_end", end)
    with pytest.raises(KeyboardInterrupt):
        watch.aside(lambda: ended.append(until_raised(watch.stop)))
    assert ended == ["left early"]
    assert watch.stop[0] == 1
    with pytest.raises(Stopped):
        watch.check()
    with pytest.raises(Stopped):
        run_chunks(lambda *_: pytest.fail("all is to end"), range(3), 1, watch=watch)
    with pytest.raises(Stopped):
        raise_if_stopped(watch.stop)


def test_work_aside_keeps_to_the_deadline_by_itself() -> None:
    """And its own threads do: the result after the limit is its own."""
    watch = Watch(deadline=time.monotonic() + 0.05)

    def work() -> str:
        try:
            return watch.call(until_raised, watch.stop)
        except OutOfTime:
            return "in the time there was"

    assert watch.aside(work) == "in the time there was"
