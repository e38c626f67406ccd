"""What `sordino init` asks on a terminal, and what it takes for granted without one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from sordino.cli.page import clean
from sordino.data.baskets import Baskets
from sordino.data.dates import are_dates, dates_of
from sordino.data.how_read import how_read
from sordino.data.read_hierarchy import read_hierarchy
from sordino.data.table import Column, Table
from sordino.data.why_read import id_like, why_read
from sordino.errors import InputError, did_you_mean
from sordino.policy.draft import (
    COLUMNS,
    diversity_text,
    inference_text,
    may_be_sensitive,
    people_as_share,
    template_text,
)
from sordino.policy.patterns import matching
from sordino.policy.text import read_name_list
from sordino.policy.threshold import read_threshold

__all__ = ["Wishes", "asks_baskets", "asks_table"]

SHOWN = 15  # suggestions
MANY = 20  # values of a number, from which on it is suggested in ranges
WILD = "*?["


@dataclass(frozen=True)
class Wishes:
    """What the options say; None or nothing where they do not. `folder` is where the policy will lie."""

    kind: str
    sensitive: str | None
    patterns: tuple[str, ...]
    nodes: tuple[str, ...]
    hierarchy: Path | None
    rho: str | None
    knowledge: int | None
    given: str | None
    values: tuple[str, ...]
    l: int | None  # noqa: E741 - the name of the literature
    folder: Path
    terminal: bool


def asks_baskets(baskets: Baskets, wishes: Wishes, check: Callable[[], None]) -> str:
    """The text of a policy for baskets."""
    if wishes.kind not in ("", "inference"):
        raise InputError(f"these are baskets, and a policy of kind '{wishes.kind}' is about a table")
    check()
    used = [name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support]
    names = _names(wishes.sensitive)
    wild = [name for name in names if name not in used and any(mark in name for mark in WILD)]
    items = [name for name in names if name not in wild]
    patterns, nodes = [*wild, *wishes.patterns], list(wishes.nodes)
    told = bool(items or patterns or nodes)
    if not told:
        likely = may_be_sensitive(used)
        if not wishes.terminal:
            raise InputError(
                "it is not said what is sensitive",
                hint="Say it with --sensitive NAMES, --pattern 'hiv*', or --node GROUP and --hierarchy FILE.",
                suggestions=[f"Sensitive may be: {', '.join(map(clean, likely[:SHOWN]))}."] if likely else [],
            )
        _tell(how_read(baskets), why_read(baskets))
        if likely:
            _tell(f"By their names, these may be sensitive: {', '.join(likely[:SHOWN])}.")
        items, patterns, nodes = _ask_sensitive(used, wishes.hierarchy)
    rho = _threshold(wishes, told)
    knowledge = wishes.knowledge
    if knowledge is None and wishes.terminal and not told:
        said = _ask("How many items of a person may somebody know already? A number, or: any", "any")
        knowledge = int(said) if said.isdecimal() and int(said) > 0 else None
    tree = None if wishes.hierarchy is None else os.path.relpath(wishes.hierarchy.resolve(), wishes.folder)
    if tree is not None and not nodes:
        raise InputError("--hierarchy is of no use here without --node", hint="Leave it out, or name a group.")
    return inference_text(items=items, patterns=patterns, nodes=nodes, hierarchy=tree, rho=rho, knowledge=knowledge)


def asks_table(table: Table, wishes: Wishes, check: Callable[[str], None]) -> str:
    """The text of a policy for a table."""
    if wishes.kind == "inference":
        raise InputError("this is a table, and a policy of kind 'inference' is about baskets")
    kind = wishes.kind or ("diversity" if wishes.l is not None else "")
    told = wishes.sensitive is not None
    if not wishes.terminal and not told:
        likely = may_be_sensitive(table.names, COLUMNS)
        maybe = f" Perhaps: {', '.join(likely[:SHOWN])}." if likely else ""
        raise InputError("it is not said which column is sensitive", hint=f"Say it with --sensitive COLUMN.{maybe}")
    if not told:
        _tell(how_read(table), why_read(table))
        kind = kind or _ask(
            "What must hold? template: nobody becomes too sure of a value; diversity: enough values stay possible",
            "template",
            ("template", "diversity"),
        )
        likely = may_be_sensitive(table.names, COLUMNS)
        column = _ask(
            f"Which column is sensitive? ({', '.join(table.names)})", likely[0] if likely else None, table.names
        )
    else:
        column = str(wishes.sensitive)
        _check_columns([column], table)
    kind = kind or "template"
    check(kind)
    given = _names(wishes.given) if wishes.given is not None else _others(table, column)
    if wishes.given is None and wishes.terminal and not told:
        given = _names(_ask("Which columns may be known of a person? Names apart by commas", ",".join(given)))
    _check_columns(given, table)
    if not given:
        raise InputError("there is no other column that may be known", hint="Name some with --given a,b,c.")
    left = [c.name for c in table.columns if id_like(c) and c.name not in (*given, column)]
    note = (
        f"# Not among what may be known, because they look like ids: {', '.join(map(clean, left))}.\n" if left else ""
    )
    held: Column = table.columns[table.names.index(column)]
    if kind == "diversity":
        most = len(held.values)
        if most < 2:
            raise InputError(f"the column '{column}' has one value only: there is nothing to hide among")
        l = wishes.l or min(3, most)  # noqa: E741
        return note + diversity_text(column, given, l, bins=_ranges(table, given))
    threshold = _threshold(wishes, told)
    return note + template_text(column, given, threshold, values=wishes.values, bins=_ranges(table, given))


def _ranges(table: Table, given: Sequence[str]) -> dict[str, str]:
    """Ranges for the numbers and dates of many values among what may be known."""
    many = [column for column in table.columns if column.name in given and len(column.values) > MANY]
    found = {column.name: _range(column) for column in many}
    return {name: way for name, way in found.items() if way is not None}


def _range(column: Column) -> str | None:
    if column.numeric:
        return "{ quantile = 4 }"
    try:
        days = dates_of(column.texts) if are_dates(column.texts) else []
    except ValueError:  # whether the day or the month comes first is not clear
        return None
    return '{ by = "year" }' if len({day.year for day in days}) > 1 else '{ by = "month" }' if days else None


def _others(table: Table, sensitive: str) -> list[str]:
    """The columns that may be known, unless somebody knows better: all but ids and what never differs."""
    return [c.name for c in table.columns if c.name != sensitive and not id_like(c) and len(c.values) > 1]


def _check_columns(names: Sequence[str], table: Table) -> None:
    for name in names:
        if name not in table.names:
            raise InputError(
                f"there is no column '{name}'.{did_you_mean(name, table.names)}",
                hint=f"The columns are: {', '.join(table.names)}.",
            )


def _threshold(wishes: Wishes, told: bool) -> str:
    if wishes.rho is not None:
        return _checked(people_as_share(wishes.rho))
    if not wishes.terminal or told:
        return "0.5"
    while True:
        said = _ask("Of 10 people who look alike to somebody, how many may at most have it?", "5")
        try:
            return _checked(people_as_share(said))
        except InputError as error:
            _tell(error.what)


def _checked(text: str) -> str:
    try:
        read_threshold(text)
    except ValueError as error:
        raise InputError(f"the threshold: {error}", hint="Write it like '5 of 10', 0.5, 1/3 or 30%.") from None
    return text


def _ask_sensitive(used: Sequence[str], hierarchy: Path | None) -> tuple[list[str], list[str], list[str]]:
    """Names, patterns and groups, until each stands for something."""
    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    groups = set() if tree is None else set(tree.names) - set(tree.leaf_of)
    also = "" if tree is None else ", or groups of the hierarchy"
    while True:
        said = _names(_ask(f"What is sensitive? Names, patterns such as hiv*{also}, apart by commas", None))
        items = [name for name in said if name in used]
        nodes = [name for name in said if name not in used and name in groups]
        patterns = [name for name in said if name not in (*used, *nodes) and any(mark in name for mark in WILD)]
        unknown = [name for name in said if name not in (*items, *nodes, *patterns)]
        unknown += [pattern for pattern in patterns if not matching(pattern, used)]
        for name in unknown:
            _tell(f"There is no '{name}'.{did_you_mean(name, used)}")
        if said and not unknown:
            for pattern in patterns:
                found = matching(pattern, used)
                _tell(f"{pattern} stands for {len(found):,}: {', '.join(found[:SHOWN])}")
            return items, patterns, nodes


def _names(said: str | None) -> list[str]:
    if said is None:
        return []
    if said.startswith("@"):
        return read_name_list(said[1:])
    return list(dict.fromkeys(name.strip() for name in said.split(",") if name.strip()))


def _ask(question: str, default: str | None, known: Sequence[str] = ()) -> str:
    """An answer from the terminal; questions go to standard error, so that they are seen whatever is piped."""
    while True:
        answer: Any = typer.prompt(clean(question), default=default, err=True)
        text = str(answer).strip()
        if not known or text in known:
            return text
        _tell(f"There is no '{text}'.{did_you_mean(text, known)}")


def _tell(*sentences: str) -> None:
    for sentence in sentences:
        typer.echo(clean(sentence), err=True)
