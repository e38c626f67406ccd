"""groups.json.gz: which record is in which group, and what is told of each group.

Generalized data, `opened` being the labels of the nodes of hierarchy.json whose children the group shows:

    {"format": "sordino-groups/1", "group": [0, 0, 1, ..], "opened": [["ALL", "dairy"], ["ALL"], ..]}

Permuted data, `held` being how many records of the group have which sensitive items:

    {"format": "sordino-groups/1", "group": [0, 0, 1, ..], "held": [{"insulin": 1}, {}, ..]}

Records are in the order of the data file. Groups are numbered from 0, by their first records.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.read_hierarchy import read_hierarchy
from sordino.data.write_hierarchy import encoded_hierarchy
from sordino.errors import InputError
from sordino.verify.bounded import read_bytes, strict_json, unzipped

__all__ = ["GROUPS", "HIERARCHY", "encode_groups", "read_generalized", "read_permuted", "what_is_told"]

FORMAT = "sordino-groups/1"
GROUPS, HIERARCHY = "groups.json.gz", "hierarchy.json"
LARGEST = 1 << 32  # bytes of a file
SPARE, EACH = 1 << 26, 1 << 10  # unzipped bytes: so many, and so many for each record


def what_is_told(data: Generalized | Permuted) -> list[Any]:
    """Of each group what the file tells of it, as plain data."""
    if isinstance(data, Generalized):
        return [[data.labels[v] for v in nodes] for nodes in data.opened]
    return [dict(sorted(held.items())) for held in data.held]


def encode_groups(data: Generalized | Permuted) -> bytes:
    """The file for these groups; the same groups, the same bytes."""
    return gzip.compress(_told(data), compresslevel=6, mtime=0)


def _told(data: Generalized | Permuted) -> bytes:
    key = "opened" if isinstance(data, Generalized) else "held"
    return _text({"format": FORMAT, "group": data.group.tolist(), key: what_is_told(data)})


def _text(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def read_generalized(
    publish: Path,
    baskets: Baskets,
    sensitive: tuple[str, ...],
    hierarchy: Path | None = None,
    *,
    checked: bool = False,
) -> Generalized:
    """The generalized data of a published folder; an InputError if the files do not fit together.

    `hierarchy` is the file of a larger one, to take in the place of the published part of it. checked: an InputError
    also if something else is in the files.
    """
    document, raw = _document(publish, len(baskets), {"opened"})
    content = read_bytes(publish / HIERARCHY, LARGEST)
    try:
        tree = read_hierarchy(hierarchy or publish / HIERARCHY, layout="json")
    except InputError as error:
        raise InputError(f"{HIERARCHY} cannot be read: {error.what}") from None
    if checked and encoded_hierarchy(tree, HIERARCHY) != content:
        raise InputError(f"{HIERARCHY} holds more than a hierarchy")
    labels = tree.labels_beside(sensitive)
    node_of = {label: v for v, label in enumerate(labels)}
    groups = _listed(document, "opened")
    opened = []
    for told in groups:
        if not isinstance(told, list) or not all(isinstance(label, str) and label in node_of for label in told):
            raise InputError(f"{GROUPS} opens a node that the hierarchy does not have")
        opened.append(tuple(sorted(node_of[label] for label in told)))
    data = Generalized(baskets, _numbers(document, len(baskets), len(groups)), tree, tuple(opened), labels)
    if checked:
        _check_again(raw, data)
    return data


def read_permuted(publish: Path, baskets: Baskets, *, checked: bool = False) -> Permuted:
    """The permuted data of a published folder; an InputError if the files do not fit together.

    checked: an InputError also if something else is in them.
    """
    document, raw = _document(publish, len(baskets), {"held"})
    held = _listed(document, "held")
    for told in held:
        if not isinstance(told, dict) or not all(type(count) is int and count > 0 for count in told.values()):
            raise InputError(f"{GROUPS} does not say how many records of a group have which items")
    data = Permuted(baskets, _numbers(document, len(baskets), len(held)), tuple(held))
    if checked:
        _check_again(raw, data)
    return data


def _check_again(raw: bytes, data: Generalized | Permuted) -> None:
    """What was read, told again, is the same: groups are numbered by their first records, and each has some."""
    _, first = np.unique(data.group, return_index=True)
    if len(first) != data.groups or (np.diff(first) < 0).any() or _told(data) != raw:
        raise InputError(f"{GROUPS} holds more than the groups of the records, or tells them in another order")


def _document(publish: Path, records: int, told: set[str]) -> tuple[dict[str, Any], bytes]:
    raw = unzipped(read_bytes(publish / GROUPS, LARGEST), GROUPS, SPARE + EACH * records)
    document = strict_json(raw, GROUPS)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{GROUPS} is not of the format {FORMAT}")
    if document.keys() != {"format", "group"} | told:
        raise InputError(f"{GROUPS} says something that has no place in it")
    return document, raw


def _listed(document: dict[str, Any], key: str) -> list[Any]:
    told = document.get(key)
    if not isinstance(told, list):
        raise InputError(f"{GROUPS} has no list '{key}'")
    return told


def _numbers(document: dict[str, Any], records: int, groups: int) -> Any:
    numbers = _listed(document, "group")
    if not set(map(type, numbers)) <= {int} or len(numbers) != records:
        raise InputError(f"{GROUPS} does not name a group for each record")
    if numbers and not 0 <= min(numbers) <= max(numbers) < groups:
        raise InputError(f"{GROUPS} names a group that is not described")
    return np.array(numbers, dtype=np.int32)
