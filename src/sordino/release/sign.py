"""Signing a release: a key, and the signature of its manifest (see verify/signature.py for its form)."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from sordino.errors import InputError
from sordino.verify.bounded import read_bytes
from sordino.verify.manifest import MANIFEST
from sordino.verify.manifest_file import TEXT
from sordino.verify.signature import SIGNATURE, PublicKey, signing_library

__all__ = ["new_key", "sign_manifest"]


def new_key(password: bytes | None = None) -> tuple[bytes, PublicKey]:
    """A new secret key, as PEM text, and its public key."""
    ed25519, serialization = signing_library()
    secret = ed25519.Ed25519PrivateKey.generate()
    how = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    pem = secret.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, how)
    return bytes(pem), _public(secret)


def sign_manifest(publish: Path, pem: bytes, password: bytes | None = None) -> PublicKey:
    """Write the signature of the manifest beside it; the public key by which it can be checked."""
    ed25519, serialization = signing_library()
    try:
        secret = serialization.load_pem_private_key(pem, password)
    except (ValueError, TypeError):
        raise InputError(
            "the secret key cannot be read: it is no PEM file, or the password is wrong",
            hint="Make one: sordino sign --new-key FILE; or sign with minisign: minisign -Sm manifest.json",
        ) from None
    if not isinstance(secret, ed25519.Ed25519PrivateKey):
        raise InputError("the secret key is not one of Ed25519")
    key = _public(secret)
    signature = secret.sign(hashlib.blake2b(read_bytes(publish / MANIFEST, TEXT)).digest())
    seal = secret.sign(signature + b"manifest.json")
    lines = (
        b"untrusted comment: signature of manifest.json by its publisher",
        base64.b64encode(b"ED" + key.number + signature),
        b"trusted comment: manifest.json",
        base64.b64encode(seal),
        b"",
    )
    (publish / SIGNATURE).write_bytes(b"\n".join(lines))
    return key


def _public(secret: Any) -> PublicKey:
    """The public key; its number follows from it, because PEM has no room for one."""
    _, serialization = signing_library()
    raw = secret.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return PublicKey(hashlib.sha256(raw).digest()[:8], bytes(raw))
