"""Which items are the rarest known of which group (by_rarest.py): so that records go to few groups, and little is sent.

Any order of items, cut into ranges, divides an audit exactly. What a group gets of a record are its items from the
first root on and all sensitive ones; so that it is little,

- harmless items come first: a sensitive one is sent along anyway, wherever it stands;
- rare ones come before frequent ones, in ranges of about equal work (`divide`): that is where the search begins;
- then items move between groups, one after the other, to where the records of a sample have to go least often, because
  what occurs together then lies together. By that, no group gets more than FULL or keeps less than THIN of its share.

The result follows from totals, policy and sample alone. A sample that is a poor one costs time, and changes no answer.

All of this is for machines that send records to each other. Where they are at hand, sending costs little, and the order
of rarity alone is searched in half the time (`by_rarity_alone`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.by_rarest import divide, rank_items
from sordino.audit.kernels.arranging import Places, Sample, group_loads, move_items
from sordino.engine.local import Flag

__all__ = ["Arrangement", "arrange", "by_rarity_alone", "sampled_every"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
FULL, THIN = 1.25, 0.5  # times the average load, up to which a group takes more, and down to which it gives
TURNS = 3  # of moving: later ones gain a percent
LONGEST = 256  # items of a record that counts: a longer one goes to most groups anyway
WORK = 40_000_000  # occurrences of the sample times groups, about
OCCURRENCES = 1_000_000  # of the sample, at most
MOST = 2_000  # groups; with more, items stay where `divide` puts them


class Arrangement(NamedTuple):
    """Items in the order of roots: group g has those from bounds[g] on, and before bounds[g + 1]."""

    code: I32  # by rank
    rank: I32  # by code
    bounds: I64

    @property
    def groups(self) -> int:
        return len(self.bounds) - 1


def sampled_every(occurrences: int, number: int) -> int:
    """Of how many records one is enough for a sample."""
    return max(1, -(-occurrences // max(1, min(OCCURRENCES, WORK // max(number, 1)))))


def by_rarity_alone(supports: npt.NDArray[np.integer], records: int, number: int) -> Arrangement:
    """The arrangement in about `number` groups that is searched in the least time, however much is sent."""
    code, rank = rank_items(supports)
    return Arrangement(code, rank, divide(supports[code], records, number))


def arrange(
    supports: npt.NDArray[np.integer],
    sensitive: Bools,
    records: int,
    number: int,
    sample: tuple[I64, npt.NDArray[np.integer]] | None,
    stop: Flag | None = None,
) -> Arrangement:
    """The arrangement in about `number` groups, on supports of the whole; the sample's items are codes."""
    code, rank = rank_items(supports, sensitive)
    bounds = divide(supports[code], records, number)
    groups = len(bounds) - 1
    if groups == 1 or groups > MOST or sample is None:
        return Arrangement(code, rank, bounds)
    group = (np.searchsorted(bounds, rank, side="right") - 1).astype(np.int64)
    _move(group, code, sensitive, groups, sample, stop)
    code = code[np.argsort(group[code], kind="stable")]
    rank = np.empty(len(code), dtype=np.int32)
    rank[code] = np.arange(len(code), dtype=np.int32)
    sizes = np.bincount(group, minlength=groups)
    return Arrangement(code, rank, np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64))


def _move(
    group: I64,
    code: I32,
    sensitive: Bools,
    groups: int,
    sample: tuple[I64, npt.NDArray[np.integer]],
    stop: Flag | None,
) -> None:
    """Changes `group`, by code, so that less is sent."""
    ptr, items = sample
    lengths = np.diff(ptr)
    short = np.repeat((lengths > 1) & (lengths <= LONGEST), lengths)
    items = items[short].astype(np.int32)
    lengths = lengths[(lengths > 1) & (lengths <= LONGEST)]
    ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    post = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)[np.argsort(items, kind="stable")]
    post_ptr = np.concatenate([[0], np.cumsum(np.bincount(items, minlength=len(group)))]).astype(np.int64)
    # Harmless items stay in groups that have some, and so do sensitive ones: the former come first.
    after = int(group[~sensitive].max(initial=-1)) + 1
    before = int(group[sensitive].min(initial=groups))
    places = Places(group, np.where(sensitive, before, 0), np.where(sensitive, groups, after), sensitive)
    all_ = Sample(ptr, items, post_ptr, post)
    load = np.zeros(groups, dtype=np.int64)
    group_loads(all_, places, load)
    flag = np.zeros(1, dtype=np.uint8) if stop is None else stop
    for _ in range(TURNS):
        share = load.sum() / groups
        if not move_items(code, all_, places, load, int(THIN * share), int(FULL * share), flag):
            break
