"""`sordino experiment`: the tables and figures of the papers, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sordino.cli.asked import Shown
from sordino.cli.once import StatedOnce
from sordino.cli.options import Json
from sordino.cli.streams import check_targets
from sordino.cli.ways import Way, take, way

if TYPE_CHECKING:
    from sordino.experiments.declared import Experiment

__all__ = ["app"]

app = typer.Typer(
    help="Run the tables and figures of the papers, ours beside theirs.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WHOLE = way("the whole experiment", "quick", "data", "draws", "out", "fresh", "jobs", "json_")
QUICK = WHOLE.without(about="its quick version", data="it runs on the bundled sample", draws="it takes one draw")
EXAMPLE = WHOLE.without(about="a worked example of the paper", data="it has its own", draws="nothing is drawn")
TABLES = WHOLE.without(
    about="an experiment on tables", data="it needs all the tables that it declares", draws="nothing is drawn"
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As 'sordino experiment list' names it.")]


@app.command("list", cls=StatedOnce, short_help="Which experiments there are.")
def list_(json_: Json = None) -> None:
    """Which experiments there are: every table and figure of the papers with numbers in it."""
    from sordino.cli.page import Points, Table
    from sordino.experiments.registry import EXPERIMENTS, PAPERS

    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    held = [
        {"name": e.name, "paper": e.paper, "where": e.where, "title": e.title, "data": list(e.data)}
        for e in EXPERIMENTS.values()
    ]

    rows = tuple((e.name, e.paper, e.where, e.title, ", ".join(e.data) or "-") for e in EXPERIMENTS.values())
    shown.tell(
        {"experiments": held, "papers": dict(PAPERS)},
        lambda: [
            Table("Experiments", ("name", "paper", "what", "title", "data"), rows),
            Points(tuple(f"{short}: {title}" for short, title in PAPERS.items()), "Papers"),
        ],
    )


@app.command("show", cls=StatedOnce, short_help="What an experiment declares.")
def show_(name: Name, json_: Json = None) -> None:
    """What an experiment declares: data, methods, parameters, what is expected; and nothing is run."""
    from sordino.cli.page import Table
    from sordino.experiments.registry import named
    from sordino.experiments.run import facts

    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    experiment = named(name)
    held = tuple(facts(experiment))
    plain = {"name": experiment.name, "paper": experiment.paper, "where": experiment.where, "facts": dict(held)}
    shown.tell(plain, lambda: [Table(f"{experiment.paper} {experiment.where}", ("", ""), held)])


@app.command("run", cls=StatedOnce, short_help="Run an experiment.")
def run(
    context: typer.Context,
    name: Name,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version on the bundled sample: the path, not the numbers.")
    ] = False,
    data: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Only these data sets of those declared.", show_default=False),
    ] = None,
    draws: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Other than the declared number.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write NAME.csv, .json and .html (with the plot) there, and keep finished runs there. Without it, the "
            "page lies in sordino's cache.",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run everything again, also what is finished.")] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one per core.", show_default=False)
    ] = None,
    json_: Json = None,
) -> None:
    """Run an experiment, and show ours beside the paper's.

    What is finished is kept and not run again: interrupt it, and go on later.

    Exit code 0: run. 2: bad input or usage.
    """
    from sordino.cli.page import Points, Verdict, clean
    from sordino.cli.progress import Bar
    from sordino.compare.store import Store, cache_folder
    from sordino.experiments.registry import named

    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    experiment = named(name)
    take(context, QUICK if quick else _way(experiment))
    folder = out or cache_folder() / "experiments"
    with Bar() as bar:
        from sordino.experiments.run import run as run_it
        from sordino.experiments.setup import Setup

        only = [text.strip() for text in data.split(",")] if data else ()
        store = Store(folder / "cells", fresh=fresh)
        setup = Setup(quick=quick, draws=draws, only=only, jobs=jobs, store=store, progress=bar)
        outcome = run_it(experiment, setup)
        page = outcome.write(folder)
    title = f"{experiment.paper} {experiment.where}: {experiment.title}{' (quick)' if quick else ''}"
    met = all(judged.met is not False for judged in outcome.verdicts)
    shown.write(outcome)
    shown.show(
        outcome,
        lambda: [
            Verdict(title, good=met),
            outcome.table(),
            *outcome.sentences(),
            *([Points(outcome.remarks, "Remarks")] if outcome.remarks else []),
            Points((f"The page with the plot: {clean(str(page))}",)),
        ],
    )


def _way(experiment: Experiment) -> Way:
    """The way of a whole experiment, by what its paper runs on."""
    from sordino.experiments.registry import EXPERIMENTS

    if not experiment.data:
        return EXAMPLE
    drawn = any(other.draws > 1 for other in EXPERIMENTS.values() if other.paper == experiment.paper)
    return WHOLE if drawn else TABLES
