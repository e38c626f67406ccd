"""Threads of this machine. Kernels release the GIL, so threads are enough, and they share the arrays."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from sordino.errors import InputError

__all__ = ["OutOfTime", "Progress", "Watch", "default_jobs", "run_chunks", "thread_count"]

Chunk = TypeVar("Chunk")
Progress = Callable[[str, int, int], None]  # (phase, done, of)


class OutOfTime(Exception):  # noqa: N818 - not an error: the user asked for a limit
    """The user's time limit passed; what was computed so far stands."""


class Watch:
    """Tells a run's progress to whoever listens, and stops it when its time is over."""

    def __init__(self, progress: Progress | None = None, deadline: float | None = None) -> None:
        self.progress = progress
        self.deadline = deadline

    def tell(self, phase: str, done: int, of: int) -> None:
        if self.progress is not None:
            self.progress(phase, done, of)


def default_jobs() -> int:
    """As many threads as this process may use cores."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on every system
        return max(1, os.cpu_count() or 1)


def thread_count(jobs: int | None) -> int:
    """The number of threads that was asked for, or one for each core; an InputError if it is no such number."""
    if jobs is None:
        return default_jobs()
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise InputError("jobs must be a whole number, 1 or more")
    return jobs


def run_chunks(
    work: Callable[[int, Chunk], None],
    chunks: Iterable[Chunk],
    jobs: int,
    *,
    after: Callable[[int], None] | None = None,
) -> None:
    """Calls work(worker, chunk) for every chunk, on `jobs` threads; workers are numbered from 0.

    `after(done)` runs on the calling thread's behalf after each chunk, under a lock. The first exception, from work
    or from after, ends the run and is raised here. Which worker gets which chunk is not determined: results must not
    depend on it.
    """
    source: Iterator[Chunk] = iter(chunks)
    lock = threading.Lock()
    failure: list[BaseException] = []
    done = 0

    def loop(worker: int) -> None:
        nonlocal done
        while True:
            with lock:
                if failure:
                    return
                try:
                    chunk = next(source)
                except StopIteration:
                    return
                except BaseException as error:  # a source that fails must not look like one that ended
                    failure.append(error)
                    return
            try:
                work(worker, chunk)
                with lock:
                    done += 1
                    if after is not None:
                        after(done)
            except BaseException as error:  # handed to the caller
                with lock:
                    failure.append(error)
                return

    if jobs <= 1:
        loop(0)
    else:
        threads = [threading.Thread(target=loop, args=(worker,), daemon=True) for worker in range(1, jobs)]
        for thread in threads:
            thread.start()
        try:
            loop(0)
        except BaseException as error:
            failure.append(error)
        for thread in threads:
            thread.join()
    if failure:
        raise failure[0]
