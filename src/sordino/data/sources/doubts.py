"""Whether text that could be read as one basket a line might be something else.

A long table or a table read as baskets gives a wrong answer without a sign of it: ids become items, every row a person.
So lines that look like a table are read as baskets only if the user says that they are. Real baskets differ in length
and share their items; the signs of a table are, in the first lines (blank ones and wholly empty fields left aside):

- A header of known words: each field of the first line is called like a record or an item, and none occurs again.
- Lines of one width (nine in ten have the same number of fields, two or more), at least three of them, and
  - none of the fields of the first line occurs again, or numbers stand below words;
  - or no value stands in two columns; or one column holds only numbers and another none; or lines repeat values;
  - or, with two fields a line and ten lines or more, the first column is grouped, or hardly ever the same, as ids are;
    or many of the frequent values stand in one column only, though lines are not in order: ids and items, in any order.
- Ids in front of baskets: all lines begin with a number, and no other field is one; or with the same letters and
  different numbers, as in T17, and no other field does; or they are numbered.
- One field a line, but with something inside that separates.
- Marks of other formats: a comment in the first line, HTML or XML, ARFF, a line "sep=;", items with counts (3:1), or
  sequences that end in -2.

A long table is in doubt if every record has one row only and its items look like whole lists, or are all yes and no.

Names that are expected among the items (sensitive ones), of which none is an item, but some stand inside of fields or
among the ids or the names of columns, are a sign as well. Messages give counts only: the first line may be a record.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.data.sources.delimiters import DELIMITERS, delimiter_name
from sordino.errors import InputError

__all__ = ["check_baskets", "check_expected", "check_long", "is_number"]

Rows = Sequence[Sequence[str]]
COUNTED = re.compile(r"[0-9]+:[0-9.]+")
NUMBERED = re.compile(r"([^0-9]+)[0-9]+")
YES_AND_NO = frozenset({"0", "1", "true", "false", "yes", "no", "y", "n", "t", "f"})
NUMBER = re.compile(r"[-+]?[0-9][0-9.,:/ -]*")  # numbers, dates and times
MARKS = re.compile(r"[;|\t]|::")
ANY_MARK = re.compile(r"[,:/~^+&#\\]")
MOST = 10  # of so many lines, all but one have the width of a table
ENOUGH = 10  # lines, for signs that chance could give
FREQUENT = 8  # times that a value occurs
CHOICES = (
    "Say what it is. One basket a line, no header: --layout baskets. One item of a record a line, with a header: "
    "--layout long --record COLUMN --item COLUMN. A person a row, and a column for each item, with 0 and 1: --layout "
    "onehot. A table: a policy about tables, of kind template or diversity. More: sordino inspect FILE."
)
BLANK_CHOICES = (
    "Say what it is. One basket a line, no header: --layout fimi (items apart by blanks) or --layout baskets. One item "
    "of a record a line, with a header: --layout long --record COLUMN --item COLUMN. More: sordino inspect FILE."
)
IN_PYTHON = "(In Python: read_baskets, with layout=, record= and item=.)"


def check_baskets(rows: Rows, delimiter: str | None, where: str) -> None:
    """InputError if lines cut into these fields might be something else than baskets. No delimiter: blanks."""
    sign = (
        _other_format(rows)
        or _known_header(rows)
        or _table(_without_empty_columns(rows), apart_by_blanks=delimiter is None)
        or _ids_in_front(rows)
        or _uncut(rows, delimiter)
    )
    if sign is not None:
        choices = BLANK_CHOICES if delimiter is None else CHOICES
        raise InputError(f"this may be no file of baskets: {sign}", where=where, hint=f"{choices} {IN_PYTHON}")


def check_expected(
    expected: Collection[str], items: Sequence[str], elsewhere: Mapping[str, Collection[str]], where: str | None
) -> None:
    """InputError if expected names are no items, but parts of items; or if none is one, and some are found elsewhere.

    `elsewhere` has the names that a source has in other places: what the place is called -> names.
    """
    if not expected:
        return
    parts = {part.strip() for item in items if MARKS.search(item) for part in MARKS.split(item)}
    places: dict[str, Collection[str]] = {"inside of items": parts}
    if set(items).isdisjoint(expected):
        quoted = {part.strip() for item in items for part in ANY_MARK.split(item)}
        places = {**elsewhere, "inside of items": parts | quoted}
    for place, held in places.items():
        found = len(set(expected).intersection(held))
        if found:
            subject = "1 of them stands" if found == 1 else f"{found:,} of them stand"
            raise InputError(
                f"{len(expected):,} names should be items, but {subject} {place}: this may be the wrong way to read it",
                where=where,
                hint="Say how the data lie there with --layout, --record, --item or --delimiter.",
            )


def check_long(items: Sequence[str], rows: int, records: int, where: str | None) -> None:
    """InputError if a long table with these items may be a table, or one of lists in single cells."""
    if rows != records or records < 2:
        return
    lists = sum(any(mark in item for mark in ",;|[") for item in items)
    what = None
    if lists * MOST >= len(items) > 0:
        what = f"{lists:,} of {len(items):,} items look like whole lists of items"
    elif items and YES_AND_NO.issuperset(item.lower() for item in items):
        what = "its items are only words for yes and no"
    if what is not None:
        raise InputError(
            f"this may be no long table: every record has one row only, and {what}",
            where=where,
            hint="A row is one item of a record: give each item a row of its own. If it is as it should be, say so: "
            "--layout long --record COLUMN --item COLUMN. For tables: policies of kind template and diversity.",
        )


def is_number(field: str) -> bool:
    """Whether a field is a number, a date or a time, rather than a name."""
    return NUMBER.fullmatch(field) is not None


def _other_format(rows: Rows) -> str | None:
    if len(rows) < 2:
        return None
    first = rows[0][0] or next(filter(None, rows[0]))
    if first.startswith("<"):
        return "it looks like HTML or XML"
    if first.lower().startswith(("@relation", "sep=")):
        return "its first line is one of ARFF, or of a spreadsheet, and no basket"
    others = sum((row[0] or " ")[0] == first[0] for row in rows[1:])
    if first[0] in "#%" and others * MOST < len(rows) - 1:
        return f"its first line begins with {first[0]}, as comments do"
    if all(row[-1] == "-2" for row in rows):
        return "all lines end in -2, as sequences do"
    fields = [field for row in rows for field in row if field]
    if sum(COUNTED.fullmatch(field) is not None for field in fields) * 2 > len(fields):
        return "most items have a count, as in 3:1"
    return None


def _known_header(rows: Rows) -> str | None:
    first = [field for field in rows[0] if field] if rows else []
    if len(rows) < (2 if len(first) > 1 else 3):
        return None
    if not all(is_record_name(field) or is_item_name(field) for field in first) or _recurs(first, rows[1:]):
        return None
    return "its first line looks like a header, whose words occur nowhere else"


def _table(rows: Rows, *, apart_by_blanks: bool) -> str | None:
    if len(rows) < 2:
        return None
    widths = [len(row) for row in rows]
    width = max(set(widths), key=widths.count)
    even = [row for row in rows if len(row) == width]
    if width < 2 or len(even) * MOST < len(rows) * (MOST - 1):
        return None
    seen = f"{len(even):,} of {len(rows):,} lines looked at have {width:,} fields"
    first, below = (rows[0], even[1:]) if len(rows[0]) == width else (None, even)
    columns = [[row[k] for row in below if row[k]] for k in range(width)]
    if first is not None:
        if _heads(first, columns):
            return f"{seen}, and numbers stand below the words of the first line, which looks like a header"
        if _typed([[row[k] for row in even if row[k]] for k in range(width)]):
            return f"{seen}, of which some are always numbers and others never"
        if len(rows) >= 3 and all(first) and not _recurs(first, rows[1:]):
            return f"{seen}, and no field of the first line occurs again, so that it may be a header"
    if len(rows) < 3:
        return None
    if _typed(columns):
        return f"{seen}, of which some are always numbers and others never"
    if (width == 2 or not apart_by_blanks) and _apart(columns):
        return f"{seen}, and no value stands in two of the columns"
    if sum(len(set(row) - {""}) < sum(map(bool, row)) for row in below) * MOST >= len(below):
        return f"{seen}, and many of them hold a value more than once"
    if width == 2 and len(even) >= ENOUGH and _ids([row[0] for row in below]):
        return f"{seen}, and the first of them looks like an id"
    if width == 2 and _sided(columns):
        return f"{seen}, and many values stand always in the same of the two, as ids and items do"
    return None


def _ids_in_front(rows: Rows) -> str | None:
    if len(rows) < 3:
        return None
    below = [[field for field in row if field] for row in rows[1:]]
    fronts = [row[0] for row in below]
    others = [field for row in below for field in row[1:]]
    if others and all(map(is_number, fronts)) and not any(map(is_number, others)):
        return "all lines begin with a number, and no other field is one: are these ids?"
    marks = {found[1] if (found := NUMBERED.fullmatch(front)) else None for front in [rows[0][0], *fronts]}
    if others and len(marks) == 1 and len(set(fronts)) == len(fronts):
        mark = marks.pop()
        if mark is not None and not any((found := NUMBERED.fullmatch(f)) and found[1] == mark for f in others):
            return "all lines begin with the same letters and different numbers: are these ids?"
    if len(below) >= ENOUGH and others and all(front.isascii() and front.isdigit() for front in fronts):
        start = int(fronts[0]) if len(fronts[0]) < 19 else 0
        if fronts == [str(start + k) for k in range(len(fronts))]:
            return "the lines are numbered"
    return None


def _uncut(rows: Rows, delimiter: str | None) -> str | None:
    """One field a line, each with the same character inside, and as often."""
    fields = [row[0] for row in rows]
    if len(rows) < 2 or any(len(row) > 1 for row in rows):
        return _commas_between_blanks(rows) if delimiter is None else None
    if delimiter is not None:
        # With an end of line inside, quotes are not closed, which is told as such.
        quoted = sum(delimiter in field.strip(delimiter) and "\n" not in field for field in fields)
        if quoted * MOST >= len(fields):
            inside = delimiter_name(delimiter)
            return f"{quoted:,} of {len(fields):,} lines are one cell with {inside} inside: a list each?"
    marks = [mark for mark in (*DELIMITERS, "::", ":", "/", "~", "^") if mark != delimiter]
    for mark in marks:
        number = fields[0].strip(mark).count(mark)
        if number and all(field.strip(mark).count(mark) == number for field in fields):
            return f"no line is cut into fields, but all have {delimiter_name(mark)} inside{_meant(mark)}"
    for mark in (*marks, "+", "&", "#", "\\"):
        number = sum(mark in field.strip(mark) for field in fields)
        if number * MOST >= len(fields):
            lines = f"{number:,} of {len(fields):,} lines have {delimiter_name(mark)} inside"
            return f"it would be one item a line, but {lines}{_meant(mark)}"
    if delimiter is None:
        return _commas_between_blanks(rows)
    if 2 * sum(len(field.split()) > 1 for field in fields) > len(fields):
        return f"no line has {delimiter_name(delimiter)}, but most have blanks, so that items may be apart by blanks"
    return None


def _commas_between_blanks(rows: Rows) -> str | None:
    lines = [" ".join(row) for row in rows]
    for mark in ",;|":
        number = sum(mark in line for line in lines)
        if number * MOST >= len(rows) > 1:
            seen = f"{number:,} of {len(rows):,} lines have {delimiter_name(mark)}"
            return f"items would be apart by blanks, but {seen}{_meant(mark)}"
    return None


def _meant(mark: str) -> str:
    """The option that takes this for a delimiter, if it can be one."""
    written = "\\t" if mark == "\t" else mark
    return f"; did you mean --delimiter '{written}'?" if len(mark) == 1 else ""


def _heads(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether words stand over numbers, and nowhere a number over anything."""
    if any(is_number(field) for field in first):
        return False
    return any(name and column and all(map(is_number, column)) for name, column in zip(first, columns, strict=True))


def _typed(columns: Sequence[Sequence[str]]) -> bool:
    numbers = [[is_number(field) for field in column] for column in columns if column]
    return any(map(all, numbers)) and any(not any(column) for column in numbers)


def _apart(columns: Sequence[Sequence[str]]) -> bool:
    values = [set(column) for column in columns if column]
    return len(values) > 1 and sum(map(len, values)) == len(set().union(*values))


def _ids(column: Sequence[str]) -> bool:
    """Whether equal values stand together, or hardly any are equal."""
    runs = 1 + sum(a != b for a, b in itertools.pairwise(column))
    distinct = len(set(column))
    return distinct * MOST >= len(column) * (MOST - 1) or (runs == distinct and 1 < distinct < len(column))


def _sided(columns: Sequence[Sequence[str]]) -> bool:
    """Whether of the frequent values of two columns a quarter, and more than one, stand in one of them only.

    Of baskets in no order each would do so with a chance of 1 to 128; in order, the first column has the first items.
    """
    first, second = columns
    if len(first) != len(second):
        return False
    by_text = all(a <= b for a, b in zip(first, second, strict=True))
    if by_text or all(_in_numbers(a) <= _in_numbers(b) for a, b in zip(first, second, strict=True)):
        return False
    left, right = map(Counter, columns)
    common = [value for value, count in (left + right).items() if count >= FREQUENT]
    sided = [value for value in common if not (left[value] and right[value])]
    return len(sided) > 1 and 4 * len(sided) >= len(common)


def _in_numbers(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isascii() and text.isdigit() and len(text) < 19 else (-1, text)


def _recurs(first: Sequence[str], below: Rows) -> bool:
    wanted = {field for field in first if field}
    return any(not wanted.isdisjoint(row) for row in below)


def _without_empty_columns(rows: Rows) -> Rows:
    """The rows without fields that are empty in all of them, as a delimiter at the end of every line makes them."""
    empty = set(range(max(map(len, rows), default=0)))
    for row in rows:
        empty.difference_update(k for k, field in enumerate(row) if field)
    if not empty:
        return rows
    return [[field for k, field in enumerate(row) if k not in empty] for row in rows]
