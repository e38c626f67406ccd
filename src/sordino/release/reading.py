"""Reading the data of a release folder, in the form that its manifest states."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sordino.data.baskets import Baskets, Int64
from sordino.data.read import read_baskets, read_like
from sordino.errors import InputError, SordinoError
from sordino.policy.file import read_policy
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.release.check import published_part
from sordino.release.manifest import MANIFEST, Manifest, parse
from sordino.release.numbering import SHUFFLE, reordered
from sordino.release.shapes import find_shape
from sordino.release.shapes.inference import InferenceManifest

__all__ = ["house_policy", "places_before", "read_release_or_baskets"]

KEPT, NUMBERS = ("keep", "policy.toml"), ("keep", "records.parquet")


def house_policy(folder: str | os.PathLike[str], manifest: Manifest) -> Policy:
    """The policy of a release as it was written, if the folder has its `keep` part; else as it was published."""
    path = Path(folder).joinpath(*KEPT)
    try:
        policy = read_policy(path, {manifest.policy.kind: type(manifest.policy)})
    except SordinoError:
        return manifest.policy
    return policy if find_shape(manifest.shape).same(policy, manifest.policy) else manifest.policy


def read_release_or_baskets(
    source: object,
    *,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    before: Baskets | None = None,
) -> tuple[Baskets, InferencePolicy | None]:
    """The data of a release folder and its policy; or, of anything else that `read_baskets` takes, the data and None.

    What the manifest says about the form of the data counts, unless it is stated otherwise. Nothing is verified here.
    Shuffled records come in the order of `before`, if the folder has its `keep` part, which tells that.
    """
    if not isinstance(source, str | os.PathLike) or not os.path.isdir(source):
        return read_baskets(source, layout=layout, record=record, item=item, delimiter=delimiter), None
    publish = published_part(source)
    path = publish / MANIFEST
    try:
        manifest = parse(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)) from None
    except InputError as error:
        raise InputError(error.what, where=str(path), hint="Give the data file itself instead of the folder.") from None
    if not isinstance(manifest, InferenceManifest):
        raise InputError("this release does not hold baskets", where=str(publish))
    if Path(manifest.file).name != manifest.file:
        raise InputError("names a data file outside of its folder", where=str(path))
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


def places_before(
    folder: str | os.PathLike[str], published: int, ids: Sequence[str] | None, before: int
) -> Int64 | None:
    """For every published record its place (from 1) among those that the release was made of.

    None if the folder does not have its `keep` part, which tells that, or if that is not about these records.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(Path(folder).joinpath(*NUMBERS))
        numbers, records = (table.column(name).to_pylist() for name in ("published", "record"))
    except (OSError, KeyError, pa.ArrowException):
        return None
    place: dict[object, int] = {name: k for k, name in enumerate(ids or range(before))}
    back = {number: place[record] + 1 for number, record in zip(numbers, records, strict=True) if record in place}
    found = np.array([back.get(k, 0) for k in range(1, published + 1)], dtype=np.int64)
    return found if np.array_equal(np.sort(found), np.arange(1, before + 1)) else None
