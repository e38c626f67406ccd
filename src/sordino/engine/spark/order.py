"""Records in random order, under numbers from 1 on.

Every row has a `key`, the hash of what it shows, of a secret and of all that is shown together. Its number is its place
among the keys, so that it does not depend on how the work was divided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sordino.engine.spark.frames import pieces_of
from sordino.engine.spark.place import Held
from sordino.engine.spark.routing import LABEL, labels

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["in_order_of_keys"]

SPACE = 1 << 32  # numbers that the first eight digits of a hash can be


def in_order_of_keys(rows: DataFrame, records: int, held: Held) -> DataFrame:
    """The rows with their `number` in place of their `key`, a text of hexadecimal digits."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.window import Window

    kept = [name for name in rows.columns if name != "key"]
    pieces = pieces_of(records)
    session: Any = rows.sparkSession
    marks = F.array(*map(F.lit, labels(session, pieces)))
    piece = F.floor(F.conv(F.substring("key", 1, 8), 16, 10).cast("long") * pieces / SPACE).cast("int")
    rows = rows.withColumn("piece", piece).withColumn(LABEL, F.element_at(marks, F.col("piece") + 1))
    rows = held(rows.repartition(pieces, LABEL))
    sizes = {row["piece"]: row["count"] for row in rows.groupBy("piece").count().collect()}
    starts = np.cumsum([0, *(sizes.get(p, 0) for p in range(pieces))])[:-1].tolist()
    start = F.element_at(F.array(*(F.lit(s).cast("long") for s in starts)), F.col("piece") + 1)
    place = F.row_number().over(Window.partitionBy(LABEL).orderBy("key"))
    return rows.select(*kept, (start + place).alias("number"))
