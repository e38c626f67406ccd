"""Tables under diversity policies in a cluster: it counts, this machine groups people, and it writes.

What is published of a grouped table are the quasi-identifiers, the groups and the values: all of it follows from the
distinct rows and how often each occurs. So nothing but these is fetched, and the grouping, its order and its audit are
those of one machine (release/diversity/). Grouping looks at every person, by codes: see MOST in templates.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity_result import DiversityResult
from sordino.data.grouped import Grouped
from sordino.data.write_table import arrow_cells
from sordino.engine.local import Watch
from sordino.engine.spark.frames import pieces_of
from sordino.engine.spark.kept_policy import keep_policy
from sordino.engine.spark.place import KEEP, PUBLISH, Place
from sordino.engine.spark.routing import LABEL, labels
from sordino.engine.spark.rows import NUMBER, Counted, Rows, count_rows, expanded, read_rows
from sordino.engine.spark.table_manifest import Grouping, TableManifest
from sordino.engine.spark.table_release import finish
from sordino.engine.spark.templates import MOST, check_columns
from sordino.errors import InputError, InternalError
from sordino.policy.diversity import DiversityPolicy
from sordino.protect.registry import find_method
from sordino.release.diversity.parts import audit_published
from sordino.release.diversity.protect import protect_groups
from sordino.release.diversity.result import DiversityRelease
from sordino.verify.shapes.diversity import StatedDiversity
from sordino.version import VERSION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SparkGroupRelease", "protect_people"]

Int64 = npt.NDArray[np.int64]


def protect_people(
    rows: Rows, policy: DiversityPolicy, *, method: str, seed: int, missing: str, options: Mapping[str, Any]
) -> SparkGroupRelease:
    """A release in which everybody has l possible values; Unsatisfiable if there is none."""
    chosen = find_method(method, "diversity")
    if "form" in options:
        raise InputError("a release of a cluster has one form: permuted within groups", hint="Leave 'form' out.")
    check_columns(rows)
    counted = count_rows(rows)
    if counted.table.people > MOST:
        raise InputError(
            f"grouping looks at every person, and there are more than {MOST:,}",
            hint="Release them in several folders: groups do not depend on each other.",
        )
    whole, row = expanded(counted.table)
    made = protect_groups(replace(whole, left_out=0), policy, chosen, missing=missing, seed=seed, options=options)
    return SparkGroupRelease(source=rows, counted=counted, row=row, made=made)


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkGroupRelease:
    """A grouped table in which a diversity policy holds.

    dataframe: `record` (numbers from 1), the columns that the policy names, the sensitive values permuted within
    groups, and the column of the groups.
    """

    source: Rows
    counted: Counted
    row: Int64  # the distinct row behind each row of the table that was grouped
    made: DiversityRelease

    @property
    def records(self) -> int:
        return len(self.row)

    @property
    def policy(self) -> DiversityPolicy:
        return self.made.policy

    @property
    def method(self) -> str:
        return self.made.method

    @property
    def groups(self) -> int:
        return self.made.audit_after.groups

    def __repr__(self) -> str:
        return f"SparkGroupRelease({self.records:,} rows, method {self.method!r}, {self.groups:,} groups)"

    def summary(self) -> str:
        """What was done, in a sentence."""
        return f"{self.records:,} rows are safe to publish, in {self.groups:,} groups."

    def free(self) -> None:
        """The cluster keeps nothing for this release."""

    def to_dict(self) -> dict[str, Any]:
        """What there is to tell of the release, ready for JSON; for the house."""
        return {"method": self.method, "records": self.records, "groups": self.groups}

    @cached_property
    def dataframe(self) -> DataFrame:
        """The published rows."""
        import pyarrow as pa

        table = arrow_cells(self.made.data)
        return self._sent(table.add_column(0, NUMBER, pa.array(np.arange(1, table.num_rows + 1))))

    def _sent(self, table: Any, number: str = NUMBER) -> DataFrame:
        """Rows of this machine in the cluster: in pieces that follow from their numbers alone."""
        from pyspark.sql import functions as F  # noqa: N812

        session = self.source.session
        pieces = pieces_of(self.records)
        marks = F.array(*map(F.lit, labels(session, pieces)))
        piece = F.floor((F.col(number) - 1) * pieces / self.records).cast("int")
        rows = session.createDataFrame(table).withColumn(LABEL, F.element_at(marks, piece + 1))
        sent: DataFrame = rows.repartition(pieces, LABEL).drop(LABEL).sortWithinPartitions(number)
        return sent

    def write(self, uri: str | os.PathLike[str]) -> DiversityResult:
        """Write the release there, where nothing may be yet; the audit of what was written, which holds."""
        made, policy = self.made, self.policy
        place = Place(uri, self.source.session)
        place.check_free()
        place.write_frame(self.dataframe, f"{PUBLISH}/data")
        written = place.read_frame(f"{PUBLISH}/data")
        names = [name for name in written.columns if name != NUMBER]
        counted = count_rows(read_rows(written, names, NUMBER))
        table, _ = expanded(counted.table)
        grouped = Grouped(replace(table, left_out=0), made.group)
        audit = audit_published(grouped, policy, made.rules, jobs=None, watch=Watch())
        if not audit.holds or audit.records != self.records:
            raise InternalError("the audit of the written files finds that the policy does not hold")
        self._keep(place, audit)
        known = set(made.rules)
        public = replace(policy, rules=tuple(rule for rule in policy.rules if rule in known)).statement()
        types = dict(written.dtypes)
        manifest = TableManifest(
            VERSION, self.method, self.records, tuple((name, types[name]) for name in names), StatedDiversity(public),
            {}, Grouping(made.group, audit.groups, audit.plain_l, audit.matching_l),
            (
                {a: {label: list(held) for label, held in one.items()} for a, one in made.meaning.items()},
                [(dict(rule.conditions), rule.excludes) for rule in made.rules],
            ),
        )  # fmt: skip
        finish(place, manifest, policy)
        return audit

    def _keep(self, place: Place, audit: DiversityResult) -> None:
        """What stays in the house: whose value is whose, who is who, the policy as it was stated."""
        import pyarrow as pa

        made = self.made
        shown = made.data.column(made.policy.sensitive)
        changes = {
            "published": pa.array(np.arange(1, self.records + 1)),
            "group": pa.array(made.data.column(made.group).codes + 1),
            "from": pa.array(made.true_value, pa.string()),
            "to": pa.array(list(shown.cells()), pa.string()),
        }
        place.write_frame(self._sent(pa.table(changes), "published"), f"{KEEP}/changes")
        if self.source.record is not None:
            place.write_frame(self._numbers(), f"{KEEP}/records")
        after = {name: value for name, value in audit.to_dict().items() if name != "seconds"}
        before = {name: value for name, value in made.audit_before.to_dict().items() if name != "seconds"}
        history = {**self.to_dict(), "seed": made.seed, "before": before, "after": after}
        place.write_text(f"{KEEP}/audit.json", json.dumps(history, indent=1) + "\n")
        keep_policy(place, made.policy)

    def _numbers(self) -> DataFrame:
        """Rows of `published` and `record`, the id in the source; of equal rows in an order that chance says."""
        import pyarrow as pa
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.window import Window

        source, session = self.source, self.source.session
        raw = self.counted.raw.rename_columns([f"k{j}" for j in range(len(source.named))])
        keys = session.createDataFrame(raw.append_column("row", pa.array(np.arange(raw.num_rows))))
        cells = [source.shown(name).alias(f"s{j}") for j, name in enumerate(source.named)]
        people = source.frame.select(*cells, F.col(f"`{source.record}`").cast("string").alias("id"))
        same = [people[f"s{j}"].eqNullSafe(keys[f"k{j}"]) for j in range(len(cells))]
        told = F.sha2(F.concat_ws(" ", F.lit(f"sordino equals {self.made.seed}"), "id"), 256)
        copy = F.row_number().over(Window.partitionBy("row").orderBy("told")) - 1
        known = people.join(keys, same).select("row", "id", told.alias("told"))
        known = known.select("row", "id", copy.cast("long").alias("copy"))
        at = self.made.row
        start = np.searchsorted(self.row, np.arange(raw.num_rows))
        owner = self.row[at]
        numbers = pa.table({"published": np.arange(1, len(at) + 1), "row": owner, "copy": at - start[owner]})
        found = session.createDataFrame(numbers).join(known, ["row", "copy"])
        named = found.select("published", F.col("id").alias("record"))
        return named.repartition(pieces_of(self.records), "published").sortWithinPartitions("published")
