"""Ctrl-C and SIGTERM that are always heard: the command works on a thread of its own, and the main thread waits.

Python hears a signal on its main thread only, between two of its own steps. A library may swallow what it then raises
(as compiled code does with exceptions of its callbacks), and a single long step may let it wait. So the main thread
does nothing but wait, and its handlers raise nothing: they leave a note. Once there is one, the work is asked to stop:
kernels by the flags of their watches, Python code by an exception that is raised in its thread. Only what can end at
any time with what it has (the sweeps of --improve) is first told to do that; then the command goes on, and a second
Ctrl-C ends it. Work that does not end in PATIENCE seconds is left behind: whoever called ends the process (`__main__`),
and the guard of a release that is being written removes what is unfinished, as after any other death of the process
(see release/staging.py).
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

__all__ = ["ENDED_BY", "Outcome", "attend"]

ENDED_BY = {signal.SIGINT: (130, "Interrupted."), signal.SIGTERM: (143, "Terminated.")}  # exit code, and what is said
SIGNALS = ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL))  # and who has them if nobody
PATIENCE = 1.5  # seconds from the signal on
AGAIN = 0.7  # seconds after which the exception is raised once more: the first may have been swallowed
STEP = 0.05  # seconds between two looks
STACK = 64 << 20  # bytes: some systems give threads much less than the main one has


@dataclass
class Outcome:
    """How some work ended: by a result, by an error, or, if `left`, not at all; `signals` came meanwhile."""

    result: int | None = None
    error: BaseException | None = None
    signals: list[int] = field(default_factory=list)
    left: bool = False


def attend(work: Callable[[], int], *, program: bool = True) -> Outcome:
    """Do the work, and listen to signals; on the calling thread if it is not the main one, which hears none.

    Only where the work is all that the `program` does is SIGTERM listened to: else it is meant for whoever called.
    """
    outcome = Outcome()

    def run() -> None:
        try:
            outcome.result = work()
        except BaseException as error:  # whoever waits decides what it means
            outcome.error = error

    if threading.current_thread() is not threading.main_thread():
        run()
        return outcome
    with _noting(outcome.signals, SIGNALS if program else SIGNALS[:1]) as listening:
        if not listening:  # a program around us decides about Ctrl-C
            run()
            return outcome
        worker = threading.Thread(target=run, name="sordino", daemon=True)
        usual = threading.stack_size(STACK)
        try:
            worker.start()
        finally:
            threading.stack_size(usual)
        while worker.is_alive() and (not outcome.signals or _is_enough(outcome.signals)):
            worker.join(STEP)
        if worker.is_alive():
            with _quiet():
                _stop(worker)
            outcome.left = worker.is_alive()
    return outcome


@contextmanager
def _noting(signals: list[int], heard: Iterable[tuple[signal.Signals, Any]]) -> Iterator[bool]:
    """Within, the signals that nobody else handles only leave a note; whether Ctrl-C was ours to handle."""

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        signals.append(number)

    before: dict[signal.Signals, Any] = {}
    listening = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    for number, untouched in heard:
        if listening and signal.getsignal(number) is untouched:
            before[number] = signal.signal(number, note)
    try:
        yield listening
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_enough(signals: list[int]) -> bool:
    """After the first Ctrl-C: whether the work under way was told to end with what it has; then all is as before."""
    engine = sys.modules.get("sordino.engine.local")
    if signals == [signal.SIGINT] and engine is not None and engine.end_what_can():
        signals.remove(signal.SIGINT)
        return True
    return False


def _stop(worker: threading.Thread) -> None:
    """Ask the work to stop, until it has or our patience ends."""
    start = time.monotonic()
    raised = 0
    while worker.is_alive() and (waited := time.monotonic() - start) < PATIENCE:
        engine = sys.modules.get("sordino.engine.local")  # if it is not loaded, no kernel runs
        if engine is not None:
            engine.stop_all()
        if raised == 0 or (raised == 1 and waited > AGAIN):
            raised += 1
            _raise_in(worker)
        worker.join(STEP)


def _raise_in(worker: threading.Thread) -> None:
    """Raise KeyboardInterrupt in a thread, at its next step in Python."""
    import ctypes

    set_exception = getattr(getattr(ctypes, "pythonapi", None), "PyThreadState_SetAsyncExc", None)
    if set_exception is not None and worker.ident is not None:  # other Pythons than CPython have no such thing
        set_exception(ctypes.c_ulong(worker.ident), ctypes.py_object(KeyboardInterrupt))


@contextmanager
def _quiet() -> Iterator[None]:
    """Within, an interrupt that comes out where nobody can catch it is not complained of."""
    hooks = sys.unraisablehook, threading.excepthook
    usual_unraisable, usual_thread = hooks

    def unraisable(unraised: Any) -> None:
        if not isinstance(unraised.exc_value, KeyboardInterrupt):
            usual_unraisable(unraised)

    def in_thread(args: Any) -> None:
        if not isinstance(args.exc_value, KeyboardInterrupt):
            usual_thread(args)

    sys.unraisablehook, threading.excepthook = unraisable, in_thread
    try:
        yield
    finally:
        with contextlib.suppress(Exception):
            sys.unraisablehook, threading.excepthook = hooks
