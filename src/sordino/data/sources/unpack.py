"""Packed files: zip, zstd, bzip2 and xz, unpacked within the same limit as gzip.

They are unpacked if the name says so, or on standard input by their first bytes. A zip file must hold one file, or the
user names the one to take: FILE.zip#NAME.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from sordino.data.sources.limits import AT_ONCE, check_size, size_limit, too_large
from sordino.errors import InputError, did_you_mean

__all__ = ["PACKED", "Unpacked", "is_packed", "packing", "unpack"]

MAGIC = {b"PK\x03\x04": ".zip", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
CALLED = {".zip": "zip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
PACKED = tuple(CALLED)
XZ_MEMORY = 512 << 20  # bytes that unpacking xz may take besides: its own -9 needs 65 MB
SHOWN = 10  # names of files listed at most


@dataclass(frozen=True)
class Unpacked:
    """What was inside, and how that is called: as users are told, and the name that tells its format."""

    data: bytes
    packed: str
    named: str


def packing(name: str, data: bytes, *, by_content: bool) -> str | None:
    """The ending of the way in which data are packed: as the name says, or also as the content does."""
    found = next((ending for start, ending in MAGIC.items() if data.startswith(start)), None)
    named = next((ending for ending in PACKED if name.lower().endswith(ending)), None)
    if named is not None and data and found != named:
        if named == ".zip" and data.startswith(b"PK\x05\x06"):
            raise InputError("the zip file is empty", where=name)
        raise InputError(f"the name ends in {named}, but the content is not {CALLED[named]}", where=name)
    return found if named is not None or by_content else None


def is_packed(name: str) -> bool:
    """Whether a name says that the file is packed in one of these ways."""
    return name.lower().endswith(PACKED)


def unpack(data: bytes, ending: str, name: str, member: str | None, where: str) -> Unpacked:
    """What packed data hold; never more than the limit is made. InputError if they are damaged or cut short."""
    if ending == ".zip":
        return _member(data, member, where)
    if member is not None:
        raise InputError(f"{'an' if ending == '.xz' else 'a'} {CALLED[ending]} file has no parts to name", where=where)
    pieces: dict[str, Callable[[bytes], Iterator[bytes]]] = {".bz2": _bz2, ".xz": _xz, ".zst": _zstd}
    limit, total, parts = size_limit(), 0, []
    damaged = InputError(
        f"the {CALLED[ending]} data is damaged or cut short", where=where, hint="Copy or download it again."
    )
    try:
        for piece in pieces[ending](data):
            total += len(piece)
            if total > limit:
                raise too_large(limit, f"the {CALLED[ending]} data", where)
            parts.append(piece)
    except (OSError, EOFError, lzma.LZMAError, ValueError):
        raise damaged from None
    bare = name[: -len(ending)] if name.lower().endswith(ending) else ""
    return Unpacked(b"".join(parts), f"{'an' if ending == '.xz' else 'a'} {CALLED[ending]} file", bare)


def _bz2(data: bytes) -> Iterator[bytes]:
    """Streams, one after another; whatever else lies behind one is damage, not the end."""
    at = 0
    while at < len(data):
        stream = bz2.BZ2Decompressor()
        while not stream.eof:
            given = data[at : at + AT_ONCE] if stream.needs_input else b""
            if stream.needs_input and not given:
                raise EOFError
            at += len(given)
            yield stream.decompress(given, AT_ONCE)
        at -= len(stream.unused_data)


def _xz(data: bytes) -> Iterator[bytes]:
    rest = data
    while rest.strip(b"\0"):  # streams, perhaps with zeros between them
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)
        piece = stream.decompress(rest.lstrip(b"\0"), AT_ONCE)
        yield piece
        while not stream.eof:
            if stream.needs_input:
                raise EOFError
            yield stream.decompress(b"", AT_ONCE)
        rest = stream.unused_data


def _zstd(data: bytes) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        while piece := stream.read(AT_ONCE):
            yield piece


def _member(data: bytes, wanted: str | None, where: str) -> Unpacked:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [info.filename for info in archive.infolist() if not info.is_dir() and _counts(info.filename)]
            chosen = _chosen(names, wanted, where)
            info = archive.getinfo(chosen)
            check_size(info.file_size, "the zip data", where)  # of which no byte more is read
            content = archive.read(info)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, IndexError):
        raise InputError("the zip file is damaged", where=where, hint="Copy or download it again.") from None
    except (RuntimeError, NotImplementedError):
        raise InputError(
            "the zip file is encrypted, or packed in a way that is not common", where=where, hint="Unpack it first."
        ) from None
    if chosen.lower().endswith((".gz", *PACKED)):
        raise InputError("what lies in the zip file is packed once more", where=where, hint="Unpack it first.")
    return Unpacked(content, f"'{chosen}' in a zip file", chosen)


def _counts(name: str) -> bool:
    """Whether a file in a zip file is one of the user's: systems put some of their own beside them."""
    parts = PurePosixPath(name).parts
    return bool(parts) and parts[0] != "__MACOSX" and not parts[-1].startswith(".")


def _chosen(names: list[str], wanted: str | None, where: str) -> str:
    if wanted is not None:
        if wanted not in names:
            raise InputError(f"there is no '{wanted}' in it.{did_you_mean(wanted, names)}", where=where)
        if names.count(wanted) > 1:
            raise InputError(
                f"there are {names.count(wanted):,} files of this name in it", where=where, hint="Unpack it first."
            )
        return wanted
    if len(names) == 1:
        return names[0]
    if not names:
        raise InputError("the zip file holds no file", where=where)
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    raise InputError(
        f"the zip file holds {len(names):,} files: {', '.join(names[:SHOWN])}{more}",
        where=where,
        hint=f"Say which to read: '{where}#{names[0]}'",
    )
