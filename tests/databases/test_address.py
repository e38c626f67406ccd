"""Addresses of databases: taken apart, and shown without a secret."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sordino.data.databases.address import address_of, is_address, name_parts, quoted, shown_uri, target_of
from sordino.errors import InputError


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("postgresql://u:secret@h:5/db", "postgresql://u@h:5/db"),
        ("postgres://u:secret@h/db?sslmode=require", "postgres://u@h/db?sslmode=require"),
        ("postgresql://u@h/db?password=secret&user=u", "postgresql://u@h/db?user=u"),
        ("postgresql://u:sec@ret@h/db", "postgresql://u@h/db"),
        ("postgresql://u:sec/secret@h/db", "postgresql://u@h/db"),
        ("postgresql://u:a?secret@h/db", "postgresql://u@h/db"),
        ("postgresql://u:a#secret@h/db", "postgresql://u@h/db"),
        ("postgresql://:secret@h/db", "postgresql://@h/db"),
        ("postgresql:///db?host=/run&sslpassword=secret", "postgresql:///db?host=/run"),
        ("postgresql://h/db?options=-csecret", "postgresql://h/db"),
        ("postgresql://h1:1,h2:2/db#secret", "postgresql://h1:1,h2:2/db"),
        ("POSTGRESQL://u:secret@h/db", "POSTGRESQL://u@h/db"),
    ],
)
def test_no_secret_is_shown(uri: str, shown: str) -> None:
    assert shown_uri(uri) == shown
    address = address_of(uri, table="t")
    assert address is not None
    assert "secret" not in f"{address!r}{address}{address.where}{address.shown}"
    assert address.place == uri, "but the server gets all of it"


def test_table_and_query_are_not_handed_on_to_the_server() -> None:
    address = address_of("postgresql://h/db?sslmode=require&table=a%20b.c&application_name=x")
    assert address is not None
    assert (address.place, address.table) == ("postgresql://h/db?sslmode=require&application_name=x", "a b.c")
    assert address.select == 'SELECT * FROM "a b"."c"'
    asked = address_of("postgresql://h/db?query=SELECT%201%20AS%20a")
    assert asked is not None
    assert asked.select == "SELECT 1 AS a"


def test_files_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    import duckdb

    sqlite3.connect(tmp_path / "a.bin").execute("CREATE TABLE t (a)").connection.close()
    duckdb.connect(str(tmp_path / "b.bin")).close()
    (tmp_path / "c.db").write_text("a,b\n")
    systems = [address_of(tmp_path / name) for name in ("a.bin", "b.bin", "c.db", "none.db")]
    assert [None if one is None else one.system for one in systems] == ["sqlite", "duckdb", None, None]
    for form in ("sqlite:{}", "sqlite:///{}", "SQLITE:{}"):
        one = address_of(form.format(tmp_path / "a.bin"), table="t")
        assert one is not None
        assert one.file == str(tmp_path / "a.bin")
    with pytest.raises(InputError, match="--table is for databases, and this is none"):
        address_of(tmp_path / "c.db", table="t")
    with pytest.raises(InputError, match="no such database file"):
        address_of(tmp_path / "none.db", query="SELECT 1")


def test_a_table_or_a_query_is_stated_once() -> None:
    for stated in ({"query": "SELECT 1", "table": "t"}, {"table": " "}, {"query": ""}):
        with pytest.raises(InputError, match=r"stated once|is empty"):
            address_of("postgresql://h/db", **stated)
    with pytest.raises(InputError, match="stated once"):
        address_of("duckdb:x.db?table=a", table="b")


def test_names_of_tables() -> None:
    assert name_parts("a") == ("a",)
    assert name_parts("s.t") == ("s", "t")
    assert name_parts('"a.b"."c""d"') == ("a.b", 'c"d')
    assert quoted(('a"b', "c")) == '"a""b"."c"'
    for wrong in ("", ".", "a.", ".a", 'a"', "a.b.c.d", '"a"b', "a\0b"):
        with pytest.raises(InputError, match="no name of a table"):
            name_parts(wrong)


def test_targets(tmp_path: Path) -> None:
    assert target_of(str(tmp_path / "new.duckdb"), "t").system == "duckdb", "a file that is to be made"
    assert target_of("sqlite:new.db?table=t", None).table == "t"
    for wrong, reason in (
        ("out.csv", "no database to write into"),
        ("postgresql://u:secret@h/db", "which table of the database"),
        ("postgresql://u:secret@h/db?query=SELECT%201", "a query cannot be written into"),
        ("duckdb:?query=SELECT 1", "a query cannot be written into"),
        ("duckdb:", "says which table"),
    ):
        with pytest.raises(InputError, match=reason) as caught:
            target_of(wrong, None)
        assert "secret" not in str(caught.value)


def test_what_is_an_address() -> None:
    assert all(map(is_address, ("postgresql://h/d", "postgres://h", "duckdb:f", "sqlite:f")))
    assert not any(map(is_address, ("f.db", "/postgresql://", None, "http://h", "-")))
