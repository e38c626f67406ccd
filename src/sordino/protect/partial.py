"""Partial suppression of parts of a table, each by itself and safe by itself; so their union is (model.md 1.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.errors import InternalError
from sordino.policy.inference import ResolvedInference
from sordino.protect.kernels.jia.part import Part

__all__ = ["left_of_parts", "occurrences", "take_part"]

Int64 = npt.NDArray[np.int64]
Suppressor = Callable[[Part, int, np.random.Generator], int]  # a part, how many items may be known; -1: went astray


def left_of_parts(
    baskets: Baskets,
    policy: ResolvedInference,
    parts: Sequence[Int64],
    suppress: Suppressor,
    *,
    seed: int,
    jobs: int,
    watch: Watch,
    call: tuple[int, ...] = (),
    after: Callable[[int], None] | None = None,
) -> npt.NDArray[np.bool_]:
    """Which of all occurrences are left when every part (records, by number) has been suppressed.

    What is drawn for a part depends on the seed, its number, and which `call` this is, if there are several. A part
    without a sensitive occurrence has no rule to hide, and stays as it is.
    """
    keep = np.ones(baskets.occurrences, dtype=np.bool_)
    holds = np.zeros(len(baskets), dtype=np.bool_)
    holds[np.repeat(np.arange(len(baskets)), baskets.lengths)[policy.sensitive[baskets.items]]] = True
    wanted = [number for number, rows in enumerate(parts) if holds[rows].any()]

    def work(_: int, number: int) -> None:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*call, number)))
        places, part = take_part(baskets, policy, parts[number], watch.stop)
        before = part._replace(items=part.items.copy(), size=part.size.copy())
        if suppress(part, policy.knowledge or len(part.sup), rng) < 0:
            raise InternalError("sanitizing a part would never end: what is found unsafe is counted as safe")
        keep[places] = survivors(before, part)

    run_chunks(work, wanted, jobs, after=after, watch=watch)
    return keep


def occurrences(baskets: Baskets, rows: Int64) -> Int64:
    """The places in `baskets.items` of all that these records hold, in their order."""
    lengths = baskets.lengths[rows]
    starts = baskets.indptr[rows] - (np.cumsum(lengths) - lengths)
    return np.repeat(starts, lengths) + np.arange(lengths.sum())


def take_part(
    baskets: Baskets, policy: ResolvedInference, rows: Int64, stop: npt.NDArray[np.uint8]
) -> tuple[Int64, Part]:
    """The part of these records, in arrays of its own; and the places in `baskets.items` it was taken from."""
    places = occurrences(baskets, rows)
    codes, items = np.unique(baskets.items[places], return_inverse=True)
    lengths = baskets.lengths[rows]
    owner = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)
    sup = np.bincount(items, minlength=len(codes)).astype(np.int64)
    part = Part(
        ptr=np.cumsum(lengths) - lengths,
        items=items.astype(np.int32),
        size=lengths.copy(),
        post_ptr=np.cumsum(sup) - sup,
        post=owner[np.argsort(items, kind="stable")],
        sup=sup,
        before=sup.copy(),
        total=np.array([len(items), len(items)], dtype=np.int64),
        sensitive=policy.sensitive[codes],
        num=policy.num[codes],
        den=policy.den[codes],
        count=np.zeros(len(codes), dtype=np.int64),
        chosen=np.empty(len(rows), dtype=np.int32),
        stop=stop,
        astray=np.zeros(1, dtype=np.uint8),
    )
    return places, part


def survivors(before: Part, part: Part) -> npt.NDArray[np.bool_]:
    """Which of the occurrences that the part had are left."""
    width = len(part.sup)
    keys = np.repeat(np.arange(len(before.size)), before.size) * width + before.items
    slot = np.arange(len(part.items)) - np.repeat(part.ptr, before.size)
    left = slot < np.repeat(part.size, before.size)
    return np.isin(keys, np.repeat(np.arange(len(part.size)), part.size) * width + part.items[left], assume_unique=True)
