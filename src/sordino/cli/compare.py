"""`sordino compare`: which method and threshold should I choose?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.commands import way_of
from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Bound,
    Data,
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
    Sensitive,
    TableName,
)
from sordino.cli.progress import Bar
from sordino.cli.streams import check_targets
from sordino.cli.ways import take
from sordino.errors import InputError


def compare(
    context: typer.Context,
    data: Data,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="The methods, each perhaps with options of its own: mine,dist,jia:heuristic=dist. Default: mine,dist "
            "for baskets; disclosure,disclosure-local for templates; injector,anatomy for diversity.",
            show_default=False,
        ),
    ] = None,
    rho: Annotated[
        str | None,
        typer.Option(
            "--rho",
            "--at-most",
            metavar="R,S,T",
            help="The thresholds, of baskets or of templates. Default: the policy's own. With --sensitive, the loosest "
            "is the policy's own.",
            show_default=False,
        ),
    ] = None,
    l_: Annotated[
        str | None,
        typer.Option("--l", metavar="L,M,N", help="The thresholds of a policy of diversity.", show_default=False),
    ] = None,
    policy: Policy = None,
    sensitive: Sensitive = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    prefer: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What is to be best: loss; of baskets also distribution or rules, of templates cells or class, of "
            "diversity confidence or rules.",
        ),
    ] = "loss",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write comparison.csv, .json and .html there, and keep finished runs there.",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run everything again, also what is finished.")] = False,
    bound: Bound = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of random choices.")] = 0,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    jobs: Jobs = None,
    allow_missing: AllowMissing = False,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    json_: Json = None,
) -> None:
    """Run methods at several thresholds on the same data, rank them, and recommend one.

    A finished run is never repeated: interrupt it, add methods or thresholds, and run again. Finished runs (numbers
    only) lie in DIR, or without --out in sordino's cache ($SORDINO_CACHE, else ~/.cache/sordino).

    Exit code 0: done. 2: bad input or usage.
    """
    sure, sizes, shown = _listed(rho), _listed(l_), Shown(json_)
    asked = replace(Asked.of(locals()), rho=None if policy is not None else _loosest(sure))
    check_targets({"--json": shown.file}, asked.files())
    required, kind = asked.judged()
    take(context, way_of(kind, "compare", asked, required))
    from sordino.compare.run import CELLS, check_folder, compare_data, stated_thresholds
    from sordino.compare.store import Store, cache_folder

    thresholds = stated_thresholds(required, {"rho": sure, "l": sizes})
    folder = None if out is None else check_folder(out)
    store = Store(folder / CELLS if folder is not None else cache_folder() / "compare", fresh=fresh)
    with Bar() as bar, asked.located():
        bar("Reading", 0, 0)
        from sordino.kinds import verbs

        source = verbs.read(asked.source, required, kind, verb="compare", **asked.belonging())
        comparison = compare_data(
            source,
            required,
            methods=_listed(methods),
            thresholds=thresholds,
            prefer=prefer,
            seed=seed,
            jobs=jobs,
            progress=bar,
            missing=asked.missing,
            store=store,
            bound=bound,
        )
        if folder is not None:
            comparison.write(folder)

    from sordino.words.comparison import comparison_page

    def command(verb: str, *more: str, at: str) -> str:
        return (asked if policy is not None else replace(asked, rho=at)).command(verb, *more)

    shown.write(comparison, source.data)
    page = comparison_page(
        comparison,
        found=store.found,
        file=None if folder is None else str(folder / "comparison.html"),
        command=None if data == "-" else command,
        stated=policy is not None,
    )
    shown.show(comparison, lambda: page, source.data)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _loosest(thresholds: list[str] | None) -> str | None:
    if not thresholds:
        return None
    from sordino.policy.threshold import read_threshold, show_rational

    try:
        return show_rational(max(map(read_threshold, thresholds)))
    except ValueError as error:
        raise InputError(f"threshold: {error}") from None
