"""`sordino studio`: the same in a browser, on this machine."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.streams import say
from sordino.errors import MissingExtra


def studio(
    data: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DATA]...",
            help="Files, or folders whose files may be opened; a file is opened at once. Default: this folder.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder that releases are put into.")] = Path(
        "releases"
    ),
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0: any that is free.")] = 0,
    upload_limit: Annotated[
        int, typer.Option(metavar="MIB", min=1, help="How large a file may be that is dropped on the page.")
    ] = 512,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say the address.")] = False,
) -> None:
    """See the risk, play the adversary, and publish, on a page in your browser.

    The page is for you alone: it is served on this machine's own address, to whoever holds the key in the address that
    is printed. Nothing is sent to any other machine. No file outside the folders that you name can be opened.

    Exit code 0: ended. 2: bad input or usage.
    """
    if importlib.util.find_spec("nicegui") is None:
        raise MissingExtra("NiceGUI", "studio", "the studio")
    from sordino.studio.server import serve

    serve(list(data or ()), out, port=port, limit=upload_limit << 20, browser=not no_browser, say=say)
