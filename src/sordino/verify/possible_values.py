"""Which sensitive values stay possible for whom in a grouped table, for someone who knows rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sordino.data.grouped_file import GroupedFile
from sordino.data.table import Column, Table
from sordino.errors import InputError
from sordino.verify.bounded import Effort, LeftOpenError
from sordino.verify.knowledge_file import KNOWLEDGE, Meaning, Rules
from sordino.verify.possible import possible_counts

__all__ = ["People", "PeopleOfFile"]

ABSENT = "(missing)"
CELLS = 1 << 32  # people times values, of whom nobody is asked about more
STEPS, EXCHANGES = 1_000_000_000_000, 20  # people times rules, and what an exchange between two values costs
REMEMBERED = 1 << 20  # different groups whose count is kept, so that equal ones are not counted again
ELSEWHERE = f"a rule in {KNOWLEDGE} is about a column that is no quasi-identifier"
UNEXPLAINED = f"a rule in {KNOWLEDGE} names a value or a group that is neither in the data nor explained there"


class People:
    """Who is in which group, and what may be possible for them."""

    def __init__(self, table: Table, group: npt.NDArray[np.int64], sensitive: str, quasi: Sequence[str]) -> None:
        self.names, self.value = _texts(table.column(sensitive))
        self.columns = {name: _texts(table.column(name)) for name in quasi}
        self.order = np.argsort(group, kind="stable")
        self.bounds = np.flatnonzero(np.diff(group[self.order], prepend=-1, append=-1)).tolist()
        self.effort = Effort(STEPS, "the count of possible values")
        self.examined = 0
        if len(group) * len(self.names) > CELLS:
            raise LeftOpenError("there are too many people and values to count what is possible for each of them")

    def diversity(self, known: Sequence[tuple[Meaning, Rules]]) -> tuple[int, int, int]:
        """The fewest different values of a group, the fewest possible ones of a person, and the number of groups."""
        excluded = self._excluded(known)
        sets, codes = [excluded[row] for row in self.order.tolist()], self.value[self.order].tolist()
        return self._count([(sets, codes, self.bounds)])

    def _count(self, pieces: Iterable[tuple[list[int], list[int], list[int]]]) -> tuple[int, int, int]:
        """The same of pieces: what everybody cannot have, the values, and where groups begin and the last one ends."""
        plain: int | None = None
        matching = people = groups = 0
        seen: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        for sets, codes, bounds in pieces:
            people += len(codes)
            for lo, hi in pairwise(bounds):
                key = tuple(sorted(sets[lo:hi])), tuple(sorted(codes[lo:hi]))
                values = len(set(key[1]))
                possible = seen.get(key)
                if possible is None:
                    self.effort.spend(values * values * (1 + len(set(key[0]))) * EXCHANGES)
                    counts = possible_counts(*key)
                    if counts is None:
                        raise InputError("a group contradicts the rules")
                    possible = min(counts.values())
                    self.examined += 1
                    if len(seen) < REMEMBERED:
                        seen[key] = possible
                if plain is None:
                    plain, matching = values, possible
                plain, matching = min(plain, values), min(matching, possible)
            groups += len(bounds) - 1
        return (people + 1, people + 1, groups) if plain is None else (plain, matching, groups)

    def check_published(self, meaning: Meaning, rules: Rules) -> None:
        """An InputError if a published rule says nothing about these people, as it does by a name that nobody explains:
        what it excludes would not be counted."""
        for conditions, value in rules:
            for attribute, label in conditions.items():
                if attribute not in self.columns:
                    raise InputError(ELSEWHERE)
                if not set(meaning.get(attribute, {}).get(label, [label])) <= set(self.columns[attribute][0]):
                    raise InputError(UNEXPLAINED)
            if value not in self.names:
                raise InputError(UNEXPLAINED)

    def _excluded(self, known: Sequence[tuple[Meaning, Rules]]) -> list[int]:
        """What each row cannot have, as bits."""
        people = len(self.value)
        place = {name: code for code, name in enumerate(self.names)}
        cannot = np.zeros((people, len(self.names)), dtype=np.bool_)
        for groups, rules in known:
            fitting: dict[tuple[str, str], npt.NDArray[np.bool_]] = {}
            for conditions, value in rules:
                self.effort.spend(people * (1 + len(conditions)))
                fits = np.ones(people, dtype=np.bool_)
                for attribute, label in conditions.items():
                    if attribute not in self.columns:
                        raise InputError(ELSEWHERE)
                    if (attribute, label) not in fitting:
                        texts, codes = self.columns[attribute]
                        inside = set(groups.get(attribute, {}).get(label, [label]))
                        fitting[attribute, label] = np.array([text in inside for text in texts])[codes]
                    fits &= fitting[attribute, label]
                if value in place:
                    cannot[fits, place[value]] = True
        kinds, kind_of = np.unique(np.packbits(cannot, axis=1, bitorder="little"), axis=0, return_inverse=True)
        bits = [int.from_bytes(kind.tobytes(), "little") for kind in kinds]
        return [bits[k] for k in kind_of.reshape(-1).tolist()]


class PeopleOfFile(People):
    """The same of a file that is read in pieces; here are the combinations of quasi-identifiers, and the values."""

    def __init__(self, file: GroupedFile, quasi: Sequence[str]) -> None:
        table = file.joined(file.sensitive)
        super().__init__(table, np.zeros(len(table), dtype=np.int64), file.sensitive, quasi)
        self.file = file

    def diversity(self, known: Sequence[tuple[Meaning, Rules]]) -> tuple[int, int, int]:
        excluded, last = self._excluded(known), len(self.names) - 1

        def pieces() -> Iterator[tuple[list[int], list[int], list[int]]]:
            for piece in self.file.pieces():
                bounds = np.flatnonzero(np.diff(piece.group, prepend=-1, append=-1))
                sets = [excluded[row] for row in piece.row.tolist()]
                yield sets, np.where(piece.value < 0, last, piece.value).tolist(), bounds.tolist()

        return self._count(pieces())


def _texts(column: Column) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """The texts of a column, one more for cells without a value, and the code of every row."""
    absent = ABSENT
    while absent in column.texts:
        absent += "'"
    codes = column.codes.astype(np.int64)
    return (*column.texts, absent), np.where(codes < 0, len(column.texts), codes)
