"""Which association rules survived (model.md 1.3, 1.5).

A rule X -> y has support sup(X + y) and confidence sup(X + y) / sup(X), X not empty. It is sensitive if y is (JIA);
these a protector has to destroy, so only the others are compared. Frequent item sets are mined by PyFIM (Borgelt's
Eclat), as counts; rules are derived from them here, because confidences must be compared exactly: 0.3 of 10 is 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.errors import InputError, MissingExtra

__all__ = [
    "CONFIDENCES",
    "CUTOFF",
    "SUPPORT",
    "FrequentSets",
    "RuleChange",
    "RuleComparison",
    "Supports",
    "compare_rules",
    "frequent_sets",
]

SUPPORT = Fraction(5, 10_000)
CONFIDENCES = (Fraction(3, 10), Fraction(7, 10))
CUTOFF = 5
LONGEST_AFTER = 12  # items that a record may have after a change which makes some longer, as permuting does

Supports = dict[frozenset[int], int]


@dataclass(frozen=True)
class RuleChange:
    """The non-sensitive rules of at least this confidence: how many before, after, and in both."""

    confidence: Fraction
    before: int
    after: int
    kept: int

    @property
    def hidden(self) -> int:
        """Rules that are lost."""
        return self.before - self.kept

    @property
    def pseudo(self) -> int:
        """Rules that hold only in the changed data."""
        return self.after - self.kept

    @property
    def jaccard(self) -> Fraction:
        """Rules in both / rules in either; 1 if there are none at all."""
        either = self.before + self.after - self.kept
        return Fraction(self.kept, either) if either else Fraction(1)

    def to_dict(self) -> dict[str, Any]:
        return {
            "confidence": str(self.confidence),
            "before": self.before,
            "after": self.after,
            "kept": self.kept,
            "hidden": self.hidden,
            "pseudo": self.pseudo,
            "jaccard": float(self.jaccard),
        }


@dataclass(frozen=True)
class RuleComparison:
    """Rules among `records` records, those of at most `cutoff` items before the change."""

    records: int
    cutoff: int | None
    least_support: int  # records that a rule must be true of
    changes: tuple[RuleChange, ...]  # one for each confidence

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "cutoff": self.cutoff,
            "least_support": self.least_support,
            "changes": [change.to_dict() for change in self.changes],
        }


def compare_rules(
    before: Baskets,
    after: Baskets,
    sensitive: npt.NDArray[np.bool_] | None = None,
    *,
    cutoff: int | None = CUTOFF,
    support: Fraction = SUPPORT,
    confidences: Sequence[Fraction] = CONFIDENCES,
    mined: FrequentSets | None = None,
) -> RuleComparison:
    """The non-sensitive rules of two paired versions (see `pair`); `sensitive` marks codes, None means no item is.

    Only records of at most `cutoff` items before (and of at most LONGEST_AFTER after) are looked at, the same ones in
    both versions; None for all, which takes time and memory exponential in the length of what many records share (too
    much for the whole of BMS-WebView-1). `mined` remembers what was frequent before, for who compares it often.
    Raises MissingExtra without PyFIM.
    """
    if not 0 < support <= 1 or not all(0 < confidence <= 1 for confidence in confidences):
        raise InputError("support and confidence of rules must be above 0, and at most 1")
    chosen = np.ones(len(before), dtype=np.bool_)
    if cutoff is not None:
        chosen = (before.lengths <= cutoff) & (after.lengths <= max(cutoff, LONGEST_AFTER))
    records = int(np.count_nonzero(chosen))
    least = max(1, -(-records * support.numerator // support.denominator))
    old = frequent_sets(before, chosen, least) if mined is None else mined.of(before, chosen, least)
    new = frequent_sets(after, chosen, least)
    secret = frozenset() if sensitive is None else frozenset(np.flatnonzero(sensitive).tolist())
    counts = [_Counter(confidence) for confidence in confidences]
    for items in old.keys() | new.keys():
        if len(items) == 1:
            continue
        was, now = old.get(items, 0), new.get(items, 0)
        for y in items - secret:
            known = items - {y}
            was_known, now_known = old[known] if was else 0, new[known] if now else 0
            for counter in counts:
                counter.add(was, was_known, now, now_known)
    return RuleComparison(records, cutoff, least, tuple(counter.change() for counter in counts))


class _Counter:
    """Counts rules of one confidence. A count of 0 says: not frequent."""

    def __init__(self, confidence: Fraction) -> None:
        self.confidence = confidence
        self.num, self.den = confidence.numerator, confidence.denominator
        self.before = self.after = self.kept = 0

    def add(self, was: int, was_known: int, now: int, now_known: int) -> None:
        before = was > 0 and was * self.den >= was_known * self.num
        after = now > 0 and now * self.den >= now_known * self.num
        self.before += before
        self.after += after
        self.kept += before and after

    def change(self) -> RuleChange:
        return RuleChange(self.confidence, self.before, self.after, self.kept)


def frequent_sets(baskets: Baskets, chosen: npt.NDArray[np.bool_], least: int) -> Supports:
    """Every item set that at least `least` of the chosen records contain, and how many do."""
    try:
        import fim
    except ImportError:
        raise MissingExtra("PyFIM", "rules", "Comparing association rules") from None
    chosen = chosen & (baskets.lengths > 0)
    flat = baskets.items[np.repeat(chosen, baskets.lengths)].tolist()
    records = [flat[a:b] for a, b in pairwise([0, *np.cumsum(baskets.lengths[chosen]).tolist()])]
    # PyFIM 6.28 forgets sets that every record contains (NeuralEnsemble/elephant#139): one empty record more, and none
    # is. A negative support is a number of records, so that record alters nothing, and no float is involved.
    records.append([])
    return {frozenset(items): count for items, count in fim.eclat(records, target="s", supp=-least, zmin=1, report="a")}


class FrequentSets:
    """Frequent sets, mined once of the same records of the same data; the last few are remembered."""

    MOST = 4

    def __init__(self) -> None:
        self._found: dict[tuple[str, bytes, int], Supports] = {}

    def of(self, baskets: Baskets, chosen: npt.NDArray[np.bool_], least: int) -> Supports:
        """What `frequent_sets` finds."""
        key = baskets.fingerprint, np.packbits(chosen).tobytes(), least
        if key not in self._found:
            while len(self._found) >= self.MOST:
                del self._found[next(iter(self._found))]
            self._found[key] = frequent_sets(baskets, chosen, least)
        return self._found[key]
