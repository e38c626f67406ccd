"""Running every method at every threshold."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from sordino.compare.choice import Cell, check_preference, recommend
from sordino.compare.request import Variant, read_thresholds, read_variants
from sordino.compare.result import Comparison
from sordino.compare.store import Store
from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, PolicyError, SordinoError, Unsatisfiable
from sordino.policy.inference import InferencePolicy
from sordino.policy.threshold import show_rational
from sordino.release.protect import protect_baskets
from sordino.version import VERSION

__all__ = ["check_folder", "compare_baskets", "policy_key", "warm"]

CELLS = "cells"


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


def compare_baskets(
    baskets: Baskets,
    policy: InferencePolicy,
    *,
    methods: Iterable[str] = ("mine", "dist"),
    rho: Iterable[object] | None = None,
    prefer: str = "loss",
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    store: Store | None = None,
) -> Comparison:
    """Every method at every threshold (the policy's own if none is stated), each protected, audited and measured."""
    check_preference(prefer)
    variants = read_variants(methods)
    thresholds = read_thresholds([policy.rho] if rho is None else rho)
    if not thresholds:
        raise InputError("there is no threshold to compare", hint="For example: --rho 0.3,0.5,0.7")
    policy.resolve(baskets, missing=missing)  # what is wrong with the policy is said before anything runs
    store = store or Store(None)
    watch = Watch(progress)
    total = len(variants) * len(thresholds)
    cells: list[Cell] = []
    for variant in variants:
        for threshold in thresholds:
            watch.tell(f"{variant.name} at {show_rational(threshold)}", len(cells), total)
            asked = replace(policy, rho=threshold)
            cells.append(_cell(baskets, asked, variant, seed, jobs, missing, store))
    name = Path(baskets.origin.path).name if baskets.origin.path not in (None, "-") else "the data"
    return Comparison(tuple(cells), recommend(cells, policy.rho, prefer), prefer, policy.rho, name, len(baskets))


def _cell(
    baskets: Baskets,
    policy: InferencePolicy,
    variant: Variant,
    seed: int,
    jobs: int | None,
    missing: str,
    store: Store,
) -> Cell:
    parts = {
        "data": baskets.fingerprint,
        "policy": policy_key(policy),
        "method": variant.method,
        "options": dict(variant.options),
        "seed": seed,
        "version": VERSION,
    }
    found = store.result(parts, lambda: _measure(baskets, policy, variant, seed, jobs, missing))
    return Cell(variant.name, Fraction(policy.rho), **found)


def policy_key(policy: InferencePolicy) -> str:
    """What a policy demands, in a few letters: equal for equal policies. Choices of persons do not show in it."""
    digest = hashlib.sha256()
    plain = replace(policy, per_record=None, except_for=None)
    digest.update(repr(plain).encode())
    for choices in (policy.per_record, policy.except_for):
        digest.update(b"/")
        if choices is not None:
            digest.update(repr((choices.first, choices.names)).encode())
            if choices.table is not None:
                digest.update(repr(choices.table.ids).encode() + choices.table.fingerprint.encode())
            if choices.bits is not None:
                digest.update(choices.bits.tobytes())
    return digest.hexdigest()


@cache
def _warm_by_name(method: str, options: tuple[tuple[str, Any], ...]) -> None:
    """Run a method on next to nothing, so that it is compiled."""
    tiny = Baskets.from_sets([{"a", "x"}, {"a", "x"}, {"a"}, {"b", "x", "y"}, {"b", "y"}])
    with contextlib.suppress(SordinoError):  # what it cannot do, it will say again when it matters
        protect_baskets(tiny, InferencePolicy(["x", "y"], "1/2"), method=method, options=dict(options))


def warm(variant: Variant) -> None:
    """See to it that a method is compiled before it is timed."""
    _warm_by_name(variant.method, tuple(sorted(variant.options.items())))


def _measure(
    baskets: Baskets, policy: InferencePolicy, variant: Variant, seed: int, jobs: int | None, missing: str
) -> dict[str, Any]:
    """Protect and measure once; the time does not include compiling, which happens once a machine."""
    warm(variant)
    start = time.perf_counter()
    try:
        release = protect_baskets(
            baskets, policy, method=variant.method, seed=seed, jobs=jobs, missing=missing, options=variant.options
        )
    except (Unsatisfiable, InputError, PolicyError) as error:  # this method cannot do this; the others may
        return {"done": False, "reason": str(error).split("\n")[0]}
    cost = release.utility
    return {
        "done": True,
        "loss": float(cost.lost),
        "weaker": release.weaker,
        "kl": cost.divergence.to_dict()["kl"],
        "symmetric_kl": cost.divergence.symmetric,
        "jaccard": None if cost.rules is None else float(cost.rules.changes[0].jaccard),
        "bound": None if cost.bound is None else float(cost.bound.share),
        "people_before": release.audit_before.people_at_risk,
        "seconds": round(time.perf_counter() - start, 3),
    }
