"""The independent verifier of tables that were made in a cluster: plain DataFrame operations, and none of the code that
made them.

What is checked, and why it suffices, is what verify/shapes/template.py and diversity.py say of releases of one machine.
Under templates every check is a count: among the rows that show the same in all given columns, the share that has the
value. Of groups of people each is judged by itself, by the verifier of one machine, as many at once as a task holds.

Only `verify`, `policy`, `data` and `errors` are imported, besides how a release lies in its place.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from sordino.data.sources.table_arrow import arrow_columns
from sordino.data.table import MISSING, Column, Table
from sordino.engine.spark.place import PUBLISH, Held, Place
from sordino.engine.spark.table_manifest import TableManifest, check_readme, read_table_manifest
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.bins import is_binned
from sordino.policy.template import Template, TemplatePolicy
from sordino.verify.bounded import LeftOpenError
from sordino.verify.knowledge_file import Meaning, Rules
from sordino.verify.possible_values import People
from sordino.verify.shapes.diversity import NOT_MINED, StatedDiversity, meant
from sordino.verify.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["check_rules", "demanded", "judged", "verify_table_place", "verify_table_written"]

NUMBER = "record"
Known = list[tuple[Meaning, Rules]]


def verify_table_written(place: Place, policy: Any = None) -> Verdict:
    """Whether a release is whole and keeps what it promises, or what the given policy demands."""
    with Held() as held:
        return judged(lambda: _Check(place, read_table_manifest(place), policy, held).run())


def verify_table_place(place: Place, manifest: TableManifest, policy: Any = None) -> Verdict:
    """The same, with the manifest at hand."""
    with Held() as held:
        return judged(lambda: _Check(place, manifest, policy, held).run())


def judged(check: Any) -> Verdict:
    """The verdict of a check that returns an answer, its reason, and three counts; or raises what is wrong."""
    start = time.monotonic()
    answer, reason, counts = Answer.FAILS, "", (0, 0, 0)
    try:
        answer, reason, counts = check()
    except LeftOpenError as left:
        answer, reason = Answer.NOT_CHECKED, left.what
    except InputError as error:
        reason = error.what
    except PolicyError as error:
        reason = str(error)
    return Verdict(answer, reason, *counts, time.monotonic() - start)


def demanded(manifest: TableManifest, policy: Any) -> tuple[Known, int, str]:
    """What somebody may know of groups of people: the published rules, and those of a stated policy, each to be judged
    with the fewest possible values; and what is then left unchecked ("" if nothing)."""
    stated = manifest.policy
    assert isinstance(stated, StatedDiversity)
    assert manifest.knowledge is not None
    if policy is None or isinstance(policy, StatedDiversity):
        return [manifest.knowledge], stated.l, ""
    if policy.kind != "diversity":
        raise InputError("the policy is about something else than what such a release can show")
    if policy.sensitive != stated.sensitive or not set(policy.quasi) <= set(stated.quasi):
        raise InputError("the policy is about other columns than the release")
    own = (meant(policy), [(dict(rule.conditions), rule.excludes) for rule in policy.rules])
    known = [own, *([manifest.knowledge] if policy.mined else [])]
    return known, policy.l, NOT_MINED if policy.mined else ""


def check_rules(manifest: TableManifest) -> None:
    """An InputError if the published rules lack one that the policy states."""
    assert manifest.knowledge is not None
    assert isinstance(manifest.policy, StatedDiversity)
    listed = {(frozenset(conditions.items()), value) for conditions, value in manifest.knowledge[1]}
    rules = manifest.policy.statement()["knowledge"]["rules"]
    if any((frozenset(rule["if"].items()), rule["not"]) not in listed for rule in rules):
        raise InputError("the published rules lack one that the policy states")


class _Check:
    def __init__(self, place: Place, manifest: TableManifest, policy: Any, held: Held) -> None:
        self.place, self.manifest, self.policy, self.held = place, manifest, policy, held

    def run(self) -> tuple[Answer, str, tuple[int, int, int]]:
        """The answer, and how many values, alibis (none) and combinations were looked at."""
        self._files()
        data = self.place.read_frame(f"{PUBLISH}/data")
        types = {name: kind for name, kind in data.dtypes if name != NUMBER}
        if dict(data.dtypes).get(NUMBER) != "bigint" or tuple(types.items()) != self.manifest.columns:
            raise InputError("the data have other columns than the manifest speaks of")
        check_readme(self.place, self.manifest)
        rows = self.held(data)
        self._numbers(rows)
        if self.manifest.grouping is not None:
            return self._groups(rows)
        policy = self.manifest.policy if self.policy is None else self.policy
        if not isinstance(policy, TemplatePolicy):
            raise InputError("the policy is about something else than what such a release can show")
        return self._templates(rows, policy)

    def _files(self) -> None:
        stray = self.place.undeclared(self.manifest.files)
        if stray is not None:
            raise InputError(f"{stray} is not in the manifest")
        listed, there = dict(self.manifest.files), self.place.files(("data",))
        for name in sorted(listed.keys() - there.keys()):
            raise InputError(f"{name} is missing")
        for name in sorted(there.keys() - listed.keys()):
            raise InputError(f"{name} is not in the manifest")
        for name in sorted(listed):
            if listed[name] != there[name]:
                raise InputError(f"{name} was changed: its checksum is not that of the manifest")

    def _numbers(self, rows: DataFrame) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        found = rows.agg(F.count(F.lit(1)), F.min(NUMBER), F.max(NUMBER), F.count(NUMBER)).collect()[0]
        if found[0] != self.manifest.records:
            raise InputError("the number of rows is not that of the manifest")
        if (found[1], found[2], found[3]) != (1, found[0], found[0]):
            raise InputError("records are not numbered from 1 on")
        if not rows.groupBy(NUMBER).count().where("count > 1").isEmpty():
            raise InputError("two records have the same number")

    # Templates

    def _templates(self, rows: DataFrame, policy: TemplatePolicy) -> tuple[Answer, str, tuple[int, int, int]]:
        for name in policy.bins:
            if not is_binned(self._column(rows, name)[0], policy.symbol):
                raise InputError(f"the column '{name}' does not show ranges, though the policy says so")
        values = combinations = 0
        for number, template in enumerate(policy.templates, start=1):
            asked, groups, broken = self._template(rows, template, policy.symbol)
            values, combinations = values + asked, combinations + groups
            if broken:
                many = f"{broken:,} combinations of known values give" if broken > 1 else "1 combination gives"
                raise InputError(f"template {number} does not hold: {many} a sensitive value away")
        return Answer.HOLDS, "proved", (values, 0, combinations)

    def _template(self, rows: DataFrame, template: Template, symbol: str) -> tuple[int, int, int]:
        """How many values a template is about, how many combinations of known values there are, and how many break it.

        Rows are told apart by what their cells show, whatever is called missing.
        """
        from pyspark.sql import functions as F  # noqa: N812

        column, raw = self._column(rows, template.sensitive)
        zeros = np.zeros(len(column), dtype=np.int32)
        known = [Column(name, zeros, ("-",), weight=column.weight) for name in template.given]
        alone = TemplatePolicy([template], symbol=symbol)
        (rule,) = alone.resolve(Table((column, *known)), missing="accept").stated
        given = [F.col(f"`{name}`").alias(f"g{k}") for k, name in enumerate(template.given)]
        keys = [f"g{k}" for k in range(len(given))]
        all_ = rows.select(*given, F.col(f"`{template.sensitive}`").alias("value"))
        together = self.held(all_.groupBy(*keys).agg(F.count(F.lit(1)).alias("rows")))
        chosen = np.flatnonzero(np.isin(column.codes, rule.codes))
        if not len(chosen):
            return 0, together.count(), 0
        import pyarrow as pa

        wanted = pa.table({"value": raw.take(pa.array(chosen)), "code": pa.array(column.codes[chosen])})
        asked = self.place.session.createDataFrame(wanted)
        people = all_.join(F.broadcast(asked), "value").groupBy(*keys, "code").agg(F.count(F.lit(1)).alias("people"))
        named = people.select(*(F.col(key).alias(f"x{key}") for key in keys), "people")
        same = reduce(lambda a, b: a & b, (named[f"x{key}"].eqNullSafe(together[key]) for key in keys))
        wide = "decimal(38,0)"
        over = F.col("people").cast(wide) * F.lit(rule.den) > F.col("rows").cast(wide) * F.lit(rule.num)
        broken = named.join(together, same).where(over).select(*keys).distinct()
        return len(rule.codes), together.count(), broken.count()

    def _column(self, rows: DataFrame, name: str) -> tuple[Column, Any]:
        """The distinct values of a column with how often each occurs; and the same as Arrow, row by row."""
        from pyspark.sql import functions as F  # noqa: N812

        if name not in dict(self.manifest.columns):
            raise InputError(f"there is no column '{name}', though the policy says so")
        counted = rows.groupBy(F.col(f"`{name}`").alias("value")).agg(F.count(F.lit(1)).alias("n")).toArrow()
        (column,) = arrow_columns(counted.select(["value"]).rename_columns([name]), MISSING, None)
        weight = counted.column("n").to_numpy().astype(np.int64)
        return (
            Column(name, column.codes, column.values, column.kind, column.written, column.missing, weight),
            counted.column("value").combine_chunks(),
        )

    # Groups of people

    def _groups(self, rows: DataFrame) -> tuple[Answer, str, tuple[int, int, int]]:
        manifest = self.manifest
        made, stated = manifest.grouping, manifest.policy
        assert made is not None
        assert isinstance(stated, StatedDiversity)
        if {name for name, _ in manifest.columns} != {*stated.quasi, stated.sensitive, made.column}:
            raise InputError("the columns of the data are not those of the policy")
        check_rules(manifest)
        known, size, left = demanded(manifest, self.policy)
        assert manifest.knowledge is not None
        self._explained(rows, stated)
        plain, matching, groups, examined = self._diversity(rows, [manifest.knowledge])
        if matching < stated.l:
            raise InputError(f"somebody has only {matching} possible values, fewer than {stated.l}")
        if (plain, matching, groups) != (made.plain, made.matching, made.groups):
            raise InputError("the diversity in the manifest is not that of the data")
        if known != [manifest.knowledge]:
            matching = self._diversity(rows, known)[1]
        if matching < size:
            raise InputError(f"by the stated policy somebody has only {matching} possible values, fewer than {size}")
        values = len(self._column(rows, stated.sensitive)[0].values)
        return Answer.NOT_CHECKED if left else Answer.HOLDS, left or "proved", (values, 0, examined)

    def _explained(self, rows: DataFrame, stated: StatedDiversity) -> None:
        """Refused if a published rule speaks of what is not in the data, unexplained, or groups are not numbered."""
        from pyspark.sql import functions as F  # noqa: N812

        made, known = self.manifest.grouping, self.manifest.knowledge
        assert made is not None
        assert known is not None
        # Of all columns, whatever they hold together: rows of nothing but their values, each column by itself.
        columns = [self._column(rows, name)[0] for name in (*stated.quasi, stated.sensitive)]
        longest = max(map(len, columns))
        filled = [Column(c.name, np.resize(c.codes, longest), c.values, c.kind, c.written, c.missing) for c in columns]
        people = People(Table(tuple(filled)), np.zeros(longest, dtype=np.int64), stated.sensitive, stated.quasi)
        people.check_published(*known)
        number = F.col(f"`{made.column}`")
        found = rows.agg(F.min(number), F.max(number), F.count(number), F.countDistinct(number)).collect()[0]
        if tuple(found) != (1, made.groups, self.manifest.records, made.groups):
            raise InputError("the groups are not simply numbered")

    def _diversity(self, rows: DataFrame, known: Known) -> tuple[int, int, int, int]:
        """The fewest different values of a group, the fewest possible ones of a person, the groups, and how many
        different ones were looked at."""
        from pyspark.sql import functions as F  # noqa: N812

        manifest = self.manifest
        made, stated = manifest.grouping, manifest.policy
        assert made is not None
        assert isinstance(stated, StatedDiversity)
        names = [name for name, _ in manifest.columns]
        quasi, sensitive, group = stated.quasi, stated.sensitive, made.column

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa

            held = [batch for batch in batches if batch.num_rows]
            if not held:
                return
            yield pa.RecordBatch.from_pydict(_judge_piece(pa.Table.from_batches(held), quasi, sensitive, group, known))

        pieces = max(2, -(-manifest.records // 100_000))
        sent = rows.select(*(F.col(f"`{name}`") for name in names)).repartition(pieces, F.col(f"`{group}`"))
        schema = "plain long, matching long, groups long, examined long, wrong string"
        found = sent.mapInArrow(work, schema).collect()
        for row in found:
            if row["wrong"]:
                raise InputError(row["wrong"])
        plain, matching = (min(int(row[name]) for row in found) for name in ("plain", "matching"))
        groups, examined = (sum(int(row[name]) for row in found) for name in ("groups", "examined"))
        return plain, matching, groups, examined


def _judge_piece(
    table: Any, quasi: Sequence[str], sensitive: str, group: str, known: Known
) -> Mapping[str, list[int] | list[str]]:
    """The diversity of some groups, all of each."""
    number = table.column(group).to_numpy()
    columns = Table(arrow_columns(table.drop_columns([group]), MISSING, None))
    wrong, plain, matching, groups, examined = "", 0, 0, 0, 0
    try:
        people = People(columns, np.unique(number, return_inverse=True)[1].astype(np.int64), sensitive, quasi)
        plain, matching, groups = people.diversity(known)
        examined = people.examined
    except (InputError, LeftOpenError) as error:
        wrong = error.what
    return {
        "plain": [plain], "matching": [matching], "groups": [groups], "examined": [examined], "wrong": [wrong],
    }  # fmt: skip
