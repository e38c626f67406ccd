"""JSON lines: a line is an array of items, an object with a list of items, or an object for a (record, item) pair."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.sources.coded import Coded, code_values, grouped, record_ids
from sordino.data.sources.columns import LIST, OTHER, SCALAR, table_layout
from sordino.errors import InputError

__all__ = ["TwiceError", "no_constant", "only_once", "read_jsonl"]

Row = tuple[int, Any, Any]  # line, record id (None if there is no such field), item or list of items


def read_jsonl(
    data: bytes, layout: str | None, record: str | None, item: str | None, where: str
) -> tuple[Coded, Origin]:
    """Records of JSON lines; the first line shows which shape all lines have. Blank lines do not count."""
    values = _parsed(data, where)
    first = next(values, None)
    if first is None:
        raise InputError("there are no records: the file is empty", where=where)
    line, value = first
    values = chain([first], values)
    if isinstance(value, list):
        if layout == "long" or record is not None or item is not None:
            raise InputError("the lines are arrays, so there are no columns to name", where=where)
        origin = Origin(format="jsonl", layout="list")
        return _lists(((line, None, value) for line, value in _alike(values, list, where)), origin, where)
    if not isinstance(value, dict):
        raise InputError("the line is neither an array nor an object", where=f"{where}, line {line}")
    kinds = {name: _kind(field) for name, field in value.items()}
    layout, record, item = table_layout(kinds, layout, record, item, where)
    origin = Origin(format="jsonl", layout=layout, record=record, item=item)
    seen = dict.fromkeys(kinds)
    rows = _fields(_alike(values, dict, where), record, item, where, seen)
    coded, origin = _lists(rows, origin, where) if layout == "list" else _long(rows, origin, where)
    return coded, replace(origin, unused=tuple(name for name in seen if name not in (record, item)))


def _parsed(data: bytes, where: str) -> Iterator[tuple[int, Any]]:
    """The number and the value of every line that is not blank."""
    for number, line in enumerate(data.decode("utf-8").split("\n"), start=1):
        if not line or line.isspace():
            continue
        try:
            value = json.loads(line, object_pairs_hook=only_once, parse_constant=no_constant)
        except TwiceError:
            raise InputError("a field stands twice in one object", where=f"{where}, line {number}") from None
        except ValueError:
            raise InputError(
                "the line is not well-formed JSON",
                where=f"{where}, line {number}",
                hint="In JSON lines each line is a record of its own; one document over many lines is another format.",
            ) from None
        except RecursionError:
            raise InputError("nested lists, far too deep", where=f"{where}, line {number}") from None
        yield number, value


def no_constant(name: str) -> Any:
    """NaN and Infinity, which Python's parser would take, are no JSON."""
    raise ValueError(name)


class TwiceError(Exception):
    """A name stands twice in one object: parsers would silently take the last."""


def only_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these fields, as JSON parsers ask for it; TwiceError if one stands twice."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise TwiceError
    return content


def _alike(values: Iterator[tuple[int, Any]], shape: type, where: str) -> Iterator[tuple[int, Any]]:
    """The same lines, once each is known to have the shape of the first."""
    for line, value in values:
        if type(value) is not shape:
            first = "array" if shape is list else "object"
            raise InputError(
                f"mixed types: the first line is an {first}, this one is not", where=f"{where}, line {line}"
            )
        yield line, value


def _fields(
    values: Iterator[tuple[int, Any]], record: str | None, item: str, where: str, seen: dict[str, None]
) -> Iterator[Row]:
    """The two fields that count of each object; the object itself is let go at once. `seen` takes the names of all."""
    for line, value in values:
        seen.update(dict.fromkeys(value))
        for name in (record, item):
            if name is not None and name not in value:
                raise InputError(f"wrong columns: the field '{name}' is missing", where=f"{where}, line {line}")
        yield line, None if record is None else value[record], value[item]


def _lists(rows: Iterator[Row], origin: Origin, where: str) -> tuple[Coded, Origin]:
    lines: list[int] = []
    ids: list[Any] = []
    lengths: list[int] = []
    flat: list[Any] = []
    for line, id_, held in rows:
        if held is not None and type(held) is not list:
            raise InputError("wrong type: the items are not a list", where=f"{where}, line {line}")
        flat.extend(held or ())
        lengths.append(len(held or ()))
        lines.append(line)
        ids.append(id_)
    owner = np.repeat(np.arange(len(lines), dtype=np.int64), lengths)
    items = code_values(flat, "item", lambda place: f"{where}, line {lines[int(owner[place])]}")
    if origin.record is None:
        return Coded(owner, items, len(lines)), replace(origin, item_type=items.kind)

    def at(row: int) -> str:
        return f"{where}, line {lines[row]}"

    coded = code_values(ids, "record id", at)
    origin = replace(origin, record_type=coded.kind, item_type=items.kind)
    return Coded(owner, items, len(lines), record_ids(coded, at)), origin


def _long(rows: Iterator[Row], origin: Origin, where: str) -> tuple[Coded, Origin]:
    lines: list[int] = []
    ids: list[Any] = []
    held: list[Any] = []
    for line, id_, item in rows:
        lines.append(line)
        ids.append(id_)
        held.append(item)

    def at(row: int) -> str:
        return f"{where}, line {lines[row]}"

    items = code_values(held, "item", at)
    coded = code_values(ids, "record id", at)
    return grouped(coded, items, at), replace(origin, record_type=coded.kind, item_type=items.kind)


def _kind(value: object) -> str:
    if isinstance(value, list):
        return LIST
    return SCALAR if isinstance(value, (str, int)) and not isinstance(value, bool) else OTHER
