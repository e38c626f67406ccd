"""Hierarchies in text and in Python: rows of paths (ARX), category columns, child-parent pairs, nested JSON.

All of them hand over names and the place of each node's parent; `hierarchy_of` checks and orders them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sordino.data.hierarchy import ROOT, Hierarchy, hierarchy_of
from sordino.data.sources.bytes import line_of
from sordino.data.sources.coded import BLANKS
from sordino.data.sources.text import strict_rows
from sordino.errors import InputError

__all__ = ["LAYOUTS", "read_tree_columns", "read_tree_csv", "read_tree_json", "read_tree_object"]

LAYOUTS = ("paths", "columns", "parent-child", "json")
DELIMITERS = (";", ",", "\t", "|")
ANY = "*"  # the root of ARX files
DEEPEST = 500  # levels; deeper nesting is taken for damage
CHILD = re.compile(r"(child|node|item|value|name|leaf|category|group|concept|term|label|key|code|id)(id|name|code)?")
PARENT = re.compile(r"(parent(node|item|category|group|concept|term|label|key|code)?(id|name|code)?|isa|above|broader)")
HEADER = re.compile(
    r"(item|items|value|values|leaf|name|product|article|original|self|key|id|sku|code|label|description|desc|title)"
    r"(id|name|code|label)?|(level|lvl|l|category|cat|group|class|department|dept|section|segment|family|aisle|tier|depth|"
    r"generalization|subcategory|subgroup|subclass|root|all|top|type|parent|brand|theme|chapter|division)(name|id|code)?\d*"
)

Rows = Sequence[tuple[int, Sequence[str]]]  # line numbers and fields


def read_tree_csv(data: bytes, layout: str | None, where: str) -> Hierarchy:
    """The hierarchy in CSV text; the delimiter is found out, and so is the layout unless stated."""
    rows = _rows(data, where)
    head = [_plain(field) for field in rows[0][1]]
    if layout is None and len(head) == 2 and _pair_columns(head):
        layout = "parent-child"
    if layout is None and len(head) == 2 and _is_chained(rows):
        layout = "parent-child"
    if layout == "parent-child":
        if len(head) != 2:
            raise InputError(f"child and parent take two columns; there are {len(head)}", where=where)
        turned = _pair_columns(head)
        body = rows[1:] if turned else rows
        return _from_pairs([(line, row[turned == -1], row[turned != -1]) for line, row in body], where)
    headed = layout == "columns" or (layout is None and _has_header(rows, where))
    return _from_paths(rows[1:] if headed else rows, where)


def read_tree_columns(columns: Mapping[str, Sequence[str]], layout: str | None) -> Hierarchy:
    """The hierarchy in the columns of a frame."""
    heads = [_plain(name) for name in columns]
    rows = [(number, list(row)) for number, row in enumerate(zip(*columns.values(), strict=True), start=1)]
    turned = _pair_columns(heads) if len(heads) == 2 else 0
    if layout == "parent-child" or (layout is None and turned):
        if len(heads) != 2:
            raise InputError("child and parent take two columns")
        return _from_pairs([(line, row[turned == -1], row[turned != -1]) for line, row in rows], None)
    if len(heads) < 2:
        raise InputError("a hierarchy needs at least two columns: the item, and a group above it")
    return _from_paths(rows, None)


def read_tree_json(data: bytes, where: str) -> Hierarchy:
    """The hierarchy in nested JSON, as objects of objects and lists, or as {"name": ..., "children": [...]}."""
    try:
        content = json.loads(data, object_pairs_hook=lambda pairs: _no_doubles(pairs, where))
    except json.JSONDecodeError as error:
        line = line_of(data, error.pos)
        raise InputError("this is not valid JSON", where=f"{where}, line {line}") from None
    except RecursionError:
        raise InputError(f"nested too deeply (over {DEEPEST} levels)", where=where) from None
    except ValueError:  # a number of thousands of digits
        raise InputError("this is not valid JSON", where=where) from None
    return read_tree_object(content, where)


def read_tree_object(source: object, where: str | None = None) -> Hierarchy:
    """The hierarchy in nested dicts and lists.

    {"ALL": {"A": ["a", "b"], "B": {"c": {}, "d": None}}}, or {"name": "ALL", "children": [...]}; further, {"a": "A",
    "A": "ALL"} says each node's parent, and {"a": ("A", "ALL")} each leaf's path.
    """
    if isinstance(source, Mapping) and source:
        kinds = set(map(type, source.values()))
        if kinds <= {str, type(None)} and str in kinds and not _is_node(source):
            pairs = [(0, _name(k, where), "" if v is None else v) for k, v in source.items()]
            return _from_pairs(pairs, where)
        if kinds == {tuple}:
            rows = [(0, [_name(k, where), *(_name(part, where) for part in v)]) for k, v in source.items()]
            return _from_paths(rows, where)
    names: list[str] = []
    parent: list[int] = []
    tops = _below(source, where)
    waiting = [(name, content, -1, 0) for name, content in reversed(tops)]
    if len(tops) > 1:
        names.append(ROOT)
        parent.append(-1)
        waiting = [(name, content, 0, 1) for name, content, _, _ in waiting]
    while waiting:
        name, content, up, depth = waiting.pop()
        if depth > DEEPEST:
            raise InputError(f"nested too deeply (over {DEEPEST} levels)", where=where)
        names.append(name)
        parent.append(up)
        here = len(names) - 1
        waiting += [(child, inner, here, depth + 1) for child, inner in reversed(_below(content, where))]
    return hierarchy_of(names, parent, where=where)


def _rows(data: bytes, where: str) -> Rows:
    """The rows of CSV text under the delimiter that cuts all of them alike, into most fields."""
    best: Rows = []
    ragged: tuple[int, InputError] | None = None
    for delimiter in DELIMITERS:
        try:
            found = strict_rows(data, delimiter, where)
        except InputError as error:  # quotes do not match under this delimiter
            ragged = ragged or (2, error)
            continue
        rows = [(line, [field.strip(BLANKS) for field in row]) for line, row in found if any(f.strip() for f in row)]
        if not rows:
            raise InputError("there is no hierarchy: the file is empty", where=where)
        width = len(rows[0][1])
        wrong = next(((line, len(row)) for line, row in rows if len(row) != width), None)
        if wrong is None:
            if width > (len(best[0][1]) if best else 1):
                best = rows
        elif ragged is None or width > ragged[0]:
            what = f"wrong columns: the first row has {width} fields, this row has {wrong[1]}"
            hint = "Items at different depths can be stated as child,parent rows or as nested JSON."
            ragged = width, InputError(what, where=f"{where}, line {wrong[0]}", hint=hint)
    if best:
        return best
    if ragged is not None and ragged[0] > 1:
        raise ragged[1]
    raise InputError(
        "a hierarchy needs at least two columns: the item, and a group above it",
        where=where,
        hint="Columns are apart by ; or , or a tab or |, finest first: value;group;*",
    )


def _from_paths(rows: Rows, where: str | None) -> Hierarchy:
    """Rows of names, finest first (or coarsest first, if only the last column tells the rows apart)."""
    if not rows:
        raise InputError("there is no hierarchy: there is only a header", where=where)
    for line, row in rows:
        if not all(row):
            what = f"a level of '{row[0]}' is empty" if row[0] else "an item has no name"
            raise InputError(what, where=_line(where, line))
    first, last = ({row[k] for _, row in rows} for k in (0, -1))
    if len(first) < len({tuple(row) for _, row in rows}) == len(last):
        rows = [(line, row[::-1]) for line, row in rows]
        last = first
    if len(last) > 1:
        if ANY in last:
            stray = next((line, row) for line, row in rows if row[-1] != ANY)
            raise InputError(
                f"the hierarchy has more than one root: '{stray[1][0]}' ends in '{stray[1][-1]}', not in '{ANY}'",
                where=_line(where, stray[0]),
            )
        rows = [(line, [*row, ROOT]) for line, row in rows]
    place: dict[tuple[int, str], int] = {}
    names: list[str] = []
    parent: list[int] = []
    for line, row in rows:
        up = -1
        for depth, name in enumerate(reversed(row)):
            here = place.setdefault((depth, name), len(names))
            if here == len(names):
                names.append(name)
                parent.append(up)
            elif parent[here] != up:
                raise InputError(
                    f"'{name}' has two parents: '{names[parent[here]]}' and '{names[up]}'",
                    where=_line(where, line),
                    hint="A name may repeat on another level only; tell the two apart, as in 'fruit/other'.",
                )
            up = here
    return hierarchy_of(names, parent, where=where)


def _from_pairs(pairs: Iterable[tuple[int, str, str]], where: str | None) -> Hierarchy:
    """(line, child, parent) rows; a node without a parent, or with an empty one, is a root."""
    place: dict[str, int] = {}
    parent: list[int] = []
    said: set[int] = set()
    for line, child, up in pairs:
        if not child:
            raise InputError("a child has no name", where=_line(where, line))
        for name in (child, up):
            if name and place.setdefault(name, len(place)) == len(parent):
                parent.append(-1)
        here, above = place[child], place[up] if up else -1
        if here in said and parent[here] != above:
            names = list(place)
            one, other = (names[k] if k >= 0 else "none" for k in (parent[here], above))
            raise InputError(f"'{child}' has two parents: '{one}' and '{other}'", where=_line(where, line))
        said.add(here)
        parent[here] = above
    return hierarchy_of(list(place), parent, where=where)


def _below(content: object, where: str | None) -> list[tuple[str, object]]:
    """The children that a piece of nested data states: (name, content) pairs."""
    if content is None:
        return []
    if isinstance(content, Mapping):
        if _is_node(content):
            return [(_name(content["name"], where), _nodes_only(content.get("children")))]
        return [(_name(name, where), inner) for name, inner in content.items()]
    if isinstance(content, str | int) and not isinstance(content, bool):
        return [(_name(content, where), None)]
    if isinstance(content, Sequence):
        return [pair for entry in content for pair in _below(entry, where)]
    raise InputError(
        f"wrong type: a node of the hierarchy is of type {type(content).__name__}",
        where=where,
        hint="Nodes are names: text or whole numbers, in nested objects and lists.",
    )


def _is_node(content: Mapping[Any, Any]) -> bool:
    """Whether it states one node: its name and its children, beside which an inner node may have other things."""
    if not isinstance(content.get("name"), str | int):
        return False
    return content.keys() <= {"name", "children"} or isinstance(content.get("children"), list | tuple)


def _nodes_only(children: object) -> object:
    """Children without what else they may have (sizes, colours, ids): what has a name there is a node."""
    if not isinstance(children, list | tuple):
        return children
    return [
        {key: child[key] for key in ("name", "children") if key in child}
        if isinstance(child, Mapping) and isinstance(child.get("name"), str | int)
        else child
        for child in children
    ]


def _name(value: object, where: str | None) -> str:
    if isinstance(value, str | int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:
            raise InputError("a whole number used as a name has too many digits", where=where) from None
    raise InputError(f"wrong type: a name of the hierarchy is of type {type(value).__name__}", where=where)


def _no_doubles(pairs: list[tuple[str, Any]], where: str) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"'{double}' stands twice in one object", where=where)
    return content


def _plain(field: str) -> str:
    return re.sub(r"[^a-z0-9]", "", field.lower())


def _pair_columns(head: Sequence[str]) -> int:
    """1 if two columns are named child and parent, -1 if parent and child, else 0."""
    if CHILD.fullmatch(head[0]) and PARENT.fullmatch(head[1]):
        return 1
    return -1 if PARENT.fullmatch(head[0]) and CHILD.fullmatch(head[1]) else 0


def _is_chained(rows: Rows) -> bool:
    """Whether some parent is itself a child of another: then two columns are pairs, not one level of groups."""
    children = {row[0] for _, row in rows if row[0] != row[1]}
    return any(row[1] in children for _, row in rows if row[0] != row[1])


def _has_header(rows: Rows, where: str) -> bool:
    """Whether the first row names the columns; InputError if that is not clear.

    It does if all its fields are words for levels, or if all other rows end in the root * and it does not. It does not
    if it ends in the root of the others, or if one of its groups has other items. If nothing of it occurs again, it
    does if at least half of it are words for levels; else, in a file of three rows or more, it may or may not.
    """
    head = [_plain(field) for field in rows[0][1]]
    tops = {row[-1] for _, row in rows[1:]}
    if tops == {rows[0][1][-1]}:  # it ends in the root of the others, so it is one of them, whatever it is called
        return False
    if all(field and HEADER.fullmatch(field) for field in head):
        return True
    if len(rows) > 2 and tops == {ANY} and rows[0][1][-1] != ANY:
        return True
    first = rows[0][1]
    if any(row[k] == field for _, row in rows[1:] for k, field in enumerate(first)):
        return False
    known = sum(HEADER.fullmatch(field) is not None for field in head)
    if known * 2 >= len(head):
        return True
    if len(rows) > 2 or known:
        raise InputError(
            "the first row shares no group with another, so that it may be a header or an item",
            where=_line(where, rows[0][0]),
            hint="If it is a header, call the columns item,level1,level2 (or say --layout columns); if not, let all "
            "rows end in one root, as in value;group;* (or say --layout paths).",
        )
    return False


def _line(where: str | None, line: int) -> str | None:
    return f"{where}, line {line}" if where and line else where
