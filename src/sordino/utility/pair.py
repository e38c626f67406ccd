"""Before and after as two versions of the same records: the same order, and nothing added."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.errors import InputError

__all__ = ["in_codes_of", "pair"]

ADVICE = (
    "Compare with the file that the release was made of, in its own order and not generalised. If the release is in "
    "random order, give its whole folder: keep/records.parquet leads back. The distributions alone can be compared all "
    "the same: --unpaired, in Python paired=False."
)


def pair(before: Baskets, after: Baskets, *, advice: str = ADVICE) -> Baskets:
    """`after` in the codes of `before`, once it is sure that each of its records is a part of the record before.

    Records are paired by position, because ids may have been renumbered.
    """
    if len(before) != len(after):
        raise InputError(f"the number of records differs: {len(before):,} before, {len(after):,} after", hint=advice)
    known = before.code_of
    new = sum(1 for name, support in zip(after.names, after.supports, strict=True) if support and name not in known)
    if new:
        what = "1 item occurs" if new == 1 else f"{new:,} items occur"
        raise InputError(f"{what} after, but not before: this is not a release made by deletion", hint=advice)
    aligned = in_codes_of(before, after)
    records = np.concatenate([np.empty(0, dtype=np.int64), *_with_more(before, aligned)])
    if len(records):
        what = "1 record has items" if len(records) == 1 else f"{len(records):,} records have items"
        raise InputError(
            f"{what} after that are not there before (the first is record {int(records[0]) + 1:,})", hint=advice
        )
    return aligned


def in_codes_of(before: Baskets, after: Baskets) -> Baskets:
    """`after` with the vocabulary of `before`, and behind it the names that only `after` has."""
    code_of = dict(before.code_of)
    names = list(before.names)
    for name, support in zip(after.names, after.supports, strict=True):
        if support and name not in code_of:
            code_of[name] = len(names)
            names.append(name)
    code = np.array([code_of.get(name, -1) for name in after.names], dtype=np.int64)
    return after.recoded(code, tuple(names))


def _with_more(before: Baskets, after: Baskets) -> Iterator[npt.NDArray[np.int64]]:
    """The records that have something after which they did not have before, ascending; in the same codes."""
    width = max(len(before.names), 1)
    for lo, hi in before.stretches():
        added = np.setdiff1d(after.keys(lo, hi), before.keys(lo, hi), assume_unique=True)
        yield np.unique(added // width)
