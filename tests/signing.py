"""Signatures of minisign from a key that everybody knows, for tests: Ed25519 as RFC 8032 tells it, in plain numbers.

It shares nothing with the library that `sordino sign` uses, nor with what the page does. Not for secrets: it takes a
time that depends on the key.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

__all__ = ["Signer"]

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int, int, int]  # extended coordinates: x, y, z, t with x = X/Z, y = Y/Z, xy = T/Z


def _add(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(scalar: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point = _add(point, point)
        scalar >>= 1
    return total


def _base() -> Point:
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    x = P - x if x & 1 else x
    return (x, y, 1, x * y % P)


def _bytes(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


@dataclass(frozen=True)
class Signer:
    """A key pair from 32 bytes, with the number that minisign would draw by chance."""

    seed: bytes
    number: bytes = b"\x01\x02\x03\x04\x05\x06\x07\x08"

    @cached_property
    def _secret(self) -> tuple[int, bytes]:
        digest = hashlib.sha512(self.seed).digest()
        scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
        return scalar, digest[32:]

    @cached_property
    def public(self) -> bytes:
        return _bytes(_times(self._secret[0], _base()))

    def line(self) -> str:
        """The public key, as minisign writes it."""
        return base64.b64encode(b"Ed" + self.number + self.public).decode()

    def sign(self, content: bytes) -> bytes:
        scalar, prefix = self._secret
        r = _number(prefix, content) % ORDER
        point = _bytes(_times(r, _base()))
        s = (r + _number(point, self.public, content) * scalar) % ORDER
        return point + s.to_bytes(32, "little")

    def minisig(self, content: bytes, *, hashed: bool = True, comment: str = "manifest.json") -> bytes:
        """The text of the signature file of this content."""
        signature = self.sign(hashlib.blake2b(content).digest() if hashed else content)
        first = base64.b64encode((b"ED" if hashed else b"Ed") + self.number + signature)
        seal = base64.b64encode(self.sign(signature + comment.encode()))
        head = b"untrusted comment: signature of manifest.json by its publisher\n"
        return head + first + b"\ntrusted comment: " + comment.encode() + b"\n" + seal + b"\n"

    def write(self, publish: Path, *, hashed: bool = True) -> None:
        """Sign the manifest of a published folder."""
        content = (publish / "manifest.json").read_bytes()
        (publish / "manifest.json.minisig").write_bytes(self.minisig(content, hashed=hashed))
