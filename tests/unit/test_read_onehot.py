"""A row a person, a column an item: the same baskets as any other way to write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import sordino
from sordino.data.how_read import how_read
from sordino.errors import InputError

RECORDS = [{"milk", "hiv test"}, {"milk"}, set(), {"hiv test"}]
TEXT = "milk,hiv test,beer\n1,1,0\n1,0,0\n0,,0\n0,1,0\n"


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace(",", ";"),
        TEXT.replace("1", "true").replace("0", "false"),
        TEXT.replace("1", "Yes").replace("0", "no"),
        TEXT.replace("1", "x").replace("0", ""),
    ],
)
def test_csv(put: Any, text: str) -> None:
    baskets = sordino.read_baskets(put("x.csv", text), layout="onehot")
    assert list(baskets) == RECORDS
    assert baskets.names == ("hiv test", "milk")  # what nobody has is no item
    assert how_read(baskets).startswith(
        "Read as baskets from columns that say yes or no: one row is one person, every "
    )


def test_with_ids(put: Any, tmp_path: Path) -> None:
    rows = "".join(f"p{k},{line}\n" for k, line in enumerate(TEXT.split("\n")[1:-1]))
    path = put("x.csv", f"patient,milk,hiv test,beer\n{rows}")
    baskets = sordino.read_baskets(path, layout="onehot")
    assert (list(baskets), baskets.ids) == (RECORDS, ("p0", "p1", "p2", "p3"))
    release = sordino.protect(baskets, sordino.InferencePolicy(["hiv test"], "0.4"), seed=1, ids="keep")
    release.write(tmp_path / "out")
    assert (tmp_path / "out" / "publish" / "data.csv").read_text().startswith("patient,item\n")
    assert sordino.verify(tmp_path / "out").holds


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame: Any, tmp_path: Path) -> None:
    held = {name: [name in record for record in RECORDS] for name in ("milk", "hiv test", "beer")}
    assert list(sordino.read_baskets(frame(held))) == RECORDS  # truth can be nothing else
    numbers = {name: [int(yes) for yes in column] for name, column in held.items()}
    with pytest.raises(InputError, match="cannot tell which columns"):
        sordino.read_baskets(frame(numbers))
    assert list(sordino.read_baskets(frame(numbers), layout="onehot")) == RECORDS
    known = {"user": [7, 7, 8, 9], **held}
    assert sordino.read_baskets(frame({**known, "user": [6, 7, 8, 9]})).ids == ("6", "7", "8", "9")
    with pytest.raises(InputError, match="1 of 4 record ids repeat others"):
        sordino.read_baskets(frame(known))
    assert sordino.read_baskets(frame(known), layout="onehot", record="user").record(0) == {"milk", "hiv test"}
    sordino.protect(frame(held), sordino.InferencePolicy(["hiv test"], "0.4"), seed=1).write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds


def test_parquet_and_json(tmp_path: Path, put: Any) -> None:
    held = pl.DataFrame({name: [name in record for record in RECORDS] for name in ("milk", "hiv test")})
    held.write_parquet(tmp_path / "x.parquet")
    assert list(sordino.read_baskets(tmp_path / "x.parquet")) == RECORDS
    lines = "".join(f'{{"milk": {int("milk" in r)}, "hiv test": {int("hiv test" in r)}}}\n' for r in RECORDS)
    assert list(sordino.read_baskets(put("x.jsonl", lines), layout="onehot")) == RECORDS


def test_what_is_no_item_is_refused(put: Any) -> None:
    with pytest.raises(InputError, match="these hold other values: 'age'") as refused:
        sordino.read_baskets(put("x.csv", "milk,age\n1,37.125\n0,38.125\n"), layout="onehot")
    assert ".125" not in str(refused.value)


def test_the_layout_is_named_where_it_may_be_meant(put: Any) -> None:
    with pytest.raises(InputError, match="--layout onehot"):
        sordino.read_baskets(put("x.csv", TEXT))
    assert ["a row is a person, a column an item that he has (1) or not (0)", "--layout onehot"] in (
        sordino.inspect(put("x.csv", TEXT)).to_dict()["otherwise"]
    )
