"""Arrow columns as coded columns: what every typed source of tables comes down to."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

import numpy as np

from sordino.data.sources.coded import BLANKS
from sordino.data.table import BOOLEAN, INTEGER, REAL, TEXT, TIME, Column
from sordino.errors import InputError

__all__ = ["arrow_columns", "check_types", "code_text", "code_typed"]

SAFE_DIGITS = 15  # of a decimal number, which a floating-point number keeps
WIDE = Context(prec=10_000)
PLAIN = r"^-?(0|[1-9][0-9]*)$"  # a whole number as programs write it; "007" and "+7" are texts
DECIMAL = r"^-?(0|[1-9][0-9]*|)(\.[0-9]+|\.)?([eE][+-]?[0-9]+)?$"


def arrow_columns(table: Any, missing: Sequence[str], where: str | None) -> tuple[Column, ...]:
    """The columns of an Arrow table, with their types."""
    names = table.column_names
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"there is more than one column '{double}'", where=where)
    return tuple(code_typed(name, table.column(name), missing, where) for name in names)


def check_types(schema: Any, where: str | None) -> None:
    """An InputError unless every column holds one plain value a cell."""
    for field in schema:
        _check_type(field.name, field.type, where)


def code_typed(name: str, column: Any, missing: Sequence[str], where: str | None) -> Column:
    """A typed column: null, NaN and, in text, the `missing` texts are no values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    _check_type(name, column.type, where)
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())  # Arrow cannot sort halves
    codes, values = _dictionary(column)
    type_ = values.type
    kind = _kind(type_)
    void = values.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    spelled: str | None = None
    if kind == TEXT and not pa.types.is_null(type_):
        lost = pc.is_in(values, value_set=pa.array(list(missing), type=type_)).to_numpy(zero_copy_only=False)
        spelled = _most_frequent(codes, values, lost & ~void)
        void |= lost
    elif pa.types.is_floating(type_) and void.any() and not (codes < 0).any():
        spelled = "NaN"
    codes, values = _sorted(codes, values, void)
    shown: Any
    if pa.types.is_decimal(type_):
        shown = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        if len(np.unique(shown)) < len(shown):  # too fine for floating-point numbers
            kind, shown = TEXT, tuple(values.cast(pa.large_string()).to_pylist())
    elif kind in (INTEGER, REAL):
        shown = values.to_numpy(zero_copy_only=False)
    elif kind == BOOLEAN:
        shown = tuple("true" if value else "false" for value in values.to_pylist())
    else:
        shown = tuple(values.cast(pa.large_string()).to_pylist())
    return Column(name, codes, shown, kind, written=values, missing=spelled)


def code_text(name: str, column: Any, missing: Sequence[str], kind: str | None) -> Column:
    """A column of a text format: blanks around a value do not count, and what all values look like is the kind.

    Whole numbers as programs write them are integers; decimal numbers are real; all else, such as "007", is text. A
    kind that the user states goes before; InputError if some value does not fit it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    codes, spelled = _dictionary(column)
    spelled = spelled.cast(pa.large_string())
    bare = pc.utf8_trim(spelled, characters=BLANKS)
    void = pc.is_in(bare, value_set=pa.array(list(missing), type=pa.large_string())).to_numpy(zero_copy_only=False)
    blank = _most_frequent(codes, bare, void)
    used = _used(codes, len(bare))
    held = bare.filter(pa.array(used & ~void))
    kind = _kind_of_texts(held) if kind is None else kind
    values: Any = bare
    if kind in (INTEGER, REAL):
        texts = pc.if_else(pa.array(void | ~used), pa.scalar("0", type=pa.large_string()), bare)
        try:
            values = texts.cast(pa.int64() if kind == INTEGER else pa.float64())
        except pa.ArrowInvalid:
            raise InputError(f"the column '{name}' holds something that is not {_called(kind)}") from None
    merged = values.dictionary_encode()
    index = merged.indices.to_numpy(zero_copy_only=False)
    first = np.full(len(merged.dictionary), -1, dtype=np.int64)  # the first spelling in use of each value
    for place in np.flatnonzero(used & ~void)[::-1].tolist():
        first[index[place]] = place
    moved = np.append(np.where(void, -1, index), -1)
    codes, sorted_values, order = _ranked(moved[codes], merged.dictionary, first < 0)
    written = tuple(bare.take(pa.array(first[order])).to_pylist())
    shown = sorted_values.to_numpy(zero_copy_only=False) if kind in (INTEGER, REAL) else written
    return Column(name, codes, shown, kind, written=written, missing=blank)


def _called(kind: str) -> str:
    return {INTEGER: "a whole number", REAL: "a number"}[kind]


def _kind_of_texts(held: Any) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(held) == 0:
        return TEXT
    for pattern, type_, kind in ((PLAIN, pa.int64(), INTEGER), (DECIMAL, pa.float64(), REAL)):
        if pc.all(pc.match_substring_regex(held, pattern)).as_py():
            try:
                numbers = held.cast(type_)
            except pa.ArrowInvalid:
                continue
            if kind == INTEGER or (pc.all(pc.is_finite(numbers)).as_py() and _told_apart(held, numbers)):
                return kind
    return TEXT


def _told_apart(texts: Any, numbers: Any) -> bool:
    """Whether floating-point numbers are equal only where the decimal numbers are: long ones may be ids."""
    import pyarrow.compute as pc

    if pc.max(pc.utf8_length(texts)).as_py() <= SAFE_DIGITS:
        return True
    exact = {Decimal(text).normalize(WIDE) for text in texts.to_pylist()}
    return len(exact) == int(pc.count_distinct(numbers).as_py())


def _most_frequent(codes: Any, texts: Any, which: Any) -> str | None:
    """The most frequent of the chosen texts; None if none of them occurs or it is the empty one."""
    if not which.any():
        return None
    counts = np.where(which, np.bincount(codes[codes >= 0], minlength=len(texts)), 0)
    if counts.max() == 0:
        return None
    return texts[int(counts.argmax())].as_py() or None


def _dictionary(column: Any) -> tuple[Any, Any]:
    """Codes of every row (-1: null) and the Arrow array of the values, which may hold repeats if the source does."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([column])
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())  # Arrow cannot yet do much with views
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    elif column.num_chunks:
        column = column.dictionary_encode()
    if column.num_chunks == 0:
        type_ = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        return np.empty(0, dtype=np.int32), pa.array([], type=type_)
    values = column.chunk(0).dictionary
    if pa.types.is_string_view(values.type):
        values = values.cast(pa.large_string())
    parts = [_signed(chunk.indices).fill_null(-1).to_numpy(zero_copy_only=False) for chunk in column.chunks]
    codes = parts[0] if len(parts) == 1 else np.concatenate(parts)
    if pa.types.is_dictionary(column.type):
        merged = values.dictionary_encode()
        if len(merged.dictionary) < len(values):  # the source's dictionary has repeats
            moved = np.append(merged.indices.fill_null(-1).to_numpy(zero_copy_only=False), -1)
            return moved[codes], merged.dictionary
    return codes, values


def _signed(indices: Any) -> Any:
    """The indices in a type that has a -1: some sources, such as polars, count without a sign."""
    import pyarrow as pa

    return indices.cast(pa.int64()) if pa.types.is_unsigned_integer(indices.type) else indices


def _sorted(codes: Any, values: Any, void: Any) -> tuple[Any, Any]:
    """The same rows over the values in use, sorted; void ones are -1."""
    codes, values, _ = _ranked(codes, values, void | ~_used(codes, len(values)))
    return codes, values


def _used(codes: Any, number: int) -> Any:
    """Which of so many codes occur."""
    used = np.zeros(number + 1, dtype=np.bool_)
    used[codes] = True  # -1 is the last place
    return used[:-1]


def _ranked(codes: Any, values: Any, dropped: Any) -> tuple[Any, Any, Any]:
    """Codes over the sorted values without the dropped ones, those values, and where they were before."""
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.sort_indices(values).to_numpy(zero_copy_only=False).astype(np.int64)
    order = order[~dropped[order]] if len(order) else order
    if len(order) == len(values) and bool(np.all(order[:-1] < order[1:])):
        return codes.astype(np.int32, copy=False), values, order  # in order as it is
    rank = np.full(len(values) + 1, -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[codes], values.take(pa.array(order)), order


def _kind(type_: Any) -> str:
    import pyarrow as pa

    types = pa.types
    if types.is_integer(type_):
        return INTEGER
    if types.is_floating(type_) or types.is_decimal(type_):
        return REAL
    if types.is_boolean(type_):
        return BOOLEAN
    return TIME if types.is_temporal(type_) else TEXT


def _check_type(name: str, type_: Any, where: str | None) -> None:
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(type_):
        type_ = type_.value_type
    fit = (
        *(types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_temporal, types.is_null),
        *(types.is_string, types.is_large_string, types.is_string_view),
    )
    if not any(test(type_) for test in fit):
        raise InputError(
            f"wrong type: the column '{name}' holds {type_}, not one plain value a cell",
            where=where,
            hint="Turn it into text or numbers, or leave it out. For sets of items use read_baskets.",
        )
