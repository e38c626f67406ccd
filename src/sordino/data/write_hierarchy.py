"""Writing hierarchies: ARX-style CSV (one path a line, to the root) or nested JSON."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
from pathlib import Path

from sordino.data.hierarchy import Hierarchy
from sordino.data.sources.trees import read_tree_csv
from sordino.errors import InputError

__all__ = ["encoded_hierarchy", "write_hierarchy"]

SPECIAL = re.compile(r"[;,|\t\"\r\n]|^[\[{]")


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
    return (json.dumps(tree.to_dict(), ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


def _csv(tree: Hierarchy) -> bytes:
    if len({int(d) for d in tree.depth[tree.leaves]}) > 1:
        raise InputError(
            "the leaves of this hierarchy lie at different depths, which one path a line cannot hold",
            hint="Write it as JSON: give the file a name that ends in .json",
        )
    # Quoted throughout, a file is cut at its semicolons by every reader that tries others, too.
    odd = any(SPECIAL.search(name) for name in tree.names)
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL)
    writer.writerows(tree.paths())
    data = sink.getvalue().encode()
    if not _reads_back(data, tree):
        raise InputError(
            "there are names in this hierarchy that CSV would change, such as one with blanks around it",
            hint="Write it as JSON: give the file a name that ends in .json",
        )
    return data


def _reads_back(data: bytes, tree: Hierarchy) -> bool:
    if b"\r" in data or data.lstrip()[:1] in (b"{", b"["):  # no reader of text, or that of JSON, would let it pass
        return False
    try:
        return read_tree_csv(data, None, "") == tree
    except InputError:
        return False
