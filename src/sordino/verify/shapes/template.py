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

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.read_table import read_table
from sordino.data.table import MISSING, TEXT, Column, Table
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.bins import is_binned
from sordino.policy.kinds import Policy
from sordino.policy.template import Rule, Template, TemplatePolicy, absent_from
from sordino.policy.threshold import show_rational
from sordino.release.asked import Asked
from sordino.release.bounded import LeftOpenError
from sordino.release.contents import check_rows, checked_bytes
from sordino.release.manifest import MANIFEST, README, Manifest, whole_number, whole_text
from sordino.release.statement import APART, OURS
from sordino.release.table_seen import seen_in_table
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "TAKES",
    "TemplateManifest",
    "about",
    "about_check",
    "about_policy",
    "absent_values",
    "agree_on_missing",
    "apart",
    "different",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "same",
    "state",
    "verify",
    "what_is_missing",
]

TAKES = frozenset({"delimiter", "missing", "kinds"})
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
    columns: tuple[str, ...]
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
            "columns": list(manifest.columns),
        },
        "policy": state(manifest.policy),
        "absent": [list(entry) for entry in manifest.absent],
    }


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> TemplateManifest:
    """The manifest from its entries."""
    data, policy = document["data"], document["policy"]
    if data["format"] not in ABOUT_FORMAT or common["file"].removesuffix(".gz") != f"data.{data['format']}":
        raise ValueError
    if len(data["delimiter"]) != 1 or (data["format"] != "csv" and (data["delimiter"] != "," or data["kinds"])):
        raise ValueError
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
        columns=tuple(map(whole_text, _list(data["columns"]))),
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
        "Columns that no statement above names are not protected.",
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
        f"{manifest.file} is a table of {rows}, one a person: {ABOUT_FORMAT[manifest.format]}{apart(manifest)}. "
        f"{ABOUT_ORDER.get(manifest.ids, '')} Before it was published, cells were suppressed or made less "
        f"precise wherever they would have allowed someone to infer a sensitive value; nothing was invented. '"
        f"{policy.symbol}' stands in a suppressed cell."
    )
    more = [f"Its columns: {', '.join(manifest.columns)}."]
    if policy.bins:
        more.append(f"Instead of numbers, {_listed(tuple(policy.bins))} shows ranges.")
    if set(manifest.missing) - set(MISSING):
        texts = ", ".join(f"'{text}'" for text in manifest.missing)
        more.append(f"Who published it takes these texts for missing values: {texts}.")
    return first, *more


def apart(manifest: Any) -> str:
    """What separates the fields, where it is not a comma."""
    if manifest.delimiter == ",":
        return ""
    return f", its fields apart by {APART.get(manifest.delimiter, repr(manifest.delimiter))}"


def about_policy(manifest: TemplateManifest) -> str:
    """Where to find what is protected."""
    del manifest
    return (
        f'The columns, sensitive values and thresholds are listed in {MANIFEST}, under "policy". They were chosen by '
        "whoever published this folder."
    )


def about_check(manifest: TemplateManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    own = "" if not set(manifest.missing) - set(MISSING) else " It has to be told what is missing (--null TEXT)."
    return (
        f"You need not trust whoever made this folder: count for yourself, or let a part of sordino count {OURS}. In "
        "this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and counts every combination of "
        f"known values against the policy.{own}",
        "what is guaranteed was found to be true",
    )


def files(manifest: TemplateManifest) -> frozenset[str]:
    """The data; counting them is the proof."""
    return frozenset({manifest.file})


def same(one: Policy, other: Policy) -> bool:
    """Whether two policies demand the same of the same ranges, whatever the order in which they were written."""
    return different(one, other) is None


def different(stated: Policy, published: Policy) -> str | None:
    """In what the release is about another policy."""
    if not (isinstance(stated, TemplatePolicy) and isinstance(published, TemplatePolicy)):
        return "its kind"
    if _demands(stated) != _demands(published):
        return "the templates"
    if stated.bins != published.bins:
        return "the ranges (bins)"
    return None if stated.symbol == published.symbol else "the symbol of suppressed cells"


def _demands(policy: TemplatePolicy) -> set[tuple[object, ...]]:
    return {(frozenset(t.given), t.sensitive, frozenset(t.values), t.rarest, t.at_most) for t in policy.templates}


def verify(publish: Path, manifest: TemplateManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Count the published file."""
    started = time.perf_counter()
    own, notes = _checked_table(publish, manifest, asked)
    if absent_values(manifest.policy, own) != manifest.absent:
        raise InputError("the manifest is wrong about which sensitive values occur in the data")
    policy: TemplatePolicy = manifest.policy if asked.policy is None else asked.policy
    missing = what_is_missing(manifest.missing, asked)
    kinds = asked.form.get("kinds") or {name: kind for name, kind in manifest.kinds.items() if kind == TEXT}
    table = own
    if set(missing) != set(manifest.missing) or kinds != manifest.kinds:
        table = _read(publish, manifest, missing, kinds)
    for name in policy.bins:
        if not is_binned(table.column(name), policy.symbol):
            raise InputError(f"the column '{name}' does not show ranges, though the policy says so")
    _check_values(policy, table, missing)
    named = {name for t in policy.templates for name in (*t.given, t.sensitive)}
    if asked.policy is None and "missing" not in asked.form and set(manifest.missing) - set(MISSING):
        agree_on_missing(manifest.missing, [_read(publish, manifest, (), kinds).column(name) for name in sorted(named)])
    shown = table
    if kinds != manifest.kinds or any(table.column(name).lacking for t in policy.templates for name in t.given):
        shown = _read(publish, manifest, (), kinds)
    resolved = policy.resolve(table, missing="accept")
    counted = protected = 0
    for number, rule in enumerate(resolved.stated, start=1):
        known = [shown.column(resolved.table.names[place]).codes for place in rule.given]
        groups, broken = count_groups(known, resolved.table.columns[rule.sensitive].codes, rule)
        counted += groups
        protected += len(rule.codes)
        if broken:
            many = f"{broken:,} combinations of known values give" if broken > 1 else "1 combination gives"
            raise InputError(f"template {number} does not hold: {many} a sensitive value away")
    gone = len(absent_values(policy, table))
    if gone:
        what = "1 sensitive value of the policy does" if gone == 1 else f"{gone:,} sensitive values of the policy do"
        notes = (f"{what} not occur in the data, so nothing can be inferred about it", *notes)
    verdict = Verdict(Answer.HOLDS, "proved", protected, 0, counted, time.perf_counter() - started, notes)
    return verdict, seen_in_table(own, manifest.policy.symbol)


def what_is_missing(published: tuple[str, ...], asked: Asked) -> tuple[str, ...]:
    """The texts that count as missing: as stated; with a stated policy those commonly written; else those of both."""
    stated = asked.form.get("missing")
    if stated is not None:
        return tuple(stated)
    return MISSING if asked.policy is not None else tuple(text for text in published if text in MISSING)


def agree_on_missing(published: tuple[str, ...], columns: Sequence[Column]) -> None:
    """LeftOpenError if the publisher takes a text for missing that occurs, and is not commonly written for it."""
    there = {text for column in columns for text in column.texts if column.counts[column.code_of[text]]}
    strange = sorted(there.intersection(published) - set(MISSING))
    if strange:
        texts = "1 text" if len(strange) == 1 else f"{len(strange):,} texts"
        flags = " ".join(f"--null '{text}'" for text in published)
        raise LeftOpenError(
            f"the publisher counts cells as missing that show something ({texts}, listed in {README}); "
            f"if you agree, say so: {flags}"
        )


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


def count_groups(known: Sequence[Any], sensitive: Any, rule: Rule) -> tuple[int, int]:
    """How many combinations of known values there are, and how many of them break the rule; counted by DuckDB."""
    import duckdb
    import pyarrow as pa

    columns = {f"k{n}": pa.array(codes) for n, codes in enumerate(known)}
    rows = pa.table({**columns, "s": pa.array(sensitive)})
    wanted = pa.table({"s": pa.array(rule.codes)})
    keys = ", ".join(columns)
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


def _checked_table(publish: Path, manifest: TemplateManifest, asked: Asked) -> tuple[Table, tuple[str, ...]]:
    """The published table as its manifest says it is to be read, once nothing else is known to be in its file."""
    if manifest.format == "csv":
        asked.agrees(delimiter=manifest.delimiter)
    path = publish / manifest.file
    content = checked_bytes(path)
    table = _read(publish, manifest, manifest.missing, manifest.kinds)
    if table.names != manifest.columns:
        raise InputError(f"the columns of the data are not those that {MANIFEST} lists")
    if len(table) != manifest.records:
        raise InputError("the number of rows is not that of the manifest")
    left = check_rows(path, content, table)
    return table, (left,) if left else ()


def _read(publish: Path, manifest: TemplateManifest, missing: Sequence[str], kinds: Mapping[str, str]) -> Table:
    delimiter = manifest.delimiter if manifest.format == "csv" else None
    return read_table(publish / manifest.file, delimiter=delimiter, missing=missing, kinds=kinds or None)


def found(manifest: TemplateManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    rows = f"{manifest.records:,} row{'' if manifest.records == 1 else 's'}"
    templates = len(manifest.policy.templates)
    return (
        "no sensitive value can be inferred above its threshold.",
        f"{rows}, {templates:,} template{'' if templates == 1 else 's'}, {verdict.items:,} sensitive "
        f"value{'' if verdict.items == 1 else 's'}.",
        f"{verdict.searched:,} combinations of known values were counted in the data; each keeps its thresholds. It "
        f"took {verdict.seconds:.1f} s.",
    )


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value
