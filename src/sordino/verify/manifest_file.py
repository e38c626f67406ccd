"""manifest.json: what lies in a published folder, under which policy it is safe, and what is promised.

    {"format": "sordino-release/1", "sordino": "0.1.0", "method": "mine", "records": 5000,
     <entries of the shape, such as "ids", "data": {"file": "data.csv", ..}, "policy": {"kind": "inference", ..}>,
     "guaranteed": [..], "not_guaranteed": [..],
     "files": {"README.txt": {"bytes": 1, "sha256": ".."}, ..}, "sha256": ".."}

The last entry is the sha256 of the manifest without it, so that damage to the manifest shows as well. There is no time
and no place in it: the same release has the same bytes. Nothing in it follows from what was suppressed, not even
whether anything was. The shape is that of the policy's kind, unless an entry "shape" names another.

There is no room for anything else. What is read from a manifest, written again, must give the same entries: an entry
too many, or a value in another form, is refused. The sentences under "guaranteed" and "not_guaranteed" follow from the
policy; whoever words them (`release`) compares them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sordino.errors import InputError, PolicyError
from sordino.verify.bounded import read_bytes, readable_json, strict_json
from sordino.verify.manifest import MANIFEST, FileEntry, Manifest, whole_number, whole_text
from sordino.verify.shapes import find_shape

__all__ = ["FORMAT", "TEXT", "WORDS", "encode", "parse", "read_manifest", "sealed"]

FORMAT = "sordino-release/1"
TEXT = 1 << 28  # bytes of a file that is text for people, or the manifest
WORDS = ("guaranteed", "not_guaranteed")
METHOD, NUMBER = re.compile(r"[a-z][a-z0-9_-]{0,39}"), re.compile(r"[0-9][0-9a-z.+-]{0,39}")


def encode(manifest: Manifest, guaranteed: Sequence[str] = (), not_guaranteed: Sequence[str] = ()) -> bytes:
    """The manifest as the bytes of its file."""
    return sealed(
        {
            "format": FORMAT,
            "sordino": manifest.version,
            **({} if manifest.shape == manifest.policy.kind else {"shape": manifest.shape}),
            "method": manifest.method,
            "records": manifest.records,
            **manifest.document(),
            "guaranteed": list(guaranteed),
            "not_guaranteed": list(not_guaranteed),
            "files": {
                name: {"bytes": entry.bytes, "sha256": entry.sha256} for name, entry in sorted(manifest.files.items())
            },
        }
    )


def parse(content: bytes) -> Manifest:
    """What the bytes of a manifest say; an InputError if they are not a whole and undamaged manifest, or say more."""
    document = strict_json(content, MANIFEST)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{MANIFEST} is not of the format {FORMAT}")
    unsealed = {key: value for key, value in document.items() if key != "sha256"}
    if sealed(unsealed) != content:
        raise InputError(f"{MANIFEST} was changed: its own checksum does not fit")
    try:
        manifest = from_document(unsealed)
        again = json.loads(encode(manifest))
    except PolicyError as error:
        raise InputError(f"the policy in {MANIFEST} cannot be accepted: {error.problems[0]}") from None
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise InputError(f"{MANIFEST} is malformed") from None
    if not all(_is_text(unsealed.get(key)) for key in WORDS) or _bare(again) != _bare(document):
        raise InputError(f"{MANIFEST} is malformed: it says something that has no place in it")
    return manifest


def read_manifest(publish: Path) -> Manifest:
    """The manifest of a published folder."""
    path = publish / MANIFEST
    if not path.is_file():
        raise InputError(f"{MANIFEST} is missing")
    return parse(read_bytes(path, TEXT))


def sealed(document: Mapping[str, Any]) -> bytes:
    """The bytes of a manifest of these entries, with the checksum of them as its last."""
    return readable_json({**document, "sha256": hashlib.sha256(readable_json(document)).hexdigest()})


def from_document(document: Mapping[str, Any]) -> Manifest:
    """The manifest of these entries, whether anything else is among them or not."""
    files = document["files"].items()
    method, version = whole_text(document["method"]), whole_text(document["sordino"])
    if not METHOD.fullmatch(method) or not NUMBER.fullmatch(version):
        raise ValueError
    common = {
        "method": method,
        "records": whole_number(document["records"]),
        "file": whole_text(document["data"]["file"]),
        "files": {whole_text(n): FileEntry(whole_number(e["bytes"]), whole_text(e["sha256"])) for n, e in files},
        "version": version,
    }
    return find_shape(whole_text(document.get("shape", document["policy"]["kind"]))).read(document, common)


def _is_text(sentences: object) -> bool:
    return isinstance(sentences, list) and all(isinstance(sentence, str) for sentence in sentences)


def _bare(document: Mapping[str, Any]) -> bytes:
    """The document without its sentences and its checksum."""
    return readable_json({key: value for key, value in document.items() if key not in (*WORDS, "sha256")})
