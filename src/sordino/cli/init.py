"""`sordino init`: write a policy.toml for this file, by asking or by options."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.options import Data, Delimiter, Item, Json, Layout, Null, Query, Record, TableName
from sordino.cli.streams import check_targets, write_whole
from sordino.cli.ways import Way, take
from sordino.cli.ways import way as a_way
from sordino.errors import InputError, did_you_mean

COMMON = ("out", "json_", "force", "schema", "kind", "sensitive", "delimiter", "query", "table")
BASKETS = a_way(
    "baskets", *COMMON, "null", "pattern", "node", "hierarchy", "rho", "knowledge", "layout", "record", "item",
    given="any items of a person may be known; --knowledge says how many",
    value="an item has no values",
)  # fmt: skip
TEMPLATE = a_way("a table under templates", *COMMON, "null", "given", "value", "rho")
DIVERSITY = a_way("a table under diversity", *COMMON, "null", "given", "l_")


def init(
    context: typer.Context,
    data: Data,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write it.")] = Path("policy.toml"),
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="What is to hold: inference (baskets), template or diversity (tables). Default: by the data.",
            show_default=False,
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The sensitive items, as a,b,c or as @FILE with one a line; of a table, the sensitive column.",
            show_default=False,
        ),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="All items that are called so are sensitive: 'hiv*'. Repeatable.",
            show_default=False,
        ),
    ] = None,
    node: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP",
            help="All items of this group of the --hierarchy are sensitive. Repeatable.",
            show_default=False,
        ),
    ] = None,
    hierarchy: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The hierarchy of the items.", show_default=False)
    ] = None,
    rho: Annotated[
        str | None,
        typer.Option(
            metavar="PEOPLE",
            help="How many of people who look alike may at most have it: '5 of 10', 0.5, 1/3 or 30%.",
            show_default=False,
        ),
    ] = None,
    knowledge: Annotated[
        int | None,
        typer.Option(metavar="M", min=1, help="The most items of a person that somebody knows.", show_default=False),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="Of a table: the columns that may be known of a person, as a,b,c. Default: all but the sensitive one "
            "and ids.",
            show_default=False,
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE",
            help="Of a table: a sensitive value of the column. Repeatable. Default: all of them.",
            show_default=False,
        ),
    ] = None,
    l_: Annotated[
        int | None,
        typer.Option(
            "--l", metavar="L", min=2, help="Of diversity: values that must remain possible.", show_default=False
        ),
    ] = None,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Write policy.schema.json beside it, so that editors complete it.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are already there.")] = False,
    json_: Json = None,
) -> None:
    """Write a policy.toml for this file.

    On a terminal it asks for what the options do not say, with suggestions. Without a terminal it never asks: what is
    missing is named, with exit code 2. The policy is held against the data before it is written.
    """
    from sordino.cli.init_questions import Wishes, asks_baskets, asks_table
    from sordino.data.table import Table
    from sordino.inspection.look import read_either
    from sordino.kinds import KINDS
    from sordino.policy.schema import SCHEMA, schema_text

    beside, shown = out.with_name(SCHEMA), Shown(json_)
    asked = Asked.of({**locals(), "sensitive": None, "rho": None, "knowledge": None})
    check_targets(
        {"--out": out, "--schema": beside if schema else None, "--json": shown.file},
        [*asked.files(), *_named(sensitive, hierarchy)],
    )
    for place in (out, *((beside,) if schema else ())):
        if place.exists() and not force:
            raise InputError("this file is already there; nothing was written", where=str(place), hint="Add --force.")
    if kind is not None and kind not in KINDS:
        raise InputError(f"there is no kind '{kind}'.{did_you_mean(kind, KINDS)}", hint=f"Kinds: {', '.join(KINDS)}.")
    terminal = sys.stdin.isatty() and sys.stderr.isatty()
    held = read_either(asked.source, kind, asked.form())
    wishes = Wishes(
        kind=kind or "", sensitive=sensitive, patterns=tuple(pattern or ()), nodes=tuple(node or ()),
        hierarchy=hierarchy, rho=rho, knowledge=knowledge, given=given, values=tuple(value or ()), l=l_,
        folder=out.resolve().parent, terminal=terminal,
    )  # fmt: skip
    try:
        if isinstance(held, Table):
            text = asks_table(held, wishes, lambda chosen: take(context, _table_way(chosen)))
        else:
            text = asks_baskets(held, wishes, lambda: take(context, BASKETS))
    except (typer.Abort, EOFError):
        raise InputError("stopped before it was finished; nothing was written") from None
    head = f"#:schema ./{SCHEMA}\n" if schema else ""
    head += f"# What must not be inferred from {_called(asked)}.\n"
    _check(head + text, out, held)
    if schema:
        write_whole(beside, schema_text().encode())
    write_whole(out, (head + text).encode())
    command = asked.command("audit", "--policy", str(out))
    shown.tell(
        {"policy": str(out), "schema": str(beside) if schema else None, "text": head + text, "next": command},
        f"Written to {out}. Look it over, it is yours:\n\n{head}{text}\nWhat next\n  {command}\n",
    )


def _called(asked: Asked) -> str:
    """What the data are called, in the policy."""
    if "data" in asked.places:
        return asked.places["data"].where
    return "standard input" if asked.data == "-" else Path(asked.data).name


def _table_way(kind: str) -> Way:
    return TEMPLATE if kind == "template" else DIVERSITY


def _named(sensitive: str | None, hierarchy: Path | None) -> list[str]:
    names = [sensitive[1:]] if sensitive is not None and sensitive.startswith("@") else []
    return [*names, *([] if hierarchy is None else [str(hierarchy)])]


def _check(text: str, out: Path, held: Any) -> None:
    """The policy is read as it will be, and held against the data: what is wrong with it is told before it is there."""
    import tempfile

    from sordino.errors import PolicyError
    from sordino.kinds import read_policy
    from sordino.kinds.naming import named
    from sordino.kinds.source import Source

    handle, name = tempfile.mkstemp(".toml", ".sordino-", out.resolve().parent)  # files it names lie beside it
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        policy: Any = named(read_policy(name), Source(held))
        policy.resolve(held)
    except PolicyError as error:
        raise InputError(
            "\n".join(error.problems), hint="Nothing was written.", suggestions=error.suggestions
        ) from None
    finally:
        os.unlink(name)
