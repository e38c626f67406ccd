"""Published data in a database: all of them or none, with keys, comments and rights, and compared by verify."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sordino
from server import SECRET, Server
from sordino.data.databases import put_postgresql
from sordino.data.databases.address import target_of
from sordino.data.databases.put import OURS, NewTable, comment_of, put_tables
from sordino.errors import InputError, InternalError

POLICY = sordino.InferencePolicy(["x"], "0.3")
LISTS = [{"a", "x"}, {"a"}, {"a", "b"}, {"b"}, set()]
TABLE = [
    {"Job": job, "Ill": ill, "Age": age} for job in "ABCD" for ill, age in (("flu", 30), ("HIV", 40), ("no", None))
]
TEMPLATE = sordino.TemplatePolicy([sordino.Template(["Job"], "Ill", ["HIV"], "0.4")])


def released(server: Server, policy: Any = POLICY, **options: Any) -> Any:
    return sordino.protect(server.uri(), policy, table="visits", seed=1, **options)


def rows(server: Server, table: str = "clean") -> list[tuple[Any, ...]]:
    return sorted(server.sql(f"SELECT * FROM {table}"))


def test_a_long_table_goes_back_into_the_database(server: Server, tmp_path: Path) -> None:
    release = released(server)
    folder = release.write(tmp_path / "out", to=server.uri(), table="clean")
    expected = [(int(number), item) for number, record in enumerate(release.published, 1) for item in record]
    assert rows(server) == sorted(expected)
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds
    described = server.sql(
        "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, "
        "col_description(a.attrelid, a.attnum) FROM pg_attribute a WHERE attrelid = 'clean'::regclass "
        "AND attnum > 0 ORDER BY attnum"
    )
    assert [row[:3] for row in described] == [("customer", "bigint", True), ("product", "text", True)]
    assert described[0][3] == "A new number for the record, no id of the source."
    keys = server.sql("SELECT conname::text, contype::text, pg_get_constraintdef(oid) FROM pg_constraint "
                      "WHERE conrelid = 'clean'::regclass")  # fmt: skip
    assert keys == [("clean_key", "p", "PRIMARY KEY (customer, product)")]
    comment = comment_of(target_of(server.uri(), "clean"))
    assert comment is not None
    assert comment.startswith(f"{OURS} {sordino.__version__}. Someone who knows any part of a person's record cannot "
                              "infer from this table")  # fmt: skip
    assert "above 30%" in comment
    tables = server.sql("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
    assert sorted(tables) == [("clean",), ("visits",)], "and nothing is left behind"


def test_lists_become_arrays_and_empty_records_stay(server: Server, tmp_path: Path) -> None:
    release = sordino.protect(LISTS, sordino.InferencePolicy(["x"], "0.5"), seed=1)
    folder = release.write(tmp_path / "out", to=server.uri(), table="public.clean")
    held = rows(server)
    assert [number for number, _ in held] == [1, 2, 3, 4, 5]
    assert [set(items) for _, items in held] == [set(record) for record in release.published]
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds
    text = tmp_path / "long.csv"
    text.write_text("id,item\n1,x\n1,a\n2,a\n2,b\n3,a\n4,\n")
    release = sordino.protect(text, sordino.InferencePolicy(["x"], "0.5"), seed=1)
    folder = release.write(tmp_path / "long", to=server.uri(), table="long")
    assert [row for row in server.sql("SELECT * FROM long") if row[1] is None], "a record without items is a row"
    assert server.sql("SELECT contype::text FROM pg_constraint WHERE conrelid = 'long'::regclass") == [("u",)]
    assert sordino.verify(folder, database=f"{server.uri()}?table=long").holds


def test_tables_go_back_with_their_types(server: Server, tmp_path: Path) -> None:
    server.sql(
        "CREATE TABLE people (job text, ill text, paid numeric(8, 2), born date, seen timestamptz, old boolean, "
        "n bigint)",
        "INSERT INTO people SELECT chr(65 + n % 4), CASE WHEN n % 3 = 0 THEN 'HIV' ELSE 'flu' END, n * 1.25, "
        "'2000-01-01'::date + n, '2020-01-01 10:00+00', n > 5, NULLIF(n, 3) FROM generate_series(1, 24) n",
    )
    policy = sordino.TemplatePolicy([sordino.Template(["job"], "ill", ["HIV"], "0.5")])
    release = sordino.protect(server.uri(), policy, table="people", seed=1)
    folder = release.write(tmp_path / "out", to=server.uri(), table="clean")
    assert rows(server, "(SELECT paid, born, seen, old, n FROM clean WHERE n < 3) a") == rows(
        server, "(SELECT paid, born, seen, old, n FROM people WHERE n < 3) a"
    )
    types = server.sql("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'clean'::regclass "
                       "AND attnum > 0 ORDER BY attnum")  # fmt: skip
    assert [name for (name,) in types] == [
        "text", "text", "numeric(8,2)", "date", "timestamp with time zone", "boolean", "bigint",
    ]  # fmt: skip
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds


def test_a_grouping_in_two_tables_becomes_two(server: Server, tmp_path: Path) -> None:
    people = [
        {"Sex": sex, "Age": age, "Ill": ill} for sex in "MF" for age in (1, 2, 3) for ill in ("flu", "cold", "pox")
    ]
    policy = sordino.DiversityPolicy("Ill", ["Sex", "Age"], l=2)
    folder = sordino.protect(people, policy, seed=1, form="tables").write(tmp_path / "out", to=server.uri(), table="c")
    assert len(rows(server, "c")) == 18
    assert sum(row[-1] for row in rows(server, "c_values")) == 18
    assert sordino.verify(folder, database=f"{server.uri()}?table=c").holds
    server.sql("DELETE FROM c_values WHERE ctid = '(0,1)'")
    verdict = sordino.verify(folder, database=f"{server.uri()}?table=c")
    assert "the table 'c_values' is not what is published: it has" in verdict.reason


def test_what_is_in_groups_stays_a_folder(server: Server, tmp_path: Path) -> None:
    release = sordino.protect(
        server.uri(), sordino.InferencePolicy(["x"], "0.7"), table="visits", method="cahd", seed=1
    )
    with pytest.raises(InputError, match="a release in groups is more than one table can hold"):
        release.write(tmp_path / "out", to=server.uri(), table="clean")
    assert not (tmp_path / "out").exists(), "which is known before anything is written"


def test_an_old_table_is_replaced_on_request_and_only_if_it_is_ours(server: Server, tmp_path: Path) -> None:
    release = released(server)
    release.write(tmp_path / "out", to=server.uri(), table="clean")
    before = server.sql("SELECT 'clean'::regclass::oid::bigint AS oid")
    with pytest.raises(InputError, match="already there; it was not changed"):
        release.write(tmp_path / "second", to=server.uri(), table="clean")
    assert not (tmp_path / "second").exists()
    again = released(server, sordino.InferencePolicy(["x"], "0.2"))
    folder = again.write(tmp_path / "second", True, to=server.uri(), table="clean")
    assert server.sql("SELECT 'clean'::regclass::oid::bigint AS oid") != before
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds
    other = sordino.verify(tmp_path / "out", database=f"{server.uri()}?table=clean")
    assert not other.holds
    server.sql(
        "CREATE TABLE theirs (a int)", "CREATE VIEW seen AS SELECT 1 AS a", f"COMMENT ON VIEW seen IS '{OURS} 1'"
    )
    for name, told in (("theirs", "not put there by sordino"), ("seen", "no plain table"), ("visits", "not put there")):
        with pytest.raises(InputError, match=told):
            release.write(tmp_path / "third", True, to=server.uri(), table=name)
    assert len(rows(server, "visits")) == 321


def test_owner_rights_and_views_stay(server: Server, tmp_path: Path) -> None:
    for role in ("reader", "maker", "team"):
        server.sql(f"DROP ROLE IF EXISTS {role}", f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}'")
    server.sql("GRANT team TO maker", "GRANT CREATE, USAGE ON SCHEMA public TO team, maker",
               "GRANT SELECT ON visits TO maker", "GRANT USAGE ON SCHEMA public TO reader")  # fmt: skip
    maker = server.uri("maker")
    release = released(server)
    release.write(tmp_path / "out", to=maker, table="clean")
    server.sql("ALTER TABLE clean OWNER TO team", "GRANT SELECT ON clean TO reader")
    release.write(tmp_path / "out", True, to=maker, table="clean")
    reader = sordino.read_baskets(server.uri("reader"), table="public.clean")
    assert len(reader) == 60
    owner = "SELECT pg_get_userbyid(relowner)::text FROM pg_class WHERE oid = 'clean'::regclass"
    assert server.sql(owner) == [("team",)]
    server.sql("CREATE VIEW popular AS SELECT product, count(*) AS n FROM clean GROUP BY 1")
    server.sql("ALTER TABLE clean DISABLE TRIGGER ALL")
    oid = server.sql("SELECT 'clean'::regclass::oid::bigint AS oid")
    folder = released(server, sordino.InferencePolicy(["x"], "0.2")).write(
        tmp_path / "out", True, to=maker, table="clean"
    )
    assert server.sql("SELECT 'clean'::regclass::oid::bigint AS oid") == oid, "a table under a view gets other rows"
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds
    lists = sordino.protect(LISTS, sordino.InferencePolicy(["x"], "0.5"), seed=1)
    with pytest.raises(InputError, match="views stand on this table, and the new one has other columns"):
        lists.write(tmp_path / "lists", to=maker, table="clean", force=True)
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds


def test_no_rights_to_write(server: Server, tmp_path: Path) -> None:
    server.sql("DROP ROLE IF EXISTS guest", f"CREATE ROLE guest LOGIN PASSWORD '{SECRET}'",
               "GRANT USAGE ON SCHEMA public TO guest", "GRANT SELECT ON visits TO guest",
               "REVOKE CREATE ON SCHEMA public FROM PUBLIC")  # fmt: skip
    release = released(server)
    guest = server.uri("guest")
    for table, told in (("clean", "no rights to make a table in the schema 'public'"), ("no.clean", "no schema 'no'")):
        with pytest.raises(InputError, match=told):
            release.write(tmp_path / "out", to=guest, table=table)
    release.write(tmp_path / "out", to=server.uri(), table="clean")
    server.sql("GRANT CREATE ON SCHEMA public TO guest", "GRANT SELECT ON clean TO guest")
    with pytest.raises(InputError, match="it belongs to 'owner'"):
        release.write(tmp_path / "out", True, to=guest, table="clean")
    with pytest.raises(InputError, match="password authentication failed") as caught:
        release.write(tmp_path / "out", True, to=server.uri(password="wrong-word"), table="clean")
    assert "wrong-word" not in str(caught.value)


def broken_by(step: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Something happens after the rows were sent, and before the old table is replaced."""
    usual = put_postgresql.difference

    def difference(expected: Any, found: Any) -> str | None:
        step()
        return usual(expected, found)

    monkeypatch.setattr(put_postgresql, "difference", difference)


def test_a_broken_connection_leaves_the_old_table(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = released(server).write(tmp_path / "old", to=server.uri(), table="clean")
    broken_by(
        lambda: server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND datname = 'postgres'"
        ) and None,
        monkeypatch,
    )  # fmt: skip
    new = released(server, sordino.InferencePolicy(["x"], "0.2"))
    with pytest.raises(InputError, match="connection to the server was lost; the table is as it was") as caught:
        new.write(tmp_path / "new", True, to=server.uri(), table="clean")
    assert f"The release itself is whole, in {tmp_path / 'new'}" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert sordino.verify(tmp_path / "new").holds
    assert sordino.verify(old, database=f"{server.uri()}?table=clean").holds


def test_a_server_that_is_killed_leaves_the_old_table(mortal_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    target = target_of(mortal_server.uri(), "clean")
    one = pa.table({"record": range(50_000), "item": ["a"] * 50_000})
    put_tables(target, [NewTable(one, f"{OURS} 1", key=("record",))], force=False)
    mortal_server.sql("CHECKPOINT")
    broken_by(mortal_server.kill, monkeypatch)
    two = pa.table({"record": range(200_000), "item": ["b"] * 200_000})
    with pytest.raises(InputError, match="the connection to the server was lost; the table is as it was"):
        put_tables(target, [NewTable(two, f"{OURS} 2", key=("record",))], force=True)
    monkeypatch.undo()
    (mortal_server.folder / "data" / "postmaster.pid").unlink()
    mortal_server.start()
    assert mortal_server.sql("SELECT count(*), min(item), max(item) FROM clean") == [(50_000, "a", "a")]
    left = mortal_server.sql("SELECT relname::text FROM pg_class WHERE relname LIKE 'sordino%'")
    assert left == []
    put_tables(target, [NewTable(two, f"{OURS} 2", key=("record",))], force=True)
    assert mortal_server.sql("SELECT count(*) FROM clean") == [(200_000,)]


def test_what_reads_back_otherwise_is_not_put(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    target = target_of(server.uri(), "clean")
    put_tables(target, [NewTable(pa.table({"a": [1]}), f"{OURS} 1")], force=False)
    monkeypatch.setattr(put_postgresql, "difference", lambda *_: "so it is")
    with pytest.raises(InternalError, match="so it is; the table is as it was"):
        put_tables(target, [NewTable(pa.table({"a": [2]}), f"{OURS} 2")], force=True)
    assert rows(server) == [(1,)]


CELLS = pa.table(
    {
        "odd \"name'": pa.array(["ü\n\t'\\", None, ""]),
        "small": pa.array([1, None, -1], pa.int8()),
        "large": pa.array([2**63, None, 0], pa.uint64()),
        "half": pa.array([0.5, None, 1.5], pa.float32()),
        "number": pa.array([Decimal("1.50"), None, Decimal("-3.25")]),
        "day": pa.array([date(1, 1, 1), None, date(2024, 2, 29)]),
        "moment": pa.array([datetime(2020, 1, 1), None, datetime(1969, 1, 1)], pa.timestamp("ms")),
        "there": pa.array([datetime(2020, 1, 1), None, datetime(1969, 1, 1)], pa.timestamp("s", tz="Europe/Berlin")),
        "yes": pa.array([True, None, False]),
        "coded": pa.array(["a", None, "b"]).dictionary_encode(),
        "none": pa.nulls(3),
    }
)


@pytest.mark.parametrize("system", ["postgresql", "duckdb", "sqlite"])
def test_every_type_comes_back(system: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Putting compares what the database holds with what was meant, and fails if it differs."""
    uri = request.getfixturevalue("server").uri() if system == "postgresql" else f"{system}:{tmp_path}/new.db"
    cells = CELLS if system != "sqlite" else CELLS.drop_columns(["large"])
    target = target_of(uri, "clean")
    put_tables(target, [NewTable(cells, f"{OURS} ' \\ 1")], force=False)
    assert comment_of(target) == f"{OURS} ' \\ 1"
    put_tables(target, [NewTable(cells, f"{OURS} 2")], force=True)
    assert comment_of(target) == f"{OURS} 2"
    held = sordino.read_table(f"{uri}?table=clean")
    assert len(held) == 3
    assert held.names == tuple(cells.column_names)


def test_what_a_database_cannot_keep_is_named(server: Server, tmp_path: Path) -> None:
    target = target_of(server.uri(), "clean")
    fine = pa.array([datetime(2020, 1, 1)], pa.timestamp("ns")).cast(pa.int64())
    for cells, told in (
        ({"a": pa.array(["x\0y"])}, "column 'a' holds a NUL character"),
        ({"a": pa.array([["x\0y"]])}, "column 'a' holds a NUL character"),
        ({"b": pa.array([b"x"])}, "column 'b' holds binary"),
        ({"c": pa.array([fine[0].as_py() + 1], pa.timestamp("ns"))}, "column 'c' holds timestamp"),
    ):
        with pytest.raises(InputError, match=told) as caught:
            put_tables(target, [NewTable(pa.table(cells), OURS)], force=False)
        assert "x\0y" not in str(caught.value)
    with pytest.raises(InputError, match="column 'd' holds list"):
        put_tables(target_of(f"sqlite:{tmp_path}/a.db", "t"), [NewTable(pa.table({"d": [["a"]]}), OURS)], force=False)


@pytest.mark.parametrize("system", ["duckdb", "sqlite"])
def test_files_as_targets(system: str, tmp_path: Path) -> None:
    uri = f"{system}:{tmp_path}/house.db"
    release = sordino.protect(TABLE, TEMPLATE, seed=1)
    folder = release.write(tmp_path / "out", to=uri, table="clean")
    assert sordino.verify(folder, database=f"{uri}?table=clean").holds
    with pytest.raises(InputError, match="already there"):
        release.write(tmp_path / "two", to=uri, table="clean")
    release.write(tmp_path / "out", True, to=uri, table="clean")
    assert sordino.verify(folder, database=f"{uri}?table=clean").holds
    lists = sordino.protect(LISTS, sordino.InferencePolicy(["x"], "0.5"), seed=1)
    folder = lists.write(tmp_path / "lists", to=uri, table="lists")
    assert sordino.verify(folder, database=f"{uri}?table=lists").holds
    assert len(sordino.read_baskets(f"{uri}?table=lists")) == 5
    with pytest.raises(InputError, match="no such folder to write into"):
        lists.write(tmp_path / "no", to=f"{system}:{tmp_path}/none/house.db", table="lists")


@pytest.mark.parametrize("system", ["duckdb", "sqlite"])
@pytest.mark.parametrize("records", [LISTS, [{"a", "x"}, {"a"}]], ids=["UNIQUE", "PRIMARY KEY"])
def test_a_file_whose_key_is_gone(system: str, records: list[set[str]], tmp_path: Path) -> None:
    """The same rows under the same comment, in a table that would take any of them a second time."""
    path = tmp_path / "house.db"
    release = sordino.protect(records, sordino.InferencePolicy(["x"], "0.5"), seed=1)
    folder = release.write(tmp_path / "out", to=f"{system}:{path}", table="clean")
    anew = ["ALTER TABLE clean RENAME TO old", "CREATE TABLE clean AS SELECT * FROM old", "DROP TABLE old"]
    if system == "sqlite":
        with sqlite3.connect(path) as connection:
            for statement in anew:
                connection.execute(statement)
        connection.close()
    else:
        import duckdb

        said = (comment_of(target_of(f"duckdb:{path}", "clean")) or "").replace("'", "''")
        with duckdb.connect(str(path)) as there:
            for statement in ["CREATE TABLE anew AS SELECT * FROM clean", "DROP TABLE clean",
                              "ALTER TABLE anew RENAME TO clean", f"COMMENT ON TABLE clean IS '{said}'"]:  # fmt: skip
                there.execute(statement)
    verdict = sordino.verify(folder, database=f"{system}:{path}?table=clean")
    assert not verdict.holds
    assert "its key (record" in verdict.reason
    assert "is gone" in verdict.reason


def test_a_table_under_views_gets_its_key_back(server: Server, tmp_path: Path) -> None:
    release = released(server)
    folder = release.write(tmp_path / "out", to=server.uri(), table="clean")
    server.sql("CREATE VIEW seen AS SELECT * FROM clean", "ALTER TABLE clean DROP CONSTRAINT clean_key")
    assert not sordino.verify(folder, database=f"{server.uri()}?table=clean").holds
    release.write(tmp_path / "out", True, to=server.uri(), table="clean")
    assert sordino.verify(folder, database=f"{server.uri()}?table=clean").holds


def test_a_file_that_somebody_else_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "house.db"
    target = target_of(f"sqlite:{path}", "clean")
    put_tables(target, [NewTable(pa.table({"a": [1]}), f"{OURS} 1")], force=False)
    with sqlite3.connect(path) as other:
        other.execute("BEGIN IMMEDIATE")
        usual = sqlite3.connect
        monkeypatch.setattr(sqlite3, "connect", lambda *words, **more: usual(*words, timeout=0.1, **more))
        with pytest.raises(InputError, match="database is locked; the table is as it was"):
            put_tables(target, [NewTable(pa.table({"a": [2]}), f"{OURS} 2")], force=True)
        assert other.execute("SELECT a FROM clean").fetchall() == [(1,)]
    other.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE clean SET product = 'q' WHERE ctid = '(0,1)'", "1 row of it is not in the published data"),
        ("DELETE FROM clean WHERE ctid = '(0,1)'", "rows, and the published data have"),
        ("ALTER TABLE clean ADD COLUMN age int", "its columns are not those of the published data"),
        ("ALTER TABLE clean ALTER COLUMN customer TYPE text USING 'p' || customer", "of other types"),
        ("ALTER TABLE clean DROP CONSTRAINT clean_key", "but its key (customer, product) is gone"),
        ("COMMENT ON TABLE clean IS 'mine'", "its comment does not say of which release it is"),
        ("COMMENT ON TABLE clean IS 'Published by sordino 1, sha256 " + 64 * "0" + "'", "names another release"),
        ("DROP TABLE clean", None),
    ],
)
def test_verify_sees_that_a_table_is_not_what_was_published(
    server: Server, tmp_path: Path, change: str, told: str | None
) -> None:
    folder = released(server).write(tmp_path / "out", to=server.uri(), table="clean")
    server.sql(change)
    if told is None:
        with pytest.raises(InputError, match="there is no table 'clean'"):
            sordino.verify(folder, database=f"{server.uri()}?table=clean")
        return
    verdict = sordino.verify(folder, database=f"{server.uri()}?table=clean")
    assert not verdict.holds
    assert told in verdict.reason
    assert verdict.reason.endswith("the folder itself is as it should be")


def test_a_folder_that_was_changed_is_not_compared(server: Server, tmp_path: Path) -> None:
    folder = released(server).write(tmp_path / "out", to=server.uri(), table="clean")
    (folder / "publish" / "README.txt").write_text("changed")
    verdict = sordino.verify(folder, database=f"{server.uri()}?table=clean")
    assert not verdict.holds
    assert "README.txt was changed" in verdict.reason
