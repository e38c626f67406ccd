"""One-hot tables as baskets: a row is a person, and each column an item that the person has (1, true) or not (0).

Such a table is the same data as baskets, and is published as these. A column may hold the ids; every other column must
say yes or no. A missing cell is no item.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.sources.coded import INTEGER, TEXT, Coded, Codes, Values
from sordino.data.sources.columns import is_record_name
from sordino.data.table import Column, TableOrigin
from sordino.errors import InputError, did_you_mean

__all__ = ["all_true_or_false", "code_onehot"]

YES = frozenset({"1", "1.0", "true", "t", "yes", "y", "x"})
NO = frozenset({"0", "0.0", "false", "f", "no", "n"})
SHOWN = 5  # names of columns in a message


def code_onehot(
    columns: Sequence[Column], form: TableOrigin, record: str | None, item: str | None, where: str | None
) -> tuple[Coded, Origin]:
    """Baskets of a table whose columns say yes or no; InputError if some column says anything else."""
    if item is not None:
        raise InputError("in the layout 'onehot' every column is an item: there is no item column", where=where)
    names = [column.name for column in columns]
    if record is not None and record not in names:
        raise InputError(f"there is no column '{record}'.{did_you_mean(record, names)}", where=where)
    unfit = [column.name for column in columns if column.name != record and not _says_yes_or_no(column)]
    if record is None and len(unfit) == 1 and is_record_name(unfit[0]):
        record, unfit = unfit[0], []
    if unfit:
        listed = ", ".join(f"'{name}'" for name in unfit[:SHOWN])
        more = f" and {len(unfit) - SHOWN:,} more" if len(unfit) > SHOWN else ""
        raise InputError(
            f"in the layout 'onehot' columns hold 0 and 1, or true and false; these hold other values: {listed}{more}",
            where=where,
            hint="Name the column of ids with --record (in Python: record=), and leave out what is no item; or make an "
            "item of each value.",
        )
    owners: list[Codes] = [np.empty(0, dtype=np.int64)]
    codes: list[Codes] = [np.empty(0, dtype=np.int64)]
    held: list[str] = []
    for column in columns:
        if column.name == record:
            continue
        yes = np.array([text.lower() in YES for text in column.texts] + [False], dtype=np.bool_)
        rows = np.flatnonzero(yes[column.codes])
        if len(rows):
            owners.append(rows)
            codes.append(np.full(len(rows), len(held), dtype=np.int64))
            held.append(column.name)
    ids, kind = None, TEXT
    if record is not None:
        column = columns[names.index(record)]
        if column.lacking:
            raise InputError("the record id is missing", where=f"{where or 'the data'}, row {_first_lacking(column)}")
        ids = tuple(column.texts[code] for code in column.codes.tolist())
        kind = INTEGER if column.kind == INTEGER and form.format != "csv" else TEXT
    coded = Coded(np.concatenate(owners), Values(np.concatenate(codes), held), len(columns[0]), ids)
    layout, item = ("list", "items") if form.format != "csv" else ("baskets", None) if ids is None else ("long", "item")
    written = form.format if form.format in ("csv", "jsonl", "parquet") else "memory"
    return coded, Origin(
        format=written, layout=layout, record=record, item=item, record_type=kind, delimiter=form.delimiter,
        shape="onehot",
    )  # fmt: skip


def all_true_or_false(schema: object) -> bool:
    """Whether a typed table can be nothing else: truth in all columns but perhaps one that is named like a record."""
    import pyarrow as pa

    assert isinstance(schema, pa.Schema)
    others = [field.name for field in schema if not pa.types.is_boolean(field.type)]
    return len(schema) - len(others) > 1 and (not others or (len(others) == 1 and is_record_name(others[0])))


def _says_yes_or_no(column: Column) -> bool:
    return all(text.lower() in YES or text.lower() in NO for text in column.texts)


def _first_lacking(column: Column) -> int:
    return int(np.argmax(column.codes < 0)) + 1
