"""Writing baskets: the same form as they came in, the same records when read back, the same bytes every time."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_baskets, read_like
from sordino.data.write import encoded, file_name, write_baskets, written_form
from sordino.errors import InputError
from tables import examples

RECORDS = [["tea", "whole-milk"], [], ["tea"], ["10", "9", "é"]]
ORIGINS = [
    Origin(format="fimi", layout="fimi"),
    Origin(format="csv", layout="baskets"),
    Origin(format="csv", layout="long", record="user", item="product"),
    Origin(format="csv", layout="long", record="a;b", item="c", delimiter=";"),
    Origin(format="csv", layout="long"),
    Origin(format="parquet", layout="long", record="user", item="product"),
    Origin(format="parquet", layout="list"),
    Origin(format="parquet", layout="list", record="user", item="l"),
    Origin(format="jsonl", layout="list"),
    Origin(format="jsonl", layout="list", item="l"),
    Origin(format="jsonl", layout="list", record="user", item="l"),
    Origin(format="jsonl", layout="list", record="user"),
    Origin(format="jsonl", layout="long", record="user", item="product"),
    Origin(),
    Origin(layout="long", record="user", item="product"),
]


def back(path: Path, baskets: Baskets, like: Origin) -> Baskets:
    form = written_form(baskets, like)
    return read_like(path, form)


@pytest.mark.parametrize("gzipped", [False, True])
@pytest.mark.parametrize("ids", [None, ("x", "w", "y y", "z")])
@pytest.mark.parametrize("like", ORIGINS)
def test_round_trip(tmp_path: Path, like: Origin, ids: tuple[str, ...] | None, gzipped: bool) -> None:
    like = replace(like, gzipped=gzipped)
    baskets = replace(Baskets.from_sets(RECORDS), ids=ids)
    path = tmp_path / file_name(like)
    write_baskets(baskets, path, like=like)
    again = back(path, baskets, like)
    assert [set(record) for record in again] == [set(record) for record in RECORDS]
    assert again.fingerprint == baskets.fingerprint
    assert again.repeated == 0
    form = written_form(baskets, like)
    if form.record is not None:
        assert again.ids == (ids or ("1", "2", "3", "4"))
    for part in ("format", "layout", "record", "item", "gzipped", "delimiter"):
        assert getattr(again.origin, part) == getattr(form, part)


@pytest.mark.parametrize("like", ORIGINS)
def test_same_bytes_every_time(tmp_path: Path, like: Origin) -> None:
    like = replace(like, gzipped=True)
    first = encoded(Baskets.from_sets(RECORDS), like)
    second = encoded(Baskets.from_sets([record[::-1] for record in RECORDS]), replace(like, path="elsewhere"))
    assert first == second
    write_baskets(Baskets.from_sets(RECORDS), tmp_path / "some name", like=like)
    assert (tmp_path / "some name").read_bytes() == first


def test_gzip_has_neither_time_nor_name() -> None:
    data = encoded(Baskets.from_sets([["a"]]), Origin(format="fimi", layout="fimi", gzipped=True))
    assert data[3] == 0  # no flags: no file name
    assert data[4:8] == bytes(4)  # no time
    assert gzip.decompress(data) == b"a\n"


@pytest.mark.parametrize(
    ("like", "text"),
    [
        (ORIGINS[0], "1 2\n\n2\n"),
        (ORIGINS[1], "1,2\n\n2\n"),
        (ORIGINS[2], "user,product\n1,1\n1,2\n2,\n3,2\n"),
        (ORIGINS[3], '"a;b";c\n1;1\n1;2\n2;\n3;2\n'),
        (ORIGINS[8], '["1","2"]\n[]\n["2"]\n'),
        (ORIGINS[10], '{"user":"1","l":["1","2"]}\n{"user":"2","l":[]}\n{"user":"3","l":["2"]}\n'),
        (replace(ORIGINS[8], item_type="integer"), "[1,2]\n[]\n[2]\n"),
        (
            ORIGINS[12],
            '{"user":"1","product":"1"}\n{"user":"1","product":"2"}\n{"user":"2","product":null}\n{"user":"3","product":"2"}\n',
        ),
        (Origin(), '["1","2"]\n[]\n["2"]\n'),
    ],
)
def test_exact_text(like: Origin, text: str) -> None:
    assert encoded(Baskets.from_sets([["2", "1"], [], ["2"]]), like) == text.encode()


def test_quotes_where_needed(tmp_path: Path) -> None:
    baskets = Baskets.from_sets([["salt, fine", 'a "b"', "plain one", "two\nlines"], [], ["#x"]])
    like = Origin(format="csv", layout="baskets")
    assert encoded(baskets, like) == b'"a ""b""",plain one,"salt, fine","two\nlines"\n\n#x\n'
    write_baskets(baskets, tmp_path / "x.csv", like=like)
    assert back(tmp_path / "x.csv", baskets, like).fingerprint == baskets.fingerprint


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        (Origin(), "data.jsonl"),
        (Origin(layout="long"), "data.jsonl"),
        (Origin(format="fimi", layout="fimi"), "data.dat"),
        (Origin(format="fimi", layout="fimi", gzipped=True), "data.dat.gz"),
        (Origin(format="csv", layout="long", gzipped=True), "data.csv.gz"),
        (Origin(format="parquet"), "data.parquet"),
        (Origin(format="jsonl", gzipped=True), "data.jsonl.gz"),
    ],
)
def test_file_name(origin: Origin, name: str) -> None:
    assert file_name(origin) == name


def test_whole_numbers_stay_whole_numbers(tmp_path: Path) -> None:
    source = tmp_path / "x.parquet"
    pq.write_table(pa.table({"tid": [7, 7, 8], "item": [10, 9, None]}), source)
    baskets = read_baskets(source)
    write_baskets(baskets, tmp_path / "y.parquet", like=baskets.origin)
    assert pq.read_table(tmp_path / "y.parquet").to_pydict() == {"tid": [7, 7, 8], "item": [9, 10, None]}
    renamed = replace(baskets, names=("9", "many"), ids=("a", "8"))
    write_baskets(renamed, tmp_path / "y.parquet", like=baskets.origin)
    assert pq.read_table(tmp_path / "y.parquet").to_pydict() == {"tid": ["a", "a", "8"], "item": ["9", "many", None]}


@pytest.mark.parametrize(
    "names", [("9223372036854775808",), ("99999999999999999999",), ("07",), ("-0",), ("-",), ("²",)]
)
def test_numbers_that_are_none_stay_text(tmp_path: Path, names: tuple[str, ...]) -> None:
    baskets = Baskets.from_sets([names])
    like = Origin(format="parquet", layout="list", item="items", item_type="integer")
    write_baskets(baskets, tmp_path / "y.parquet", like=like)
    assert pq.read_table(tmp_path / "y.parquet").to_pydict() == {"items": [list(names)]}


def test_negative_numbers() -> None:
    baskets = read_baskets([[-5, 0, 3]])
    assert json.loads(encoded(baskets, baskets.origin)) == [-5, 0, 3]


def test_frames_become_json_lists() -> None:
    baskets = read_baskets(pd.DataFrame({"user": ["x", "x", "y"], "item": ["a", "b", "a"]}))
    assert encoded(baskets, baskets.origin) == b'{"user":"x","item":["a","b"]}\n{"user":"y","item":["a"]}\n'
    named = read_baskets({"x": ["a"]})
    assert encoded(named, named.origin) == b'{"id":"x","items":["a"]}\n'


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\nb", "a\rb", "a\0b", ""])
def test_names_that_fimi_cannot_hold(name: str) -> None:
    with pytest.raises(InputError, match="FIMI"):
        encoded(Baskets.from_sets([[name]]), Origin(format="fimi", layout="fimi"))


@pytest.mark.parametrize("layout", ["baskets", "long"])
@pytest.mark.parametrize("name", [" a", "a\t", "a\rb", "a\0b", ""])
def test_names_that_csv_cannot_hold(name: str, layout: str) -> None:
    with pytest.raises(InputError, match="CSV"):
        encoded(Baskets.from_sets([[name]]), Origin(format="csv", layout=layout))
    if layout == "long":
        with pytest.raises(InputError, match="CSV"):
            encoded(Baskets.from_sets([["a"]], ids=[name]), Origin(format="csv", layout=layout))


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_ids_that_would_merge_records(format_: str) -> None:
    with pytest.raises(InputError, match="repeat"):
        encoded(Baskets.from_sets([["a"], ["b"]], ids=["x", "x"]), Origin(format=format_, layout="long"))


def test_impossible_form_and_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="layout 'list'"):
        encoded(Baskets.from_sets([["a"]]), Origin(format="csv", layout="list"))
    with pytest.raises(InputError, match="cannot be written"):
        write_baskets(Baskets.from_sets([["a"]]), tmp_path / "no" / "x", like=Origin())


NAMES = {
    "fimi": st.text(
        st.characters(exclude_characters=" \t\n\v\f\r\0", exclude_categories=["Cs"]), min_size=1, max_size=4
    ),
    "csv": st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), min_size=1, max_size=4).filter(
        lambda name: name == name.strip(" \t\n\v\f\r")
    ),
    "any": st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4),
}


@pytest.mark.parametrize("like", ORIGINS)
@settings(max_examples=examples(40), deadline=None, derandomize=True)
@given(data=st.data())
def test_any_names_come_back(tmp_path_factory: pytest.TempPathFactory, like: Origin, data: Any) -> None:
    names = NAMES.get(like.format, NAMES["any"]) | st.sampled_from(
        ['"', ",", ";", "\ufeff", "[", "null", "0", "07", "#"]
    )
    records = data.draw(st.lists(st.sets(names, max_size=4), min_size=1, max_size=5))
    keys = NAMES["csv"] if like.format == "csv" else NAMES["any"]
    ids = data.draw(st.none() | st.lists(keys, min_size=len(records), max_size=len(records), unique=True))
    baskets = Baskets.from_sets(records, ids=ids)
    path = tmp_path_factory.getbasetemp() / file_name(like)
    write_baskets(baskets, path, like=like)
    again = back(path, baskets, like)
    assert [set(record) for record in again] == records
    assert again.names == baskets.names
    if written_form(baskets, like).record is not None and ids is not None:
        assert again.ids == tuple(ids)
