"""manifest.json.minisig: whose a release is, where that matters: a signature of the manifest, as minisign makes it.

The manifest holds the checksum of every file, so whoever signs it signs the folder. A signature is of the form of
minisign (Ed25519), so that `minisign -Sm manifest.json` and `minisign -Vm manifest.json -p KEY` do the same:

    untrusted comment: signature of manifest.json by its publisher
    base64("ED" + number of the key (8 bytes) + Ed25519 signature of BLAKE2b-512(manifest.json))
    trusted comment: manifest.json
    base64(Ed25519 signature of the signature above and the trusted comment)

"Ed" instead of "ED" signs the bytes themselves, as older versions do. There is no room for words of anybody's own: the
comments are these, or those that minisign writes unless it is told others.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from pathlib import Path
from typing import Any

from sordino.errors import InputError, MissingExtra
from sordino.verify.bounded import read_bytes
from sordino.verify.manifest import MANIFEST
from sordino.verify.manifest_file import TEXT

__all__ = ["SIGNATURE", "PublicKey", "check_signature", "read_key", "signing_library"]

SIGNATURE = f"{MANIFEST}.minisig"
FIRST = re.compile(
    rb"untrusted comment: (signature from minisign secret key|signature of manifest\.json by its publisher)"
)
SECOND = re.compile(rb"trusted comment: (timestamp:[0-9]{1,12}\tfile:manifest\.json(\thashed)?|manifest\.json)")
LARGEST = 4096  # bytes of a signature
NOT_STATED = "the manifest is signed, but no key was stated, so by whom was not checked"
SIGNED = "the manifest is signed by the key that was stated"


class PublicKey:
    """The number and the bytes of a public key."""

    def __init__(self, number: bytes, key: bytes) -> None:
        self.number, self.key = number, key

    def line(self) -> str:
        """The key as minisign writes it."""
        return base64.b64encode(b"Ed" + self.number + self.key).decode()


def read_key(stated: str) -> PublicKey:
    """A public key of minisign: the path of its file, or its line; an InputError if it is none."""
    text = stated
    try:
        if Path(stated).is_file():
            text = Path(stated).read_text(encoding="utf-8")
    except (OSError, ValueError):
        pass
    raw = _decoded(text.strip().splitlines()[-1].strip().encode() if text.strip() else b"")
    if raw is None or len(raw) != 42 or raw[:2] != b"Ed":
        raise InputError(
            "this is no public key of minisign", hint="It is a line of 56 letters that begins with RW, or a file of it."
        )
    return PublicKey(raw[2:10], raw[10:])


def check_signature(publish: Path, key: PublicKey | None) -> str:
    """What there is to be said about the signature, or nothing if there is none and none was asked for.

    An InputError if it is no signature, or not by the key that was stated.
    """
    path = publish / SIGNATURE
    if not os.path.lexists(path):
        if key is not None:
            raise InputError(f"the manifest is not signed: there is no {SIGNATURE}")
        return ""
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{SIGNATURE} is not a regular file")
    if path.stat().st_size > LARGEST:
        raise InputError(f"{SIGNATURE} is not a signature")
    lines = read_bytes(path, LARGEST).split(b"\n")
    raw, seal = (_decoded(lines[k]) if len(lines) == 5 else None for k in (1, 3))
    if raw is None or seal is None or len(raw) != 74 or len(seal) != 64 or lines[4] or raw[:2] not in (b"ED", b"Ed"):
        raise InputError(f"{SIGNATURE} is not a signature")
    if not FIRST.fullmatch(lines[0]) or not SECOND.fullmatch(lines[2]):
        raise InputError(f"{SIGNATURE} says something that has no place in it")
    if key is None:
        return NOT_STATED
    if raw[2:10] != key.number:
        raise InputError("the manifest is signed with another key than the one that was stated")
    content = read_bytes(publish / MANIFEST, TEXT)
    signature, comment = raw[10:], lines[2].removeprefix(b"trusted comment: ")
    signed = hashlib.blake2b(content).digest() if raw[:2] == b"ED" else content
    if not (_fits(key.key, signature, signed) and _fits(key.key, seal, signature + comment)):
        raise InputError("the signature of the manifest is not by the key that was stated")
    return SIGNED


def _fits(key: bytes, signature: bytes, content: bytes) -> bool:
    ed25519, _ = signing_library()
    from cryptography.exceptions import InvalidSignature

    try:
        ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, content)
    except (InvalidSignature, ValueError):
        return False
    return True


def _decoded(text: bytes) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) or None
    except (binascii.Error, ValueError):
        return None


def signing_library() -> tuple[Any, Any]:
    """Keys and their forms, of the library that has them."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("cryptography", "sign", "a signature") from None
    return ed25519, serialization
