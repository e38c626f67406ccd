"""Running every method at every threshold, whatever the kind of policy."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

from sordino.compare.choice import Cell, check_preference, recommend, why_not
from sordino.compare.request import Variant, each_of, read_thresholds, read_variants
from sordino.compare.result import Comparison
from sordino.compare.scale import Scale
from sordino.compare.store import Store
from sordino.engine.local import Progress, Watch
from sordino.engine.log import logged
from sordino.errors import InputError, PolicyError, SordinoError, Unsatisfiable
from sordino.kinds import KINDS, Source, kind_of
from sordino.kinds.verbs import named, protect, read
from sordino.policy.kinds import Policy
from sordino.policy.threshold import show_rational
from sordino.protect.registry import Method, find_method
from sordino.utility.bound import QUICK, steps_of
from sordino.version import VERSION

__all__ = ["CELLS", "Contest", "check_folder", "compare_data", "contest_of", "measure", "stated_thresholds", "warm"]

CELLS = "cells"


class Contest(Protocol):
    """What the module of a kind must have, found by the record of the kind."""

    SCALE: Scale

    def own(self, policy: Any) -> Fraction:
        """The policy's own threshold: the strictest, if it has several."""

    def at(self, policy: Any, threshold: Fraction) -> Any:
        """The policy with this threshold instead of its own."""

    def key(self, policy: Any) -> str:
        """What a policy demands, in a few letters: equal for equal policies."""

    def usual(self, policy: Any) -> tuple[str, ...]:
        """The methods that are compared unless others are stated."""

    def remarks(self, policy: Any, thresholds: bool) -> tuple[str, ...]:
        """What to say about the policy; whether thresholds are stated."""

    def check(self, data: Any, policy: Any, prefer: str, missing: str) -> None:
        """An error for all that is wrong with the policy, before anything runs."""

    def tiny(self) -> tuple[Any, Any]:
        """Next to no data, and a policy: to run a method once, so that it is compiled."""

    def within_reach(self, policy: Any, method: Method) -> tuple[Any, str]:
        """As much of the policy as the method can promise, and what is then not promised."""

    def figures(self, release: Any, data: Any, missing: str) -> dict[str, Any]:
        """What a release cost: the measures of the scale.

        A module may also have `exposed(release, data, policy, missing)`: how many people the release leaves at risk
        under the whole policy, of which its method promised only a part.
        """


def contest_of(policy: object) -> Contest:
    """What the policy's kind brings to a comparison."""
    kind = kind_of(policy)
    contest: Contest | None = kind.load_compare()
    if contest is None:
        raise InputError(f"policies of kind '{kind.name}' cannot be compared")
    return contest


def stated_thresholds(policy: object, stated: Mapping[str, Iterable[object] | None]) -> tuple[object, ...] | None:
    """The thresholds among those stated by name (rho, at_most, l); an InputError if they are not this policy's.

    Both rho and at_most say how sure somebody may become, so templates take either.
    """
    given = {name: each_of(values) for name, values in stated.items() if values is not None}
    scale = contest_of(policy).SCALE
    fits = {scale.field, "rho"} if scale.field == "at_most" else {scale.field}
    wrong = [name for name in given if name not in fits]
    if wrong:
        raise InputError(
            f"{wrong[0]} is no threshold of policies of kind '{scale.kind}'", hint=f"For example: {scale.example}"
        )
    if len(given) > 1:
        raise InputError("state the thresholds once, as rho or as at_most")
    return next(iter(given.values()), None)


def check_folder(out: str | os.PathLike[str]) -> Path:
    """The folder, if a comparison may be written there: new, empty, or an earlier comparison, which is continued."""
    path = Path(out)
    if path.exists() and not path.is_dir():
        raise InputError("there is already a file of this name", where=str(path))
    if path.is_dir():
        inside = {entry.name for entry in path.iterdir()}
        if inside and not inside & {CELLS, "comparison.json"}:
            raise InputError(
                "this folder holds something else; nothing was written", where=str(path), hint="Choose another folder."
            )
    elif not path.resolve().parent.is_dir():
        raise InputError("there is no such folder to write into", where=str(path))
    return path


@partial(logged, name="compare")
def compare_data(
    data: object,
    policy: Policy,
    *,
    methods: Iterable[str] | None = None,
    thresholds: Iterable[object] | None = None,
    prefer: str = "loss",
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    store: Store | None = None,
    bound: str | None = None,
) -> Comparison:
    """Every method at every threshold and at the policy's own, each protected, audited and measured."""
    contest = contest_of(policy)
    scale = contest.SCALE
    steps_of(QUICK if bound is None else bound)
    check_preference(prefer, scale)
    variants = read_variants(contest.usual(policy) if methods is None else methods, scale.kind)
    own = contest.own(policy)
    stated = () if thresholds is None else read_thresholds(thresholds, scale)
    if thresholds is not None and not stated:
        raise InputError(f"there is no {scale.noun} to compare", hint=f"For example: {scale.example}")
    wanted = sorted({*stated, own})  # without its own, nobody would see what the policy itself costs
    source = read(data, policy, verb="compare")
    held, policy = source.data, named(policy, source, missing)
    contest.check(held, policy, prefer, missing)
    store = store or Store(None)
    watch = Watch(progress)
    total = len(variants) * len(wanted)
    cells: list[Cell] = []
    for variant in variants:
        for threshold in wanted:
            watch.report(f"{variant.name} at {show_rational(threshold)}", len(cells), total)
            asked = policy if threshold == own else contest.at(policy, threshold)
            cells.append(_cell(held, asked, threshold, variant, seed, jobs, missing, store, bound))
    return Comparison(
        tuple(cells),
        recommend(cells, own, prefer, scale),
        prefer,
        own,
        Path(held.origin.path).name if held.origin.path not in (None, "-") else "the data",
        len(held),
        scale,
        contest.remarks(policy, thresholds is not None),
    )


def _cell(
    data: Any,
    policy: Policy,
    threshold: Fraction,
    variant: Variant,
    seed: int,
    jobs: int | None,
    missing: str,
    store: Store,
    bound: str | None,
) -> Cell:
    parts = {
        "data": data.fingerprint,
        "policy": contest_of(policy).key(policy),
        "method": variant.method,
        "options": {name: _content(value) for name, value in variant.options.items()},
        "measures": list(contest_of(policy).SCALE.fields),
        "seed": seed,
        "version": VERSION,
        **({} if bound is None else {"bound": bound}),
    }
    found = store.result(parts, lambda: measure(data, policy, variant, seed, jobs, missing, bound))
    return Cell.of(variant.name, threshold, found)


def _content(value: Any) -> Any:
    """What an option stands for: of a file its content, which may change while its name does not."""
    path = Path(value) if isinstance(value, str) and "\0" not in value else None
    if path is None or not path.is_file():
        return value
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measure(
    data: Any,
    policy: Policy,
    variant: Variant,
    seed: int,
    jobs: int | None,
    missing: str = "error",
    bound: str | None = None,
) -> dict[str, Any]:
    """Protect and measure once; the time does not include compiling, which happens once a machine."""
    contest = contest_of(policy)
    warm(policy.kind, variant)
    reached, weaker = contest.within_reach(policy, find_method(variant.method))
    start = time.perf_counter()
    try:
        release = protect(
            Source(data), reached, method=variant.method, seed=seed, jobs=jobs, missing=missing, bound=bound,
            options=variant.options,
        )  # fmt: skip
    except (Unsatisfiable, InputError, PolicyError) as error:  # this method cannot do this; the others may
        return {"done": False, "reason": why_not(error)}
    seconds = round(time.perf_counter() - start, 3)
    found = contest.figures(release, data, missing)
    exposed = getattr(contest, "exposed", None)
    if exposed is not None:
        found["exposed"] = exposed(release, data, policy, missing)
    people = release.audit_before.people_at_risk
    weaker = " ".join(filter(None, (weaker, found.get("weaker"))))
    return {"done": True, **found, "weaker": weaker, "people_before": people, "seconds": seconds}


def warm(kind: str, variant: Variant) -> None:
    """See to it that a method is compiled before it is timed."""
    _warm(kind, variant.method, tuple(sorted(variant.options.items())))


@cache
def _warm(kind: str, method: str, options: tuple[tuple[str, Any], ...]) -> None:
    """Run a method on next to nothing."""
    data, policy = KINDS[kind].load_compare().tiny()
    with contextlib.suppress(SordinoError):  # what it cannot do, it will say again when it matters
        protect(Source(data), policy, method=method, options=dict(options))
