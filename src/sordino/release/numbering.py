"""How records are named and ordered in what is published, and which item names it may know of."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from sordino.data.baskets import Baskets, Int64, vocabulary_order
from sordino.errors import InputError, did_you_mean

__all__ = ["IDS", "check_ids", "only_names_in_use", "published_numbers", "reordered", "with_ids"]

IDS = ("keep", "renumber", "shuffle")


def check_ids(ids: str) -> None:
    """An InputError unless `ids` is a way to treat record ids."""
    if ids not in IDS:
        raise InputError(
            f"record ids cannot be treated as '{ids}'.{did_you_mean(ids, IDS)}", hint=f"Possible: {', '.join(IDS)}."
        )


def published_numbers(baskets: Baskets, ids: str, seed: int) -> Int64:
    """For every record of the (protected) baskets its number, from 1, in the published file.

    A shuffle hides the order of the input, so whoever knows the seed, which is 0 unless stated, must not be able to
    undo it. Therefore the permutation follows from the seed *and* from the protected records in their original order:
    that order is what one would have to know. Nothing that was suppressed enters.
    """
    count = len(baskets)
    if ids != "shuffle":
        return np.arange(1, count + 1, dtype=np.int64)
    key = hashlib.sha256(f"sordino shuffle {seed} {baskets.fingerprint}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(key, "big"))
    return rng.permutation(count).astype(np.int64) + 1


def with_ids(baskets: Baskets, original: tuple[str, ...] | None, ids: str, number: Int64) -> Baskets:
    """The baskets with the ids to publish: the original ones or the numbers; none if there were none."""
    if original is None:
        return replace(baskets, ids=None)
    return replace(baskets, ids=original if ids == "keep" else tuple(map(str, number.tolist())))


def reordered(baskets: Baskets, number: Int64) -> Baskets:
    """The baskets in the order of their numbers (1 to n, each once)."""
    order = np.argsort(number)
    if np.array_equal(order, np.arange(len(order))):
        return baskets
    lengths = baskets.lengths[order]
    indptr = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    # the k-th place of the new items lies as far into its record as in the old ones
    places = np.arange(len(baskets.items), dtype=np.int64) + np.repeat(baskets.indptr[order] - indptr[:-1], lengths)
    ids = None if baskets.ids is None else tuple(baskets.ids[u] for u in order.tolist())
    return replace(baskets, indptr=indptr, items=baskets.items[places], ids=ids)


def only_names_in_use(baskets: Baskets) -> Baskets:
    """The same records without the names that occur in none.

    A name that vanished would still show: it can decide in which order the items of a record are written (whole numbers
    are ordered by value if all names are whole numbers) and whether they are written as numbers or as text.
    """
    used = np.flatnonzero(baskets.supports)
    if len(used) == len(baskets.names):
        return replace(baskets, repeated=0)
    names = vocabulary_order([baskets.names[code] for code in used.tolist()])
    new_code = {name: code for code, name in enumerate(names)}
    recoded = np.full(len(baskets.names), -1, dtype=np.int64)
    for code in used.tolist():
        recoded[code] = new_code[baskets.names[code]]
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    return Baskets.from_pairs(
        owner, recoded[baskets.items], names, len(baskets), ids=baskets.ids, origin=baskets.origin
    )
