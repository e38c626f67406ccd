"""The independent verifier of a release that was made in a cluster: plain DataFrame operations, and none of the code
that made it.

What is checked, and why it suffices, is what verify/proof.py says of releases of one machine; here every check is a
join or a sum, so that it runs wherever the data are. A class of equal records is called by its lowest number. Rows of
the proof: `item`, `record` (the class that is served), `alibi` (the class that vouches), `units`; where `alibi` is
null, all parts of the record are searched here (verify/opensearch.py), on what other records have in common with it.

Only `verify`, `policy`, `data` and `errors` are imported, besides how a release lies in its place.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from sordino.data.baskets import Baskets
from sordino.engine.spark.manifest import SparkManifest
from sordino.engine.spark.place import MANIFEST, PUBLISH, Held, Place
from sordino.engine.spark.readme import check_readme
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.policy.threshold import floor_fraction
from sordino.verify.bounded import Effort, LeftOpenError
from sordino.verify.classes import classes_of
from sordino.verify.opensearch import OpenSearch, RecordBits
from sordino.verify.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["read_manifest", "verify_place", "verify_written"]

OPEN = 200_000  # entries that are searched one by one at the most
STEPS = 5_000_000_000  # for the search of one of them


class RefusedError(Exception):
    """The release does not show what it should; the text says why."""


def read_manifest(place: Place) -> SparkManifest:
    """The manifest; an InputError if there is none."""
    text = place.read_text(f"{PUBLISH}/{MANIFEST}")
    if text is None:
        raise InputError("there is no manifest, so this is no release, or one that was never finished", where=place.uri)
    return SparkManifest.read(text)


def verify_written(place: Place, policy: InferencePolicy | None = None) -> Verdict:
    """Whether a release is whole and keeps what it promises, or what the given policy demands."""
    start = time.monotonic()
    try:
        manifest = read_manifest(place)
    except InputError as error:
        return Verdict(Answer.FAILS, error.what, 0, 0, 0, time.monotonic() - start)
    return verify_place(place, manifest, policy)


def verify_place(place: Place, manifest: SparkManifest, policy: InferencePolicy | None = None) -> Verdict:
    """The same, with the manifest at hand."""
    start = time.monotonic()
    answer, reason, counts = Answer.FAILS, "", (0, 0, 0)
    try:
        with Held() as held:
            counts = _Check(place, manifest, policy, held).run()
        answer, reason = Answer.HOLDS, "proved"
    except RefusedError as refusal:
        reason = str(refusal)
    except LeftOpenError as left:
        answer, reason = Answer.NOT_CHECKED, left.what
    except InputError as error:
        reason = error.what
    except PolicyError as error:
        reason = str(error)
    return Verdict(answer, reason, *counts, time.monotonic() - start)


class _Check:
    def __init__(self, place: Place, manifest: SparkManifest, policy: InferencePolicy | None, held: Held) -> None:
        self.place, self.manifest, self.held = place, manifest, held
        self.policy = manifest.policy if policy is None else policy
        if self.policy.personal or self.policy.assurance is not None:
            raise RefusedError("the policy is about something else than what such a release can show")
        self.policy.check_stated()
        # Who is safe whatever is known to be absent is safe when nothing is.
        self.counts = self.policy.absent is not None or manifest.policy.absent is not None

    def run(self) -> tuple[int, int, int]:
        """Sensitive items, entries shown by alibis, and entries searched."""
        from pyspark.sql import functions as F  # noqa: N812

        self._files()
        data = self.place.read_frame(f"{PUBLISH}/data")
        records = self.held(self._records(data))
        self._numbers(records)
        told = self._thresholds(records)
        schema = "item string, num long, den long"
        rho = self.place.session.createDataFrame([(n, r.numerator, r.denominator) for n, r in told.items()], schema)
        counted = records.groupBy("items").agg(F.min("record").alias("name"), F.count(F.lit(1)).alias("weight"))
        classes = self.held(counted)
        if self.counts:
            return len(told), 0, self._twins(classes, rho)
        beside = classes.where(F.size("items") > 1)
        needy = beside.select("name", "weight", "items", F.explode("items").alias("item")).join(
            F.broadcast(rho), "item"
        )
        needy = self.held(needy.withColumn("demand", F.col("weight") * (F.col("den") - F.col("num"))))
        proof = self.place.read_frame(f"{PUBLISH}/proof")
        if dict(proof.dtypes) != {"item": "string", "record": "bigint", "alibi": "bigint", "units": "bigint"}:
            raise RefusedError("the proof has other columns than it should")
        served = self._alibis(proof.where("alibi is not null"), classes, needy)
        searched = self._open(proof.where("alibi is null"), needy, served, records)
        return len(told), needy.count() - searched, searched

    def _files(self) -> None:
        stray = self.place.undeclared(self.manifest.files)
        if stray is not None:
            raise RefusedError(f"{stray} is not in the manifest")
        folders = ("data",) if self.manifest.policy.absent is not None else ("data", "proof")
        listed, there = dict(self.manifest.files), self.place.files(folders)
        for name in sorted(listed.keys() - there.keys()):
            raise RefusedError(f"{name} is missing")
        for name in sorted(there.keys() - listed.keys()):
            raise RefusedError(f"{name} is not in the manifest")
        for name, entry in sorted(there.items()):
            if entry != listed[name]:
                raise RefusedError(f"{name} was changed: its checksum is not that of the manifest")

    def _records(self, data: DataFrame) -> DataFrame:
        """Rows of `record` and `items`, texts in their order; refused if there is anything else."""
        from pyspark.sql import functions as F  # noqa: N812

        types = dict(data.dtypes)
        items = [name for name in types if name != "record"]
        kind = self.manifest.item_type
        if types.get("record") != "bigint" or len(items) != 1 or types[items[0]] != f"array<{kind}>":
            raise RefusedError("the data have other columns than the manifest speaks of")
        check_readme(self.place, self.manifest, items[0])
        texts = F.col(f"`{items[0]}`").cast("array<string>")
        read = data.select("record", texts.alias("items"))
        wrong = F.col("items").isNull() | F.exists("items", lambda x: x.isNull() | (x == ""))
        repeated = F.size(F.array_distinct("items")) < F.size("items")
        if not read.where(wrong | repeated | F.col("record").isNull()).isEmpty():
            raise RefusedError("a record holds an item twice, or none where it should")
        return read.select("record", F.sort_array("items").alias("items"))

    def _numbers(self, records: DataFrame) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        found = records.agg(F.count(F.lit(1)), F.min("record"), F.max("record")).collect()[0]
        if found[0] != self.manifest.records:
            raise RefusedError("the number of records is not that of the manifest")
        if found[0] and (found[1], found[2]) != (1, found[0]):
            raise RefusedError("records are not numbered from 1 on")
        if not records.groupBy("record").count().where("count > 1").isEmpty():
            raise RefusedError("two records have the same number")

    def _thresholds(self, records: DataFrame) -> dict[str, Fraction]:
        """The threshold of every sensitive item that the data hold, as counts are compared with it."""
        from pyspark.sql import functions as F  # noqa: N812

        policy = self.policy
        names = self.place.session.createDataFrame([(name,) for name in policy.sensitive], "item string")
        entries = records.select(F.explode("items").alias("item"))
        counted = entries.join(F.broadcast(names), "item").groupBy("item").count()
        found = policy.thresholds_of(
            {row["item"]: int(row["count"]) for row in counted.collect()}, self.manifest.records
        )
        return {name: floor_fraction(rho, max(self.manifest.records, 1)) for name, rho in found.items()}

    def _alibis(self, proof: DataFrame, classes: DataFrame, needy: DataFrame) -> DataFrame:
        """Rows of `item` and `record`: who got all that he demands; refused if a row is wrong."""
        from pyspark.sql import functions as F  # noqa: N812

        inner = needy.select("item", F.col("name").alias("record"), F.col("items").alias("inner"), "num", "demand")
        outer = classes.select(
            F.col("name").alias("alibi"), F.col("items").alias("outer"), F.col("weight").alias("gives")
        )
        rows = self.held(proof.join(inner, ["item", "record"], "left").join(outer, "alibi", "left"))
        lacking = F.array_except(F.array_remove(F.col("inner"), F.col("item")), F.col("outer"))
        bad = F.col("inner").isNull() | F.col("outer").isNull() | F.col("units").isNull() | (F.col("units") < 1)
        guilty = F.array_contains("outer", F.col("item")) | (F.size(lacking) > 0)
        if not rows.where(bad).isEmpty():
            raise RefusedError("the proof names a record, an item or a number of units that it may not")
        if not rows.where(guilty).isEmpty():
            raise RefusedError("a record that should vouch for another one is no alibi of it")
        spent = rows.groupBy("item", "alibi").agg(
            F.sum("units").alias("sum"), F.min(F.col("gives") * F.col("num")).alias("cap")
        )
        if not spent.where("sum > cap").isEmpty():
            raise RefusedError("a record vouches for more than it may")
        got = rows.groupBy("item", "record").agg(F.sum("units").alias("sum"), F.min("demand").alias("demand"))
        if not got.where("sum != demand").isEmpty():
            raise RefusedError("a record has fewer alibis than it needs, or more")
        return got.select("item", "record")

    def _open(self, listed: DataFrame, needy: DataFrame, served: DataFrame, records: DataFrame) -> int:
        """How many entries the proof leaves open, after all of them were searched; refused if one discloses."""
        from pyspark.sql import functions as F  # noqa: N812

        named = needy.select("item", F.col("name").alias("record"), "items", "num", "den")
        left = self.held(named.join(served, ["item", "record"], "left_anti"))
        rows = self.held(listed.select("item", "record"))
        if not left.join(rows, ["item", "record"], "left_anti").isEmpty():
            raise RefusedError("a record has no alibis, and is not listed as open")
        if not rows.join(left, ["item", "record"], "left_anti").isEmpty() or rows.count() != left.count():
            raise RefusedError("the proof lists a record as open that is not, or lists it twice")
        number = left.count()
        if number > OPEN:
            raise LeftOpenError(f"the proof leaves more than {OPEN:,} entries open, which is too much to be searched")
        if number == 0:
            return 0
        known = self.policy.knowledge
        opened = left.withColumn("entry", F.concat_ws(" ", F.col("record").cast("string"), "item"))
        # What every record has in common with the open one, and whether it has e: counted, and nothing else matters.
        wanted = opened.select("entry", "item", F.explode("items").alias("x")).where("x != item")
        held = records.select("record", F.explode("items").alias("x"))
        common = (
            held.join(F.broadcast(wanted), "x")
            .groupBy("entry", "record")
            .agg(F.sort_array(F.collect_list("x")).alias("part"), F.first("item").alias("item"))
        )
        whole = common.join(records, "record").withColumn("has", F.array_contains("items", F.col("item")))
        counted = whole.groupBy("entry", "has", "part").agg(F.count(F.lit(1)).alias("n"))
        asked = opened.select("entry", "num", "den", F.col("items").alias("all"), F.col("item").alias("e"))
        rivals = counted.join(asked, "entry")

        def search(table: Any) -> Any:
            import pyarrow as pa

            return pa.table({"answer": [_searched(table, known)]})

        answers = {row["answer"] for row in rivals.groupBy("entry").applyInArrow(search, "answer string").collect()}
        if "discloses" in answers:
            raise RefusedError("part of a record discloses a sensitive item beyond its threshold")
        if "left" in answers:
            raise LeftOpenError("the search of what the proof leaves open would take too long, and was given up")
        return int(number)

    def _twins(self, classes: DataFrame, rho: DataFrame) -> int:
        """How many entries were counted, under knowledge of absence: records equal but for one sensitive item."""
        from pyspark.sql import functions as F  # noqa: N812

        many = classes.where(F.size("items") > 1).select("weight", "items", F.explode("items").alias("item"))
        many = many.join(F.broadcast(rho), "item").withColumn("rest", F.array_remove(F.col("items"), F.col("item")))
        twins = classes.select(F.col("items").alias("rest"), F.col("weight").alias("n"))
        both = self.held(many.join(twins, "rest", "left").withColumn("n", F.coalesce("n", F.lit(0).cast("long"))))
        if not both.where("(den - num) * weight > num * n").isEmpty():
            raise RefusedError("records that are equal but for a sensitive item are too few")
        return int(both.count())


def _searched(table: Any, knowledge: int | None) -> str:
    """Whether some part of an open record points to its item too surely, from what others have in common with it."""
    e = table.column("e")[0].as_py()
    held: list[list[str]] = []
    counts: list[int] = []
    whole = sorted(set(table.column("all")[0].as_py()))
    columns = (table.column(name).to_pylist() for name in ("part", "has", "n"))
    for part, has, n in zip(*columns, strict=True):
        held.append([*part, e] if has else list(part))
        counts.append(int(n))
    names = tuple(whole)
    code = {name: k for k, name in enumerate(names)}
    order = sorted(range(len(held)), key=lambda k: sorted(held[k]))
    rows = [np.array(sorted(code[x] for x in held[k]), dtype=np.int32) for k in order for _ in range(counts[k])]
    ptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    items = np.concatenate(rows) if rows else np.empty(0, dtype=np.int32)
    classes = classes_of(Baskets(ptr, items, names))
    rho = Fraction(table.column("num")[0].as_py(), table.column("den")[0].as_py())
    lengths = classes.lengths(np.arange(len(classes)))
    target = int(np.flatnonzero(lengths == len(names))[0])  # the open record itself is among them
    try:
        effort = Effort(STEPS, "the search")
        found = OpenSearch(RecordBits(classes), classes.code_of[e], rho, knowledge, effort).discloses(target)
    except LeftOpenError:
        return "left"
    return "discloses" if found else "safe"
