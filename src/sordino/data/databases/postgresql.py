"""PostgreSQL by ADBC: a query as an Arrow table, read in a transaction that cannot write.

Passwords come from wherever libpq finds them: the address, PGPASSWORD, a password file (PGPASSFILE, ~/.pgpass), a
service (PGSERVICE, or ?service= in the address).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import unquote

from sordino.data.databases.address import Address, quoted
from sordino.errors import InputError, MissingExtra, did_you_mean

__all__ = ["batches", "connected", "failure", "fetched", "read_postgresql", "run", "scalars", "without_notes"]

READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITES = "the query must be a single SELECT that only reads"
WRITES_HINT = "It is run in a transaction that cannot write."
# Classes of SQLSTATE whose texts speak of the query, the rights and the server, and never of a value.
TELLABLE = re.compile(r"42...|0A000|25006|28...|3D000|3F000|53...|57...|2BP01|55006|55P03")
LOST = re.compile(
    r"server closed the connection|connection.*(lost|terminated)|SSL connection has been closed|no connection|"
    r"could not (receive|send) data|terminating connection",
    re.IGNORECASE,
)
CONNECTING = re.compile(
    r"(connection to server|could not translate host name|could not connect|definition of service|service file|SSL|"
    r"fe_sendauth|timeout|root certificate)"
)
# What PostgreSQL itself turns into text or numbers before it is sent.
AS_TEXT = re.compile(r"uuid|json|jsonb|inet|cidr|macaddr8?|interval|bpchar|bit|varbit|xml|tsvector|.*range|timetz")
NUMBERS_MOST = 38  # digits of an Arrow decimal


@contextmanager
def connected(address: Address, *, write: bool = False) -> Iterator[Any]:
    """A connection in a transaction, which only reads unless it is to write; it is rolled back unless committed."""
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingExtra("adbc-driver-postgresql", "sql", "PostgreSQL") from None
    try:
        connection = dbapi.connect(address.place, autocommit=False)
    except Error as error:
        raise _no_connection(error, address) from None
    try:
        if not write:
            run(connection, READ_ONLY, address.shown)
        yield connection
    finally:
        with suppress(Error, RuntimeError):  # it is lost already, and what went wrong before is what matters
            connection.close()


def run(connection: Any, statement: str, where: str) -> None:
    """Run a statement of our own that returns nothing."""
    from adbc_driver_manager import Error

    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
    except Error as error:
        raise failure(error, where) from None


def scalars(connection: Any, statement: str, where: str) -> list[tuple[Any, ...]]:
    """The rows of a small query of our own."""
    from adbc_driver_manager import Error

    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())
    except Error as error:
        raise failure(error, where) from None


def read_postgresql(address: Address) -> Any:
    """The result of one SELECT as an Arrow table of plain types."""
    with connected(address) as connection:
        if address.table is None and address.query is None:
            _ask_which(connection, address)
        return fetched(connection, address)


def fetched(connection: Any, address: Address) -> Any:
    """The same over a connection that is open."""
    with _executed(connection, address) as (cursor, schema):
        return _plain(cursor.fetch_arrow_table(), schema)


@contextmanager
def batches(address: Address) -> Iterator[Any]:
    """The same as a reader of Arrow batches. Columns of numeric have one type only if all is known: then it is read."""
    with connected(address) as connection, _executed(connection, address) as (cursor, schema):
        reader = cursor.fetch_record_batch()
        if all(type(field.type).__name__ not in ("OpaqueType", "UuidType") for field in reader.schema):
            yield reader
        else:
            yield _plain(reader.read_all(), schema).to_reader()


@contextmanager
def _executed(connection: Any, address: Address) -> Iterator[tuple[Any, Any]]:
    """A cursor that has run the query, and the schema that the server describes."""
    from adbc_driver_manager import Error

    where = address.where
    bare = address.select.strip().rstrip(";").rstrip()
    try:
        with connection.cursor() as cursor:
            schema = cursor.adbc_execute_schema(f"{bare}\n")
            if len(schema) == 0:
                raise InputError(WRITES, where=where, hint=WRITES_HINT)
            names = schema.names
            double = next((name for name in names if names.count(name) > 1), None)
            if double is not None:
                raise InputError(f"there is more than one column '{double}'", where=where)
            cursor.execute(_with_casts(bare, schema))
            yield cursor, schema
    except Error as error:
        if getattr(error, "sqlstate", None) == "42P01" and address.table is not None:
            _no_table(address)
        raise failure(error, where) from None


def _with_casts(query: str, schema: Any) -> str:
    """The query, with what Arrow has no plain type for as text or numbers; its rows stay in their order."""
    columns = []
    for field in schema:
        type_ = _type(field)
        base = type_.removeprefix("_")
        name = quoted((field.name,))
        if base == "money":
            columns.append(f"{name}::numeric{'[]' if type_ != base else ''} AS {name}")
        elif AS_TEXT.fullmatch(base) or _is_opaque(field.type) or (type_ == "_numeric"):
            columns.append(f"{name}::text{'[]' if type_ != base else ''} AS {name}")
        else:
            columns.append(name)
    if all(column == quoted((field.name,)) for column, field in zip(columns, schema, strict=True)):
        return f"{query}\n"
    return f"WITH sordino_asked AS (\n{query}\n) SELECT {', '.join(columns)} FROM sordino_asked"


def _type(field: Any) -> str:
    """What PostgreSQL calls the type of a column; arrays begin with _."""
    return str((field.metadata or {}).get(b"POSTGRESQL:type", b""), "utf-8")


def _is_opaque(type_: Any) -> bool:
    """Whether Arrow does not know the type, and it is not numeric, which comes as text."""
    return type(type_).__name__ == "OpaqueType" and type_.type_name != "numeric"


def without_notes(table: Any) -> Any:
    """The same of a table that somebody else's connection returned: numeric as numbers, UUIDs as text."""
    return _plain(table, table.schema)


def _plain(table: Any, described: Any) -> Any:
    """The table without notes of the driver; numeric columns as whole or decimal numbers."""
    import pyarrow as pa

    columns = []
    for field, column in zip(table.schema, table.columns, strict=True):
        if type(field.type).__name__ == "OpaqueType":
            texts = pa.chunked_array([chunk.storage for chunk in column.chunks], type=field.type.storage_type)
            stated = described.field(field.name).metadata or {}
            column = _numbers(texts, int(stated.get(b"POSTGRESQL:typmod", b"-1")))
        elif type(field.type).__name__ == "UuidType":
            column = pa.array([None if value is None else str(value) for value in column.to_pylist()], pa.string())
        elif pa.types.is_list(column.type):
            column = column.cast(pa.list_(column.type.value_type))  # without the notes of its entries
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def _numbers(texts: Any, typmod: int) -> Any:
    """Texts of numeric as whole numbers if all are, else as decimal numbers; as texts if neither can hold them."""
    import pyarrow as pa

    if not pa.types.is_string(texts.type):
        return texts
    digits, scale = ((typmod - 4) >> 16 & 0xFFFF, (typmod - 4) & 0x7FF) if typmod >= 4 else (0, 0)
    if not 0 < digits <= NUMBERS_MOST or scale > digits:
        found = _extent(texts)
        if found is None:
            return texts
        digits, scale = found
    try:
        if scale == 0 and digits <= 18:
            return texts.cast(pa.int64())
        return texts.cast(pa.decimal128(digits, scale))
    except pa.ArrowInvalid:  # NaN, Infinity
        return texts


def _extent(texts: Any) -> tuple[int, int] | None:
    """How many digits the numbers need in all, and how many of them after the point; None if they are too many."""
    whole = scale = 0
    for text in texts.unique().to_pylist():
        if text is None:
            continue
        try:
            _, digits, exponent = Decimal(text).as_tuple()
        except InvalidOperation:
            return None
        if not isinstance(exponent, int):
            return None
        scale = max(scale, -exponent)
        whole = max(whole, len(digits) + exponent)
    total = max(1, whole + scale)
    return (total, scale) if total <= NUMBERS_MOST else None


def _ask_which(connection: Any, address: Address) -> None:
    """InputError that names the tables there are."""
    known = _tables(connection, address)
    listed = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    raise InputError(
        "this is a database: which table or query of it?",
        where=address.shown,
        hint="Name it: --table NAME or --query SQL (in Python table= or query=)."
        + (f" The tables are: {listed}." if known else ""),
    )


def _no_table(address: Address) -> None:
    """InputError about a table that is not there, with the closest that is."""
    with connected(address) as connection:
        known = _tables(connection, address)
    near = did_you_mean(address.table or "", known)
    raise InputError(f"there is no table '{address.table}' that may be read.{near}", where=address.shown)


def _tables(connection: Any, address: Address) -> list[str]:
    rows = scalars(
        connection,
        "SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname::text "
        "ELSE n.nspname::text || '.' || c.relname::text END AS name FROM pg_catalog.pg_class c "
        "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') "
        "AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%' ORDER BY 1",
        address.shown,
    )
    return [str(name) for (name,) in rows]


def failure(error: Any, where: str) -> InputError:
    """What went wrong, in the server's words where these can hold no value of the data."""
    state = getattr(error, "sqlstate", None) or ""
    text = _server_text(str(error))
    if state == "25006" or (state == "0A000" and "data-modifying" in text):
        return InputError(f"{WRITES}; the server says: {text}", where=where, hint=WRITES_HINT)
    if state == "42501":
        return InputError(f"no rights: the server says: {text}", where=where, hint="Ask for them: GRANT ... TO USER.")
    if state.startswith(("08", "57P")) or (not state and LOST.search(str(error))):
        return InputError("the connection to the server was lost", where=where, hint="Run it again.")
    if TELLABLE.fullmatch(state):
        hint = re.search(r"HINT:\s*(.+)", str(error))
        return InputError(f"PostgreSQL says: {text}", where=where, hint=hint[1].strip() if hint else None)
    return InputError(f"PostgreSQL cannot run this (SQLSTATE {state or 'unknown'})", where=where)


def _server_text(text: str) -> str:
    """The first sentence of the server's own message."""
    found = re.search(r"(?:ERROR|FATAL|PANIC):\s*(.+)", text)
    return found[1].strip() if found else "no further word"


def _no_connection(error: Any, address: Address) -> InputError:
    """Why there is no connection; never a piece of an address that could not be taken apart."""
    text = str(error).partition("Failed to connect:")[2].strip() or "no connection"
    if not CONNECTING.match(text):
        return InputError(
            "this address cannot be taken apart", where=address.shown,
            hint="Write postgresql://USER@HOST:PORT/NAME; signs such as @, / and blanks in it are escaped (%40). The "
            "password is better left to PGPASSWORD or a password file.",
        )  # fmt: skip
    said = "; ".join(line.strip() for line in text.splitlines() if line.strip())
    for secret in _secrets(address.place):
        said = said.replace(secret, "***")
    hint = "Is the server there, and may this user come in?"
    if "password" in said:
        hint = "Give the password by PGPASSWORD, a password file (PGPASSFILE, ~/.pgpass) or a service (PGSERVICE)."
    return InputError(f"cannot connect: {said}", where=address.shown, hint=hint)


def _secrets(uri: str) -> list[str]:
    found = re.findall(r"://[^:/@?]*:([^@]+)@|[?&](?:ssl)?password=([^&]+)", uri)
    texts = {text for pair in found for text in pair if text}
    return sorted({*texts, *map(unquote, texts)}, key=len, reverse=True)
