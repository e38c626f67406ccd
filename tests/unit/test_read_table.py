"""Tables in every format: the same content comes out, and goes back in as it was."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from sordino.data.table import Column, Table
from sordino.data.write_table import encoded_table, table_file_name, write_table
from sordino.errors import InputError

ROWS: list[dict[str, Any]] = [
    {"job": "Trader", "age": 39, "pay": 2.5},
    {"job": None, "age": 7, "pay": 10.0},
    {"job": "Clerk, chief", "age": 39, "pay": None},
    {"job": "Clerk", "age": 100, "pay": 2.5},
]
EXPECTED = [("Trader", "39", "2.5"), (None, "7", "10.0"), ("Clerk, chief", "39", None), ("Clerk", "100", "2.5")]


def csv_of(delimiter: str = ",", after: str = "", end: str = "\n", missing: str = "") -> str:
    def field(value: Any) -> str:
        text = missing if value is None else str(value)
        return f'"{text}"' if delimiter in text else text

    lines = ["job,age,pay".replace(",", delimiter)]
    lines += [(delimiter + after).join(map(field, row.values())) for row in ROWS]
    return end.join(lines) + end


def rows_of(table: Table) -> list[tuple[str | None, ...]]:
    return [table.row(number) for number in range(len(table))]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def sources(tmp: Path) -> dict[str, object]:
    arrow = pa.Table.from_pylist(ROWS)
    parquet.write_table(arrow, tmp / "t.parquet")
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    return {
        "csv": write(tmp / "t.csv", csv_of()),
        "semicolon": write(tmp / "s.csv", csv_of(";")),
        "tab": write(tmp / "t.tsv", csv_of("\t")),
        "blank": write(tmp / "b.data", csv_of(",", " ", missing="?")),
        "crlf": write(tmp / "c.csv", csv_of(end="\r\n")),
        "gzip": write(tmp / "g.csv.gz", gzip.compress(csv_of().encode())),
        "parquet": tmp / "t.parquet",
        "jsonl": write(tmp / "t.jsonl", lines),
        "json without its name": write(tmp / "t.unknown", lines),
        "arrow": arrow,
        "dicts": ROWS,
        "duckdb": f"duckdb:?query=SELECT * FROM '{tmp}/t.parquet'",
    }


NAMES = ["csv", "semicolon", "tab", "blank", "crlf", "gzip", "parquet", "jsonl", "json without its name", "arrow"]
NAMES += ["dicts", "duckdb"]


@pytest.mark.parametrize("name", NAMES)
def test_every_source_gives_the_same_table(name: str, tmp_path: Path) -> None:
    table = sordino.read_table(sources(tmp_path)[name])
    assert rows_of(table) == EXPECTED
    assert [column.kind for column in table.columns] == ["text", "integer", "real"]
    assert table.columns[0].values == ("Clerk", "Clerk, chief", "Trader")
    assert table.columns[1].values.tolist() == [7, 39, 100]  # by number, not by text
    assert table.columns[1].codes.tolist() == [1, 0, 1, 2]
    assert table.columns[0].codes.tolist() == [2, -1, 1, 0]
    assert table.fingerprint == sordino.read_table(ROWS).fingerprint


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_reads_back(name: str, tmp_path: Path) -> None:
    table = sordino.read_table(sources(tmp_path)[name])
    again = tmp_path / table_file_name(table.origin)
    write_table(table, again)
    assert sordino.read_table(again).fingerprint == table.fingerprint
    if name in ("csv", "semicolon", "tab", "crlf"):
        assert again.read_bytes() == Path(str(table.origin.path)).read_bytes()


@pytest.mark.parametrize("frame", ["pandas", "polars", "duckdb"])
def test_frames(frame: str) -> None:
    arrow = pa.Table.from_pylist(ROWS)
    if frame == "duckdb":
        import duckdb

        made: object = duckdb.from_arrow(arrow)
    else:
        module = pytest.importorskip(frame)
        made = module.from_arrow(arrow) if frame == "polars" else arrow.to_pandas()
    assert rows_of(sordino.read_table(made)) == EXPECTED


def test_the_index_of_a_frame_is_no_column() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    assert sordino.read_table(frame[frame.age > 30]).names == ("job", "age", "pay")
    assert sordino.read_table(frame.set_index("age")).names == ("job", "pay", "age")  # a named one is


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(csv_of().encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert rows_of(sordino.read_table("-")) == EXPECTED


def test_a_database_file(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "shop.db")) as base:
        base.execute("CREATE TABLE people AS SELECT i AS id, 'x' || (i % 3) AS job FROM range(5) t(i)")
    by_name = sordino.read_table(f"duckdb:{tmp_path}/shop.db?table=people")
    by_query = sordino.read_table(tmp_path / "shop.db", query="SELECT * FROM people")
    assert rows_of(by_name) == rows_of(by_query) == [(str(i), f"x{i % 3}") for i in range(5)]
    assert table_file_name(by_name.origin) == "data.parquet"
    with pytest.raises(InputError, match="peple"):
        sordino.read_table(f"duckdb:{tmp_path}/shop.db?table=peple")


@pytest.mark.parametrize(
    "query",
    [
        "COPY (SELECT 1) TO '{}'",
        "COPY people TO '{}'",
        "SELECT 1; COPY (SELECT 1) TO '{}'",
        "COPY (SELECT 1) TO '{}'; SELECT 1",
        "WITH a AS (COPY (SELECT 1) TO '{}') SELECT * FROM a",
        "WITH a AS MATERIALIZED (COPY (SELECT 1) TO '{}') SELECT * FROM a ORDER BY 1",
        "FROM (WITH a AS (COPY (SELECT 1) TO '{}') SELECT * FROM a)",
        "SELECT * FROM query('COPY (SELECT 1) TO ''{}''')",
        "EXPORT DATABASE '{}'",
        "ATTACH '{}' AS other",
        "CREATE TABLE more AS SELECT 1",
        "INSERT INTO people VALUES (7)",
        "WITH a AS (INSERT INTO people VALUES (7) RETURNING *) SELECT * FROM a",
        "DELETE FROM people",
        "PRAGMA enable_profiling",
        "SET lock_configuration = false",
        "CALL pragma_version()",
        "INSTALL httpfs",
        "LOAD httpfs",
        "EXPLAIN ANALYZE SELECT 1",
        "",
        ";",
    ],
)
@pytest.mark.parametrize("with_file", [True, False])
def test_a_query_only_reads(tmp_path: Path, query: str, with_file: bool) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "shop.db")) as base:
        base.execute("CREATE TABLE people AS SELECT 1 AS id")
    before, content = set(tmp_path.iterdir()), (tmp_path / "shop.db").read_bytes()
    source = f"duckdb:{tmp_path / 'shop.db' if with_file else ''}?query=" + query.format(tmp_path / "out.csv")
    with pytest.raises(InputError):
        sordino.read_table(source)
    assert set(tmp_path.iterdir()) == before
    assert (tmp_path / "shop.db").read_bytes() == content


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 AS a",
        "VALUES (1)",
        "WITH t AS (SELECT 1) FROM t;",
        "FROM range(1, 2) -- x",
        "select 1 /* COPY */",
    ],
)
def test_all_ways_to_read(query: str) -> None:
    assert rows_of(sordino.read_table(f"duckdb:?query={query}")) == [("1",)]


def test_options_that_would_be_ignored(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": [1]}), path)
    for source in (path, [{"a": 1}], "duckdb:?query=SELECT 1"):
        with pytest.raises(InputError, match="delimiter"):
            sordino.read_table(source, delimiter=";")
    for source in ([{"a": 1}], "duckdb:?query=SELECT 1"):
        with pytest.raises(InputError, match="query"):
            sordino.read_table(source, query="SELECT 2")


@pytest.mark.parametrize(
    "lines",
    [
        '{"a": 1, "b": 2, "a": 3}\n{"a": 1, "b": 2}\n',
        '{"a": 1, "a": 3}\n{"b": 2}\n',
        '{"a": 1, "a": null}\n{"b": 2}\n',
        '{"a": 1, "a": "secret"}\n{"a": "1"}\n',
    ],
)
def test_fields_that_stand_twice(tmp_path: Path, lines: str) -> None:
    with pytest.raises(InputError, match="twice") as caught:
        sordino.read_table(write(tmp_path / "x.jsonl", lines))
    assert "secret" not in str(caught.value)


def test_fields_that_are_lacking_or_named_like_values(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", '{"a": 1, "b": "a"}\n{"b": "b"}\n{"a": null, "b": null}\n')
    assert rows_of(sordino.read_table(path)) == [("1", "a"), (None, "b"), (None, None)]


def test_values_that_look_the_same(tmp_path: Path) -> None:
    for other in ("nurse ", "nurse\u00a0"):
        with pytest.raises(InputError, match="1 value differs from others of the column 'job'"):
            sordino.read_table([{"job": "nurse"}, {"job": other}])
    assert len(sordino.read_table(write(tmp_path / "x.csv", "job\nnurse\nnurse \n")).columns[0].values) == 1


def test_a_first_line_that_is_no_header(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "secret,flu,x\nsecret,flu,y\nnurse,cold,x\n")
    with pytest.raises(InputError, match="3 of its 3 fields are found again") as caught:
        sordino.read_table(path)
    assert "secret" not in str(caught.value)
    path = write(tmp_path / "m.csv", "job,age\nnurse,30\njob,age\ncook,40\n")
    with pytest.raises(InputError, match="row 2: the header stands there once more"):
        sordino.read_table(path)
    path = write(tmp_path / "m.csv", "job,other\nnurse,other\ncook,x\n")
    assert len(sordino.read_table(path)) == 2


def test_missing_texts_can_be_stated(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "a,b\n?,NA\nx,-\n,y\n")
    assert rows_of(sordino.read_table(path)) == [(None, None), ("x", "-"), (None, "y")]
    own = sordino.read_table(path, missing=("-",))
    assert rows_of(own) == [("?", "NA"), ("x", None), ("", "y")]
    assert encoded_table(own) == path.read_bytes()


def test_kinds_of_text(tmp_path: Path) -> None:
    path = write(tmp_path / "k.csv", "a,b,c,d\n007,1,1.50,1\n042,2,1.5,x\n007,-3,.5,\n")
    table = sordino.read_table(path)
    assert [column.kind for column in table.columns] == ["text", "integer", "real", "text"]
    assert table.column("c").values.tolist() == [0.5, 1.5]  # two spellings of one number are one value
    assert sordino.read_table(path, kinds={"a": "integer"}).column("a").values.tolist() == [7, 42]
    with pytest.raises(InputError, match="'d' holds something that is not a whole number"):
        sordino.read_table(path, kinds={"d": "integer"})


def test_long_numbers_are_not_merged(tmp_path: Path) -> None:
    """Ids of twenty digits look like numbers, and many of them are one floating-point number."""
    ids = ["12345678901234567890", "12345678901234567891", "12345678901234567892"]
    path = write(
        tmp_path / "i.csv", "id,x,y\n" + "".join(f"{i},0.1234567890123456{k},{k}.5\n" for k, i in enumerate(ids))
    )
    table = sordino.read_table(path)
    assert [column.kind for column in table.columns] == ["text", "real", "real"]
    assert [row[0] for row in rows_of(table)] == ids
    assert encoded_table(table) == path.read_bytes()
    fine = write(tmp_path / "f.csv", "x\n0.12345678901234567890\n0.12345678901234567891\n")
    assert sordino.read_table(fine).column("x").kind == "text"
    exact = pa.table({"d": pa.array([Decimal("0.1234567890123456789"), Decimal("0.1234567890123456788")])})
    assert len(sordino.read_table(exact).column("d").values) == 2


@pytest.mark.parametrize(
    "column",
    [
        pa.array([datetime.time(1, 2), None], type=pa.time64("us")),
        pa.array([datetime.datetime(2020, 1, 1), None], type=pa.timestamp("us", "Europe/Zurich")),
        pa.array([datetime.timedelta(1), None]),
        pa.array([Decimal("1.10"), None]),
        pa.array([2**64 - 1, 3], type=pa.uint64()),
        pa.array([5, None], type=pa.int16()),
        pa.nulls(2),
    ],
    ids=lambda column: str(column.type),
)
def test_every_type_comes_back(column: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"c": column, "x": [1, 2]}), tmp_path / "t.parquet")
    write_table(sordino.read_table(tmp_path / "t.parquet"), tmp_path / "again.parquet")
    assert parquet.read_table(tmp_path / "again.parquet").equals(parquet.read_table(tmp_path / "t.parquet"))


@pytest.mark.parametrize("values", [[[1], None], [{"a": 1}, None], [b"x", None]], ids=["list", "struct", "bytes"])
def test_types_that_are_no_cells(values: list[Any]) -> None:
    with pytest.raises(InputError, match="'c' holds"):
        sordino.read_table(pa.table({"c": pa.array(values)}))


def test_a_typed_file_keeps_its_schema(tmp_path: Path) -> None:
    table = pa.table(
        {
            "day": pa.array([datetime.date(2020, 1, 2), None, datetime.date(1999, 1, 1)]),
            "small": pa.array([3, 1, 2], type=pa.int8()),
            "flag": pa.array([True, False, None]),
            "cat": pa.array(["x", "y", "x"]).dictionary_encode(),
            "real": pa.array([0.5, float("nan"), 1.5], type=pa.float32()),
            "large": pa.array(["a", "?", "b"], type=pa.large_string()),
        },
        schema=pa.schema(
            [
                pa.field("day", pa.date32()),
                pa.field("small", pa.int8(), nullable=False),
                pa.field("flag", pa.bool_()),
                pa.field("cat", pa.dictionary(pa.int32(), pa.string())),
                pa.field("real", pa.float32()),
                pa.field("large", pa.large_string()),
            ]
        ),
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    read = sordino.read_table(tmp_path / "t.parquet")
    assert [column.kind for column in read.columns] == ["time", "integer", "boolean", "text", "real", "text"]
    write_table(read, tmp_path / "again.parquet")
    again = parquet.read_table(tmp_path / "again.parquet")
    assert again.schema.equals(parquet.read_schema(tmp_path / "t.parquet"))
    assert str(again.to_pylist()) == str(table.to_pylist())


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_suppressed_cell_is_valid_in_every_format(form: str, tmp_path: Path) -> None:
    table = sordino.read_table(sources(tmp_path)[form])
    age = table.column("age")
    changed = table.with_column(age.replaced(np.where(age.codes == 0, 3, age.codes), ("*",)))
    path = tmp_path / table_file_name(table.origin)
    write_table(changed, path)
    read = sordino.read_table(path)
    assert [row[1] for row in rows_of(read)] == ["39", "*", "39", "100"]
    assert [row[::2] for row in rows_of(read)] == [row[::2] for row in EXPECTED]
    assert read.column("pay").kind == "real"
    if form == "jsonl":
        assert [json.loads(line)["age"] for line in path.read_text().splitlines()] == [39, "*", 39, 100]
    if form == "parquet":
        assert parquet.read_schema(path).field("age").type == pa.string()
        assert parquet.read_schema(path).field("pay").type == pa.float64()


def test_values_that_are_gone_leave_nothing(tmp_path: Path) -> None:
    """A dictionary column of the file must not list what was suppressed."""
    arrow = pa.table({"cat": pa.array(["secret", "y", "x"]).dictionary_encode()})
    parquet.write_table(arrow, tmp_path / "t.parquet")
    table = sordino.read_table(tmp_path / "t.parquet")
    column = table.column("cat")
    changed = table.with_column(
        column.replaced(np.where(column.codes == column.code_of["secret"], 3, column.codes), "*")
    )
    assert b"secret" not in encoded_table(changed)
    bare = Column("cat", np.array([0, 1, 1], dtype=np.int32), ("a", "b", "secret"))
    assert b"secret" not in encoded_table(Table((bare,)))


def test_replaced() -> None:
    column = Column.of_texts("c", ["b", "a", None, "b"])
    merged = column.replaced(np.array([2, 0, -1, 1]), ("a", "*"))  # an extra text that is a value is that value
    assert list(merged.cells()) == ["a", "a", None, "b"]
    assert merged.values == ("a", "b")
    gone = column.replaced(np.array([0, 0, -1, 0]))
    assert gone.values == ("a",)


def test_a_column_by_name() -> None:
    table = sordino.read_table(ROWS)
    assert table.column("age").name == "age"
    with pytest.raises(InputError, match=r"there is no column 'jub'\. Did you mean 'job'"):
        table.column("jub")


HOSTILE: dict[str, tuple[str, bytes, str]] = {
    "nothing": ("t.csv", b"", "empty"),
    "header only": ("t.csv", b"a,b\n", "only a header"),
    "ragged": ("t.csv", b"a,b\n1,2\nsecret\n", "2 fields, this row has 1"),
    "ragged with blanks": ("t.csv", b'a,b\n1, "x"\nsecret\n', "2 fields, this row has 1"),
    "open quote": ("t.csv", b'a,b\n1,"secret\n', "fields, this row|quot"),
    "open quote in the header": ("t.csv", b'a,"b\n1,2\n', "quotation mark"),
    "two of a name": ("t.csv", b"a,a\n1,2\n", "more than one column 'a'"),
    "no name": ("t.csv", b"a,,c\n1,2,3\n", "has no name"),
    "no header": ("t.csv", b"1,2,3\n4,5,6\n", "does not look like a header"),
    "not text": ("t.csv", b"a,b\n\xff\xfe,2\n", "UTF-8"),
    "binary": ("t.csv", b"a,b\n1,\x002\n", "NUL"),
    "not gzip": ("t.csv.gz", b"a,b\n1,2\n", "not gzip"),
    "damaged Parquet": ("t.parquet", b"PAR1secretPAR1", "Parquet"),
    "not JSON": ("t.jsonl", b'{"a": 1}\n{"a": secret}\n', "line 2"),
    "JSON list": ("t.jsonl", b'{"a": 1}\n["secret"]\n', "line 2"),
    "nested JSON": ("t.jsonl", b'{"a": 1}\n{"a": ["secret"]}\n', "line 2"),
    "JSON of nothing": ("t.jsonl", b"{}\n", "no columns|no fields"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_give_one_clear_error(name: str, tmp_path: Path) -> None:
    file, content, message = HOSTILE[name]
    with pytest.raises(InputError, match=message) as caught:
        sordino.read_table(write(tmp_path / file, content))
    assert "secret" not in str(caught.value)


def test_hostile_objects() -> None:
    for source in (3, b"a,b", [], [1], [{"a": [1]}], [{"a": 1}, {"a": "x"}], {"a": 1}, [{1: 2}]):
        with pytest.raises(InputError):
            sordino.read_table(source)
    with pytest.raises(InputError, match="list of texts"):
        sordino.read_table(ROWS, missing="?")
    with pytest.raises(InputError, match="no kind"):
        sordino.read_table(ROWS, kinds={"job": "number"})


def test_hostile_options(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", csv_of())
    with pytest.raises(InputError, match="single character"):
        sordino.read_table(path, delimiter=";;")
    with pytest.raises(InputError, match="no column 'jib'"):
        sordino.read_table(path, kinds={"jib": "text"})
    for address in ("duckdb:x.db", "duckdb:x.db?tabel=a", "duckdb:x.db?table=", f"duckdb:{tmp_path}/no.db?table=a"):
        with pytest.raises(InputError):
            sordino.read_table(address)


def test_random_tables_survive_every_format(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    alphabet = ["a", "é", '"', ",", ";", "b c", "1", "0.5", "∂", "x\ny"]
    for case in range(30):
        rows = int(rng.integers(1, 30))
        cells: dict[str, list[Any]] = {
            "text": ["".join(rng.choice(alphabet, rng.integers(1, 4))).strip() for _ in range(rows)],
            "whole": rng.integers(-5, 200, rows).tolist(),
            "real": (rng.integers(-9, 9, rows) / 4).tolist(),
        }
        for column in cells.values():
            for row in np.flatnonzero(rng.random(rows) < 0.2):
                column[row] = None
        table = sordino.read_table(pa.table({**cells, "id": list(range(rows))}))
        for form in ("csv", "jsonl", "parquet"):
            origin = type(table.origin)(format=form)
            path = tmp_path / f"{case}.{form}"
            write_table(table, path, like=origin)
            assert rows_of(sordino.read_table(path)) == rows_of(table), (case, form)


def test_categories_of_polars_are_texts() -> None:
    import polars as pl

    frame = pl.DataFrame({"a": ["x", None, "y", "x"]})
    for type_ in (pl.Categorical, pl.Enum(["y", "x", "z"])):
        column = sordino.read_table(frame.with_columns(pl.col("a").cast(type_))).column("a")
        assert list(column.cells()) == ["x", None, "y", "x"]


def test_a_dict_of_lists_and_columns_of_one_name() -> None:
    import pandas as pd

    table = sordino.read_table({"a": [1, None], "b": ["x", "y"]})
    assert [table.row(0), table.row(1)] == [("1", "x"), (None, "y")]
    with pytest.raises(InputError, match="differ in length"):
        sordino.read_table({"a": [1], "b": []})
    with pytest.raises(InputError, match="more than one column 'a'"):
        sordino.read_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_numbers_are_shown_as_the_file_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a|b\n1.50|12345678901234567890\n2|1\n")
    table = sordino.read_table(file)
    assert [column.numeric for column in table.columns] == [True, True]
    assert table.row(0) == ("1.50", "12345678901234567890")
    hidden = table.column("a").replaced(np.array([0, 2]), ["*"])
    assert list(hidden.cells()) == ["1.50", "*"], "a cell that is kept stays as it was written"


def test_long_whole_numbers_in_json_are_not_rounded(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"a":12345678901234567890}\n{"a":12345678901234567891}\n{"a":null}\n')
    table = sordino.read_table(file)
    assert list(table.column("a").cells()) == ["12345678901234567890", "12345678901234567891", None]
    write_table(table, tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_text() == file.read_text().replace(":", ": ")


def test_types_of_duckdb_that_arrow_merges_or_lacks_are_texts(tmp_path: Path) -> None:
    """Times of other zones are other values; Arrow would drop the zone, and count them as one."""
    import duckdb

    with duckdb.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE t (a TIMETZ, b INTERVAL, c UNION(n INTEGER, s VARCHAR), d INTEGER)")
        connection.execute("INSERT INTO t VALUES ('12:00:00+00', '1 day', 1, 1), ('12:00:00+05', '2 days', 'x', 2)")
        held = sordino.read_table(connection, table="t")
    for table in (sordino.read_table(f"duckdb:{tmp_path / 'x.db'}?table=t"), held):
        assert [column.kind for column in table.columns] == ["text", "text", "text", "integer"]
        assert [len(column.values) for column in table.columns] == [2, 2, 2, 2]
        assert table.column("b").values == ("1 day", "2 days")
