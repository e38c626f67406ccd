"""Codes with their names: "29" is shown as "29 (Asthma)" on every page of the house.

A result that was made with a code book has "labels" in its plain data: code -> name, or of tables column -> code ->
name. All else in it stays in codes; only what is about to be shown is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["LABELS", "mentioned", "named", "with_names"]

Plain = Mapping[str, Any]
LABELS = "labels"
ITEM = frozenset({"item", "consequent"})  # keys whose value is an item
ITEMS = frozenset(
    {"antecedent", "absent", "items", "sensitive", "names", "first", "everywhere", "twins", "frequent", "pairs"}
)


def named(code: str, labels: Plain) -> str:
    """The code with its name, if it has one."""
    name = labels.get(code)
    return f"{code} ({name})" if isinstance(name, str) and name != code else code


def with_names(plain: Plain, labels: Plain | None = None) -> Plain:
    """Plain data as they are to be shown: every code with its name; the same data, if there are no names."""
    labels = plain.get(LABELS) if labels is None else labels
    if not labels:
        return plain
    by_column = all(isinstance(codes, Mapping) for codes in labels.values())
    shown: Plain = _rows(plain, labels) if by_column else _items(plain, labels)
    return shown


def mentioned(plain: Plain, labels: Plain) -> Plain:
    """Those of the names whose codes the plain data mention: what belongs to them."""
    texts = set(_texts(plain))
    if all(isinstance(codes, Mapping) for codes in labels.values()):
        kept = {column: {c: n for c, n in codes.items() if c in texts} for column, codes in labels.items()}
        return {column: codes for column, codes in kept.items() if codes}
    return {code: name for code, name in labels.items() if code in texts}


def _texts(plain: object) -> Iterator[str]:
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, Mapping):
        for value in plain.values():
            yield from _texts(value)
    elif isinstance(plain, list | tuple):
        for value in plain:
            yield from _texts(value)


def _items(plain: Any, labels: Plain, key: str = "") -> Any:
    """With the names of items, wherever a key says that they are items."""
    if isinstance(plain, str):
        return named(plain, labels) if key in ITEM or key in ITEMS else plain
    if isinstance(plain, Mapping):
        return {k: v if k in (LABELS, "id") else _items(v, labels, k) for k, v in plain.items()}
    if isinstance(plain, list | tuple):
        return [_items(value, labels, key if key in ITEMS else "") if _deep(value, key) else value for value in plain]
    return plain


def _deep(value: object, key: str) -> bool:
    return isinstance(value, Mapping | list | tuple) or key in ITEMS


def _rows(plain: Any, labels: Plain) -> Any:
    """With the names of values, wherever a column is beside them."""
    if isinstance(plain, list | tuple):
        return [_rows(value, labels) if isinstance(value, Mapping | list | tuple) else value for value in plain]
    if not isinstance(plain, Mapping):
        return plain
    shown = {k: v if k == LABELS else _rows(v, labels) for k, v in plain.items()}
    if isinstance(plain.get("known"), Mapping):
        shown["known"] = {c: named(text, labels.get(c, {})) for c, text in plain["known"].items()}
    if isinstance(plain.get("value"), str) and isinstance(plain.get("sensitive"), str):
        shown["value"] = named(plain["value"], labels.get(plain["sensitive"], {}))
    return shown
