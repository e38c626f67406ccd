"""What a verb is about: data that were read once, and all that belongs to them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sordino.data.codebook import CodeBook
from sordino.data.sources.parts import is_parts

__all__ = ["Source", "is_folder"]


@dataclass(frozen=True, eq=False)
class Source:
    """Data of some kind; or, in `folder`, the release folder that they were read from.

    form: how data lie in a file, for what is compared with these; original: the data before protection; choices: what
    people chose; previous: earlier releases of the same people; own: the policy of a release folder; labels: what
    codes mean. What a kind has no use for stays empty.
    """

    data: Any
    form: Mapping[str, Any] = field(default_factory=dict)
    original: Any = None
    choices: Any = None
    previous: tuple[Any, ...] = ()
    folder: str | None = None
    own: Any = None
    labels: CodeBook | None = None
    parts: int | None = None  # in how many groups to audit; None: as is usual
    terms: dict[tuple[int, str], Any] = field(default_factory=dict, repr=False)  # policies resolved against the data


def is_folder(data: object) -> bool:
    """Whether this is the path of a folder that is, or may be, a release: not one of Parquet files."""
    return isinstance(data, str | os.PathLike) and Path(data).is_dir() and not is_parts(data)
