"""labels = "codes.csv" in a policy.toml: the code book by which pages name codes.

Names are no part of what a policy demands: two policies that differ in them are equal, and what is published of a
policy never has them. So they are carried beside it, until the data are read.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from sordino.data.codebook import CodeBook, read_codebook
from sordino.errors import InputError

__all__ = ["labels_of", "stated_labels", "with_labels"]

P = TypeVar("P")
WRONG = 'labels must be the name of a file: labels = "codes.csv"; of a table also { COLUMN = "codes.csv" }'


def stated_labels(content: Mapping[str, Any], path: Path, problems: list[str]) -> CodeBook | None:
    """The code book that the content of a policy file names, beside the file; adds to the problems."""
    stated = content.get("labels")
    if stated is None:
        return None
    by_column = isinstance(stated, dict) and stated and all(isinstance(v, str) and v for v in stated.values())
    if not by_column and not (isinstance(stated, str) and stated):
        problems.append(WRONG)
        return None
    beside = path.parent
    try:
        return read_codebook({c: beside / f for c, f in stated.items()} if by_column else beside / stated)
    except InputError as error:
        problems.append(str(error))
        return None


def with_labels(policy: P, book: CodeBook | None) -> P:
    """The policy with its code book."""
    if book is None:
        return policy
    labelled = copy.copy(policy)
    object.__setattr__(labelled, "labels", book)
    return labelled


def labels_of(policy: object) -> CodeBook | None:
    """The code book of a policy that was read from a file; None if it has none."""
    return getattr(policy, "labels", None)
