"""Grouped tables: who is in which group, and which sensitive values each group holds, but not who has which.

In one file every row has a group, and a value that only says that the group holds it. In two, the rows have a group,
and a table (group, value, count) says what each group holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import Column, Table, weighted
from sordino.errors import InputError, did_you_mean

__all__ = ["Grouped", "check_made_from", "read_groups"]

COUNT_NAMES = ("count", "number", "n", "frequency")


@dataclass(frozen=True, eq=False)
class Grouped:
    """A grouped table. `group` names the column of the groups; `values` is the table of values, if there are two.

    original: the table that it was made from, if known, from which an adversary's rules can be mined; rules: negative
    rules that were published with it (None: nothing was said about rules, which is not to say that there are none).
    """

    table: Table
    group: str
    values: Table | None = None
    original: Table | None = field(default=None, repr=False)
    rules: tuple[Any, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.table)

    def groups(self) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
        """The group of every row, and how the groups are called. A row without a group is an InputError."""
        column = self.table.column(self.group)
        if column.lacking:
            rows = "1 row has" if column.lacking == 1 else f"{column.lacking:,} rows have"
            raise InputError(f"{rows} no group in the column '{self.group}'")
        return column.codes.astype(np.int64), column.texts

    def joined(self, sensitive: str) -> Table:
        """One table: every row with a sensitive value of its group, in any order within the group."""
        if self.values is None:
            return self.table
        codes, labels = self.groups()
        held = self.values
        value, own = held.column(sensitive), held.column(self.group)
        count = _counts(held, sensitive, self.group)
        known = {label: k for k, label in enumerate(labels)}
        place = np.array([*(known.get(text, -1) for text in own.texts), -1])
        group = place[own.codes]
        if (group < 0).any():
            raise InputError("the table of values has groups that no row is in")
        has = np.bincount(codes, minlength=len(labels))
        given = np.bincount(group, weights=count, minlength=len(labels)).astype(np.int64)
        if not np.array_equal(has, given):
            wrong = int(np.count_nonzero(has != given))
            what = "1 group has" if wrong == 1 else f"{wrong:,} groups have"
            raise InputError(f"{what} another number of people than of values")
        order = np.argsort(group, kind="stable")
        spread = np.repeat(value.codes[order], count[order])
        cells = np.empty(len(codes), dtype=np.int32)
        cells[np.argsort(codes, kind="stable")] = spread
        return self.table.with_column(Column(sensitive, cells, value.values, value.kind, value.written, value.missing))

    def check_original(self, original: Table, quasi: Sequence[str], sensitive: str) -> None:
        """An InputError unless everybody here, and every value, is found in the original: others teach other rules."""
        joined = self.joined(sensitive)
        check_made_from(joined, joined, original, quasi, sensitive)


def check_made_from(people: Table, values: Table, original: Table, quasi: Sequence[str], sensitive: str) -> None:
    """An InputError unless the original has all people, by their quasi-identifiers, and all values."""
    missing = [name for name in (*quasi, sensitive) if name not in original.names]
    if missing:
        raise InputError(
            f"the original has no column '{missing[0]}'", hint=f"Its columns: {', '.join(original.names)}."
        )
    for here, names, what in ((people, tuple(quasi), "people"), (values, (sensitive,), f"values of '{sensitive}'")):
        lacking = _more_here(here, original, names)
        if lacking:
            raise InputError(
                f"these groups were not made from the original that is named: it lacks {lacking:,} of their {what}",
                hint="State the table from which the groups were made, and how it is read.",
            )


def read_groups(source: object, group: str, values: object = None, original: object = None, **form: Any) -> Grouped:
    """A grouped table, from one file or two; `group` names the column of the groups in both.

    source, values (group, value, count) and original are whatever `read_table` takes, `form` how they are read.
    """
    from sordino.data.read_table import read_table

    table = read_table(source, **form)
    held = None if values is None else read_table(values, **form)
    for what, one in (("the table", table), ("the table of values", held)):
        if one is not None and group not in one.names:
            raise InputError(
                f"{what} has no column '{group}'.{did_you_mean(group, one.names)}",
                hint=f"Its columns are: {', '.join(one.names)}.",
            )
    return Grouped(table, group, held, None if original is None else read_table(original, **form))


def _more_here(here: Table, there: Table, names: tuple[str, ...]) -> int:
    """How many rows of `here`, as these columns show them, have no counterpart of their own `there`."""
    coded = []
    for name in names:
        one, other = here.column(name), there.column(name)
        place = {text: code for code, text in enumerate(dict.fromkeys((*one.texts, *other.texts)))}
        coded.append(
            np.concatenate(
                [np.array([*(place[text] for text in column.texts), -1])[column.codes] for column in (one, other)]
            )
        )
    _, kind = np.unique(np.stack(coded, axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    mine = weighted(kind[: len(here)], here.weight, int(kind.max(initial=-1)) + 1)
    theirs = weighted(kind[len(here) :], there.weight, len(mine))
    return int(np.maximum(mine - theirs, 0).sum())


def _counts(held: Table, sensitive: str, group: str) -> npt.NDArray[np.int64]:
    """How many people of its group have the value of each row; 1 if no column says."""
    others = [column for column in held.columns if column.name not in (sensitive, group)]
    named = [column for column in others if column.name.lower() in COUNT_NAMES] or others
    if not named:
        return np.ones(len(held), dtype=np.int64)
    if len(named) > 1:
        raise InputError("more than one column could be the count", hint="Call one of them Count.")
    column = named[0]
    if column.lacking or not all(text.isascii() and text.isdecimal() and len(text) < 16 for text in column.texts):
        raise InputError(f"the column '{column.name}' must hold whole numbers: how many people have the value")
    numbers = np.array([int(text) for text in column.texts], dtype=np.int64)
    counts: npt.NDArray[np.int64] = numbers[column.codes]
    if int(counts.sum()) > 1 << 40:
        raise InputError(f"the numbers in the column '{column.name}' are too large")
    return counts
