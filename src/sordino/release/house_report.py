"""The report for the house, told from the manifest and the history (keep/audit.json) of a release; also again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sordino.errors import InputError
from sordino.policy.kinds import Policy
from sordino.release.public import promise_of
from sordino.report.documents import versions
from sordino.report.page import render
from sordino.verify.keep import house_policy
from sordino.verify.manifest import KEEP, MANIFEST, PUBLISH, Manifest, describe
from sordino.verify.manifest_file import read_manifest
from sordino.words.blocks import Page
from sordino.words.claims import NON_SENSITIVE
from sordino.words.pages import Source, release_page

__all__ = ["HISTORY", "house_page", "house_report", "report_again"]

HISTORY = "audit.json"


def house_report(history: Mapping[str, Any], manifest: Manifest, policy: Policy, hashes: Mapping[str, str]) -> str:
    """The report for the house; the policy as it was written; hashes: name -> sha256 of what is published."""
    return render(_page(history, manifest, policy, hashes))


def _page(history: Mapping[str, Any], manifest: Manifest, policy: Policy, hashes: Mapping[str, str]) -> Page:
    data = history.get("data", {})
    source = Source.of(data.get("file"), data.get("sha256"))
    reach = NON_SENSITIVE if manifest.shape == "permuted" else ""
    return release_page(history, source, policy, promise_of(manifest), hashes, reach=reach, versions=versions())


def report_again(folder: str | os.PathLike[str]) -> str:
    """The report for the house, again, from a release folder."""
    return render(house_page(folder))


def house_page(folder: str | os.PathLike[str]) -> Page:
    """What the report for the house says, from a release folder; for whoever shows it."""
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
    return _page(history, manifest, house_policy(path, manifest), hashes)
