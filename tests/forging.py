"""A dishonest publisher: changes what he likes in a release, and makes every checksum and every text fit again.

He has sordino itself to write with; whether he got away with something is judged by others.
"""

from __future__ import annotations

import contextlib
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sordino.data.read_table import read_table
from sordino.errors import SordinoError
from sordino.release import manifest as manifests
from sordino.release.basket_seen import seen_of
from sordino.release.manifest import MANIFEST, README, REPORT, Manifest, describe, encode
from sordino.release.public import public_report
from sordino.release.readme import readme
from sordino.release.shapes.diversity import DiversityManifest
from sordino.release.shapes.inference import InferenceManifest, read_data
from sordino.release.shapes.template import TemplateManifest
from sordino.release.table_seen import grouped_seen, seen_in_table
from sordino.report.documents import Seen

Change = Callable[[dict[str, Any]], object]


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=6, mtime=0)


def as_written(content: Any, name: str) -> bytes:
    """JSON for a file of this name, just as sordino would write it: he is careful not to be seen by that."""
    if name.endswith(".gz"):
        compact = json.dumps(content, separators=(",", ":"), ensure_ascii=name.startswith("proof"))
        return gzipped(compact.encode("utf-8", "surrogatepass"))
    indent = 1 if name == "hierarchy.json" else 2
    return (json.dumps(content, indent=indent, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def sealed(document: dict[str, Any]) -> bytes:
    """The manifest with a checksum of its own that fits."""
    return manifests._sealed({key: value for key, value in document.items() if key != "sha256"})


def reseal(publish: Path, change: Change | None = None, *, words: bool = True) -> None:
    """Make the manifest, and with `words` also README and report, fit the files that lie there.

    `change` changes the entries of the manifest before.
    """
    path = publish / MANIFEST
    document = json.loads(path.read_bytes())
    if change is not None:
        change(document)
    names = [name for name in document.get("files", {}) if (publish / name).is_file()]
    _list(document, publish, names)
    if words:
        with contextlib.suppress(
            SordinoError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError, OSError
        ):
            manifest = manifests._manifest(document)
            (publish / README).write_bytes(readme(manifest).encode("utf-8", "surrogatepass"))
            entries = {name: describe((publish / name).read_bytes()) for name in names if name != REPORT}
            hashes = {name: entry.sha256 for name, entry in entries.items()}
            page = public_report(manifest, _seen(publish, manifest), hashes)
            (publish / REPORT).write_bytes(page.encode("utf-8", "surrogatepass"))
            again = json.loads(encode(replace(manifest, files=entries)))
            document.update({key: again[key] for key in manifests.WORDS})
        _list(document, publish, names)
    path.write_bytes(sealed(document))


def _list(document: dict[str, Any], publish: Path, names: list[str]) -> None:
    entries = {name: describe((publish / name).read_bytes()) for name in sorted(names)}
    document["files"] = {name: {"bytes": entry.bytes, "sha256": entry.sha256} for name, entry in entries.items()}


def _seen(publish: Path, manifest: Manifest) -> Seen:
    if isinstance(manifest, InferenceManifest):
        return seen_of(read_data(publish, manifest))
    if isinstance(manifest, DiversityManifest):
        return grouped_seen(manifest.records, manifest.groups, manifest.matching)
    assert isinstance(manifest, TemplateManifest)
    table = read_table(
        publish / manifest.file,
        delimiter=manifest.delimiter if manifest.format == "csv" else None,
        missing=manifest.missing,
        kinds=manifest.kinds or None,
    )
    return seen_in_table(table, manifest.policy.symbol)
