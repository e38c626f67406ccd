"""Tables into PostgreSQL: copied by Arrow into a new table, compared, and then exchanged with the old one.

Everything is one transaction: whoever reads sees the old table or the new one, and a connection that breaks leaves the
old one. The new table has the owner and the rights of the one that it replaces. If views stand on the old table, its
rows are exchanged instead, for which its columns must be the same.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from typing import Any

from sordino.data.databases.address import Address, quoted
from sordino.data.databases.postgresql import connected, failure, fetched, run, scalars
from sordino.data.databases.put import NewTable, may_replace, named
from sordino.data.databases.storable import difference
from sordino.errors import InputError, InternalError

__all__ = ["check", "comment", "keys", "put"]

LONGEST = 63  # bytes of a name
WAIT = "60s"  # for others who use the old table
UNCHANGED = "; the table is as it was"
SCALARS = {
    "int16": "smallint", "int32": "integer", "int64": "bigint", "float": "real", "double": "double precision",
    "bool": "boolean", "string": "text", "date32[day]": "date", "time64[us]": "time", "timestamp[us]": "timestamp",
    "timestamp[us, tz=UTC]": "timestamp with time zone",
}  # fmt: skip
DESCRIBED = (
    "SELECT c.oid::bigint AS oid, c.relkind::text AS kind, pg_catalog.obj_description(c.oid, 'pg_class') AS comment, "
    "pg_catalog.pg_get_userbyid(c.relowner)::text AS owner, "
    "pg_catalog.pg_has_role(c.relowner, 'USAGE') AS mine FROM pg_catalog.pg_class c "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {schema} AND c.relname = {name}"
)


def check(target: Address, force: bool, added: Sequence[str]) -> None:
    """InputError if the tables cannot be put there."""
    with connected(target) as connection:
        for more in added:
            schema, name = _place(connection, target, more)
            where = target.where
            may = scalars(
                connection, f"SELECT pg_catalog.has_schema_privilege(oid, 'CREATE') AS may FROM "
                f"pg_catalog.pg_namespace WHERE nspname = {_text(schema)}", where,
            )  # fmt: skip
            if not may:
                raise InputError(f"there is no schema '{schema}'", where=where)
            if not may[0][0]:
                raise InputError(
                    f"no rights to make a table in the schema '{schema}'", where=where,
                    hint=f"Ask for them: GRANT CREATE ON SCHEMA {quoted((schema,))} TO USER.",
                )  # fmt: skip
            _replaced(connection, schema, name, force, where)


def comment(target: Address, parts: tuple[str, ...]) -> str | None:
    """The comment of a table."""
    with connected(target) as connection:
        schema, name = _place(connection, target, "", parts)
        found = _described(connection, schema, name, target.where)
        return None if found is None else found[2]


def keys(target: Address, parts: tuple[str, ...]) -> list[set[str]]:
    """The sets of columns that tell the rows of a table apart."""
    with connected(target) as connection:
        return _keys(connection, *_place(connection, target, "", parts), target.where)


def _keys(connection: Any, schema: str, name: str, where: str) -> list[set[str]]:
    rows = scalars(
        connection,
        "SELECT i.indexrelid::text AS key, a.attname::text AS name FROM pg_catalog.pg_index i JOIN "
        "pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND "
        "a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]) "
        f"WHERE i.indrelid = {_text(quoted((schema, name)))}::regclass AND i.indisunique AND i.indisvalid AND "
        "i.indpred IS NULL AND i.indexprs IS NULL",
        where,
    )
    found: dict[str, set[str]] = {}
    for key, column in rows:
        found.setdefault(key, set()).add(column)
    return list(found.values())


def put(target: Address, tables: Sequence[tuple[NewTable, Any]], force: bool) -> None:
    """Put the tables there in one transaction."""
    from adbc_driver_manager import Error

    where = target.where
    with connected(target, write=True) as connection:
        try:
            _prepare(connection, target, tables, force)
        except InputError as error:
            done = "" if re.search("was not changed|is not replaced", error.what) else UNCHANGED
            raise InputError(f"{error.what}{done}", where=error.where, hint=error.hint) from None
        try:
            connection.commit()
        except Error as error:  # whether the server got the word is not known
            lost = failure(error, where)
            raise InputError(
                f"{lost.what} while the transaction was closed: whether the new table is there is not known",
                where=where,
                hint="Ask: sordino verify DIR --database ADDRESS --table NAME.",
            ) from None


def _prepare(connection: Any, target: Address, tables: Sequence[tuple[NewTable, Any]], force: bool) -> None:
    """All that is to be done, but for the end of the transaction."""
    run(connection, f"SET LOCAL lock_timeout = '{WAIT}'", target.where)
    made = []
    for table, rows in tables:
        schema, name = _place(connection, target, table.added)
        new = f"sordino_{secrets.token_hex(6)}"
        _fill(connection, target, (schema, new), table, rows)
        made.append((schema, name, new, table))
    for schema, name, new, table in made:
        _exchange(connection, schema, name, new, table, force, target.where)


def _place(connection: Any, target: Address, added: str, parts: tuple[str, ...] | None = None) -> tuple[str, str]:
    """Schema and name of a table; without a schema, the one that new tables go to."""
    parts = parts or named(target, added)
    if len(parts) > 2 or any(len(part.encode()) > LONGEST for part in parts):
        raise InputError("this is no name for a table", where=target.where, hint="Write NAME or SCHEMA.NAME.")
    if len(parts) == 2:
        return parts[0], parts[1]
    found = scalars(connection, "SELECT pg_catalog.current_schema()::text AS name", target.where)
    if found[0][0] is None:
        raise InputError("there is no schema that new tables go to", where=target.where, hint="Write SCHEMA.NAME.")
    return str(found[0][0]), parts[0]


def _described(connection: Any, schema: str, name: str, where: str) -> tuple[Any, ...] | None:
    rows = scalars(connection, DESCRIBED.format(schema=_text(schema), name=_text(name)), where)
    return rows[0] if rows else None


def _replaced(connection: Any, schema: str, name: str, force: bool, where: str) -> tuple[Any, ...] | None:
    """The table that would be replaced, if there is one; InputError if it must not be."""
    found = _described(connection, schema, name, where)
    may_replace(where, found is not None, None if found is None else found[2], force)
    if found is None:
        return None
    if found[1] != "r":
        raise InputError("there is something of this name that is no plain table; it is not replaced", where=where)
    if not found[4]:
        raise InputError(f"no rights to replace this table: it belongs to '{found[3]}'", where=where)
    return found


def _fill(connection: Any, target: Address, parts: tuple[str, str], table: NewTable, rows: Any) -> None:
    """Make a table of the rows, and see that it holds just these."""
    from adbc_driver_manager import Error

    where, whole = target.where, quoted(parts)
    keyed = set(table.key) if not _lacks(rows, table.key) else set()
    columns = ", ".join(
        f"{quoted((field.name,))} {_type(field.type)}{' NOT NULL' if field.name in keyed else ''}"
        for field in rows.schema
    )
    run(connection, f"CREATE TABLE {whole} ({columns})", where)
    try:
        with connection.cursor() as cursor:
            cursor.adbc_ingest(parts[1], rows, mode="append", db_schema_name=parts[0])
    except Error as error:
        raise failure(error, where) from None
    if table.key:
        kind = "PRIMARY KEY" if keyed else "UNIQUE"
        listed = ", ".join(quoted((name,)) for name in table.key)
        name = quoted((f"{parts[1]}_key",))
        run(connection, f"ALTER TABLE {whole} ADD CONSTRAINT {name} {kind} ({listed})", where)
    place = Address("postgresql", target.place, target.shown, table=quoted(parts))
    different = difference(rows, fetched(connection, place))
    if different is not None:
        raise InternalError(f"the table reads back otherwise than it was written: {different}{UNCHANGED}")


def _exchange(connection: Any, schema: str, name: str, new: str, table: NewTable, force: bool, where: str) -> None:
    """Let the new table take its name, in the place of an old one, and say what it is."""
    old = _replaced(connection, schema, name, force, where)
    final, fresh = quoted((schema, name)), quoted((schema, new))

    def do(statement: str) -> None:
        run(connection, statement, where)

    if old is not None and _carries_views(connection, int(old[0]), where):
        if _columns(connection, schema, name, where) != _columns(connection, schema, new, where):
            raise InputError(
                "views stand on this table, and the new one has other columns", where=where,
                hint="Drop the views, run again, and make them anew.",
            )  # fmt: skip
        do(f"LOCK TABLE {final} IN EXCLUSIVE MODE")
        do(f"DELETE FROM {final}")
        do(f"INSERT INTO {final} SELECT * FROM {fresh}")
        do(f"DROP TABLE {fresh}")
        if table.key and not any(key <= set(table.key) for key in _keys(connection, schema, name, where)):
            do(f"ALTER TABLE {final} ADD UNIQUE ({', '.join(quoted((column,)) for column in table.key)})")
    else:
        if old is not None:
            _same_rights(connection, old, fresh, where)
            do(f"DROP TABLE {final}")
        do(f"ALTER TABLE {fresh} RENAME TO {quoted((name,))}")
        if table.key:
            key = f"{name.encode()[: LONGEST - 4].decode(errors='ignore')}_key"
            free = scalars(connection, f"SELECT pg_catalog.to_regclass({_text(quoted((schema, key)))}) IS NULL", where)
            if free[0][0]:
                do(f"ALTER TABLE {final} RENAME CONSTRAINT {quoted((f'{new}_key',))} TO {quoted((key,))}")
    do(f"COMMENT ON TABLE {final} IS {_text(table.comment)}")
    for column, text in table.about.items():
        do(f"COMMENT ON COLUMN {final}.{quoted((column,))} IS {_text(text)}")


def _carries_views(connection: Any, oid: int, where: str) -> bool:
    rows = scalars(
        connection,
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid "
        f"WHERE d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.refobjid = {oid} AND r.ev_class <> {oid}) AS held",
        where,
    )
    return bool(rows[0][0])


def _columns(connection: Any, schema: str, name: str, where: str) -> list[tuple[Any, ...]]:
    return scalars(
        connection,
        "SELECT attname::text AS name, pg_catalog.format_type(atttypid, atttypmod) AS type FROM "
        f"pg_catalog.pg_attribute WHERE attrelid = {_text(quoted((schema, name)))}::regclass AND attnum > 0 "
        "AND NOT attisdropped ORDER BY attnum",
        where,
    )


def _same_rights(connection: Any, old: tuple[Any, ...], fresh: str, where: str) -> None:
    """The new table belongs to whom the old one belonged to, and the same people may do the same with it."""
    grants = scalars(
        connection,
        "SELECT CASE WHEN a.grantee = 0 THEN NULL ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END AS whose, "
        "a.privilege_type AS what, a.is_grantable AS further FROM pg_catalog.pg_class c, "
        f"pg_catalog.aclexplode(c.relacl) a WHERE c.oid = {int(old[0])} AND a.grantee <> c.relowner",
        where,
    )
    for whose, what, further in grants:
        who = "PUBLIC" if whose is None else quoted((whose,))
        more = " WITH GRANT OPTION" if further else ""
        run(connection, f"GRANT {what} ON {fresh} TO {who}{more}", where)
    (user,) = scalars(connection, "SELECT current_user::text AS name", where)[0]
    if user != old[3]:
        run(connection, f"ALTER TABLE {fresh} OWNER TO {quoted((old[3],))}", where)


def _lacks(rows: Any, key: Sequence[str]) -> bool:
    return any(rows.column(name).null_count for name in key)


def _type(type_: Any) -> str:
    import pyarrow as pa

    if pa.types.is_list(type_):
        return f"{_type(type_.value_type)}[]"
    if pa.types.is_decimal(type_):
        return f"numeric({type_.precision}, {type_.scale})"
    return SCALARS[str(type_)]


def _text(value: str) -> str:
    """A text as SQL writes it, whatever is in it."""
    escaped = value.replace("\\", "\\\\").replace("'", "''").replace("\0", "")
    return f"E'{escaped}'"
