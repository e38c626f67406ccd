"""A dishonest publisher's tools: edit a published folder, and make all checksums and all words fit again."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import forging

__all__ = ["copied", "manifest_of", "read_json", "reseal", "sealed_proof", "write_json"]

MANIFEST = "manifest.json"


def copied(folder: Path, name: str) -> Path:
    """A copy of a release beside it, whatever was there before; returns its published part."""
    target = folder.with_name(name)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target / "publish"


def manifest_of(publish: Path) -> dict[str, Any]:
    """The manifest as plain data."""
    content: dict[str, Any] = json.loads((publish / MANIFEST).read_bytes())
    return content


def reseal(publish: Path, manifest: Mapping[str, Any] | None = None) -> None:
    """Write the manifest (as it is, or as stated), README and report so that all fit the files that lie there now."""

    def stated(document: dict[str, Any]) -> None:
        if manifest is not None:
            document.clear()
            document.update(manifest)

    forging.reseal(publish, stated)


def read_json(path: Path) -> Any:
    """The content of a JSON file, gzipped or not."""
    raw = path.read_bytes()
    return json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)


def write_json(path: Path, content: Any) -> None:
    """The same the other way."""
    path.write_bytes(forging.as_written(content, path.name))


def sealed_proof(proof: Mapping[str, Any]) -> dict[str, Any]:
    """The proof with the checksum that fits it."""
    rest = {key: value for key, value in proof.items() if key != "sha256"}
    text = json.dumps(rest, separators=(",", ":"))
    return {**rest, "sha256": hashlib.sha256(text.encode()).hexdigest()}
