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
policy, and `in_our_words` tells whether they are the ones that this version writes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sordino.errors import InputError, PolicyError
from sordino.policy.kinds import Policy
from sordino.release.bounded import strict_json
from sordino.version import VERSION

__all__ = [
    "FORMAT",
    "MANIFEST",
    "README",
    "REPORT",
    "FileEntry",
    "Manifest",
    "describe",
    "encode",
    "in_our_words",
    "parse",
    "whole_number",
    "whole_text",
]

FORMAT = "sordino-release/1"
MANIFEST, README, REPORT = "manifest.json", "README.txt", "report.html"
WORDS = ("guaranteed", "not_guaranteed")
METHOD, NUMBER = re.compile(r"[a-z][a-z0-9_-]{0,39}"), re.compile(r"[0-9][0-9a-z.+-]{0,39}")


@dataclass(frozen=True)
class FileEntry:
    """Size and sha256 of a published file."""

    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What every manifest says, as far as it matters for checking. Shapes add fields of their own."""

    shape: ClassVar[str]

    method: str
    records: int
    file: str  # the name of the data file
    policy: Policy
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    version: str = VERSION


def describe(content: bytes) -> FileEntry:
    """The entry for a file of this content."""
    return FileEntry(len(content), hashlib.sha256(content).hexdigest())


def encode(manifest: Manifest) -> bytes:
    """The manifest as the bytes of its file."""
    from sordino.release.shapes import find_shape

    shape = find_shape(manifest.shape)
    document: dict[str, Any] = {
        "format": FORMAT,
        "sordino": manifest.version,
        **({} if manifest.shape == manifest.policy.kind else {"shape": manifest.shape}),
        "method": manifest.method,
        "records": manifest.records,
        **shape.document(manifest),
        "guaranteed": list(shape.guaranteed(manifest.policy)),
        "not_guaranteed": list(shape.not_guaranteed(manifest.policy)),
        "files": {
            name: {"bytes": entry.bytes, "sha256": entry.sha256} for name, entry in sorted(manifest.files.items())
        },
    }
    return _sealed(document)


def parse(content: bytes) -> Manifest:
    """What the bytes of a manifest say; an InputError if they are not a whole and undamaged manifest, or say more."""
    document = strict_json(content, MANIFEST)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{MANIFEST} is not of the format {FORMAT}")
    unsealed = {key: value for key, value in document.items() if key != "sha256"}
    if _sealed(unsealed) != content:
        raise InputError(f"{MANIFEST} was changed: its own checksum does not fit")
    try:
        manifest = _manifest(unsealed)
        again = json.loads(encode(manifest))
    except PolicyError as error:
        raise InputError(f"the policy in {MANIFEST} cannot be accepted: {error.problems[0]}") from None
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise InputError(f"{MANIFEST} is malformed") from None
    if not all(_is_text(unsealed.get(key)) for key in WORDS) or _bare(again) != _bare(document):
        raise InputError(f"{MANIFEST} is malformed: it says something that has no place in it")
    return manifest


def in_our_words(manifest: Manifest, content: bytes) -> bool:
    """Whether the bytes say of the release what this version says of such a policy, word for word."""
    return encode(manifest) == content


def whole_text(value: object) -> str:
    """The value if it is a text; a TypeError otherwise."""
    if not isinstance(value, str):
        raise TypeError
    return value


def whole_number(value: object) -> int:
    """The value if it is a whole number, 0 or more; a TypeError otherwise."""
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def _is_text(sentences: object) -> bool:
    return isinstance(sentences, list) and all(isinstance(sentence, str) for sentence in sentences)


def _bare(document: Mapping[str, Any]) -> bytes:
    """The document without its sentences and its checksum."""
    return _dump({key: value for key, value in document.items() if key not in (*WORDS, "sha256")})


def _sealed(document: Mapping[str, Any]) -> bytes:
    bare = _dump(document)
    return _dump({**document, "sha256": hashlib.sha256(bare).hexdigest()})


def _dump(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def _manifest(document: Mapping[str, Any]) -> Manifest:
    from sordino.release.shapes import find_shape

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
