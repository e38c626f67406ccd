"""Tables in a cluster: the cluster counts equal rows, and what comes to this machine are distinct rows with weights.

Policies on tables need nothing else: who agrees with whom in the columns that the policy names, and how many they are.
As everywhere, null, NaN and the texts for a missing value ("?", "NA", "null", "") are no values. Distinct rows are in
the order of their values, whatever the order in which the cluster handed them over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.data.read_table import checked_table
from sordino.data.sources.table_arrow import arrow_columns
from sordino.data.table import MISSING, Table, TableOrigin
from sordino.errors import InputError, MissingExtra, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FEW", "Counted", "Rows", "count_rows", "expanded", "read_rows"]

Int64 = npt.NDArray[np.int64]
NUMBER = "record"  # the column of published numbers
UNCOUNTED = ("map<", "variant", "array<map", "struct<map")  # what Spark cannot compare
FEW = 200_000  # people, up to whom an audit of groups says more (kinds/diversity.py)
DISTINCT = 20_000_000  # rows that this machine takes


@dataclass(frozen=True, eq=False)
class Rows:
    """A table as it came: `columns` are those to be published, in order; `record` is the column of ids, if any."""

    frame: DataFrame
    columns: tuple[str, ...]
    types: dict[str, str]
    named: tuple[str, ...]  # the columns that the policy is about
    record: str | None

    @property
    def session(self) -> Any:
        return self.frame.sparkSession

    def shown(self, name: str) -> Any:
        """A column as it is shown: what is no value is null."""
        from pyspark.sql import functions as F  # noqa: N812

        column = F.col(f"`{name}`")
        if name not in self.named:
            return column
        if self.types[name] == "string":
            return F.when(~column.isin(list(MISSING)), column)
        return F.when(~F.isnan(column), column) if self.types[name] in ("float", "double") else column


@dataclass(frozen=True, eq=False)
class Counted:
    """The distinct rows of the named columns: `table` with weights; `raw` are their cells, as Arrow, row by row."""

    table: Table
    raw: Any


def read_rows(frame: Any, named: Sequence[str], record: str | None = None) -> Rows:
    """The rows of a DataFrame; an InputError says what is wrong with its columns."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise MissingExtra("pyspark", "spark", "working on a cluster") from None
    listed = list(getattr(frame, "dtypes", ()))
    types = dict(listed)
    if not types:
        raise InputError("this is not a Spark DataFrame", hint="spark.read.parquet(...) gives one.")
    if len(types) < len(listed):
        raise InputError("two columns have the same name")
    wanted = dict.fromkeys((*named, *(() if record is None else (record,))))
    for column in wanted:
        if column not in types:
            raise InputError(f"there is no column '{column}'.{did_you_mean(column, types)}")
    if record in named:
        raise InputError(f"the policy is about the column '{record}', so it cannot be the id of a row")
    columns = tuple(name for name in types if name != record)
    for name in columns:
        if types[name].startswith(UNCOUNTED):
            raise InputError(
                f"wrong type: the column '{name}' holds {types[name].partition('<')[0]}, which cannot be compared",
                hint="Turn it into text, or leave it out.",
            )
    return Rows(frame, columns, types, tuple(name for name in types if name in wanted and name != record), record)


def count_rows(rows: Rows) -> Counted:
    """The distinct rows of the named columns with how often each occurs, counted by the cluster."""
    from pyspark.sql import functions as F  # noqa: N812

    keys = [rows.shown(name).alias(f"c{k}") for k, name in enumerate(rows.named)]
    counted = rows.frame.select(*keys).groupBy(*(f"c{k}" for k in range(len(keys)))).agg(F.count(F.lit(1)).alias("n"))
    found = counted.limit(DISTINCT + 1).toArrow()
    if found.num_rows > DISTINCT:
        raise InputError(
            f"there are more than {DISTINCT:,} distinct rows in the columns that the policy names",
            hint="State ranges (bins) or coarser values for columns in which nearly everybody differs.",
        )
    weight = found.column("n").to_numpy().astype(np.int64)
    raw = found.drop_columns(["n"]).rename_columns(list(rows.named))
    columns = arrow_columns(raw, MISSING, None)
    order = np.lexsort([column.codes for column in reversed(columns)])
    origin = TableOrigin(format="memory", missing=MISSING, schema=raw.schema)
    table = checked_table(
        tuple(replace(column, codes=column.codes[order], weight=weight[order]) for column in columns), origin, None
    )
    if not len(table):
        raise InputError("there are no rows")
    # What this machine takes for the same value, the cluster must not take for two.
    sizes = [len(column.values) + 1 for column in table.columns]
    together = combine([column.codes + np.int32(1) for column in table.columns], sizes, len(table))
    if len(together.first) < len(table):
        raise InputError("values of a column cannot be told apart here", hint="Turn decimal numbers into text.")
    left = len(rows.columns) - len(rows.named)
    return Counted(replace(table, left_out=left), raw.take(order))


def expanded(table: Table) -> tuple[Table, Int64]:
    """The table with every row as often as it weighs, and the distinct row behind each."""
    weight = table.weight
    assert weight is not None
    row = np.repeat(np.arange(len(table)), weight)
    columns = tuple(replace(column, codes=column.codes[row], weight=None) for column in table.columns)
    return replace(table, columns=columns), row
