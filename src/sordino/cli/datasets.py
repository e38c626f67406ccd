"""`sordino datasets`: the public data sets that the papers used."""

from __future__ import annotations

from typing import Annotated

import typer

from sordino.cli.asked import Shown
from sordino.cli.once import StatedOnce
from sordino.cli.options import Json
from sordino.cli.streams import check_targets
from sordino.cli.ways import take, way

__all__ = ["app"]

app = typer.Typer(
    help="List or fetch the public data sets that the papers used.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

DOWNLOAD = way("a data set that is not here yet", "url", "json_")
HERE = way("a data set that is here already", "json_", url="nothing is downloaded")


@app.command("list", cls=StatedOnce, short_help="Which data sets there are, and where they lie.")
def list_(json_: Json = None) -> None:
    """Which data sets there are, and where they lie: in $SORDINO_DATA, in the cache, or not here."""
    from sordino.cli.page import Points, Table, clean
    from sordino.experiments.datasets import DATASETS, find

    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    rows, held = [], []
    for dataset in DATASETS.values():
        where = find(dataset)
        held.append(
            {
                "name": dataset.name,
                "form": dataset.form,
                "records": dataset.records,
                "columns": dataset.columns,
                "path": None if where is None else str(where),
                "can_be_fetched": bool(dataset.url),
            }
        )
        place = "can be fetched" if dataset.url else "only by hand"
        rows.append(
            (
                dataset.name,
                dataset.form,
                f"{dataset.records:,}",
                f"{dataset.columns:,}",
                clean(str(where)) if where else f"not here; {place}",
            )
        )
    shown.tell(
        {"datasets": held},
        lambda: [
            Table("Data sets", ("name", "form", "records", "items or columns", "where"), tuple(rows), (2, 3)),
            Points(("None of them is part of sordino; 'sordino datasets get NAME' tells the terms.",)),
        ],
    )


@app.command("get", cls=StatedOnce, short_help="Find a data set, or download it.")
def get(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="As 'sordino datasets list' names it.")],
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Another copy of the source to download.", show_default=False),
    ] = None,
    json_: Json = None,
) -> None:
    """Say where a data set lies; if it does not yet, download it, check it and keep it in the cache.

    Exit code 0: it is there and its checksum is right. 2: it cannot be had, or is something else.
    """
    from sordino.experiments.datasets import fetch, find, named

    dataset = named(name)
    take(context, DOWNLOAD if find(dataset) is None else HERE)
    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    path = fetch(dataset, url=url)
    shown.tell({"name": dataset.name, "path": str(path), "terms": dataset.terms}, f"{path}\n")
    typer.echo(f"Terms: {dataset.terms}", err=True)
