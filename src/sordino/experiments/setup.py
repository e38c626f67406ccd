"""What an experiment runs on: the data, the draws, the methods, and a store of what is finished.

`quick` replaces every data set of baskets by a cut of the bundled sample, and takes one draw and few parameters: the
whole path is walked, in a second or two, everywhere; the numbers are then about the sample.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from sordino.compare.inference import key as policy_key
from sordino.compare.request import Variant, read_variants
from sordino.compare.run import warm
from sordino.compare.store import Store
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.engine.background import Background
from sordino.engine.local import OutOfTime, Progress, Watch
from sordino.errors import InputError
from sordino.experiments.datasets import find, named
from sordino.experiments.measured import ALL, NO_RULES, OTHERS, changed, holds_already, measured
from sordino.policy.inference import InferencePolicy
from sordino.protect.registry import METHODS
from sordino.sample import path
from sordino.utility.rules import FrequentSets
from sordino.version import VERSION

__all__ = [
    "SAMPLE",
    "Setup",
    "cut",
    "draw_sensitive",
    "known",
    "mean",
    "sampled_records",
    "short_records",
    "synthetic",
    "truncated_records",
]

SAMPLE = "sample"
SAMPLE_RECORDS = 600
LOOK = 0.05  # seconds between two looks at how long a run has taken
MEASURES = 4  # what is kept of a run; another number where that changes, so that older ones are run again
Value = TypeVar("Value")


class Setup:
    """Where experiments run."""

    def __init__(
        self,
        *,
        quick: bool = False,
        draws: int | None = None,
        only: Sequence[str] = (),
        jobs: int | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
        longest: float | None = None,
        deadline: float | None = None,
    ) -> None:
        """`longest`: processor seconds after which a single run is given up, and told; `deadline`: when to end."""
        self.quick = quick
        self.jobs = jobs
        self._draws = draws
        self._only = [name.lower() for name in only]
        self._store = store or Store(None)
        self.watch = Watch(progress)
        self._longest, self._deadline = longest, deadline
        self.remarks: list[str] = []
        self._sets = FrequentSets()

    def pick(self, full: Sequence[Value], quick: Sequence[Value]) -> Sequence[Value]:
        """The parameters to run: all of them, or the few of the quick version."""
        return quick if self.quick else full

    def draws(self, declared: int) -> range:
        """The seeds of the draws."""
        return range(1 if self.quick else self._draws or declared)

    def baskets(self, names: Sequence[str]) -> Iterator[tuple[str, Baskets]]:
        """The data sets that are here, by name; one that is not is remarked, and if there is none at all, an error."""
        if self.quick:
            yield SAMPLE, cut(read_baskets(path("pharmacy.csv")), SAMPLE_RECORDS)
            return
        wanted = [name for name in names if not self._only or name.lower() in self._only]
        if not wanted:
            raise InputError(f"this experiment has none of these data sets; it has: {', '.join(names)}")
        here = 0
        for name in wanted:
            if name == "Syn":
                here += 1
                yield name, synthetic(493_193, 5_000, 2_071_352 / 493_193, 50, seed=0)
                continue
            file = find(named(name))
            if file is None:
                self.remarks.append(
                    f"{name} is not here ('sordino datasets get' tells how to have it), so it is left out."
                )
                continue
            here += 1
            yield name, _read(str(file))
        if not here:
            raise InputError(
                f"none of the data sets is here: {', '.join(wanted)}",
                hint="See 'sordino datasets list', or try --quick, which runs on the bundled sample.",
            )

    def protect(
        self,
        data: str,
        baskets: Baskets,
        policy: InferencePolicy,
        method: str,
        seed: int = 0,
        *,
        rules: str = NO_RULES,
    ) -> dict[str, Any]:
        """Protect and measure (experiments/measured.py), or what an earlier run found, of this experiment or another.

        What is measured is always the same, but for rules; so figures about the same runs share them.
        """
        (variant,) = read_variants([method])
        self.watch.report(f"{data}: {variant.name}", 0, 0)
        parts = {
            "experiment": "protect",
            "data": baskets.fingerprint,
            "policy": policy_key(policy),
            "method": variant.name,
            "seed": seed,
            "version": VERSION,
            "measures": MEASURES,
        }
        wanted = [rules] if rules != NO_RULES else [NO_RULES, OTHERS, ALL]
        for kind in wanted:  # a run with rules has all the rest as well
            if self._store.known({**parts, "rules": kind}) is not None:
                parts["rules"] = kind
                break
        else:
            parts["rules"] = rules
        return self._within(parts, variant.name, partial(self._protect, baskets, policy, variant, seed, rules))

    def _protect(
        self,
        baskets: Baskets,
        policy: InferencePolicy,
        variant: Variant,
        seed: int,
        rules: str,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        warm("inference", variant)
        holds = self._holds(baskets, policy, seed, progress)
        change = changed(
            baskets,
            policy,
            variant.method,
            variant.options,
            seed=seed,
            jobs=self.jobs,
            holds=holds,
            progress=progress,
        )
        return measured(change, rules, self._sets)

    def _holds(self, baskets: Baskets, policy: InferencePolicy, seed: int, progress: Progress | None) -> bool:
        """Whether the policy holds before; asked once for all methods."""
        parts = {
            "experiment": "holds",
            "data": baskets.fingerprint,
            "policy": policy_key(policy),
            "seed": seed if policy.assurance is not None else None,  # by which adversaries are drawn
            "version": VERSION,
        }
        found = self._store.result(
            parts,
            lambda: {"holds": holds_already(baskets, policy, seed=seed, jobs=self.jobs, progress=progress)},
        )
        return bool(found["holds"])

    def stored(self, parts: Mapping[str, Any], compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Any other result that is not to be computed twice."""
        return self._within({**parts, "version": VERSION}, str(parts.get("method")), lambda _: compute())

    def _within(
        self, parts: Mapping[str, Any], method: str, compute: Callable[[Progress | None], dict[str, Any]]
    ) -> dict[str, Any]:
        """What is stored, or what is computed within the time; a run that takes too long has no number at all."""
        given_up = {**parts, "within": self._longest}
        if self._store.known(parts) is not None or self._store.known(given_up) is None:
            try:
                return self._store.result(parts, lambda: self._timed(compute))
            except TimeoutError:
                self._store.result(given_up, lambda: {"given up": True})
        minutes = (self._longest or 0) / 60
        remark = f"{method} has no number where a run took more than {minutes:g} minutes of the processor."
        if remark not in self.remarks:
            self.remarks.append(remark)
        return NoNumbers()

    def _timed(self, compute: Callable[[Progress | None], dict[str, Any]]) -> dict[str, Any]:
        """The result; TimeoutError after the longest that a run may take, OutOfTime at the deadline.

        A run takes the seconds of the processor, as they are measured; the deadline is one of the clock.
        """
        if self._longest is None and self._deadline is None:
            return compute(None)
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise OutOfTime
        begun = time.process_time()
        work = Background(compute)
        try:
            while work.running:
                time.sleep(LOOK)
                if self._longest is not None and time.process_time() - begun > self._longest:
                    raise TimeoutError("the run takes too long")
                if self._deadline is not None and time.monotonic() >= self._deadline:
                    raise OutOfTime
            return work.result()
        finally:
            work.cancel()


class NoNumbers(dict[str, Any]):
    """The result of a run that was given up: every measure is None."""

    def __missing__(self, key: str) -> None:
        return None


def known(methods: Sequence[str]) -> list[str]:
    """Those of the methods that this version has."""
    return [method for method in methods if method.split(":")[0] in METHODS]


def mean(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Mean and standard deviation of the draws; None if a draw has no value, or for the deviation of one draw."""
    there = [value for value in values if value is not None]
    if not there or len(there) < len(values):
        return None, None
    return statistics.fmean(there), statistics.stdev(there) if len(there) > 1 else None


def draw_sensitive(baskets: Baskets, share: float, seed: int) -> list[str]:
    """A share of the item types (rounded), drawn with the seed; in vocabulary order."""
    wanted = max(1, round(len(baskets.names) * share))
    codes = np.random.default_rng(seed).choice(len(baskets.names), size=wanted, replace=False)
    return [baskets.names[code] for code in sorted(codes.tolist())]


def cut(baskets: Baskets, records: int) -> Baskets:
    """The first records, with the names that occur in them."""
    return _chosen(baskets, np.arange(len(baskets)) < records)


def truncated_records(baskets: Baskets, longest: int) -> Baskets:
    """All records, each cut to its first items in the order of the vocabulary (JIA's "cutoff")."""
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    place = np.arange(baskets.occurrences) - np.repeat(baskets.indptr[:-1], baskets.lengths)
    items = baskets.items[place < longest]
    used = np.unique(items)
    names = tuple(baskets.names[code] for code in used)
    return Baskets.from_pairs(owner[place < longest], np.searchsorted(used, items), names, len(baskets))


def short_records(baskets: Baskets, longest: int) -> Baskets:
    """The records of at most so many items, with the names that occur in them."""
    return _chosen(baskets, baskets.lengths <= longest)


def sampled_records(baskets: Baskets, share: float, seed: int) -> Baskets:
    """A random share of the records, in their order, with the names that occur in them."""
    wanted = max(1, round(len(baskets) * share))
    kept = np.zeros(len(baskets), dtype=np.bool_)
    kept[np.random.default_rng(seed).choice(len(baskets), size=wanted, replace=False)] = True
    return _chosen(baskets, kept)


def _chosen(baskets: Baskets, kept: Any) -> Baskets:
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    inside = kept[owner]
    items = baskets.items[inside]
    used = np.unique(items)
    renumbered = (np.cumsum(kept) - 1)[owner[inside]]
    names = tuple(baskets.names[code] for code in used)
    return Baskets.from_pairs(renumbered, np.searchsorted(used, items), names, int(kept.sum()))


def synthetic(records: int, items: int, average: float, longest: int, seed: int) -> Baskets:
    """Records of geometric length, at most `longest`, whose items all have the same chance (JIA's Syn)."""
    random = np.random.default_rng(seed)
    lengths = np.minimum(random.geometric(1 / average, records), longest)
    owner = np.repeat(np.arange(records), lengths)
    codes = random.integers(0, items, int(lengths.sum()))
    return Baskets.from_pairs(owner, codes, tuple(str(k) for k in range(items)), records)


@lru_cache(maxsize=2)
def _read(file: str) -> Baskets:
    return read_baskets(file)
