"""check.html: the page by which a release is checked in a browser, without installing anything.

It is the same in every release of a version, or a publisher could tailor it; so the verifier takes no other. It is made
by scripts/check_page.py from web/check, in code that shares nothing with this program.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from sordino.errors import InputError
from sordino.verify.bounded import digest
from sordino.verify.manifest import PAGE
from sordino.version import VERSION

__all__ = ["KNOWN", "check_page", "page_bytes"]

# The sha256 of the page of every version.
KNOWN: Mapping[str, str] = {
    "0.1.0": "7a344849a379021c10ce91f6c9e6698669368e97d65ff05c8a15d8bc31ddc369",
}


def page_bytes() -> bytes:
    """The page of this version."""
    return files("sordino.release").joinpath(PAGE).read_bytes()


def check_page(publish: Path, version: str) -> str:
    """What stays open about the page in a folder that this version made, or nothing.

    An InputError unless it is the page of a version that is known; of others nothing can be said.
    """
    path = publish / PAGE
    if digest(path, path.stat().st_size) in KNOWN.values():
        return ""
    if version not in KNOWN:
        return f"{PAGE} is that of sordino {version}, which sordino {VERSION} does not know"
    raise InputError(f"{PAGE} is not the page that sordino {version} publishes")
