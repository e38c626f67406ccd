"""Tables whose sensitive values are known by group only, under a diversity policy; with the rules as knowledge.json.

Its entries of the manifest:

    "data": {"file": "data.csv", "delimiter": ",", "missing": ["", "?"], "layout": "permuted", "group": "Group",
             "values": null},
    "policy": {"kind": "diversity", "sensitive": "Occupation", "quasi": [..], "l": 6, "knowledge": {..}},
    "diversity": {"groups": 7537, "plain": 6, "matching": 6, "rules": 13}

**Whose rules.** knowledge.json is the publisher's word for what an adversary knows. What is told of the release holds
for someone who knows just these rules. If a policy is stated, its own rules count, with the meaning that its own
hierarchies give them; and if it says that the adversary knows what the original data teach, these rules are found again
in the original, by code of the verifier's own (`taught`). Without the original that is not checked. What counts as
missing: see `missing`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from sordino.data.grouped import Grouped, read_groups
from sordino.data.grouped_file import GroupedFile, NotInOrder, open_groups
from sordino.data.read_counted import has_many, read_many
from sordino.data.read_table import read_table
from sordino.data.table import MISSING, Table
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import read_threshold, show_rational
from sordino.verify.asked import Asked
from sordino.verify.bounded import LeftOpenError
from sordino.verify.contents import check_rows, check_rows_in_pieces, checked_bytes
from sordino.verify.knowledge_file import KNOWLEDGE, Meaning, read_knowledge
from sordino.verify.manifest import MANIFEST, Manifest, whole_list, whole_number, whole_text
from sordino.verify.missing import agree_on_missing, what_is_missing
from sordino.verify.possible_values import People, PeopleOfFile
from sordino.verify.taught import taught
from sordino.verify.verdict import Verdict

__all__ = ["NOT_MINED", "DiversityManifest", "StatedDiversity", "meant", "stated_entries"]

SHA256 = re.compile("[0-9a-f]{64}")
NUMBER = re.compile("[1-9][0-9]{0,17}")
RULES = "the stated rules"
FORMATS, LAYOUTS = ("csv", "parquet", "jsonl"), ("permuted", "tables")
NOT_MINED = (
    "the policy is about someone who knows the rules that the original data teach; those that are published keep it, "
    "but whether they are all was not checked; it needs --original DATA"
)


@dataclass(frozen=True)
class StatedDiversity:
    """A diversity policy as a manifest states it: `statement()` of the policy itself."""

    kind: ClassVar[str] = "diversity"
    file: ClassVar[str] = DiversityPolicy.file

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
    takes: ClassVar[frozenset[str]] = frozenset({"original", "delimiter", "missing"})

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

    def document(self) -> dict[str, Any]:
        """Form of the data, policy, and what diversity it comes to."""
        return {
            "data": {
                "file": self.file,
                "delimiter": self.delimiter,
                "missing": list(self.missing),
                "layout": self.layout,
                "group": self.group,
                "values": self.values,
            },
            "policy": dict(self.policy.statement()),
            "diversity": {
                "groups": self.groups,
                "plain": self.plain,
                "matching": self.matching,
                "rules": self.rules,
            },
        }

    @classmethod
    def read(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> Self:
        data, came = document["data"], document["diversity"]
        policy = StatedDiversity(stated_entries(document["policy"]))
        if policy.l < 2 or not policy.quasi or policy.sensitive in policy.quasi or data["layout"] not in LAYOUTS:
            raise ValueError
        if (data["values"] is None) != (data["layout"] == "permuted"):
            raise ValueError
        end = common["file"].removeprefix("data.")
        if end.removesuffix(".gz") not in FORMATS or data["values"] not in (None, f"values.{end}"):
            raise ValueError
        if len(data["delimiter"]) != 1 or (not end.startswith("csv") and data["delimiter"] != ","):
            raise ValueError
        return cls(
            **common,
            delimiter=whole_text(data["delimiter"]),
            missing=tuple(map(whole_text, whole_list(data["missing"]))),
            layout=whole_text(data["layout"]),
            group=whole_text(data["group"]),
            values=None if data["values"] is None else whole_text(data["values"]),
            policy=policy,
            groups=whole_number(came["groups"]),
            plain=whole_number(came["plain"]),
            matching=whole_number(came["matching"]),
            rules=whole_number(came["rules"]),
        )

    def needed(self) -> frozenset[str]:
        """The data, the values if they are apart, and the rules."""
        return frozenset({*self._tables(), KNOWLEDGE})

    def _tables(self) -> tuple[str, ...]:
        return (self.file,) if self.values is None else (self.file, self.values)

    def different(self, stated: Policy) -> str | None:
        """In what the release is about another policy, whatever the order in which that was written.

        Rules that only the stated one has are no difference: `judge` counts by all of them, and a release leaves out
        those about values that nobody has.
        """
        if stated.kind != "diversity":
            return "its kind"
        one, other = _meaning(stated), _meaning(self.policy)
        if one[RULES] >= other[RULES]:
            other[RULES] = one[RULES]
        return next((what for what in one if one[what] != other[what]), None)

    def read_original(self, source: object, asked: Asked) -> Table:
        """The table before protection. An InputError unless what it teaches is asked for."""
        if asked.policy is None or not asked.policy.mined:
            raise InputError(
                "--original is of no use here: what the original data teach is looked for only under a stated policy "
                "about someone who knows it",
                hint="State it with --policy FILE (mined = true), or leave --original out.",
            )
        if "delimiter" not in asked.form:
            counted = read_many(
                source, (*asked.policy.quasi, asked.policy.sensitive), asked.form.get("missing", MISSING)
            )
            if counted is not None:
                return counted
        return read_table(source, **asked.form)

    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, None]:
        """Count the possible values of everybody, by plain means: for the published rules, and for those stated."""
        if not has_many(publish / self.file):
            return self._judge(publish, asked, in_pieces=False)
        try:
            return self._judge(publish, asked, in_pieces=True)
        except NotInOrder as error:
            raise LeftOpenError(f"{error.what}; so large a file is only checked group by group") from None

    def _judge(self, publish: Path, asked: Asked, *, in_pieces: bool) -> tuple[Verdict, None]:
        policy = self.policy
        meaning, rules = read_knowledge(publish, checked=True)
        if len(rules) != self.rules:
            raise InputError(f"{KNOWLEDGE} does not hold as many rules as {MANIFEST} says")
        listed = {(frozenset(conditions.items()), value) for conditions, value in rules}
        if any((frozenset(r["if"].items()), r["not"]) not in listed for r in policy.statement()["knowledge"]["rules"]):
            raise InputError(f"{KNOWLEDGE} lacks a rule that the policy in {MANIFEST} states")
        notes = self._check_files(publish, asked, in_pieces)
        read = self._open_groups if in_pieces else self._read_groups
        grouped = read(publish, what_is_missing(self.missing, asked))
        if len(grouped) != self.records:
            raise InputError("the number of rows is not that of the manifest")
        people = self._people(grouped)
        if asked.policy is None and "missing" not in asked.form and set(self.missing) - set(MISSING):
            agree_on_missing(self.missing, read(publish, ()).joined(policy.sensitive).columns)
        people.check_published(meaning, rules)
        plain, matching, number = people.diversity([(meaning, rules)])
        if matching < policy.l:
            raise InputError(f"somebody has only {_values(matching)}, fewer than {policy.l}")
        if (plain, matching, number) != (self.plain, self.matching, self.groups):
            raise InputError("the diversity in the manifest is not that of the data")
        answer, reason = Answer.HOLDS, "proved"
        if asked.policy is not None:
            stated: DiversityPolicy = asked.policy
            known = [(meant(stated), [(dict(rule.conditions), rule.excludes) for rule in stated.rules])]
            if stated.mined and asked.original is not None:
                original: Table = asked.original  # type: ignore[assignment]
                grouped.check_original(original, policy.quasi, policy.sensitive)  # others would teach other rules
                known.append(taught(stated, original))
            elif stated.mined:
                known.append((meaning, rules))
                answer, reason = Answer.NOT_CHECKED, NOT_MINED
            _, matching, _ = people.diversity(known)
            if matching < stated.l:
                raise InputError(f"by the stated policy somebody has only {_values(matching)}, fewer than {stated.l}")
        return Verdict(answer, reason, len(people.names), 0, people.examined, 0.0, notes), None

    def _people(self, grouped: Grouped) -> People:
        policy = self.policy
        if isinstance(grouped, GroupedFile):
            return PeopleOfFile(grouped, policy.quasi)
        return People(grouped.joined(policy.sensitive), grouped.groups()[0], policy.sensitive, policy.quasi)

    def _open_groups(self, publish: Path, missing: Sequence[str]) -> Grouped:
        """The published table, to be read in pieces."""
        policy = self.policy
        held = None if self.values is None else publish / self.values
        return open_groups(publish / self.file, self.group, policy.quasi, policy.sensitive, held, missing)

    def _check_files(self, publish: Path, asked: Asked, in_pieces: bool) -> tuple[str, ...]:
        """What stays unchecked about the files of the data; an InputError if there is more in them than should be."""
        if self.file.startswith("data.csv"):
            asked.agrees(delimiter=self.delimiter)
        left = []
        for name in self._tables():
            if in_pieces:
                left.append(check_rows_in_pieces(publish / name))
                continue
            content = checked_bytes(publish / name)
            left.append(check_rows(publish / name, content, self._read(publish / name, self.missing)))
        return tuple(note for note in left if note)

    def _read(self, path: Path, missing: Sequence[str]) -> Table:
        return read_table(path, delimiter=self.delimiter if ".csv" in path.name else None, missing=missing)

    def _read_groups(self, publish: Path, missing: Sequence[str]) -> Grouped:
        policy = self.policy
        table = self._read(publish / self.file, missing)
        wanted = {*policy.quasi, self.group} | ({policy.sensitive} if self.values is None else set())
        if set(table.names) != wanted:
            raise InputError("the columns of the data are not those of the policy")
        held = None if self.values is None else self._read(publish / self.values, missing)
        if held is not None and (len(held.names) != 3 or not {policy.sensitive, self.group} < set(held.names)):
            raise InputError("the columns of the file of values are not group, value and count")
        grouped = read_groups(table, self.group, held)
        labels = grouped.groups()[1]
        if not all(map(NUMBER.fullmatch, labels)) or max(map(int, labels), default=0) != len(labels):
            raise InputError("the groups are not simply numbered")
        return grouped

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        return (
            f"everybody has at least {self.matching} possible values of {self.policy.sensitive} for someone who knows "
            "the published rules.",
            f"{self.records:,} people in {self.groups:,} groups; {self.rules:,} "
            f"{'rule' if self.rules == 1 else 'rules'} known to the adversary. Every group holds at least {self.plain} "
            "different values.",
            f"{verdict.searched:,} different groups were examined. It took {verdict.seconds:.1f} s.",
        )


def stated_entries(policy: Mapping[str, Any]) -> dict[str, Any]:
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
            **_confidence(knowledge),
            "max_conditions": None if most is None else whole_number(most),
            "rules": [
                {"if": {whole_text(a): whole_text(v) for a, v in rule["if"].items()}, "not": whole_text(rule["not"])}
                for rule in knowledge["rules"]
            ],
            "fuzzy": None if knowledge["fuzzy"] is None else list(map(whole_text, knowledge["fuzzy"])),
            "hierarchies": {whole_text(a): whole_text(tree) for a, tree in knowledge["hierarchies"].items()},
        },
    }


def _confidence(knowledge: Mapping[str, Any]) -> dict[str, str]:
    """What the statement says of rules that are wrong about somebody: nothing, if none is."""
    if "min_confidence" not in knowledge:
        return {}
    return {"min_confidence": show_rational(read_threshold(whole_text(knowledge["min_confidence"])))}


def _meaning(policy: Any) -> dict[str, Any]:
    stated = policy.statement()
    knowledge = stated["knowledge"]
    settings = tuple(
        json.dumps(knowledge[key], sort_keys=True) for key in ("min_expectation", "max_conditions", "hierarchies")
    )
    settings = (*settings, knowledge.get("min_confidence", "1"))
    mined = (*settings, None if knowledge["fuzzy"] is None else frozenset(knowledge["fuzzy"]))
    return {
        "the sensitive column": stated["sensitive"],
        "the quasi-identifiers": frozenset(stated["quasi"]),
        "the number of values (l)": stated["l"],
        RULES: frozenset((frozenset(rule["if"].items()), rule["not"]) for rule in knowledge["rules"]),
        "which rules are mined": mined if knowledge["mined"] else None,
    }


def _values(number: int) -> str:
    return f"{number} possible value{'' if number == 1 else 's'}"


def meant(policy: DiversityPolicy) -> Meaning:
    """What the stated policy's own hierarchies say that names of groups mean."""
    return {
        name: {label: [tree.names[leaf] for leaf in tree.leaves_under(v)] for v, label in enumerate(tree.labels)}
        for name, tree in policy.hierarchies.items()
    }
