"""Reading the data of a release folder, in the form that its manifest states."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets, read_like
from sordino.errors import InputError, SordinoError
from sordino.policy.file import read_policy
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.release.check import published_part
from sordino.release.manifest import MANIFEST, Manifest, parse
from sordino.release.numbering import reordered
from sordino.release.shapes import find_shape
from sordino.release.shapes.inference import InferenceManifest

__all__ = ["house_policy", "read_release_or_baskets"]

KEPT, NUMBERS = ("keep", "policy.toml"), ("keep", "records.parquet")


def house_policy(folder: str | os.PathLike[str], manifest: Manifest) -> Policy:
    """The policy of a release as it was written, if the folder has its `keep` part; else as it was published."""
    path = Path(folder).joinpath(*KEPT)
    try:
        policy = read_policy(path)
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
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
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
    if before is not None and manifest.ids == "shuffle":
        baskets = _in_order_of(before, baskets, Path(source).joinpath(*NUMBERS))
    policy = house_policy(source, manifest)
    return baskets, policy if isinstance(policy, InferencePolicy) else manifest.policy


def _in_order_of(before: Baskets, shuffled: Baskets, path: Path) -> Baskets:
    """The records in the order of `before`; as they are, if the file does not lead back to all of that."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
        published, records = (table.column(name).to_pylist() for name in ("published", "record"))
    except (OSError, KeyError, pa.ArrowException):
        return shuffled
    place = {name: k for k, name in enumerate(before.ids or range(len(before)))}
    back = {number: place[record] + 1 for number, record in zip(published, records, strict=True) if record in place}
    number = [back.get(k, 0) for k in range(1, len(shuffled) + 1)]
    whole = sorted(number) == list(range(1, len(before) + 1))
    return reordered(shuffled, np.array(number, dtype=np.int64)) if whole else shuffled
