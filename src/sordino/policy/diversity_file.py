"""Diversity policies as TOML.

kind = "diversity"
sensitive = "Occupation"
quasi = ["Age", "Workclass", "Education", "Marital-status", "Race", "Sex"]
l = 6

[knowledge]
mined = true                 # the adversary knows the negative rules that the data teach
min_expectation = 0.9        # how surely such a rule is no chance
min_confidence = 1           # below 1: rules that are wrong about a few, and counted as certain
max_conditions = 1           # how many attributes a rule combines at most; 0: any number
rules = "rules.csv"          # more rules, in a file beside this one
fuzzy = ["Age"]              # default: numeric attributes that have a hierarchy

[hierarchies]                # files beside this one
Workclass = "workclass.csv"

[bins]                       # numbers in ranges that rules may speak of: { quantile = 5 }, { edges = [18, 30, 65] }
Age = { width = 10 }
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sordino.errors import PolicyError, did_you_mean
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.text import quote, section
from sordino.policy.threshold import show_rational

__all__ = ["PLACES", "parse", "write"]

KEYS = ("kind", "sensitive", "quasi", "l", "knowledge", "hierarchies", "bins")
EXAMPLES = {"sensitive": 'sensitive = "Disease"', "l": "l = 3"}
KNOWLEDGE_KEYS = ("mined", "min_expectation", "min_confidence", "max_conditions", "rules", "fuzzy")
PLACES = {"": KEYS, "[knowledge]": KNOWLEDGE_KEYS}


def parse(content: Mapping[str, Any], path: Path) -> DiversityPolicy:
    """The policy in the content of a file; every problem in it is reported at once."""
    problems = [_unknown(key, "", KEYS, KNOWLEDGE_KEYS, "in [knowledge]") for key in content if key not in KEYS]
    knowledge = section(content, "knowledge", problems)
    problems += [
        _unknown(key, " in [knowledge]", KNOWLEDGE_KEYS, KEYS, "at the top of the file, above the first [section]")
        for key in knowledge
        if key not in KNOWLEDGE_KEYS
    ]
    quasi = _names(content.get("quasi", []), 'quasi must be a list of columns: ["Age", "Sex"]', problems)
    fuzzy = knowledge.get("fuzzy")
    if fuzzy is not None:
        fuzzy = _names(fuzzy, '[knowledge] fuzzy must be a list of columns: ["Age"]', problems)
    for key in ("sensitive", "l"):
        if key not in content:
            problems.append(f"{key} is missing, for example {EXAMPLES[key]}")
    files = {}
    for name, file in section(content, "hierarchies", problems).items():
        if isinstance(file, str):
            files[name] = path.parent / file
        else:
            problems.append(f"[hierarchies] '{name}' must be the name of a file")
    rules = knowledge.get("rules")
    if rules is not None and not isinstance(rules, str):
        problems.append('[knowledge] rules must be the name of a file: "rules.csv"')
        rules = None
    most = knowledge.get("max_conditions", 1)
    try:
        policy = DiversityPolicy(
            content.get("sensitive", "?"),
            quasi or (["?quasi"] if problems else []),  # what is missing has been said
            content.get("l", 2),
            mined=knowledge.get("mined", True),
            min_expectation=knowledge.get("min_expectation", "0.9"),
            max_conditions=None if most == 0 and not isinstance(most, bool) else most,
            rules=() if rules is None else path.parent / rules,
            hierarchies=files,
            fuzzy=fuzzy,
            bins=section(content, "bins", problems),
            min_confidence=knowledge.get("min_confidence", 1),
        )
    except PolicyError as error:
        raise PolicyError([*problems, *error.problems], columns=_named(content)) from None
    if problems:
        raise PolicyError(problems, columns=_named(content))
    return policy


def _unknown(key: str, here: str, known: tuple[str, ...], elsewhere: tuple[str, ...], where: str) -> str:
    """What to say of a key that does not belong where it stands."""
    if key in elsewhere:
        return f"'{key}' does not belong{here or ' here'}: write it {where}"
    return f"unknown key '{key}'{here}.{did_you_mean(key, known)}"


def _named(content: Mapping[str, Any]) -> list[str]:
    """The columns that a file names, whatever else is wrong with it."""
    quasi = content.get("quasi")
    found = [*(quasi if isinstance(quasi, list) else ()), content.get("sensitive")]
    return list(dict.fromkeys(name for name in found if isinstance(name, str)))


def _names(value: Any, otherwise: str, problems: list[str]) -> list[str]:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    problems.append(otherwise)
    return []


def write(policy: DiversityPolicy, hierarchies: Mapping[str, str] | None = None, rules: str | None = None) -> str:
    """The policy as text that reads back as the same policy.

    Hierarchies and given rules are written as the names of files that `hierarchies` (column -> file) and `rules` give,
    and left out otherwise.
    """
    most = 0 if policy.max_conditions is None else policy.max_conditions
    lines = [
        'kind = "diversity"',
        f"sensitive = {quote(policy.sensitive)}",
        f"quasi = [{', '.join(map(quote, policy.quasi))}]",
        f"l = {policy.l}",
        "",
        "[knowledge]",
        f"mined = {'true' if policy.mined else 'false'}",
        f'min_expectation = "{show_rational(policy.min_expectation)}"',
        *([] if policy.min_confidence == 1 else [f'min_confidence = "{show_rational(policy.min_confidence)}"']),
        f"max_conditions = {most}",
    ]
    lines += [] if rules is None else [f"rules = {quote(rules)}"]
    if policy.fuzzy is not None and (hierarchies or policy.bins or not policy.fuzzy):
        lines.append(f"fuzzy = [{', '.join(map(quote, policy.fuzzy))}]")
    if policy.bins:
        lines += ["", "[bins]", *(f"{quote(name)} = {bins.as_toml()}" for name, bins in policy.bins.items())]
    if hierarchies:
        lines += ["", "[hierarchies]", *(f"{quote(name)} = {quote(file)}" for name, file in hierarchies.items())]
    return "\n".join(lines) + "\n"
