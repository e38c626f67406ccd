"""A progress bar on stderr: only on a terminal, and only when there is something to wait for.

One line is about the whole command: which of its steps this is, what comes after it, and for how long it has worked.
The line below is about the step: what is done now, how much of it, and how long it may still take.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from sordino.words.phases import STEP, STEPS, WORDS

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar", "close_bars"]

LEFT = "left of this step:"
PATIENCE = 0.5  # seconds before the bar appears
AUDIT = ("read", "audit")  # the steps of commands, in their order; a step may not be needed
PROTECT = ("read", "audit", "change", "cost", "write", "proof", "pages", "verify")


_open: set[Bar] = set()  # what is on the terminal now


def close_bars() -> None:
    """Take every bar off the terminal, whoever shows it: the process is about to end."""
    for bar in tuple(_open):
        bar.close()


class Bar:
    """Call it with (phase, done, of), from any thread; `of` = 0 means that the end is not known.

    steps: those of the command, in their order. A phase "step: NAME" says that one of them begins.
    """

    def __init__(self, *, wanted: bool = True, steps: Sequence[str] = ()) -> None:
        self._steps, self._step = tuple(steps), 0
        self._lock = threading.Lock()
        self._state = ("Starting", 0, 0)
        self._shown: tuple[Progress, TaskID, TaskID | None] | None = None
        self._phase = ""  # the step that is shown
        self._timer = threading.Timer(PATIENCE, self._show) if wanted and sys.stderr.isatty() else None

    def __enter__(self) -> Bar:
        _open.add(self)
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar off the terminal."""
        _open.discard(self)
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._shown is not None:
            self._shown[0].stop()

    def __call__(self, phase: str, done: int, of: int) -> None:
        with self._lock:
            if phase.startswith(STEP):
                name = phase.removeprefix(STEP)
                self._step = self._steps.index(name) if name in self._steps else self._step
                self._state = ("", 0, 0)
            else:
                self._state = (WORDS.get(phase, phase), done, of)
            self._update()

    def _whole(self) -> str:
        """Which step this is, and what comes next."""
        left = [STEPS[name] for name in self._steps[self._step + 1 :]]
        then = f" (then {left[0]}{f', {len(left) - 1} more' if left[1:] else ''})" if left else ""
        return f"Step {self._step + 1} of {len(self._steps)}: {STEPS[self._steps[self._step]]}{then}"

    def tell_compiling(self) -> None:
        """From now on, say so when something is compiled; whoever calls it is about to load kernels anyway."""
        if self._timer is not None:
            from sordino.engine.kernels.compiled import when_compiling

            when_compiling(lambda: self("compiling", 0, 0))

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            Task,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class OfStep(TimeRemainingColumn):
            """How long the step may still take; of the whole, steps say nothing about that."""

            def render(self, task: Task) -> Text:
                return super().render(task) if task.fields["left"] else Text("")

        progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            OfStep(),
            console=Console(stderr=True),
            transient=True,
        )
        with self._lock:
            steps = len(self._steps)
            whole = progress.add_task(self._whole(), total=steps, left="") if steps else None
            self._shown = (progress, progress.add_task("Starting", total=None, left=LEFT), whole)
            self._update()
        progress.start()

    def _update(self) -> None:
        if self._shown is not None:
            progress, task, whole = self._shown
            words, done, of = self._state
            if whole is not None:
                progress.update(whole, description=self._whole(), completed=self._step)
            if words != self._phase:  # how quick the step before was says nothing about this one
                self._phase = words
                progress.reset(task, total=of or None)
            progress.update(task, description=words, completed=done, total=of or None)
