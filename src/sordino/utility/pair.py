"""Before and after as two versions of the same records: the same order, and nothing added."""

from __future__ import annotations

import numpy as np

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
    added = np.setdiff1d(_keys(aligned), _keys(before), assume_unique=True)
    if len(added):
        records = np.unique(added // max(len(before.names), 1))
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
    owner = np.repeat(np.arange(len(after)), after.lengths)
    codes = code[after.items] if len(after.items) else np.empty(0, dtype=np.int64)
    return Baskets.from_pairs(owner, codes, tuple(names), len(after), ids=after.ids, origin=after.origin)


def _keys(baskets: Baskets) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """A number for each (record, item)."""
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    return owner * max(len(baskets.names), 1) + baskets.items
