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

**Whose rules.** knowledge.json is the publisher's word for what an adversary knows. What is told of the release holds
for someone who knows just these rules. If a policy is stated, its own rules count, with the meaning that its own
hierarchies give them; and if it says that the adversary knows what the original data teach, these rules are found again
in the original, by code of the verifier's own (`taught`). Without the original that is not checked. What counts as
missing: see `shapes.template`.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sordino.data.grouped import Grouped, read_groups
from sordino.data.read_table import read_table
from sordino.data.table import MISSING, Column, Table
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import read_threshold, show_rational
from sordino.release.asked import Asked
from sordino.release.bounded import Effort, LeftOpenError, read_bytes, readable_json, strict_json
from sordino.release.contents import check_rows, checked_bytes
from sordino.release.manifest import MANIFEST, Manifest, whole_number, whole_text
from sordino.release.possible import possible_counts
from sordino.release.shapes.template import agree_on_missing, what_is_missing
from sordino.release.statement import OURS
from sordino.release.table_seen import grouped_seen
from sordino.release.taught import taught
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen

__all__ = [
    "KNOWLEDGE",
    "TAKES",
    "DiversityManifest",
    "StatedDiversity",
    "about",
    "about_check",
    "about_policy",
    "different",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "read_knowledge",
    "read_original",
    "same",
    "verify",
]

TAKES = frozenset({"original", "delimiter", "missing"})
KNOWLEDGE = "knowledge.json"
ABSENT = "(missing)"
LARGEST = 1 << 28  # bytes of the rules
CELLS = 1 << 32  # people times values, of whom nobody is asked about more
STEPS, EXCHANGES = 1_000_000_000_000, 20  # people times rules, and what an exchange between two values costs
SHA256 = re.compile("[0-9a-f]{64}")
NUMBER = re.compile("[1-9][0-9]{0,17}")
FORMATS = ("csv", "parquet", "jsonl")

Groups = Mapping[str, Mapping[str, Sequence[str]]]  # what names of groups of values mean, by column
Rules = Sequence[tuple[Mapping[str, str], str]]  # conditions (column -> value or name of a group), excluded value


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
    policy = StatedDiversity(_stated(document["policy"]))
    if policy.l < 2 or not policy.quasi or policy.sensitive in policy.quasi or data["layout"] not in LAYOUTS:
        raise ValueError
    if (data["values"] is None) != (data["layout"] == "permuted") or not isinstance(data["missing"], list):
        raise ValueError
    end = common["file"].removeprefix("data.")
    if end.removesuffix(".gz") not in FORMATS or data["values"] not in (None, f"values.{end}"):
        raise ValueError
    if len(data["delimiter"]) != 1 or (not end.startswith("csv") and data["delimiter"] != ","):
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


def _stated(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The statement of a policy, entry by entry: what else is in it is left out, which shows."""
    knowledge = policy["knowledge"]
    mined, most = knowledge["mined"], knowledge["max_conditions"]
    if type(mined) is not bool:
        raise TypeError
    if not all(SHA256.fullmatch(tree) for tree in knowledge["hierarchies"].values()):
        raise ValueError
    named = {*knowledge["hierarchies"], *(a for rule in knowledge["rules"] for a in rule["if"])}
    if not named <= set(policy["quasi"]) or not set(knowledge["fuzzy"] or ()) <= set(knowledge["hierarchies"]):
        raise ValueError
    return {
        "kind": "diversity",
        "sensitive": whole_text(policy["sensitive"]),
        "quasi": list(map(whole_text, policy["quasi"])),
        "l": whole_number(policy["l"]),
        "knowledge": {
            "mined": mined,
            "min_expectation": show_rational(read_threshold(whole_text(knowledge["min_expectation"]))),
            "max_conditions": None if most is None else whole_number(most),
            "rules": [
                {"if": {whole_text(a): whole_text(v) for a, v in rule["if"].items()}, "not": whole_text(rule["not"])}
                for rule in knowledge["rules"]
            ],
            "fuzzy": None if knowledge["fuzzy"] is None else list(map(whole_text, knowledge["fuzzy"])),
            "hierarchies": {whole_text(a): whole_text(tree) for a, tree in knowledge["hierarchies"].items()},
        },
    }


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
        f"This is exact, for every person in the data and for just the rules in {KNOWLEDGE}; anyone can check it "
        "from the published files.",
    )


def not_guaranteed(policy: Any) -> tuple[str, ...]:
    """Where the guarantee ends."""
    stated = policy.statement()
    what, knowledge = stated["sensitive"], stated["knowledge"]
    word = (
        f"That {KNOWLEDGE} holds all the rules that the original data teach, as far as the policy asks for them, is "
        "the publisher's word: it cannot be checked without the original data."
        if knowledge["mined"]
        else f"{KNOWLEDGE} holds what the publisher stated; rules that the original data teach besides are not in it."
    )
    return (
        f"Someone who knows more than the rules in {KNOWLEDGE}, such as the {what} of some of the people, may rule out "
        "more.",
        word,
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


def about_check(manifest: DiversityManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    del manifest
    return (
        f"You need not trust whoever made this folder: the groups can be checked by a part of sordino {OURS}. In this "
        "folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data and {KNOWLEDGE}, and counts in every "
        "group the possible values of every person.",
        "what is guaranteed was found to be true",
    )


def files(manifest: DiversityManifest) -> frozenset[str]:
    """The data, the values if they are apart, and the rules."""
    return frozenset({manifest.file, KNOWLEDGE} | ({manifest.values} if manifest.values else set()))


def same(one: Policy, other: Policy) -> bool:
    """Whether two policies demand the same, whatever the order in which they were written."""
    return different(one, other) is None


def different(stated: Policy, published: Policy) -> str | None:
    """In what the release is about another policy."""
    if not stated.kind == published.kind == "diversity":
        return "its kind"
    one, other = _meaning(stated), _meaning(published)
    return next((what for what in one if one[what] != other[what]), None)


def _meaning(policy: Any) -> dict[str, object]:
    stated = policy.statement()
    knowledge = stated["knowledge"]
    settings = tuple(
        json.dumps(knowledge[key], sort_keys=True) for key in ("min_expectation", "max_conditions", "hierarchies")
    )
    mined = (*settings, None if knowledge["fuzzy"] is None else frozenset(knowledge["fuzzy"]))
    return {
        "the sensitive column": stated["sensitive"],
        "the quasi-identifiers": frozenset(stated["quasi"]),
        "the number of values (l)": stated["l"],
        "the stated rules": frozenset((frozenset(rule["if"].items()), rule["not"]) for rule in knowledge["rules"]),
        "which rules are mined": mined if knowledge["mined"] else None,
    }


def read_original(source: object, asked: Asked) -> Table:
    """The table before protection. An InputError unless what it teaches is asked for."""
    if asked.policy is None or not asked.policy.mined:
        raise InputError(
            "--original is of no use here: what the original data teach is looked for only under a stated policy about "
            "someone who knows it",
            hint="State it with --policy FILE (mined = true), or leave --original out.",
        )
    return read_table(source, **asked.form)


def verify(publish: Path, manifest: DiversityManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Count the possible values of everybody, by plain means: for the published rules, and for those stated."""
    started = time.perf_counter()
    policy, effort = manifest.policy, Effort(STEPS, "the count of possible values")
    groups, rules = read_knowledge(publish, checked=True)
    if len(rules) != manifest.rules:
        raise InputError(f"{KNOWLEDGE} does not hold as many rules as {MANIFEST} says")
    listed = {(frozenset(conditions.items()), value) for conditions, value in rules}
    if any((frozenset(r["if"].items()), r["not"]) not in listed for r in policy.statement()["knowledge"]["rules"]):
        raise InputError(f"{KNOWLEDGE} lacks a rule that the policy in {MANIFEST} states")
    notes = _check_files(publish, manifest, asked)
    missing = what_is_missing(manifest.missing, asked)
    table, group = _read_data(publish, manifest, missing)
    if asked.policy is None and "missing" not in asked.form and set(manifest.missing) - set(MISSING):
        plain_table, _ = _read_data(publish, manifest, ())
        agree_on_missing(manifest.missing, plain_table.columns)
    people = _People(table, group, policy, effort)
    plain, matching, number = people.diversity([(groups, rules)])
    if matching < policy.l:
        raise InputError(f"somebody has only {_values(matching)}, fewer than {policy.l}")
    if (plain, matching, number) != (manifest.plain, manifest.matching, manifest.groups):
        raise InputError("the diversity in the manifest is not that of the data")
    answer, reason = Answer.HOLDS, "proved"
    if asked.policy is not None:
        stated: DiversityPolicy = asked.policy
        known = [(_meant(stated), [(dict(rule.conditions), rule.excludes) for rule in stated.rules])]
        if stated.mined and asked.original is not None:
            known.append(taught(stated, _original_of(publish, manifest, asked)))
        elif stated.mined:
            known.append((groups, rules))
            answer, reason = Answer.NOT_CHECKED, NOT_MINED
        _, matching, _ = people.diversity(known)
        if matching < stated.l:
            raise InputError(f"by the stated policy somebody has only {_values(matching)}, fewer than {stated.l}")
    took = time.perf_counter() - started
    seen = grouped_seen(manifest.records, manifest.groups, manifest.matching)
    return Verdict(answer, reason, len(people.names), 0, people.examined, took, notes), seen


NOT_MINED = (
    "the policy is about someone who knows the rules that the original data teach; those that are published keep it, "
    "but whether they are all was not checked; it needs --original DATA"
)


def _values(number: int) -> str:
    return f"{number} possible value{'' if number == 1 else 's'}"


def _meant(policy: DiversityPolicy) -> Groups:
    """What the stated policy's own hierarchies say that names of groups mean."""
    return {
        name: {label: [tree.names[leaf] for leaf in tree.leaves_under(v)] for v, label in enumerate(tree.labels)}
        for name, tree in policy.hierarchies.items()
    }


def _original_of(publish: Path, manifest: DiversityManifest, asked: Asked) -> Table:
    """The stated original; an InputError if it is a table of other people, which would teach other rules."""
    original: Table = asked.original  # type: ignore[assignment]
    _read_groups(publish, manifest, what_is_missing(manifest.missing, asked)).check_original(
        original, manifest.policy.quasi, manifest.policy.sensitive
    )
    return original


def _check_files(publish: Path, manifest: DiversityManifest, asked: Asked) -> tuple[str, ...]:
    """What stays unchecked about the files of the data; an InputError if there is more in them than there should be."""
    if manifest.file.startswith("data.csv"):
        asked.agrees(delimiter=manifest.delimiter)
    left = []
    for name in (manifest.file, *([manifest.values] if manifest.values is not None else [])):
        content = checked_bytes(publish / name)
        left.append(check_rows(publish / name, content, _read_file(publish / name, manifest, manifest.missing)))
    return tuple(note for note in left if note)


def _read_file(path: Path, manifest: DiversityManifest, missing: Sequence[str]) -> Table:
    return read_table(path, delimiter=manifest.delimiter if ".csv" in path.name else None, missing=missing)


def _read_data(
    publish: Path, manifest: DiversityManifest, missing: Sequence[str]
) -> tuple[Table, npt.NDArray[np.int64]]:
    policy = manifest.policy
    grouped = _read_groups(publish, manifest, missing)
    if len(grouped.table) != manifest.records:
        raise InputError("the number of rows is not that of the manifest")
    return grouped.joined(policy.sensitive), grouped.groups()[0]


def _read_groups(publish: Path, manifest: DiversityManifest, missing: Sequence[str]) -> Grouped:
    policy = manifest.policy
    table = _read_file(publish / manifest.file, manifest, missing)
    wanted = {*policy.quasi, manifest.group} | ({policy.sensitive} if manifest.values is None else set())
    if set(table.names) != wanted:
        raise InputError("the columns of the data are not those of the policy")
    held = None if manifest.values is None else _read_file(publish / manifest.values, manifest, missing)
    if held is not None and (len(held.names) != 3 or not {policy.sensitive, manifest.group} < set(held.names)):
        raise InputError("the columns of the file of values are not group, value and count")
    grouped = read_groups(table, manifest.group, held)
    labels = grouped.groups()[1]
    if not all(map(NUMBER.fullmatch, labels)) or max(map(int, labels), default=0) != len(labels):
        raise InputError("the groups are not simply numbered")
    return grouped


class _People:
    """Who is in which group, and what may be possible for them."""

    def __init__(self, table: Table, group: npt.NDArray[np.int64], policy: StatedDiversity, effort: Effort) -> None:
        self.names, self.value = _texts(table.column(policy.sensitive))
        self.columns = {name: _texts(table.column(name)) for name in policy.quasi}
        self.order = np.argsort(group, kind="stable")
        self.bounds = np.flatnonzero(np.diff(group[self.order], prepend=-1, append=-1)).tolist()
        self.effort = effort
        self.examined = 0
        if len(group) * len(self.names) > CELLS:
            raise LeftOpenError("there are too many people and values to count what is possible for each of them")

    def diversity(self, known: Sequence[tuple[Groups, Rules]]) -> tuple[int, int, int]:
        """The fewest different values of a group, the fewest possible ones of a person, and the number of groups."""
        excluded = self._excluded(known)
        sets, codes = [excluded[row] for row in self.order.tolist()], self.value[self.order].tolist()
        plain = matching = len(codes) + 1
        seen: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        for lo, hi in pairwise(self.bounds):
            key = tuple(sorted(sets[lo:hi])), tuple(sorted(codes[lo:hi]))
            values = len(set(key[1]))
            if key not in seen:
                self.effort.spend(values * values * (1 + len(set(key[0]))) * EXCHANGES)
                counts = possible_counts(*key)
                if counts is None:
                    raise InputError("a group contradicts the rules")
                seen[key] = min(counts.values())
            plain, matching = min(plain, values), min(matching, seen[key])
        self.examined += len(seen)
        return plain, matching, len(self.bounds) - 1

    def _excluded(self, known: Sequence[tuple[Groups, Rules]]) -> list[int]:
        """What each row cannot have, as bits."""
        people = len(self.value)
        place = {name: code for code, name in enumerate(self.names)}
        cannot = np.zeros((people, len(self.names)), dtype=np.bool_)
        for groups, rules in known:
            fitting: dict[tuple[str, str], npt.NDArray[np.bool_]] = {}
            for conditions, value in rules:
                self.effort.spend(people * (1 + len(conditions)))
                fits = np.ones(people, dtype=np.bool_)
                for attribute, label in conditions.items():
                    if attribute not in self.columns:
                        raise InputError(f"a rule in {KNOWLEDGE} is about a column that is no quasi-identifier")
                    if (attribute, label) not in fitting:
                        texts, codes = self.columns[attribute]
                        inside = set(groups.get(attribute, {}).get(label, [label]))
                        fitting[attribute, label] = np.array([text in inside for text in texts])[codes]
                    fits &= fitting[attribute, label]
                if value in place:
                    cannot[fits, place[value]] = True
        kinds, kind_of = np.unique(np.packbits(cannot, axis=1, bitorder="little"), axis=0, return_inverse=True)
        bits = [int.from_bytes(kind.tobytes(), "little") for kind in kinds]
        return [bits[k] for k in kind_of.reshape(-1).tolist()]


def _texts(column: Column) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """The texts of a column, one more for cells without a value, and the code of every row."""
    absent = ABSENT
    while absent in column.texts:
        absent += "'"
    codes = column.codes.astype(np.int64)
    return (*column.texts, absent), np.where(codes < 0, len(column.texts), codes)


def read_knowledge(
    publish: Path, *, checked: bool = False
) -> tuple[dict[str, dict[str, list[str]]], list[tuple[dict[str, str], str]]]:
    """What names of groups mean, and the rules (conditions, excluded value), as published.

    checked: an InputError also if something else is in the file, or if a group is empty or not used.
    """
    raw = read_bytes(publish / KNOWLEDGE, LARGEST)
    try:
        content = strict_json(raw, KNOWLEDGE)
        groups = {
            whole_text(a): {whole_text(label): list(map(whole_text, held)) for label, held in labels.items()}
            for a, labels in content["groups"].items()
        }
        rules = [
            ({whole_text(a): whole_text(label) for a, label in rule["if"].items()}, whole_text(rule["not"]))
            for rule in content["rules"]
        ]
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{KNOWLEDGE} is malformed") from None
    if checked:
        again = {"groups": groups, "rules": [{"if": conditions, "not": value} for conditions, value in rules]}
        used = {pair for conditions, _ in rules for pair in conditions.items()}
        if any((a, label) not in used or not held for a, labels in groups.items() for label, held in labels.items()):
            raise InputError(f"{KNOWLEDGE} names a group of values that is empty, or that no rule speaks of")
        if content != again or raw != readable_json(content):
            raise InputError(f"{KNOWLEDGE} says something that has no place in it")
    return groups, rules


def found(manifest: DiversityManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    return (
        f"everybody has at least {manifest.matching} possible values of {manifest.policy.sensitive} for someone who "
        "knows the published rules.",
        f"{manifest.records:,} people in {manifest.groups:,} groups; {manifest.rules:,} "
        f"{'rule' if manifest.rules == 1 else 'rules'} known to the adversary. "
        f"Every group holds at least {manifest.plain} different values.",
        f"{verdict.searched:,} different groups were examined. It took {verdict.seconds:.1f} s.",
    )


def _listed(names: Any) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
