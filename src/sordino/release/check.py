"""Checking a release folder, words included: what the independent verifier (`verify`) finds, and whether the texts are
those that this version writes about such a release.

The texts can only be judged by making them again, so this shares the writer's code; the verifier does not.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sordino.errors import InputError
from sordino.policy.kinds import Policy
from sordino.release import check_page
from sordino.release.public import check_report, promise_of
from sordino.release.readme import readme
from sordino.release.wording import texts_of
from sordino.verify import chain, folder
from sordino.verify.bounded import read_bytes
from sordino.verify.folder import ReleaseVerdict
from sordino.verify.manifest import MANIFEST, README, REPORT, Manifest
from sordino.verify.manifest_file import TEXT, encode
from sordino.version import VERSION

__all__ = ["OurWords", "manifest_bytes", "verify_chain", "verify_folder"]


class OurWords:
    """The texts of this version."""

    version = VERSION

    def check_page(self, publish: Path, version: str) -> str:
        return check_page.check_page(publish, version)

    def check_texts(self, publish: Path, manifest: Manifest, data: Any) -> None:
        if read_bytes(publish / MANIFEST, TEXT) != manifest_bytes(manifest):
            raise InputError(f"{MANIFEST} promises something in other words than follow from its policy")
        if read_bytes(publish / README, TEXT) != readme(manifest).encode("utf-8", "surrogatepass"):
            raise InputError(f"{README} says something else than what follows from the manifest")
        hashes = {name: entry.sha256 for name, entry in manifest.files.items() if name != REPORT}
        check_report(read_bytes(publish / REPORT, TEXT), manifest, texts_of(manifest).seen(data), hashes)


def manifest_bytes(manifest: Manifest) -> bytes:
    """The file of a manifest, with what this version says of such a policy."""
    promise = promise_of(manifest)
    return encode(manifest, promise.guaranteed, promise.not_guaranteed)


def verify_folder(
    where: str | os.PathLike[str], policy: Policy | None = None, original: object = None, **stated: Any
) -> ReleaseVerdict:
    """Whether a release folder is whole, says what is so, and keeps what it promises; see verify/folder.py."""
    return folder.verify_folder(where, OurWords(), policy, original, **stated)


def verify_chain(
    where: str | os.PathLike[str], previous: Sequence[str | os.PathLike[str]], policy: Policy | None = None
) -> ReleaseVerdict:
    """The same for a release together with the earlier ones that it continues, the oldest first."""
    return chain.verify_chain(where, previous, OurWords(), policy)
