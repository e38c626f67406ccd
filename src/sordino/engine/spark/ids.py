"""Whether the ids of records tell them apart: each has one, no two have the same, and none only seems to differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sordino.data.read import check_alike
from sordino.data.sources.coded import as_seen
from sordino.engine.spark.frames import Input
from sordino.errors import InputError

__all__ = ["check_ids"]


def check_ids(read: Input) -> None:
    """An InputError if records have no id, or several the same, or as it seems the same; never which."""
    from pyspark.sql import functions as F  # noqa: N812

    if read.record is None:
        return
    where = f"column '{read.record}'"
    looks = read.frame.select("id").mapInArrow(_looks, "id string, look string")
    found = looks.agg(F.count(F.lit(1)), F.count("id"), F.count_distinct("id"), F.count_distinct("look")).first()
    records, named, different, seen = found
    if named < records:
        raise InputError("the record id is missing", where=where)
    if different < named:
        raise InputError("record ids repeat others", where=where, hint="Put the items of one id into one row.")
    check_alike(different - seen, "record id", where)


def _looks(batches: Iterator[Any]) -> Iterator[Any]:
    """The ids, null if there is none, beside what they look like."""
    import pyarrow as pa

    for batch in batches:
        ids = [name or None for name in batch.column("id").to_pylist()]
        looks = [None if name is None else as_seen(name) for name in ids]
        yield pa.RecordBatch.from_arrays([pa.array(ids, pa.string()), pa.array(looks, pa.string())], ["id", "look"])
