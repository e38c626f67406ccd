"""`sordino protect`: give me a version that is safe, and lose as little as possible."""

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
    Rho,
    Sensitive,
    located,
    policy_of,
)
from sordino.cli.progress import Bar
from sordino.errors import PolicyError


def protect(
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
        str,
        typer.Option(
            metavar="NAME",
            help="How: mine deletes as little as it can, dist keeps the shares of the items, jia is the method of the "
            "literature.",
        ),
    ] = "mine",
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Of random choices; the same seed gives the same bytes.")
    ] = 0,
    ids: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Record ids: renumber (1, 2, ... in the same order), shuffle (also in random order) or keep.",
        ),
    ] = "renumber",
    force: Annotated[bool, typer.Option("--force", help="Replace the release that DIR already holds.")] = False,
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
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one a core.", show_default=False)
    ] = None,
    allow_missing: AllowMissing = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report; the exit code tells.")] = False,
) -> None:
    """Write a version of this file that is safe to publish, losing as little as possible.

    DIR/publish is what may leave the house; DIR/keep must stay. Everything is checked before DIR appears.

    Exit code 0: done. 2: bad input or usage; then nothing was written.
    """
    given = {"heuristic": heuristic, "b_max": b_max, "t_max": t_max}
    options = {name: value for name, value in given.items() if value is not None}
    required = policy_of(policy, sensitive, rho, knowledge, adaptive)
    names = sensitive[1:] if sensitive is not None and sensitive.startswith("@") else None
    from sordino.release.staging import check_target

    sources = (None if data == "-" else data, None if policy is None else str(policy), names)
    check_target(out, force=force, sources=sources)

    with Bar(wanted=not quiet) as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets
        from sordino.release.protect import check_request, protect_baskets

        check_request(method, options, seed=seed, jobs=jobs, ids=ids)
        baskets = read_baskets(data, layout=layout, record=record, item=item)
        bar("Preparing", 0, 0)
        try:
            release = protect_baskets(
                baskets,
                required,
                method=method,
                seed=seed,
                jobs=jobs,
                progress=bar,
                ids=ids,
                missing="accept" if allow_missing else "error",
                options=options,
            )
        except PolicyError as error:
            raise located(error, policy, allow_missing) from None
        release.write(out, force, jobs=jobs, progress=bar)

    if not quiet:
        from sordino.cli.page import show
        from sordino.cli.protect_page import protect_page

        show(protect_page(release, out, data))
