"""From rules to what each person cannot have: the excluded sets (LI calls them IVS)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sordino.data.nodes import Nodes
from sordino.engine.local import Watch, raise_if_stopped
from sordino.engine.sorted import equal_rows, order_of
from sordino.knowledge.classes import row_classes
from sordino.policy.rules import CodedRules

__all__ = ["Exclusion", "excluded_sets", "words"]

Codes = npt.NDArray[np.integer]
U64 = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Exclusion:
    """Bit v of sets[kind_of[r]] is set where row r cannot have the sensitive value v. No two sets are equal."""

    sets: U64 = field(repr=False)
    kind_of: npt.NDArray[np.int32] = field(repr=False)

    def counts(self) -> npt.NDArray[np.int64]:
        """How many values each row cannot have."""
        each = np.bitwise_count(self.sets).sum(axis=1).astype(np.int64)
        counts: npt.NDArray[np.int64] = each[self.kind_of]
        return counts

    def excludes(self, value: int) -> npt.NDArray[np.bool_]:
        """Which rows cannot have the value."""
        bit = (self.sets[:, value >> 6] >> np.uint64(value & 63)) & np.uint64(1)
        return bit.astype(np.bool_)[self.kind_of]


def words(values: int) -> int:
    """Words of 64 bits for so many values."""
    return max(1, (values + 63) >> 6)


def excluded_sets(
    columns: Sequence[Codes], nodes: Sequence[Nodes], rules: CodedRules, values: int, watch: Watch | None = None
) -> Exclusion:
    """What the rules exclude for every row; `values` sensitive values there are."""
    from sordino.knowledge.kernels.exclude import mark_excluded

    stop = (watch or Watch()).stop
    first, class_of, _ = row_classes(columns, [part.values for part in nodes], stop)
    base = np.concatenate([[0], np.cumsum([len(part) for part in nodes])]).astype(np.int64)
    low = np.arange(base[-1], dtype=np.int64)
    high = np.concatenate([part.end + start for part, start in zip(nodes, base, strict=False)]).astype(np.int64)
    leaf = np.stack([part.leaf[np.asarray(c)[first]] + s for part, c, s in zip(nodes, columns, base, strict=False)])
    post = np.concatenate([order_of(line, stop=stop) for line in leaf])
    post_ptr = np.concatenate([[0], np.cumsum(np.bincount(leaf.ravel(), minlength=int(base[-1])))]).astype(np.int64)
    mask = np.zeros((len(first), words(values)), dtype=np.uint64)
    for conditions, value in zip(rules.conditions, rules.value, strict=True):
        if not conditions:
            mask[:, value >> 6] |= np.uint64(1) << np.uint64(value & 63)
    some = [(c, v) for c, v in zip(rules.conditions, rules.value, strict=True) if c]
    if some:
        flat = [pair for c, _ in some for pair in c]
        mark_excluded(
            low,
            high,
            np.ascontiguousarray(leaf.astype(np.int64)),
            post_ptr,
            post,
            np.concatenate([[0], np.cumsum([len(c) for c, _ in some])]).astype(np.int64),
            np.array([base[j] + v for j, v in flat], dtype=np.int64),
            np.array([j for j, _ in flat], dtype=np.int64),
            np.array([v for _, v in some], dtype=np.int64),
            mask,
            stop,
        )
        raise_if_stopped(stop)
    kept, kind, _ = equal_rows(*mask.T[::-1], stop=stop)
    return Exclusion(mask[kept], kind[class_of].astype(np.int32))
