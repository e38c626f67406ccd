"""Reading baskets from columns: Parquet files, data frames, sparse matrices; and from collections."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from reading import SECRET, refused, sets
from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError


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
        assert read_baskets(parquet({"user": ["x"] * 3, "b": items})).names == ("9", "10", str(2**63))

    def test_list(self, parquet: Any) -> None:
        baskets = read_baskets(parquet({"items": [["b", "a", "b"], [], None, ["a", None, ""]]}))
        assert sets(baskets) == [{"a", "b"}, set(), set(), {"a"}]
        assert (baskets.ids, baskets.repeated, baskets.origin.layout) == (None, 1, "list")
        assert (baskets.origin.record, baskets.origin.item) == (None, "items")

    def test_list_with_ids(self, parquet: Any) -> None:
        baskets = read_baskets(parquet({"what": [[2, 10], [2]], "who": ["x", "y"]}))
        assert (baskets.ids, baskets.names, len(baskets)) == (("x", "y"), ("2", "10"), 2)

    def test_list_with_ids_that_repeat(self, parquet: Any, put: Any) -> None:
        """A choice of one person would be bound to one of the records only."""
        frame = {"items": [["zebra"], ["a"], ["b"]], "id": ["x", "y", "x"]}
        for source in (parquet(frame), pl.DataFrame(frame)):
            assert "1 of 3 record ids repeat" in refused(source).what
        lines = '{"id": 7, "items": ["zebra"]}\n{"id": 7, "items": ["a"]}\n{"id": 7, "items": []}\n'
        assert "2 of 3 record ids repeat" in refused(put("x.jsonl", lines)).what
        with pytest.raises(InputError, match="repeat"):
            Baskets.from_sets([["a"], ["b"]], ids=["x", "x"])

    def test_list_with_further_columns(self, parquet: Any, put: Any) -> None:
        columns = {"age": [1, 2], "user": ["x", "y"], "l": [["a"], ["b"]]}
        assert read_baskets(parquet(columns)).ids == ("x", "y")
        assert read_baskets(parquet(columns), record="age").ids == ("1", "2")
        del columns["user"]
        path = parquet({**columns, "size": [1, 2]})
        assert "whose a row is; there are: age, size" in refused(path).what
        assert read_baskets(path, layout="list").ids is None
        two = '{"order": 1, "patient": 7, "items": ["a"]}\n{"order": 2, "patient": 7, "items": ["b"]}\n'
        assert "order, patient" in refused(put("two.jsonl", two)).what

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
        frame = pd.DataFrame({"id": list("wxyz"), "q": list("abcd")}).iloc[[0, 2, 3]]
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
