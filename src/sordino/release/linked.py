"""Releases whose rows can be matched: the records of each, and who each of them is.

A person is named by the id that the source of a release gave her, or by the number of her row in it, from 0, if it had
no ids. Published rows have other numbers, as a rule; keep/records.parquet leads back, and stays in the house.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.release.check import published_part, read_manifest
from sordino.release.manifest import MANIFEST
from sordino.release.reading import house_policy
from sordino.release.shapes.inference import InferenceManifest, read_data

__all__ = ["Linked", "check_links", "check_names", "people_of", "read_linked", "read_previous"]

NUMBERS, CHANGES = ("keep", "records.parquet"), ("keep", "changes.parquet")


@dataclass(frozen=True, eq=False)
class Linked:
    """The records of a release, and the person behind each; `sha256` is that of its manifest, if it is a folder."""

    baskets: Baskets
    people: tuple[Hashable, ...] = field(repr=False)
    sha256: str | None = None
    policy: InferencePolicy | None = None
    folder: Path | None = None

    def deleted(self) -> list[tuple[Hashable, str]]:
        """What was deleted from whom, if the folder still tells."""
        import pyarrow as pa
        from pyarrow import parquet

        if self.folder is None:
            return []
        try:
            table = parquet.read_table(self.folder.joinpath(*CHANGES))
            return list(zip(table.column("record").to_pylist(), table.column("item").to_pylist(), strict=True))
        except (OSError, KeyError, pa.ArrowException):
            return []


def people_of(baskets: Baskets) -> tuple[Hashable, ...]:
    """Who the records of a source are: its ids, or the numbers of its rows."""
    return tuple(range(len(baskets))) if baskets.ids is None else baskets.ids


def read_linked(source: object) -> Linked:
    """A release folder with its `keep` part, or any other baskets by their ids or rows. Nothing is verified here."""
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        baskets = read_baskets(source)
        return Linked(baskets, people_of(baskets))
    publish = published_part(source)
    manifest = read_manifest(publish)
    if type(manifest).shape not in ("inference", "sequel") or not isinstance(manifest, InferenceManifest):
        raise InputError("this release cannot be laid beside another one yet", where=str(publish))
    if Path(manifest.file).name != manifest.file:
        raise InputError("the manifest names a data file outside of its folder", where=str(publish))
    baskets = read_data(publish, manifest)
    policy = house_policy(source, manifest)
    return Linked(
        baskets,
        _people(Path(source), baskets, manifest.ids),
        hashlib.sha256((publish / MANIFEST).read_bytes()).hexdigest(),
        policy if isinstance(policy, InferencePolicy) else manifest.policy,
        Path(source),
    )


def read_previous(previous: object) -> tuple[Linked, ...]:
    """One release, or several in a list or tuple of folders, files or Baskets, the oldest first."""
    several = isinstance(previous, list | tuple) and all(isinstance(x, str | os.PathLike | Baskets) for x in previous)
    sources: Sequence[object] = previous if several and isinstance(previous, list | tuple) else [previous]
    if not sources:
        raise InputError("there is no previous release")
    return tuple(map(read_linked, sources))


def check_links(releases: Sequence[Sequence[Hashable]]) -> None:
    """An InputError if some releases name people by id and others by row."""
    kinds = {isinstance(person, str) for release in releases for person in release}
    if len(kinds) > 1:
        raise InputError(
            "one release names its people by id, another by row, so they cannot be matched",
            hint="Give data with record ids, or without, for all of them.",
        )


def check_names(policy: InferencePolicy, releases: Sequence[Baskets]) -> None:
    """A PolicyError for what is wrong with the policy, such as sensitive items that no release holds."""
    policy.resolve(
        Baskets.from_sets([{release.names[c] for c in release.supports.nonzero()[0]} for release in releases])
    )


def _people(folder: Path, baskets: Baskets, ids: str) -> tuple[Hashable, ...]:
    """The people behind the rows of a release folder."""
    import pyarrow as pa
    from pyarrow import parquet

    path = folder.joinpath(*NUMBERS)
    if not path.is_file():
        if ids == "keep" or (ids == "renumber" and baskets.ids is None):
            return people_of(baskets)
        raise InputError(
            "the rows of this release cannot be matched: keep/records.parquet, which leads back, is not beside it",
            where=str(folder),
        )
    try:
        table = parquet.read_table(path)
        numbers, people = table.column("published").to_pylist(), table.column("record").to_pylist()
    except (OSError, KeyError, pa.ArrowException):
        raise InputError("keep/records.parquet cannot be read", where=str(folder)) from None
    back = dict(zip(numbers, people, strict=True))
    if sorted(back) != list(range(1, len(baskets) + 1)):
        raise InputError("keep/records.parquet is not about these records", where=str(folder))
    return tuple(back[k] for k in range(1, len(baskets) + 1))
