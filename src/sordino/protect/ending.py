"""How a run ends: when it is interrupted, and otherwise always.

**Interrupted.** A method runs on a thread of its own (`on_own_thread`), whatever it does, and whoever called it only
waits: so Ctrl-C comes through at once. The flag of the watch then goes up; kernels see it and return early, and
`Watch.call` and `run_chunks`, through which they are called, raise.

**Always.** A loop that goes on until something holds has a measure that falls with every turn, stated beside it. Where
the measure falls only if two computations agree (what the audit finds, the repair must find as well), `MustFall` checks
it: a mistake of ours ends in an error that says what to report, not in a run without end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from sordino.data.baskets import Baskets
from sordino.data.table import Table
from sordino.engine.local import Watch
from sordino.errors import InternalError
from sordino.policy.diversity import ResolvedDiversity

__all__ = ["MustFall", "on_own_thread", "silent"]


class MustFall:
    """A whole number, or several of which the first counts most, that must fall from one turn of a loop to the next."""

    def __init__(self, loop: str, start: object = None) -> None:
        self.loop, self.last = loop, start

    def to(self, now: Any) -> None:
        """InternalError unless it fell."""
        if self.last is not None and not now < self.last:
            raise InternalError(f"{self.loop} would never end: a turn of it changed nothing")
        self.last = now


def silent(watch: Watch) -> Watch:
    """A watch that reports nothing, and is stopped with the given one."""
    other = Watch(deadline=watch.deadline)
    other.stop = watch.stop
    return other


def on_own_thread(protect: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The `protect` of the method of this name, on its own thread; a fault of ours is raised with what to report."""

    @functools.wraps(protect)
    def run(data: Any, *more: Any, watch: Watch, **given: Any) -> Any:
        try:
            return watch.call(functools.partial(protect, data, *more, watch=watch, **given))
        except InternalError as error:
            raise InternalError(f"{error}\n  To be reported with it: {_facts(name, data, given)}.") from error

    return run


def _facts(name: str, data: object, given: Mapping[str, Any]) -> str:
    """What helps to find the fault, and says nothing of any record."""
    facts = [f"method {name}"]
    if isinstance(data, Baskets):
        facts.append(f"{len(data):,} records with {data.occurrences:,} occurrences of {len(data.names):,} items")
    elif isinstance(data, Table):
        facts.append(f"{len(data):,} rows of {len(data.names):,} columns")
    elif isinstance(data, ResolvedDiversity):
        facts.append(f"{len(data.value):,} rows")
    for option, value in given.items():
        plain = isinstance(value, int | float) or value is None or (isinstance(value, str) and value.isalpha())
        if option != "rng":
            facts.append(f"{option} {value}" if plain else f"{option} given")
    return ", ".join(facts)
