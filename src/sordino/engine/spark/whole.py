"""Putting together what was made safe in parts: what they lost because their records could not vouch for each other.

1. Groups give back to their own records what these can have (turns.py), some groups at a time, so that those who give
   see what others gave. Four times, and each time a record belongs to another group than before.
2. What they gave at the same time may not hold together. So they repair, which only deletes, a few times: where it was
   measured, nobody found anything after four turns. What is left the audit finds.
3. The exact audit of the whole says who is at risk all the same. These lose the items that can be inferred, and groups
   repair again.

**It ends.** Each audit but the last is followed by a deletion; if there were too many of them, the union of the parts
is left, which is safe.

Guarantee: what comes out was audited as a whole, or is the union of the parts. Turns and steps are counted, not timed,
and no group's work depends on where it is done: the same bytes on any cluster.

**Plans.** Spark describes a query by all the steps behind it: once for each mention of an earlier frame, and twice what
lies behind a kept one. The driver's memory would double with every turn that were kept. So turns mention the one before
them once, and only what is audited is kept.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sordino.data.totals import Totals
from sordino.engine.spark.audit import at_risk, group_results
from sordino.engine.spark.frames import Coded, arrow_lists, classes_of, lists
from sordino.engine.spark.parts import slim
from sordino.engine.spark.place import Held
from sordino.engine.spark.shipping import Division, division_of
from sordino.engine.spark.turns import FIRST, MOST, given_back, repaired
from sordino.policy.inference import ResolvedInference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["put_back", "released_classes"]

HOMES = (FIRST, MOST, FIRST, MOST)  # whose records are, each time that groups give back
STEPS = 4  # in which they do, a part of the groups in each; two groups at least
BETWEEN = 2  # turns of repairing after each time
REPAIRS = 4  # after the last time
AFTER_AUDIT = 2  # the same after an audit that found somebody
AUDITS = 5  # after which the union of the parts has to do; one or two are usual
AT_ONCE = 10_000  # classes of records at risk that lose something after an audit; others wait for the next


def put_back(
    rows: DataFrame, coded: Coded, resolved: ResolvedInference, groups: int, held: Held, *, only: bool
) -> tuple[DataFrame, int]:
    """Rows of KEPT in which nobody is at risk, and how many audits it took to know it.

    The given rows, of the records `coded`, are a union of safe parts; what comes out shows no less.
    """
    safe = _shown(rows)
    if safe == coded.totals.occurrences:
        return rows, 0
    division, policy = division_of(coded, resolved, groups), slim(resolved)
    now = held(_tried(rows, division, policy, only=only))
    for audits in range(1, AUDITS + 1):
        if _shown(now) <= safe:
            return rows, audits - 1
        guilty = _guilty(now, coded.totals, resolved, groups)
        if guilty is None:
            return now, audits
        if guilty.num_rows == 0:  # something can be inferred, but about nobody: that cannot be
            break
        before, now = now, held(_repaired(_less(now, guilty), division, policy, AFTER_AUDIT, only=only))
        _shown(now)  # it is there, and what it was made from is needed no more
        held.drop(before)
    return rows, AUDITS


def _tried(rows: DataFrame, division: Division, policy: ResolvedInference, *, only: bool) -> DataFrame:
    """The rows after giving back and repairing, which may not hold yet."""
    steps = max(1, min(STEPS, division.groups // 2))
    for number, home in enumerate(HOMES, start=1):
        for step in range(steps):
            resting = [group for group in range(division.groups) if group % steps != step]
            rows = given_back(rows, division, policy, home, resting, only=only)
        rows = _repaired(rows, division, policy, BETWEEN if number < len(HOMES) else REPAIRS, only=only)
    return rows


def _repaired(rows: DataFrame, division: Division, policy: ResolvedInference, turns: int, *, only: bool) -> DataFrame:
    for _ in range(turns):
        rows = repaired(rows, division, policy, only=only)
    return rows


def _guilty(rows: DataFrame, totals: Totals, resolved: ResolvedInference, groups: int) -> Any:
    """A table of what some of those at risk show, `shown`, and what of it cannot be inferred, `rest`; None: nobody is.

    By the exact audit of the whole.
    """
    with Held() as held:
        coded = released_classes(rows, totals)
        coded = replace(coded, frame=held(coded.frame))
        division = division_of(coded, resolved, groups)
        found = held(group_results(coded, division))
        notes = [json.loads(row["note"]) for row in found.where("note is not null").collect()]
        unsafe = sorted({rank for note in notes for rank in note["unsafe"]})
        risky = at_risk(found).select("rid")
        if not unsafe and risky.isEmpty():
            return None
        some = coded.frame.join(risky.hint("merge"), "rid", "left_semi").orderBy("rid").limit(AT_ONCE)
        return _without(some.select("codes").toArrow(), division.code[np.array(unsafe, dtype=np.int64)])


def _shown(rows: DataFrame) -> int:
    """How many occurrences are kept."""
    from pyspark.sql import functions as F  # noqa: N812

    return int(rows.agg(F.sum(F.size("kept") * F.col("weight")).alias("n")).collect()[0]["n"] or 0)


def _without(table: Any, unsafe: Any) -> Any:
    """The lists of `codes` as `shown`, and what of them is not unsafe as `rest`."""
    import pyarrow as pa

    ptr, flat = lists(table.column("codes"))
    codes = flat.to_numpy(zero_copy_only=False)
    kept = ~np.isin(codes, unsafe)
    before = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(kept, out=before[1:])
    return pa.table({"shown": arrow_lists(ptr, codes), "rest": arrow_lists(before[ptr], codes[kept])})


def _less(rows: DataFrame, guilty: Any) -> DataFrame:
    """The rows, of which those that show something guilty show the rest."""
    from pyspark.sql import functions as F  # noqa: N812

    few = F.broadcast(rows.sparkSession.createDataFrame(guilty))
    found = rows.join(few, F.col("kept") == F.col("shown"), "left")
    return found.select("rid", "first", "weight", "codes", F.coalesce("rest", "kept").alias("kept"))


def released_classes(rows: DataFrame, totals: Totals) -> Coded:
    """Classes of equal records as they are kept, with the supports of what is kept, in the same codes."""
    from pyspark.sql import functions as F  # noqa: N812

    counted = rows.select(F.explode("kept").alias("code"), "weight").groupBy("code").agg(F.sum("weight").alias("n"))
    supports = np.zeros(len(totals.names), dtype=np.int64)
    for row in counted.collect():
        supports[row["code"]] = row["n"]
    now = replace(totals, supports=supports)
    return classes_of(rows.select(F.col("kept").alias("codes"), "weight"), now)
