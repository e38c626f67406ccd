"""Reading baskets: every format and layout, and every way in which a source can be bad."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.data.sources import bytes as opening
from sordino.data.sources import text as text_source
from sordino.errors import InputError

SECRET = "zebra"  # an item that stands in every bad file: no error text may show it
DATA = Path(os.environ.get("SORDINO_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


def sets(baskets: Baskets) -> list[set[str]]:
    return [set(record) for record in baskets]


@pytest.fixture
def put(tmp_path: Path) -> Any:
    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def parquet(tmp_path: Path) -> Any:
    def write(columns: dict[str, Any], name: str = "x.parquet") -> Path:
        path = tmp_path / name
        pq.write_table(pa.table(columns), path)
        return path

    return write


def refused(source: object, **stated: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_baskets(source, **stated)
    folder = str(source.parent) if isinstance(source, Path) else ""  # pytest names it after the test
    assert SECRET not in str(caught.value).removeprefix(folder)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


class TestFimi:
    def test_records_codes_and_origin(self, put: Any) -> None:
        content = b"10 9 2\n\n9\n"
        path = put("x.dat", content)
        baskets = read_baskets(path)
        assert baskets.names == ("2", "9", "10")
        assert baskets.indptr.tolist() == [0, 3, 3, 4]
        assert baskets.items.tolist() == [0, 1, 2, 1]
        assert baskets.ids is None
        origin = baskets.origin
        assert (origin.format, origin.layout, origin.gzipped, origin.path) == ("fimi", "fimi", False, str(path))
        assert origin.sha256 == hashlib.sha256(content).hexdigest()

    def test_path_as_text(self, put: Any) -> None:
        assert sets(read_baskets(str(put("x.dat", "1 2\n")))) == [{"1", "2"}]

    @pytest.mark.parametrize(
        "content", [b"1 2\n3", b"1 2\n3\n", b"1 2\r\n3\r\n", b"\xef\xbb\xbf1 2\n3\n", b" 1\t 2 \n3 \n"]
    )
    def test_same_records_however_the_lines_end(self, put: Any, content: bytes) -> None:
        baskets = read_baskets(put("x.dat", content))
        assert sets(baskets) == [{"1", "2"}, {"3"}]
        assert baskets.names == ("1", "2", "3")

    def test_empty_lines_are_records_and_a_final_newline_is_not(self, put: Any) -> None:
        assert sets(read_baskets(put("x.dat", "\n1\n\n\n"))) == [set(), {"1"}, set(), set()]
        assert sets(read_baskets(put("x.dat", "\n"))) == [set()]
        assert sets(read_baskets(put("x.dat", "  \n1"))) == [set(), {"1"}]

    def test_repeats_count_once_and_are_reported(self, put: Any) -> None:
        baskets = read_baskets(put("x.dat", "1 1 2 1\n2 2\n"))
        assert sets(baskets) == [{"1", "2"}, {"2"}]
        assert baskets.repeated == 3

    def test_names_are_text(self, put: Any) -> None:
        assert read_baskets(put("x.dat", "b é 07 7\n")).names == ("07", "7", "b", "é")
        assert read_baskets(put("x.dat", "10 07 7\n")).names == ("07", "7", "10")

    def test_numbers_of_any_length_have_an_order(self, put: Any) -> None:
        long = "9" * 5000
        assert read_baskets(put("x.dat", f"{long} 1{'0' * 5000} 3\n")).names == ("3", long, "1" + "0" * 5000)

    def test_gzip(self, put: Any) -> None:
        content = gzip.compress(b"1 2\n")
        baskets = read_baskets(put("x.dat.gz", content))
        assert sets(baskets) == [{"1", "2"}]
        assert baskets.origin.gzipped
        assert baskets.origin.format == "fimi"
        assert baskets.origin.sha256 == hashlib.sha256(content).hexdigest()

    @pytest.mark.parametrize("block", [1, 4, 7, 1000])
    def test_blocks_do_not_show(self, put: Any, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
        monkeypatch.setattr(text_source, "BLOCK", block)
        assert sets(read_baskets(put("x.dat", "1 22\n\n333 1\n22"))) == [{"1", "22"}, set(), {"333", "1"}, {"22"}]
        assert sets(read_baskets(put("x.csv", "a b,c\n\n\nc, a b\n"))) == [{"a b", "c"}, set(), set(), {"c", "a b"}]

    def test_stated_layout_goes_before_the_name(self, put: Any) -> None:
        baskets = read_baskets(put("x.csv", "a,b c\n"), layout="fimi")
        assert sets(baskets) == [{"a,b", "c"}]
        assert baskets.origin.format == "fimi"


class TestBasketCsv:
    def test_names_with_blanks_inside(self, put: Any) -> None:
        baskets = read_baskets(put("x.csv", "whole milk,rolls\n\n rolls , tea\t,,\n,\n"))
        assert sets(baskets) == [{"whole milk", "rolls"}, set(), {"rolls", "tea"}, set()]
        assert baskets.names == ("rolls", "tea", "whole milk")
        assert (baskets.origin.format, baskets.origin.layout) == ("csv", "baskets")
        assert baskets.repeated == 0

    def test_names_that_differ_by_blanks_are_one(self, put: Any) -> None:
        baskets = read_baskets(put("x.csv", "a, a,b\n"))
        assert sets(baskets) == [{"a", "b"}]
        assert baskets.repeated == 1

    def test_quotes(self, put: Any) -> None:
        text = '"salt, fine", tea ,"say ""hi"""\n\n  \n5" pipe, "a\nb"\ntea\n'
        assert sets(read_baskets(put("x.csv", text))) == [
            {"salt, fine", "tea", 'say "hi"'},
            set(),
            set(),
            {'5" pipe', "a\nb"},
            {"tea"},
        ]

    @pytest.mark.parametrize("text", ['a\n"b,zebra\nc\n', 'a\n"b"zebra,c\n'])
    def test_bad_quotes(self, put: Any, text: str) -> None:
        error = refused(put("x.csv", text))
        assert "quotes" in error.what
        assert error.where is not None
        assert "x.csv, line " in error.where

    def test_a_header_needs_one_name_of_each_sort(self, put: Any) -> None:
        assert sets(read_baskets(put("x.csv", "tea,item\nmilk,tea\n"))) == [{"tea", "item"}, {"milk", "tea"}]
        assert sets(read_baskets(put("x.csv", "id,user\nmilk,tea\n")))[0] == {"id", "user"}

    def test_baskets_stated_where_a_header_would_be_seen(self, put: Any) -> None:
        path = put("x.csv", "tid,item\n1,tea\n")
        assert sets(read_baskets(path, layout="baskets")) == [{"tid", "item"}, {"1", "tea"}]
        assert len(read_baskets(path)) == 1

    def test_gzip_and_crlf(self, put: Any) -> None:
        assert sets(read_baskets(put("x.csv.gz", gzip.compress(b"a b,c\r\nd\r\n")))) == [{"a b", "c"}, {"d"}]


class TestLongCsv:
    def test_order_of_first_appearance(self, put: Any) -> None:
        baskets = read_baskets(put("x.csv", "tid,item\nz,tea\na,milk\nz,milk\nz,tea\n"))
        assert baskets.ids == ("z", "a")
        assert sets(baskets) == [{"tea", "milk"}, {"milk"}]
        assert baskets.repeated == 1
        origin = baskets.origin
        assert (origin.format, origin.layout, origin.record, origin.item) == ("csv", "long", "tid", "item")

    @pytest.mark.parametrize(
        "header",
        [
            "Transaction_ID,Product",
            "customer,item_id",
            "patient id,Diagnosis",
            "OrderNo,SKU",
            "basket,items",
            "id,article",
        ],
    )
    def test_known_headers(self, put: Any, header: str) -> None:
        baskets = read_baskets(put("x.csv", f"{header}\n1,tea\n"))
        assert baskets.ids == ("1",)
        assert sets(baskets) == [{"tea"}]

    def test_columns_in_the_other_order(self, put: Any) -> None:
        baskets = read_baskets(put("x.csv", "product,user\ntea,1\n"))
        assert (baskets.ids, sets(baskets)) == (("1",), [{"tea"}])

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_empty_item_declares_the_record(self, put: Any, quote: str) -> None:
        text = f"tid,item\n1,\n{quote}2{quote},tea\n3,  \n2,\n"
        baskets = read_baskets(put("x.csv", text))
        assert baskets.ids == ("1", "2", "3")
        assert sets(baskets) == [set(), {"tea"}, set()]

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_missing_record_id_names_the_line(self, put: Any, quote: str) -> None:
        error = refused(put("x.csv", f"tid,item\n{quote}1{quote},tea\n\n ,zebra\n"))
        assert error.where is not None
        assert error.where.endswith("x.csv, line 4")
        assert "record id" in error.what

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_ragged_row_names_the_line(self, put: Any, quote: str) -> None:
        error = refused(put("x.csv", f"tid,item\n{quote}1{quote},tea\n\n2,tea,zebra\n"))
        assert error.where is not None
        assert error.where.endswith("x.csv, line 4")
        assert "wrong columns" in error.what

    def test_quoted_fields_and_blanks(self, put: Any) -> None:
        baskets = read_baskets(put("x.csv", '"tid","item"\n1 ,"salt, fine"\n 1,tea \n'))
        assert (baskets.ids, sets(baskets)) == (("1",), [{"salt, fine", "tea"}])

    def test_text_na_is_an_item(self, put: Any) -> None:
        assert sets(read_baskets(put("x.csv", "tid,item\n1,NA\n1,null\n"))) == [{"NA", "null"}]

    @pytest.mark.parametrize("mark", [";", "\t"])
    def test_other_delimiters(self, put: Any, mark: str) -> None:
        baskets = read_baskets(put("x.csv", f"tid{mark}item\n1{mark}a,b\n"))
        assert sets(baskets) == [{"a,b"}]
        assert baskets.origin.delimiter == mark

    def test_stated_columns_of_a_wide_table(self, put: Any) -> None:
        path = put("x.csv", "when,who,what\nmon,7,tea\ntue,7,milk\n")
        baskets = read_baskets(path, record="who", item="what")
        assert (baskets.ids, sets(baskets)) == (("7",), [{"tea", "milk"}])
        assert (baskets.origin.record, baskets.origin.item) == ("who", "what")

    def test_one_stated_column_of_two(self, put: Any) -> None:
        assert read_baskets(put("x.csv", "what,who\ntea,7\n"), record="who").names == ("tea",)
        assert read_baskets(put("x.csv", "what,who\ntea,7\n"), item="what").ids == ("7",)

    def test_two_unknown_columns_stated_long(self, put: Any) -> None:
        assert read_baskets(put("x.csv", "a,b\n1,tea\n"), layout="long").ids == ("1",)

    def test_ambiguous_columns_are_listed(self, put: Any) -> None:
        error = refused(put("x.csv", "when,user,order,product\nmon,1,2,zebra\n"), layout="long")
        assert "when, user, order, product" in error.what
        assert "--record" in str(error)
        assert "--item" in str(error)

    def test_a_probable_wide_header_is_not_taken_for_a_basket(self, put: Any) -> None:
        error = refused(put("x.csv", "user,item,price\n1,zebra,3\n"))
        assert "header" in error.what
        assert len(read_baskets(put("x.csv", "user,item,price\n1,tea,3\n"), layout="baskets")) == 2

    def test_unknown_column(self, put: Any) -> None:
        error = refused(put("x.csv", "customer,item\n1,zebra\n"), record="custmer")
        assert "Did you mean 'customer'?" in str(error)

    @pytest.mark.parametrize(
        ("header", "row"), [(",user,item", "0,1,a"), ("user,item,", "1,a,"), ("user,item,,", "1,a,,")]
    )
    def test_a_column_without_a_name_does_not_count(self, put: Any, header: str, row: str) -> None:
        path = put("d.csv", f"{header}\n{row}\n".encode())
        for stated in ({}, {"record": "user", "item": "item"}, {"layout": "long"}):
            baskets = read_baskets(path, **stated)
            assert (sets(baskets), baskets.ids) == ([{"a"}], ("1",))

    def test_stated_columns_may_stand_beside_numbers(self, put: Any) -> None:
        path = put("d.csv", b"user,item,2024\n1,a,x\n")
        assert sets(read_baskets(path, record="user", item="item")) == [{"a"}]

    def test_one_column_twice(self, put: Any) -> None:
        assert "both" in refused(put("x.csv", "a,b\n1,zebra\n"), record="a", item="a").what
        assert "more than one column 'a'" in refused(put("x.csv", "a,a,b\n1,2,zebra\n"), record="a", item="b").what

    def test_a_first_line_of_numbers_is_no_header(self, put: Any) -> None:
        assert "header" in refused(put("x.csv", "1,zebra\n2,zebra\n"), layout="long").what

    @pytest.mark.parametrize("body", ["tea,x,zebra\n", 'tea,x,"zebra"', "x, zebra ,y\n"])
    def test_a_record_in_the_place_of_the_header_is_not_shown(self, put: Any, body: str) -> None:
        path = put("x.csv", "zebra,milk,bread\n" + body)
        assert "does not look like a header" in refused(path, layout="long").what
        assert "does not look like a header" in refused(path, record="tid").what
        assert "does not look like a header" in refused(path, record="tid", item="item").what

    def test_header_only(self, put: Any) -> None:
        assert "no records" in refused(put("x.csv", "tid,item\n")).what
        assert "no records" in refused(put("x.csv", '"tid","item"\n')).what

    def test_many_rows(self, put: Any) -> None:
        rows = "".join(f"{k % 5000},i{k % 7}\n" for k in range(200_000))
        baskets = read_baskets(put("x.csv", "tid,item\n" + rows))
        assert len(baskets) == 5000
        assert baskets.occurrences + baskets.repeated == 200_000
        assert set(baskets.record(3)) == {f"i{k % 7}" for k in range(3, 200_000, 5000)}


class TestParquet:
    def test_long(self, parquet: Any) -> None:
        baskets = read_baskets(parquet({"tid": [2, 1, 2, 3], "item": ["tea", "milk", "milk", None]}))
        assert baskets.ids == ("2", "1", "3")
        assert sets(baskets) == [{"tea", "milk"}, {"milk"}, set()]
        origin = baskets.origin
        assert (origin.format, origin.layout, origin.record, origin.item) == ("parquet", "long", "tid", "item")
        assert (origin.record_type, origin.item_type) == ("integer", "text")

    def test_whole_numbers_by_their_decimal_text(self, parquet: Any) -> None:
        items = pa.array([10, 9, 2**63], type=pa.uint64())
        assert read_baskets(parquet({"a": ["x"] * 3, "b": items})).names == ("9", "10", str(2**63))

    def test_list(self, parquet: Any) -> None:
        baskets = read_baskets(parquet({"items": [["b", "a", "b"], [], None, ["a", None, ""]]}))
        assert sets(baskets) == [{"a", "b"}, set(), set(), {"a"}]
        assert (baskets.ids, baskets.repeated, baskets.origin.layout) == (None, 1, "list")
        assert (baskets.origin.record, baskets.origin.item) == (None, "items")

    def test_list_with_ids(self, parquet: Any) -> None:
        baskets = read_baskets(parquet({"what": [[2, 10], [2]], "who": ["x", "x"]}))
        assert (baskets.ids, baskets.names, len(baskets)) == (("x", "x"), ("2", "10"), 2)

    def test_list_with_further_columns(self, parquet: Any) -> None:
        columns = {"age": [1, 2], "user": ["x", "y"], "l": [["a"], ["b"]]}
        assert read_baskets(parquet(columns)).ids == ("x", "y")
        assert read_baskets(parquet(columns), record="age").ids == ("1", "2")
        del columns["user"]
        assert read_baskets(parquet({**columns, "size": [1, 2]})).ids is None

    def test_which_list(self, parquet: Any) -> None:
        path = parquet({"a": [["x"]], "b": [["y"]]})
        assert sets(read_baskets(path, item="b")) == [{"y"}]
        assert "a, b" in refused(path).what
        assert sets(read_baskets(parquet({"a": [["x"]], "items": [["y"]]}))) == [{"y"}]

    @pytest.mark.parametrize("chunked", [False, True])
    @pytest.mark.parametrize(
        "type_",
        [
            pa.list_(pa.string()),
            pa.large_list(pa.large_string()),
            pa.list_(pa.string(), 2),
            pa.list_view(pa.string()),
            pa.large_list_view(pa.string()),
            pa.list_(pa.string_view()),
            pa.list_(pa.dictionary(pa.int32(), pa.string())),
        ],
        ids=str,
    )
    def test_every_kind_of_list(self, type_: pa.DataType, chunked: bool) -> None:
        column = pa.array([["a", "b"], None, ["b", "c"]], type=type_)
        if chunked:
            column = pa.chunked_array([column.slice(0, 1), column.slice(1)])
        assert sets(read_baskets(pa.table({"items": column}))) == [{"a", "b"}, set(), {"b", "c"}]
        assert sets(read_baskets(pa.table({"items": column.slice(1)}))) == [set(), {"b", "c"}]

    def test_a_column_name_with_a_dot(self, parquet: Any) -> None:
        assert read_baskets(parquet({"t.id": ["1"], "an.item": ["tea"]})).names == ("tea",)

    def test_the_unnamed_index_of_pandas_is_no_column(self, tmp_path: Path) -> None:
        frame = pd.DataFrame({"p": list("wxyz"), "q": list("abcd")}).iloc[[0, 2, 3]]
        frame.to_parquet(tmp_path / "x.parquet")
        assert "__index_level_0__" in pq.read_schema(tmp_path / "x.parquet").names
        assert sets(read_baskets(tmp_path / "x.parquet")) == [{"a"}, {"c"}, {"d"}]

    @pytest.mark.parametrize(
        ("values", "word"),
        [
            ([1.5, 2.0], "double"),
            ([True, False], "bool"),
            (pa.array([1, 2], type=pa.timestamp("s")), "timestamp"),
            ([b"zebra", b"x"], "binary"),
            ([{"zebra": 1}, {"zebra": 2}], "struct"),
        ],
    )
    def test_items_of_a_wrong_type(self, parquet: Any, values: Any, word: str) -> None:
        if word == "struct":
            with pytest.raises(InputError, match="wrong type"):
                read_baskets(parquet({"tid": [1, 2], "item": values}))
            return
        error = refused(parquet({"tid": [1, 2], "item": values}))
        assert "wrong type" in error.what
        assert word in error.what
        assert error.hint

    def test_floating_lists_and_nested_lists(self, parquet: Any) -> None:
        assert "wrong type" in refused(parquet({"items": [[1.5]]})).what
        assert "nested lists" in refused(parquet({"items": [[["zebra"]]]})).what

    def test_missing_record_id_names_the_row(self, parquet: Any) -> None:
        for columns in (
            {"tid": ["1", None], "item": ["a", "zebra"]},
            {"tid": ["1", None], "items": [["a"], ["zebra"]]},
        ):
            error = refused(parquet(columns))
            assert error.where is not None
            assert error.where.endswith("x.parquet, row 2")

    def test_layout_stated_against_the_columns(self, parquet: Any) -> None:
        assert "lists" in refused(parquet({"a": ["x"], "b": [["zebra"]]}), layout="long").what
        assert "does not hold lists" in refused(parquet({"a": ["x"], "b": [["zebra"]]}), layout="list", item="a").what
        assert "does not fit" in refused(parquet({"a": [["zebra"]]}), layout="fimi").what

    def test_did_you_mean(self, parquet: Any) -> None:
        error = refused(parquet({"patient": ["x"], "diagnosis": ["zebra"]}), item="diagnoses")
        assert "Did you mean 'diagnosis'?" in str(error)

    def test_no_rows(self, parquet: Any) -> None:
        assert (
            "no records" in refused(parquet({"tid": pa.array([], pa.string()), "item": pa.array([], pa.string())})).what
        )

    def test_damaged(self, parquet: Any, put: Any) -> None:
        whole = parquet({"tid": ["1"] * 500, "item": [SECRET] * 500}).read_bytes()
        for damaged in (whole[: len(whole) // 2], b"PAR1", whole[:4] + bytes(60) + whole[64:], b"tid,item\n1,zebra\n"):
            assert "Parquet" in refused(put("bad.parquet", damaged)).what
        assert "Parquet" in refused(put("bad.unknown", whole[:200])).what

    def test_gzip_and_unknown_extension(self, parquet: Any, put: Any) -> None:
        whole = parquet({"tid": ["1"], "item": ["tea"]}).read_bytes()
        assert read_baskets(put("x.parquet.gz", gzip.compress(whole))).origin.gzipped
        assert read_baskets(put("x.bin", whole)).origin.format == "parquet"


class TestJsonLines:
    def test_arrays(self, put: Any) -> None:
        baskets = read_baskets(put("x.jsonl", '["b", "a", "b"]\n[]\n\n[null, "", "c\\u00e9"]\n'))
        assert sets(baskets) == [{"a", "b"}, set(), {"cé"}]
        assert (baskets.repeated, baskets.ids) == (1, None)
        assert (baskets.origin.format, baskets.origin.layout, baskets.origin.item) == ("jsonl", "list", None)

    def test_whole_numbers(self, put: Any) -> None:
        baskets = read_baskets(put("x.ndjson", "[10, 9]\n"))
        assert baskets.names == ("9", "10")
        assert baskets.origin.item_type == "integer"

    def test_objects_with_a_list(self, put: Any) -> None:
        baskets = read_baskets(put("x.jsonl", '{"user": 7, "bought": ["a"]}\n{"bought": null, "user": 8}\n'))
        assert (baskets.ids, sets(baskets)) == (("7", "8"), [{"a"}, set()])
        assert (baskets.origin.record, baskets.origin.item) == ("user", "bought")
        assert sets(read_baskets(put("x.jsonl", '{"bought": ["a"]}\n'))) == [{"a"}]

    def test_objects_in_the_long_layout(self, put: Any) -> None:
        text = '{"tid": "z", "item": "a", "n": 1.5}\n{"tid": "y", "item": null}\n{"tid": "z", "item": "b"}\n'
        baskets = read_baskets(put("x.jsonl.gz", gzip.compress(text.encode())))
        assert (baskets.ids, sets(baskets), baskets.origin.layout) == (("z", "y"), [{"a", "b"}, set()], "long")

    @pytest.mark.parametrize(
        ("text", "line", "word"),
        [
            ('["a"]\n["zebra"\n', 2, "well-formed"),
            ('["a"]\n\n["zebra"] x\n', 3, "well-formed"),
            ('["a"]\n[["zebra"]]\n', 2, "nested"),
            ('["a"]\n[{"zebra": 1}]\n', 2, "nested"),
            ("[" * 100_000 + "\n", 1, "nested"),
            ('["zebra"]\n["x", 1]\n', 2, "mixed types"),
            ("[1]\n[true]\n", 2, "wrong type"),
            ("[1]\n[1.0]\n", 2, "wrong type"),
            ("[1]\n[NaN]\n", 2, "wrong type"),
            ('["zebra"]\n{"items": ["zebra"]}\n', 2, "mixed types"),
            ('"zebra"\n', 1, "neither"),
            ('{"id": 1, "items": ["a"]}\n{"id": 2}\n', 2, "'items' is missing"),
            ('{"id": 1, "items": ["a"]}\n{"id": 2, "items": "zebra"}\n', 2, "not a list"),
            ('{"id": 1, "items": ["a"]}\n{"id": null, "items": ["zebra"]}\n', 2, "record id is missing"),
            ('{"id": 1, "item": "a"}\n{"id": null, "item": "zebra"}\n', 2, "record id is missing"),
            ('{"id": 1, "item": "a"}\n{"id": "zebra", "item": "b"}\n', 2, "mixed types"),
            ('{"id": 1, "item": "zebra"}\n{"id": 1, "item": 2}\n', 2, "mixed types"),
        ],
    )
    def test_bad_lines(self, put: Any, text: str, line: int, word: str) -> None:
        error = refused(put("x.jsonl", text))
        assert word in error.what
        assert error.where is not None
        assert error.where.endswith(f"x.jsonl, line {line}")

    def test_half_a_surrogate_pair(self, put: Any) -> None:
        assert "Unicode" in refused(put("x.jsonl", '["zebra\\ud800"]\n')).what

    def test_columns_where_there_are_none(self, put: Any) -> None:
        assert "no columns" in refused(put("x.jsonl", '["zebra"]\n'), item="item").what

    def test_unknown_field(self, put: Any) -> None:
        error = refused(put("x.jsonl", '{"customer": 1, "item": "zebra"}\n'), record="custmer")
        assert "Did you mean 'customer'?" in str(error)


class TestRecognition:
    @pytest.mark.parametrize(
        ("content", "form"),
        [
            (b"1 2\n3\n", ("fimi", "fimi")),
            (b"a b,c\n", ("csv", "baskets")),
            (b"tid,item\n1,tea\n", ("csv", "long")),
            (b"tid;item\n1;tea\n", ("csv", "long")),
            (b'["a"]\n', ("jsonl", "list")),
            (b'\xef\xbb\xbf{"tid": 1, "item": "a"}\n', ("jsonl", "long")),
        ],
    )
    @pytest.mark.parametrize("zipped", [False, True])
    def test_content_tells(
        self, put: Any, monkeypatch: pytest.MonkeyPatch, content: bytes, form: tuple[str, str], zipped: bool
    ) -> None:
        content = gzip.compress(content) if zipped else content
        named = read_baskets(put("x.unknown", content))
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        piped = read_baskets("-")
        for baskets in (named, piped):
            assert (baskets.origin.format, baskets.origin.layout, baskets.origin.gzipped) == (*form, zipped)
        assert piped.origin.path == "-"
        assert piped.origin.sha256 == hashlib.sha256(content).hexdigest()
        assert piped.fingerprint == named.fingerprint

    def test_parquet_on_standard_input(self, parquet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        content = parquet({"tid": ["1"], "item": ["tea"]}).read_bytes()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert sets(read_baskets("-")) == [{"tea"}]

    def test_errors_on_standard_input_say_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b'["zebra"]\n[')))
        assert refused("-").where == "standard input, line 2"

    def test_stated_columns_make_it_long(self, put: Any) -> None:
        assert read_baskets(put("x.txt", "a b\n1 tea\n".replace(" ", ";")), record="a", item="b").ids == ("1",)

    def test_layouts_that_do_not_fit(self, put: Any) -> None:
        assert "Did you mean 'baskets'?" in refused(put("x.csv", SECRET), layout="basket").what
        assert "does not fit" in refused(put("x.csv", SECRET), layout="list").what
        assert "does not fit" in refused(put("x.jsonl", '["zebra"]'), layout="baskets").what
        assert "no columns" in refused(put("x.dat", SECRET), record="a").what
        assert "no columns" in refused(put("x.csv", SECRET), layout="baskets", item="a").what

    def test_one_content_in_every_form(self, put: Any, parquet: Any) -> None:
        """Names, codes and fingerprint depend on the content only."""
        read = [
            read_baskets(put("x.dat", "10 9\n\n9 2\n")),
            read_baskets(put("x.csv", "10,9\n\n9,2\n")),
            read_baskets(put("y.csv", "tid,item\na,10\na,9\nb,\nc,9\nc,2\n")),
            read_baskets(put("x.jsonl", "[10, 9]\n[]\n[9, 2]\n")),
            read_baskets(parquet({"items": [["10", "9"], [], ["9", "2"]]})),
            read_baskets(sp.csr_array(([1, 1, 1, 1], ([0, 0, 2, 2], [10, 9, 9, 2])), shape=(3, 12))),
            read_baskets([{10, 9}, [], (9, 2)]),
            read_baskets(pl.DataFrame({"items": [[10, 9], [], [9, 2]]})),
        ]
        assert {baskets.names for baskets in read} == {("2", "9", "10")}
        assert {tuple(baskets.items.tolist()) for baskets in read} == {(1, 2, 0, 1)}
        assert {tuple(baskets.indptr.tolist()) for baskets in read} == {(0, 2, 2, 4)}
        assert len({baskets.fingerprint for baskets in read}) == 1


class TestBadBytes:
    @pytest.mark.parametrize("name", ["x.dat", "x.csv", "x.jsonl", "x.unknown", "x.parquet"])
    def test_empty_file(self, put: Any, name: str) -> None:
        assert "no records" in refused(put(name, b"")).what
        assert "no records" in refused(put(name + ".gz", gzip.compress(b""))).what
        assert "no records" in refused(put(name + ".gz", b"")).what

    def test_only_a_byte_order_mark(self, put: Any) -> None:
        assert "no records" in refused(put("x.dat", b"\xef\xbb\xbf")).what

    def test_empty_file_stated_long(self, put: Any) -> None:
        assert "no records" in refused(put("x.csv", b""), layout="long").what

    def test_gzip_cut_short_or_damaged(self, put: Any) -> None:
        whole = gzip.compress(b"zebra 1 2\n" * 1000)
        assert "cut short" in refused(put("x.dat.gz", whole[:-9])).what
        assert "cut short" in refused(put("x.dat.gz", whole[:5])).what
        assert "damaged" in refused(put("x.dat.gz", whole[:-8] + bytes(8))).what
        assert "damaged" in refused(put("x.dat.gz", whole[:10] + b"\xff" * 20)).what
        assert "not gzip" in refused(put("x.dat.gz", b"zebra\n")).what

    @pytest.mark.parametrize("name", ["x.dat", "x.csv", "x.jsonl"])
    def test_nul_byte(self, put: Any, name: str) -> None:
        error = refused(put(name, b"zebra\nzebra\nze\0bra\n"))
        assert "binary" in error.what
        assert error.where is not None
        assert error.where.endswith(f"{name}, line 3")

    @pytest.mark.parametrize("name", ["x.dat", "x.csv", "x.jsonl"])
    def test_invalid_utf8(self, put: Any, name: str) -> None:
        error = refused(put(name, b"\xef\xbb\xbfzebra\r\nzebra \xe9t\xe9\r\n"))
        assert "UTF-8" in error.what
        assert "Save the file as UTF-8" in str(error)
        assert error.where is not None
        assert error.where.endswith(f"{name}, line 2")

    def test_utf16(self, put: Any) -> None:
        assert "UTF-16" in refused(put("x.csv", "zebra,a\n".encode("utf-16"))).what

    def test_bare_carriage_return(self, put: Any) -> None:
        error = refused(put("x.dat", b"zebra\r\n1\r2\r"))
        assert "carriage return" in error.what
        assert error.where is not None
        assert error.where.endswith("line 2")

    def test_line_limit(self, put: Any) -> None:
        limit = opening.LINE_LIMIT
        assert limit == 10_000_000
        path = put("x.dat", b"1\n2 " + b"3" * (limit - 2) + b"\n4\n")
        error = refused(path)
        assert "10,000,000" in error.what
        assert error.where is not None
        assert error.where.endswith("x.dat, line 2")
        path.write_bytes(b"1\n2 " + b"3" * (limit - 3) + b"\n4\n")
        assert len(read_baskets(path)) == 3

    def test_overlong_last_line_without_newline(self, put: Any) -> None:
        error = refused(put("x.csv", b"1\n" + b"3" * opening.LINE_LIMIT))
        assert error.where is not None
        assert error.where.endswith("line 2")

    def test_missing_file(self, put: Any) -> None:
        path = put("retail.dat", "1\n")
        error = refused(path.with_name("retial.dat"))
        assert "no such file" in error.what
        assert "Did you mean 'retail.dat'?" in error.what
        assert "no such file" in refused(path.parent / "nowhere" / "x.dat").what

    def test_folder(self, tmp_path: Path) -> None:
        assert "folder" in refused(tmp_path).what

    def test_unusable_name(self) -> None:
        assert "file name" in refused("a\0b").what

    @pytest.mark.parametrize(
        ("raised", "word"), [(PermissionError(13, "x"), "permission"), (OSError(5, "I/O error"), "I/O error")]
    )
    def test_unreadable_file(self, put: Any, monkeypatch: pytest.MonkeyPatch, raised: OSError, word: str) -> None:
        def fail(_: Path) -> bytes:
            raise raised

        path = put("x.dat", SECRET)
        monkeypatch.setattr(Path, "read_bytes", fail)
        assert word in refused(path).what


class TestFrames:
    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
    def test_long_and_list(self, make: Any) -> None:
        long = read_baskets(make({"user": ["z", "a", "z", "e"], "item": ["b", "a", "a", None]}))
        assert (long.ids, sets(long)) == (("z", "a", "e"), [{"a", "b"}, {"a"}, set()])
        origin = long.origin
        assert (origin.format, origin.layout, origin.record, origin.item) == ("memory", "long", "user", "item")
        assert (origin.path, origin.sha256) == (None, None)
        lists = read_baskets(make({"id": [5, 6], "l": [[2, 10, 2], []]}))
        assert (lists.ids, sets(lists), lists.repeated) == (("5", "6"), [{"2", "10"}, set()], 1)
        assert read_baskets(make({"a": ["1"], "b": ["x"], "c": ["y"]}), record="a", item="c").names == ("y",)

    def test_record_batch_and_capsule_only(self) -> None:
        batch = pa.record_batch({"tid": ["1"], "item": ["a"]})
        assert sets(read_baskets(batch)) == [{"a"}]

        class Array:
            def __arrow_c_array__(self, requested_schema: object = None) -> Any:
                return batch.__arrow_c_array__(requested_schema)

        class Stream:
            def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
                return pa.table(batch).__arrow_c_stream__(requested_schema)

        assert sets(read_baskets(Array())) == sets(read_baskets(Stream())) == [{"a"}]

    def test_pandas_index_and_categories(self) -> None:
        frame = pd.DataFrame({"tid": [1, 1, 2], "item": pd.Categorical(["a", "b", "c"])})
        assert sets(read_baskets(frame[frame.item != "b"])) == [{"a"}, {"c"}]
        assert read_baskets(frame[frame.item != "b"]).names == ("a", "c")
        assert read_baskets(frame.set_index("tid")).ids == ("1", "2")

    def test_polars_categories_and_chunks(self) -> None:
        part = pl.DataFrame({"tid": ["x", "y"], "item": ["a", "b"]})
        both = pl.concat([part, part.with_columns(item=pl.lit("c"))], rechunk=False)
        assert sets(read_baskets(both)) == [{"a", "c"}, {"b", "c"}]
        assert sets(read_baskets(both.with_columns(pl.col("item").cast(pl.Categorical)))) == [{"a", "c"}, {"b", "c"}]

    def test_mixed_types(self) -> None:
        frame = pd.DataFrame({"tid": [1, 2], "item": pd.Series([SECRET, 1], dtype=object)})
        assert "mixed types" in refused(frame).what
        frame = pd.DataFrame({"items": pd.Series([[SECRET], [1]], dtype=object)})
        assert "mixed types" in refused(frame).what

    def test_wrong_types(self) -> None:
        error = refused(pd.DataFrame({"tid": [1, 2], "item": [1.0, None]}))
        assert "wrong type" in error.what
        assert "Int64" in str(error)
        assert "wrong type" in refused(pl.DataFrame({"tid": [1.5], "item": [SECRET]})).what

    def test_missing_id_names_the_row(self) -> None:
        assert refused(pl.DataFrame({"tid": ["1", None], "item": ["a", SECRET]})).where == "row 2"

    def test_columns(self) -> None:
        frame = pl.DataFrame({"x": ["1"], "y": ["a"], "when": [SECRET]})
        assert "x, y, when" in refused(frame).what
        assert "Did you mean 'when'?" in refused(frame, record="whem", item="y").what
        assert "cannot have the layout" in refused(frame, layout="fimi").what
        double = pa.table([pa.array(["a"]), pa.array(["b"])], names=["x", "x"])
        assert "more than one column 'x'" in refused(double).what

    def test_no_rows_and_single_columns(self) -> None:
        assert "no records" in refused(pd.DataFrame({"tid": [], "item": []}, dtype=str)).what
        assert "cannot tell" in refused(pl.Series([SECRET])).what
        assert "cannot tell" in refused(pl.DataFrame({"item": [SECRET]})).what

    @pytest.mark.parametrize(
        "make",
        [pd.Series, pl.Series, pa.array, lambda lists: pa.chunked_array([lists])],
        ids=["pd", "pl", "pa", "chunk"],
    )
    def test_one_column_of_lists(self, make: Any) -> None:
        baskets = read_baskets(make([["a"], ["b", "c"], []]))
        assert (sets(baskets), baskets.ids) == ([{"a"}, {"b", "c"}, set()], None)

    def test_a_grouped_column_has_its_groups_as_ids(self) -> None:
        rows = pd.DataFrame({"user": ["u", "u", "v"], "item": ["a", "b", "a"]})
        for gather in (list, set):
            baskets = read_baskets(rows.groupby("user")["item"].agg(gather))
            assert (sets(baskets), baskets.ids) == ([{"a", "b"}, {"a"}], ("u", "v"))


class TestMatricesAndCollections:
    @pytest.mark.parametrize("make", [sp.csr_array, sp.coo_matrix, sp.csc_array, sp.lil_array])
    def test_sparse(self, make: Any) -> None:
        baskets = read_baskets(make(np.array([[0, 2, 0, -1], [0, 0, 0, 0], [0, 0, 0, 1]])))
        assert (baskets.names, sets(baskets)) == (("1", "3"), [{"1", "3"}, set(), {"3"}])
        assert (baskets.origin.format, baskets.origin.item_type) == ("memory", "integer")

    def test_stored_zeros_and_duplicates(self) -> None:
        matrix = sp.csr_array((np.array([0, 1, 1, -1]), np.array([0, 1, 2, 2]), np.array([0, 4])), shape=(1, 3))
        baskets = read_baskets(matrix)
        assert (sets(baskets), baskets.repeated) == ([{"1"}], 0)
        assert matrix.nnz == 4  # the caller's matrix is as it was

    def test_sparse_without_records_or_with_one_dimension(self) -> None:
        assert "no records" in refused(sp.csr_array((0, 5))).what
        assert "two dimensions" in refused(sp.coo_array(np.array([1, 0]))).what

    def test_collections(self) -> None:
        baskets = read_baskets([{"b", "a"}, ["a", "a"], (), np.array(["c"]), (x for x in ["d"])])
        assert (sets(baskets), baskets.repeated) == ([{"a", "b"}, {"a"}, set(), {"c"}, {"d"}], 1)
        assert (baskets.origin.format, baskets.origin.layout, baskets.ids) == ("memory", "list", None)
        assert read_baskets([[10, np.int64(9)]]).names == ("9", "10")
        assert sets(read_baskets(iter([["a"]]), layout="list")) == [{"a"}]

    def test_dict(self) -> None:
        baskets = read_baskets({"x": ["a"], "w": []})
        assert (baskets.ids, sets(baskets)) == (("x", "w"), [{"a"}, set()])
        assert read_baskets({7: ["a"]}).ids == ("7",)

    def test_baskets_as_they_are(self) -> None:
        baskets = Baskets.from_sets([["a"]])
        assert read_baskets(baskets) is baskets

    @pytest.mark.parametrize(
        ("source", "word", "where"),
        [
            ([[SECRET], [SECRET, 1]], "mixed types", "record 2"),
            ([[1], [True]], "wrong type", "record 2"),
            ([[1], [], [2.5]], "wrong type", "record 3"),
            ([[SECRET, [SECRET]]], "nested", "record 1"),
            ([["a"], SECRET], "wrong type", "record 2"),
            ([["a"], 5], "wrong type", "record 2"),
            ([["a"], {SECRET: 1}], "wrong type", "record 2"),
            ({1: [SECRET], "2": ["a"]}, "mixed types", "record 2"),
            ({None: [SECRET]}, "record id is missing", "record 1"),
            ([], "no records", None),
            ({}, "no records", None),
            (b"zebra", "bytes", None),
            (5, "int", None),
            (np.eye(2), "dense array", None),
            ([["\ud800"]], "Unicode", None),
            ({"\ud800": ["a"]}, "Unicode", None),
            ([[10**5000]], "too many digits", None),
        ],
    )
    def test_bad_collections(self, source: object, word: str, where: str | None) -> None:
        error = refused(source)
        assert word in error.what
        assert error.where == where

    def test_columns_of_a_collection(self) -> None:
        assert "no columns" in refused([[SECRET]], record="a").what
        assert "no layout" in refused([[SECRET]], layout="long").what


def test_reading_does_not_import_what_it_does_not_need(put: Any) -> None:
    path, text = put("x.jsonl", json.dumps(["a"])), put("x.dat", b"a b\n")
    code = (
        "import sys\nfrom sordino.data.read import read_baskets\nimport sordino.data.write\n"
        "heavy = {'pandas', 'polars', 'scipy', 'numba', 'pyarrow', 'duckdb'}\nprint(sorted(heavy & set(sys.modules)))\n"
        f"read_baskets({str(path)!r})\nprint(sorted(heavy & set(sys.modules)))\n"
        f"old = read_baskets({str(text)!r})\nfrom dataclasses import replace\n"
        "from sordino.release.edits import changes_table, find_deletions\n"
        "new = replace(old, indptr=old.indptr[[0, 0]], items=old.items[:0])\n"
        "table = changes_table(old, find_deletions(old, new), old.indptr[:-1] + 1)\n"
        "assert table.column('item').to_pylist() == ['a', 'b']\nprint(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert done.stdout.split("\n")[:3] == ["[]", "[]", "['pyarrow']"]


@pytest.mark.parametrize(
    ("name", "records", "items", "occurrences", "seconds"),
    [
        ("Retail.dat.gz", 88_162, 16_470, 908_576, 1.0),
        ("BMS-POS-part-275k.dat.gz", 275_000, 1_515, 1_807_587, 2.0),
        ("BMS-WebView-2.dat.gz", 77_512, 3_340, 358_278, 1.0),
        ("groceries.csv.gz", 9_835, 169, 43_367, 0.5),
    ],
)
def test_public_data(name: str, records: int, items: int, occurrences: int, seconds: float) -> None:
    """Sizes as the README of the data states them; the time is the best of three, with much room."""
    path = DATA / name
    if not path.exists():
        pytest.skip("the shared data is absent; set SORDINO_DATA to its folder")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        baskets = read_baskets(path)
        times.append(time.perf_counter() - start)
    assert (len(baskets), baskets.distinct_items, baskets.occurrences, baskets.repeated) == (
        records,
        items,
        occurrences,
        0,
    )
    with gzip.open(path, "rt") as file:
        first = file.readline().rstrip("\n")
    assert baskets.record(0) == set(first.split("," if ".csv" in name else " "))
    assert min(times) < seconds
