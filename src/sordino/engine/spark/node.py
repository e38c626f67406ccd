"""Kernels are compiled once a machine, not once a task.

What Numba compiled is kept on disk (engine/kernels/cache.py), but tasks that begin together would each compile all of
it. So of each sort of work the first task on a machine goes alone, and the others wait until it is done; from then on
nobody waits. A task that dies gives way: the system drops its lock.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sordino.engine.kernels.cache import cache_folder

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no such locks: there each task compiles for itself
    fcntl = None  # type: ignore[assignment]

__all__ = ["first_alone"]


@contextlib.contextmanager
def first_alone(sort: str) -> Iterator[None]:
    """While the first work of this sort is done on this machine, other work of the sort waits."""
    done = cache_folder() / f"spark-{sort}.done"
    if fcntl is None or done.exists():
        yield
        return
    with open(cache_folder() / f"spark-{sort}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            yield
            done.touch()
            return
    yield
