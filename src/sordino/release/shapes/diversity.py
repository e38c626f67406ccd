"""Tables whose sensitive values are known by group only, under a diversity policy; with the rules as knowledge.json.

Its entries of the manifest:

    "data": {"file": "data.csv", "delimiter": ",", "missing": ["", "?"], "layout": "permuted", "group": "Group",
             "values": null},
    "policy": {"kind": "diversity", "sensitive": "Occupation", "quasi": [..], "l": 6, "knowledge": {..}},
    "diversity": {"groups": 7537, "plain": 6, "matching": 6, "rules": 13}

knowledge.json holds the rules that the adversary is assumed to know, given and mined ones alike, and what its names of
groups of values mean:

    {"groups": {"Workclass": {"Government": ["Federal-gov", ..]}},
     "rules": [{"if": {"Workclass": "Government"}, "not": "Priv-house-serv"}, ..]}

Whoever knows the rules learns nothing from that list; who does not, learns what the publisher assumes to be known.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sordino.data.grouped import read_groups
from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.kinds import Policy
from sordino.release.manifest import MANIFEST, Manifest, whole_number, whole_text
from sordino.release.possible import possible_counts
from sordino.release.verdict import Verdict

__all__ = [
    "KNOWLEDGE",
    "DiversityManifest",
    "StatedDiversity",
    "about",
    "about_check",
    "about_policy",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "read_knowledge",
    "same",
    "verify",
]

KNOWLEDGE = "knowledge.json"
ABSENT = "(missing)"


@dataclass(frozen=True)
class StatedDiversity:
    """A diversity policy as a manifest states it: `statement()` of the policy itself."""

    kind: ClassVar[str] = "diversity"

    content: Mapping[str, Any]

    @property
    def sensitive(self) -> str:
        return whole_text(self.content["sensitive"])

    @property
    def quasi(self) -> tuple[str, ...]:
        return tuple(map(whole_text, self.content["quasi"]))

    @property
    def l(self) -> int:  # noqa: E743 - the name of the literature
        return whole_number(self.content["l"])

    def statement(self) -> Mapping[str, Any]:
        return self.content


@dataclass(frozen=True, kw_only=True)
class DiversityManifest(Manifest):
    """What the manifest of a grouped table says."""

    shape: ClassVar[str] = "diversity"

    delimiter: str
    missing: tuple[str, ...]
    layout: str  # permuted: one file; tables: two
    group: str
    values: str | None  # the file of the values of each group
    policy: StatedDiversity
    groups: int
    plain: int
    matching: int
    rules: int


def document(manifest: DiversityManifest) -> dict[str, Any]:
    """Form of the data, policy, and what diversity it comes to."""
    return {
        "data": {
            "file": manifest.file,
            "delimiter": manifest.delimiter,
            "missing": list(manifest.missing),
            "layout": manifest.layout,
            "group": manifest.group,
            "values": manifest.values,
        },
        "policy": dict(manifest.policy.statement()),
        "diversity": {
            "groups": manifest.groups,
            "plain": manifest.plain,
            "matching": manifest.matching,
            "rules": manifest.rules,
        },
    }


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> DiversityManifest:
    """The manifest from its entries."""
    data, came = document["data"], document["diversity"]
    policy = StatedDiversity(dict(document["policy"]))
    if policy.l < 2 or not policy.quasi or policy.sensitive in policy.quasi or data["layout"] not in LAYOUTS:
        raise ValueError
    if (data["values"] is None) != (data["layout"] == "permuted") or not isinstance(data["missing"], list):
        raise ValueError
    return DiversityManifest(
        **common,
        delimiter=whole_text(data["delimiter"]),
        missing=tuple(map(whole_text, data["missing"])),
        layout=whole_text(data["layout"]),
        group=whole_text(data["group"]),
        values=None if data["values"] is None else whole_text(data["values"]),
        policy=policy,
        groups=whole_number(came["groups"]),
        plain=whole_number(came["plain"]),
        matching=whole_number(came["matching"]),
        rules=whole_number(came["rules"]),
    )


LAYOUTS = ("permuted", "tables")


def guaranteed(policy: Any) -> tuple[str, ...]:
    """What holds for the published tables."""
    stated = policy.statement()
    size, what = stated["l"], stated["sensitive"]
    return (
        f"Someone who knows {_listed(stated['quasi'])} of everybody, who is in the data, in which group each person "
        "is, "
        f"and all the rules in {KNOWLEDGE} still has at least {size} different possible values of {what} for every "
        f"person (matching {size}-diversity). A value is possible if the values of a group can be given to its people "
        "so "
        "that this person gets it and no rule is broken.",
        f"Without any rule, every group holds at least {size} different values of {what} (plain {size}-diversity).",
        "This is exact, for every person in the data; anyone can check it from the published files.",
    )


def not_guaranteed(policy: Any) -> tuple[str, ...]:
    """Where the guarantee ends."""
    stated = policy.statement()
    what, knowledge = stated["sensitive"], stated["knowledge"]
    rules = (
        "the rules that the original data teach (as far as the policy asks for them)"
        if knowledge["mined"]
        else "the rules that the publisher stated"
    )
    return (
        f"Someone who knows more than {rules}, such as the {what} of some of the people, may rule out more.",
        f"Possible does not mean equally likely: guesses from what is common among such people stay possible, and how "
        f"many people of a group have each {what} is public.",
        f"The share of each {what} among all people can be counted by everyone; so can {_listed(stated['quasi'])}: "
        "these "
        "are published as they are, and being in the data is not hidden.",
        "Other sources: linking these data with another release of the same people may tell more than these data "
        "alone.",
        "Why the method put just these people into one group is not covered.",
    )


def about(manifest: DiversityManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
    what = manifest.policy.sensitive
    if manifest.values is None:
        form = (
            f"{manifest.file} holds {people}, one a row, in {manifest.groups:,} groups (column {manifest.group}). "
            "Within "
            f"each group the values of {what} were put into random order: the value in a row is that of somebody in "
            "the "
            "group, not of the person in the row."
        )
    else:
        form = (
            f"{manifest.file} holds {people}, one a row, in {manifest.groups:,} groups (column {manifest.group}); "
            f"{manifest.values} says how many people of each group have each value of {what}."
        )
    rules = "1 rule" if manifest.rules == 1 else f"{manifest.rules:,} rules"
    return (
        form + " Rows and groups are in random order. Columns that the policy does not name are not published.",
        f"Every group holds at least {manifest.plain} different values (plain l-diversity: {manifest.plain}). For "
        "someone "
        f"who knows the {rules} in {KNOWLEDGE}, at least {manifest.matching} values stay possible for everybody "
        f"(matching l-diversity: {manifest.matching}).",
    )


def about_policy(manifest: DiversityManifest) -> str:
    """Where to find what is protected."""
    del manifest
    return (
        f"What the adversary is assumed to know is listed in {KNOWLEDGE}: rules that nobody with certain properties "
        "has "
        "a "
        f'certain value. How they were found is in {MANIFEST}, under "policy"; they were chosen by whoever published '
        "this "
        "folder."
    )


def about_check(manifest: DiversityManifest) -> tuple[str, str]:
    """Why one need not trust, and what verifying does."""
    del manifest
    return (
        "You need not trust whoever made this folder, nor the program that made it: the groups can be checked by an "
        "independent part of sordino, which shares no code with the rest. In this folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data and {KNOWLEDGE}, and counts in every "
        "group the possible values of every person. Exit code 0 means that everything above was found to be true.",
    )


def files(manifest: DiversityManifest) -> frozenset[str]:
    """The data, the values if they are apart, and the rules."""
    return frozenset({manifest.file, KNOWLEDGE} | ({manifest.values} if manifest.values else set()))


def same(one: Policy, other: Policy) -> bool:
    """Whether two policies demand the same, whatever the order in which they were written."""
    return one.kind == other.kind == "diversity" and _meaning(one) == _meaning(other)


def _meaning(policy: Any) -> tuple[object, ...]:
    stated = policy.statement()
    knowledge = stated["knowledge"]
    rules = frozenset((frozenset(rule["if"].items()), rule["not"]) for rule in knowledge["rules"])
    settings = tuple(
        json.dumps(knowledge[key], sort_keys=True) for key in ("min_expectation", "max_conditions", "hierarchies")
    )
    mined = (*settings, None if knowledge["fuzzy"] is None else frozenset(knowledge["fuzzy"]))
    return (
        stated["sensitive"],
        frozenset(stated["quasi"]),
        stated["l"],
        rules,
        mined if knowledge["mined"] else None,
    )


def verify(publish: Path, manifest: DiversityManifest) -> Verdict:
    """Count the possible values of everybody, by plain means."""
    started = time.perf_counter()
    policy = manifest.policy
    table, group = _read_data(publish, manifest)
    names, value = _texts(table.column(policy.sensitive))
    excluded = _excluded(publish, table, policy, names, manifest.rules)
    order = np.argsort(group, kind="stable")
    bounds = np.flatnonzero(np.diff(group[order], prepend=-1, append=-1)).tolist()
    sets, codes = [excluded[row] for row in order.tolist()], value[order].tolist()
    plain = matching = manifest.records + 1
    seen: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    for lo, hi in pairwise(bounds):
        key = tuple(sorted(sets[lo:hi])), tuple(sorted(codes[lo:hi]))
        if key not in seen:
            counts = possible_counts(*key)
            if counts is None:
                return _verdict(False, "a group contradicts the rules", names, len(seen), started)
            seen[key] = min(counts.values())
        plain, matching = min(plain, len(set(key[1]))), min(matching, seen[key])
    if matching < policy.l:
        reason = f"somebody has only {matching} possible value{'' if matching == 1 else 's'}, fewer than {policy.l}"
        return _verdict(False, reason, names, len(seen), started)
    if (plain, matching, len(bounds) - 1) != (manifest.plain, manifest.matching, manifest.groups):
        return _verdict(False, "the diversity in the manifest is not that of the data", names, len(seen), started)
    return _verdict(True, "proved", names, len(seen), started)


def _verdict(holds: bool, reason: str, names: tuple[str, ...], examined: int, started: float) -> Verdict:
    return Verdict(
        Answer.HOLDS if holds else Answer.FAILS, reason, len(names), 0, examined, time.perf_counter() - started
    )


def _read_data(publish: Path, manifest: DiversityManifest) -> tuple[Table, npt.NDArray[np.int64]]:
    policy = manifest.policy
    delimiter = manifest.delimiter if ".csv" in manifest.file else None
    form: dict[str, Any] = {"delimiter": delimiter, "missing": manifest.missing}
    table = read_table(publish / manifest.file, **form)
    wanted = {*policy.quasi, manifest.group} | ({policy.sensitive} if manifest.values is None else set())
    if set(table.names) != wanted:
        raise InputError("the columns of the data are not those of the policy")
    if manifest.values is not None:
        if Path(manifest.values).name != manifest.values or not manifest.values.startswith("values."):
            raise InputError(f"{MANIFEST} names a file of values that cannot be one")
        held = read_table(publish / manifest.values, **form)
        if policy.sensitive not in held.names:
            raise InputError("the file of values lacks the sensitive column")
        grouped = read_groups(table, manifest.group, held)
    else:
        grouped = read_groups(table, manifest.group)
    if len(table) != manifest.records:
        raise InputError("the number of rows is not that of the manifest")
    return grouped.joined(policy.sensitive), grouped.groups()[0]


def _texts(column: Column) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """The texts of a column, one more for cells without a value, and the code of every row."""
    absent = ABSENT
    while absent in column.texts:
        absent += "'"
    codes = column.codes.astype(np.int64)
    return (*column.texts, absent), np.where(codes < 0, len(column.texts), codes)


def _excluded(publish: Path, table: Table, policy: StatedDiversity, names: tuple[str, ...], count: int) -> list[int]:
    """What each row cannot have, as bits."""
    groups, rules = read_knowledge(publish)
    if len(rules) != count:
        raise InputError(f"{KNOWLEDGE} does not hold as many rules as {MANIFEST} says")
    place = {name: code for code, name in enumerate(names)}
    columns = {name: _texts(table.column(name)) for name in policy.quasi}
    cannot = np.zeros((len(table), len(names)), dtype=np.bool_)
    fitting: dict[tuple[str, str], npt.NDArray[np.bool_]] = {}
    for conditions, value in rules:
        fits = np.ones(len(table), dtype=np.bool_)
        for attribute, label in conditions.items():
            if attribute not in columns:
                raise InputError(f"a rule in {KNOWLEDGE} is about a column that is no quasi-identifier")
            if (attribute, label) not in fitting:
                texts, codes = columns[attribute]
                inside = set(groups.get(attribute, {}).get(label, [label]))
                fitting[attribute, label] = np.array([text in inside for text in texts])[codes]
            fits &= fitting[attribute, label]
        if value in place:
            cannot[fits, place[value]] = True
    kinds, kind_of = np.unique(np.packbits(cannot, axis=1, bitorder="little"), axis=0, return_inverse=True)
    bits = [int.from_bytes(kind.tobytes(), "little") for kind in kinds]
    return [bits[k] for k in kind_of.reshape(-1).tolist()]


def read_knowledge(publish: Path) -> tuple[dict[str, dict[str, list[str]]], list[tuple[dict[str, str], str]]]:
    """What names of groups mean, and the rules (conditions, excluded value), as published."""
    try:
        content = json.loads((publish / KNOWLEDGE).read_bytes())
        groups = {
            whole_text(a): {whole_text(label): list(map(whole_text, held)) for label, held in labels.items()}
            for a, labels in content["groups"].items()
        }
        rules = [
            ({whole_text(a): whole_text(label) for a, label in rule["if"].items()}, whole_text(rule["not"]))
            for rule in content["rules"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{KNOWLEDGE} is malformed") from None
    return groups, rules


def found(manifest: DiversityManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    return (
        f"everybody has at least {manifest.matching} possible values of {manifest.policy.sensitive}.",
        f"{manifest.records:,} people in {manifest.groups:,} groups; {manifest.rules:,} "
        f"{'rule' if manifest.rules == 1 else 'rules'} known to the adversary. "
        f"Every group holds at least {manifest.plain} different values.",
        f"Every file is as the manifest says, and {verdict.searched:,} different groups were examined. It took "
        f"{verdict.seconds:.1f} s.",
    )


def _listed(names: Any) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
