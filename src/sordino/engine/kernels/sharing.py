"""Several processes compile the kernels of one run, on a machine that has none of them yet.

Numba compiles in one thread of a process. So on a first run helpers are started (warming/helped.py), which go through
the same work on a few made-up records, and compile what they come by into the folder where kernels are kept. Whoever
begins to compile a kernel claims it by a file that only one can create, so that none is compiled twice:

* the run itself waits for a kernel that a helper has claimed, and then loads it. If the helper is gone, it compiles.
* a helper waits for nobody: what another has claimed it does in plain Python, which for a few records is quick, and so
  it soon comes to what nobody has begun with. It never returns anything to the run but compiled kernels.

A claim is of one kernel for arguments of certain types. Outside of such a run there are no claims.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.targetconfig import ConfigStack

from sordino.engine.kernels.pipeline import TRIED

__all__ = ["WAITING", "Claims", "HelpersInner", "HelpersKernel", "SharedCache", "claims", "share"]

WAITING = "sordino:waiting"  # Numba's events have names like this
STEP = 0.005  # seconds between two looks at what a helper does
_shared: list[Claims] = []  # those of this process, if it shares its work


class Taken(BaseException):
    """Another process compiles this kernel. (No ordinary exception: Numba makes errors of its own of those.)"""


class Claims:
    """Who compiles what, as files in a folder. `me` is a helper's number, or empty for the run that is helped."""

    def __init__(self, folder: Path, me: str, alive: Callable[[str], bool], only: frozenset[str] = frozenset()) -> None:
        self.folder, self.me, self.alive = folder, me, alive
        self.only = only  # names of kernels, if a helper is to look for these first

    def claim(self, key: str) -> bool:
        """Whether it is ours to compile."""
        try:
            with open(self.folder / key, "x") as file:
                file.write(self.me or "-")
        except FileExistsError:
            return False
        except OSError:  # the folder is gone: the run has ended
            return True
        return True

    def done(self, key: str) -> None:
        with contextlib.suppress(OSError):
            (self.folder / f"{key}.done").touch()

    def wait(self, key: str) -> None:
        """Until it is compiled, or whoever claimed it is gone."""
        with event.trigger_event(WAITING):
            while not (self.folder / f"{key}.done").exists():
                try:
                    whose = (self.folder / key).read_text()
                except OSError:  # somebody tidied up
                    return
                if not self.alive(whose):  # of one that was not signed yet: whether any helper is
                    return
                time.sleep(STEP)


def share(claims: Claims | None) -> None:
    """From now on this process claims what it compiles; or, with None, no longer."""
    _shared[:] = [] if claims is None else [claims]


def claims() -> Claims | None:
    return _shared[0] if _shared else None


class SharedCache(FunctionCache):
    """What is kept of a kernel on disk; asked before the kernel is compiled, and told afterwards."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        kept = self._kept(sig, target_context)
        ours = claims()
        if kept is not None or ours is None or ConfigStack.top_or_none() is not None:  # within another kernel
            return kept
        key = _key(self._py_func, sig)
        if ours.me and ours.only and self._py_func.__name__ not in ours.only:
            raise Taken
        if ours.claim(key):
            return None
        if ours.me:
            raise Taken
        ours.wait(key)
        return self._kept(sig, target_context)

    def _kept(self, sig: Any, target_context: Any) -> Any:
        """The kernel as it is kept, or None.

        Numba first gathers all that it could compile, which takes a fifth of a second. Who compiles has that done (by
        `CompilerBase`); what is kept asks for the run time of arrays only.
        """
        if not TRIED:
            return super().load_overload(sig, target_context)
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        super().save_overload(sig, data)
        ours = claims()
        if ours is not None:
            ours.done(_key(self._py_func, sig))


def _key(function: Any, sig: Any) -> str:
    return hashlib.sha256(f"{function.__module__}.{function.__qualname__} {sig}".encode()).hexdigest()[:32]


class HelpersKernel(CPUDispatcher):
    """A kernel as a helper calls it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Taken:
            return self.py_func(*args, **kwargs)


class HelpersInner(CPUDispatcher):
    """What only kernels call, as a kernel calls it that is done in plain Python."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.py_func(*args, **kwargs)


def is_helper() -> bool:
    return bool(os.environ.get("SORDINO_HELPER"))
