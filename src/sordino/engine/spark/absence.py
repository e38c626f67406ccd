"""Knowledge of what people do not have, in a cluster: equal records meet by one shuffle, and are counted.

Safe, whatever is known to be absent, is who has enough twins: for all W and all sensitive e beside something in it,
(den - num) n(W) <= num n(W - e), where n counts equal records. So the verdict is a join. How
many people fewer absences would expose is not counted here: the people at risk are those who have too few twins, which
is the least that can be said. `twins` runs in parts: a union of safe parts is safe.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sordino.audit.few_absences import ROWS
from sordino.audit.inference import nothing_found
from sordino.audit.result import AuditResult
from sordino.engine.spark.frames import Coded
from sordino.policy.inference import ResolvedInference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["audit_absent"]

LEAST = (
    "On a cluster only those are counted who have too few twins, records that are equal but for the sensitive item; "
    "others may be at risk as well."
)


def audit_absent(coded: Coded, resolved: ResolvedInference, start: float) -> AuditResult:
    """Whether the policy holds, exactly, and how many people have too few twins."""
    from pyspark.sql import functions as F  # noqa: N812

    found = _too_few(coded, resolved).agg(F.sum("weight").alias("n"), F.count(F.lit(1)).alias("classes")).collect()[0]
    people = int(found["n"] or 0)
    common = nothing_found(coded.totals, resolved)
    return replace(
        common,
        holds=people == 0,
        people_at_risk=people,
        absent=resolved.policy.absent,
        exposure_by_knowledge={},
        exposure_by_absence=dict.fromkeys(ROWS, 0),
        exact=dict.fromkeys(("people_at_risk", *ROWS), people == 0),
        remarks=(*common.remarks, *((LEAST,) if people else ())),
        seconds=time.monotonic() - start,
    )


def _too_few(coded: Coded, resolved: ResolvedInference) -> DataFrame:
    """Rows of `rid` and `weight`: classes that have too few twins for one of their items."""
    from pyspark.sql import functions as F  # noqa: N812

    codes = np.flatnonzero(resolved.sensitive)
    rows = [(int(c), int(resolved.num[c]), int(resolved.den[c])) for c in codes]
    rho = coded.frame.sparkSession.createDataFrame(rows, "code int, num long, den long")
    frame = coded.frame
    beside = frame.where(F.size("codes") > 1).select("rid", "weight", "codes", F.explode("codes").alias("code"))
    asked = beside.join(F.broadcast(rho), "code").withColumn("rest", F.array_remove(F.col("codes"), F.col("code")))
    twins = frame.select(F.col("codes").alias("rest"), F.col("weight").alias("n"))
    both = asked.join(twins, "rest", "left").withColumn("n", F.coalesce("n", F.lit(0).cast("long")))
    return both.where("(den - num) * weight > num * n").groupBy("rid").agg(F.max("weight").alias("weight"))
