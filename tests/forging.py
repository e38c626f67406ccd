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

from sordino.errors import SordinoError
from sordino.release.check import manifest_bytes
from sordino.release.public import public_report
from sordino.release.readme import readme
from sordino.release.wording import texts_of
from sordino.report.documents import Seen
from sordino.verify.manifest import MANIFEST, README, REPORT, Manifest, describe
from sordino.verify.manifest_file import WORDS, from_document
from sordino.verify.manifest_file import sealed as seal
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.shapes.template import TemplateManifest

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
    return seal({key: value for key, value in document.items() if key != "sha256"})


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
            manifest = from_document(document)
            (publish / README).write_bytes(readme(manifest).encode("utf-8", "surrogatepass"))
            entries = {name: describe((publish / name).read_bytes()) for name in names if name != REPORT}
            hashes = {name: entry.sha256 for name, entry in entries.items()}
            page = public_report(manifest, _seen(publish, manifest), hashes)
            (publish / REPORT).write_bytes(page.encode("utf-8", "surrogatepass"))
            again = json.loads(manifest_bytes(replace(manifest, files=entries)))
            document.update({key: again[key] for key in WORDS})
        _list(document, publish, names)
    path.write_bytes(sealed(document))


def _list(document: dict[str, Any], publish: Path, names: list[str]) -> None:
    entries = {name: describe((publish / name).read_bytes()) for name in sorted(names)}
    document["files"] = {name: {"bytes": entry.bytes, "sha256": entry.sha256} for name, entry in entries.items()}


def _seen(publish: Path, manifest: Manifest) -> Seen:
    data: Any = None
    if isinstance(manifest, InferenceManifest):
        data = manifest.read_data(publish)
    elif isinstance(manifest, TemplateManifest):
        data = manifest.read_data(publish, manifest.missing, manifest.kinds)
    return texts_of(manifest).seen(data)
