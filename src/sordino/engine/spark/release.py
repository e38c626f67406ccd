"""A release that was made in a cluster: records in random order under new numbers, and how it is written.

**Order.** The number of a record follows from a hash of what it shows, of the seed and of what all records show
together, so it tells nothing of where the record came from; and it does not depend on how the work was divided.

**Writing.** Data first; then, from what was written and nothing else, the audit, the proof, and the verdict of the
verifier (verify.py); the manifest last.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sordino.audit.result import AuditResult
from sordino.data.baskets import vocabulary_order
from sordino.data.totals import Totals
from sordino.engine.spark.audit import audit_coded
from sordino.engine.spark.frames import Coded, Input, arrow_lists, coded_by, lists, pieces_of, totals_of
from sordino.engine.spark.manifest import SparkManifest
from sordino.engine.spark.order import in_order_of_keys
from sordino.engine.spark.place import KEEP, MANIFEST, PUBLISH, README, Held, Place
from sordino.engine.spark.proof import prove
from sordino.engine.spark.readme import readme
from sordino.engine.spark.shipping import division_of
from sordino.engine.spark.verify import verify_place
from sordino.errors import InternalError
from sordino.policy.answer import Answer
from sordino.policy.file import write_policy
from sordino.policy.inference import InferencePolicy
from sordino.version import VERSION

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SparkRelease"]


@dataclass(frozen=True, eq=False, kw_only=True)
class SparkRelease:
    """Records in which the policy holds.

    dataframe: rows of `record` (numbers from 1) and the column of items, as it was called. deletions: how many (record,
    item) pairs were deleted, of `occurrences_before`.
    """

    source: Input
    rows: DataFrame  # of KEPT (parts.py)
    totals: Totals  # of the input
    after: Totals  # of what is kept, in the same codes
    policy: InferencePolicy
    method: str
    mode: str
    parts: int
    groups: int | None
    audits: int  # of the whole, until nobody was at risk; 0 if nothing was put back
    seed: int
    held: Held

    @property
    def records(self) -> int:
        return self.totals.records

    @property
    def occurrences_before(self) -> int:
        return self.totals.occurrences

    @property
    def deletions(self) -> int:
        """How many (record, item) pairs were deleted."""
        return self.totals.occurrences - self.after.occurrences

    @property
    def loss(self) -> float:
        """The share of the occurrences that were deleted."""
        return self.deletions / max(self.totals.occurrences, 1)

    def __repr__(self) -> str:
        return (
            f"SparkRelease({self.records:,} records, method {self.method!r}, {self.deletions:,} of "
            f"{self.occurrences_before:,} occurrences deleted)"
        )

    def summary(self) -> str:
        """What was done, in a sentence."""
        return (
            f"{self.records:,} records are safe to publish: {self.deletions:,} of {self.occurrences_before:,} "
            f"occurrences were deleted ({self.loss:.1%})."
        )

    def free(self) -> None:
        """Let go of what the cluster keeps for this release, once it is written."""
        self.held.__exit__()

    def to_dict(self) -> dict[str, Any]:
        """What there is to tell of the release, ready for JSON; for the house."""
        return {
            "method": self.method,
            "mode": self.mode,
            "parts": self.parts,
            "records": self.records,
            "occurrences": self.occurrences_before,
            "deletions": self.deletions,
        }

    @cached_property
    def dataframe(self) -> DataFrame:
        """The published records: `record` and the column of items."""
        from pyspark.sql import functions as F  # noqa: N812

        names, item, kind = self._in_use, self.source.item, self.source.item_type

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            texts = pa.array(names, pa.string())
            for batch in batches:
                ptr, flat = lists(batch.column("shown"))
                items = pa.ListArray.from_arrays(pa.array(ptr.astype(np.int32)), texts.take(flat))
                yield pa.RecordBatch.from_arrays([batch.column("record"), items], names=["record", item])

        numbers = self.numbered.select(F.col("number").alias("record"), "shown")
        named = numbers.mapInArrow(work, f"record long, `{item}` array<string>")
        return named if kind == "string" else named.withColumn(item, named[item].cast(f"array<{kind}>"))

    @cached_property
    def _in_use(self) -> tuple[str, ...]:
        """The names that are still there, in their order; nothing that is published may depend on others."""
        return vocabulary_order([self.after.names[code] for code in np.flatnonzero(self.after.supports).tolist()])

    @cached_property
    def _shown(self) -> DataFrame:
        """The rows, with what they keep as places among the names in use, ascending: `shown`."""
        place_of = {item: place for place, item in enumerate(self._in_use)}
        place = np.array([place_of.get(item, -1) for item in self.after.names], dtype=np.int32)
        names = [name for name, _ in self.rows.dtypes]

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            for batch in batches:
                ptr, flat = lists(batch.column("kept"))
                places = place[flat.to_numpy(zero_copy_only=False)]
                places = places[np.lexsort((places, np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))))]
                columns = [*(batch.column(name) for name in names), arrow_lists(ptr, places)]
                yield pa.RecordBatch.from_arrays(columns, names=[*names, "shown"])

        schema = ", ".join(f"{name} {kind}" for name, kind in self.rows.dtypes)
        shown: DataFrame = self.held(self.rows.mapInArrow(work, f"{schema}, shown array<int>"))
        return shown

    @cached_property
    def numbered(self) -> DataFrame:
        """Every record: `rid`, `copy` (which of its equals), `codes`, `kept`, `shown` and its published `number`."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.window import Window

        among = Window.partitionBy("shown").orderBy("rid", "first").rowsBetween(Window.unboundedPreceding, -1)
        counted = self._shown.withColumn("base", F.coalesce(F.sum("weight").over(among), F.lit(0).cast("long")))
        each = F.explode(F.sequence(F.lit(0).cast("long"), F.col("weight") - 1))
        told = (F.lit(self._secret), _text("shown"), (F.col("base") + F.col("k")).cast("string"))
        rows = counted.withColumn("k", each).select(
            "rid", (F.col("first") + F.col("k")).alias("copy"), "codes", "kept", "shown",
            F.sha2(F.concat_ws(" ", *told), 256).alias("key"),
        )  # fmt: skip
        return in_order_of_keys(rows, self.records, self.held)

    @cached_property
    def _secret(self) -> str:
        """What the order follows from, besides single records: the seed, and all records together."""
        from pyspark.sql import functions as F  # noqa: N812

        classes = self._shown.groupBy("shown").agg(F.sum("weight").alias("n"))
        text = F.concat_ws(" ", _text("shown"), F.col("n").cast("string"))
        content = classes.agg(F.bit_xor(F.xxhash64(text)).alias("x")).collect()[0]["x"]
        names = "\x1f".join(self._in_use)
        whole = f"sordino shuffle {self.seed} {content} {names}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()

    # Writing

    def write(self, uri: str | os.PathLike[str]) -> AuditResult:
        """Write the release there, where nothing may be yet; the audit of what was written, which holds."""
        place = Place(uri, self.source.session)
        place.check_free()
        name = self.source.item
        place.write_frame(self.dataframe, f"{PUBLISH}/data")
        written = place.read_frame(f"{PUBLISH}/data")
        totals = totals_of(_as_read(written, name))
        public = self.policy.only(set(self.policy.sensitive).intersection(totals.names))
        resolved = public.resolve(totals, missing="accept")
        with Held() as held:
            coded = _classes(written, name, totals)
            coded = Coded(held(coded.frame), totals)
            audit = audit_coded(coded, resolved, groups=self.groups, top=0)
            if totals.records != self.records or not audit.holds:
                raise InternalError("the audit of the written files finds that the policy does not hold")
            if public.absent is None:
                division = division_of(coded, resolved, self.groups)
                self._write_proof(place, coded, totals, prove(coded, division, held), division.code)
        manifest = SparkManifest(VERSION, self.method, self.records, self.source.item_type, public, {})
        folders = ("data",) if public.absent is not None else ("data", "proof")
        manifest = replace(manifest, files=place.files(folders))
        self._keep(place, audit)
        place.write_text(f"{PUBLISH}/{README}", readme(manifest, name))
        verdict = verify_place(place, manifest, self.policy)
        if verdict.answer is Answer.FAILS:
            raise InternalError(f"the independent verifier refuses the release: {verdict.reason}")
        place.write_text(f"{PUBLISH}/{MANIFEST}", manifest.text())
        return audit

    def _write_proof(self, place: Place, coded: Coded, totals: Totals, proof: DataFrame, code: Any) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        names = totals.names
        by_rank = [names[c] for c in code.tolist()]

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            texts = pa.array(by_rank, pa.string())
            for batch in batches:
                item = texts.take(batch.column("item"))
                rest = [batch.column(name) for name in ("rid", "alibi", "units")]
                yield pa.RecordBatch.from_arrays([item, *rest], names=["item", "record", "alibi", "units"])

        named = proof.mapInArrow(work, "item string, record long, alibi long, units long")
        ordered = named.repartition(coded.pieces, F.col("item")).sortWithinPartitions("item", "record", "alibi")
        place.write_frame(ordered, f"{PUBLISH}/proof")

    def _keep(self, place: Place, audit: AuditResult) -> None:
        """What stays in the house: what was deleted, who is who, the policy as it was written."""
        from pyspark.sql import functions as F  # noqa: N812

        names = list(self.totals.names)
        gone = self.numbered.select("number", F.explode(F.array_except("codes", "kept")).alias("code"))

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            texts = pa.array(names, pa.string())
            for batch in batches:
                columns = [batch.column("number"), texts.take(batch.column("code"))]
                yield pa.RecordBatch.from_arrays(columns, names=["published", "item"])

        changes = gone.mapInArrow(work, "published long, item string").sortWithinPartitions("published", "item")
        place.write_frame(changes, f"{KEEP}/changes")
        if self.source.record is not None:
            place.write_frame(self._numbers(), f"{KEEP}/records")
        history = {"method": self.method, "mode": self.mode, "parts": self.parts, "seed": self.seed}
        after = {name: value for name, value in audit.to_dict().items() if name != "seconds"}
        counts = {"occurrences": self.occurrences_before, "deletions": self.deletions, "after": after}
        place.write_text(f"{KEEP}/audit.json", json.dumps({**history, **counts}, indent=1) + "\n")
        place.write_text(f"{KEEP}/policy.toml", write_policy(self.policy))

    def _numbers(self) -> DataFrame:
        """Rows of `published` and `record`, the id in the input; of equal records in the order of their ids."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql.window import Window

        coded = coded_by(self.source.frame, self.totals.names)
        copy = F.row_number().over(Window.partitionBy("codes").orderBy("id")) - 1
        known = coded.withColumn("copy", copy.cast("long"))
        found = self.numbered.select("number", "codes", "copy").join(known, ["codes", "copy"])
        named = found.select(F.col("number").alias("published"), F.col("id").alias("record"))
        return named.repartition(pieces_of(self.records), "published").sortWithinPartitions("published")


def _text(column: str) -> Any:
    """An array of numbers as one text."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.array_join(F.col(column).cast("array<string>"), ",")


def _as_read(frame: DataFrame, name: str) -> Input:
    from pyspark.sql import functions as F  # noqa: N812

    return Input(frame.select(F.col(f"`{name}`").cast("array<string>").alias("items")), name, None, "string", "list")


def _classes(written: DataFrame, name: str, totals: Totals) -> Coded:
    """Classes of equal published records, each called by the number of its first record."""
    from pyspark.sql import functions as F  # noqa: N812

    items = F.col(f"`{name}`").cast("array<string>").alias("items")
    coded = coded_by(written.select("record", items), totals.names).repartition(pieces_of(totals.records), "codes")
    counted = coded.groupBy("codes").agg(F.min("record").alias("rid"), F.count(F.lit(1)).alias("weight"))
    return Coded(counted.select("rid", "codes", "weight"), totals)
