"""How records are named and ordered in what is published, and which item names it may know of.

**Random order.** The order of the source links records to people and to other releases; what is deleted from a sorted
file can be read from it. So by default records are shuffled. Whoever knows the seed, or guesses one that was stated,
must gain nothing by it: therefore records are first put in an order that follows from what they show, and then
permuted, by a generator that follows from the seed and from what they show. So the published order is a function of
the published records and the seed. Where a record was in the source cannot have left a trace in it, and undoing the
permutation leads to an order that everybody can make.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from sordino.data.arrow import arrow_numbers, arrow_texts
from sordino.data.baskets import Baskets, Int64, vocabulary_order
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.table import Table
from sordino.errors import InputError, did_you_mean
from sordino.verify.manifest import IDS

__all__ = [
    "IDS",
    "SHUFFLE",
    "check_ids",
    "check_seed",
    "coarsened_numbers",
    "in_order",
    "numbers_table",
    "only_names_in_use",
    "published_numbers",
    "row_numbers",
    "rows_by_content",
    "run_seed",
    "shuffler",
    "with_ids",
]

SHUFFLE = "shuffle"
SECRET_BITS = 128
BLOCK = 1 << 18  # records that are put into bytes together


def check_ids(ids: str) -> None:
    """An InputError unless `ids` is a way to treat record ids."""
    if ids not in IDS:
        raise InputError(
            f"record ids cannot be treated as '{ids}'.{did_you_mean(ids, IDS)}", hint=f"Possible: {', '.join(IDS)}."
        )


def check_seed(seed: object) -> None:
    """An InputError unless `seed` can be one; None asks for a secret one."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise InputError("the seed must be a whole number, 0 or more")


def run_seed(seed: int | None) -> int:
    """The seed of a run: as stated, else drawn anew, so large that nobody guesses it. It is told in keep/ only."""
    return secrets.randbits(SECRET_BITS) if seed is None else seed


def shuffler(seed: int, content: str) -> np.random.Generator:
    """The generator that orders published data of this content (a fingerprint that no order enters)."""
    key = hashlib.sha256(f"sordino shuffle {seed} {content}".encode()).digest()
    return np.random.default_rng(int.from_bytes(key, "big"))


def published_numbers(baskets: Baskets, ids: str, seed: int) -> Int64:
    """For every record of the (protected) baskets, which hold only names in use, its number in the published file."""
    if ids != SHUFFLE:
        return np.arange(1, len(baskets) + 1, dtype=np.int64)
    order = _by_content(baskets)
    return _shuffled(order, _in_bytes(baskets, order), baskets.names, seed)


def _in_bytes(baskets: Baskets, order: Int64) -> Iterator[bytes]:
    """What the records hold, in this order, each after the number of its bytes; many of them at a time."""
    for begin in range(0, len(order), BLOCK):
        some = order[begin : begin + BLOCK]
        starts, lengths = baskets.indptr[some], baskets.lengths[some]
        stops = np.cumsum(lengths)
        places = np.repeat(starts - (stops - lengths), lengths) + np.arange(int(stops[-1]))
        # A record's number of bytes is a whole number of eight bytes, of which the first four are 0.
        yield (
            np.insert(
                baskets.items[places].astype(np.int64),
                np.repeat(stops - lengths, 2),
                np.column_stack((np.zeros_like(lengths), 4 * lengths)).ravel(),
            )
            .astype(">i4")
            .tobytes()
        )


def _each(contents: Iterable[bytes]) -> Iterator[bytes]:
    """Contents, each after the number of its bytes."""
    for content in contents:
        yield len(content).to_bytes(8, "big") + content


def _by_content(baskets: Baskets) -> Int64:
    """The records in the order of their items, one after another; a record comes before those that go on after it."""
    lengths, begin = baskets.lengths, baskets.indptr[:-1]
    by_length = np.argsort(lengths, kind="stable")
    ends = np.searchsorted(lengths[by_length], np.arange(int(lengths.max(initial=0)) + 2))
    order = by_length[:0]  # the records that have an item at this place, in the order of what they have from there on
    for place in range(len(ends) - 2, -1, -1):
        ending = by_length[ends[place + 1] : ends[place + 2]] if place + 2 < len(ends) else by_length[:0]
        order = np.concatenate([ending, order])
        order = order[np.argsort(baskets.items[begin[order] + place], kind="stable")]
    return np.concatenate([by_length[: ends[1] if len(ends) > 1 else len(by_length)], order]).astype(np.int64)


def coarsened_numbers(baskets: Baskets, group: Sequence[int], told: Sequence[str], ids: str, seed: int) -> Int64:
    """The same for records in groups, of each of which something is told.

    What a record shows is then also what its group shows: what is told of it, and the records in it.
    """
    if ids != SHUFFLE:
        return np.arange(1, len(baskets) + 1, dtype=np.int64)
    keys = _contents(baskets)
    members: list[list[bytes]] = [[] for _ in told]
    for g, key in zip(group, keys, strict=True):
        members[g].append(key)
    shown = [(text, sorted(held)) for text, held in zip(told, members, strict=True)]
    rank = [0] * len(shown)
    for place, g in enumerate(sorted(range(len(shown)), key=shown.__getitem__)):
        rank[g] = place
    order = sorted(range(len(keys)), key=lambda u: (rank[group[u]], keys[u]))
    contents = sorted([*keys, *(text.encode() for text in told)])
    return _shuffled(np.array(order, dtype=np.int64), _each(contents), baskets.names, seed)


def row_numbers(table: Table, ids: str, seed: int) -> Int64:
    """The same for the rows of a table."""
    if ids != SHUFFLE:
        return np.arange(1, len(table) + 1, dtype=np.int64)
    order = rows_by_content(table)
    number = np.empty(len(table), dtype=np.int64)
    number[order] = shuffler(seed, table.rows(order).fingerprint).permutation(len(table)) + 1
    return number


def rows_by_content(table: Table) -> Int64:
    """The rows in the order of their texts, column by column; no matter what order they are in."""
    keys = []
    for column in table.columns:
        rank = np.full(len(column.texts) + 1, -1, dtype=np.int64)  # the last place is that of code -1
        rank[sorted(range(len(column.texts)), key=column.texts.__getitem__)] = np.arange(len(column.texts))
        keys.append(rank[column.codes])
    return np.lexsort(keys[::-1]).astype(np.int64)


def _contents(baskets: Baskets) -> list[bytes]:
    """What every record holds, as bytes that order records by their items."""
    raw = baskets.items.astype(">i4").tobytes()
    return [raw[4 * start : 4 * stop] for start, stop in pairwise(baskets.indptr.tolist())]


def _shuffled(order: Int64, contents: Iterable[bytes], names: Sequence[str], seed: int) -> Int64:
    """Numbers for records in this order; `contents`, each after the number of its bytes, in theirs."""
    digest = hashlib.sha256("\x1f".join(names).encode("utf-8", "surrogatepass"))
    for some in contents:
        digest.update(some)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = shuffler(seed, digest.hexdigest()).permutation(len(order)) + 1
    return number


def with_ids(baskets: Baskets, original: tuple[str, ...] | None, ids: str, number: Int64) -> Baskets:
    """The baskets with the ids to publish: the original ones or the numbers; none if there were none."""
    if original is None:
        return replace(baskets, ids=None)
    return replace(baskets, ids=original if ids == "keep" else tuple(map(str, number.tolist())))


def in_order(data: Generalized | Permuted, baskets: Baskets, number: Int64) -> Generalized | Permuted:
    """The groups of `data` for its records in the order of these numbers, which are `baskets`; numbered by their first
    records in that order."""
    group = data.group[np.argsort(number)]
    _, first = np.unique(group, return_index=True)
    order = group[np.sort(first)]
    rank = np.empty(data.groups, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    if isinstance(data, Generalized):
        opened = tuple(data.opened[g] for g in order.tolist())
        return replace(data, baskets=baskets, group=rank[group], opened=opened)
    return replace(data, baskets=baskets, group=rank[group], held=tuple(data.held[g] for g in order.tolist()))


def numbers_table(number: Int64, ids: tuple[str, ...] | None) -> Any:
    """An Arrow table (published, record) that leads from numbers back to ids, or to positions from 0."""
    import pyarrow as pa

    position = number.argsort()
    record = arrow_numbers(position)
    if ids is not None:
        record = arrow_texts(ids).take(record)
    return pa.table({"published": arrow_numbers(number[position]), "record": record})


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
    return baskets.recoded(recoded, names)
