"""Releases whose rows can be matched: the records of each, and who each of them is.

A person is named by the id that the source of a release gave her, or by the number of her row in it, from 0, if it had
no ids. Published rows have other numbers, as a rule; keep/records.parquet leads back, and stays in the house.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.verify.bounded import digest
from sordino.verify.folder import published_part
from sordino.verify.keep import house_policy, people_behind, people_of
from sordino.verify.manifest import MANIFEST
from sordino.verify.manifest_file import read_manifest
from sordino.verify.shapes.inference import InferenceManifest

__all__ = ["SHAPES", "Linked", "check_links", "check_names", "policy_of_all", "read_linked", "read_previous"]

SHAPES = ("inference", "absence", "sequel")
CHANGES = ("keep", "changes.parquet")


@dataclass(frozen=True, eq=False)
class Linked:
    """The records of a release, and the person behind each; `sha256` is that of its manifest, if it is a folder."""

    baskets: Baskets
    people: tuple[Hashable, ...] = field(repr=False)
    sha256: str | None = None
    policy: InferencePolicy | None = None
    folder: Path | None = None
    whole: bool = False  # whether the policy is as it was written, and not only as far as it is published

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


def read_linked(source: object) -> Linked:
    """A release folder with its `keep` part, or any other baskets by their ids or rows. Nothing is verified here but
    that the data are those of the manifest."""
    if isinstance(source, Linked):
        return source
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        baskets = read_baskets(source)
        return Linked(baskets, people_of(baskets))
    publish = published_part(source)
    manifest = read_manifest(publish)
    if type(manifest).shape not in SHAPES or not isinstance(manifest, InferenceManifest):
        raise InputError("this release cannot be laid beside another one yet", where=str(publish))
    entry = manifest.files.get(manifest.file)
    if Path(manifest.file).name != manifest.file or entry is None:
        raise InputError("the manifest names a data file that is not in its folder", where=str(publish))
    if digest(publish / manifest.file, entry.bytes) != entry.sha256:
        raise InputError(
            f"{manifest.file} was changed: it is not the file that the manifest describes",
            where=str(publish),
            hint="Use the folder as it was published.",
        )
    baskets = manifest.read_data(publish)
    policy = house_policy(source, manifest)
    return Linked(
        baskets,
        people_behind(Path(source), baskets, manifest.ids),
        hashlib.sha256((publish / MANIFEST).read_bytes()).hexdigest(),
        policy if isinstance(policy, InferencePolicy) else manifest.policy,
        Path(source),
        policy is not manifest.policy,
    )


def read_previous(previous: object) -> tuple[Linked, ...]:
    """One release, or several in a list or tuple of folders, files or Baskets, the oldest first."""
    release = (str, os.PathLike, Baskets, Linked)
    several = isinstance(previous, list | tuple) and all(isinstance(x, release) for x in previous)
    sources: Sequence[object] = previous if several and isinstance(previous, list | tuple) else [previous]
    if not sources:
        raise InputError("there is no previous release")
    return tuple(map(read_linked, sources))


def check_links(releases: Sequence[Sequence[Hashable]]) -> None:
    """An InputError if the people of some release cannot be those of the others.

    That is so if some releases name people by id and others by row; or if nobody of a release is in another one, for
    then it would be said that nothing can be inferred from them together though nothing was laid together.
    """
    kinds = {isinstance(person, str) for release in releases for person in release}
    if len(kinds) > 1:
        raise InputError(
            "one release names its people by id, another by row, so they cannot be matched",
            hint="Give data with record ids, or without, for all of them.",
        )
    seen = Counter(person for release in releases for person in set(release))
    for number, release in enumerate(releases, 1):
        if len(releases) > 1 and not any(seen[person] > 1 for person in release):
            raise InputError(
                f"nobody of release {number} is in another one, so there is nothing to lay side by side",
                hint="The record ids of the same person must be the same in all. If these are other people, judge each "
                "release by itself.",
            )


def policy_of_all(releases: Sequence[Linked]) -> InferencePolicy | None:
    """The policy of the newest release that has one, and what older ones found sensitive besides, at their thresholds.

    A published policy names only what its own data still hold; another release may show more.
    """
    newest: InferencePolicy | None = None
    for release in reversed(releases):
        if newest is None:
            newest = release.policy
        elif release.policy is not None:
            old = release.policy
            more = [name for name in old.sensitive if name not in newest.sensitive]
            rho_of = {name: old.rho_of.get(name, old.rho) for name in more}
            newest = replace(newest, sensitive=(*newest.sensitive, *more), rho_of={**newest.rho_of, **rho_of})
    return newest


def check_names(policy: InferencePolicy, releases: Sequence[Baskets]) -> None:
    """A PolicyError for what is wrong with the policy, such as sensitive items that no release holds."""
    policy.resolve(
        Baskets.from_sets([{release.names[c] for c in release.supports.nonzero()[0]} for release in releases])
    )
