"""`sordino rules`: which rules do these data teach to whoever knows them?"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.options import Data, Delimiter, Jobs, Json, Null, Query, TableName
from sordino.cli.progress import Bar
from sordino.cli.streams import check_targets, write_whole
from sordino.errors import InputError


def rules(
    data: Data,
    sensitive: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column that the rules are about.", show_default=False)
    ],
    quasi: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="The columns that the conditions are about.", show_default=False),
    ],
    negative: Annotated[
        bool, typer.Option("--negative", help="Rules that exclude a value (the only ones there are).")
    ] = True,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="Groups of values of a column; can be repeated.", show_default=False),
    ] = None,
    min_expectation: Annotated[str, typer.Option(metavar="NUMBER", help="How surely a rule is no chance.")] = "0.9",
    min_confidence: Annotated[
        str, typer.Option(metavar="NUMBER", help="How surely a rule holds; 1: without exception.")
    ] = "1",
    max_conditions: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Conditions in a rule at most. Default: any number.", show_default=False),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also rules that a more general one implies.")] = False,
    fuzzy: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Columns whose groups are fuzzy; '' for none. Default: numeric ones with a hierarchy.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rules to a .csv or .json file.", show_default=False),
    ] = None,
    json_: Json = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many rules to show.")] = 20,
    jobs: Jobs = None,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report.")] = False,
) -> None:
    """Which rules do these data teach? Each says: nobody who is such has that value.

    An adversary may know them without ever seeing the data. Edit the file of rules, add what you know, and hand it to a
    policy of kind "diversity": rules = "rules.csv".

    Exit code 0: done. 2: bad input or usage.
    """
    del negative
    asked = Asked.of({"data": data, "delimiter": delimiter, "null": null, "query": query, "table": table})
    shown = Shown(json_, quiet)
    trees = _files(hierarchy or [])
    if out is not None and out.suffix.lower() not in (".csv", ".json"):
        raise InputError("rules are written to a .csv or .json file", where=str(out))
    check_targets({"--out": out, "--json": shown.file}, [*asked.files(), *trees.values()])
    with Bar(wanted=not quiet) as bar:
        bar("Reading", 0, 0)
        from sordino.data.read_table import read_table
        from sordino.knowledge.mined import mine_table

        held = read_table(asked.source, **asked.form())
        mined = mine_table(
            held,
            sensitive=sensitive,
            quasi=_names(quasi),
            hierarchies=trees,
            min_expectation=min_expectation,
            min_confidence=min_confidence,
            max_conditions=max_conditions,
            everything=all_,
            fuzzy=None if fuzzy is None else _names(fuzzy),
            jobs=jobs,
            progress=bar,
        )
        if out is not None:
            write_whole(out, mined.encoded(out.suffix.lower()[1:]))
        shown.write(mined, held)
    from sordino.cli.told import source_name
    from sordino.words.rules import rules_page

    file = None if out is None else out.name
    shown.show(mined, lambda: rules_page(mined, source_name(asked.data), top=top, file=file), held)


@functools.wraps(rules)
def mine(**given: Any) -> None:
    """The old name of the command, for one version more."""
    typer.echo("'sordino mine' is now called 'sordino rules'; the old name will go with the next version.", err=True)
    rules(**given)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _files(stated: list[str]) -> dict[str, str]:
    trees = {}
    for text in stated:
        name, equals, file = text.partition("=")
        if not equals or not name.strip() or not file.strip():
            raise InputError("--hierarchy must be COLUMN=FILE", hint="For example: --hierarchy Age=age.csv")
        trees[name.strip()] = file.strip()
    return trees
