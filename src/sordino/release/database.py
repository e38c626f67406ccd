"""A release that lies in its folder, put into a database: the same data, with what is guaranteed as a comment.

The folder was audited and verified before it appeared, so what is put there is what was verified: it is read from the
folder again, and compared with what the database holds before the transaction is closed.
"""

from __future__ import annotations

import os

from sordino.data.databases.address import Address, spelled
from sordino.data.databases.put import OURS, NewTable, check_place, named, put_tables
from sordino.errors import InputError
from sordino.release.public import promise_of
from sordino.verify.folder import published_part
from sordino.verify.manifest_file import read_manifest
from sordino.verify.table_copy import IN_GROUPS, PublishedTable, manifest_hash, published_tables

__all__ = ["check_target_table", "put_release"]


def check_target_table(target: Address, *, force: bool, source: Address | None = None, form: str = "suppress") -> None:
    """InputError, before any work, if the release could not be put there; `form`: what the method makes of data."""
    if form in ("generalize", "permute"):
        raise InputError(IN_GROUPS, where=target.where, hint="Leave --to out, or choose a method that deletes: mine.")
    check_place(target, force=force, source=source)


def put_release(folder: str | os.PathLike[str], target: Address, *, force: bool = False) -> tuple[str, ...]:
    """Put the published data of a folder into the database, all in one transaction; the names of the tables."""
    publish = published_part(folder)
    manifest = read_manifest(publish)
    promise = promise_of(manifest).guaranteed[0].replace("this file", "this table")
    comment = (
        f"{OURS} {manifest.version}. {promise} This is {manifest.file} of the release whose manifest.json has the "
        f"sha256 {manifest_hash(publish)}; its README.txt says what is guaranteed, and what is not."
    )
    tables = published_tables(publish, manifest, target.system)
    put_tables(
        target,
        [NewTable(table.rows, comment, table.added, table.key, _about(table, manifest)) for table in tables],
        force=force,
    )
    return tuple(spelled(named(target, table.added)) for table in tables)


def _about(table: PublishedTable, manifest: object) -> dict[str, str]:
    """What the columns of baskets hold."""
    if table.record is None or table.item is None:
        return {}
    kept = getattr(manifest, "ids", None) == "keep"
    whose = "The id of the record in the source." if kept else "A new number for the record, no id of the source."
    return {table.record: whose, table.item: "What the person has, as far as it is published; null: nothing."}
