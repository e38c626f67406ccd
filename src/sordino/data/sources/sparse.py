"""Sparse matrices in SciPy's form: rows are records, columns are items, and what is not zero is present."""

from __future__ import annotations

from typing import Any

import numpy as np

from sordino.data.baskets import Origin
from sordino.data.sources.coded import INTEGER, Coded, Values
from sordino.errors import InputError

__all__ = ["is_sparse", "read_sparse"]


def is_sparse(source: object) -> bool:
    """Whether the object is a sparse matrix, without importing SciPy to ask."""
    return hasattr(source, "tocsr")


def read_sparse(source: Any) -> tuple[Coded, Origin]:
    """Records of a sparse matrix; items are named by their column number, from 0."""
    if len(source.shape) != 2:
        raise InputError("a sparse matrix needs two dimensions: records and items")
    matrix = source.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # never change the caller's matrix
        matrix.sum_duplicates()
    if np.issubdtype(matrix.data.dtype, np.floating) and np.isnan(matrix.data).any():
        raise InputError("the matrix holds NaN: neither present nor absent", hint="Put 0 where there is no item.")
    present = matrix.data != 0
    records = int(matrix.shape[0])
    owner = np.repeat(np.arange(records, dtype=np.int64), np.diff(matrix.indptr))[present]
    columns, codes = np.unique(matrix.indices[present], return_inverse=True)
    items = Values(codes.astype(np.int64), [str(column) for column in columns.tolist()], INTEGER)
    return Coded(owner, items, records), Origin(item_type=INTEGER)
