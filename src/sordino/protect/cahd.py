"""`cahd`: sensitive items shown by group of similar records (permutation; Ghinita et al. 2008; model.md 1.3).

Records are put in an order in which similar ones are near (reverse Cuthill-McKee). Around each record with sensitive
items a group is formed with those near ones that share most of its other items and none of its sensitive ones: with
p = 1/rho records each item occurs in at most one of p. What is left over is one last group. A group is formed only if
what is left could still be a group.

**Guarantee, weaker than that of the other methods.** Against somebody who knows non-sensitive items only: in every
group at most a share rho_e of the records has e, so whatever records match, e is no likelier than rho_e. Somebody who
knows a sensitive item of a person may learn more.

**Deviations.** The order is that of the records in the graph of records *and* items, not of the records times records
matrix, which has billions of entries on large files. With thresholds by item, a group is as large as its most demanding
item needs. If an item is so frequent, or its threshold so low, that no grouping can exist, as many of its occurrences
(drawn at random) as necessary are suppressed first; the paper assumes that this does not happen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.permuted import Permuted
from sordino.engine.local import Watch, raise_if_stopped
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.kernels.groups.cahd import form_groups
from sordino.protect.kernels.groups.order import reverse_cuthill_mckee

__all__ = ["protect"]

REACH = 3  # the paper's alpha: candidates on each side, in sizes of the group

Bools = npt.NDArray[np.bool_]
I64 = npt.NDArray[np.int64]


def protect(
    baskets: Baskets,
    policy: ResolvedInference,
    *,
    seed: int,
    jobs: int,
    watch: Watch,
    reach: int = REACH,
    **options: Any,
) -> Permuted:
    """The baskets without their sensitive items, in groups, with the number of these in each group."""
    del jobs, options
    if isinstance(reach, bool) or not isinstance(reach, int) or reach < 1:
        raise InputError("reach must be a whole number, 1 or more")
    secret = policy.sensitive[baskets.items]
    alive = ~secret | _possible(baskets, policy, seed, watch)
    watch.report("ordering", 0, 2)
    order = _order(baskets, ~secret, watch)
    watch.report("grouping", 1, 2)
    open_part, secret_part = _part(baskets, ~secret), _part(baskets, secret & alive)
    need = -(-policy.den // np.maximum(policy.num, 1))
    count = secret_part.supports.copy()
    group = watch.call(
        form_groups, order, open_part.indptr, open_part.items, secret_part.indptr, secret_part.items,
        need, policy.num, policy.den, count, reach, watch.stop,
    )  # fmt: skip
    if len(group):
        group[group < 0] = group.max() + 1
    return _permuted(open_part, secret_part, group)


def _possible(baskets: Baskets, policy: ResolvedInference, seed: int, watch: Watch) -> Bools:
    """Which sensitive occurrences can stay: of no item more than its threshold allows in the whole file."""
    rng = np.random.default_rng(seed)
    kept = np.ones(baskets.occurrences, dtype=np.bool_)
    allowed = policy.num * len(baskets) // np.maximum(policy.den, 1)
    by_code = np.argsort(baskets.items, kind="stable")
    ends = np.cumsum(baskets.supports)
    for code in np.flatnonzero(policy.sensitive & (baskets.supports > allowed)).tolist():
        raise_if_stopped(watch.stop)
        places = by_code[ends[code] - baskets.supports[code] : ends[code]]
        kept[rng.choice(places, size=len(places) - int(allowed[code]), replace=False)] = False
    return kept


def _part(baskets: Baskets, chosen: Bools) -> Baskets:
    """The records with the chosen occurrences only."""
    indptr = np.concatenate([[0], np.cumsum(chosen)])[baskets.indptr]
    return Baskets(indptr, baskets.items[chosen], baskets.names, baskets.ids, 0, baskets.origin)


def _order(baskets: Baskets, chosen: Bools, watch: Watch) -> I64:
    """The records in reverse Cuthill-McKee order of the graph that joins records and their non-sensitive items."""
    records, size = len(baskets), len(baskets) + len(baskets.names)
    owner = np.repeat(np.arange(records), baskets.lengths)[chosen]
    item = records + baskets.items[chosen].astype(np.int64)
    near = np.concatenate([item, owner[np.argsort(item, kind="stable")]])
    degree = np.bincount(owner, minlength=size) + np.bincount(item, minlength=size)
    ptr = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(degree, out=ptr[1:])
    first = np.argsort(degree, kind="stable")
    order = watch.call(reverse_cuthill_mckee, ptr, near, first, watch.stop)
    records_only: I64 = order[order < records]
    return records_only


def _permuted(open_part: Baskets, secret: Baskets, group: I64) -> Permuted:
    _, first, number = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    group_of = rank[number].astype(np.int32)
    held: list[dict[str, int]] = [{} for _ in first]
    owner = np.repeat(np.arange(len(secret)), secret.lengths)
    width = max(len(secret.names), 1)
    keys, counts = np.unique(group_of[owner].astype(np.int64) * width + secret.items, return_counts=True)
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        held[key // width][secret.names[key % width]] = count
    return Permuted(open_part, group_of, tuple(held))
