"""Inference policies as TOML.

kind = "inference"

[sensitive]
items = ["medicine"]            # names, and/or a file with one a line:
file = "sensitive.txt"

[threshold]
rho = "0.5"                     # how sure somebody may at most become
per_item = { medicine = "0.3" } # single items may have thresholds of their own
adaptive = true                 # or a factor, or factors by item: frequent items may be inferred more surely

[knowledge]
items = 2                       # the most items that somebody knows; leave it out for any number
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sordino.errors import InputError, PolicyError, did_you_mean
from sordino.policy.inference import InferencePolicy
from sordino.policy.text import quote, read_name_list
from sordino.policy.threshold import show_rational

__all__ = ["parse", "write"]

_KEYS: Mapping[str, tuple[str, ...]] = {
    "": ("kind", "sensitive", "threshold", "knowledge"),
    "sensitive": ("items", "file"),
    "threshold": ("rho", "per_item", "adaptive"),
    "knowledge": ("items",),
}


def parse(content: Mapping[str, Any], path: Path) -> InferencePolicy:
    """The policy in the content of a file; every problem in it is reported at once."""
    problems = list(_unknown_keys(content))
    sections = {name: _section(content, name, problems) for name in ("sensitive", "threshold", "knowledge")}
    names = _sensitive(sections["sensitive"], path, problems)
    threshold = sections["threshold"]
    per_item = threshold.get("per_item", {})
    if not isinstance(per_item, dict):
        problems.append('[threshold] per_item must be a table: { medicine = "0.3" }')
        per_item = {}
    if "rho" not in threshold:
        problems.append('[threshold] rho is missing, for example rho = "0.5"')
    try:
        policy = InferencePolicy(
            names,
            threshold.get("rho", "0.5"),
            rho_of=per_item,
            adaptive=threshold.get("adaptive", False),
            knowledge=sections["knowledge"].get("items"),
        )
    except PolicyError as error:
        raise PolicyError([*problems, *error.problems], where=str(path)) from None
    if problems:
        raise PolicyError(problems, where=str(path))
    return policy


def write(policy: InferencePolicy) -> str:
    """The policy as the text of a policy.toml that reads back as the same policy."""
    lines = ['kind = "inference"', "", "[sensitive]", "items = ["]
    lines += [f"  {quote(name)}," for name in policy.sensitive]
    lines += ["]", "", "[threshold]", f'rho = "{show_rational(policy.rho)}"']
    if isinstance(policy.adaptive, Mapping):
        pairs = ", ".join(f'{quote(k)} = "{show_rational(v)}"' for k, v in policy.adaptive.items())
        lines.append(f"adaptive = {{ {pairs} }}")
    elif isinstance(policy.adaptive, bool):
        lines += ["adaptive = true"] if policy.adaptive else []
    else:
        lines.append(f'adaptive = "{show_rational(policy.adaptive)}"')
    if policy.rho_of:
        lines += ["", "[threshold.per_item]"]
        lines += [f'{quote(item)} = "{show_rational(rho)}"' for item, rho in policy.rho_of.items()]
    if policy.knowledge is not None:
        lines += ["", "[knowledge]", f"items = {policy.knowledge}"]
    return "\n".join(lines) + "\n"


def _unknown_keys(content: Mapping[str, Any]) -> Iterable[str]:
    for key, value in content.items():
        if key not in _KEYS[""]:
            yield f"unknown key '{key}'.{did_you_mean(key, _KEYS[''])}"
        elif key in _KEYS and isinstance(value, dict):
            for inner in value:
                if inner not in _KEYS[key]:
                    yield f"unknown key '{inner}' in [{key}].{did_you_mean(inner, _KEYS[key])}"


def _section(content: Mapping[str, Any], name: str, problems: list[str]) -> dict[str, Any]:
    value = content.get(name, {})
    if not isinstance(value, dict):
        problems.append(f"'{name}' must be a section: [{name}]")
        return {}
    return value


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
    if "items" not in section and "file" not in section:
        problems.append('[sensitive] must name items = ["..."] or file = "..."')
    elif not names and len(problems) == before:  # every file would satisfy such a policy
        problems.append("[sensitive] names no item at all")
    return names
