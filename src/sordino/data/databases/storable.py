"""Arrow tables as a database can hold them, and whether what it holds is the same."""

from __future__ import annotations

from typing import Any

from sordino.errors import InputError

__all__ = ["difference", "storable"]


def storable(rows: Any, system: str, where: str) -> Any:
    """The rows in types that the database keeps exactly; InputError that names a column which it could not keep."""
    import pyarrow as pa

    names = rows.column_names
    folded = {name.casefold() for name in names}
    if system != "postgresql" and len(folded) < len(names):
        raise InputError(
            "some columns differ only in small and capital letters, which this database does not", where=where
        )
    columns = []
    for name, column in zip(names, rows.columns, strict=True):
        try:
            columns.append(_kept(column, system))
        except (pa.ArrowException, TypeError):  # their texts can quote values
            raise InputError(
                f"the column '{name}' holds {column.type}, which this database cannot keep exactly",
                where=where,
                hint="Turn it into text or numbers, or leave it out.",
            ) from None
        if system == "postgresql" and _has_nul(columns[-1]):
            raise InputError(f"the column '{name}' holds a NUL character, which PostgreSQL cannot keep", where=where)
    return pa.table(columns, names=names)


def _kept(column: Any, system: str) -> Any:
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    type_ = column.type
    if types.is_list(type_) or types.is_large_list(type_):
        if system == "sqlite":
            raise TypeError
        return column.cast(pa.list_(_plain_type(type_.value_type, system)))
    return column.cast(_plain_type(type_, system))


def _plain_type(type_: Any, system: str) -> Any:
    """The type that a column of plain values gets; a cast that would lose something fails."""
    import pyarrow as pa

    types = pa.types
    if types.is_null(type_) or types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return pa.string()
    if system == "sqlite" and (types.is_decimal(type_) or types.is_date(type_) or types.is_time(type_)
                               or types.is_timestamp(type_)):  # fmt: skip
        return pa.string()
    if types.is_boolean(type_):
        return pa.int64() if system == "sqlite" else pa.bool_()
    if types.is_uint64(type_):
        return pa.int64() if system == "sqlite" else pa.decimal128(20, 0)
    if types.is_integer(type_):
        return pa.int64() if system == "sqlite" or type_.bit_width > 32 or type_ == pa.uint32() else pa.int32()
    if types.is_floating(type_):
        return pa.float64() if system == "sqlite" or type_.bit_width > 32 else pa.float32()
    if types.is_decimal128(type_):
        return type_
    if types.is_date(type_):
        return pa.date32()
    if types.is_time(type_):
        return pa.time64("us")
    if types.is_timestamp(type_):
        return pa.timestamp("us", tz="UTC" if type_.tz else None)
    raise TypeError


def _has_nul(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(column.type):
        column = pa.chunked_array([chunk.flatten() for chunk in column.chunks], type=column.type.value_type)
    if not pa.types.is_string(column.type):
        return False
    return bool(pc.any(pc.match_substring(column, "\0")).as_py())


def difference(expected: Any, found: Any) -> str | None:
    """In what two tables differ, whatever the order of their rows, in words that name no value; None if in nothing."""
    import duckdb
    import pyarrow as pa

    if list(expected.column_names) != list(found.column_names):
        return "its columns are not those of the published data"
    if expected.num_rows != found.num_rows:
        return f"it has {found.num_rows:,} rows, and the published data have {expected.num_rows:,}"
    try:
        found = found.cast(expected.schema)
    except (pa.ArrowException, TypeError, ValueError):
        return "its columns are of other types than the published data"
    if found.equals(expected):  # a new table mostly comes back in the order it was filled in
        return None
    # Without names, which may be anything.
    numbered = [f"c{place}" for place in range(len(expected.column_names))]
    with duckdb.connect() as base:
        base.execute("SET threads = 2")
        base.register("sordino_expected", expected.rename_columns(numbered))
        base.register("sordino_found", found.rename_columns(numbered))
        row = base.execute(
            "SELECT count(*) FROM (SELECT * FROM sordino_expected EXCEPT ALL SELECT * FROM sordino_found)"
        ).fetchone()
    assert row is not None
    if not row[0]:
        return None
    return f"{row[0]:,} row{' of it is' if row[0] == 1 else 's of it are'} not in the published data"
