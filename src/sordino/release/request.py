"""What is asked of a run that makes a release, checked before the work, and the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from sordino.engine.local import Progress, Watch, thread_count
from sordino.errors import InputError, InternalError, did_you_mean
from sordino.protect.registry import METHODS, Method, find_method
from sordino.release.numbering import SHUFFLE, check_ids, check_seed, run_seed
from sordino.utility.bound import QUICK, steps_of

__all__ = ["How", "Run", "check_request", "start"]


class How(TypedDict, total=False):
    """What may be said about a run besides its method.

    Without a seed a secret one is drawn, for the random choices of the method and the order of the records alike. ids:
    what becomes of order and ids. options: those of the method. written: the release is written at once, so that the
    audit of the written file is the audit of the result, where nothing hangs on it before. bound: how closely the least
    possible loss is looked for, where deletions are counted ("quick" or "thorough").
    """

    seed: int | None
    jobs: int | None
    progress: Progress | None
    ids: str
    options: Mapping[str, Any] | None
    written: bool
    bound: str


@dataclass(frozen=True)
class Run:
    """A run that may begin."""

    method: Method
    options: dict[str, Any]
    seed: int
    jobs: int
    ids: str
    watch: Watch
    written: bool = False
    bound: str = QUICK

    @property
    def progress(self) -> Progress | None:
        return self.watch.progress

    @property
    def recorded(self) -> dict[str, Any]:
        """The options as keep/ tells them: with the seed they give the same bytes, unless Ctrl-C ended something."""
        early = "; ".join(self.watch.ended_early)
        return {**self.options, **({"ended_early": f"by Ctrl-C, {early}"} if early else {})}

    def failed(self) -> InternalError:
        """What to raise if the result of the method is not safe."""
        return InternalError(f"the result of the method '{self.method.name}' fails the audit; nothing is published")


def check_request(
    method: str,
    options: Mapping[str, Any],
    *,
    seed: int | None,
    jobs: int | None,
    ids: str = SHUFFLE,
    kind: str = "inference",
) -> Method:
    """The method, if it exists for the kind of policy and takes the options; an InputError otherwise."""
    chosen = find_method(method, kind)
    for name in options:
        if name not in chosen.options:
            near = did_you_mean(name, chosen.options)
            holders = [other.name for other in METHODS.values() if name in other.options]
            known = ", ".join(f"{key} ({what})" for key, what in chosen.options.items())
            hint = f"Options of '{method}': {known}." if known else f"'{method}' has no options of its own."
            if holders:
                hint += f" '{name}' belongs to: {', '.join(holders)}."
            raise InputError(f"the method '{method}' has no option '{name}'.{near}", hint=hint)
    check_seed(seed)
    thread_count(jobs)
    check_ids(ids)
    return chosen


def start(
    method: str,
    kind: str,
    *,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str = SHUFFLE,
    options: Mapping[str, Any] | None = None,
    written: bool = False,
    bound: str = QUICK,
) -> Run:
    """The run that is asked for; an InputError if there is none."""
    options = dict(options or {})
    chosen = check_request(method, options, seed=seed, jobs=jobs, ids=ids, kind=kind)
    steps_of(bound)
    return Run(chosen, options, run_seed(seed), thread_count(jobs), ids, Watch(progress), written, bound)
