"""Which options a command uses. Whatever else the user states is refused: an option is never ignored.

A command may be about several things: a file of baskets, a table, a release folder. Each is a way through it, and each
way says which of the command's options it uses. As soon as a command knows its way, it takes it (`take`), and whoever
stated an option that is of no use there is told so. `tests/cli/test_ways.py` goes through all commands, ways and
options, and shows that each option is refused or changes what comes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import typer

from sordino.errors import InputError

__all__ = [
    "AUDITED",
    "BASKETS",
    "COLUMNS",
    "COMPARED",
    "DATABASE",
    "MEASURED",
    "POLICY",
    "PROTECTED",
    "REPORTED",
    "TABLE",
    "Way",
    "stated",
    "take",
    "way",
]

POLICY = ("policy", "sensitive", "rho", "knowledge", "adaptive")  # what must hold, as a file or in words
DATABASE = ("query", "table")  # where in a database the data are
COLUMNS = ("layout", "record", "item", "delimiter")  # how baskets lie in a file
BASKETS = (*COLUMNS, "null")  # the same of the source, where texts may stand for nothing
TABLE = ("delimiter", "null")  # how a table lies in a file
# What a command uses for every kind of data; its method knows which of the method's options are its own.
AUDITED = ("json_", "top", "jobs", "quiet", "allow_missing", "engine")
METHOD = (
    *("method", "heuristic", "b_max", "t_max", "parts", "improve"),
    *("hierarchy", "then_maximal", "form", "stopping", "option"),
)
PROTECTED = (
    *("out", "force", "json_", "to", "to_table", "seed", "jobs", "quiet", "allow_missing", "ids", "engine"),
    *METHOD,
)
MEASURED = ("json_", "jobs")
COMPARED = ("methods", "prefer", "out", "json_", "fresh", "seed", "jobs", "allow_missing")
REPORTED = ("out", "json_", "quiet", "top", "jobs", "allow_missing")

HOMES: Mapping[str, str] = {  # whose option it is, for those that have a home
    "layout": "files of baskets",
    "record": "files of baskets",
    "item": "files of baskets",
    "choices": "baskets of people who chose for themselves",
    "original": "what was made from other data: baskets of people who chose for themselves, and grouped tables",
    "proof": "files of baskets",
    "null": "data as they come: a release says what is missing in it",
    "master": "clusters (--engine spark)",
    "query": "data in a database",
    "table": "data in a database",
    "database": "release folders",
    "group": "grouped tables",
    "values": "grouped tables",
    "time_limit": "baskets",
    "in_parts": "files of baskets",
    "no_rules": "baskets",
    "no_bound": "baskets",
    "bound": "baskets",
    "unpaired": "baskets",
    "errors": "tables under templates",
    "l_": "policies of diversity",
    "rho": "policies of baskets or templates",
}


@dataclass(frozen=True)
class Way:
    """A way through a command: what it is about, which options it uses, and why not others (option -> reason)."""

    about: str
    uses: frozenset[str]
    why_not: Mapping[str, str] = field(default_factory=dict)

    def without(self, *options: str, about: str | None = None, **why_not: str) -> Way:
        """The same way without some options."""
        gone = {*options, *why_not}
        return Way(about or self.about, self.uses - gone, {**self.why_not, **why_not})

    def plus(self, *options: str) -> Way:
        """The same way with some more options."""
        return Way(self.about, self.uses | set(options), self.why_not)


def way(about: str, *options: str, **why_not: str) -> Way:
    """A way that uses these options."""
    return Way(about, frozenset(options), why_not)


def stated(context: typer.Context) -> tuple[str, ...]:
    """The names of the parameters that the user stated, in the order of the command's help."""
    found = []
    for parameter in context.command.params:
        source = None if parameter.name is None else context.get_parameter_source(parameter.name)
        if parameter.name is not None and source is not None and not source.name.startswith("DEFAULT"):
            found.append(parameter.name)
    return tuple(found)


def take(context: typer.Context, path: Way) -> None:
    """An InputError if the user stated an option that is of no use on this way."""
    shown = {
        parameter.name: parameter.opts[0]
        for parameter in context.command.params
        if parameter.param_type_name == "option"
    }
    wrong = [name for name in stated(context) if name in shown and name not in path.uses]
    if wrong:
        raise InputError(
            f"{_listed(shown[name] for name in wrong)} {'is' if len(wrong) == 1 else 'are'} of no use here: this is "
            f"about {path.about}",
            hint="\n  ".join([*(_reason(shown[name], name, path) for name in wrong), _leave_out(wrong)]),
        )


def _reason(option: str, name: str, path: Way) -> str:
    if name in path.why_not:
        return f"{option}: {path.why_not[name]}."
    return f"{option} is for {HOMES[name]}." if name in HOMES else f"{option} would change nothing."


def _leave_out(wrong: list[str]) -> str:
    return "Leave it out." if len(wrong) == 1 else "Leave them out."


def _listed(words: Iterable[str]) -> str:
    found = list(words)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
