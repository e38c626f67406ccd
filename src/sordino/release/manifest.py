"""manifest.json: what lies in a published folder, under which policy it is safe, and what is promised.

    {"format": "sordino-release/1", "sordino": "0.1.0", "method": "mine", "records": 5000, "ids": "renumber",
     "data": {"file": "data.csv", "format": "csv", "layout": "baskets", "record": null, "item": null},
     "policy": {"kind": "inference", "sensitive": [..], "rho": "0.5", "per_item": {}, "adaptive": false,
                "knowledge": null},
     "thresholds": null, "guaranteed": [..], "not_guaranteed": [..],
     "files": {"README.txt": {"bytes": 1, "sha256": ".."}, ..}, "sha256": ".."}

`thresholds` lists what an adaptive policy comes to on the published data, which anyone can compute from them. The last
entry is the sha256 of the manifest without it, so that damage to the manifest shows as well. There is no time and no
place in it: the same release has the same bytes. Nothing in it follows from what was suppressed, not even whether
anything was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sordino.data.baskets import Origin
from sordino.errors import InputError, PolicyError
from sordino.policy.inference import InferencePolicy
from sordino.policy.threshold import show_rational
from sordino.release.statement import guaranteed, not_guaranteed
from sordino.version import VERSION

__all__ = ["FORMAT", "MANIFEST", "PROOF", "README", "FileEntry", "Manifest", "describe", "encode", "parse"]

FORMAT = "sordino-release/1"
MANIFEST, PROOF, README = "manifest.json", "proof.json.gz", "README.txt"


@dataclass(frozen=True)
class FileEntry:
    """Size and sha256 of a published file."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a manifest says, as far as it matters for checking."""

    method: str
    records: int
    ids: str
    file: str  # the name of the data file
    form: Origin  # how to read it
    policy: InferencePolicy
    thresholds: Mapping[str, Fraction] | None  # of an adaptive policy, on the published data
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    version: str = VERSION


def describe(content: bytes) -> FileEntry:
    """The entry for a file of this content."""
    return FileEntry(len(content), hashlib.sha256(content).hexdigest())


def encode(manifest: Manifest) -> bytes:
    """The manifest as the bytes of its file."""
    form = manifest.form
    document: dict[str, Any] = {
        "format": FORMAT,
        "sordino": manifest.version,
        "method": manifest.method,
        "records": manifest.records,
        "ids": manifest.ids,
        "data": {
            "file": manifest.file,
            "format": form.format,
            "layout": form.layout,
            "record": form.record,
            "item": form.item,
        },
        "policy": _policy_statement(manifest.policy),
        "thresholds": None
        if manifest.thresholds is None
        else {name: show_rational(rho) for name, rho in sorted(manifest.thresholds.items())},
        "guaranteed": list(guaranteed(manifest.policy)),
        "not_guaranteed": list(not_guaranteed(manifest.policy)),
        "files": {
            name: {"bytes": entry.bytes, "sha256": entry.sha256} for name, entry in sorted(manifest.files.items())
        },
    }
    return _sealed(document)


def parse(content: bytes) -> Manifest:
    """What the bytes of a manifest say; an InputError if they are not a whole and undamaged manifest."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise InputError(f"{MANIFEST} is not valid JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{MANIFEST} is not of the format {FORMAT}")
    unsealed = {key: value for key, value in document.items() if key != "sha256"}
    if _sealed(unsealed) != content:
        raise InputError(f"{MANIFEST} was changed: its own checksum does not fit")
    try:
        return _manifest(unsealed)
    except PolicyError as error:
        raise InputError(f"the policy in {MANIFEST} cannot be accepted: {error.problems[0]}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{MANIFEST} is malformed") from None


def _sealed(document: Mapping[str, Any]) -> bytes:
    bare = _dump(document)
    return _dump({**document, "sha256": hashlib.sha256(bare).hexdigest()})


def _dump(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def _manifest(document: Mapping[str, Any]) -> Manifest:
    data, policy, thresholds = document["data"], document["policy"], document["thresholds"]
    if policy["kind"] != "inference":
        raise PolicyError([f"this version knows no policy of the kind {policy['kind']!r}"])
    files = {_text(name): FileEntry(_count(e["bytes"]), _text(e["sha256"])) for name, e in document["files"].items()}
    sensitive = policy["sensitive"]
    if not isinstance(sensitive, list):
        raise TypeError
    return Manifest(
        method=_text(document["method"]),
        records=_count(document["records"]),
        ids=_text(document["ids"]),
        file=_text(data["file"]),
        form=Origin(
            format=_text(data["format"]),
            layout=_text(data["layout"]),
            record=None if data["record"] is None else _text(data["record"]),
            item=None if data["item"] is None else _text(data["item"]),
        ),
        policy=InferencePolicy(
            map(_text, sensitive),
            _text(policy["rho"]),
            rho_of=dict(policy["per_item"]),
            adaptive=policy["adaptive"],
            knowledge=policy["knowledge"],
        ),
        thresholds=None
        if thresholds is None
        else {_text(name): Fraction(_text(rho)) for name, rho in thresholds.items()},
        files=files,
        version=_text(document["sordino"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def _policy_statement(policy: InferencePolicy) -> dict[str, object]:
    """The policy as plain data, in the terms in which it was written."""
    rule: object
    if isinstance(policy.adaptive, Mapping):
        rule = {item: show_rational(factor) for item, factor in policy.adaptive.items()}
    elif isinstance(policy.adaptive, bool):
        rule = policy.adaptive
    else:
        rule = show_rational(policy.adaptive)
    return {
        "kind": "inference",
        "sensitive": list(policy.sensitive),
        "rho": show_rational(policy.rho),
        "per_item": {item: show_rational(rho) for item, rho in policy.rho_of.items()},
        "adaptive": rule,
        "knowledge": policy.knowledge,
    }
