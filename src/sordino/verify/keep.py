"""What the `keep` part of a release tells whoever has it: the policy as it was written, and which record is whose.

keep/records.parquet leads back from the numbers of published records to those of the source.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sordino.data.aligned import in_random_order, reordered
from sordino.data.baskets import Baskets, Int64
from sordino.errors import InputError, SordinoError
from sordino.policy.file import read_policy
from sordino.policy.kinds import Policy
from sordino.verify.manifest import KEEP, Manifest

__all__ = ["as_in_source", "beside_original", "house_policy", "people_behind", "people_of", "places_before"]

KEPT, NUMBERS = (KEEP, "policy.toml"), (KEEP, "records.parquet")


def house_policy(folder: str | os.PathLike[str], manifest: Manifest) -> Policy:
    """The policy of a release as it was written, if the folder has its `keep` part; else as it was published."""
    try:
        policy = read_policy(Path(folder).joinpath(*KEPT), {manifest.policy.kind: type(manifest.policy)})
    except SordinoError:
        return manifest.policy
    return policy if manifest.different(policy) is None else manifest.policy


def as_in_source(publish: Path, published: Baskets, ids: str) -> Baskets | None:
    """The published records under the names, or at the positions, that they have in the source; None if untold.

    `ids` is what the release says became of them. An InputError if the file that leads back is about something else.
    """
    if _counts(published, ids):
        return published
    path = publish.parent.joinpath(*NUMBERS)
    if not path.is_file():
        return None
    told = _numbers(path)
    if told is None:
        raise InputError("cannot be read", where=str(path))
    numbers, names = told
    count = len(published)
    if numbers == list(range(1, count + 1)):
        if all(isinstance(name, str) for name in names):
            return replace(published, ids=tuple(map(str, names)))
        if all(isinstance(name, int) for name in names) and sorted(names) == list(range(count)):
            number = np.array(names, dtype=np.int64) + 1  # of every published record in the source, from 1
            return replace(reordered(published, number), ids=None)
    raise InputError("is not about these records", where=str(path))


def beside_original(named: Baskets | None, published: Baskets, original: Baskets, ids: str) -> tuple[Baskets, bool]:
    """The published records to be judged beside the original, and whether they still have to be aligned with it.

    Those of which nothing leads back are left in their order: what can be inferred does not depend on whose they are.
    """
    if named is not None:
        return named, True
    if ids == "shuffle":
        return in_random_order(published, original), False
    return replace(published, ids=None), True  # numbers only: the order is that of the source


def people_behind(folder: Path, published: Baskets, ids: str) -> tuple[Hashable, ...]:
    """The people behind the rows of a release folder: ids of its source, or numbers of rows there, from 0."""
    path = folder.joinpath(*NUMBERS)
    if not path.is_file():
        if _counts(published, ids):
            return people_of(published)
        raise InputError(
            "the rows of this release cannot be matched: keep/records.parquet, which leads back, is not beside it",
            where=str(folder),
        )
    told = _numbers(path)
    if told is None:
        raise InputError("keep/records.parquet cannot be read", where=str(folder))
    back = dict(zip(*told, strict=True))
    if sorted(back) != list(range(1, len(published) + 1)):
        raise InputError("keep/records.parquet is not about these records", where=str(folder))
    return tuple(back[k] for k in range(1, len(published) + 1))


def people_of(baskets: Baskets) -> tuple[Hashable, ...]:
    """Who the records of a source are: its ids, or the numbers of its rows."""
    return tuple(range(len(baskets))) if baskets.ids is None else baskets.ids


def places_before(
    folder: str | os.PathLike[str], published: int, ids: Sequence[str] | None, before: int
) -> Int64 | None:
    """For every published record its place (from 1) among those that the release was made of.

    None if the folder does not have its `keep` part, which tells that, or if that is not about these records.
    """
    told = _numbers(Path(folder).joinpath(*NUMBERS))
    if told is None:
        return None
    place: dict[object, int] = {name: k for k, name in enumerate(ids or range(before))}
    back = {number: place[record] + 1 for number, record in zip(*told, strict=True) if record in place}
    found = np.array([back.get(k, 0) for k in range(1, published + 1)], dtype=np.int64)
    return found if np.array_equal(np.sort(found), np.arange(1, before + 1)) else None


def _counts(published: Baskets, ids: str) -> bool:
    """Whether the records are those of the source, by their ids or one after the other."""
    return ids == "keep" or (ids == "renumber" and published.ids is None)


def _numbers(path: Path) -> tuple[list[int], list[str] | list[int]] | None:
    """Numbers of published records, and their ids or rows in the source; None if they cannot be read."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
        return table.column("published").to_pylist(), table.column("record").to_pylist()
    except (OSError, KeyError, pa.ArrowException):
        return None
