"""`sordino inspect`: how would this file be read, and why?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.options import Data, Delimiter, Item, Json, Layout, Null, Query, Record, TableName
from sordino.cli.streams import check_targets


def inspect(
    data: Data,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A code book, by which codes are named: CSV with code,name; of tables column,code,name. For other "
            'commands, the policy names it: labels = "FILE".',
            show_default=False,
        ),
    ] = None,
    json_: Json = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many records and items to show.")] = 5,
) -> None:
    """How would this file be read, and why?

    Shows the layout, what counts as one person, the first records, what strikes about the columns and the items, and
    the options that would read it otherwise. It shows contents of records, for your eyes.

    Exit code 0: it can be read. 2: it cannot, or not without being told how; the message says with which options.
    """
    asked, shown = Asked.of(locals()), Shown(json_)
    check_targets({"--json": shown.file}, asked.files())
    from sordino.inspection.look import inspect as look
    from sordino.words.blocks import Steps

    found = look(asked.source, **asked.form(), top=top, labels=labels)
    shown.write(found)
    words = shlex.join([asked.data, *asked.words()])
    steps = (
        ("Write a policy, with suggestions:", f"sordino init {words} --out policy.toml"),
        ("Then:", f"sordino audit {words} --policy policy.toml"),
    )
    from sordino.cli.page import screen

    shown.show(found, lambda: [*screen(found.page()), Steps("What next", steps)])
