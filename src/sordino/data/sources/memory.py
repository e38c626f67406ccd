"""Plain Python collections: a list of records, or a dict from record id to record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from itertools import chain
from typing import Any

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.sources.coded import Coded, code_values, record_ids
from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.errors import InputError

__all__ = ["read_collection"]


def read_collection(source: object) -> tuple[Coded, Origin]:
    """Records of a collection of collections of items; the keys of a mapping are the record ids."""
    if isinstance(source, np.ndarray) and source.ndim != 1:
        raise InputError(
            "a dense array is neither a list of records nor a sparse matrix",
            hint="If rows are records and columns items, pass scipy.sparse.csr_array(array).",
        )
    if isinstance(source, (bytes, bytearray, memoryview)) or not isinstance(source, Iterable):
        raise InputError(
            f"cannot read baskets from an object of type {type(source).__name__}",
            hint="Pass a path, a frame, a sparse matrix, a list of sets, or a dict from id to items.",
        )
    ids: tuple[str, ...] | None = None
    kind = Origin().record_type
    if isinstance(source, Mapping):
        _check_no_columns(source)
        keys = code_values(list(source), "record id", lambda k: f"record {k + 1}")
        ids, kind = record_ids(keys, lambda k: f"record {k + 1}"), keys.kind
        source = source.values()
    records = list(source)
    _check_no_pairs(records)
    rows = [_record(record, number) for number, record in enumerate(records, start=1)]
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    items = code_values(list(chain.from_iterable(rows)), "item", lambda k: f"record {int(owner[k]) + 1}")
    return Coded(owner, items, len(rows), ids), Origin(record_type=kind, item_type=items.kind)


def _check_no_columns(source: Mapping[Any, Any]) -> None:
    """InputError for columns by name, as frames are made of: their names would be ids."""
    names = [str(key) for key in source]
    if (
        len(names) > 1
        and all(is_record_name(n) or is_item_name(n) for n in names)
        and len({_length(held) for held in source.values()}) == 1
    ):
        raise InputError(
            f"this looks like columns by name ({', '.join(names[:5])}), not like records by id",
            hint="Pass a frame of these columns (pandas, polars, pyarrow.table), or a list of sets.",
        )


def _check_no_pairs(records: list[Any]) -> None:
    """InputError for tuples of two that look like (record, item) pairs: each would be a record of its own."""
    if len(records) < 3 or not all(type(record) is tuple and len(record) == 2 for record in records):
        return
    if {str(one) for one, _ in records}.isdisjoint(str(other) for _, other in records):
        raise InputError(
            "these tuples of two may be (record, item) pairs, and not records",
            hint="Pass a frame with the columns record and item; or, if each is a record, sets or lists.",
        )


def _length(held: object) -> int:
    return len(held) if isinstance(held, Sized) else -1


def _record(record: object, number: int) -> list[object]:
    if isinstance(record, (str, bytes, Mapping)) or not isinstance(record, Iterable):
        raise InputError(
            f"wrong type: the record is of type {type(record).__name__}, not a list or set of items",
            where=f"record {number}",
        )
    return list(record)
