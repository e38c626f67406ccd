"""What may be read in more than one way is refused, with the options to choose from; honest baskets are not."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from reading import refused, sets
from sordino.data.read import read_baskets
from sordino.data.read_table import read_table
from sordino.data.sources.delimiters import checked_delimiter
from sordino.errors import InputError

ROWS = "".join(f"{k // 2},{name}\n" for k, name in enumerate(["zebra", "tea", "zebra", "tea", "tea", "milk"]))
LONG = {  # a header or none, then rows of record and item
    "German words": "Kunde,Artikel\n" + ROWS,
    "codes": "member_id,ndc\n" + ROWS.replace("zebra", "00071").replace("tea", "00093").replace("milk", "00054"),
    "no header": ROWS,
    "one row": "Kunde,Artikel\n1,zebra\n",
    "no header, two rows": "1,zebra\n1,tea\n",
    "names for ids": "who,what\nMüller,zebra\nMüller,tea\nSchmidt,zebra\nSchmidt,tea\n",
    "names for ids, no header": "Müller,zebra\nMüller,tea\nSchmidt,zebra\nSchmidt,tea\n",
    "ids with letters": "C01,zebra\nC01,tea\nC02,tea\n",
    "an empty column at the end": "Kunde,Artikel,\n1,zebra,\n1,tea,\n2,tea,\n",
    "blank lines": "\nKunde,Artikel\n\n1,zebra\n1,tea\n\n2,tea\n",
    "one broken row": "Kunde,Artikel\n" + ROWS * 4 + "9,tea, green\n",
    "known words, both records": "id,user\nmilk,zebra\ntea,zebra\n",
    "numbers on both sides": "".join(f"{k // 3},{k % 5}\n" for k in range(30)),
    "quoted": '"Kunde","Artikel"\n"1","zebra"\n"1","tea"\n"2","tea"\n',
    "more columns": "Kunde,Artikel,Tag\n1,zebra,Mo\n1,tea,Di\n2,tea,Mo\n",
}
TABLES = {
    "codes": "smoker,hiv,diabetic\nyes,zebra,no\nno,no,yes\nno,no,no\n",
    "no header": "yes,no,zebra\nno,no,yes\nno,no,no\n",
    "one-hot": "zebra,flu,cold\n1,0,1\n0,1,0\n1,1,0\n",
    "mixed": "age,sex,disease\n39,M,flu\n50,F,zebra\n38,M,flu\n",
    "mixed, no header": "39,M,flu\n50,F,zebra\n38,M,flu\n",
    "missing values": "town,disease,drug\nUlm,flu,\nUlm,,zebra\nBonn,flu,zebra\n",
    "header above baskets": "Item 1,Item 2,Item 3\nmilk,tea,\nzebra,,\ntea,milk,zebra\n",
    "one column of items": "items\nmilk\nzebra,milk\n",
}
BEFORE_BASKETS = {
    "ids": "7,milk,zebra\n8,tea\n12,tea,milk,rice\n",
    "numbered": "".join(f"{k},{k * 7 % 40 + 50},{k * 3 % 40 + 50}{',99' * (k % 2)}\n" for k in range(1, 30)),
}
BEFORE_BASKETS |= {
    "ids with letters": "T1,milk,zebra\nT2,milk\nT3,zebra,tea,milk\n",
    "ids with letters, filled up": "T1,milk,zebra,\nT2,milk,,\nT3,zebra,tea,milk\n",
}
OTHER_FORMATS = {
    "sep=": "sep=;\nzebra;a\na\n",
    "comment": "# export of 2024\nzebra,a\na\n",
    "ARFF": "@relation x\n@attribute a {0,1}\n@data\n0,1\n1,1\n",
    "HTML": "<table>\n<tr><td>1</td><td>zebra, a</td></tr>\n</table>\n",
}
UNCUT = {
    "two colons": "1::zebra::5\n1::tea::3\n2::tea::4\n",
    "blanks": "1 2 3\n4 5\n6 7\n",
}


@pytest.mark.parametrize(
    "text", [*LONG.values(), *TABLES.values(), *BEFORE_BASKETS.values(), *OTHER_FORMATS.values(), *UNCUT.values()]
)
@pytest.mark.parametrize("name", ["x.csv", "x.txt", "x"])
def test_what_may_be_no_baskets_is_refused(put: Any, text: str, name: str) -> None:
    if name != "x.csv" and "," not in text and "::" not in text:
        pytest.skip("without a name that says CSV, items apart by blanks are what it looks like")
    error = refused(put(name, text))
    said = str(error)
    assert "--layout" in said
    assert "--record" in said
    for part in ("Müller", "milk", "tea", "Kunde", "00071"):  # the first line may be a record after all
        assert part not in said


@pytest.mark.parametrize(
    "text", [*LONG.values(), *TABLES.values(), *BEFORE_BASKETS.values(), *OTHER_FORMATS.values(), *UNCUT.values()]
)
def test_a_stated_layout_is_not_questioned(put: Any, text: str) -> None:
    lines = text.rstrip("\n").split("\n")
    assert len(read_baskets(put("x.csv", text), layout="baskets")) == len(lines)


@pytest.mark.parametrize("key", ["German words", "codes", "quoted", "an empty column at the end"])
def test_a_long_table_is_read_as_such_when_it_is_stated(put: Any, key: str) -> None:
    baskets = read_baskets(put("x.csv", LONG[key]), layout="long")
    assert len(baskets) in (2, 3)
    assert all(1 <= len(record) <= 2 for record in baskets)


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("a,b\nb,c\n", [{"a", "b"}, {"b", "c"}]),  # too short to tell, and an item in both columns
        ("a,b\na\n", [{"a", "b"}, {"a"}]),
        ("a,b\nb,a\na,c\n", [{"a", "b"}, {"a", "b"}, {"a", "c"}]),
        ("milk\ntea\nmilk\n", [{"milk"}, {"tea"}, {"milk"}]),
        ("milk,tea,\ntea,,\nrice,milk,tea\n", [{"milk", "tea"}, {"tea"}, {"rice", "milk", "tea"}]),  # filled up
        ("whole milk,rolls\nrolls\ntea,rolls\n", [{"whole milk", "rolls"}, {"rolls"}, {"tea", "rolls"}]),
        ("2,10\n10\n2,3,10\n", [{"2", "10"}, {"10"}, {"2", "3", "10"}]),
        ("7up,milk\nmilk\n", [{"7up", "milk"}, {"milk"}]),
        ("#love,#art\n#art\n#love\n", [{"#love", "#art"}, {"#art"}, {"#love"}]),
        ("i1,i2\ni2,i3,i1\ni3\n", [{"i1", "i2"}, {"i1", "i2", "i3"}, {"i3"}]),
    ],
)
def test_honest_baskets(put: Any, text: str, records: list[set[str]]) -> None:
    assert sets(read_baskets(put("x.csv", text))) == records


@pytest.mark.parametrize("width", [None, 2, 3, 6])
@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("apart", [",", ";", "\t", "|", " "])
def test_random_baskets_are_never_doubted(put: Any, width: int | None, numbers: bool, apart: str) -> None:
    """Also if all have the same length, as in "name three"."""
    draw = random.Random(5)
    vocabulary = [str(k) if numbers else f"i{k}" for k in range(40)]
    for _ in range(20):
        records = [draw.sample(vocabulary, width or draw.randint(1, 6)) for _ in range(200)]
        text = "".join(apart.join(record) + "\n" for record in records)
        name = "x.dat" if apart == " " else "x.csv"
        assert sets(read_baskets(put(name, text))) == [set(record) for record in records]


class TestFimi:
    def test_attributes_as_items_of_one_width_are_known_to_be_baskets(self, put: Any) -> None:
        """Chess and mushroom are such: an item is a value of an attribute, and all records are equally long."""
        text = "".join(f"{k % 3} {3 + k % 5} {8 + k % 2}\n" for k in range(40))
        assert len(read_baskets(put("x.dat", text))) == 40

    @pytest.mark.parametrize(
        "text",
        [
            "user item\n1 102\n1 103\n2 104\n",
            "1 102\n1 103\n2 104\n",
            "zebra,flu\nflu\nflu,cold\n",
            "zebra, flu\nflu\nflu, cold\n",
            "1::2::3\n4::5::6\n",
            "# zebra\n1 2\n3\n",
            "1 2 -1 3 -1 -2\n1 -1 2 -1 -2\n4 -1 -2\n",
            "1:2 3:1\n3:4\n1:1 5:2 6:1\n",
            "+1 1:0.5 3:1\n-1 2:1\n+1 1:1 2:1\n",
        ],
    )
    def test_what_is_no_fimi(self, put: Any, text: str) -> None:
        assert "--layout" in str(refused(put("x.dat", text)))
        assert len(read_baskets(put("x.dat", text), layout="fimi")) == text.count("\n")


class TestExpected:
    """Sensitive names in a place that does not fit."""

    def test_inside_of_items(self, put: Any) -> None:
        path = put("x.csv", "zebra/x,a\nb;zebra,a\n" + "b,a,c\nc,b\n" * 20)
        assert len(read_baskets(path)) == 42
        assert "inside of items" in refused(path, expected=["zebra"]).what
        assert len(read_baskets(path, expected=["a"])) == 42
        assert len(read_baskets(path, layout="baskets", expected=["zebra"])) == 42

    def test_among_the_ids_or_the_columns(self, put: Any) -> None:
        path = put("x.csv", "product,user\n1,zebra\n2,zebra\n1,b\n")
        assert "among the record ids" in refused(path, expected=["zebra", "nowhere"]).what
        path = put("x.csv", "user,item\n1,a\n2,a\n1,b\n")
        assert "names of columns" in refused(path, expected=["item"]).what

    def test_nowhere_at_all_is_a_matter_of_the_policy(self, put: Any) -> None:
        assert len(read_baskets(put("x.csv", "a,b\nb\n"), expected=["zebra"])) == 2


class TestColumns:
    @pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
    @pytest.mark.parametrize(
        "columns",
        [
            {"kunde": [1, 1, 2], "artikel": ["zebra", "a", "a"]},
            {"hiv": [1, 0, 1], "flu": [0, 1, 1]},
            {"hiv": [True, False, True], "flu": [False, True, True], "age": [1, 2, 3]},
            {"0": ["zebra", "a"], "1": ["b", None]},
            {"id": [1, 1], "user": [2, 3]},
            {"a": [1, 0], "b": [0, 1], "c": [1, 1]},
        ],
    )
    def test_columns_without_a_known_name(self, make: Any, columns: dict[str, list[Any]], parquet: Any) -> None:
        for source in (make(columns), parquet(columns)):
            error = refused(source)
            assert "cannot tell" in error.what
            assert "--record" in str(error)
            assert "template" in str(error)

    def test_what_is_stated_or_named_is_read(self, put: Any) -> None:
        frame = pl.DataFrame({"kunde": [1, 1, 2], "artikel": ["b", "a", "a"]})
        for stated in ({"record": "kunde"}, {"item": "artikel"}, {"layout": "long"}):
            assert sets(read_baskets(frame, **stated)) == [{"a", "b"}, {"a"}]
        assert read_baskets(pl.DataFrame({"xyz": ["b"], "user": [7]})).ids == ("7",)
        lines = '{"kunde": 1, "artikel": "zebra"}\n{"kunde": 1, "artikel": "a"}\n'
        assert "cannot tell" in refused(put("x.jsonl", lines)).what
        assert len(read_baskets(put("x.jsonl", lines), layout="long")) == 1

    def test_a_row_a_person_beside_other_columns_is_a_table(self) -> None:
        columns = {"patient": [1, 2, 3], "age": [30, 40, 50], "diagnosis": ["zebra", "a", "a"]}
        assert "is this a table?" in refused(pl.DataFrame(columns)).what
        assert len(read_baskets(pl.DataFrame(columns), record="patient", item="diagnosis")) == 3
        columns["patient"] = [1, 1, 2]
        assert read_baskets(pl.DataFrame(columns)).origin.unused == ("age",)

    @pytest.mark.parametrize("cells", [["zebra,b", "a", "b,c"], ["zebra;b", "a", "c"], ["['zebra']", "['a']", "[]"]])
    def test_lists_in_single_cells(self, cells: list[str], put: Any) -> None:
        frame = pl.DataFrame({"id": [1, 2, 3], "items": cells})
        text = "id,items\n" + "".join(f'{k},"{cell}"\n' for k, cell in enumerate(cells))
        for source in (frame, put("x.csv", text)):
            assert "look like whole lists" in refused(source).what
            assert len(read_baskets(source, record="id", item="items")) == 3

    def test_yes_and_no_are_no_items(self) -> None:
        assert "yes and no" in refused(pl.DataFrame({"user": [1, 2, 3], "diagnosis": [1, 0, 1]})).what

    def test_fields_that_the_first_line_lacks_are_told(self, put: Any) -> None:
        lines = '{"user": 1, "items": ["a"]}\n{"user": 2, "items": ["a"], "more": ["zebra"]}\n'
        assert read_baskets(put("x.jsonl", lines)).origin.unused == ("more",)

    def test_a_field_that_stands_twice(self, put: Any) -> None:
        assert "twice" in refused(put("x.jsonl", '{"id": 1, "item": "zebra", "item": "a"}\n')).what


class TestPython:
    def test_columns_by_name_are_no_records_by_id(self) -> None:
        assert "columns by name" in refused({"tid": [1, 1, 2], "item": ["zebra", "a", "a"]}).what
        assert read_baskets({"x": ["a"], "y": ["a", "b"]}).ids == ("x", "y")

    def test_pairs_are_no_records(self) -> None:
        pairs = [("u1", "zebra"), ("u1", "a"), ("u2", "a")]
        assert "(record, item) pairs" in refused(pairs).what
        assert len(read_baskets([list(pair) for pair in pairs])) == 3
        assert len(read_baskets([("a", "b"), ("b", "c"), ("c", "a")])) == 3

    def test_neither_present_nor_absent(self) -> None:
        assert "NaN" in refused(sp.csr_array(np.array([[1.0, np.nan], [0, 1]]))).what


class TestNamesThatLookTheSame:
    @pytest.mark.parametrize("other", ["zebra ", " zebra", "zebra\u00a0", "zebra\t"])
    def test_blanks(self, other: str) -> None:
        for source in ([["zebra", "a"], [other]], pl.DataFrame({"items": [["zebra"], [other]]})):
            assert "1 item differs from others only by blanks" in refused(source).what

    def test_unicode_forms(self) -> None:
        assert "encoded" in refused([["caf\u00e9 zebra"], ["cafe\u0301 zebra"]]).what
        assert len(read_baskets([["caf\u00e9"], ["cafe"]])) == 2

    def test_ids(self) -> None:
        frame = pl.DataFrame({"user": ["7", "7 ", "8"], "item": ["zebra", "a", "a"]})
        assert "record id" in refused(frame).what


class TestDelimiter:
    @pytest.mark.parametrize("mark", [",", ";", "|", "\t", ":", "\x1f"])
    def test_stated(self, put: Any, mark: str) -> None:
        stated = "\\t" if mark == "\t" else mark
        path = put("x.csv", f"a{mark}b b\na\n")
        baskets = read_baskets(path, delimiter=stated)
        assert (sets(baskets), baskets.origin.delimiter) == ([{"a", "b b"}, {"a"}], mark)
        path = put("x.csv", f"tid{mark}item\n1{mark}a\n1{mark}b\n")
        assert sets(read_baskets(path, delimiter=stated)) == [{"a", "b"}]

    @pytest.mark.parametrize("mark", [";", "|", "\t"])
    @pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt"])
    def test_found(self, put: Any, mark: str, name: str) -> None:
        baskets = read_baskets(put(name, f"a{mark}b b\na\nb b\n"))
        assert (sets(baskets), baskets.origin.delimiter) == ([{"a", "b b"}, {"a"}, {"b b"}], mark)

    def test_what_is_inside_of_quotes_separates_nothing(self, put: Any) -> None:
        assert sets(read_baskets(put("x.csv", '"a;b",c\nc\n'))) == [{"a;b", "c"}, {"c"}]

    def test_not_clear(self, put: Any) -> None:
        path = put("x.csv", "zebra, x;a\nb;c\nb, x\n")
        assert "--delimiter" in str(refused(path))
        assert "2 by commas, 2 by semicolons" in refused(path).what
        assert "--delimiter" in str(refused(path, layout="baskets"))
        assert sets(read_baskets(path, delimiter=";"))[0] == {"zebra, x", "a"}
        assert sets(read_baskets(path, expected=["c"]))[1] == {"b", "c"}  # nowhere a field of its own by commas

    def test_rare_ones_do_not_count(self, put: Any) -> None:
        text = "a,b\n" + "b,c,a\nc\n" * 20 + "x;y,a\n"
        assert "x;y" in read_baskets(put("x.csv", text)).names

    @pytest.mark.parametrize("wrong", ["", "ab", "a", "1", '"', "\n", "é", " "])
    def test_no_delimiters(self, wrong: str) -> None:
        with pytest.raises(InputError):
            checked_delimiter(wrong)

    def test_where_there_is_none(self, put: Any, parquet: Any) -> None:
        for source in (put("x.jsonl", '["zebra"]\n'), parquet({"items": [["zebra"]]}), [["zebra"]]):
            assert "delimiter" in refused(source, delimiter=";").what
        assert "delimiter" in refused(put("x.dat", "zebra\n"), delimiter=";", layout="fimi").what
        assert "nowhere" in refused(put("x.csv", "zebra;a\na\n"), delimiter="|").what


def test_a_header_that_stands_there_once_more(put: Any) -> None:
    error = refused(put("x.csv", "user,item\n1,zebra\n\nuser,item\n2,zebra\n"))
    assert "once more" in error.what
    assert error.where is not None
    assert error.where.endswith("x.csv, line 4")


def test_a_header_that_is_not_in_the_first_line(put: Any) -> None:
    assert "first line is empty" in refused(put("x.csv", "\nuser,item\n1,zebra\n")).what


def test_ids_and_baskets_under_a_long_header(put: Any) -> None:
    assert "wrong columns" in refused(put("x.csv", "tid,items\n7,milk,zebra\n8,tea\n12,tea,milk,rice\n")).what


def test_a_first_record_in_the_place_of_a_header_that_nobody_named(put: Any) -> None:
    path = put("x.csv", "Müller,zebra\nMüller,tea\nSchmidt,zebra\n")
    assert "does not look like a header" in refused(path, layout="long").what


UNSEEN = ("\x1a", "\x07", "\x7f", "\u200b", "\ufeff", "\u00ad", "\u202e", "\u2060", "\ufe0f")


@pytest.mark.parametrize("mark", UNSEEN, ids=ascii)
@pytest.mark.parametrize("place", ["after", "before", "within"])
def test_names_that_differ_by_what_nobody_sees(mark: str, place: str, put: Any) -> None:
    """Two of three have hiv and a: all who have a have hiv. Were one of them another item, nobody would be at risk."""
    name = {"after": f"hiv{mark}", "before": f"{mark}hiv", "within": f"h{mark}iv"}[place]
    rows = [("u1", "hiv"), ("u1", "a"), ("u2", "a"), ("u3", "b"), ("u2", name)]
    csv = "user,item\n" + "".join(f"{user},{item}\n" for user, item in rows)
    table = "age,ill\n" + "".join(f"3{k},{item}\n" for k, (_, item) in enumerate(rows))
    ids = "user,item\n" + "".join(f"{item},x{k}\n" for k, (_, item) in enumerate(rows))
    for source, what in ((put("x.csv", csv), "item"), (put("y.csv", ids), "record id")):
        with pytest.raises(InputError, match=rf"1 {what} differs from others only by .* cannot be seen"):
            read_baskets(source)
    with pytest.raises(InputError, match=r"1 value differs from others of the column 'ill' only by .* cannot be seen"):
        read_table(put("z.csv", table))


@pytest.mark.parametrize(("apart", "name"), [(",", "x.csv"), (" ", "x.dat"), ("\t", "x.tsv")])
def test_two_numbers_a_line_may_be_an_id_and_an_item(put: Any, apart: str, name: str) -> None:
    """Ids and items from the same numbers, in no order: as baskets each line would be a person of two items."""
    draw = random.Random(5)
    for _ in range(20):
        rows = [(person, item) for person in range(25) for item in draw.sample([1, 2, 3, 10, 20, 30, 40, 50], 4)]
        draw.shuffle(rows)
        path = put(name, "".join(f"{person}{apart}{item}\n" for person, item in rows))
        assert "stand always in the same of the two" in refused(path).what
    assert len(read_baskets(path, layout="fimi" if apart == " " else "baskets")) == 100


@pytest.mark.parametrize("numbers", [False, True])
def test_pairs_in_order_are_not_doubted(put: Any, numbers: bool) -> None:
    draw = random.Random(5)
    names = [str(k) if numbers else f"i{k:02}" for k in range(40)]
    records = [sorted(draw.sample(range(40), 2)) for _ in range(200)]
    text = "".join(f"{names[a]},{names[b]}\n" for a, b in records)
    assert len(read_baskets(put("x.csv", text))) == 200
