"""Arrow tables, whatever they came from: the long layout (two columns) and the list layout (a column of lists)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.sources.coded import INTEGER, TEXT, Coded, Codes, Values, arrow_codes, grouped, record_ids
from sordino.data.sources.columns import LIST, OTHER, SCALAR, table_layout
from sordino.data.sources.onehot import all_true_or_false, code_onehot
from sordino.data.sources.table_arrow import arrow_columns
from sordino.data.table import MISSING, TableOrigin
from sordino.errors import InputError

__all__ = ["INDEX_COLUMN", "code_column", "code_items", "code_table", "column_kinds"]

INDEX_COLUMN = re.compile(r"__index_level_\d+__")  # pandas stores an unnamed index under this name


def column_kinds(schema: Any, where: str | None) -> dict[str, str]:
    """The kind of each column of an Arrow schema; an unnamed pandas index is no column."""
    names = [name for name in schema.names if not INDEX_COLUMN.fullmatch(name)]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"there is more than one column '{double}'", where=where)
    return {name: _kind(schema.field(name).type) for name in names}


def code_table(
    table: Any, layout: str | None, record: str | None, item: str | None, where: str | None
) -> tuple[Coded, Origin]:
    """Records of an Arrow table; in the long layout in order of first appearance, in the others one a row."""
    kinds = column_kinds(table.schema, where)
    if layout == "onehot" or (layout is record is item is None and all_true_or_false(table.select(list(kinds)).schema)):
        columns = arrow_columns(table.select(list(kinds)), MISSING, where)
        return code_onehot(columns, TableOrigin(), record, item, where)
    layout, record, item = table_layout(kinds, layout, record, item, where)
    ids = None if record is None else code_column(table.column(record), f"record column '{record}'", where)
    column = table.column(item)
    role = f"item column '{item}'"
    if layout == "list":
        owner, column = _flattened(column)
    items = code_column(column, role, where)
    origin = Origin(
        layout=layout,
        record=record,
        item=item,
        record_type=TEXT if ids is None else ids.kind,
        item_type=items.kind,
        unused=tuple(name for name in kinds if name not in (record, item)),
    )

    def at(row: int) -> str:
        return f"{where}, row {row + 1}" if where else f"row {row + 1}"

    if layout == "long":
        assert ids is not None
        return grouped(ids, items, at), origin
    return Coded(owner, items, table.num_rows, None if ids is None else record_ids(ids, at)), origin


def code_items(
    table: Any, layout: str | None, record: str | None, item: str | None, where: str | None
) -> tuple[Coded, Origin]:
    """The same of the result of a query, in which decimal numbers may be ids or items, by their text."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))
    return code_table(table, layout, record, item, where)


def code_column(column: Any, role: str, where: str | None) -> Values:
    """Codes of an Arrow column (array or chunked array), which must hold text or whole numbers."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(column.type):
        column = _decoded(column)
    numeric = types.is_integer(column.type)
    if types.is_null(column.type):
        return Values(np.full(len(column), -1, dtype=np.int64), [])
    if not numeric:
        if not _is_text(column.type):
            raise _wrong_type(column.type, role, where)
        if types.is_string_view(column.type):
            column = column.cast(pa.large_string())
    # All chunks of an encoded column have one dictionary, so the texts themselves are never joined.
    encoded = column.dictionary_encode()
    chunks = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
    names = [str(name) for name in chunks[-1].dictionary.to_pylist()] if chunks else []
    codes = arrow_codes(chunks[0].indices) if len(chunks) == 1 else _joined([chunk.indices for chunk in chunks])
    if "" in names:
        empty = names.index("")
        names.pop(empty)
        codes = np.where(codes == empty, -1, np.where(codes > empty, codes - 1, codes))
    return Values(codes, names, INTEGER if numeric else TEXT)


def _joined(indices: list[Any]) -> Codes:
    """The codes of several chunks one after the other."""
    return np.concatenate([np.empty(0, dtype=np.int32), *map(arrow_codes, indices)])


def _decoded(column: Any) -> Any:
    """The values behind a dictionary-encoded column."""
    import pyarrow as pa

    plain = pa.large_string() if _is_text(column.type.value_type) else column.type.value_type
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return pa.chunked_array([chunk.dictionary.cast(plain).take(chunk.indices) for chunk in chunks], type=plain)


def _flattened(column: Any) -> tuple[Codes, Any]:
    """For each entry of a column of lists the row that it belongs to, and the entries. A null list is an empty one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    lengths = [pc.fill_null(pc.list_value_length(chunk), 0).to_numpy(zero_copy_only=False) for chunk in chunks]
    rows = np.arange(len(column), dtype=np.int32 if len(column) < 2**31 else np.int64)
    owner = np.repeat(rows, np.concatenate([*lengths, np.empty(0, dtype=np.int64)]))
    return owner, pa.chunked_array([chunk.flatten() for chunk in chunks], type=column.type.value_type)


def _kind(type_: Any) -> str:
    import pyarrow as pa

    types = pa.types
    if _is_list(type_):
        return LIST
    if types.is_dictionary(type_):
        return _kind(type_.value_type)
    return SCALAR if types.is_integer(type_) or _is_text(type_) else OTHER


def _is_text(type_: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def _is_list(type_: Any) -> bool:
    import pyarrow as pa

    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(type_) for test in tests)


def _wrong_type(type_: Any, role: str, where: str | None) -> InputError:
    import pyarrow as pa

    if _is_list(type_):
        return InputError(f"nested lists in the {role}", where=where, hint="A record is a flat list of items.")
    advice = "Turn it into text or whole numbers first."
    if pa.types.is_floating(type_):
        advice = "Turn it into whole numbers first (in pandas: .astype('Int64')), or into text or named ranges."
    elif pa.types.is_temporal(type_):
        advice = "Turn it into text first, perhaps coarser (a year, a month)."
    elif pa.types.is_boolean(type_):
        advice = "Keep the rows that are true, and name the item in a text column."
    return InputError(f"wrong type: the {role} holds {type_}", where=where, hint=advice)
