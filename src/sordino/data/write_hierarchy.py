"""Writing hierarchies: ARX-style CSV (one path a line, to the root) or nested JSON."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from pathlib import Path

from sordino.data.hierarchy import Hierarchy
from sordino.errors import InputError

__all__ = ["encoded_hierarchy", "write_hierarchy"]


def write_hierarchy(tree: Hierarchy, path: str | os.PathLike[str]) -> None:
    """Writes nested JSON if the name says so (`.json`), else ARX-style CSV; gzipped if it ends in `.gz`.

    Reading the file gives the same hierarchy, up to the order of siblings.
    """
    data = encoded_hierarchy(tree, os.fspath(path))
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", where=os.fspath(path)) from None


def encoded_hierarchy(tree: Hierarchy, name: str) -> bytes:
    """The bytes of a file of this name."""
    plain = name.lower().removesuffix(".gz")
    data = _json(tree) if plain.endswith(".json") else _csv(tree)
    return gzip.compress(data, compresslevel=6, mtime=0) if name.lower().endswith(".gz") else data


def _json(tree: Hierarchy) -> bytes:
    return (json.dumps(tree.to_dict(), ensure_ascii=False, indent=1) + "\n").encode()


def _csv(tree: Hierarchy) -> bytes:
    if len({int(d) for d in tree.depth[tree.leaves]}) > 1:
        raise InputError(
            "the leaves of this hierarchy lie at different depths, which one path a line cannot hold",
            hint="Write it as JSON: give the file a name that ends in .json",
        )
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=";", lineterminator="\n")
    writer.writerows(tree.paths())
    return sink.getvalue().encode()
