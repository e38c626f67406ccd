"""A table that was made safe in a cluster, and how it is written.

What became of every distinct row was decided on one machine (templates.py); here it is applied. Equal rows are one row
with a weight as long as they can be. If of equal rows some show one thing and some another, chance says which: they are
put in an order that follows from the seed and from their other columns.

**Order and writing** as of records of items (release.py): the number of a row follows from a hash of what it shows, of
the seed and of what all rows show together. Data first; then, from what was written and nothing else, the audit and the
verdict of the verifier (verify_table.py); the manifest last.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sordino.audit.template import audit_table
from sordino.audit.template_result import TemplateAudit
from sordino.engine.spark.frames import pieces_of
from sordino.engine.spark.kept_policy import keep_policy
from sordino.engine.spark.order import in_order_of_keys
from sordino.engine.spark.place import KEEP, MANIFEST, PUBLISH, README, Held, Place
from sordino.engine.spark.rows import NUMBER, Rows, count_rows, read_rows
from sordino.engine.spark.table_manifest import TableManifest, readme
from sordino.engine.spark.verify_table import verify_table_place
from sordino.errors import InternalError
from sordino.policy.answer import Answer
from sordino.policy.template import TemplatePolicy
from sordino.version import VERSION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Decided", "SparkTableRelease", "finish"]


@dataclass(frozen=True, eq=False)
class Decided:
    """What every distinct row shows.

    columns: those that show other texts than they hold. key: Arrow, a line for each distinct row: its cells (k0, ..),
    its number (`row`), the texts that it holds (o0, ..) and shows (m0, ..), and whether that differs among its equals
    (`many`). several: Arrow, for these: of the equals of `row` those from `first` to before `upto` show m0, ..
    """

    columns: tuple[str, ...]
    key: Any
    several: Any
    cells: int  # of the columns that may be changed
    changed: int


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkTableRelease:
    """A table in which the templates hold.

    dataframe: `record` (numbers from 1) and the columns of the source, in order. changed: how many cells show something
    else than they held, of `cells` in the columns that a method may change.
    """

    source: Rows
    decided: Decided
    policy: TemplatePolicy
    audit_before: TemplateAudit
    method: str
    records: int
    seed: int
    held: Held

    @property
    def changed(self) -> int:
        return self.decided.changed

    @property
    def cells(self) -> int:
        return self.decided.cells

    def __repr__(self) -> str:
        return (
            f"SparkTableRelease({self.records:,} rows, method {self.method!r}, {self.changed:,} of {self.cells:,} "
            "cells changed)"
        )

    def summary(self) -> str:
        """What was done, in a sentence."""
        return (
            f"{self.records:,} rows are safe to publish: {self.changed:,} of {self.cells:,} cells show less than they "
            "held."
        )

    def free(self) -> None:
        """Let go of what the cluster keeps for this release, once it is written."""
        self.held.__exit__()

    def to_dict(self) -> dict[str, Any]:
        """What there is to tell of the release, ready for JSON; for the house."""
        return {"method": self.method, "records": self.records, "cells": self.cells, "changed": self.changed}

    @cached_property
    def dataframe(self) -> DataFrame:
        """The published rows."""
        from pyspark.sql import functions as F  # noqa: N812

        columns = [F.col(f"p{k}").alias(name) for k, name in enumerate(self.source.columns)]
        return self._numbered.select(F.col("number").alias(NUMBER), *columns).sortWithinPartitions(NUMBER)

    @cached_property
    def _applied(self) -> DataFrame:
        """Distinct rows with their weight: as they were (s0, ..; o0, ..) and as they are shown (p0, ..)."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.window import Window

        source, decided = self.source, self.decided
        was = [source.shown(name).alias(f"s{k}") for k, name in enumerate(source.columns)]
        names = [f"s{k}" for k in range(len(was))]
        rows = source.frame.select(*was).groupBy(*names).agg(F.count(F.lit(1)).alias("weight"))
        if not decided.columns:
            return rows.select("*", *(F.col(name).alias(f"p{name[1:]}") for name in names))
        keys = source.session.createDataFrame(decided.key)
        place = {name: k for k, name in enumerate(source.columns)}
        same = [rows[f"s{place[name]}"].eqNullSafe(keys[f"k{j}"]) for j, name in enumerate(source.named)]
        number = len(decided.columns)
        kept = [*names, *(f"o{j}" for j in range(number)), *(f"m{j}" for j in range(number)), "weight"]
        joined = rows.join(keys, same)
        found = joined.where("not many").select(*kept)
        if decided.several.num_rows:
            told = F.sha2(F.concat_ws(" ", F.lit(f"sordino equals {self.seed}"), _content(names)), 256)
            before = Window.partitionBy("row").orderBy("told").rowsBetween(Window.unboundedPreceding, -1)
            many = joined.where("many").withColumn("told", told)
            base = F.coalesce(F.sum("weight").over(before), F.lit(0).cast("long"))
            many = many.withColumn("base", base).drop(*(f"m{j}" for j in range(number)))
            both = many.join(source.session.createDataFrame(decided.several), "row")
            both = both.where("base < upto and first < base + weight")
            part = F.least(F.col("upto"), F.col("base") + F.col("weight")) - F.greatest("first", "base")
            found = found.unionByName(both.withColumn("weight", part).select(*kept))
        shown = {place[name]: f"m{j}" for j, name in enumerate(decided.columns)}
        return found.select("*", *(F.col(shown.get(k, f"s{k}")).alias(f"p{k}") for k in range(len(names))))

    @cached_property
    def _numbered(self) -> DataFrame:
        """Every row: as it was, as it is shown, what tells it apart from others (`was`), which of its equals it is
        (`copy`), and its `number`."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.window import Window

        rows = self._applied
        was, shown = (_content([name for name in rows.columns if name[0] == side]) for side in "sp")
        told = F.sha2(shown, 256).alias("shown")
        rows = self.held(rows.select("*", F.sha2(was, 256).alias("was"), told))
        classes = rows.groupBy("shown").agg(F.sum("weight").alias("n"))
        text = F.concat_ws(" ", "shown", F.col("n").cast("string"))
        content = classes.agg(F.bit_xor(F.xxhash64(text)).alias("x")).collect()[0]["x"]
        secret = hashlib.sha256(f"sordino shuffle {self.seed} {content}".encode()).hexdigest()

        def earlier(column: str, order: str) -> Any:
            among = Window.partitionBy(column).orderBy(order).rowsBetween(Window.unboundedPreceding, -1)
            return F.coalesce(F.sum("weight").over(among), F.lit(0).cast("long"))

        each = F.explode(F.sequence(F.lit(0).cast("long"), F.col("weight") - 1))
        rows = rows.withColumn("base", earlier("shown", "was")).withColumn("copy", earlier("was", "shown"))
        rows = rows.withColumn("k", each).withColumn("copy", F.col("copy") + F.col("k"))
        key = F.concat_ws(" ", F.lit(secret), "shown", (F.col("base") + F.col("k")).cast("string"))
        rows = rows.withColumn("key", F.sha2(key, 256)).drop("weight", "base", "k", "shown")
        return in_order_of_keys(rows, self.records, self.held)

    # Writing

    def write(self, uri: str | os.PathLike[str]) -> TemplateAudit:
        """Write the release there, where nothing may be yet; the audit of what was written, which holds."""
        place = Place(uri, self.source.session)
        place.check_free()
        place.write_frame(self.dataframe, f"{PUBLISH}/data")
        written = place.read_frame(f"{PUBLISH}/data")
        counted = count_rows(read_rows(written, self.source.named, NUMBER))
        audit = audit_table(counted.table, self.policy, missing="accept", top=0)
        if not audit.holds or counted.table.people != self.records:
            raise InternalError("the audit of the written files finds that the policy does not hold")
        types = dict(written.dtypes)
        columns = tuple((name, types[name]) for name in self.source.columns)
        manifest = TableManifest(VERSION, self.method, self.records, columns, self._public(), {})
        self._keep(place, audit)
        finish(place, manifest, self.policy)
        return audit

    def _public(self) -> TemplatePolicy:
        """The policy without what only a method needs to know."""
        return replace(self.policy, hierarchies={})

    def _keep(self, place: Place, audit: TemplateAudit) -> None:
        """What stays in the house: what was changed, who is who, the policy as it was written."""
        from pyspark.sql import functions as F  # noqa: N812

        rows = self._numbered
        if self.decided.columns:
            cells = [
                F.struct(
                    F.lit(name).alias("column"),
                    F.col(f"o{j}").alias("from"),
                    F.col(f"p{self.source.columns.index(name)}").alias("to"),
                )
                for j, name in enumerate(self.decided.columns)
            ]
            changes = rows.select(F.col("number").alias("published"), F.explode(F.array(*cells)).alias("cell"))
            changes = changes.select("published", "cell.column", "cell.from", "cell.to").where("not (from <=> to)")
            place.write_frame(changes.sortWithinPartitions("published", "column"), f"{KEEP}/changes")
        if self.source.record is not None:
            place.write_frame(self._numbers(), f"{KEEP}/records")
        after = {name: value for name, value in audit.to_dict().items() if name != "seconds"}
        before = {name: value for name, value in self.audit_before.to_dict().items() if name != "seconds"}
        history = {**self.to_dict(), "seed": self.seed, "before": before, "after": after}
        place.write_text(f"{KEEP}/audit.json", json.dumps(history, indent=1) + "\n")
        keep_policy(place, self.policy)

    def _numbers(self) -> DataFrame:
        """Rows of `published` and `record`, the id in the source; of equal rows in the order of their ids."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.window import Window

        source = self.source
        was = [source.shown(name).alias(f"s{k}") for k, name in enumerate(source.columns)]
        known = source.frame.select(*was, F.col(f"`{source.record}`").cast("string").alias("id"))
        known = known.select("id", F.sha2(_content([f"s{k}" for k in range(len(was))]), 256).alias("was"))
        copy = F.row_number().over(Window.partitionBy("was").orderBy("id")) - 1
        found = self._numbered.select("number", "was", "copy").join(
            known.withColumn("copy", copy.cast("long")), ["was", "copy"]
        )
        named = found.select(F.col("number").alias("published"), F.col("id").alias("record"))
        return named.repartition(pieces_of(self.records), "published").sortWithinPartitions("published")


def finish(place: Place, manifest: TableManifest, policy: Any) -> None:
    """README, the verdict of the verifier, and the manifest, in this order."""
    manifest = replace(manifest, files=place.files(("data",)))
    place.write_text(f"{PUBLISH}/{README}", readme(manifest))
    verdict = verify_table_place(place, manifest, policy)
    if verdict.answer is Answer.FAILS:
        raise InternalError(f"the independent verifier refuses the release: {verdict.reason}")
    place.write_text(f"{PUBLISH}/{MANIFEST}", manifest.text())


def _content(names: list[str]) -> Any:
    """Cells as one text, by which rows are equal or not."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.to_json(F.struct(*names))
