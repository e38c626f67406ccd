"""A table in which cells were suppressed or generalized, under a template policy. Counting is the proof.

Its entries of the manifest:

    "ids": "shuffle",
    "data": {"file": "data.csv", "format": "csv", "delimiter": ",", "missing": ["", "?"], "kinds": {},
             "columns": ["Job", "Age", ..]},
    "policy": {"kind": "template", "class": "Rating", "symbol": "*", "bins": {"Age": {"width": "10"}},
               "templates": [{"given": [..], "sensitive": "Bankruptcy", "values": ["Discharged"], "rarest": null,
                              "at_most": "0.75"}]},
    "absent": []

`absent` lists the values that the policy names and that do not occur, as [template, value]. The verifier reads the
published file and counts, with DuckDB and not with the code of the audit: among the rows that agree in all given
columns, the share that has the value.

**What is missing** is no value that could be inferred, and rows that miss a value agree with each other. So a publisher
could hide values by calling them missing. Therefore rows are told apart by what their cells show, whatever is called
missing; and what counts as missing is what whoever verifies says, else what is commonly written for it (MISSING). A
kind that is stated counts only if it is text: numbers tell fewer values apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from sordino.data.counted import Counted
from sordino.data.read_counted import read_huge
from sordino.data.read_table import read_table
from sordino.data.table import MISSING, TEXT, Table
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.bins import is_binned
from sordino.policy.kinds import Policy
from sordino.policy.template import Rule, Template, TemplatePolicy, absent_from
from sordino.policy.threshold import show_rational
from sordino.verify.asked import Asked
from sordino.verify.bounded import LeftOpenError
from sordino.verify.contents import check_rows, check_rows_in_pieces, checked_bytes
from sordino.verify.manifest import MANIFEST, Manifest, whole_list, whole_number, whole_text
from sordino.verify.missing import agree_on_missing, what_is_missing
from sordino.verify.verdict import Verdict

__all__ = ["FORMATS", "TemplateManifest", "absent_values", "count_groups", "read_statement", "statement_of"]

FORMATS = ("csv", "parquet", "jsonl")


@dataclass(frozen=True, kw_only=True)
class TemplateManifest(Manifest):
    """What the manifest of a protected table says."""

    shape: ClassVar[str] = "template"
    takes: ClassVar[frozenset[str]] = frozenset({"delimiter", "missing", "kinds"})

    ids: str
    policy: TemplatePolicy
    format: str
    delimiter: str
    missing: tuple[str, ...]
    kinds: Mapping[str, str]
    columns: tuple[str, ...]
    absent: tuple[tuple[int, str], ...] = ()

    def document(self) -> dict[str, Any]:
        """Form of the data, policy, and values that do not occur."""
        return {
            "ids": self.ids,
            "data": {
                "file": self.file,
                "format": self.format,
                "delimiter": self.delimiter,
                "missing": list(self.missing),
                "kinds": dict(self.kinds),
                "columns": list(self.columns),
            },
            "policy": statement_of(self.policy),
            "absent": [list(entry) for entry in self.absent],
        }

    @classmethod
    def read(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> Self:
        data = document["data"]
        if data["format"] not in FORMATS or common["file"].removesuffix(".gz") != f"data.{data['format']}":
            raise ValueError
        if len(data["delimiter"]) != 1 or (data["format"] != "csv" and (data["delimiter"] != "," or data["kinds"])):
            raise ValueError
        return cls(
            **common,
            ids=whole_text(document["ids"]),
            format=whole_text(data["format"]),
            delimiter=whole_text(data["delimiter"]),
            missing=tuple(map(whole_text, whole_list(data["missing"]))),
            kinds={whole_text(name): whole_text(kind) for name, kind in data["kinds"].items()},
            columns=tuple(map(whole_text, whole_list(data["columns"]))),
            policy=read_statement(document["policy"]),
            absent=tuple((whole_number(number), whole_text(value)) for number, value in whole_list(document["absent"])),
        )

    def needed(self) -> frozenset[str]:
        """The data; counting them is the proof."""
        return frozenset({self.file})

    def different(self, stated: Policy) -> str | None:
        """In what the release is about another policy, whatever the order in which that was written."""
        if not isinstance(stated, TemplatePolicy):
            return "its kind"
        if _demands(stated) != _demands(self.policy):
            return "the templates"
        if stated.bins != self.policy.bins:
            return "the ranges (bins)"
        return None if stated.symbol == self.policy.symbol else "the symbol of suppressed cells"

    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, Table]:
        """Count the published file."""
        own, notes = self._checked_table(publish, asked)
        if absent_values(self.policy, own) != self.absent:
            raise InputError("the manifest is wrong about which sensitive values occur in the data")
        policy: TemplatePolicy = self.policy if asked.policy is None else asked.policy
        missing = what_is_missing(self.missing, asked)
        kinds = asked.form.get("kinds") or {name: kind for name, kind in self.kinds.items() if kind == TEXT}
        table = own
        if set(missing) != set(self.missing) or kinds != self.kinds:
            table = self.read_data(publish, missing, kinds)
        for name in policy.bins:
            if not is_binned(table.column(name), policy.symbol):
                raise InputError(f"the column '{name}' does not show ranges, though the policy says so")
        _check_values(policy, table, missing)
        named = {name for t in policy.templates for name in (*t.given, t.sensitive)}
        if asked.policy is None and "missing" not in asked.form and set(self.missing) - set(MISSING):
            bare = self.read_data(publish, (), kinds)
            agree_on_missing(self.missing, [bare.column(name) for name in sorted(named)])
        shown = table
        if kinds != self.kinds or any(table.column(name).lacking for t in policy.templates for name in t.given):
            shown = self.read_data(publish, (), kinds)
        resolved = policy.resolve(table, missing="accept")
        counted = 0
        for number, rule in enumerate(resolved.stated, start=1):
            known = [shown.column(resolved.table.names[place]).codes for place in rule.given]
            secret = resolved.table.columns[rule.sensitive].codes
            groups, broken = count_groups(known, secret, rule, resolved.table.weight)
            counted += groups
            if broken:
                many = f"{broken:,} combinations of known values give" if broken > 1 else "1 combination gives"
                raise InputError(f"template {number} does not hold: {many} a sensitive value away")
        gone = len(absent_values(policy, table))
        if gone:
            what = (
                "1 sensitive value of the policy does" if gone == 1 else f"{gone:,} sensitive values of the policy do"
            )
            notes = (f"{what} not occur in the data, so nothing can be inferred about it", *notes)
        protected = sum(len(rule.codes) for rule in resolved.stated)
        return Verdict(Answer.HOLDS, "proved", protected, 0, counted, 0.0, notes), own

    def _checked_table(self, publish: Path, asked: Asked) -> tuple[Table, tuple[str, ...]]:
        """The published table as its manifest says it is to be read, once nothing else is known to be in its file."""
        if self.format == "csv":
            asked.agrees(delimiter=self.delimiter)
        path = publish / self.file
        counted = self._counted(publish, self.missing)
        content = checked_bytes(path) if counted is None else b""
        table = counted or self.read_data(publish, self.missing, self.kinds)
        if (table.names if counted is None else counted.all_names) != self.columns:
            raise InputError(f"the columns of the data are not those that {MANIFEST} lists")
        if table.people != self.records:
            raise InputError("the number of rows is not that of the manifest")
        left = check_rows(path, content, table) if counted is None else check_rows_in_pieces(path, self.columns)
        return table, (left,) if left else ()

    def read_data(self, publish: Path, missing: Sequence[str], kinds: Mapping[str, str]) -> Table:
        """The published table, with these texts for missing values, and columns of these kinds.

        Of one that is too large to be held, the distinct rows in the columns of the policy.
        """
        delimiter = self.delimiter if self.format == "csv" else None
        return self._counted(publish, missing) or read_table(
            publish / self.file, delimiter=delimiter, missing=missing, kinds=kinds or None
        )

    def _counted(self, publish: Path, missing: Sequence[str]) -> Counted | None:
        """The distinct rows of a table that is too large to be held; None of others."""
        named = {name for t in self.policy.templates for name in (*t.given, t.sensitive)}
        named |= set() if self.policy.class_column is None else {self.policy.class_column}
        return read_huge(publish / self.file, named, missing) if self.format == "parquet" else None

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        rows = f"{self.records:,} row{'' if self.records == 1 else 's'}"
        templates = len(self.policy.templates)
        return (
            "no sensitive value can be inferred above its threshold.",
            f"{rows}, {templates:,} template{'' if templates == 1 else 's'}, {verdict.items:,} sensitive "
            f"value{'' if verdict.items == 1 else 's'}.",
            f"{verdict.searched:,} combinations of known values were counted in the data; each keeps its thresholds. "
            f"It took {verdict.seconds:.1f} s.",
        )


def statement_of(policy: TemplatePolicy) -> dict[str, object]:
    """The policy as plain data. Hierarchies are how a method may go about it, not part of what must hold."""
    return {
        "kind": "template",
        "class": policy.class_column,
        "symbol": policy.symbol,
        "bins": {name: bins.stated() for name, bins in policy.bins.items()},
        "templates": [
            {
                "given": list(template.given),
                "sensitive": template.sensitive,
                "values": list(template.values),
                "rarest": None if template.rarest is None else show_rational(template.rarest),
                "at_most": show_rational(template.at_most),
            }
            for template in policy.templates
        ],
    }


def read_statement(policy: Mapping[str, Any]) -> TemplatePolicy:
    """The policy from such plain data; ValueError and its like if it is none."""
    templates = [
        Template(
            map(whole_text, whole_list(entry["given"])),
            whole_text(entry["sensitive"]),
            map(whole_text, whole_list(entry["values"])),
            whole_text(entry["at_most"]),
            rarest=None if entry["rarest"] is None else whole_text(entry["rarest"]),
        )
        for entry in whole_list(policy["templates"])
    ]
    return TemplatePolicy(
        templates,
        class_column=None if policy["class"] is None else whole_text(policy["class"]),
        bins=dict(policy["bins"]),
        symbol=whole_text(policy["symbol"]),
    )


def absent_values(policy: TemplatePolicy, table: Table) -> tuple[tuple[int, str], ...]:
    """The values that templates (from 1) name and that the table does not hold."""
    numbered = enumerate(policy.templates, start=1)
    return tuple((n, text) for n, t in numbered for text in absent_from(table.column(t.sensitive), t.values))


def _demands(policy: TemplatePolicy) -> set[tuple[object, ...]]:
    return {(frozenset(t.given), t.sensitive, frozenset(t.values), t.rarest, t.at_most) for t in policy.templates}


def _check_values(policy: TemplatePolicy, table: Table, missing: tuple[str, ...]) -> None:
    """LeftOpenError if a sensitive value seems not to occur only because of how it is written."""
    for number, value in absent_values(policy, table):
        column = table.column(policy.templates[number - 1].sensitive)
        if value in missing and column.lacking:
            raise LeftOpenError(
                f"the policy calls '{value}' sensitive, which also stands for a missing value; say what is missing: "
                "--null TEXT"
            )
        if not column.numeric and _number(value) is not None and _number(value) in set(map(_number, column.texts)):
            raise LeftOpenError(
                f"the policy calls '{value}' sensitive, and the column '{column.name}' writes that number otherwise: "
                "say that it holds numbers (in Python kinds=)"
            )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def count_groups(known: Sequence[Any], sensitive: Any, rule: Rule, weight: Any = None) -> tuple[int, int]:
    """How many combinations of known values there are, and how many of them break the rule; counted by DuckDB.

    weight: for how many rows each stands, if not for one.
    """
    import duckdb
    import pyarrow as pa

    columns = {f"k{n}": pa.array(codes) for n, codes in enumerate(known)}
    times = np.ones(len(sensitive), dtype=np.int64) if weight is None else weight
    rows = pa.table({**columns, "s": pa.array(sensitive), "w": pa.array(times)})
    wanted = pa.table({"s": pa.array(rule.codes)})
    keys = ", ".join(columns)
    with duckdb.connect() as base:
        base.register("sordino_rows", rows)
        base.register("sordino_wanted", wanted)
        found = base.execute(
            f"""
            WITH pairs AS (SELECT {keys}, s, sum(w) AS people FROM sordino_rows GROUP BY {keys}, s),
                 shares AS (SELECT *, sum(people) OVER (PARTITION BY {keys}) AS together FROM pairs)
            SELECT (SELECT count(*) FROM (SELECT DISTINCT {keys} FROM pairs)),
                   (SELECT count(DISTINCT ({keys})) FROM shares
                    WHERE s IN (SELECT s FROM sordino_wanted)
                      AND people::HUGEINT * {rule.den} > together::HUGEINT * {rule.num})
            """
        ).fetchone()
    assert found is not None
    return int(found[0]), int(found[1])
