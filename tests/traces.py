"""What the tests of traces share: all that a release publishes, and what differs of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from sordino.protect.registry import METHODS, methods_for

SEED = 20_140_611  # of every run here; no published byte may show it
IDS = ("keep", "renumber", "shuffle")
SUPPRESSORS = [name for name in methods_for("inference") if METHODS[name].form == "suppress"]
Records = list[list[str]]


def published(release: Any, folder: Path) -> dict[str, bytes]:
    """All published files, by name; compressed ones as they are."""
    out = release.write(folder)
    files = {path.name: path.read_bytes() for path in (out / "publish").iterdir()}
    for name, content in files.items():
        assert str(SEED).encode() not in plain(name, content), name
    history = json.loads((out / "keep" / "audit.json").read_bytes())
    assert history["seed"] == SEED
    return files


def plain(name: str, content: bytes) -> bytes:
    return gzip.decompress(content) if name.endswith(".gz") else content


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
