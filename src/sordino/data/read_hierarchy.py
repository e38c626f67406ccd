"""Reading hierarchies: from a file or an object in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from sordino.data.hierarchy import Hierarchy
from sordino.data.sources.bytes import open_raw, text_of
from sordino.data.sources.frames import is_frame
from sordino.data.sources.trees import (
    LAYOUTS,
    read_tree_columns,
    read_tree_csv,
    read_tree_json,
    read_tree_object,
)
from sordino.errors import InputError, did_you_mean

__all__ = ["read_hierarchy"]


def read_hierarchy(source: object, *, layout: str | None = None, items: Iterable[str] | None = None) -> Hierarchy:
    """A hierarchy from a path, a frame, nested dicts and lists, or a Hierarchy itself; `.gz` files are unzipped.

    Text that begins with { or [ is nested JSON. Other text is CSV apart by ; , tab or |, in one of the layouts:
    - "paths": value;group;wider group;*, finest first, without a header (as ARX has it).
    - "columns": the same with a header, as in item,level2,level1. If the last column does not name one root, a root
      ALL is added above it, in this layout and in "paths".
    - "parent-child": two columns, child and parent; names are the same node wherever they stand.
    Unless stated, the layout follows from the header and the content; if it is not clear whether the first row is a
    header, that is refused. If `items` are given, each must be a leaf.

    Raises InputError, which names the item and the line, for whatever is no tree with one root.
    """
    if layout is not None and layout not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise InputError(f"there is no layout '{layout}'.{did_you_mean(layout, LAYOUTS)}", hint=f"Layouts: {known}.")
    where: str | None = None
    if isinstance(source, Hierarchy):
        tree = source
    elif isinstance(source, (str, os.PathLike)):
        raw = open_raw(source)
        where = raw.where
        data = text_of(raw)
        nested = layout == "json" or (layout is None and data.lstrip()[:1] in (b"{", b"["))
        tree = read_tree_json(data, where) if nested else read_tree_csv(data, layout, where)
    elif is_frame(source):
        tree = read_tree_columns(_columns(source), layout)
    elif isinstance(source, Mapping | Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        tree = read_tree_object(source)
    else:
        raise InputError(
            f"cannot read a hierarchy from an object of type {type(source).__name__}",
            hint="Pass a path, a frame, or nested dicts and lists.",
        )
    if items is not None:
        tree.covers(items, where)
    return tree


def _columns(source: object) -> dict[str, list[str]]:
    """The columns of a frame as text."""
    from sordino.data.sources.arrow import code_column, column_kinds
    from sordino.data.sources.frames import arrow_table

    table = arrow_table(source)
    columns: dict[str, list[str]] = {}
    for name in column_kinds(table.schema, None):
        values = code_column(table.column(name), f"column '{name}'", None)
        columns[name] = [values.names[code] if code >= 0 else "" for code in values.codes.tolist()]
    return columns
