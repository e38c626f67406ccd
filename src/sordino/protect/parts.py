"""Large tables in parts: each is made safe by itself, and then what the parts cost too much is put back.

**Guarantee.** If every part is safe, so is the union: supports add up, and sup(q + e) <= rho sup(q) in every part gives
the same for the sums. This holds for thresholds that are fixed for all parts, as a resolved policy has them, and for
any limit of knowledge. It does not hold for personal choices, which have parts of their own (personal_workspace.py).
After putting back, an exact audit of the whole has the last word; if it does not pay, the union stays.

**Why.** Work grows faster than the records do: eight parts take a fraction of the time of the whole. What is lost more
is what records of different parts could have done for each other. So records that share something rare belong together:
a record's part follows from its rarest harmless item, by a hash of the name, so that it depends on no order. Nothing of
this is published: the proof is made from the whole.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.ending import silent
from sordino.protect.workspace import Workspace

__all__ = ["LARGE", "WITH_CHOICES", "number_of_parts", "protect_in_parts", "usual_parts"]

LARGE = 1_000_000  # records, from which on parts are made unless the number is stated
SIZE = 60_000  # records of such a part, about
MOST = 10_000  # parts
WITH_CHOICES = "parts is not for choices of single persons: part_size says from how many records on these are divided"

I64 = npt.NDArray[np.int64]


def usual_parts(records: int) -> int:
    """In how many parts so many records are worked on, if nobody says: one, as long as they are few."""
    return 1 if records < LARGE else -(-records // SIZE)


def number_of_parts(stated: object, records: int) -> int:
    """The number that the option `parts` states, or the usual one."""
    if stated is None:
        return usual_parts(records)
    try:
        number = int(str(stated))
    except ValueError:
        number = 0
    if not 1 <= number <= MOST:
        raise InputError(f"parts must be a whole number from 1 to {MOST:,}")
    return number


def part_of(baskets: Baskets, policy: ResolvedInference, number: int) -> I64:
    """The part of every record: by its rarest harmless item, of which the first in the order of names."""
    supports = np.where(policy.sensitive, np.iinfo(np.int64).max, baskets.supports)
    rank = np.empty(len(supports), dtype=np.int64)
    rank[np.argsort(supports, kind="stable")] = np.arange(len(supports))
    rarest = np.full(len(baskets), len(supports), dtype=np.int64)
    filled = np.flatnonzero(baskets.lengths)
    if len(filled):
        rarest[filled] = np.minimum.reduceat(rank[baskets.items], baskets.indptr[:-1][filled])
    by_rank = np.argsort(rank, kind="stable")
    lots = np.array(
        [zlib.crc32(name.encode("utf-8", "surrogatepass")) % number for name in baskets.names], dtype=np.int64
    )
    harmless = len(supports) - int(np.count_nonzero(policy.sensitive))
    lot = np.zeros(len(supports) + 1, dtype=np.int64)  # who has nothing harmless goes to the first
    lot[:harmless] = lots[by_rank[:harmless]]
    return lot[rarest]


def protect_in_parts(
    baskets: Baskets,
    policy: ResolvedInference,
    number: int,
    *,
    jobs: int,
    watch: Watch,
    only_sensitive: bool = False,
    **effort: Any,
) -> Baskets:
    """Baskets in which the policy holds; `effort` as Workspace.protect takes it."""
    part = part_of(baskets, policy, number)
    kept = np.ones(len(baskets.items), dtype=np.bool_)
    owner = np.repeat(part, baskets.lengths)
    watch.report(f"suppressing in {number:,} parts", 0, number)

    def work(worker: int, lot: int) -> None:
        del worker
        records = np.flatnonzero(part == lot)
        if not len(records):
            return
        places = np.flatnonzero(owner == lot)
        ptr = np.zeros(len(records) + 1, dtype=np.int64)
        np.cumsum(baskets.lengths[records], out=ptr[1:])
        piece = Baskets(ptr, baskets.items[places], baskets.names)
        space = Workspace(piece, policy, jobs=1, watch=silent(watch), only_sensitive=only_sensitive)
        kept[places] = _still_there(piece, space.protect(**effort))

    run_chunks(
        work,
        range(number),
        min(jobs, number),
        after=lambda done: watch.report(f"suppressing in {number:,} parts", done, number),
        watch=watch,
    )
    before = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    union = Baskets(before[baskets.indptr], baskets.items[kept], baskets.names, baskets.ids, 0, baskets.origin)
    whole = Workspace(baskets, policy, jobs=jobs, watch=watch, only_sensitive=only_sensitive)
    return whole.put_back(union, kept, **effort)


def _still_there(before: Baskets, after: Baskets) -> npt.NDArray[np.bool_]:
    """Which occurrences of the same records are still there."""
    width = max(len(before.names), 1)
    old, new = (np.repeat(np.arange(len(b), dtype=np.int64), b.lengths) * width + b.items for b in (before, after))
    there = np.zeros(len(old), dtype=np.bool_)
    there[np.searchsorted(old, new)] = True
    return there
