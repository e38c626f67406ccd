"""Work that goes on beside the rest of a run, where neither waits for the other: begun early, asked for later.

It runs on a thread that works for whoever began it, so what stops that run stops this as well (`stop_of`, `stop_all`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sordino.engine.local import LISTEN, Watch, WorkThread

__all__ = ["Beside"]

Result = TypeVar("Result")


class Beside(Generic[Result]):
    """`work(watch)` on a thread of its own, which begins at once and tells nobody of its progress.

    As a context: if that ends by an error, the work is told to end, too.
    """

    def __init__(self, work: Callable[[Watch], Result]) -> None:
        self.watch = Watch()
        self._work = work
        self._result: list[Result] = []
        self._error: BaseException | None = None
        self._thread = WorkThread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result.append(self._work(self.watch))
        except BaseException as error:  # handed to whoever asks for the result
            self._error = error

    def result(self) -> Result:
        """What the work came to, or its error; waits for it."""
        with self:
            while self._thread.under_way:
                self._thread.ended.wait(LISTEN)
        if self._error is not None:
            raise self._error
        return self._result[0]

    def __enter__(self) -> Beside[Result]:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.watch.interrupted = True  # nothing new begins
            self.watch.stop[0] = 1
