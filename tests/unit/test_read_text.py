"""Reading baskets from text: FIMI, CSV with a basket a line or an item a line, JSON lines."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

import pytest

from reading import refused, sets
from sordino.data.how_read import how_read
from sordino.data.read import read_baskets
from sordino.data.sources import text as text_source
from sordino.errors import InputError


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
        path = put("x.csv", "id,user\nmilk,tea\n")
        assert "header" in refused(path).what
        assert sets(read_baskets(path, layout="baskets"))[0] == {"id", "user"}

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

    def test_a_text_for_a_missing_value_is_no_item_unless_it_is_asked_for(self, put: Any) -> None:
        path = put("x.csv", "tid,item\n1,NA\n1,tea\n2,null\n3,NA\n3,na\n")
        baskets = read_baskets(path)
        assert sets(baskets) == [{"tea"}, set(), {"na"}]
        assert baskets.names == ("na", "tea")
        assert baskets.origin.missing == (("NA", 2), ("null", 1))
        assert "3 entries say 'NA' or 'null': missing, and no item (else: --null '')." in how_read(baskets)
        assert sets(read_baskets(path, missing=())) == [{"NA", "tea"}, {"null"}, {"NA", "na"}]
        assert sets(read_baskets(path, missing=("tea", "na"))) == [{"NA"}, {"null"}, {"NA"}]
        assert sets(read_baskets(path, expected=["NA"])) == [{"NA", "tea"}, set(), {"NA", "na"}]
        with pytest.raises(InputError, match="missing must be a list of texts"):
            read_baskets(path, missing="NA")

    @pytest.mark.parametrize(
        ("name", "text"),
        [("x.dat", "tea ? milk\n?\n"), ("x.csv", "tea,?,milk\n?\n"), ("x.jsonl", '["tea", "?", "milk"]\n["?"]\n')],
    )
    def test_so_it_is_in_every_text_format(self, put: Any, name: str, text: str) -> None:
        assert sets(read_baskets(put(name, text))) == [{"tea", "milk"}, set()]

    def test_a_list_in_python_says_what_it_means(self) -> None:
        assert sets(read_baskets([["NA", "tea"]])) == [{"NA", "tea"}]
        assert sets(read_baskets([["NA", "tea"]], missing=["NA"])) == [{"tea"}]

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
        assert "--record user, --record order" in str(error)

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
            ("[1]\n[NaN]\n", 2, "not well-formed JSON"),
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
