"""`sordino protect`: give me a version that is safe, and lose as little as possible."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.commands import page_of, way_of
from sordino.cli.expect import expect
from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Bound,
    ChoicesFile,
    Data,
    Delimiter,
    Engine,
    Item,
    Jobs,
    Json,
    Knowledge,
    Layout,
    Master,
    Null,
    Policy,
    Query,
    Quiet,
    Record,
    Rho,
    Sensitive,
    TableName,
)
from sordino.cli.page import Points, clean
from sordino.cli.progress import PROTECT, Bar
from sordino.cli.spark import is_spark, protect_on_spark
from sordino.cli.streams import check_targets
from sordino.cli.ways import take
from sordino.data.databases.address import Address
from sordino.errors import InputError
from sordino.warming.helped import helped


def protect(
    context: typer.Context,
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where to put the release: a new folder.", show_default=False)
    ],
    policy: Policy = None,
    sensitive: Sensitive = None,
    rho: Rho = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How. Baskets: mine (the default) deletes as little as it can, dist keeps the shares of the items, "
            "twins also protects against knowing what people do not have, "
            "lgps and tdcontrol also show items as wider ones, cahd tells sensitive items by group; jia and global are "
            "methods of the literature. Tables: disclosure (the default) keeps what predicts "
            "the class, disclosure-local keeps most cells; "
            "injector for policies of diversity.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Of random choices; the same seed gives the same bytes. Default: a secret one, told in DIR/keep only.",
            show_default=False,
        ),
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="Records and rows: shuffle (random order, new ids; the default), renumber (the order of the source, "
            "new ids) or keep (its order and ids). The order of the source may link records to people.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the release that DIR already holds, and the table of --to.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Also put the published data into this database, once all is verified: postgresql://USER@HOST/NAME, "
            "duckdb:FILE or sqlite:FILE.",
            show_default=False,
        ),
    ] = None,
    to_table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The table of --to; if DATA is no database, --table does as well.",
            show_default=False,
        ),
    ] = None,
    choices: ChoicesFile = None,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    heuristic: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of jia: mine or dist.", show_default=False)
    ] = None,
    b_max: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Of jia: antecedents in the buffer.", show_default=False)
    ] = None,
    t_max: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Of jia: cost above which it splits.", show_default=False)
    ] = None,
    parts: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Of mine and dist: divide the records into N parts first, which takes far less time and loses a "
            "little more. Default: in one, below a million records.",
            show_default=False,
        ),
    ] = None,
    hierarchy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of lgps and tdcontrol: the hierarchy of the items. Default: blocks of names.",
            show_default=False,
        ),
    ] = None,
    then_maximal: Annotated[
        bool,
        typer.Option("--then-maximal", help="Of disclosure: go on with every value that the policy still allows."),
    ] = False,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="Of a grouped table: permuted (one file; the default) or tables (two).",
            show_default=False,
        ),
    ] = None,
    improve: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Of mine, dist and twins: sweeps in which all records look for something better to show; 100 take "
            "about a minute for a file of 80,000 records. Ctrl-C ends them, and keeps the best. Default: 0.",
            show_default=False,
        ),
    ] = None,
    stopping: Annotated[
        str | None, typer.Option(metavar="RULE", help="Of naka-sampled: corrected or paper.", show_default=False)
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            "-o",
            metavar="NAME=VALUE",
            help="Any option of the method, by its name; can be repeated.",
            show_default=False,
        ),
    ] = None,
    previous: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="An earlier release of the same people, with its keep part; can be repeated, the oldest first. What "
            "it shows stays as it is, and nothing can be inferred from both together.",
            show_default=False,
        ),
    ] = None,
    leavers: Annotated[
        str | None,
        typer.Option(
            metavar="HOW",
            help="With --previous: who left is reported (the default), or keep: their old rows are published "
            "once more.",
            show_default=False,
        ),
    ] = None,
    bound: Bound = None,
    jobs: Jobs = None,
    allow_missing: AllowMissing = False,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    engine: Engine = None,
    master: Master = None,
    json_: Json = None,
    quiet: Quiet = False,
) -> None:
    """Write a version of this file that is safe to publish, losing as little as possible.

    DIR/publish is what may leave the house; DIR/keep must stay. Everything is checked before DIR appears. With --to the
    published data then replace a table of a database, in one transaction; what is guaranteed stands in its comment.

    Exit code 0: done. 2: bad input or usage; then nothing was written (of a table that could not be, the message says
    so, and that the release is there).
    """
    asked, shown = Asked.of(locals()), Shown(json_, quiet)
    check_targets({"--json": shown.file}, asked.files())
    tree = None if hierarchy is None else str(hierarchy)
    given = {"heuristic": heuristic, "b_max": b_max, "t_max": t_max, "hierarchy": tree, "form": form}
    given |= {"parts": parts, "improve": improve, "stopping": stopping, "then_maximal": then_maximal or None}
    options = {name: value for name, value in given.items() if value is not None} | named_options(option or ())
    if is_spark(engine):
        return protect_on_spark(context, asked, shown, master, out, options, method=method, seed=seed)
    required, kind = asked.judged()
    from sordino.release.staging import check_target

    check_target(out, force=force, sources=(*asked.files(), tree))
    take(context, way_of(kind, "protect", asked, required))
    with (
        Bar(wanted=not quiet, steps=PROTECT) as bar,
        asked.located(),
        helped("protect", kind.name, required, method, jobs),
    ):
        bar("Reading", 0, 0)
        from sordino.kinds import verbs

        # before anything is read
        chosen = verbs.check_method(required, method, options, seed=seed, jobs=jobs, ids=ids)
        if asked.target is not None:
            from sordino.release.database import check_target_table

            check_target_table(asked.target, force=force, source=asked.places.get("data"), form=chosen.form)
        source = verbs.read(asked.source, required, kind, verb="protect", method=chosen.name, **asked.belonging())
        bar("Preparing", 0, 0)
        bar.tell_compiling()
        if not quiet:
            divides = "parts" in chosen.options and "parts" not in options
            expect(source.data, required, None, "protect", divides=divides)
        release = verbs.protect(
            source, required, method=method, seed=seed, jobs=jobs, progress=bar, ids=ids, missing=asked.missing,
            leavers=leavers, bound=bound, written=True, options=options,
        )  # fmt: skip
        release.write(out, force, jobs=jobs, progress=bar, to=asked.target)
    shown.write(release, source.data)
    last = () if asked.target is None else (table_line(asked.target, out),)
    shown.show(release, lambda: page_of(kind, "protect")(release, asked, out), source.data, last)
    if previous and release.weaker:  # safe by itself, but not together with what is out
        raise typer.Exit(1)
    return None


def table_line(target: Address, out: Path) -> Points:
    """Which table holds the published data, and how to see that it does."""
    check = shlex.join(["sordino", "verify", str(out), "--database", target.shown, "--table", str(target.table)])
    return Points(
        (
            f"The published data are in the table {clean(str(target.table))} of {target.name}; its comment says what "
            "is guaranteed.",
            f"Check that it holds what was published: {clean(check)}",
        )
    )


def named_options(stated: Iterable[str]) -> dict[str, object]:
    """The options of a method from NAME=VALUE: whole numbers and true and false as such, all else as text."""
    options: dict[str, object] = {}
    for entry in stated:
        name, sign, text = entry.partition("=")
        if not sign or not name.strip():
            raise InputError(f"'{entry}' is not of the form NAME=VALUE", where="--option")
        words: dict[str, object] = {"true": True, "false": False}
        value: object = int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else words.get(text, text)
        options[name.strip().replace("-", "_")] = value
    return options
