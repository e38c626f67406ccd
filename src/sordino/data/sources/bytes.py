"""Opening a source: its bytes, unzipped, checked to be text where they should be, and what format they look like."""

from __future__ import annotations

import codecs
import hashlib
import os
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

from sordino.data.sources.excel import EXCEL, is_workbook, read_sheet
from sordino.data.sources.limits import AT_ONCE, size_limit, too_large
from sordino.data.sources.stores import is_address, read_address
from sordino.data.sources.unpack import PACKED, packing, unpack
from sordino.errors import InputError, did_you_mean

__all__ = [
    "LINE_LIMIT",
    "STDIN",
    "Raw",
    "format_of_name",
    "gunzip",
    "line_of",
    "open_raw",
    "size_limit",
    "sniff_binary",
    "text_of",
]

STDIN = "-"
LINE_LIMIT = 10_000_000  # bytes; a line of this length or more is taken for damage
GZIP_BITS = 31  # zlib's word for a gzip header and the largest window
GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
# First bytes of what people have in the place of text: what it is, and what to do.
FOREIGN = {
    b"PK\x03\x04": ("a zip file or an Excel workbook", "Let its name end in .zip or .xlsx."),
    b"PK\x05\x06": ("an empty zip file", "Choose a file of records."),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Excel workbook", "Save it as .xlsx or CSV."),
    b"BZh": ("a bzip2 file", "Let its name end in .bz2."),
    b"\xfd7zXZ\0": ("an xz file", "Let its name end in .xz."),
    b"\x28\xb5\x2f\xfd": ("a zstd file", "Let its name end in .zst."),
    b"7z\xbc\xaf\x27\x1c": ("a 7z file", "Unpack it, or pack it with gzip."),
    b"SQLite format 3\0": ("an SQLite database", "Export the table as CSV."),
    b"%PDF-": ("a PDF document", "Choose a file of records."),
    b"ARROW1\0\0": ("an Arrow (Feather) file", "Write it as Parquet."),
}
DUCKDB_MAGIC = b"DUCK"  # from byte 8 on
FORMAT_OF_EXTENSION = {
    ".dat": "fimi",
    ".fimi": "fimi",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}


@dataclass(frozen=True)
class Raw:
    """The bytes of a source after unzipping, and where they came from."""

    data: bytes
    path: str
    where: str  # how error texts name the source
    gzipped: bool
    sha256: str  # of the bytes before unzipping
    packed: str = ""  # what they were packed in, other than gzip, and which part of it was taken: as users are told
    named: str | None = None  # the name that tells the format, if it is not that of the path
    delimiter: str | None = None  # of text that was made from cells, in which nothing else separates

    @property
    def format(self) -> str | None:
        """The format that the name stands for, if there is one and it is one we know."""
        name = self.path if self.named is None else self.named
        return None if name == STDIN else format_of_name(name)


def open_raw(path: str | os.PathLike[str]) -> Raw:
    """All bytes of a file, of standard input for "-", or of a file in an object store, unpacked.

    Gzip is known by its first bytes, whatever the name says; other ways to pack, and workbooks, by name; on standard
    input by content. FILE#PART names a sheet of a workbook, or a file in a zip file.
    """
    name, part = _split(os.fspath(path))
    stored = is_address(name)
    where = "standard input" if name == STDIN else name
    data = _read_stdin(where) if name == STDIN else read_address(name) if stored else _read_file(name)
    digest = hashlib.sha256(data).hexdigest()
    bare = _bare(name)
    if data.startswith(GZIP_MAGIC):
        if part is not None:
            raise InputError("a gzip file has no parts to name", where=where)
        return Raw(gunzip(data, where), name, where, True, digest, named=bare)
    if data and bare.lower().endswith(".gz"):
        raise InputError("the name ends in .gz, but the content is not gzip", where=where)
    if bare.lower().endswith(EXCEL) or (name == STDIN and is_workbook(data)):
        text, packed = read_sheet(data, part, where)
        return Raw(text, name, where, False, digest, packed, named="sheet.csv", delimiter=",")
    ending = packing(bare, data, by_content=name == STDIN)
    if ending is not None:
        inner = unpack(data, ending, bare, part, where)
        return Raw(inner.data, name, where, False, digest, inner.packed, named=inner.named)
    return Raw(data, name, where, False, digest, named=bare)


def _split(name: str) -> tuple[str, str | None]:
    """The file and the part of it that a name is about; a file that really has such a name comes first."""
    file, sign, part = name.partition("#")
    if not sign or not part or not _bare(file).lower().endswith((*EXCEL, *PACKED)) or os.path.exists(name):
        return name, None
    return file, part


def _bare(name: str) -> str:
    """A name without what an address says about its store."""
    return name.partition("?")[0] if is_address(name) else name


def format_of_name(name: str) -> str | None:
    """The format that the extension (before any of a way to pack) stands for, if it is one we know."""
    path = Path(name.lower())
    if path.suffix in (".gz", *PACKED):
        path = path.with_suffix("")
    return FORMAT_OF_EXTENSION.get(path.suffix)


def sniff_binary(data: bytes) -> str | None:
    """The format of bytes whose name does not say it, if it can be seen without reading them as text."""
    if data.startswith(PARQUET_MAGIC):
        return "parquet"
    start = data[: len(BOM) + 4096].removeprefix(BOM).lstrip()[:1]
    return "jsonl" if start in (b"[", b"{") else None


def text_of(raw: Raw) -> bytes:
    """The bytes as clean text: valid UTF-8 without byte order mark or NUL, LF line ends, no line over the limit."""
    data = raw.data
    _check_foreign(data, raw.where)
    if data.startswith(UTF16_BOMS):
        raise InputError("the text is UTF-16, not UTF-8", where=_at(raw, 1), hint=_as_utf8("UTF-16"))
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError("binary content (a NUL byte) where text should be", where=_at(raw, line_of(data, nul)))
    data = data.removeprefix(BOM)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        bare = data.find(b"\r")
        if bare >= 0:
            raise InputError(
                "a carriage return that does not end a line",
                where=_at(raw, line_of(data, bare)),
                hint="Save the file with LF or CRLF line ends.",
            )
    _check_line_lengths(data, raw)
    _check_utf8(data, raw)
    return data


def _check_utf8(data: bytes, raw: Raw) -> None:
    """InputError unless the text is UTF-8; piece by piece, so that no second copy of it is made."""
    if data.isascii():
        return
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), AT_ONCE):
        piece = data[start : start + AT_ONCE]
        waiting = len(decoder.getstate()[0])
        try:
            decoder.decode(piece, start + len(piece) == len(data))
        except UnicodeDecodeError as error:
            line = line_of(data, start - waiting + error.start)
            raise InputError("invalid UTF-8", where=_at(raw, line), hint=_as_utf8("WINDOWS-1252")) from None


def _as_utf8(encoding: str) -> str:
    """What to do about a text in another encoding."""
    of = " If it comes from Excel or Windows:" if encoding == "WINDOWS-1252" else " For example:"
    return f"Save the file as UTF-8.{of} iconv -f {encoding} -t UTF-8 OLD > NEW"


def _check_foreign(data: bytes, where: str) -> None:
    if data.startswith(PARQUET_MAGIC) and data.endswith(PARQUET_MAGIC):
        raise InputError("this is a Parquet file under another name", where=where, hint="Let its name end in .parquet.")
    if data[8:12] == DUCKDB_MAGIC and b"\0" in data[:64]:
        raise InputError("this is a DuckDB database", where=where, hint="Name the table: duckdb:FILE?table=NAME")
    for start, (what, advice) in FOREIGN.items():
        if data.startswith(start) and not data[: 1 << 12].isascii():
            raise InputError(f"this is {what}, not text", where=where, hint=advice)


def line_of(data: bytes, position: int) -> int:
    """The number, from 1, of the line that a byte position lies in."""
    return data.count(b"\n", 0, position) + 1


def _at(raw: Raw, line: int) -> str:
    return f"{raw.where}, line {line}"


def _check_line_lengths(data: bytes, raw: Raw) -> None:
    start = 0
    while len(data) - start >= LINE_LIMIT:
        end = data.rfind(b"\n", start, start + LINE_LIMIT)
        if end < 0:
            raise InputError(
                f"a line of {LINE_LIMIT:,} bytes or more",
                where=_at(raw, line_of(data, start)),
                hint="A record should be one line; are the line ends missing?",
            )
        start = end + 1


def _read_stdin(where: str) -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=where) from None


def _read_file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        folder, last = os.path.split(name)
        try:
            near = did_you_mean(last, os.listdir(folder or "."))
        except OSError:
            near = ""
        raise InputError(f"there is no such file.{near}", where=name) from None
    except IsADirectoryError:
        raise InputError("this is a folder, not a file", where=name) from None
    except PermissionError:
        raise InputError("the file may not be read (no permission)", where=name) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=name) from None
    except ValueError:
        raise InputError("this is not a usable file name") from None


def gunzip(data: bytes, where: str, limit: int | None = None) -> bytes:
    """What gzip data (of one or more members) hold; never much more than `limit` bytes (None: `size_limit()`) are made.

    InputError if they unpack to more than that, are cut short or damaged.
    """
    most = size_limit() if limit is None else limit
    parts: list[bytes] = []
    total, place, member = 0, 0, zlib.decompressobj(wbits=GZIP_BITS)
    view = memoryview(data)
    try:
        while place < len(data):
            piece = bytes(view[place : place + AT_ONCE])
            place += len(piece)
            while piece and not member.eof:
                parts.append(member.decompress(piece, AT_ONCE))
                piece = member.unconsumed_tail
                total += len(parts[-1])
                if total > most:
                    raise too_large(most, "the gzip data", where, stated=limit is not None)
            if member.eof:  # another member may follow, or zeros, with which some programs pad
                place -= len(member.unused_data)
                while place < len(data) and data[place] == 0:
                    place += 1
                if place < len(data):
                    member = zlib.decompressobj(wbits=GZIP_BITS)
    except zlib.error:
        raise InputError("the gzip data is damaged", where=where, hint="Copy or download it again.") from None
    if not member.eof:
        raise InputError("the gzip data is cut short", where=where, hint="Copy or download it again.")
    return parts[0] if len(parts) == 1 else b"".join(parts)
