"""One record a line: FIMI text (names apart by blanks) and basket CSV (names apart by a delimiter)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Int64
from sordino.data.sources.coded import Coded, Codes, Values, arrow_codes, code_values, without_blanks
from sordino.errors import InputError

__all__ = ["FIMI_SEPARATORS", "blocks", "code_lists", "read_basket_csv", "read_fimi", "strict_rows"]

FIMI_SEPARATORS = " \t\v\f"
BLOCK = 4_000_000  # bytes of text cut at a time: bounds the memory that positions need


def read_fimi(data: bytes) -> Coded:
    """A record a line, names apart by blanks; an empty line is an empty record."""
    return _split(data, FIMI_SEPARATORS)


def read_basket_csv(data: bytes, where: str, delimiter: str = ",") -> Coded:
    """A record a line, names apart by the delimiter, perhaps quoted; blanks around names and empty fields are none."""
    if b'"' in data:
        rows = [row for _, row in strict_rows(data, delimiter, where)]
        return code_lists(rows)
    coded = _split(data, delimiter)
    return Coded(coded.owner, without_blanks(coded.items), coded.records)


def strict_rows(data: bytes, delimiter: str, where: str) -> list[tuple[int, list[str]]]:
    """The rows of CSV text with quotes, each with the number of the line that it ends on."""
    reader = csv.reader(
        io.StringIO(data.decode("utf-8"), newline="\n"), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    try:
        return [(reader.line_num, row) for row in reader]
    except csv.Error:
        raise InputError(
            "quotes that do not match (one is not closed, or something follows the closing one), or an overlong field",
            where=f"{where}, line {reader.line_num}",
            hint="Quote a whole field, and double a quote inside it.",
        ) from None


def code_lists(rows: list[list[str]]) -> Coded:
    """Records from rows of text fields, blanks around the fields taken off."""
    lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    values = code_values(list(chain.from_iterable(rows)), "item", lambda place: f"field {place + 1}")
    return Coded(np.repeat(np.arange(len(rows), dtype=np.int64), lengths), without_blanks(values), len(rows))


def _split(data: bytes, separators: str) -> Coded:
    """Lines cut at any run of the separators: block by block, all of it on arrays."""
    place: dict[str, int] = {}
    codes: list[Codes] = [np.empty(0, dtype=np.int32)]
    per_line: list[Codes] = [np.empty(0, dtype=np.int32)]
    for block in blocks(data):
        lengths, values = _split_block(block, separators)
        moved = np.fromiter((place.setdefault(name, len(place)) for name in values.names), dtype=np.int32)
        codes.append(moved[values.codes])
        per_line.append(lengths)
    lines = np.concatenate(per_line)
    owner = np.repeat(np.arange(len(lines), dtype=np.int32), lines)
    return Coded(owner, Values(np.concatenate(codes), list(place)), len(lines))


def blocks(data: bytes) -> Iterator[memoryview]:
    """The text in pieces of about BLOCK bytes, each of whole lines."""
    view, start = memoryview(data), 0
    while start < len(data):
        end = data.find(b"\n", start + BLOCK) + 1 or len(data)
        yield view[start:end]
        start = end


def _split_block(block: memoryview, separators: str) -> tuple[Codes, Values]:
    """How many names each line of the block holds, and the names in their order."""
    text = np.frombuffer(block, dtype=np.uint8)
    parts = np.zeros(256, dtype=np.bool_)
    parts[np.frombuffer(f"{separators}\n".encode(), dtype=np.uint8)] = True
    inside = ~parts[text]
    edges = np.flatnonzero(np.diff(inside.view(np.int8), prepend=np.int8(0), append=np.int8(0)))
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(text == ord("\n"))
    if text[-1] != ord("\n"):
        newlines = np.append(newlines, len(text))
    per_line = np.diff(np.searchsorted(starts, newlines), prepend=0)
    return per_line.astype(np.int32), _code_pieces(text[inside], ends - starts)


def _code_pieces(letters: npt.NDArray[np.uint8], lengths: Int64) -> Values:
    """Codes of the pieces of the given lengths that the letters consist of."""
    import pyarrow as pa

    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
    pieces = pa.Array.from_buffers(pa.large_string(), len(lengths), buffers)
    encoded = pieces.dictionary_encode()
    return Values(arrow_codes(encoded.indices), encoded.dictionary.to_pylist())
