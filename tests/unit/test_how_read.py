"""How data were read, in a sentence."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import sordino
from sordino.data.how_read import how_read
from sordino.data.read import read_baskets


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.csv", "a,b\na\n\n", "Read as baskets: one line is one person; 3 records (1 empty), 2 items, "),
        ("x.csv", "a;b\na\n", "2 records, 2 items, separated by semicolons, no header."),
        (
            "x.dat",
            "a b\n",
            "Read as baskets: one line is one person; 1 record, 2 items, separated by blanks, no header.",
        ),
        (
            "x.csv",
            "user\turl\n1\ta\n1\tb\n2\ta\n",
            "Read as a long table: one value of the column 'user' is one person, with the items in the column 'url'; "
            "2 records, 2 items, separated by tabs, with a header.",
        ),
        (
            "x.jsonl",
            '{"id": 1, "held": ["a"], "n": 2}\n',
            "Read as lists: one line is one person, with the items in the column 'held', the id in the column 'id'; "
            "1 record, 1 item, from JSON lines. Not read: the column 'n'.",
        ),
        ("x.jsonl", '["a"]\n', "Read as lists: one line is one person; 1 record, 1 item, from JSON lines."),
    ],
)
def test_files(put: Any, name: str, text: str, said: str) -> None:
    assert said in how_read(read_baskets(put(name, text)))


def test_objects() -> None:
    assert how_read(read_baskets([["a"], []])) == (
        "Read as lists: one entry is one person; 2 records (1 empty), 1 item."
    )
    frame = pl.DataFrame({"user": [1, 1], "item": ["a", "b"], "when": [1, 2]})
    assert how_read(read_baskets(frame)) == (
        "Read as a long table: one value of the column 'user' is one person, with the items in the column 'item'; "
        "1 record, 2 items. Not read: the column 'when'."
    )


def test_tables(put: Any) -> None:
    table = sordino.read_table(put("x.csv", "age|job\n3|a\n4|b\n"))
    assert how_read(table) == (
        "Read as a table: one row is one person; 2 rows, 2 columns, separated by bars, with a header."
    )
    assert how_read(sordino.read_table([{"a": 1}])) == ("Read as a table: one row is one person; 1 row, 1 column.")
