"""A folder for uploads that only its owner can read, and that is gone at the end, however the end comes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sordino.data.private import PrivateFolder

__all__ = ["private_folder"]


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder (mode 700); what libraries put into temporary files meanwhile goes there, too."""
    folder = PrivateFolder("sordino-studio-")
    usual = tempfile.tempdir
    tempfile.tempdir = str(folder.path)
    try:
        yield folder.path
    finally:
        tempfile.tempdir = usual
        folder.remove()
