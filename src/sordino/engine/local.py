"""Threads of this machine. Kernels release the GIL, so threads are enough, and they share the arrays.

**Ending early.** Python handles Ctrl-C on the main thread, and only between two of its own steps; a kernel is one step.
So kernels run on threads of their own, and whoever called them only waits: it hears Ctrl-C at once, and sees when the
time is over. Then it raises the flag `Watch.stop`. A kernel that can take longer than a moment is handed that flag,
looks at it at every record or so (kernels/flag.py), and returns early; its results are then good for nothing, and
nobody uses them, because `run_chunks` and `Watch.call` raise instead of returning. Who keeps what a kernel wrote before
it was stopped says so, and why that stands.

What has no flag to look at (NumPy at work on a large array, Numba compiling) is left to itself after PATIENCE seconds:
its thread ends when it ends, and nobody looks at its result.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sordino.errors import InputError

__all__ = [
    "STEP",
    "Flag",
    "OutOfTime",
    "Progress",
    "Stopped",
    "Watch",
    "deadline_after",
    "default_jobs",
    "end_what_can",
    "raise_if_stopped",
    "run_chunks",
    "stop_all",
    "stop_of",
    "thread_count",
]

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")
Progress = Callable[[str, int, int], None]  # (phase, done, of)
Flag = npt.NDArray[np.uint8]
PATIENCE = 1.0  # seconds a thread gets to see the flag
LISTEN = 0.2  # seconds between two looks at the clock; some systems hear Ctrl-C only then


class OutOfTime(Exception):  # noqa: N818 - not an error: the user asked for a limit
    """The user's time limit passed; what was computed so far stands."""


class Stopped(Exception):  # noqa: N818 - not an error: whoever raised the flag tells why
    """Somebody else who shares the watch raised its flag, so what was computed here is good for nothing."""


STEP = "step: "  # before the name of a step, where phases are reported
_watches: weakref.WeakSet[Watch] = weakref.WeakSet()  # of all runs, so that whoever ends the process can stop them
_watches_lock = threading.Lock()


def stop_all() -> None:
    """Raise the flags of all watches: every kernel that looks at one returns early."""
    with _watches_lock:
        for watch in tuple(_watches):
            watch.stop[0] = 1


def end_what_can() -> bool:
    """Tell work that can end at any time with what it has to do so (`Watch.until_enough`); whether there was any."""
    with _watches_lock:
        told = [watch._content() for watch in tuple(_watches)]  # all of them
    return any(told)


def stop_of(thread: threading.Thread) -> None:
    """Raise the flags of the watches that this thread made, or threads that `run_chunks` started for it."""
    with _watches_lock:
        for watch in tuple(_watches):
            if watch.owner is thread:
                watch.stop[0] = 1


def _owner() -> threading.Thread:
    """The thread for which this one works: itself, unless `run_chunks` started it."""
    here = threading.current_thread()
    return here.works_for if isinstance(here, _Thread) else here


class Watch:
    """Tells a run's progress to whoever listens, and stops it when its time is over or it is interrupted."""

    def __init__(self, progress: Progress | None = None, deadline: float | None = None) -> None:
        self.progress = progress
        self.deadline = deadline
        self.interrupted = False
        self.owner = _owner()  # whose run this is
        self.ended_early: list[str] = []  # what Ctrl-C ended with what it had: the same seed need not give that again
        self._enough: Flag | None = None  # of work that can end at any time with what it has
        self.stop: Flag = np.zeros(1, dtype=np.uint8)  # kernels return early once it is not 0
        with _watches_lock:
            _watches.add(self)

    def report(self, phase: str, done: int, of: int) -> None:
        if self.progress is not None:
            self.progress(phase, done, of)

    def step(self, name: str) -> None:
        """A step of the whole work begins: one of those that whoever shows progress may know the number of."""
        self.report(f"{STEP}{name}", 0, 0)

    @property
    def over(self) -> bool:
        """Whether the time is."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def check(self) -> None:
        """OutOfTime if the time is over, Stopped after Ctrl-C."""
        if self.interrupted:
            raise Stopped
        if self.over:
            raise OutOfTime

    def call(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """The result of one call, made on a thread of its own, so that Ctrl-C and the deadline are heard meanwhile.

        The call must change nothing that is used after OutOfTime, unless it looks at the flag.
        """
        results: list[Result] = []
        run_chunks(lambda _, some: results.append(work(*some)), [arguments], 1, watch=self)
        return results[0]

    def aside(self, work: Callable[[], Result]) -> Result:
        """The result of `work`, which keeps to the deadline itself; the calling thread only listens for Ctrl-C."""
        if threading.current_thread() is not threading.main_thread():
            return work()  # Ctrl-C is heard elsewhere
        results: list[Result] = []
        run_chunks(lambda _, __: results.append(work()), [None], 1, watch=self, timeless=True)
        return results[0]

    @contextmanager
    def until_enough(self) -> Iterator[Flag]:
        """A flag for work that can end at any time with what it has: meanwhile the first Ctrl-C raises only this flag.

        A second one ends everything, as ever. Whoever ends early says how far it came, in `ended_early`.
        """
        flag: Flag = np.zeros(1, dtype=np.uint8)
        self._enough = flag
        try:
            yield flag
        finally:
            self._enough = None

    def _content(self) -> bool:
        """After Ctrl-C: whether the work under way was told to end by itself."""
        flag = self._enough
        if flag is None or flag[0]:
            return False
        flag[0] = 1
        return True

    def _end(self, threads: list[_Thread], *, interrupted: bool) -> None:
        """Raises the flag and waits for the threads; what comes next, unless all is to end, finds the flag down."""
        self.interrupted |= interrupted
        self.stop[0] = 1
        _wait(threads, time.monotonic() + PATIENCE)
        if any(thread.under_way for thread in threads):
            self.stop = np.ones(1, dtype=np.uint8)  # the one that they look at stays up
        self.stop[0] = self.interrupted  # asked last: Ctrl-C may have come in between


def deadline_after(seconds: float | None) -> float | None:
    """When so many seconds from now are over; an InputError if it is no such number."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise InputError("a time limit must be a number of seconds, 0 or more")
    return time.monotonic() + seconds


def raise_if_stopped(stop: Flag | None) -> None:
    """Stopped if the flag is up: what a kernel that saw it has made is good for nothing."""
    if stop is not None and stop[0]:
        raise Stopped


def default_jobs() -> int:
    """As many threads as this process may use cores."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on every system
        return max(1, os.cpu_count() or 1)


def thread_count(jobs: int | None) -> int:
    """The number of threads that was asked for, or one per core; an InputError if it is no such number."""
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
    watch: Watch | None = None,
    timeless: bool = False,
) -> None:
    """Calls work(worker, chunk) for every chunk, on `jobs` threads; workers are numbered from 0.

    `after(done)` runs after each chunk, under a lock. The first exception, from work or from after, ends the run and is
    raised here. Which worker gets which chunk is not determined: results must not depend on it.

    The calling thread waits. If it is interrupted, or the deadline of `watch` passes, the flag of `watch` goes up and
    KeyboardInterrupt or OutOfTime is raised as soon as all threads are back, or after PATIENCE seconds. A deadline that
    has passed lets nothing begin; `timeless` work keeps to it by itself.
    """
    deadline = None if watch is None or timeless else watch.deadline
    if watch is not None and not timeless:
        watch.check()
    source: Iterator[Chunk] = iter(chunks)
    lock = threading.Lock()
    failure: list[BaseException] = []
    done = 0

    def loop(worker: int) -> None:
        nonlocal done
        while True:
            with lock:
                if failure or (watch is not None and watch.interrupted):
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
                    if failure:  # the chunk may have been left early: it is not done
                        return
                    if after is not None:
                        after(done)
            except BaseException as error:  # handed to the caller
                with lock:
                    failure.append(error)
                return

    threads = [_Thread(target=loop, args=(worker,), daemon=True) for worker in range(max(jobs, 1))]
    try:
        for thread in threads:
            thread.start()
        if not _wait(threads, deadline, failure, watch):
            with lock:
                failure.append(OutOfTime())  # a chunk under way may be left early: its word is void
    except BaseException as error:  # Ctrl-C
        with lock:
            failure.insert(0, error)
        if watch is not None:
            watch._end(threads, interrupted=True)
        raise
    if failure:
        if watch is not None:
            watch._end(threads, interrupted=False)
        else:
            _wait(threads, None)
        raise failure[0]
    if watch is not None and watch.stop[0]:
        raise Stopped


class _Thread(threading.Thread):
    """A thread that says itself when it has ended: after Ctrl-C while somebody joins it, `is_alive` may be wrong."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.works_for = _owner()
        self.ended = threading.Event()

    def run(self) -> None:
        try:
            super().run()
        finally:
            self.ended.set()

    @property
    def under_way(self) -> bool:
        return self.ident is not None and not self.ended.is_set()


def _wait(
    threads: list[_Thread],
    deadline: float | None,
    failure: Sequence[object] = (),
    watch: Watch | None = None,
) -> bool:
    """Waits until all threads have ended, or something failed; False if the deadline passes before.

    After Ctrl-C it goes on waiting for what `watch` could tell to end by itself.
    """
    for thread in threads:
        while thread.under_way and not failure:
            left = LISTEN if deadline is None else deadline - time.monotonic()
            if left <= 0:
                return False
            try:
                thread.ended.wait(min(left, LISTEN))
            except KeyboardInterrupt:
                if watch is None or not watch._content():
                    raise
    return True
