"""knowledge.json: the rules that an adversary is assumed to know, and what their names of groups of values mean.

    {"groups": {"Workclass": {"Government": ["Federal-gov", ..]}},
     "rules": [{"if": {"Workclass": "Government"}, "not": "Priv-house-serv"}, ..]}

Given and mined rules stand side by side. Whoever knows them learns nothing from that list; who does not, learns what
the publisher assumes to be known.
"""

from __future__ import annotations

from pathlib import Path

from sordino.errors import InputError
from sordino.verify.bounded import read_bytes, readable_json, strict_json
from sordino.verify.manifest import whole_text

__all__ = ["KNOWLEDGE", "Meaning", "Rules", "read_knowledge"]

KNOWLEDGE = "knowledge.json"
LARGEST = 1 << 28  # bytes of the rules

Meaning = dict[str, dict[str, list[str]]]  # what names of groups of values mean, by column
Rules = list[tuple[dict[str, str], str]]  # conditions (column -> value or name of a group), excluded value


def read_knowledge(publish: Path, *, checked: bool = False) -> tuple[Meaning, Rules]:
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
        named = [(a, label, held) for a, labels in groups.items() for label, held in labels.items()]
        if not all(groups.values()) or any((a, label) not in used or not held for a, label, held in named):
            raise InputError(f"{KNOWLEDGE} names a group of values that is empty, or that no rule speaks of")
        if content != again or raw != readable_json(content):
            raise InputError(f"{KNOWLEDGE} says something that has no place in it")
    return groups, rules
