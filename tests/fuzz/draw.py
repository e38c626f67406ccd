"""What the generators of cases share: draws as plain Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

__all__ = ["chance", "few", "one_of", "steps", "tree", "whole"]

T = TypeVar("T")
RHO = ("1/2", "1/3", "0.3", "0.7", "0.07", "9/10", "0.1", "2/3", "0.25", "0.123456789012345678", "0.99", "0.000001")


def whole(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return int(rng.integers(low, high + 1))


def chance(rng: np.random.Generator, share: float) -> bool:
    """True for so large a share of draws."""
    return bool(rng.random() < share)


def one_of(rng: np.random.Generator, things: Sequence[T]) -> T:
    """Any of them."""
    return things[int(rng.integers(len(things)))]


def few(rng: np.random.Generator, things: Sequence[T], least: int = 0, most: int | None = None) -> list[T]:
    """Some of them, at least and at most so many, in their order."""
    size = whole(rng, min(least, len(things)), min(len(things), len(things) if most is None else most))
    return [things[k] for k in sorted(rng.choice(len(things), size=size, replace=False).tolist())]


def tree(rng: np.random.Generator, values: Sequence[str], root: str = "ALL") -> dict[str, tuple[str, ...]]:
    """Groups above each value, the nearest first and the root last; neighbours share groups."""
    groups = whole(rng, 1, max(1, len(values) - 1))
    own = [f"G{whole(rng, 0, groups - 1)}" for _ in values]
    wider = {group: f"W{whole(rng, 0, 1)}" for group in dict.fromkeys(own)} if chance(rng, 0.4) else {}
    return {v: (g, wider[g], root) if g in wider else (g, root) for v, g in zip(values, own, strict=True)}


def steps(rng: np.random.Generator) -> tuple[str, ...]:
    """Which of the dearer checks to run."""
    chosen = ["protect"] if chance(rng, 0.9) else []
    if chosen and chance(rng, 0.5):
        chosen.append("folder")
        chosen += [step for step, share in (("tamper", 0.8), ("trace", 0.4), ("jobs", 0.2)) if chance(rng, share)]
    chosen += [step for step, share in (("cli", 0.25), ("limit", 0.1), ("spawn", 0.003)) if chance(rng, share)]
    return tuple(chosen)


def options_of(rng: np.random.Generator, known: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Some of the options of these names, each with one of its known values."""
    return {name: one_of(rng, known[name]) for name in names if chance(rng, 0.5)}
