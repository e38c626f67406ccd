"""Inference policies as TOML.

kind = "inference"

[sensitive]
items = ["medicine"]            # names, and/or a file with one a line:
file = "sensitive.txt"
patterns = ["hiv*"]             # and/or all items that are called so: * any letters, ? one, [ab] one of these
nodes = ["Antidepressants"]     # and/or all items of a group of the hierarchy, in a file beside this one:
hierarchy = "products.csv"

[threshold]
rho = "0.5"                     # how sure somebody may at most become
per_item = { medicine = "0.3" } # single items may have thresholds of their own
adaptive = true                 # or a factor, or factors by item: frequent items may be inferred more surely
adaptive_on = "original"        # whose frequencies decide; "release" if it is left out

[knowledge]
items = 2                       # the most items that somebody knows; leave it out for any number
# absent = "any"                # instead of items: he also knows any items that a person does NOT have
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sordino.data.hierarchy import Hierarchy
from sordino.data.read_hierarchy import read_hierarchy
from sordino.errors import InputError, PolicyError, did_you_mean
from sordino.policy.assurance import Assurance
from sordino.policy.choices import Choices, read_choices
from sordino.policy.inference import InferencePolicy
from sordino.policy.patterns import PatternPolicy, group_problems
from sordino.policy.text import quote, read_name_list, section
from sordino.policy.threshold import show_rational

__all__ = ["CHOICES", "EXCEPTIONS", "PLACES", "parse", "write"]

_KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("kind", "sensitive", "threshold", "knowledge", "assurance"),
    "sensitive": ("items", "file", "patterns", "nodes", "hierarchy", "per_record", "except_for"),
    "threshold": ("rho", "per_item", "adaptive", "adaptive_on"),
    "knowledge": ("items", "absent"),
    "assurance": ("epsilon", "delta", "max_knowledge"),
}
PLACES = {f"[{name}]" if name else "": keys for name, keys in _KEYS.items()}
EXAMPLES = {"patterns": "hiv*", "nodes": "Antidepressants"}
_CHOICES = ("file", "record", "item", "first")
CHOICES, EXCEPTIONS = "choices.parquet", "exceptions.parquet"  # where `write` expects what people chose


def parse(content: Mapping[str, Any], path: Path) -> InferencePolicy | PatternPolicy:
    """The policy in the content of a file; every problem in it is reported at once.

    If it tells sensitive items by patterns or groups, they get their names from the data (policy/patterns.py).
    """
    problems = list(_unknown_keys(content))
    sections = {name: section(content, name, problems) for name in _KEYS if name}
    names = _sensitive(sections["sensitive"], path, problems)
    threshold = sections["threshold"]
    per_item = threshold.get("per_item", {})
    if not isinstance(per_item, dict):
        problems.append('[threshold] per_item must be a table: { medicine = "0.3" }')
        per_item = {}
    if "rho" not in threshold:
        problems.append('[threshold] rho is missing, for example rho = "0.5"')
    patterns, nodes, tree = _told_by(sections["sensitive"], path, problems)
    adaptive = threshold.get("adaptive", False)
    # Thresholds of single items may be for some that only the data name; those are looked at when they are known.
    later = [*per_item, *(adaptive if isinstance(adaptive, dict) else ())] if patterns or nodes else []
    try:
        policy = InferencePolicy(
            [*names, *map(str, later)],
            threshold.get("rho", "0.5"),
            rho_of=per_item,
            adaptive=threshold.get("adaptive", False),
            adaptive_on=threshold.get("adaptive_on", "release"),
            knowledge=sections["knowledge"].get("items"),
            absent=sections["knowledge"].get("absent"),
            per_record=_choices(sections["sensitive"], "per_record", path, problems),
            except_for=_choices(sections["sensitive"], "except_for", path, problems),
            assurance=_assurance(sections["assurance"], "assurance" in content, problems),
        )
    except PolicyError as error:
        raise PolicyError([*problems, *error.problems], where=str(path), sensitive=names) from None
    if problems:
        raise PolicyError(problems, where=str(path), sensitive=names)
    if patterns or nodes:
        return PatternPolicy(policy, tuple(names), tuple(patterns), tuple(nodes), tree)
    return policy


def _told_by(
    section: Mapping[str, Any], path: Path, problems: list[str]
) -> tuple[list[str], list[str], Hierarchy | None]:
    """Patterns and groups that tell what is sensitive, and the hierarchy of the groups."""
    lists: dict[str, list[str]] = {"patterns": [], "nodes": []}
    for key in lists:
        stated = section.get(key, [])
        if isinstance(stated, list) and all(isinstance(text, str) and text.strip() for text in stated):
            lists[key] = stated
        else:
            problems.append(f'[sensitive] {key} must be a list of texts: ["{EXAMPLES[key]}"]')
    file = section.get("hierarchy")
    if file is not None and (not isinstance(file, str) or not file):
        problems.append('[sensitive] hierarchy must be the name of a file: "products.csv"')
        file = None
    elif file is None and lists["nodes"]:
        problems.append('[sensitive] nodes need the hierarchy whose groups they are: hierarchy = "products.csv"')
    elif file is not None and not lists["nodes"]:
        problems.append("[sensitive] hierarchy is for nodes, and there are none")
    if file is None or not lists["nodes"]:
        return lists["patterns"], lists["nodes"], None
    try:
        tree = read_hierarchy(path.parent / file)
    except InputError as error:
        problems.append(str(error))
        return lists["patterns"], lists["nodes"], None
    problems += group_problems(lists["nodes"], tree)
    return lists["patterns"], lists["nodes"], tree


def write(policy: InferencePolicy) -> str:
    """The policy as the text of a policy.toml that reads back as the same policy.

    What people chose is not in it: it names the files CHOICES and EXCEPTIONS beside it, for `Choices.to_arrow()`.
    """
    lines = ['kind = "inference"', "", "[sensitive]", "items = ["]
    lines += [f"  {quote(name)}," for name in policy.sensitive]
    lines.append("]")
    for key, file, choices in (
        ("per_record", CHOICES, policy.per_record),
        ("except_for", EXCEPTIONS, policy.except_for),
    ):
        if choices is not None:
            first = f", first = {choices.first}" if choices.first else ""
            lines.append(f'{key} = {{ file = "{file}", record = "record", item = "item"{first} }}')
    lines += ["", "[threshold]", f'rho = "{show_rational(policy.rho)}"']
    if isinstance(policy.adaptive, Mapping):
        pairs = ", ".join(f'{quote(k)} = "{show_rational(v)}"' for k, v in policy.adaptive.items())
        lines.append(f"adaptive = {{ {pairs} }}")
    elif isinstance(policy.adaptive, bool):
        lines += ["adaptive = true"] if policy.adaptive else []
    else:
        lines.append(f'adaptive = "{show_rational(policy.adaptive)}"')
    if policy.adaptive_on != "release":
        lines.append(f"adaptive_on = {quote(policy.adaptive_on)}")
    if policy.rho_of:
        lines += ["", "[threshold.per_item]"]
        lines += [f'{quote(item)} = "{show_rational(rho)}"' for item, rho in policy.rho_of.items()]
    if policy.knowledge is not None:
        lines += ["", "[knowledge]", f"items = {policy.knowledge}"]
    if policy.absent is not None:
        lines += ["", "[knowledge]", f"absent = {quote(policy.absent)}"]
    if policy.assurance is not None:
        sure = policy.assurance
        lines += ["", "[assurance]", f'epsilon = "{show_rational(sure.epsilon)}"']
        lines += [f'delta = "{show_rational(sure.delta)}"', f"max_knowledge = {sure.max_knowledge}"]
    return "\n".join(lines) + "\n"


def _unknown_keys(content: Mapping[str, Any]) -> Iterable[str]:
    for key, value in content.items():
        if key not in _KEYS[""]:
            yield _misplaced(key, "") or f"unknown key '{key}'.{did_you_mean(key, _KEYS[''])}"
        elif key in _KEYS and isinstance(value, dict):
            for inner in value:
                if inner not in _KEYS[key]:
                    near = did_you_mean(inner, _KEYS[key])
                    yield _misplaced(inner, key) or f"unknown key '{inner}' in [{key}].{near}"


def _misplaced(key: str, here: str) -> str | None:
    """Where a key belongs, if it belongs elsewhere."""
    homes = [f"[{name}]" for name, known in _KEYS.items() if name and name != here and key in known]
    if here and key in _KEYS[""]:
        what = "at the top of the file, above the first [section]" if key == "kind" else f"as a section [{key}]"
        return f"'{key}' does not belong in [{here}]: write it {what}"
    if not homes:
        return None
    return f"'{key}' does not belong {f'in [{here}]' if here else 'here'}: write it in {' or '.join(homes)}"


def _sensitive(section: Mapping[str, Any], path: Path, problems: list[str]) -> list[str]:
    names: list[str] = []
    before = len(problems)
    items = section.get("items", [])
    if isinstance(items, list) and all(isinstance(i, str | int) and not isinstance(i, bool) for i in items):
        names += [str(i) for i in items]
    else:
        problems.append('[sensitive] items must be a list of names: ["medicine"]')
    file = section.get("file")
    if file is not None and not isinstance(file, str):
        problems.append("[sensitive] file must be the name of a text file")
    elif file is not None:
        try:
            names += read_name_list(path.parent / file)
        except InputError as error:
            problems.append(str(error))
    personal = "per_record" in section or "except_for" in section
    told = bool(section.get("patterns")) or bool(section.get("nodes"))
    if not {"items", "file", "patterns", "nodes"} & section.keys() and not personal:
        problems.append('[sensitive] must name items = ["..."], patterns = ["..."] or file = "..."')
    elif (
        not names and not told and len(problems) == before and "per_record" not in section
    ):  # every file would satisfy such a policy
        problems.append("[sensitive] names no item at all")
    return names


def _choices(section: Mapping[str, Any], key: str, path: Path, problems: list[str]) -> Choices | None:
    """What people chose, in a file beside the policy."""
    stated = section.get(key)
    if stated is None:
        return None
    if isinstance(stated, str):
        stated = {"file": stated}
    texts = isinstance(stated, dict) and all(isinstance(stated.get(name, ""), str) for name in _CHOICES[:3])
    if not texts or not stated.get("file") or type(stated.get("first", 0)) is not int:
        problems.append(
            f'[sensitive] {key} must name a file: {{ file = "choices.csv", record = "user", item = "item" }}'
        )
        return None
    for name in stated:
        if name not in _CHOICES:
            problems.append(f"unknown key '{name}' in [sensitive] {key}.{did_you_mean(name, _CHOICES)}")
    try:
        return read_choices(
            path.parent / stated["file"],
            record=stated.get("record"),
            item=stated.get("item"),
            first=stated.get("first", 0),
        )
    except InputError as error:
        problems.append(str(error))
        return None


def _assurance(section: Mapping[str, Any], stated: bool, problems: list[str]) -> Assurance | None:
    if not stated:
        return None
    missing = [name for name in _KEYS["assurance"] if name not in section]
    if missing:
        problems.append(f"[assurance] {missing[0]} is missing")
        return None
    try:
        return Assurance(section["epsilon"], section["delta"], section["max_knowledge"])
    except PolicyError as error:
        problems += error.problems
        return None
