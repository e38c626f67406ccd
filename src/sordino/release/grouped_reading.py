"""A release folder as data to audit or to measure, by its shape."""

from __future__ import annotations

import os
from pathlib import Path

from sordino.audit.inference import audit_baskets
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.engine.local import Progress
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.release.check import published_part, read_manifest
from sordino.release.grouped import audit_grouped
from sordino.release.groups_file import HIERARCHY, in_order, read_generalized, read_permuted
from sordino.release.numbering import SHUFFLE, reordered
from sordino.release.reading import house_policy, places_before
from sordino.release.shapes.generalized import GeneralizedManifest
from sordino.release.shapes.inference import InferenceManifest, read_data
from sordino.release.shapes.permuted import PermutedManifest
from sordino.release.staging import KEEP

__all__ = ["audit_folder", "grouped_in", "is_folder", "read_folder"]


def is_folder(source: object) -> bool:
    """Whether a source is the path of a folder."""
    return isinstance(source, str | os.PathLike) and Path(source).is_dir()


def read_folder(folder: str | os.PathLike[str]) -> tuple[Baskets | Generalized | Permuted, InferencePolicy]:
    """The data of a release of baskets, in their form, and the policy they are released under. Nothing is verified."""
    publish = published_part(folder)
    manifest = read_manifest(publish)
    if not isinstance(manifest, InferenceManifest):
        raise InputError("this release does not hold baskets", where=str(publish))
    if Path(manifest.file).name != manifest.file:
        raise InputError("the manifest names a data file outside of its folder", where=str(publish))
    baskets = read_data(publish, manifest)
    if isinstance(manifest, GeneralizedManifest):
        return read_generalized(publish, baskets, manifest.policy.sensitive), manifest.policy
    if isinstance(manifest, PermutedManifest):
        return read_permuted(publish, baskets), manifest.policy
    return baskets, manifest.policy


def grouped_in(source: object, before: Baskets) -> tuple[Generalized | Permuted, InferencePolicy] | None:
    """What `read_folder` gives, if the source is a release in groups; else None, whatever else it is.

    Shuffled records come in the order of `before`, if the folder has its `keep` part, which tells that.
    """
    if not is_folder(source):
        return None
    try:
        manifest = read_manifest(published_part(str(source)))
    except InputError:
        return None
    if not isinstance(manifest, GeneralizedManifest | PermutedManifest):
        return None
    data, _ = read_folder(str(source))
    policy = house_policy(str(source), manifest)
    assert not isinstance(data, Baskets)
    assert isinstance(policy, InferencePolicy)
    whole = Path(str(source)) / KEEP / HIERARCHY
    if isinstance(data, Generalized) and whole.is_file():  # what a wider item stands for, as it was given
        data = read_generalized(published_part(str(source)), data.baskets, policy.sensitive, whole)
    if manifest.ids == SHUFFLE:
        number = places_before(str(source), len(data), before.ids, len(before))
        if number is not None:
            data = in_order(data, reordered(data.baskets, number), number)
    return data, policy


def audit_folder(
    folder: str | os.PathLike[str],
    policy: InferencePolicy | None = None,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """The audit of a release, against its own policy or another one: at leaf knowledge if it is generalized, and for
    the weaker promise if it is permuted. Sensitive items that are gone from the release are nothing to complain of."""
    data, own = read_folder(folder)
    policy = own if policy is None else policy
    if isinstance(data, Baskets):
        return audit_baskets(
            data, policy, top=top, time_limit=time_limit, jobs=jobs, progress=progress, missing="accept"
        )
    if isinstance(data, Generalized) and not set(policy.sensitive).isdisjoint(data.hierarchy.leaf_of):
        raise InputError("the release generalizes an item that this policy calls sensitive", where=os.fspath(folder))
    return audit_grouped(data, policy, top=top, time_limit=time_limit, jobs=jobs, progress=progress)
