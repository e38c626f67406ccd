"""Reading from databases: what is in them, whatever the types, and nothing that writes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import sordino
from server import SECRET, Server
from sordino.data.databases.address import Address
from sordino.data.how_read import how_read
from sordino.errors import InputError

TYPES = (
    "CREATE TYPE mood AS ENUM ('sad', 'glad')",
    """CREATE TABLE people (
        name text, n numeric(6, 2), whole numeric, wide numeric, u uuid, e mood, s smallint, b bigint, r real,
        t boolean, d date, ts timestamp, tz timestamptz, c char(4), iv interval, j jsonb, ip inet, m money,
        tags text[], moods mood[], ids uuid[], sizes numeric[])""",
    """INSERT INTO people VALUES ('ann', 1.50, 7, 1.25, '00000000-0000-0000-0000-00000000000a', 'sad', 1, 2, 0.5,
        true, '2020-02-29', '2020-02-29 12:30:00.5', '2020-02-29 12:30:00+02', 'ab', '1 day', '{"k": 1}', '10.0.0.1',
        '2.50', '{x,y}', '{sad}', '{00000000-0000-0000-0000-00000000000b}', '{1.5,2}')""",
    "INSERT INTO people (name) VALUES ('bob')",
)
CELLS = {
    "name": ("ann", "bob"),
    "n": ("1.5", None),
    "whole": ("7", None),
    "wide": ("1.25", None),
    "u": ("00000000-0000-0000-0000-00000000000a", None),
    "e": ("sad", None),
    "s": ("1", None),
    "b": ("2", None),
    "r": ("0.5", None),
    "t": ("true", None),
    "d": ("2020-02-29", None),
    "ts": ("2020-02-29 12:30:00.500000", None),
    "tz": ("2020-02-29 10:30:00.000000Z", None),
    "c": ("ab", None),
    "iv": ("1 day", None),
    "j": ('{"k": 1}', None),
    "ip": ("10.0.0.1/32", None),
    "m": ("2.5", None),
}


def test_types_of_postgresql(server: Server) -> None:
    server.sql(*TYPES)
    table = sordino.read_table(server.uri(), query=f"SELECT {', '.join(CELLS)} FROM people ORDER BY name")
    assert {column.name: tuple(column.cells()) for column in table.columns} == CELLS
    kinds = {column.name: column.kind for column in table.columns}
    assert (kinds["n"], kinds["whole"], kinds["u"], kinds["tz"], kinds["t"]) == (
        "real", "integer", "text", "time", "boolean",
    )  # fmt: skip
    assert how_read(table) == (
        "Read as a table: one row is one person; 2 rows, 18 columns, from a PostgreSQL result. "
        "17 cells are missing (empty, '?', 'NA', 'null'; else: --null TEXT)."
    )


@pytest.mark.parametrize(
    ("column", "items"),
    [
        ("tags", {"x", "y"}),
        ("moods", {"sad"}),
        ("ids", {"00000000-0000-0000-0000-00000000000b"}),
        ("sizes", {"1.5", "2"}),
    ],
)
def test_array_columns_are_lists(server: Server, column: str, items: set[str]) -> None:
    server.sql(*TYPES)
    baskets = sordino.read_baskets(server.uri(), table="people", record="name", item=column)
    assert list(baskets) == [items, set()]
    assert baskets.ids == ("ann", "bob")
    assert baskets.origin.layout == "list"


def test_numeric_may_be_anything(server: Server) -> None:
    for number, told in (("'NaN'", "nan"), ("1e40", "1" + 40 * "0"), ("12345678901234567890", "12345678901234567890")):
        held = sordino.read_baskets(server.uri(), query=f"SELECT 1 AS record, {number}::numeric AS item")
        assert list(held) == [{told}]
    table = sordino.read_table(server.uri(), query="SELECT v::numeric FROM (VALUES (0.5), (100), (NULL)) AS a (v)")
    assert sorted(map(str, table.columns[0].cells())) == ["0.5", "100.0", "None"]


def test_a_long_table(server: Server) -> None:
    baskets = sordino.read_baskets(server.uri(), table="visits")
    stated = sordino.read_baskets(f"{server.uri()}?table=public.visits")
    asked = sordino.read_baskets(server.uri(), query="SELECT product, customer FROM visits; ")
    assert len(baskets) == 60
    assert baskets.fingerprint == stated.fingerprint == asked.fingerprint
    assert baskets.origin.path == server.uri(password=None) + "?table=visits"
    assert how_read(baskets).endswith("60 records, 10 items, from a PostgreSQL result.")


def test_an_audit_reads_in_pieces(server: Server) -> None:
    """Rows, and lists in rows of one person each; numbers whose type shows only in all of them, too."""
    server.sql(
        "CREATE TABLE lists AS SELECT customer, array_agg(product) AS items FROM visits GROUP BY customer",
        "CREATE TABLE numbers AS SELECT substr(customer, 2)::numeric AS customer, product FROM visits",
    )
    policy = sordino.InferencePolicy(["x"], "0.4")
    for table in ("visits", "lists", "numbers"):
        whole = sordino.audit(server.uri(), policy, table=table)
        parts = sordino.audit(server.uri(), policy, table=table, parts=4)
        assert "audited in 4 groups" in parts.remarks[-1]
        assert (parts.records, parts.items, parts.people_at_risk) == (60, 10, whole.people_at_risk)
        assert parts.exposure_by_knowledge == whole.exposure_by_knowledge
    with pytest.raises(InputError, match="no table 'visit'"):
        sordino.audit(server.uri(), policy, table="visit", parts=4)


def test_passwords_from_where_libpq_finds_them(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare = server.uri(password=None)
    with pytest.raises(InputError, match="no password supplied") as caught:
        sordino.read_baskets(bare, table="visits")
    assert "PGPASSWORD" in str(caught.value)
    monkeypatch.setenv("PGPASSWORD", SECRET)
    assert len(sordino.read_baskets(bare, table="visits")) == 60
    monkeypatch.delenv("PGPASSWORD")
    (tmp_path / "pass").write_text(f"127.0.0.1:{server.port}:*:owner:{SECRET}\n")
    (tmp_path / "pass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pass"))
    assert len(sordino.read_baskets(bare, table="visits")) == 60
    (tmp_path / "services").write_text(f"[shop]\nhost={server.folder}\nport={server.port}\nuser=owner\n"
                                       f"dbname=postgres\n"
                                       f"password={SECRET}\n")  # fmt: skip
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert len(sordino.read_baskets("postgresql://?service=shop", table="visits")) == 60
    monkeypatch.setenv("PGSERVICE", "shop")
    assert len(sordino.read_baskets("postgresql://", table="visits")) == 60


REFUSED = {
    "DELETE FROM visits": "single SELECT that only reads",
    "DELETE FROM visits RETURNING customer AS record, product AS item": "cannot execute DELETE in a read-only",
    "WITH gone AS (DELETE FROM visits RETURNING *) SELECT * FROM gone": "only reads",
    "INSERT INTO visits VALUES ('a', 'b') RETURNING *": "cannot execute INSERT in a read-only",
    "CREATE TABLE stolen AS SELECT * FROM visits": "only reads",
    "SELECT * INTO stolen FROM visits": "only reads",
    "COPY visits TO '/tmp/sordino-stolen'": "only reads",
    "COMMIT": "only reads",
    "SET TRANSACTION READ WRITE": "only reads",
    "SELECT 1 AS a; DELETE FROM visits": "multiple commands",
    "COMMIT; DELETE FROM visits": "multiple commands",
    "SELECT set_config('transaction_read_only', 'off', false)": "(SQLSTATE 25001)",
    "SELECT nextval('numbers')": "cannot execute nextval\\(\\) in a read-only",
}


@pytest.mark.parametrize("query", REFUSED)
def test_a_query_that_writes_is_refused(server: Server, query: str) -> None:
    server.sql("CREATE SEQUENCE numbers")
    before = server.sql("SELECT count(*), min(xmin::text), max(xmin::text) FROM visits")
    with pytest.raises(InputError, match=REFUSED[query]):
        sordino.read_baskets(server.uri(), query=query)
    assert server.sql("SELECT count(*), min(xmin::text), max(xmin::text) FROM visits") == before
    assert server.sql("SELECT to_regclass('stolen')::text AS t") == [(None,)]
    assert not Path("/tmp/sordino-stolen").exists()


def test_errors_name_columns_and_tables_and_no_value(server: Server) -> None:
    server.sql("INSERT INTO visits VALUES ('hidden-value', 'hidden-value')")
    uri = server.uri()
    for query, told in (
        ("SELECT custmer FROM visits", 'column "custmer" does not exist'),
        ("SELECT customer, product::int AS item FROM visits", "SQLSTATE 22P02"),
        ("SELEC 1", "syntax error"),
        ("SELECT 1 AS a, 2 AS a", "more than one column 'a'"),
    ):
        with pytest.raises(InputError, match=told) as caught:
            sordino.read_table(uri, query=query)
        assert "hidden-value" not in str(caught.value)
        assert SECRET not in str(caught.value)
    with pytest.raises(InputError, match=r"no table 'Visits' that may be read\. Did you mean 'visits'"):
        sordino.read_table(uri, table="Visits")
    with pytest.raises(InputError, match=r"(?s)which table or query of it.*The tables are: visits\."):
        sordino.read_table(uri)
    with pytest.raises(InputError, match=r"(?s)no column 'nothing'.*The columns are: customer, product"):
        sordino.read_baskets(uri, table="visits", record="nothing")


def test_no_way_in(server: Server) -> None:
    server.sql("DROP ROLE IF EXISTS stranger", f"CREATE ROLE stranger LOGIN PASSWORD '{SECRET}'",
               "GRANT USAGE ON SCHEMA public TO stranger")  # fmt: skip
    for uri, told in (
        (server.uri(password="wrong-word"), "password authentication failed"),
        (server.uri("nobody"), "password authentication failed"),
        (server.uri(database="nowhere"), 'database "nowhere" does not exist'),
        (f"postgresql://owner:wrong-word@127.0.0.1:{server.port}/postgres?sslmode=verify-full", "SSL"),
        ("postgresql://owner:wrong-word@127.0.0.1:1/postgres", "Connection refused"),
        ("postgresql://owner:wrong-word@127.0.0.1:x/postgres", "cannot be taken apart"),
        ("postgresql://owner:wrong-word x@127.0.0.1/postgres", "cannot be taken apart"),
        ("postgresql://owner:%wrong-word@127.0.0.1/postgres", "cannot be taken apart"),
    ):
        with pytest.raises(InputError, match=told) as caught:
            sordino.read_baskets(uri, table="visits")
        assert "wrong-word" not in str(caught.value)
        assert SECRET not in str(caught.value)
        assert caught.value.hint
    with pytest.raises(InputError, match="no rights: the server says: permission denied for table visits"):
        sordino.read_baskets(server.uri("stranger"), query="SELECT * FROM public.visits")


@pytest.mark.slow
def test_many_rows_are_quick(server: Server) -> None:
    """A tenth of what benchmarks/databases.py measures, in a tenth of the time that the issue grants, many times over
    on a loaded machine."""
    server.sql("CREATE TABLE many AS SELECT n / 5 AS record, 'i' || n % 997 AS item FROM generate_series(0, 99999) n")
    started = time.perf_counter()
    assert sordino.read_baskets(server.uri(), table="many").occurrences == 100_000
    assert time.perf_counter() - started < 5


ROWS = [(1, "a"), (1, "b"), (2, "a"), (3, None)]


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.bin"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE visits (record INTEGER, item TEXT, mixed)")
        base.executemany("INSERT INTO visits VALUES (?, ?, ?)", [(*row, row[1] or 5) for row in ROWS])
    base.close()
    return path


def test_sqlite(sqlite_file: Path) -> None:
    baskets = sordino.read_baskets(sqlite_file, table="visits", record="record", item="item")
    assert list(baskets) == [{"a", "b"}, {"a"}, set()]
    assert baskets.ids == ("1", "2", "3")
    assert "from an SQLite result" in how_read(baskets)
    table = sordino.read_table(f"sqlite:{sqlite_file}?query=SELECT record, mixed FROM visits ORDER BY rowid")
    assert [tuple(column.cells()) for column in table.columns] == [("1", "1", "2", "3"), ("a", "b", "a", "5")]


def test_numbers_that_sqlite_calls_equal_are_one(tmp_path: Path) -> None:
    """Nobody is taken for two people, whose rows are never seen together, because one of her rows says 3.0."""
    rows = [(3, "bread"), (3.0, "milk"), ("x", 5), (-0.0, 5.0), (0, "5"), (1.5, "tea"), (1e300, "tea"), (2**62, "tea")]
    with sqlite3.connect(tmp_path / "shop.bin") as base:
        base.execute("CREATE TABLE visits (record, item)")
        base.executemany("INSERT INTO visits VALUES (?, ?)", rows)
    base.close()
    baskets = sordino.read_baskets(tmp_path / "shop.bin", table="visits", record="record", item="item")
    assert dict(zip(baskets.ids or (), baskets, strict=True)) == {
        "3": {"bread", "milk"}, "x": {"5"}, "0": {"5"}, "1.5": {"tea"}, "1e+300": {"tea"}, str(2**62): {"tea"}
    }  # fmt: skip


@pytest.mark.parametrize(
    "query",
    ["DELETE FROM visits", "DELETE FROM visits RETURNING *", "ATTACH 'other.db' AS other", "PRAGMA user_version = 3",
     "SELECT 1; DELETE FROM visits", "CREATE TABLE a (b)", "VACUUM INTO 'copy.db'"],
)  # fmt: skip
def test_sqlite_is_only_read(sqlite_file: Path, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sqlite_file.parent)
    before = sqlite_file.read_bytes()
    with pytest.raises(InputError, match="single SELECT that only reads"):
        sordino.read_table(sqlite_file, query=query)
    assert sqlite_file.read_bytes() == before
    assert [path.name for path in sqlite_file.parent.iterdir()] == [sqlite_file.name]


def test_sqlite_says_what_there_is(sqlite_file: Path) -> None:
    with pytest.raises(InputError, match="The tables are: visits"):
        sordino.read_baskets(sqlite_file)
    with pytest.raises(InputError, match=r"no table 'visit'\. Did you mean 'visits'"):
        sordino.read_baskets(sqlite_file, table="visit")
    with pytest.raises(InputError, match="no such column: custmer"):
        sordino.read_baskets(sqlite_file, query="SELECT custmer FROM visits")
    with pytest.raises(InputError, match="no such database file"):
        sordino.read_baskets("sqlite:nowhere.db?table=a")


def test_duckdb_files_by_their_name_alone(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "shop.bin")) as base:
        base.execute("CREATE TABLE visits AS SELECT 1 AS id, ['a', 'b'] AS items UNION ALL SELECT 2, []")
    baskets = sordino.read_baskets(tmp_path / "shop.bin", table="visits")
    assert sorted(map(sorted, baskets)) == [[], ["a", "b"]]
    with pytest.raises(InputError, match="The tables are: visits"):
        sordino.read_baskets(tmp_path / "shop.bin")
    with pytest.raises(InputError, match="only reads"):
        sordino.read_baskets(tmp_path / "shop.bin", query="DROP TABLE visits")


def test_a_file_that_was_refused_is_opened_again(tmp_path: Path) -> None:
    """Also while somebody holds the error, as notebooks do; in a process of its own, because it would wait for ever."""
    import duckdb

    with duckdb.connect(str(tmp_path / "shop.bin")) as base:
        base.execute("CREATE TABLE visits AS SELECT n % 9 AS id, chr((97 + n % 5)::INT) AS item FROM range(40) t(n)")
    code = (
        "import sys, sordino\n"
        "policy, held = sordino.InferencePolicy(['a'], '0.9'), []\n"
        "for query in ('SELECT id, id, item FROM visits', 'SELECT [[id]] AS x FROM visits', 'FROM visits'):\n"
        "    try:\n"
        "        print(sordino.audit(sys.argv[1], policy, query=query, parts=2).records)\n"
        "    except sordino.InputError as error:\n"
        "        held.append(error)\n"
        "        print('refused')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "shop.bin")],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert run.stdout.split() == ["refused", "refused", "9"]


def test_connections_and_whatever_speaks_arrow(server: Server, sqlite_file: Path) -> None:
    import duckdb
    import ibis
    import pandas
    import polars
    from adbc_driver_postgresql import dbapi

    rows = {"record": [1, 1, 2], "item": ["a", "b", "a"]}
    arrow = pa.table(rows)
    expected = sordino.read_baskets(arrow).fingerprint
    sources: list[object] = [
        pandas.DataFrame(rows),
        polars.DataFrame(rows),
        ibis.memtable(arrow),
        duckdb.sql("SELECT * FROM arrow"),
        arrow.to_reader(),
    ]
    for source in sources:
        assert sordino.read_baskets(source).fingerprint == expected, type(source)
    base = duckdb.connect()
    base.register("visits", arrow)
    assert sordino.read_baskets(base, table="visits").fingerprint == expected
    query = "SELECT record, item FROM visits WHERE record < 3"
    with sqlite3.connect(sqlite_file) as rowwise:
        assert sordino.read_baskets(rowwise, query=query).fingerprint == expected
        assert sordino.read_baskets(rowwise.cursor(), query=query).fingerprint == expected
        audit = sordino.audit(rowwise, sordino.InferencePolicy(["b"], "0.5"), query=query)
        assert (audit.records, audit.holds) == (2, True)
    rowwise.close()
    server.sql(*TYPES)
    with dbapi.connect(server.uri()) as connection:
        held = sordino.read_table(connection, query="SELECT n, u, e FROM people ORDER BY name")
    assert [tuple(column.cells()) for column in held.columns] == [CELLS["n"], CELLS["u"], CELLS["e"]]


def test_connections_need_a_query(sqlite_file: Path) -> None:
    with sqlite3.connect(sqlite_file) as connection:
        for stated in ({}, {"query": "SELECT 1", "table": "visits"}):
            with pytest.raises(InputError, match=r"needs a query|not both"):
                sordino.read_baskets(connection, **stated)
        with pytest.raises(InputError, match="does not run the query"):
            sordino.read_baskets(connection, query="SELECT nothing")
        with pytest.raises(InputError, match="returns no table"):
            sordino.read_baskets(connection, query="CREATE TABLE IF NOT EXISTS visits (a)")
    connection.close()
    with pytest.raises(InputError, match="table cannot be stated for objects"):
        sordino.read_baskets([{"a"}], table="t")


def test_an_address_is_no_secret_in_what_python_shows() -> None:
    held = Address("postgresql", "postgresql://u:hidden@h/d", "postgresql://u@h/d", query="SELECT 'hidden'")
    assert "hidden" not in repr(held)
