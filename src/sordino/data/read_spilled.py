"""Reading baskets that need not fit into memory: once, in pieces, to the disk (spilled.py).

What is read, and what is refused, is the same as by `read_baskets`; but record ids are not kept, and records that are
put together from rows come in the order of their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.ids_in_pieces import IdsInPieces
from sordino.data.read import LAYOUTS, check_alike, check_items, check_names, void_texts, without_missing
from sordino.data.sources.arrow import code_table, column_kinds
from sordino.data.sources.coded import Coded, Values
from sordino.data.sources.columns import table_layout
from sordino.data.sources.onehot import all_true_or_false
from sordino.data.sources.streams import Stream, opened, together
from sordino.data.spilled import Spill, Spilled
from sordino.errors import InputError, NoRecordsError

__all__ = ["LARGE", "read_spilled"]

LARGE = 1_000_000  # rows of Parquet, from which on they are read so unless somebody says otherwise


def read_spilled(
    source: object,
    *,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    missing: Sequence[str] | None = None,
    expected: Collection[str] = (),
    least: int = 0,
) -> Spilled | None:
    """The baskets of a source, on the disk; None if it cannot be read in pieces, or says that it has fewer rows."""
    if layout not in (None, *LAYOUTS):
        return None  # whoever reads it will say
    with opened(source, plain=True) as stream:
        if stream is None or (least and (stream.rows is None or stream.rows < least)):
            return None
        if layout == "onehot" or (layout is record is item is None and all_true_or_false(stream.schema)):
            return None
        if layout not in (None, "long", "list"):
            return None
        return _read(stream, layout, record, item, void_texts(missing, expected), expected)


def _read(
    stream: Stream,
    layout: str | None,
    record: str | None,
    item: str | None,
    void: frozenset[str],
    expected: Collection[str],
) -> Spilled:
    stated = layout is not None or record is not None or item is not None
    one_each = record is None
    kinds = column_kinds(stream.schema, stream.where)
    layout, record, item = table_layout(kinds, layout, record, item, stream.where)
    wanted = [item] if record is None else [record, item]
    spill, rows, form = Spill(), 0, Origin()
    passed_over: Counter[str] = Counter()
    ids = IdsInPieces(expected)

    def add(coded: Coded, told: Origin) -> Origin:
        coded, told = without_missing(coded, told, void)
        passed_over.update(dict(told.missing))
        spill.add(coded.owner, coded.items.codes, coded.items.names, coded.records)
        return told

    if record is None:
        for table in stream.batches(wanted):
            form = add(*code_table(table, layout, record, item, stream.where))
            rows += table.num_rows
    else:
        counted = _Counted(stream.batches(wanted))
        with together(iter(counted), stream.schema, record, item, spill.folder.path) as sorted_:
            for coded, told in _whole_records(sorted_, record, item, stream.where):
                ids.add(coded.ids or ())
                form = add(coded, told)
        rows = counted.rows
        if layout == "list" and one_each and rows > spill.records:
            raise InputError(
                f"{rows - spill.records:,} of {rows:,} record ids repeat others",
                where=stream.where,
                hint="A row is a record here: give each an id of its own, or put the items of one id into one row.",
            )
    if spill.records == 0:
        raise NoRecordsError("there are no records", where=stream.where)
    origin = replace(
        form, format="parquet", path=stream.where, layout=layout, record=record, item=item, packed=stream.packed,
        unused=tuple(name for name in kinds if name not in wanted), stated=stated, database=stream.system,
        missing=tuple(passed_over.items()),
    )  # fmt: skip
    names = list(spill.names)
    check_names(names, "item", stream.where)
    check_alike(ids.alike(), "record id", stream.where)
    nobody = np.broadcast_to(np.zeros(1, dtype=np.int64), (rows,))  # only how many rows there are is asked of it
    check_items(Coded(nobody, Values(nobody[:0], names), spill.records, ids.expected()), origin, expected, stream.where)
    return spill.done(origin)


class _Counted:
    """The same tables, and how many rows they had."""

    def __init__(self, tables: Iterator[Any]) -> None:
        self.tables, self.rows = tables, 0

    def __iter__(self) -> Iterator[Any]:
        for table in self.tables:
            self.rows += table.num_rows
            yield table


def _whole_records(tables: Iterator[Any], record: str, item: str, where: str) -> Iterator[tuple[Coded, Origin]]:
    """Records of rows (record, item) that lie together; what a table cuts in two is completed by the next."""
    import pyarrow as pa

    rest: Any = None
    for table in tables:
        table = table.rename_columns([record, item])
        if rest is not None:
            table = pa.concat_tables([rest, table])
        coded, form = code_table(table, "long", record, item, where)
        cut = int(np.searchsorted(coded.owner, coded.records - 1))  # records are numbered as they come
        rest = table.slice(cut)
        if cut:
            codes = coded.items.codes[:cut]
            assert coded.ids is not None
            yield Coded(coded.owner[:cut], Values(codes, coded.items.names), coded.records - 1, coded.ids[:-1]), form
    if rest is not None and rest.num_rows:
        yield code_table(rest, "long", record, item, where)
