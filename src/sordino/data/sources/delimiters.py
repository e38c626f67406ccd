"""What separates the fields of a line: as stated, or as the lines themselves tell."""

from __future__ import annotations

import csv
from collections.abc import Collection

from sordino.errors import InputError

__all__ = ["DELIMITERS", "checked_delimiter", "delimiter_name", "find_delimiter", "first_rows"]

DELIMITERS = (",", ";", "\t", "|")
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks", ":": "colons"}
SEEN_BYTES, SEEN_ROWS = 1 << 20, 5_000  # what is looked at to tell how a text is made
RARE = 10  # a delimiter that cuts at most one line in so many of another's does not count beside it


def checked_delimiter(stated: str, where: str | None = None) -> str:
    """The delimiter that a text stands for, "\\t" written out being a tab; InputError if it cannot be one."""
    delimiter = "\t" if stated == "\\t" else stated
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter.isalnum() or delimiter in '"\n\r\0':
        raise InputError(
            "the delimiter must be a single character: no letter, digit or quotation mark",
            where=where,
            hint="For example ';' or '|', or '\\t' for a tab.",
        )
    if delimiter == " ":
        raise InputError("blanks are no delimiter here", where=where, hint="Items apart by blanks are --layout fimi.")
    return delimiter


def delimiter_name(delimiter: str) -> str:
    """What a delimiter is called, in the plural."""
    return NAMES.get(delimiter, f"'{delimiter}'" if delimiter.isprintable() else repr(delimiter))


def first_rows(data: bytes, delimiter: str | None) -> list[list[str]]:
    """The fields of the first lines, without blanks around them; lines without any field are left out.

    Without a delimiter, fields are apart by blanks.
    """
    text = data[:SEEN_BYTES]
    if len(text) < len(data):
        text = text[: text.rfind(b"\n") + 1] or text
    lines = text.decode("utf-8", "ignore").split("\n")
    if delimiter is None:
        return [line.split() for line in lines if line.strip()][:SEEN_ROWS]
    rows = []
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if any(fields):
                rows.append(fields)
            if len(rows) == SEEN_ROWS:
                break
    except csv.Error:  # an overlong field: the reader proper will say so
        pass
    return rows


def find_delimiter(data: bytes, where: str, expected: Collection[str] = ()) -> str:
    """The delimiter that cuts the lines of a basket file; a comma if none does.

    It is unambiguous if it is the only one of comma, semicolon, tab and bar that cuts any line, or cuts far more lines
    than the others; else, if names that are expected in the data stand between no other. Otherwise InputError.
    """
    present = [delimiter for delimiter in DELIMITERS if delimiter.encode() in data]
    cut: dict[str, int] = {}
    found: dict[str, int] = {}
    for delimiter in present:
        # What consists of other delimiters is no field: a tab may be a blank at the end of a name.
        rows = [[field for field in row if field.strip(" ,;|")] for row in first_rows(data, delimiter)]
        number = sum(len(row) > 1 for row in rows)
        if number:
            cut[delimiter] = number
            found[delimiter] = len({field for row in rows for field in row if field in expected})
    if not cut:
        return ","
    best = max(cut, key=cut.__getitem__)
    rivals = [delimiter for delimiter in cut if delimiter == best or cut[delimiter] * RARE > cut[best]]
    if len(rivals) == 1:
        return best
    decisive = [delimiter for delimiter in rivals if found[delimiter]]
    if len(decisive) == 1:
        return decisive[0]
    counts = ", ".join(f"{cut[d]:,} by {delimiter_name(d)}" for d in rivals)
    raise InputError(
        f"it is not clear what separates the fields; of the lines looked at are cut: {counts}",
        where=where,
        hint="Say it with --delimiter, for example --delimiter ';' or --delimiter '\\t' (in Python: delimiter=).",
    )
