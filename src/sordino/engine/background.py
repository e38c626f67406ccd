"""Work that goes on beside whoever asked for it, and can be watched and cancelled: for pages, notebooks and services.

**Cancelling.** The kernels of this work, and of no other, find their flags raised (engine/local.py), and its thread
finds KeyboardInterrupt at its next step in Python, as after Ctrl-C, but not while it loads or compiles a library. What
does not end in PATIENCE seconds (that, or NumPy at work on a large array) is left behind: it ends at its next report of
progress, and nobody gets to see its result.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from sordino.engine.local import Progress, stop_of

__all__ = ["Background", "Cancelled"]

Result = TypeVar("Result")
PATIENCE = 1.5  # seconds until work that was cancelled is left behind
AGAIN = 0.7  # seconds after which the interrupt is raised once more: a library may have swallowed the first
STEP = 0.05  # seconds between two looks
STACK = 64 << 20  # bytes, as the command line gives its thread


class Cancelled(Exception):  # noqa: N818 - not an error: somebody asked for it
    """The work was cancelled, so there is no result."""


class Background(Generic[Result]):
    """`work(progress)` on a thread of its own, which begins at once.

    run = Background(lambda progress: sordino.audit(data, policy, progress=progress)); then look at `run.running` and
    `run.progress`, call `run.cancel()`, or wait for `run.result()`.
    """

    def __init__(self, work: Callable[[Progress], Result]) -> None:
        self.progress: tuple[str, int, int] = ("", 0, 0)  # the phase, how much of it is done, and of how much
        self.cancelled = False
        self._left = threading.Event()  # nobody waits for it any more
        self._ended = threading.Event()
        self._result: list[Result] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), name="sordino work", daemon=True)
        usual = threading.stack_size(STACK)
        try:
            self._thread.start()
        finally:
            threading.stack_size(usual)

    @property
    def running(self) -> bool:
        """Whether there is still something to wait for."""
        return not (self._ended.is_set() or self._left.is_set())

    def result(self, timeout: float | None = None) -> Result:
        """What the work came to, or its error; Cancelled, or TimeoutError if that takes longer than `timeout`."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.running:
            if end is not None and time.monotonic() >= end:
                raise TimeoutError("the work still goes on")
            self._ended.wait(STEP)
        if self.cancelled:
            raise Cancelled
        if self._error is not None:
            raise self._error
        return self._result[0]

    def cancel(self) -> None:
        """End it; returns at once. `running` is False at the latest PATIENCE seconds later."""
        if self.running and not self.cancelled:
            self.cancelled = True
            threading.Thread(target=self._stop, name="sordino cancel", daemon=True).start()

    def _run(self, work: Callable[[Progress], Result]) -> None:
        try:
            self._result.append(work(self._report))
        except BaseException as error:  # handed to whoever asks for the result
            self._error = error
        finally:
            self._ended.set()

    def _report(self, phase: str, done: int, of: int) -> None:
        if self.cancelled:
            raise KeyboardInterrupt
        self.progress = (phase, done, of)

    def _stop(self) -> None:
        start = time.monotonic()
        raised = 0
        while not self._ended.is_set() and (waited := time.monotonic() - start) < PATIENCE:
            stop_of(self._thread)
            if (raised == 0 or (raised == 1 and waited > AGAIN)) and not self._is_loading():
                raised += 1
                self._interrupt()
            self._ended.wait(STEP)
        self._left.set()

    def _is_loading(self) -> bool:
        """Whether the thread imports or compiles something: interrupted there, a library stays half loaded for good."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        while frame is not None:
            name = frame.f_code.co_filename
            if name.startswith("<frozen importlib") or f"{os.sep}numba{os.sep}" in name:
                return True
            frame = frame.f_back
        return False

    def _interrupt(self) -> None:
        """Raise KeyboardInterrupt in the thread, at its next step in Python; other Pythons have no such thing."""
        raise_in: Any = getattr(getattr(ctypes, "pythonapi", None), "PyThreadState_SetAsyncExc", None)
        if raise_in is not None and self._thread.ident is not None and not self._ended.is_set():
            raise_in(ctypes.c_ulong(self._thread.ident), ctypes.py_object(KeyboardInterrupt))
