"""What counts as one person: asked where several columns may say it, and regrouped as the user says."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import sordino
from sordino.errors import InputError

ROWS = [("h1", "1", "hiv"), ("h1", "1", "flu"), ("h1", "2", "flu"), ("h2", "3", "cold")]
CSV = "household,customer,product\n" + "".join(f"{','.join(row)}\n" for row in ROWS)


def test_which_of_two(put: Any) -> None:
    frame = pl.DataFrame(ROWS, schema=["household", "customer", "product"], orient="row")
    in_words = {"csv": "--record household, --record customer", "frame": "record='household', record='customer'"}
    for form, source in (("csv", put("x.csv", CSV)), ("frame", frame)):  # a command has options, Python arguments
        with pytest.raises(InputError) as refused:
            sordino.read_baskets(source)
        said = str(refused.value)
        assert "2 columns may tell people apart: household, customer" in said
        assert in_words[form] in said
        assert ("--record" in said) == (form == "csv")
        assert "flu" not in said
        people = sordino.read_baskets(source, record="customer", item="product")
        assert list(people) == [{"hiv", "flu"}, {"flu"}, {"cold"}]
        households = sordino.read_baskets(source, record="household", item="product")
        assert list(households) == [{"hiv", "flu"}, {"cold"}]


def test_the_answer_depends_on_it(put: Any) -> None:
    """Each person of the household has one of the two: only who knows the household can infer the other."""
    rows = "".join(f"h{k},{k}a,hiv\nh{k},{k}b,flu\n" for k in range(5)) + "".join(f"g{k},{k}c,cold\n" for k in range(9))
    path = put("x.csv", f"household,customer,product\n{rows}")
    policy = sordino.InferencePolicy(["hiv"], "0.5")
    people = sordino.read_baskets(path, record="customer", item="product")
    households = sordino.read_baskets(path, record="household", item="product")
    assert sordino.audit(people, policy).holds
    assert not sordino.audit(households, policy).holds


def test_lists_of_one_id_are_put_together_if_it_is_stated(put: Any) -> None:
    path = put("x.jsonl", '{"visit": 1, "items": ["a"]}\n{"visit": 2, "items": ["b"]}\n{"visit": 1, "items": ["c"]}\n')
    with pytest.raises(InputError, match="1 of 3 record ids repeat others"):
        sordino.read_baskets(path)
    baskets = sordino.read_baskets(path, record="visit")
    assert (list(baskets), baskets.ids) == ([{"a", "c"}, {"b"}], ("1", "2"))
    frame = pl.DataFrame({"id": ["p", "q", "p"], "items": [["a"], ["b"], ["a", "c"]]})
    assert list(sordino.read_baskets(frame, record="id")) == [{"a", "c"}, {"b"}]


@pytest.mark.parametrize("mark", [":", "/", "~", "+", "&"])
def test_one_item_a_line_is_questioned(put: Any, mark: str) -> None:
    lines = [f"a{mark}b", "c", f"a{mark}b{mark}c", "b", "a", "c"]
    with pytest.raises(InputError) as refused:
        sordino.read_baskets(put("x.csv", "\n".join(lines) + "\n"))
    assert f"did you mean --delimiter '{mark}'?" in str(refused.value)
    cut = sordino.read_baskets(put("x.csv", "\n".join(lines) + "\n"), delimiter=mark)
    assert list(cut)[2] == {"a", "b", "c"}


def test_whole_lists_in_one_cell_each(put: Any) -> None:
    with pytest.raises(InputError, match="3 of 4 lines are one cell with commas inside: a list each"):
        sordino.read_baskets(put("x.csv", '"milk, bread"\n"milk, hiv"\nmilk\n"bread, milk, hiv"\n'))


@pytest.mark.parametrize(
    ("name", "mark"), [("x.csv", ";"), ("x.tsv", "\t"), ("x.txt", ";"), ("x.txt", "|"), ("x", "\t")]
)
def test_baskets_with_other_marks(put: Any, name: str, mark: str) -> None:
    lines = [f"red wine{mark}b", "c", f"red wine{mark}b{mark}c", "b"]
    assert list(sordino.read_baskets(put(name, "\n".join(lines) + "\n")))[2] == {"red wine", "b", "c"}


def test_semicolons_under_a_name_for_blanks(put: Any) -> None:
    with pytest.raises(InputError, match="did you mean --delimiter ';'"):
        sordino.read_baskets(put("x.dat", "a;b\nc\na;b;c\nb\n"))
