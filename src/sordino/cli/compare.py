"""`sordino compare`: which method and threshold should I choose?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Data,
    Item,
    Knowledge,
    Layout,
    Policy,
    Record,
    Sensitive,
    about_baskets,
    all_at_once,
    located,
    policy_of,
)
from sordino.cli.progress import Bar
from sordino.errors import InputError, PolicyError


def compare(
    data: Data,
    methods: Annotated[
        str,
        typer.Option(
            metavar="A,B,C", help="The methods, each perhaps with options of its own: mine,dist,jia:heuristic=dist."
        ),
    ] = "mine,dist",
    rho: Annotated[
        str | None,
        typer.Option(
            "--rho",
            metavar="R,S,T",
            help="The thresholds. Default: the policy's own. With --sensitive, the loosest is the policy's own.",
            show_default=False,
        ),
    ] = None,
    policy: Policy = None,
    sensitive: Sensitive = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    prefer: Annotated[
        str, typer.Option(metavar="WHAT", help="What is to be best: loss, distribution or rules.")
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
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of random choices.")] = 0,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one a core.", show_default=False)
    ] = None,
    allow_missing: AllowMissing = False,
) -> None:
    """Run methods at several thresholds on the same data, rank them, and recommend one.

    A finished run is never repeated: interrupt it, add methods or thresholds, and run again. Finished runs (numbers
    only) lie in DIR, or without --out in sordino's cache ($SORDINO_CACHE, else ~/.cache/sordino).

    Exit code 0: done. 2: bad input or usage.
    """
    from sordino.compare.run import CELLS, check_folder, compare_baskets
    from sordino.compare.store import Store, cache_folder

    thresholds = None if rho is None else [text.strip() for text in rho.split(",") if text.strip()]
    own = None if policy is not None else _loosest(thresholds)
    with all_at_once(data, layout, record, item):
        required = about_baskets(policy_of(policy, sensitive, own, knowledge, adaptive), "compare")
    folder = None if out is None else check_folder(out)
    store = Store(folder / CELLS if folder is not None else cache_folder() / "compare", fresh=fresh)

    with Bar() as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets

        baskets = read_baskets(data, layout=layout, record=record, item=item)
        try:
            comparison = compare_baskets(
                baskets,
                required,
                methods=[text for text in methods.split(",") if text.strip()],
                rho=thresholds,
                prefer=prefer,
                seed=seed,
                jobs=jobs,
                progress=bar,
                missing="accept" if allow_missing else "error",
                store=store,
            )
        except PolicyError as error:
            raise located(error, policy, allow_missing) from None
        if folder is not None:
            comparison.write(folder)

    from sordino.cli.compare_page import compare_page
    from sordino.cli.page import show

    show(compare_page(comparison, data, folder, store.found))


def _loosest(thresholds: list[str] | None) -> str | None:
    if not thresholds:
        return None
    from sordino.compare.request import read_thresholds
    from sordino.policy.threshold import show_rational

    try:
        return show_rational(read_thresholds(thresholds)[-1])
    except ValueError as error:
        raise InputError(f"--rho: {error}") from None
