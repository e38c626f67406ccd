"""A release folder of baskets as data, in the form that its manifest states.

Nothing is verified here, but files that do not fit together are no data: an audit of them would be about something that
nobody sees.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sordino.data.aligned import reordered
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.read import read_baskets, read_like
from sordino.data.sources.parts import is_parts
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.release.numbering import SHUFFLE, in_order
from sordino.verify.folder import published_part
from sordino.verify.groups_file import HIERARCHY, read_generalized, read_permuted
from sordino.verify.keep import house_policy, places_before
from sordino.verify.manifest import KEEP, MANIFEST
from sordino.verify.manifest_file import read_manifest
from sordino.verify.shapes.generalized import GeneralizedManifest, check_cuts
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.shapes.permuted import PermutedManifest

__all__ = ["coarsened_in", "is_folder", "read_folder", "read_release_or_baskets"]


def is_folder(source: object) -> bool:
    """Whether a source is the path of a folder that is, or may be, a release: not one of Parquet files."""
    return isinstance(source, str | os.PathLike) and Path(source).is_dir() and not is_parts(source)


def read_folder(folder: str | os.PathLike[str]) -> tuple[Baskets | Generalized | Permuted, InferencePolicy]:
    """The data of a release of baskets, in their form, and the policy they are released under.

    An InputError if records show something that their groups do not, or groups are told that are none.
    """
    publish = published_part(folder)
    manifest = _basket_manifest(publish)
    baskets = manifest.read_data(publish)
    if isinstance(manifest, GeneralizedManifest):
        data = read_generalized(publish, baskets, manifest.policy.sensitive, checked=True)
        check_cuts(data, frozenset(manifest.policy.sensitive))
        return data, manifest.policy
    if isinstance(manifest, PermutedManifest):
        return read_permuted(publish, baskets, checked=True), manifest.policy
    return baskets, manifest.policy


def coarsened_in(source: object, before: Baskets) -> tuple[Generalized | Permuted, InferencePolicy] | None:
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


def read_release_or_baskets(
    source: object,
    *,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    before: Baskets | None = None,
) -> tuple[Baskets, InferencePolicy | None]:
    """The data of a release folder and its policy; or, of anything else that `read_baskets` takes, the data and None.

    What the manifest says about the form of the data counts, unless it is stated otherwise. Nothing is verified here.
    Shuffled records come in the order of `before`, if the folder has its `keep` part, which tells that.
    """
    if not isinstance(source, str | os.PathLike) or not os.path.isdir(source):
        return read_baskets(source, layout=layout, record=record, item=item, delimiter=delimiter, missing=missing), None
    publish = published_part(source)
    try:
        manifest = _basket_manifest(publish)
    except InputError as error:
        hint = "Give the data file itself instead of the folder."
        raise InputError(error.what, where=str(publish / MANIFEST), hint=hint) from None
    own = manifest.form
    form = replace(
        own,
        layout=layout or own.layout,
        record=record or own.record,
        item=item or own.item,
        delimiter=delimiter or own.delimiter,
    )
    baskets = read_like(publish / manifest.file, form)
    if before is not None and manifest.ids == SHUFFLE:
        number = places_before(source, len(baskets), before.ids, len(before))
        baskets = baskets if number is None else reordered(baskets, number)
    policy = house_policy(source, manifest)
    return baskets, policy if isinstance(policy, InferencePolicy) else manifest.policy


def _basket_manifest(publish: Path) -> InferenceManifest:
    manifest = read_manifest(publish)
    if not isinstance(manifest, InferenceManifest):
        raise InputError("this release does not hold baskets", where=str(publish))
    if Path(manifest.file).name != manifest.file:
        raise InputError("the manifest names a data file outside of its folder", where=str(publish))
    return manifest
