"""Threads: every chunk is worked on once, and nothing that goes wrong is lost."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import sordino
from sordino.engine.local import OutOfTime, Watch, default_jobs, run_chunks, thread_count
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
    Watch(lambda *told: heard.append(told)).tell("leaves", 1, 2)
    Watch().tell("nobody listens", 1, 2)
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
