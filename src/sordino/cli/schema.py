"""`sordino schema`: the JSON schema of policy.toml, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def schema(
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it to this file. Default: standard output.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is already there.")] = False,
) -> None:
    """The JSON schema of policy.toml, by which editors complete and check it.

    With the schema beside it as policy.schema.json, begin policy.toml with the line: #:schema ./policy.schema.json
    """
    from sordino.cli.streams import check_targets, say, write_whole
    from sordino.errors import InputError
    from sordino.policy.schema import schema_text

    if out is None:
        if force:
            raise InputError("--force is of no use here: without --out nothing is written", hint="Leave it out.")
        say(schema_text())
        return
    check_targets({"--out": out}, [])
    if out.exists() and not force:
        raise InputError("this file is already there; nothing was written", where=str(out), hint="Add --force.")
    write_whole(out, schema_text().encode())
    say(f"Written to {out}. First line of a policy.toml beside it: #:schema ./{out.name}\n")
