"""What the manifest of a table says that was made in a cluster, and README.txt, which follows from it.

    {"sordino": "0.1.0", "format": "sordino-spark-table/1", "method": "disclosure", "records": 5000000,
     "columns": [["Age", "string"], ["Job", "string"]],
     "policy": {"kind": "template", ..} or {"kind": "diversity", ..},
     "grouping": null, or {"column": "Group", "groups": 7537, "plain": 6, "matching": 6},
     "knowledge": null, or {"groups": {..}, "rules": [..]},
     "files": {"data/part-00000.parquet": {"bytes": 1234, "sha256": ".."}, ..}, "guaranteed": [..],
     "not_guaranteed": [..]}

The statement of the policy, and of the rules that somebody may know, is that of releases of one machine
(verify/shapes/). Counting the data is the proof.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sordino.engine.spark.place import MANIFEST, PUBLISH, README, Place
from sordino.errors import InputError, PolicyError
from sordino.policy.promise_table import (
    groups_guaranteed,
    groups_not_guaranteed,
    templates_guaranteed,
    templates_not_guaranteed,
)
from sordino.policy.template import TemplatePolicy
from sordino.verify.knowledge_file import Meaning, Rules
from sordino.verify.manifest import whole_list, whole_number, whole_text
from sordino.verify.shapes.diversity import StatedDiversity, stated_entries
from sordino.verify.shapes.template import read_statement, statement_of

__all__ = ["FORMAT", "Grouping", "TableManifest", "check_readme", "is_table", "read_table_manifest", "readme"]

FORMAT = "sordino-spark-table/1"
HERE = "these files"
WIDTH = 100


@dataclass(frozen=True)
class Grouping:
    """Of a grouped table: the column of the groups, how many there are, and what diversity they come to."""

    column: str
    groups: int
    plain: int
    matching: int


@dataclass(frozen=True)
class TableManifest:
    """The entries of a manifest; `files` are sizes and checksums by name, `columns` names and types."""

    version: str
    method: str
    records: int
    columns: tuple[tuple[str, str], ...]
    policy: TemplatePolicy | StatedDiversity
    files: Mapping[str, tuple[int, str]]
    grouping: Grouping | None = None
    knowledge: tuple[Meaning, Rules] | None = None

    def promised(self) -> tuple[str, ...]:
        """What holds for the published files, in sentences."""
        if isinstance(self.policy, TemplatePolicy):
            return templates_guaranteed(self.policy, HERE, MANIFEST)
        return groups_guaranteed(self.policy.statement(), MANIFEST)

    def not_promised(self) -> tuple[str, ...]:
        """Where that ends."""
        if isinstance(self.policy, TemplatePolicy):
            return templates_not_guaranteed(self.policy, HERE)
        return groups_not_guaranteed(self.policy.statement(), MANIFEST)

    def text(self) -> str:
        """The manifest as it is written."""
        policy, made = self.policy, self.grouping
        document = {
            "sordino": self.version,
            "format": FORMAT,
            "method": self.method,
            "records": self.records,
            "columns": [list(entry) for entry in self.columns],
            "policy": statement_of(policy) if isinstance(policy, TemplatePolicy) else dict(policy.statement()),
            "grouping": None
            if made is None
            else {"column": made.column, "groups": made.groups, "plain": made.plain, "matching": made.matching},
            "knowledge": None if self.knowledge is None else _knowledge(*self.knowledge),
            "files": {name: {"bytes": size, "sha256": sha} for name, (size, sha) in sorted(self.files.items())},
            "guaranteed": list(self.promised()),
            "not_guaranteed": list(self.not_promised()),
        }
        return json.dumps(document, indent=1, ensure_ascii=True) + "\n"

    @classmethod
    def read(cls, text: str) -> TableManifest:
        """The manifest from its text; an InputError if it is none, or says something in other words than we would."""
        try:
            document: dict[str, Any] = json.loads(text)
            if document["format"] != FORMAT:
                raise InputError(f"the manifest is not of the format {FORMAT}")
            told, made = document["policy"], document["grouping"]
            diverse = told["kind"] == "diversity"
            if diverse == (made is None) or diverse == (document["knowledge"] is None):
                raise ValueError
            files = {name: (int(entry["bytes"]), str(entry["sha256"])) for name, entry in document["files"].items()}
            found = cls(
                whole_text(document["sordino"]), whole_text(document["method"]), whole_number(document["records"]),
                tuple((whole_text(name), whole_text(kind)) for name, kind in whole_list(document["columns"])),
                StatedDiversity(stated_entries(told)) if diverse else read_statement(told), files,
                Grouping(
                    whole_text(made["column"]), *(whole_number(made[name]) for name in ("groups", "plain", "matching"))
                ) if diverse else None,
                _read_knowledge(document["knowledge"]) if diverse else None,
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError, PolicyError, RecursionError):
            raise InputError("the manifest cannot be read") from None
        if found.text().split() != text.split():
            raise InputError("the manifest says something else than what follows from its policy")
        return found


def is_table(place: Place) -> bool:
    """Whether what lies there calls itself the release of a table."""
    try:
        content = json.loads(place.read_text(f"{PUBLISH}/{MANIFEST}") or "null")
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def read_table_manifest(place: Place) -> TableManifest:
    """The manifest that lies there; an InputError if it is none."""
    return TableManifest.read(place.read_text(f"{PUBLISH}/{MANIFEST}") or "")


def _knowledge(meaning: Meaning, rules: Rules) -> dict[str, Any]:
    return {"groups": meaning, "rules": [{"if": conditions, "not": value} for conditions, value in rules]}


def _read_knowledge(content: Mapping[str, Any]) -> tuple[Meaning, Rules]:
    meaning = {
        whole_text(a): {whole_text(label): list(map(whole_text, held)) for label, held in labels.items()}
        for a, labels in content["groups"].items()
    }
    rules = [
        ({whole_text(a): whole_text(label) for a, label in rule["if"].items()}, whole_text(rule["not"]))
        for rule in whole_list(content["rules"])
    ]
    used = {pair for conditions, _ in rules for pair in conditions.items()}
    if any((a, label) not in used or not held for a, labels in meaning.items() for label, held in labels.items()):
        raise ValueError
    return meaning, rules


def readme(manifest: TableManifest) -> str:
    """The text, from what the manifest says and nothing else."""
    rows = "1 row" if manifest.records == 1 else f"{manifest.records:,} rows"
    parts = [
        "A protected data set\n====================\n",
        _filled(
            f"The Parquet files in data/ hold a table of {rows}, one a person: `record` is a new number; the other "
            f"columns are {', '.join(name for name, _ in manifest.columns)}. {_done(manifest)} Rows are in random "
            "order."
        ),
        _filled(f"It was made by sordino {manifest.version} on Apache Spark (method: {manifest.method})."),
        "What is guaranteed\n------------------\n",
        *(_filled(sentence, "- ") for sentence in manifest.promised()),
        _filled(
            f'What must hold is listed in {MANIFEST}, under "policy". It was chosen by whoever published this folder.'
        ),
        "What is not guaranteed\n----------------------\n",
        *(_filled(sentence, "- ") for sentence in manifest.not_promised()),
        "How to check it\n---------------\n",
        _filled(
            "You need not trust whoever made this folder. In Python, with a Spark session or, if the data fit into "
            "the memory of one machine, without one:"
        ),
        "    import sordino.spark\n    print(sordino.spark.verify(FOLDER, session=spark))\n",
        _filled(
            "It compares the checksums and counts the data, by a part of sordino that shares no code with what made "
            "them."
        ),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _done(manifest: TableManifest) -> str:
    policy = manifest.policy
    if isinstance(policy, TemplatePolicy):
        return (
            "Before it was published, cells were suppressed or made less precise wherever they would have allowed "
            f"someone to infer a sensitive value; nothing was invented. '{policy.symbol}' stands in a suppressed cell."
        )
    made = manifest.grouping
    assert made is not None
    return (
        f"People are in {made.groups:,} groups (column {made.column}). Within each group the values of "
        f"{policy.sensitive} were put into random order: the value in a row is that of somebody in the group, not of "
        "the person in the row. Columns that the policy does not name are not published."
    )


def check_readme(place: Place, manifest: TableManifest) -> None:
    """An InputError if the README says anything else than what follows from the manifest."""
    if place.read_text(f"{PUBLISH}/{README}") not in (text := readme(manifest), text.removesuffix("\n")):
        raise InputError(f"{README} is missing, or says something else than what follows from the manifest")


def _filled(text: str, before: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=before, subsequent_indent=" " * len(before)) + "\n"
