"""`sordino sample`: the bundled sample files, to look at or to copy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.asked import Shown
from sordino.cli.options import Json
from sordino.cli.ways import take, way
from sordino.errors import InputError

DESCRIPTIONS = {
    "patients.csv": "patients, one a row, with their diagnosis",
    "patients_policy.toml": "what must not be inferred about patients",
    "pharmacy.csv": "customers of a pharmacy, one a line, with what they bought",
    "pharmacy_choices.csv": "what single customers call sensitive",
    "pharmacy_hierarchy.csv": "products, their categories and departments",
    "pharmacy_personal_policy.toml": "the same, with what single customers chose",
    "pharmacy_policy.toml": "what must not be inferred about customers",
    "pharmacy_sensitive.txt": "the sensitive products",
}


LIST = way("a list of the files", "json_", force="without DIR nothing is written")
COPY = way("copies of the files", "force", "json_")


def sample(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]", help="Copy the files to this folder; without it, list them.", show_default=False
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are already there.")] = False,
    json_: Json = None,
) -> None:
    """List the sample files that come with sordino, or copy them to a folder. Nobody in them exists."""
    take(context, LIST if folder is None else COPY)
    from sordino.cli.page import Points, Steps, Table
    from sordino.cli.streams import check_targets, write_whole
    from sordino.sample import names, path

    shown = Shown(json_)
    check_targets({"--json": shown.file}, [])
    held = [{"name": name, "about": DESCRIPTIONS.get(name, "")} for name in names()]
    if folder is None:
        rows = tuple((name, DESCRIPTIONS.get(name, "")) for name in names())
        where = path(names()[0]).parent
        shown.tell(
            {"folder": str(where), "copied": False, "files": held},
            lambda: [
                Table(f"Sample files, in {where}", ("file", "what it holds"), rows),
                Steps("What next", (("Copy them to a folder:", "sordino sample DIR"),)),
            ],
        )
        return
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file, not a folder", where=str(folder))
    there = [name for name in names() if (folder / name).exists()]
    if there and not force:
        what = there[0] if len(there) == 1 else f"{len(there)} of the files, {there[0]} among them,"
        raise InputError(
            f"{what} {'is' if len(there) == 1 else 'are'} already there; nothing was copied",
            where=str(folder),
            hint="Choose another folder, or overwrite them with --force.",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be made ({error.strerror})", where=str(folder)) from None
    for name in names():
        write_whole(folder / name, path(name).read_bytes())
    shown.tell(
        {"folder": str(folder), "copied": True, "files": held},
        lambda: [
            Points((f"Copied {len(names())} files to {folder}.",)),
            Steps(
                "What next",
                (
                    ("Audit the baskets:", _audit(folder, "pharmacy")),
                    ("Audit the table of patients:", _audit(folder, "patients")),
                ),
            ),
        ],
    )


def _audit(folder: Path, name: str) -> str:
    return shlex.join(
        ["sordino", "audit", str(folder / f"{name}.csv"), "--policy", str(folder / f"{name}_policy.toml")]
    )
