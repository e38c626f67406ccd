"""Records of a DataFrame as classes of equal records, coded: what audits and methods work on.

A DataFrame is read as `items` says: a column of lists, a row a record; or a column of single items, with `record`
naming whose they are. As everywhere, null and "" are no item, nor are the texts for a missing value ("?", "NA",
"null") unless they are expected; repeats count once, and a record may be empty.

Equal records are one row with a weight, the number of them; `rid` numbers these rows by what they hold, so that a task
that is tried again, on whatever machine, numbers them the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import vocabulary_order
from sordino.data.read import void_texts
from sordino.data.totals import Totals
from sordino.errors import InputError, MissingExtra, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "Coded",
    "Input",
    "arrow_lists",
    "classes_of",
    "coded_by",
    "lists",
    "pieces_of",
    "read_frame",
    "totals_from",
    "totals_of",
]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
RECORDS_A_PIECE = 100_000  # of a division for which nothing else says how fine it should be
WHOLE = ("tinyint", "smallint", "int", "bigint")


@dataclass(frozen=True, eq=False)
class Input:
    """Records as they came: `frame` has a column `items` (an array of texts) and, if they have ids, `id` (text)."""

    frame: DataFrame
    item: str  # the column of items
    record: str | None  # the column of ids
    item_type: str  # of one item, as Spark names it
    layout: str  # "list" or "long"

    @property
    def session(self) -> Any:
        return self.frame.sparkSession


@dataclass(frozen=True, eq=False)
class Coded:
    """Classes of equal records: rows of `rid`, `codes` (an array of item codes, ascending) and `weight`."""

    frame: DataFrame
    totals: Totals
    flat: DataFrame | None = None  # the same records before equal ones were put together

    @property
    def sampled(self) -> DataFrame:
        """Rows of `codes` to take a sample from: those that are made with the least work."""
        return self.frame if self.flat is None else self.flat

    @property
    def pieces(self) -> int:
        """In how many pieces a division is made for which nothing else says so."""
        return pieces_of(self.totals.records)


def pieces_of(records: int) -> int:
    """One piece for so many records, two at least; it follows from the data alone."""
    return max(2, -(-records // RECORDS_A_PIECE))


def read_frame(frame: Any, items: str = "items", record: str | None = None, expected: Collection[str] = ()) -> Input:
    """The records of a DataFrame; an InputError says what is wrong with its columns. `expected` are surely items."""
    try:
        from pyspark.sql import functions as F  # noqa: N812
    except ImportError:
        raise MissingExtra("pyspark", "spark", "working on a cluster") from None
    types = dict(getattr(frame, "dtypes", ()))
    if not types:
        raise InputError("this is not a Spark DataFrame", hint="spark.read.parquet(...) gives one.")
    for column in (items, *(() if record is None else (record,))):
        if column not in types:
            raise InputError(
                f"there is no column '{column}'.{did_you_mean(column, types)}",
                hint='Say which columns to use: items="..." and, for rows of one item each, record="...".',
            )
    if record is not None and types[record] not in ("string", *WHOLE):
        raise InputError(f"wrong type: the record column '{record}' holds {types[record]}", hint="Cast it to string.")
    listed = types[items].startswith("array<")
    kind = types[items][6:-1] if listed else types[items]
    if kind not in ("string", *WHOLE):
        raise InputError(f"wrong type: the column '{items}' holds {kind}", hint="Items are texts or whole numbers.")
    name = [] if record is None else [F.col(f"`{record}`").cast("string").alias("id")]
    void = sorted({"", *void_texts(None, expected)})
    if listed:
        held = F.array_distinct(
            F.filter(F.col(f"`{items}`").cast("array<string>"), lambda x: x.isNotNull() & ~x.isin(void))
        )
        rows = frame.select(*name, F.coalesce(held, F.array().cast("array<string>")).alias("items"))
    elif record is None:
        raise InputError(
            f"the column '{items}' holds one item a row, so it takes a second one to say whose it is",
            hint='Name it: record="...".',
        )
    else:
        item = F.col(f"`{items}`").cast("string")
        pairs = frame.select(*name, F.when(~item.isin(void), item).alias("item"))
        rows = pairs.groupBy("id").agg(F.collect_set("item").alias("items"))
    return Input(rows, items, record, kind, "list" if listed else "long")


def totals_of(read: Input) -> Totals:
    """The names of all items, how many records hold each, and how many records there are; in one pass."""
    from pyspark.sql import functions as F  # noqa: N812

    nothing = F.lit(None).cast("string")  # one more entry of every record, which counts the records
    entries = read.frame.select(F.explode(F.array_append("items", nothing)).alias("item"))
    counted = entries.groupBy("item").agg(F.count(F.lit(1)).alias("records")).toArrow()
    names, counts = counted.column("item").to_pylist(), counted.column("records").to_pylist()
    records = sum(n for name, n in zip(names, counts, strict=True) if name is None)
    held = {name: n for name, n in zip(names, counts, strict=True) if name is not None}
    if records == 0:
        raise InputError("there are no records")
    return totals_from(held, records)


def totals_from(supports: Mapping[str, int], records: int) -> Totals:
    """Totals with the names in vocabulary order."""
    names = vocabulary_order(list(supports))
    return Totals(names, np.array([supports[name] for name in names], dtype=np.int64), records)


def coded_by(frame: DataFrame, names: tuple[str, ...]) -> DataFrame:
    """Rows of `items` (texts) as rows of `codes` (ascending); other columns stay."""
    fields = [f"`{name}` {kind}" for name, kind in frame.dtypes if name != "items"]
    kept = [name for name, _ in frame.dtypes if name != "items"]

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        value_set = pa.array(names, pa.string())
        for batch in batches:
            ptr, flat = lists(batch.column("items"))
            codes = pc.index_in(flat, value_set=value_set).to_numpy(zero_copy_only=False).astype(np.int32)
            owner = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
            codes = codes[np.lexsort((codes, owner))]
            columns = [batch.column(name) for name in kept]
            yield pa.RecordBatch.from_arrays([*columns, arrow_lists(ptr, codes)], names=[*kept, "codes"])

    return frame.mapInArrow(work, ", ".join([*fields, "codes array<int>"]))


def classes_of(coded: DataFrame, totals: Totals) -> Coded:
    """Rows of `codes` (and perhaps `weight`) as classes of equal records, numbered."""
    from pyspark.sql import functions as F  # noqa: N812

    pieces = pieces_of(totals.records)
    count = F.sum("weight") if "weight" in coded.columns else F.count(F.lit(1))
    together = coded.repartition(pieces, "codes").groupBy("codes").agg(count.alias("weight"))
    numbered = together.sortWithinPartitions("codes").select(
        F.monotonically_increasing_id().alias("rid"), "codes", "weight"
    )
    return Coded(numbered, totals, coded)


def lists(column: Any) -> tuple[I64, Any]:
    """Where the list of each row begins in the second value, the entries of all."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # nothing at all
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    offsets = column.offsets.to_numpy().astype(np.int64)
    if not len(offsets):
        offsets = np.zeros(1, dtype=np.int64)
    return offsets - offsets[0], column.values[int(offsets[0]) : int(offsets[-1])]


def arrow_lists(ptr: I64, items: npt.NDArray[Any]) -> Any:
    """Arrow lists of 32-bit numbers from where each begins."""
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(ptr.astype(np.int32)), pa.array(items.astype(np.int32)))
