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
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.read_hierarchy import read_hierarchy
from sordino.errors import InputError

__all__ = ["GROUPS", "HIERARCHY", "encode_groups", "in_order", "read_generalized", "read_permuted", "what_is_told"]

FORMAT = "sordino-groups/1"
GROUPS, HIERARCHY = "groups.json.gz", "hierarchy.json"
GZIP_MAGIC = b"\x1f\x8b"


def what_is_told(data: Generalized | Permuted) -> list[Any]:
    """Of each group what the file tells of it, as plain data."""
    if isinstance(data, Generalized):
        return [[data.labels[v] for v in nodes] for nodes in data.opened]
    return [dict(sorted(held.items())) for held in data.held]


def in_order(data: Generalized | Permuted, baskets: Baskets, number: npt.NDArray[np.int64]) -> Generalized | Permuted:
    """The groups of `data` for its records in the order of these numbers, which are `baskets`; numbered by their first
    records in that order."""
    group = data.group[np.argsort(number)]
    _, first = np.unique(group, return_index=True)
    order = group[np.sort(first)]
    rank = np.empty(data.groups, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    if isinstance(data, Generalized):
        opened = tuple(data.opened[g] for g in order.tolist())
        return replace(data, baskets=baskets, group=rank[group], opened=opened)
    return replace(data, baskets=baskets, group=rank[group], held=tuple(data.held[g] for g in order.tolist()))


def encode_groups(data: Generalized | Permuted) -> bytes:
    """The file for these groups; the same groups, the same bytes."""
    key = "opened" if isinstance(data, Generalized) else "held"
    document = {"format": FORMAT, "group": data.group.tolist(), key: what_is_told(data)}
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    return gzip.compress(text.encode("utf-8", "surrogatepass"), compresslevel=6, mtime=0)


def read_generalized(
    publish: Path, baskets: Baskets, sensitive: tuple[str, ...], hierarchy: Path | None = None
) -> Generalized:
    """The generalized data of a published folder; an InputError if the files do not fit together.

    `hierarchy` is the file of a larger one, to take in the place of the published part of it.
    """
    document = _document(publish)
    try:
        tree = read_hierarchy(hierarchy or publish / HIERARCHY, layout="json")
    except InputError as error:
        raise InputError(f"{HIERARCHY} cannot be read: {error.what}") from None
    labels = tree.labels_beside(sensitive)
    node_of = {label: v for v, label in enumerate(labels)}
    groups = _listed(document, "opened")
    opened = []
    for told in groups:
        if not isinstance(told, list) or not all(isinstance(label, str) and label in node_of for label in told):
            raise InputError(f"{GROUPS} opens a node that the hierarchy does not have")
        opened.append(tuple(sorted(node_of[label] for label in told)))
    return Generalized(baskets, _numbers(document, len(baskets), len(groups)), tree, tuple(opened), labels)


def read_permuted(publish: Path, baskets: Baskets) -> Permuted:
    """The permuted data of a published folder; an InputError if the files do not fit together."""
    document = _document(publish)
    held = _listed(document, "held")
    for told in held:
        if not isinstance(told, dict) or not all(type(count) is int and count > 0 for count in told.values()):
            raise InputError(f"{GROUPS} does not say how many records of a group have which items")
    return Permuted(baskets, _numbers(document, len(baskets), len(held)), tuple(held))


def _document(publish: Path) -> dict[str, Any]:
    try:
        raw = (publish / GROUPS).read_bytes()
        document = json.loads(gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw)
    except OSError as error:
        raise InputError(f"{GROUPS} cannot be read ({error.strerror})") from None
    except (EOFError, zlib.error, ValueError, RecursionError):
        raise InputError(f"{GROUPS} cannot be read: it is damaged") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{GROUPS} is not of the format {FORMAT}")
    return document


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
