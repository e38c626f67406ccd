"""`sordino measure`: what did it cost?"""

from __future__ import annotations

from typing import Annotated

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.commands import page_of, way_of
from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Bound,
    Delimiter,
    Item,
    Jobs,
    Json,
    Knowledge,
    Layout,
    Null,
    Policy,
    Query,
    Record,
    Rho,
    Sensitive,
    TableName,
)
from sordino.cli.progress import Bar
from sordino.cli.streams import check_targets
from sordino.cli.ways import take
from sordino.errors import InputError


def measure(
    context: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The original records; '-' is standard input.", show_default=False)
    ],
    after: Annotated[
        str,
        typer.Argument(
            metavar="AFTER", help="The same records after, as a file or a release folder.", show_default=False
        ),
    ],
    policy: Policy = None,
    sensitive: Sensitive = None,
    rho: Rho = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    json_: Json = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many items to show.")] = 10,
    no_rules: Annotated[bool, typer.Option("--no-rules", help="Do not compare association rules.")] = False,
    no_bound: Annotated[bool, typer.Option("--no-bound", help="Do not compute the least possible loss.")] = False,
    bound: Bound = None,
    unpaired: Annotated[
        bool,
        typer.Option("--unpaired", help="Records after are in another order, or generalised: compare only totals."),
    ] = False,
    errors: Annotated[
        bool, typer.Option("--errors", help="Of a table: also the errors of predicting the class (scikit-learn).")
    ] = False,
    jobs: Jobs = None,
    allow_missing: AllowMissing = False,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
) -> None:
    """What did it cost? Compares a file before and after it was protected.

    With a policy (a release folder has its own) also: which of the lost rules are not sensitive, and how little any
    safe version could have lost. Exit code 0: done. 2: bad input or usage.
    """
    asked, shown = Asked.of(locals()), Shown(json_)
    if before == after == "-":
        raise InputError("BEFORE and AFTER cannot both be standard input")
    check_targets({"--json": shown.file}, asked.files())
    required, kind = asked.judged(always=False)
    take(context, way_of(kind, "measure", asked, required))
    # Only what is stated: its way says that the kind has a use for it.
    stated = {"rules": not no_rules, "bound": not no_bound, "paired": not unpaired}
    options: dict[str, object] = {name: False for name, value in stated.items() if not value}
    options |= ({"errors": True} if errors else {}) | ({"missing": "accept"} if allow_missing else {})
    if bound is not None:
        if no_bound:
            raise InputError("--bound and --no-bound cannot both be stated")
        options["bound"] = bound
    with Bar() as bar, asked.located():
        bar("Reading", 0, 0)
        from sordino.kinds import verbs

        source = verbs.read(asked.source, required, kind, verb="measure", **asked.belonging())
        cost = verbs.measure(source, asked.source_after, required, jobs=jobs, progress=bar, **options)
        shown.write(cost, source.data)
    shown.show(cost, lambda: page_of(kind, "measure")(cost, asked, kind.name, top=top), source.data)
