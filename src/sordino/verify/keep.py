"""Which published record is whose: keep/records.parquet leads back from the numbers of a release to its source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from sordino.data.aligned import in_random_order
from sordino.data.baskets import Baskets
from sordino.errors import InputError
from sordino.release.numbering import reordered

__all__ = ["as_in_source", "beside_original"]

NUMBERS = ("keep", "records.parquet")


def as_in_source(publish: Path, published: Baskets, ids: str) -> Baskets | None:
    """The published records under the names, or at the positions, that they have in the source; None if untold.

    `ids` is what the release says became of them. An InputError if the file that leads back is about something else.
    """
    if ids == "keep" or (ids == "renumber" and published.ids is None):
        return published
    path = publish.parent.joinpath(*NUMBERS)
    if not path.is_file():
        return None
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(path)
        numbers, names = (table.column(name).to_pylist() for name in ("published", "record"))
    except (OSError, KeyError, pa.ArrowException):
        raise InputError("cannot be read", where=str(path)) from None
    count = len(published)
    if numbers == list(range(1, count + 1)):
        if all(isinstance(name, str) for name in names):
            return replace(published, ids=tuple(names))
        if all(isinstance(name, int) for name in names) and sorted(names) == list(range(count)):
            number = np.empty(count, dtype=np.int64)  # of every published record in the source, from 1
            number[:] = np.array(names, dtype=np.int64) + 1
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
