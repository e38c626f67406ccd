"""Template policies as TOML.

    kind = "template"
    class = "Rating"                          # optional: what the release should let one predict
    symbol = "*"                              # optional: what stands in a suppressed cell

    [[template]]
    given = ["Job", "Country"]
    value = { Bankruptcy = "Discharged" }     # one value; or
    # values = { Bankruptcy = ["Discharged", "Current"] }
    # rarest = { Bankruptcy = "50%" }         # the least frequent half of its values; "100%" for all
    at_most = "0.75"

    [bins]                                    # numbers and dates that count, and are published, as ranges
    Age = { width = 10 }                      # or { quantile = 4 }, or { edges = [18, 30, 65] }
    Seen = { by = "month" }                   # dates: by week, month, quarter, year or decade

    [hierarchies]                             # files beside this one
    Country = "countries.csv"

With `sensitive = "Bankruptcy"` in a template, `values` and `rarest` need no column: values = ["Discharged"].
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from sordino.data.table import SYMBOL
from sordino.errors import PolicyError, did_you_mean
from sordino.policy.template import Template, TemplatePolicy
from sordino.policy.text import quote, section
from sordino.policy.threshold import show_rational

__all__ = ["PLACES", "parse", "write"]

KEYS = ("kind", "class", "symbol", "template", "bins", "hierarchies")
TEMPLATE_KEYS = ("given", "sensitive", "value", "values", "rarest", "at_most")
PLACES = {"": KEYS, "[[template]]": TEMPLATE_KEYS}
WAYS = ("value", "values", "rarest")


def parse(content: Mapping[str, Any], path: Path) -> TemplatePolicy:
    """The policy in the content of a file; every problem in it is reported at once."""
    problems = [_unknown(key, KEYS, TEMPLATE_KEYS, "in a [[template]]") for key in content if key not in KEYS]
    stated = content.get("template", [])
    if not isinstance(stated, list) or not all(isinstance(entry, dict) for entry in stated):
        problems.append("templates are written as [[template]] sections")
        stated = []
    templates = []
    for number, entry in enumerate(stated, start=1):
        try:
            templates.append(_template(entry))
        except PolicyError as error:
            problems += [f"template {number}: {problem}" for problem in error.problems]
    if not stated and not problems:
        problems.append("there is no [[template]]")
    label = content.get("class")
    if label is not None and not isinstance(label, str):
        problems.append("class must be the name of a column")
    bins = section(content, "bins", problems)
    hierarchies = section(content, "hierarchies", problems)
    files = {}
    for name, file in hierarchies.items():
        if isinstance(file, str):
            files[name] = path.parent / file
        else:
            problems.append(f"[hierarchies] '{name}' must be the name of a file")
    # Looked at even if templates are wrong, to tell all problems at once; a stand-in uses every column then.
    named = {*bins, *files}
    stand_in = [Template([*named, "given"], "sensitive", "value")] if problems and named else []
    try:
        policy = TemplatePolicy(
            [*templates, *stand_in],
            class_column=label if isinstance(label, str) else None,
            bins=bins,
            hierarchies=files,
            symbol=content.get("symbol", SYMBOL),
        )
    except PolicyError as error:
        if templates or stand_in or not problems:
            problems += error.problems
    if problems:
        raise PolicyError(problems, columns=_named(content))
    return policy


def _unknown(key: str, known: tuple[str, ...], elsewhere: tuple[str, ...], where: str) -> str:
    """What to say of a key that does not belong where it stands."""
    if key in elsewhere:
        return f"'{key}' does not belong here: write it {where}"
    return f"unknown key '{key}'.{did_you_mean(key, known)}"


def _named(content: Mapping[str, Any]) -> list[str]:
    """The columns that a file names where a column should stand, whatever else is wrong with it."""
    found: list[object] = [content.get("class")]
    stated = content.get("template")
    for entry in stated if isinstance(stated, list) else ():
        if isinstance(entry, dict):
            given = entry.get("given")
            found += [*(given if isinstance(given, list) else ()), entry.get("sensitive")]
            found += [name for way in WAYS if isinstance(entry.get(way), dict) for name in entry[way]]
    found += [name for part in ("bins", "hierarchies") if isinstance(content.get(part), dict) for name in content[part]]
    return list(dict.fromkeys(name for name in found if isinstance(name, str)))


def _template(entry: Mapping[str, Any]) -> Template:
    problems = [
        _unknown(key, TEMPLATE_KEYS, KEYS, "at the top of the file, above the first [section]")
        for key in entry
        if key not in TEMPLATE_KEYS
    ]
    given = entry.get("given", [])
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        problems.append('given must be a list of columns: ["Job", "Country"]')
        given = ["?"]
    elif not given:
        problems.append("'given' names no column")
        given = ["?"]
    if "at_most" not in entry:
        problems.append('at_most is missing, for example at_most = "0.5"')
    ways = [way for way in WAYS if way in entry]
    column, values, rarest = entry.get("sensitive"), (), None
    if column is not None and not isinstance(column, str):
        problems.append("sensitive must be the name of a column")
        column = None
    if len(ways) != 1:
        problems.append(
            'state what must not be inferred, once: value = { Column = "text" }, values = ... or rarest = ...'
        )
    else:
        column, wanted = _column(entry[ways[0]], column, ways[0], problems)
        if ways[0] == "rarest":
            rarest = wanted
        else:
            values = _values(wanted, ways[0], problems)
    if not problems:
        assert isinstance(column, str)
        return Template(given, column, values, entry["at_most"], rarest=rarest)
    try:  # the threshold is looked at all the same
        Template(given, "a column", "a value", entry.get("at_most", "0.5"))
    except PolicyError as error:
        problems += error.problems
    raise PolicyError(problems)


def _column(stated: Any, column: str | None, way: str, problems: list[str]) -> tuple[str | None, Any]:
    """The sensitive column and what is stated about it."""
    if isinstance(stated, dict):
        if len(stated) == 1 and column in (None, *stated):
            ((name, wanted),) = stated.items()
            return name, wanted
        problems.append(f"{way} must name one column: {way} = {{ Column = ... }}")
    elif column is None:
        problems.append(f"{way} must say of which column: {way} = {{ Column = ... }}")
    return column, stated


def _values(wanted: Any, way: str, problems: list[str]) -> tuple[Any, ...]:
    values = wanted if isinstance(wanted, list) and way == "values" else [wanted]
    if not values or not all(isinstance(value, (str, int, Decimal, float, bool)) for value in values):
        problems.append(f"{way} must be {'a list of values' if way == 'values' else 'one value'}")
        return ()
    return tuple(values)


def write(policy: TemplatePolicy, hierarchies: Mapping[str, str] | None = None) -> str:
    """The policy as text that reads back as the same policy.

    Hierarchies are written as the file names that `hierarchies` gives (column -> file), and left out otherwise.
    """
    lines = ['kind = "template"']
    lines += [] if policy.class_column is None else [f"class = {quote(policy.class_column)}"]
    lines += [] if policy.symbol == SYMBOL else [f"symbol = {quote(policy.symbol)}"]
    for template in policy.templates:
        lines += ["", "[[template]]", f"given = [{', '.join(map(quote, template.given))}]"]
        name = quote(template.sensitive)
        if template.rarest is not None:
            lines.append(f'rarest = {{ {name} = "{show_rational(template.rarest)}" }}')
        elif len(template.values) == 1:
            lines.append(f"value = {{ {name} = {quote(template.values[0])} }}")
        else:
            lines.append(f"values = {{ {name} = [{', '.join(map(quote, template.values))}] }}")
        lines.append(f'at_most = "{show_rational(template.at_most)}"')
    if policy.bins:
        lines += ["", "[bins]", *(f"{quote(name)} = {bins.as_toml()}" for name, bins in policy.bins.items())]
    if hierarchies:
        lines += ["", "[hierarchies]", *(f"{quote(name)} = {quote(file)}" for name, file in hierarchies.items())]
    return "\n".join(lines) + "\n"
