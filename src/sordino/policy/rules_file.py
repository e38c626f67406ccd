"""rules.csv and rules.json: negative rules as files that people read, edit and hand back.

CSV: one column for each attribute that some rule names, then a column "not SENSITIVE", one rule a line. An empty cell
says nothing about the attribute. What stands to the right (how many people fit, and so on) is for the reader; it may
be left out, and any other notes may stand there. Cells may also be apart by semicolons or tabs.

    Workclass,Education,not Occupation,people,exceptions,expectation
    Government,,Priv-house-serv,6452,0,1

JSON: a list of {"if": {"Workclass": "Government"}, "not": "Priv-house-serv"}; other entries are notes.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sordino.errors import InputError, PolicyError, did_you_mean
from sordino.policy.rules import NegativeRule
from sordino.policy.text import read_whole
from sordino.policy.threshold import show_rational

__all__ = ["encoded_rules", "read_rules", "rules_from_text"]

SHOWN = 8  # problems listed in one message at most
DELIMITERS = (",", ";", "\t")  # as spreadsheets write them
FIGURES = ("people", "exceptions", "expectation")


def encoded_rules(rules: Iterable[NegativeRule], sensitive: str, quasi: Sequence[str], *, form: str = "csv") -> bytes:
    """The rules as the bytes of a CSV or JSON file."""
    rules = tuple(rules)
    if form == "json":
        text = json.dumps([rule.to_dict() for rule in rules], ensure_ascii=False, indent=1) + "\n"
        return text.encode("utf-8", "surrogatepass")
    named = {attribute for rule in rules for attribute, _ in rule.conditions}
    columns = [name for name in quasi if name in named] or list(quasi)
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([*columns, f"not {sensitive}", *FIGURES])
    for rule in rules:
        held = dict(rule.conditions)
        figures = ["" if x is None else show_rational(x) for x in (rule.support, rule.exceptions)]
        figures.append("" if rule.expectation is None else f"{rule.expectation:.6g}")
        writer.writerow([*(held.get(name, "") for name in columns), rule.excludes, *figures])
    return sink.getvalue().encode("utf-8", "surrogatepass")


def read_rules(path: str | Path, sensitive: str, quasi: Sequence[str]) -> tuple[NegativeRule, ...]:
    """The rules in a CSV or JSON file about this sensitive column; a PolicyError lists all that is wrong with it."""
    path = Path(path)
    text = read_whole(path, "the rules")
    return rules_from_text(text, sensitive, quasi, where=str(path))


def rules_from_text(
    text: str, sensitive: str, quasi: Sequence[str], *, where: str | None = None
) -> tuple[NegativeRule, ...]:
    """The rules in the text of such a file."""
    if "\0" in text:
        raise InputError("this is not a list of rules (it holds NUL characters)", where=where)
    problems: list[str] = []
    nested = text.lstrip()[:1] in ("[", "{")
    rules = _from_json(text, quasi, problems) if nested else _from_csv(text, sensitive, quasi, problems)
    if problems:
        more = [f"and {len(problems) - SHOWN:,} more"] if len(problems) > SHOWN else []
        raise PolicyError(problems[:SHOWN] + more, where=where)
    return tuple({rule.meaning: rule for rule in reversed(rules)}.values())[::-1]


def _from_csv(text: str, sensitive: str, quasi: Sequence[str], problems: list[str]) -> list[NegativeRule]:
    first = next((line for line in text.splitlines() if line.strip(",; \t")), "")
    wanted = f"not {sensitive}"
    mark = max(
        DELIMITERS, key=lambda d: wanted in [cell.strip() for row in csv.reader([first], delimiter=d) for cell in row]
    )
    try:
        lines = [
            (number, [cell.strip() for cell in row])
            for number, row in enumerate(
                csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True), start=1
            )
        ]
    except csv.Error as error:
        problems.append(f"not valid CSV: {error}")
        return []
    lines = [(number, row) for number, row in lines if any(row)]
    if not lines:
        problems.append("the list of rules is empty")
        return []
    head = lines[0][1]
    if wanted not in head:
        titles = [name for name in head if name.startswith("not ")]
        other = f" It has '{titles[0]}'." if titles else ""
        problems.append(f"the list of rules has no column '{wanted}'.{other}")
        return []
    last = head.index(wanted)
    columns = head[:last]
    for k, name in enumerate(columns):
        if name not in quasi:
            problems.append(f"the column '{name}' is not a quasi-identifier of the policy.{did_you_mean(name, quasi)}")
        elif name in columns[:k]:
            problems.append(f"the column '{name}' stands twice")
    rules = []
    for number, row in lines[1:]:
        if len(row) <= last:
            problems.append(f"line {number}: {len(row)} cells, but at least {last + 1} columns")
            continue
        conditions = [(name, cell) for name, cell in zip(columns, row, strict=False) if cell]
        if not row[last]:
            problems.append(f"line {number}: no value under '{wanted}'")
        elif not conditions:
            problems.append(f"line {number}: a rule without a condition")
        else:
            rules.append(NegativeRule(conditions, row[last]))
    return rules


def _from_json(text: str, quasi: Sequence[str], problems: list[str]) -> list[NegativeRule]:
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        problems.append("not valid JSON")
        return []
    if not isinstance(content, list):
        problems.append('the rules must be a list of {"if": {...}, "not": "..."}')
        return []
    rules = []
    for number, entry in enumerate(content, start=1):
        held = entry.get("if") if isinstance(entry, dict) else None
        value = entry.get("not") if isinstance(entry, dict) else None
        if not isinstance(held, dict) or not isinstance(value, str) or not value:
            problems.append(f'rule {number}: must be {{"if": {{...}}, "not": "..."}}')
            continue
        if not held:
            problems.append(f"rule {number}: a rule without a condition")
            continue
        wrong = [name for name in held if name not in quasi]
        problems += [
            f"rule {number}: '{name}' is not a quasi-identifier of the policy.{did_you_mean(name, quasi)}"
            for name in wrong
        ]
        if not all(isinstance(label, str | int | float) and not isinstance(label, bool) for label in held.values()):
            problems.append(f"rule {number}: a condition must be a value or the name of a group")
        elif not wrong:
            rules.append(NegativeRule({name: str(label) for name, label in held.items()}, value))
    return rules
