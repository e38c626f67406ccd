"""Running every method at every threshold, whatever the kind of policy."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, cast

from sordino.compare.choice import Cell, check_preference, recommend
from sordino.compare.request import Variant, read_thresholds, read_variants
from sordino.compare.result import Comparison
from sordino.compare.scale import SCALES, Scale
from sordino.compare.store import Store
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, PolicyError
from sordino.policy.kinds import Policy
from sordino.policy.threshold import show_rational
from sordino.version import VERSION

__all__ = ["CELLS", "Contest", "check_folder", "compare_data", "contest_of"]

CELLS = "cells"
CONTESTS: Mapping[str, str] = {
    "inference": "sordino.compare.baskets",
    "template": "sordino.compare.templates",
    "diversity": "sordino.compare.diversity",
}


class Contest(Protocol):
    """What the module of a kind must have. Adding a kind: such a module, a line above, and a scale."""

    def read(self, data: object) -> Any:
        """The data, with `fingerprint`, `origin` and a length."""

    def own(self, policy: Any) -> Fraction:
        """The policy's own threshold: the strictest, if it has several."""

    def at(self, policy: Any, threshold: Fraction) -> Any:
        """The policy with this threshold instead of its own."""

    def key(self, policy: Any) -> str:
        """What a policy demands, in a few letters: equal for equal policies."""

    def remarks(self, policy: Any, thresholds: bool) -> tuple[str, ...]:
        """What to say about the policy; whether thresholds are stated."""

    def check(self, data: Any, policy: Any, prefer: str, missing: str) -> None:
        """An error for all that is wrong with the policy, before anything runs."""

    def measure(
        self, data: Any, policy: Any, variant: Variant, seed: int, jobs: int | None, missing: str
    ) -> dict[str, Any]:
        """Protect and measure once: the fields of a `Cell`."""


def contest_of(policy: object) -> tuple[Contest, Scale]:
    """What the policy's kind brings to a comparison."""
    kind = getattr(policy, "kind", None)
    if not isinstance(kind, str) or kind not in CONTESTS:
        raise PolicyError([f"this is no policy: {type(policy).__name__}"])
    return cast(Contest, importlib.import_module(CONTESTS[kind])), SCALES[kind]


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
) -> Comparison:
    """Every method at every threshold (the policy's own if none is stated), each protected, audited and measured."""
    contest, scale = contest_of(policy)
    check_preference(prefer, scale)
    # Where absence may be known, the price of that promise shows beside what the others promise.
    usual = scale.methods if getattr(policy, "absent", None) is None else ("twins", *scale.methods)
    variants = read_variants(usual if methods is None else methods, scale.kind)
    own = contest.own(policy)
    wanted = (own,) if thresholds is None else read_thresholds(thresholds, scale)
    if not wanted:
        raise InputError(f"there is no {scale.noun} to compare", hint=f"For example: {scale.example}")
    held = contest.read(data)
    contest.check(held, policy, prefer, missing)
    store = store or Store(None)
    watch = Watch(progress)
    total = len(variants) * len(wanted)
    cells: list[Cell] = []
    for variant in variants:
        for threshold in wanted:
            watch.tell(f"{variant.name} at {show_rational(threshold)}", len(cells), total)
            asked = policy if thresholds is None else contest.at(policy, threshold)
            cells.append(_cell(contest, held, asked, threshold, variant, seed, jobs, missing, store))
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
    contest: Contest,
    data: Any,
    policy: Any,
    threshold: Fraction,
    variant: Variant,
    seed: int,
    jobs: int | None,
    missing: str,
    store: Store,
) -> Cell:
    parts = {
        "data": data.fingerprint,
        "policy": contest.key(policy),
        "method": variant.method,
        "options": dict(variant.options),
        "seed": seed,
        "version": VERSION,
    }
    found = store.result(parts, lambda: contest.measure(data, policy, variant, seed, jobs, missing))
    return Cell(variant.name, threshold, **found)
