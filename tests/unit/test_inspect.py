"""A look at data: how they would be read, why, and what may not be as it seems."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import sordino
from sordino.data.why_read import reading_doubts, twins, why_read

HOUSEHOLDS = "household,customer,product\nh1,1,hiv\nh1,1,Flu\nh1,2,flu\nh2,3,cold\nh2,3,hiv\n"


def test_baskets(put: Any) -> None:
    found = sordino.inspect(put("x.csv", "a;b\na\n\na;B;c\n")).to_dict()
    assert (found["as"], found["table"], found["columns"]) == ("baskets", None, None)
    about = found["baskets"]
    assert about["layout"] == "baskets"
    assert (about["header"], about["delimiter"], about["encoding"]) == (False, ";", "UTF-8")
    assert (about["records"], about["empty"], about["items"], about["occurrences"]) == (4, 1, 4, 6)
    assert (about["shortest"], about["median"], about["longest"]) == (0, 2, 3)
    assert about["first"][0] == {"id": None, "items": ["a", "b"]}
    assert about["frequent"][0] == ["a", 3]
    assert about["twins"] == [["B", "b"]]
    assert (
        about["because"] == "Why: semicolons cut its lines, and nothing in them looks like a header, an id or a table."
    )


def test_a_table(put: Any) -> None:
    rows = "".join(f"{n},{'m' if n % 2 else 'f'},x,{n * 1.5},19{40 + n}-01-31\n" for n in range(1, 41))
    found = sordino.inspect(put("x.csv", f"visit,sex,site,cost,born\n{rows}")).to_dict()
    assert found["as"] == "table"
    assert "refused" in found["baskets"]
    marks = {column["name"]: column["marks"] for column in found["columns"]}
    assert marks == {
        "visit": ["looks like an id"],
        "sex": [],
        "site": ["constant"],
        "cost": ["a number with many values: ranges ([bins])"],
        "born": ["dates with many values: a year or a month would tell less ([bins])"],
    }
    first = {"visit": "1", "sex": "m", "site": "x", "cost": "1.5", "born": "1941-01-31"}
    assert found["table"]["first"][0] == first


def test_two_columns_that_could_be_people(put: Any) -> None:
    path = put("x.csv", HOUSEHOLDS)
    ways = dict(map(reversed, sordino.inspect(path).to_dict()["otherwise"]))
    assert "(2 people)" in ways["--layout long --record 'household' --item 'product'"]
    assert "(3 people)" in ways["--layout long --record 'customer' --item 'product'"]
    stated = sordino.inspect(path, record="customer", item="product").to_dict()
    assert "(2 people instead of 3)" in dict(map(reversed, stated["otherwise"]))["--record 'household'"]
    regrouped = sordino.inspect(path, record="household", item="product").to_dict()
    assert regrouped["baskets"]["first"] == [
        {"id": "h1", "items": ["Flu", "flu", "hiv"]},
        {"id": "h2", "items": ["cold", "hiv"]},
    ]


def test_what_every_audit_says_of_the_other_column(put: Any) -> None:
    baskets = sordino.read_baskets(put("x.csv", HOUSEHOLDS), record="customer", item="product")
    assert why_read(baskets) == "Why: you said which column is what, or that it is a long table."
    first, second = reading_doubts(baskets)
    assert first.startswith("The column 'household' may tell people apart, too.")
    assert first.endswith("state --record household.")
    assert second == "2 items differ from others only in capital letters or blanks; each counts as one of its own."


def test_a_table_in_which_people_have_several_rows(put: Any) -> None:
    table = sordino.read_table(put("x.csv", "patient,age\n1,30\n1,31\n2,40\n"))
    (said,) = reading_doubts(table)
    assert said.startswith("'patient' has 2 values in 3 rows. If one value is one person, rows are not people")
    assert reading_doubts(sordino.read_table(put("y.csv", "patient,age\n1,30\n2,40\n"))) == []


def test_items_that_may_be_missing_values(put: Any) -> None:
    (said,) = reading_doubts(sordino.read_baskets(put("x.csv", "user,item\n1,a\n1,n/a\n2,a\n")))
    assert said == "There are items called 'n/a': if that stands for a missing value, say so: --null 'n/a'."


def test_values_of_a_table_that_may_be_missing_values(put: Any) -> None:
    rows = "".join(f"{'N/A' if n % 9 == 0 else 'flu'},{n % 3}\n" for n in range(40))
    path = put("x.csv", f"diagnosis,site\n{rows}")
    said = sordino.inspect(path).to_dict()["table"]["doubts"]
    assert said == ["'diagnosis' holds 'N/A': if that stands for a missing value, say so: --null 'N/A'."]
    assert sordino.inspect(path, missing=["N/A"]).to_dict()["table"]["doubts"] == []


def test_columns_that_may_lack_the_same_are_told_at_once(put: Any) -> None:
    rows = "".join(f"{'none' if n % 9 == 0 else 'flu'},{'none' if n % 3 else 'x'},{n % 3}\n" for n in range(40))
    said = sordino.inspect(put("x.csv", f"diagnosis,ward,site\n{rows}")).to_dict()["table"]["doubts"]
    assert said == ["'diagnosis' and 'ward' hold 'none': if that stands for a missing value, say so: --null 'none'."]


def test_another_delimiter_is_not_the_one_that_was_found(put: Any) -> None:
    for cut, other in ((";", "','"), (",", "';'")):
        ways = [way for _, way in sordino.inspect(put("x.csv", f"a{cut}b\na\na{cut}c\n")).to_dict()["otherwise"]]
        assert f"--layout baskets --delimiter {other}" in ways


def test_text_of_windows_is_answered_with_what_turns_it(put: Any) -> None:
    for text, encoding in (("th\u00e9,milk\n".encode("cp1252"), "WINDOWS-1252"), ("a,b\n".encode("utf-16"), "UTF-16")):
        with pytest.raises(sordino.InputError, match=f"iconv -f {encoding} -t UTF-8"):
            sordino.inspect(put("x.csv", text))


def test_twins() -> None:
    assert twins(["b 12", "B12", "a", "B 12", "1.2", "12"]) == [("b 12", "B12", "B 12")]


def test_what_cannot_be_read_at_all(put: Any) -> None:
    with pytest.raises(sordino.InputError, match="As a table it cannot be read either") as refused:
        sordino.inspect(put("x.csv", "1,secret\n2,secret,a\n3,b\n"))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("records", [[["a", "b"], ["a"]], {"p": ["a"], "q": ["b", "a"]}])
def test_objects_and_their_views(records: Any) -> None:
    look = sordino.inspect(records)
    assert repr(look).startswith("Read as lists: one entry is one person; 2 records, 2 items.")
    assert "{a, b}" in repr(look)
    assert "<table" in look._repr_html_()
    assert look.kind == "baskets"
    json.dumps(look.to_dict())


def test_a_frame_of_properties_is_a_table() -> None:
    look = sordino.inspect(pd.DataFrame({"age": [1, 2, 3], "job": ["a", "b", "a"]}))
    assert look.kind == "table"
    assert "age" in repr(look)


def test_names_cannot_steer_a_terminal(put: Any) -> None:
    assert "\x1b" not in repr(sordino.inspect(put("x.csv", "a,\x1b[31mb\na\nc,d,e\n")))
