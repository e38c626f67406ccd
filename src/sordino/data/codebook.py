"""Code books: what codes mean, so that "29" is shown as "29 (Asthma)". They name things on pages; nothing is renamed.

A code book is a CSV file of two columns, code and name; or of three, column, code and name, where the same code means
another thing in another column. A first line with such titles is passed over.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sordino.data.baskets import Baskets
from sordino.data.table import Table
from sordino.errors import InputError, did_you_mean

__all__ = ["CodeBook", "Names", "names_of", "read_codebook"]

Names = Mapping[str, Any]  # code -> name, or column -> code -> name
LARGEST = 1 << 26  # bytes
TITLES = {
    *("code", "codes", "item", "items", "value", "values", "id", "key", "column", "attribute", "variable", "field"),
    *("name", "names", "label", "labels", "meaning", "text", "title", "description"),
}
SHOWN = 5
ANYWHERE = ""  # the column of codes that mean the same everywhere
HINT = "A code book is a CSV file with two columns: code,name. Or with three: column,code,name."


@dataclass(frozen=True)
class CodeBook:
    """Names of codes: `names[column][code]`, where the column "" is for codes of whatever column."""

    names: Mapping[str, Mapping[str, str]]
    source: str = field(default="the code book", compare=False)

    def of_items(self) -> dict[str, str]:
        """The names of items: codes as they are, and codes of a column as items of a table are called: column=code."""
        found = dict(self.names.get(ANYWHERE, {}))
        for column, codes in self.names.items():
            found |= {f"{column}={code}": name for code, name in codes.items() if column != ANYWHERE}
        return found

    def of_columns(self, table: Table) -> dict[str, dict[str, str]]:
        """The names of the values of a table's columns; an InputError if it is not said of which column codes are."""
        if ANYWHERE in self.names:
            raise InputError(
                "this code book does not say of which column its codes are",
                where=self.source,
                hint='Add a first column with the names of the columns; or in the policy: labels = { COLUMN = "FILE" }',
            )
        wrong = [name for name in self.names if name not in table.names]
        if wrong:
            near = did_you_mean(wrong[0], table.names)
            raise InputError(f"there is no column '{wrong[0]}', which has names here.{near}", where=self.source)
        return {column: dict(codes) for column, codes in self.names.items()}

    def remarks(self, held: Iterable[str], known: Mapping[str, str], of: str = "") -> list[str]:
        """What of the codes that are there has no name, and which names are of codes that are not there."""
        codes = list(held)
        there = set(codes)
        bare, idle = [code for code in codes if code not in known], [code for code in known if code not in there]
        said = []
        if bare:
            said.append(f"{self.source} has no name for {len(bare):,} of {len(codes):,} codes{of}: {_some(bare)}.")
        if idle:
            what = "1 code that does" if len(idle) == 1 else f"{len(idle):,} codes that do"
            said.append(f"{self.source} names {what} not occur{of}: {_some(idle)}.")
        return said


def _some(codes: Sequence[str]) -> str:
    shown = ", ".join(f"'{code}'" for code in codes[:SHOWN])
    return f"{shown} and {len(codes) - SHOWN:,} more" if len(codes) > SHOWN else shown


def names_of(data: Any, book: CodeBook) -> tuple[Names, list[str]]:
    """The names of what the data hold, and what is to be said of codes without one."""
    data = getattr(data, "table", data)  # of a grouped table
    if isinstance(data, Table):
        columns, said = book.of_columns(data), []
        for name, known in columns.items():
            said += book.remarks(data.column(name).texts, known, f" of '{name}'")
        return columns, said
    if not isinstance(data, Baskets):
        return book.of_items(), []
    names = book.of_items()
    used = [name for name, support in zip(data.names, data.supports.tolist(), strict=True) if support]
    return names, book.remarks(used, names)


def read_codebook(source: object) -> CodeBook:
    """The code book in a file, or in files by column, or in a mapping: code -> name, or column -> code -> name."""
    if isinstance(source, CodeBook):
        return source
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return CodeBook(_parsed(_text(path), str(path)), path.name)
    if not isinstance(source, Mapping) or not source:
        raise InputError("labels must be a file, or a mapping from codes to names", hint=HINT)
    names: dict[str, dict[str, str]] = {}
    files = set()
    for key, value in source.items():
        if isinstance(value, os.PathLike):
            one = _parsed(_text(Path(value)), str(value))
            if set(one) - {ANYWHERE}:
                raise InputError(f"a code book of one column has two columns: code,name; it is for '{key}'", hint=HINT)
            names[str(key)] = one[ANYWHERE]
            files.add(Path(value).name)
        elif isinstance(value, Mapping):
            names[str(key)] = {str(code): str(name) for code, name in value.items()}
        else:
            names.setdefault(ANYWHERE, {})[str(key)] = str(value)
    return CodeBook(names, ", ".join(sorted(files)) or "the code book")


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(f"the code book has more than {LARGEST >> 20} MiB, which cannot be meant", where=str(path))
        return content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read the code book: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("the code book is not UTF-8 text", where=str(path)) from None


def _parsed(text: str, where: str) -> dict[str, dict[str, str]]:
    """The rows of a file, by column."""
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    names: dict[str, dict[str, str]] = {}
    wide: int | None = None
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            place = f"{where}, line {reader.line_num}"
            if wide is None:
                wide = len(cells)
                if wide not in (2, 3):
                    raise InputError(f"{wide} columns where two or three were expected", where=place, hint=HINT)
                if all(cell.casefold() in TITLES for cell in cells):
                    continue
            if len(cells) != wide or not cells[-1] or not cells[-2]:
                raise InputError(f"{wide} texts were expected", where=place, hint=HINT)
            codes = names.setdefault(cells[0] if wide == 3 else ANYWHERE, {})
            if codes.setdefault(cells[-2], cells[-1]) != cells[-1]:
                raise InputError("a code that has another name already", where=place)
    except csv.Error as error:
        raise InputError(f"this is no CSV: {error}", where=f"{where}, line {reader.line_num}", hint=HINT) from None
    if not names:
        raise InputError("the code book names nothing", where=where, hint=HINT)
    return names
