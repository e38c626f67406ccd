"""The same seed gives the same bytes, on one thread and on two."""

from __future__ import annotations

from pathlib import Path

from fuzz.finding import demand
from fuzz.made import Made

__all__ = ["check"]


def check(made: Made) -> None:
    one = _files(made.folder)
    two = _files(Path(made.protect(jobs=2).write(made.home / "again", jobs=2)))
    demand(one.keys() == two.keys(), "two threads write other files")
    for name in sorted(one):
        demand(one[name] == two[name], f"two threads write other bytes: {name.suffix}")


def _files(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
