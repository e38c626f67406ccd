"""`sordino hierarchy`: which items belong together, built from the data or read from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sordino.cli.asked import Shown
from sordino.cli.once import StatedOnce
from sordino.cli.options import Data, Delimiter, Item, Json, Layout, Record
from sordino.cli.ways import COLUMNS, take, way
from sordino.errors import InputError

if TYPE_CHECKING:
    from sordino.data.hierarchy import Hierarchy

__all__ = ["app"]

app = typer.Typer(
    help="Hierarchies of items: build one, or look at one.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


RANGES = ("quantile", "width", "edges", "period")
BUILD = way(
    "baskets",
    "out",
    "by",
    "fanout",
    "force",
    "json_",
    "column",  # whoever names one goes the other way
    *COLUMNS,
    **dict.fromkeys(RANGES, "it needs --column, numbers or dates of a table"),
)
BUILD_COLUMN = way(
    "a column of a table",
    "out",
    "column",
    "force",
    "json_",
    "delimiter",
    *RANGES,
    by="numbers are cut into ranges: --quantile, --width or --edges; dates: --period",
    fanout="numbers are cut into ranges: --quantile, --width or --edges; dates: --period",
)
SHOW = way(
    "a hierarchy to be shown", "layout", "depth", "most", "out", "json_", force="without --out nothing is written"
)
SHOW_AND_WRITE = SHOW.plus("force")


@app.command("build", cls=StatedOnce, short_help="Build a hierarchy of items, or of a column.")
def build(
    context: typer.Context,
    data: Data,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Where to write it: .json for nested JSON, else CSV (value;group;...); .gz if it ends so.",
            show_default=False,
        ),
    ],
    by: Annotated[
        str, typer.Option(metavar="HOW", help="balanced (order of names), frequency, or cooccurrence (needs SciPy).")
    ] = "balanced",
    fanout: Annotated[int, typer.Option(metavar="K", min=2, help="Children of a node at most.")] = 5,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    delimiter: Delimiter = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of a table: the numbers or dates of this column, in ranges.", show_default=False
        ),
    ] = None,
    quantile: Annotated[
        int | None,
        typer.Option(metavar="K", help="With --column: K ranges of about equally many rows.", show_default=False),
    ] = None,
    width: Annotated[
        str | None, typer.Option(metavar="W", help="With --column: ranges of this width.", show_default=False)
    ] = None,
    edges: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="With --column: ranges by hand, cut at these numbers.", show_default=False
        ),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(
            metavar="PERIOD",
            help="With --column: dates, by week, month, quarter, year or decade, and these under wider ones.",
            show_default=False,
        ),
    ] = None,
    json_: Json = None,
) -> None:
    """Build a hierarchy of the items in a file, or of the numbers or dates in a column of a table, and write it.

    Exit code 0: done. 2: bad input or usage.
    """
    take(context, BUILD if column is None else BUILD_COLUMN)
    from sordino.cli.reading import reading_line
    from sordino.cli.streams import check_targets, write_whole
    from sordino.data.build_hierarchy import build_hierarchy
    from sordino.data.read import read_baskets
    from sordino.data.write_hierarchy import encoded_hierarchy

    shown = Shown(json_)
    check_targets({"--out": out, "--json": shown.file}, [None if data == "-" else data])
    if out.exists() and not force:
        raise InputError("this file is already there", where=str(out), hint="Choose another, or add --force.")
    if column is not None:
        ranges = _of_column(
            data, column, delimiter, {"quantile": quantile, "width": width, "edges": edges, "by": period}
        )
        write_whole(out, encoded_hierarchy(ranges, out.name))
        noun = "number" if period is None else "date"
        shown.tell({"file": str(out), **_sizes(ranges)}, f"{out}: {_size(ranges, noun)}\n")
        return
    baskets = read_baskets(data, layout=layout, record=record, item=item, delimiter=delimiter)
    tree = build_hierarchy(baskets, by=by, fanout=fanout)
    write_whole(out, encoded_hierarchy(tree, out.name))
    said = f"{reading_line(baskets)}\n{out}: {_size(tree)}\n"
    shown.tell({"file": str(out), **_sizes(tree), "read_as": reading_line(baskets)}, said)


@app.command("show", cls=StatedOnce, short_help="Show a hierarchy as a tree.")
def show(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The hierarchy.", show_default=False)],
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="paths, columns, parent-child or json, if it is not clear.", show_default=False
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Levels below the root to show.", show_default=False)
    ] = None,
    most: Annotated[int, typer.Option(metavar="N", min=1, help="Children of a node to show at most.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Also write it there as it was understood, .json or CSV.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace that file if it is there.")] = False,
    json_: Json = None,
) -> None:
    """Show a hierarchy as a tree.

    Exit code 0: done. 2: it is no hierarchy; the message names the item.
    """
    take(context, SHOW if out is None else SHOW_AND_WRITE)
    from sordino.cli.streams import check_targets, write_whole
    from sordino.data.read_hierarchy import read_hierarchy
    from sordino.data.write_hierarchy import encoded_hierarchy

    shown = Shown(json_)
    check_targets({"--out": out, "--json": shown.file}, [str(file)])
    if out is not None and out.exists() and not force:
        raise InputError("this file is already there", where=str(out), hint="Choose another, or add --force.")
    tree = read_hierarchy(file, layout=layout)
    if out is not None:
        write_whole(out, encoded_hierarchy(tree, out.name))
    drawn = _drawn(tree, tree.height if depth is None else depth, most)
    parents = {"names": list(tree.names), "parents": tree.parent.tolist()}
    shown.tell({"file": str(file), **_sizes(tree), **parents}, f"{drawn}{_size(tree)}\n")


def _of_column(data: str, column: str, delimiter: str | None, stated: dict[str, int | str | None]) -> Hierarchy:
    """The numbers or dates of a column under ranges, as they are stated."""
    from sordino.data.read_table import read_table
    from sordino.errors import did_you_mean
    from sordino.policy.bins import Bins, range_tree

    given = {name: value for name, value in stated.items() if value is not None}
    if len(given) != 1:
        hint = "--quantile 5, --width 10 or --edges 18,65; of dates --period month"
        raise InputError("state how the numbers or dates are cut, in one way", hint=hint)
    ((way_, value),) = given.items()
    table = read_table(data, delimiter=delimiter)
    if column not in table.names:
        raise InputError(f"there is no column '{column}'.{did_you_mean(column, table.names)}", where=data)
    held = table.column(column)
    used = [code for code, count in enumerate(held.counts.tolist()) if count]
    try:
        bins = Bins.read({way_: str(value).split(",") if way_ == "edges" else value})
        return range_tree([held.texts[code] for code in used], [int(held.counts[code]) for code in used], bins)
    except ValueError as error:
        raise InputError(f"'{column}' cannot be cut so: {error}", where=data) from None


def _sizes(tree: Hierarchy) -> dict[str, int]:
    return {"items": len(tree.leaves), "nodes": len(tree), "levels": int(tree.height)}


def _size(tree: Hierarchy, noun: str = "item") -> str:
    items = len(tree.leaves)
    levels = f"{tree.height} level{'' if tree.height == 1 else 's'} below the root"
    return f"{items:,} {noun}{'' if items == 1 else 's'} in {len(tree):,} nodes, {levels}"


def _drawn(tree: Hierarchy, depth: int, most: int) -> str:
    """The tree as text, as Rich draws it."""
    from rich.console import Console
    from rich.text import Text
    from rich.tree import Tree

    from sordino.cli.page import clean

    def label(v: int) -> Text:
        text = Text(clean(tree.names[v]))
        if tree.size[v] > 1:
            text.append(f" ({int(tree.leaf_counts[v]):,})", style="dim")
        return text

    root = Tree(label(0))
    waiting = [(0, root)]
    while waiting:
        v, branch = waiting.pop()
        children = tree.children(v).tolist()
        if children and int(tree.depth[v]) >= depth:
            continue
        for child in children[:most]:
            waiting.append((child, branch.add(label(child))))
        if len(children) > most:
            branch.add(Text(f"... and {len(children) - most:,} more", style="dim"))
    console = Console(width=200)
    with console.capture() as captured:
        console.print(root)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"
