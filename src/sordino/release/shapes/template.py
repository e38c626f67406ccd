"""A table in which cells were suppressed or generalized, under a template policy. Counting is the proof.

Its entries of the manifest:

    "ids": "shuffle",
    "data": {"file": "data.csv", "format": "csv", "delimiter": ",", "missing": ["", "?"], "kinds": {}},
    "policy": {"kind": "template", "class": "Rating", "symbol": "*", "bins": {"Age": {"width": "10"}},
               "templates": [{"given": [..], "sensitive": "Bankruptcy", "values": ["Discharged"], "rarest": null,
                              "at_most": "0.75"}]},
    "absent": []

`absent` lists the values that the policy names and that do not occur, as [template, value]. The verifier reads the
published file and counts, with DuckDB and not with the code of the audit: among the rows that agree in all given
columns, the share that has the value.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.read_table import read_table
from sordino.data.table import Table
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.bins import is_binned
from sordino.policy.kinds import Policy
from sordino.policy.template import ResolvedTemplate, Rule, Template, TemplatePolicy, absent_from
from sordino.policy.threshold import show_rational
from sordino.release.manifest import MANIFEST, Manifest, whole_number, whole_text
from sordino.release.verdict import Verdict

__all__ = [
    "TemplateManifest",
    "about",
    "about_check",
    "about_policy",
    "absent_values",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "same",
    "state",
    "verify",
]

ABOUT_FORMAT = {"csv": "CSV text with a header", "parquet": "Parquet", "jsonl": "JSON lines, an object a row"}
ABOUT_ORDER = {
    "keep": "Rows and columns are in the order of the source.",
    "renumber": "Rows and columns are in the order of the source.",
    "shuffle": "Rows are in random order, columns in that of the source.",
}
SHOWN = 8  # templates told one by one


@dataclass(frozen=True, kw_only=True)
class TemplateManifest(Manifest):
    """What the manifest of a protected table says."""

    shape: ClassVar[str] = "template"

    ids: str
    policy: TemplatePolicy
    format: str
    delimiter: str
    missing: tuple[str, ...]
    kinds: Mapping[str, str]
    absent: tuple[tuple[int, str], ...] = ()


def document(manifest: TemplateManifest) -> dict[str, Any]:
    """Form of the data, policy, and values that do not occur."""
    return {
        "ids": manifest.ids,
        "data": {
            "file": manifest.file,
            "format": manifest.format,
            "delimiter": manifest.delimiter,
            "missing": list(manifest.missing),
            "kinds": dict(manifest.kinds),
        },
        "policy": state(manifest.policy),
        "absent": [list(entry) for entry in manifest.absent],
    }


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> TemplateManifest:
    """The manifest from its entries."""
    data, policy = document["data"], document["policy"]
    templates = [
        Template(
            map(whole_text, _list(entry["given"])),
            whole_text(entry["sensitive"]),
            map(whole_text, _list(entry["values"])),
            whole_text(entry["at_most"]),
            rarest=None if entry["rarest"] is None else whole_text(entry["rarest"]),
        )
        for entry in _list(policy["templates"])
    ]
    return TemplateManifest(
        **common,
        ids=whole_text(document["ids"]),
        format=whole_text(data["format"]),
        delimiter=whole_text(data["delimiter"]),
        missing=tuple(map(whole_text, _list(data["missing"]))),
        kinds={whole_text(name): whole_text(kind) for name, kind in data["kinds"].items()},
        policy=TemplatePolicy(
            templates,
            class_column=None if policy["class"] is None else whole_text(policy["class"]),
            bins=dict(policy["bins"]),
            symbol=whole_text(policy["symbol"]),
        ),
        absent=tuple((whole_number(number), whole_text(value)) for number, value in _list(document["absent"])),
    )


def state(policy: TemplatePolicy) -> dict[str, object]:
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


def absent_values(policy: TemplatePolicy, table: Table) -> tuple[tuple[int, str], ...]:
    """The values that templates (from 1) name and that the table does not hold."""
    numbered = enumerate(policy.templates, start=1)
    return tuple((n, text) for n, t in numbered for text in absent_from(table.column(t.sensitive), t.values))


def guaranteed(policy: TemplatePolicy) -> tuple[str, ...]:
    """What holds for the published file."""
    sentences = [_sentence(template) for template in policy.templates[:SHOWN]]
    rest = len(policy.templates) - SHOWN
    if rest > 0:
        sentences.append(f"So it is with {rest:,} more such statements, listed in {MANIFEST}.")
    return (
        *sentences,
        "Confidence means: among all rows of this file that agree with what that someone knows, the share of those "
        "that have the sensitive value. A missing or suppressed cell, and a range or group shown in place of a value, "
        "counts as what it shows.",
        "It holds as well for whoever knows only some of these columns, or knows the value itself where the file shows "
        "a range, a group or nothing.",
        "This is exact, without rounding or sampling, for every person in the file; counting the file is the evidence.",
    )


def _sentence(template: Template) -> str:
    if template.rarest is not None:
        which = "any value" if template.rarest == 1 else f"one of the rarest {_percent(template.rarest)} of values"
        what = f"{which} of {template.sensitive}"
    elif len(template.values) == 1:
        what = f"that {template.sensitive} is {template.values[0]}"
    else:
        what = f"any of {len(template.values)} values of {template.sensitive}"
    return (
        f"Someone who knows {_listed(template.given)} of a person cannot infer from this file {what} with a confidence "
        f"above {_percent(template.at_most)}."
    )


def _percent(share: Fraction) -> str:
    text = show_rational(share * 100)
    return str(share) if "/" in text else f"{text}%"


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def not_guaranteed(policy: TemplatePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    limits = [
        "Against someone who knows other columns than those named above, or more of them together than one statement "
        "names, nothing is promised.",
        "Plain frequencies stay visible: how many rows have a sensitive value can be counted by everyone.",
        "Values that the policy does not name as sensitive are not protected, nor is the fact of being in the file.",
        "Other sources: linking this file with other data about the same people, or with another release of the same "
        "rows, may tell more than this file alone.",
        "Knowing what a person's value is NOT, or why the method changed what it changed, is not covered.",
        "Names, addresses and other identifiers must not be in the file to begin with; nothing here removes them.",
    ]
    if policy.bins:
        limits.append(
            f"The edges of the ranges shown in {_listed(tuple(policy.bins))} may follow from the distribution of the "
            "original numbers."
        )
    return tuple(limits)


def about(manifest: TemplateManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    rows = "1 row" if manifest.records == 1 else f"{manifest.records:,} rows"
    policy = manifest.policy
    first = (
        f"{manifest.file} is a table of {rows}, one a person: {ABOUT_FORMAT.get(manifest.format, manifest.format)}. "
        f"{ABOUT_ORDER.get(manifest.ids, '')} Before it was published, cells were suppressed or made less "
        f"precise wherever they would have allowed someone to infer a sensitive value; nothing was invented. '"
        f"{policy.symbol}' stands in a suppressed cell."
    )
    if not policy.bins:
        return (first,)
    return first, f"Instead of numbers, {_listed(tuple(policy.bins))} shows ranges."


def about_policy(manifest: TemplateManifest) -> str:
    """Where to find what is protected."""
    del manifest
    return (
        f'The columns, sensitive values and thresholds are listed in {MANIFEST}, under "policy". They were chosen by '
        "whoever published this folder."
    )


def about_check(manifest: TemplateManifest) -> tuple[str, str]:
    """Why one need not trust, and what verifying does."""
    del manifest
    return (
        "You need not trust whoever made this folder, nor the program that made it: count for yourself, or let an "
        "independent part of sordino count, which shares no code with the rest. In this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and counts every combination of "
        "known values against the policy. Exit code 0 means that everything above was found to be true.",
    )


def files(manifest: TemplateManifest) -> frozenset[str]:
    """The data; counting them is the proof."""
    return frozenset({manifest.file})


def same(one: Policy, other: Policy) -> bool:
    """Whether two policies demand the same of the same ranges, whatever the order in which they were written."""
    return isinstance(one, TemplatePolicy) and isinstance(other, TemplatePolicy) and _meaning(one) == _meaning(other)


def _meaning(policy: TemplatePolicy) -> tuple[object, ...]:
    demands = {(frozenset(t.given), t.sensitive, frozenset(t.values), t.rarest, t.at_most) for t in policy.templates}
    return demands, policy.bins, policy.symbol


def verify(publish: Path, manifest: TemplateManifest) -> Verdict:
    """Count the published file."""
    started = time.perf_counter()
    table = _read_data(publish, manifest)
    policy = manifest.policy
    for name in policy.bins:
        if not is_binned(table.column(name), policy.symbol):
            raise InputError(f"the column '{name}' does not show ranges, though the policy says so")
    if absent_values(policy, table) != manifest.absent:
        raise InputError("the manifest is wrong about which sensitive values occur in the data")
    resolved = policy.resolve(table, missing="accept")
    counted = protected = 0
    reason = "proved"
    for number, rule in enumerate(resolved.stated, start=1):
        groups, broken = count_groups(resolved, rule)
        counted += groups
        protected += len(rule.codes)
        if broken:
            many = f"{broken:,} combinations of known values" if broken > 1 else "1 combination of known values"
            reason = f"template {number} does not hold: {many} give a sensitive value away"
            break
    return Verdict(
        Answer.HOLDS if reason == "proved" else Answer.FAILS,
        reason,
        protected,
        0,
        counted,
        time.perf_counter() - started,
    )


def count_groups(resolved: ResolvedTemplate, rule: Rule) -> tuple[int, int]:
    """How many combinations of known values there are, and how many of them break the rule; counted by DuckDB."""
    import duckdb
    import pyarrow as pa

    table = resolved.table
    known = [f"k{n}" for n in range(len(rule.given))]
    columns = {name: pa.array(table.columns[place].codes) for name, place in zip(known, rule.given, strict=True)}
    rows = pa.table({**columns, "s": pa.array(table.columns[rule.sensitive].codes)})
    wanted = pa.table({"s": pa.array(rule.codes)})
    keys = ", ".join(known)
    with duckdb.connect() as base:
        base.register("sordino_rows", rows)
        base.register("sordino_wanted", wanted)
        found = base.execute(
            f"""
            WITH pairs AS (SELECT {keys}, s, count(*) AS people FROM sordino_rows GROUP BY {keys}, s),
                 shares AS (SELECT *, sum(people) OVER (PARTITION BY {keys}) AS together FROM pairs)
            SELECT (SELECT count(*) FROM (SELECT DISTINCT {keys} FROM pairs)),
                   (SELECT count(DISTINCT ({keys})) FROM shares
                    WHERE s IN (SELECT s FROM sordino_wanted)
                      AND people::HUGEINT * {rule.den} > together::HUGEINT * {rule.num})
            """
        ).fetchone()
    assert found is not None
    return int(found[0]), int(found[1])


def _read_data(publish: Path, manifest: TemplateManifest) -> Table:
    delimiter = manifest.delimiter if manifest.format == "csv" else None
    policy = manifest.policy
    named = {name for t in policy.templates for name in (*t.given, t.sensitive)} | set(policy.bins)
    table = read_table(
        publish / manifest.file,
        delimiter=delimiter,
        missing=manifest.missing,
        kinds=manifest.kinds or None,
        columns=named | ({policy.class_column} if policy.class_column is not None else set()),
    )
    if len(table) != manifest.records:
        raise InputError("the number of rows is not that of the manifest")
    return table


def found(manifest: TemplateManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    rows = f"{manifest.records:,} row{'' if manifest.records == 1 else 's'}"
    templates = len(manifest.policy.templates)
    return (
        "no sensitive value can be inferred above its threshold.",
        f"{rows}, {templates:,} template{'' if templates == 1 else 's'}, {verdict.items:,} sensitive "
        f"value{'' if verdict.items == 1 else 's'}.",
        f"Every file is as the manifest says. {verdict.searched:,} combinations of known values were counted in the "
        f"data, by code of our own; each keeps its thresholds. It took {verdict.seconds:.1f} s.",
    )


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value
