"""The published data as tables of a database, and whether the tables there are these.

Baskets become rows (record, item), or rows with an array where they are published as lists; a table stays one. A copy
is the published data if it has the same rows, in whatever order, if the database still keeps the rows of baskets apart,
and if its comment names this release by the sha256 of its manifest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sordino.data.baskets import Baskets, Origin
from sordino.data.databases.address import Address, spelled
from sordino.data.databases.put import OURS, comment_of, is_keyed, named
from sordino.data.databases.read import found_in_database
from sordino.data.databases.storable import difference, storable
from sordino.data.read_table import read_table
from sordino.data.write import arrow_rows
from sordino.data.write_table import arrow_cells
from sordino.errors import InputError
from sordino.verify.manifest import MANIFEST, Manifest
from sordino.verify.shapes.diversity import DiversityManifest
from sordino.verify.shapes.generalized import GeneralizedManifest
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.shapes.permuted import PermutedManifest
from sordino.verify.shapes.template import TemplateManifest

__all__ = ["IN_GROUPS", "PublishedTable", "check_copy", "manifest_hash", "published_tables"]

VALUES = "_values"  # added to the name of the table that says which values each group holds
IN_GROUPS = "a release in groups is more than one table can hold: beside its data lie groups and what they stand for"
HASH = re.compile(r"sha256 ([0-9a-f]{64})")


@dataclass(frozen=True)
class PublishedTable:
    """One table: its rows, what its name has besides the one stated, and the columns that tell its rows apart."""

    rows: Any
    added: str = ""
    key: tuple[str, ...] = ()
    record: str | None = None  # the column that tells the records apart, of baskets
    item: str | None = None


def published_tables(publish: Path, manifest: Manifest, system: str) -> tuple[PublishedTable, ...]:
    """The data of a release as tables that such a database can hold; InputError if it cannot."""
    if isinstance(manifest, GeneralizedManifest | PermutedManifest):
        raise InputError(IN_GROUPS, where=str(publish), hint="Hand on the folder.")
    if isinstance(manifest, InferenceManifest):
        return (_basket_table(manifest.read_data(publish), manifest.form, system),)
    if isinstance(manifest, TemplateManifest):
        table = manifest.read_data(publish, manifest.missing, manifest.kinds)
        return (PublishedTable(arrow_cells(table)),)
    if isinstance(manifest, DiversityManifest):
        files = [(manifest.file, "")] + ([] if manifest.values is None else [(manifest.values, VALUES)])
        delimiter = manifest.delimiter if manifest.file.removesuffix(".gz").endswith(".csv") else None
        return tuple(
            PublishedTable(arrow_cells(read_table(publish / name, delimiter=delimiter, missing=manifest.missing)), more)
            for name, more in files
        )
    raise InputError(f"a release of the shape '{manifest.shape}' cannot be put into a database", where=str(publish))


def _basket_table(baskets: Baskets, form: Origin, system: str) -> PublishedTable:
    """Rows of records and items; with an array of items where the release has lists, and the database arrays.

    Records without ids are numbered, in the order of the file.
    """
    lists = form.layout == "list" and system != "sqlite"
    item = form.item or ("items" if lists else "item")
    record = form.record or ("record" if item != "record" else "number")
    numbered = baskets.ids is None or all(len(text) < 19 and re.fullmatch(r"0|[1-9]\d*", text) for text in baskets.ids)
    own = replace(
        baskets.origin,
        layout="list" if lists else "long",
        record=record,
        item=item,
        record_type="integer" if numbered else "text",
    )
    unique = baskets.ids is None or len(set(baskets.ids)) == len(baskets.ids)
    key = ((record,) if lists else (record, item)) if unique else ()
    return PublishedTable(arrow_rows(baskets, own), key=key, record=record, item=item)


def manifest_hash(publish: Path) -> str:
    """The sha256 of the manifest, which names the release."""
    return hashlib.sha256((publish / MANIFEST).read_bytes()).hexdigest()


def check_copy(publish: Path, manifest: Manifest, target: Address) -> str | None:
    """Why the tables there are not the published data of this release; None if they are."""
    tables: Sequence[PublishedTable] = published_tables(publish, manifest, target.system)
    for table in tables:
        parts = named(target, table.added)
        whole = spelled(parts)
        found, _ = found_in_database(replace(target, table=whole))
        different = difference(storable(table.rows, target.system, target.where), found)
        if different is not None:
            return f"the table '{whole}' is not what is published: {different}"
        if table.key and not is_keyed(target, table.key, table.added):
            return (
                f"the table '{whole}' holds the published data, but its key ({', '.join(table.key)}) is gone: nothing "
                "keeps a row from being there twice"
            )
        comment = comment_of(target, table.added) or ""
        said = HASH.search(comment)
        if not comment.startswith(OURS) or said is None:
            return f"the table '{whole}' holds the published data, but its comment does not say of which release it is"
        if said[1] != manifest_hash(publish):
            return f"the table '{whole}' holds the same data, but its comment names another release"
    return None
