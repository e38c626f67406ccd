"""Records as numbers, before the vocabulary is put in order: what every source hands over."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.errors import InputError, InternalError

__all__ = [
    "BLANKS",
    "INTEGER",
    "TEXT",
    "Coded",
    "Codes",
    "Values",
    "arrow_codes",
    "as_seen",
    "code_values",
    "grouped",
    "look_alike",
    "record_ids",
    "without_blanks",
]

Codes = npt.NDArray[np.integer]  # 32 bits where the source is large, 64 where it does not matter
BLANKS = " \t\n\v\f\r"  # what counts as blank around a name in a text format
TEXT = "text"
INTEGER = "integer"


@dataclass(frozen=True)
class Values:
    """A column of values as codes: -1 where there is none (null or empty), else the place in `names`.

    Names are distinct, every one occurs, and they are in order of first appearance.
    """

    codes: Codes
    names: list[str]
    kind: str = TEXT  # TEXT | INTEGER: what the values were before they became text


@dataclass(frozen=True)
class Coded:
    """(record, item) pairs in any order; an item code of -1 only declares its record."""

    owner: Codes
    items: Values
    records: int
    ids: tuple[str, ...] | None = None


def code_values(values: Sequence[object], what: str, at: Callable[[int], str]) -> Values:
    """Codes for Python values, which must be all text or all whole numbers; None and "" are no value.

    `what` names the role of the values and `at(i)` the place of value i, both for the error text.
    """
    kinds = set(map(type, values)) - {type(None)}
    numeric = bool(kinds) and all(_is_integer(kind) for kind in kinds)
    if not numeric and not all(issubclass(kind, str) for kind in kinds):
        raise _unfit(values, what, at)
    place: dict[object, int] = {}
    names: list[str] = []
    for value in dict.fromkeys(values):
        if value is None or value == "":
            place[value] = -1
        else:
            place[value] = len(names)
            names.append(_text(value, what))
    codes = np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))
    return Values(codes, names, INTEGER if numeric else TEXT)


def arrow_codes(indices: Any) -> Codes:
    """An Arrow array of 32-bit numbers as a NumPy array, -1 for null. Arrow's own way loads pandas if that is there."""
    count, start = len(indices), indices.offset
    if not count:
        return np.empty(0, dtype=np.int32)
    filled, numbers = indices.buffers()
    codes: npt.NDArray[np.int32] = np.frombuffer(numbers, dtype=np.int32, count=start + count)[start:]
    if indices.null_count:
        present = np.unpackbits(np.frombuffer(filled, dtype=np.uint8), bitorder="little", count=start + count)[start:]
        codes = np.where(present.astype(np.bool_), codes, np.int32(-1))
    return codes


def without_blanks(values: Values) -> Values:
    """The same values with blanks around them taken off; names that become equal share a code, empty ones go."""
    stripped = [name.strip(BLANKS) for name in values.names]
    if stripped == values.names and "" not in stripped:
        return values
    place = {name: code for code, name in enumerate(name for name in dict.fromkeys(stripped) if name)}
    moved = np.fromiter((place.get(name, -1) for name in stripped), dtype=np.int64, count=len(stripped))
    codes = np.where(values.codes < 0, -1, moved[values.codes])
    return Values(codes, list(place), values.kind)


def look_alike(names: Sequence[str]) -> int:
    """How many of these distinct names are others, but for what a reader does not see (`as_seen`)."""
    return len(names) - len(set(map(as_seen, names)))


def as_seen(name: str) -> str:
    """A name without blanks around it and characters that cannot be seen, in one Unicode form: what a reader takes for
    the same. Such characters come with files put together (a byte order mark), from DOS (Ctrl-Z), out of web pages."""
    bare = name.strip()
    if bare.isascii() and bare.isprintable():
        return bare
    return unicodedata.normalize("NFC", "".join(c for c in bare if c in BLANKS or not _is_unseen(c))).strip()


def _is_unseen(character: str) -> bool:
    """Control and format characters, and selectors of variants."""
    return unicodedata.category(character) in ("Cc", "Cf") or "\ufe00" <= character <= "\ufe0f"


def grouped(ids: Values, items: Values, at: Callable[[int], str]) -> Coded:
    """Records from rows of (id, item), in order of first appearance; `at(row)` names the place of a row."""
    _check_ids(ids, at)
    return Coded(ids.codes, items, len(ids.names), tuple(ids.names))


def record_ids(ids: Values, at: Callable[[int], str]) -> tuple[str, ...]:
    """The id of every row, each of which is a record of its own."""
    _check_ids(ids, at)
    return tuple(ids.names[code] for code in ids.codes.tolist())


def _check_ids(ids: Values, at: Callable[[int], str]) -> None:
    nameless = np.flatnonzero(ids.codes < 0)
    if len(nameless):
        raise InputError("the record id is missing", where=at(int(nameless[0])))


def _is_integer(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and not issubclass(kind, bool)


def _text(value: object, what: str) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to print integers of more than 4,300 digits
        raise InputError(f"a whole number used as {what} has too many digits") from None


def _unfit(values: Sequence[object], what: str, at: Callable[[int], str]) -> InputError:
    """The error for the first value that is neither text nor a whole number, or differs in type from those before."""
    first: bool | None = None
    for place, value in enumerate(values):
        if value is None:
            continue
        kind = type(value)
        numeric = _is_integer(kind)
        if not numeric and not issubclass(kind, str):
            if issubclass(kind, (list, tuple, set, frozenset, dict, np.ndarray)):
                return InputError(
                    f"nested lists: the {what} is itself a collection",
                    where=at(place),
                    hint="A record is a flat list of items, each a text or a whole number.",
                )
            return InputError(
                f"wrong type: the {what} is of type {kind.__name__}",
                where=at(place),
                hint="Use text or whole numbers.",
            )
        if first is None:
            first = numeric
        elif numeric is not first:
            return InputError(
                f"mixed types: the {what} is {'a whole number' if numeric else 'text'}, those before it are not",
                where=at(place),
                hint="Make them all text or all whole numbers.",
            )
    raise InternalError("a column was refused, and then nothing was wrong with it")
