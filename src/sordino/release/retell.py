"""The reports of a release, told from its manifest and its history (keep/audit.json); also again, from its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sordino.errors import InputError
from sordino.policy.kinds import Policy
from sordino.release.check import PUBLISH, read_manifest
from sordino.release.manifest import MANIFEST, Manifest, describe
from sordino.release.reading import house_policy
from sordino.release.shapes import find_shape
from sordino.report.documents import Promise, Seen, Source, release_report, shareable_report
from sordino.words.claims import NON_SENSITIVE

__all__ = ["HISTORY", "house_report", "public_report", "retell"]

HISTORY = "audit.json"
KEEP = "keep"


def house_report(history: Mapping[str, Any], manifest: Manifest, policy: Policy, hashes: Mapping[str, str]) -> str:
    """The report for the house; the policy as it was written; hashes: name -> sha256 of what is published."""
    data = history.get("data", {})
    source = Source.of(data.get("file"), data.get("sha256"))
    reach = NON_SENSITIVE if manifest.shape == "permuted" else ""
    return release_report(history, source, policy, _promise(manifest), hashes, reach=reach)


def public_report(manifest: Manifest, seen: Seen, hashes: Mapping[str, str]) -> str:
    """The report for everybody; hashes: name -> sha256 of the files beside it."""
    about = find_shape(manifest.shape).about(manifest)
    made = {"method": manifest.method, "sordino": manifest.version}
    return shareable_report(manifest.file, about, seen, _promise(manifest), made, hashes)


def retell(folder: str | os.PathLike[str]) -> str:
    """The report for the house, again, from a release folder."""
    path = Path(folder)
    try:
        history = json.loads((path / KEEP / HISTORY).read_bytes())
    except (OSError, ValueError):
        raise InputError(
            f"there is no {KEEP}/{HISTORY} to tell from", where=str(path), hint="Give the whole release folder."
        ) from None
    manifest = read_manifest(path / PUBLISH)
    hashes = {name: entry.sha256 for name, entry in manifest.files.items()}
    hashes[MANIFEST] = describe((path / PUBLISH / MANIFEST).read_bytes()).sha256
    return house_report(history, manifest, house_policy(path, manifest), hashes)


def _promise(manifest: Manifest) -> Promise:
    shape = find_shape(manifest.shape)
    return Promise(shape.guaranteed(manifest.policy), shape.not_guaranteed(manifest.policy))
