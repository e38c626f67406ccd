"""Plain Python collections: a list of records, or a dict from record id to record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.sources.coded import Coded, code_values, record_ids
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
        keys = code_values(list(source), "record id", lambda k: f"record {k + 1}")
        ids, kind = record_ids(keys, lambda k: f"record {k + 1}"), keys.kind
        source = source.values()
    rows = [_record(record, number) for number, record in enumerate(source, start=1)]
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    items = code_values(list(chain.from_iterable(rows)), "item", lambda k: f"record {int(owner[k]) + 1}")
    return Coded(owner, items, len(rows), ids), Origin(record_type=kind, item_type=items.kind)


def _record(record: object, number: int) -> list[object]:
    if isinstance(record, (str, bytes, Mapping)) or not isinstance(record, Iterable):
        raise InputError(
            f"wrong type: the record is of type {type(record).__name__}, not a list or set of items",
            where=f"record {number}",
        )
    return list(record)
