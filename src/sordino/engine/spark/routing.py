"""Sending rows to tasks: piece k of a division to a task of its own.

Spark sends rows by the hash of a column. Numbers from 0 on would meet in some tasks and leave others idle; so each
piece has a label whose hash leads to its own task. The number of tasks is stated, which also keeps Spark from joining
small ones: what is in a task depends on nothing but the division.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sordino.errors import InternalError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["LABEL", "labels", "sent"]

LABEL = "label"
TRIES = 64  # labels tried for each piece; that one finds none among them has a chance of e^-64


def labels(session: SparkSession, pieces: int) -> list[int]:
    """For each piece a label that Spark's own hash sends to a task of its own."""
    from pyspark.sql import functions as F  # noqa: N812

    if pieces == 1:
        return [0]
    tried = session.range(pieces * TRIES).select(F.col("id").cast("int").alias(LABEL))
    task = F.pmod(F.hash(LABEL), F.lit(pieces)).alias("task")
    found = {int(row["task"]): int(row[LABEL]) for row in tried.groupBy(task).agg(F.min(LABEL).alias(LABEL)).collect()}
    if len(found) != pieces:
        raise InternalError("no way was found to send each group to a task of its own")
    return [found[piece] for piece in range(pieces)]


def sent(frame: DataFrame, pieces: int) -> Any:
    """The rows with each label in a task of its own, grouped by it."""
    return frame.repartition(pieces, LABEL).groupBy(LABEL)
