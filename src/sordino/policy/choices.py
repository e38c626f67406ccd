"""Who finds what sensitive: choices as people state them, and in the terms of one data set (model.md 1.1, NAKA 4.1).

Choices are personal data. No message says who chose, or what: only how many did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.errors import InputError, NoRecordsError

__all__ = [
    "EVERYBODY",
    "NOBODY",
    "ChoiceProblems",
    "Choices",
    "PersonalChoices",
    "read_choices",
    "resolve_choices",
    "unknown_records",
]

NOBODY, EVERYBODY = -1, -2

U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Choices:
    """Pairs (record, item) as they were stated: a table with record ids, or bits by item for records in order.

    Records are named by their ids, or, where the data have none, by their position; `first` is the position of the
    first record (a file that counts its lines from 1 says 1). In the second form, bit u of row k says that record u
    chose `names[k]`.
    """

    table: Baskets | None = None
    first: int = 0
    names: tuple[str, ...] = ()
    bits: U64 | None = None
    header: tuple[str, str] | None = None  # what was taken for the names of the columns, if that was a guess

    @classmethod
    def of_mapping(cls, choices: Mapping[Any, Iterable[object] | str]) -> Choices:
        """Choices from a mapping record -> items."""
        sets = [[items] if isinstance(items, str) else list(items) for items in choices.values()]
        return cls(Baskets.from_sets(sets, ids=choices.keys()))

    @classmethod
    def of_matrix(cls, chosen: npt.NDArray[np.bool_], names: Iterable[object]) -> Choices:
        """Choices from an array (items x records) of True and False; the names of the items in the same order."""
        packed = np.packbits(chosen, axis=1, bitorder="little")
        return cls(names=tuple(map(str, names)), bits=_words(packed))

    @property
    def people(self) -> int:
        """How many records are named, as far as that shows without the data."""
        if self.table is not None:
            return len(self.table)
        assert self.bits is not None
        everyone = np.bitwise_or.reduce(self.bits, axis=0) if len(self.bits) else np.zeros(0, dtype=np.uint64)
        return int(np.bitwise_count(everyone).sum())

    @property
    def items(self) -> tuple[str, ...]:
        """What anybody chose."""
        if self.table is not None:
            return tuple(self.table.names[code] for code in np.flatnonzero(self.table.supports).tolist())
        assert self.bits is not None
        return tuple(name for name, row in zip(self.names, self.bits, strict=True) if row.any())

    def to_arrow(self) -> Any:
        """The pairs as an Arrow table with the columns `record` (text) and `item`."""
        import pyarrow as pa

        if self.table is not None:
            ids: Any = pa.array(self.table.ids or (), type=pa.string())
            owner = np.repeat(np.arange(len(self.table)), self.table.lengths)
            names, codes = self.table.names, self.table.items
        else:
            assert self.bits is not None
            rows = [_unpacked(row) for row in self.bits]
            codes = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
            owner = np.concatenate([*rows, np.empty(0, dtype=np.int64)])
            last = int(owner.max(initial=-1)) + 1
            ids, names = pa.array(map(str, range(self.first, self.first + last)), type=pa.string()), self.names
        items = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(names, type=pa.string()))
        record = pa.DictionaryArray.from_arrays(pa.array(owner.astype(np.int32)), ids)
        return pa.table({"record": record.cast(pa.string()), "item": items.cast(pa.string())})

    @cached_property
    def _content(self) -> tuple[object, ...]:
        if self.table is None:
            assert self.bits is not None
            return self.first, self.names, self.bits.tobytes()
        return self.first, frozenset(zip(self.table.ids or (), self.table, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choices) and self._content == other._content

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:  # who chose what must not show, not even in a debugger's summary of a policy
        return "Choices(...)"

    def placed(self, baskets: Baskets) -> tuple[I64, I64, int, int]:
        """The pairs as (position, code) in these baskets; records named but not there; items that occur nowhere.

        An InputError if a record is named by an id that several records have.
        """
        assert self.table is not None
        table = self.table
        ids = table.ids or ()
        if baskets.ids is None:
            place = np.fromiter((_position(key, self.first) for key in ids), dtype=np.int64, count=len(ids))
            place[place >= len(baskets)] = -1
        else:
            position = {name: u for u, name in enumerate(baskets.ids)}
            if len(position) < len(baskets.ids):
                twice = [name for name, times in Counter(baskets.ids).items() if times > 1]
                named = len(set(twice).intersection(ids))
                if named:
                    what = "1 id that" if named == 1 else f"{named:,} ids that"
                    raise InputError(f"the choices name records by {what} several records have")
            place = np.fromiter((position.get(key, -1) for key in ids), dtype=np.int64, count=len(ids))
        code = _codes(table.names, baskets)
        owner = np.repeat(place, table.lengths)
        codes = code[table.items]
        known = (owner >= 0) & (codes >= 0)
        return owner[known], codes[known], int((place < 0).sum()), int((code < 0).sum())


@dataclass(frozen=True, eq=False)
class PersonalChoices:
    """Choices in the terms of one data set: for every item code who finds it sensitive.

    row[code] is NOBODY, EVERYBODY, or a row of `bits`, in which bit u stands for record u.
    """

    row: I64
    bits: U64
    records: int

    def chosen_by(self, code: int) -> Bools:
        """For every record whether its owner finds the item sensitive."""
        row = int(self.row[code])
        if row < 0:
            return np.full(self.records, row == EVERYBODY)
        chosen = np.zeros(self.records, dtype=np.bool_)
        chosen[_unpacked(self.bits[row])] = True
        return chosen

    @property
    def counts(self) -> I64:
        """For every item how many find it sensitive."""
        out: I64 = np.where(self.row == EVERYBODY, self.records, 0).astype(np.int64)
        if len(self.bits):
            of_row = np.bitwise_count(self.bits).sum(axis=1, dtype=np.int64)
            out[self.row >= 0] = of_row[self.row[self.row >= 0]]
        return out

    def only(self, members: I64) -> PersonalChoices:
        """The same for some of the records, numbered anew."""
        bits = np.zeros((len(self.bits), (len(members) + 63) // 64), dtype=np.uint64)
        for k in range(len(self.bits)):
            word = self.bits[k, members >> 6]
            chosen = (word >> (members & 63).astype(np.uint64)) & np.uint64(1) != 0
            bits[k] = _words(np.packbits(chosen[None, :], axis=1, bitorder="little"))[0, : bits.shape[1]]
        return PersonalChoices(self.row, bits, len(members))

    def anybody(self) -> Bools:
        """For every record whether its owner finds anything sensitive that somebody has."""
        if (self.row == EVERYBODY).any():
            return np.ones(self.records, dtype=np.bool_)
        rows = np.unique(self.row[self.row >= 0])
        one: U64 = np.bitwise_or.reduce(self.bits[rows], axis=0) if len(rows) else np.zeros(0, dtype=np.uint64)
        choosing = np.zeros(self.records, dtype=np.bool_)
        choosing[_unpacked(one)] = True
        return choosing

    def occurrences(self, baskets: Baskets) -> Bools:
        """Which occurrences (record, item) are sensitive for the person whose record it is."""
        owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
        row = self.row[baskets.items]
        out: Bools = row == EVERYBODY
        mixed = np.flatnonzero(row >= 0)
        word = self.bits[row[mixed], owner[mixed] >> 6]
        out[mixed] = (word >> (owner[mixed] & 63).astype(np.uint64)) & np.uint64(1) != 0
        return out


def read_choices(source: object, *, record: str | None = None, item: str | None = None, first: int = 0) -> Choices:
    """Choices from a mapping record -> items, pairs (record, item), a frame, or a CSV or Parquet file of such pairs."""
    if isinstance(source, Choices):
        return source
    if isinstance(source, Mapping):
        return Choices.of_mapping(source)
    if isinstance(source, list | tuple):
        grouped: dict[str, list[object]] = {}
        for pair in source:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise InputError("choices are pairs of a record and an item")
            grouped.setdefault(str(pair[0]), []).append(pair[1])
        return Choices.of_mapping(grouped)
    try:
        table = read_baskets(source, layout="long", record=record, item=item, missing=())
    except NoRecordsError:  # columns without a row: nobody chose anything
        return Choices.of_mapping({})
    names = table.origin.record or "", table.origin.item or ""
    sure = table.origin.format != "csv" or (record is not None and item is not None)
    sure = sure or (is_record_name(names[0]) and is_item_name(names[1]))
    return Choices(table, first, header=None if sure else names)


@dataclass
class ChoiceProblems:
    """What is to be said about choices: remarks, problems that can be accepted, and such that cannot."""

    remarks: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def resolve_choices(
    baskets: Baskets, common: Bools, per_record: Choices | None, except_for: Choices | None
) -> tuple[PersonalChoices, ChoiceProblems]:
    """E_u of every record: the common items and its own ones, without those that it is excepted from; and what to say.

    A choice that finds no record protects nobody. Some of them may be about people who are not in the data, and can be
    accepted; if all are, they are about other data. The same goes for items, of which single ones may well be nobody's.
    """
    records = len(baskets)
    row: I64 = np.where(common, EVERYBODY, NOBODY).astype(np.int64)
    bits = np.zeros((0, (records + 63) // 64), dtype=np.uint64)
    changed: dict[int, U64] = {}  # in words from the start: a flag for each would take eight times the memory
    problems = ChoiceProblems()
    for choices, chosen in ((per_record, True), (except_for, False)):
        if choices is None:
            continue
        if chosen and not choices.people:
            problems.remarks.append("The choices name nobody; only what is sensitive to everybody counts.")
        if choices.bits is not None:
            codes, held = _codes(choices.names, baskets), _fitted(choices.bits, records)
            here = Choices(names=choices.names, bits=held).people
            _note_missing(problems, choices.people - here, choices.people, int((codes < 0).sum()), len(codes))
            if chosen:
                bits, fresh = held, (codes >= 0) & ~common[codes]
                row[codes[fresh]] = np.flatnonzero(fresh)
                continue
            for k in np.flatnonzero(codes >= 0).tolist():
                code = int(codes[k])
                if code not in changed:
                    changed[code] = _row_of(row[code], bits, records)
                changed[code] &= ~held[k]
            continue
        assert choices.table is not None
        _check_header(problems, choices.header, baskets)
        try:
            owner, codes, unknown, nowhere = choices.placed(baskets)
        except InputError as error:
            problems.wrong.append(error.what)
            continue
        _note_missing(problems, unknown, len(choices.table), nowhere, len(choices.table.names))
        order = np.argsort(codes, kind="stable")
        edges = np.flatnonzero(np.diff(codes[order], prepend=-1))
        for group in np.split(order, edges[1:]) if len(order) else []:
            code = int(codes[group[0]])
            if code not in changed:
                changed[code] = _row_of(row[code], bits, records)
            who = owner[group]
            one = np.uint64(1) << (who & 63).astype(np.uint64)
            if chosen:
                np.bitwise_or.at(changed[code], who >> 6, one)
            else:
                np.bitwise_and.at(changed[code], who >> 6, ~one)
    if changed:
        row[list(changed)] = np.arange(len(bits), len(bits) + len(changed))
        bits = np.stack([*bits, *changed.values()])
    counts = np.bitwise_count(bits).sum(axis=1)
    mixed = np.flatnonzero(row >= 0)
    of_item = counts[row[mixed]]
    row[mixed[of_item == records]] = EVERYBODY
    row[mixed[of_item == 0]] = NOBODY
    return PersonalChoices(row, bits, records), problems


def unknown_records(baskets: Baskets, *stated: Choices | None) -> list[str]:
    """What is wrong with choices that name records which the data do not have, or have several times."""
    problems = ChoiceProblems()
    for choices in stated:
        if choices is not None and choices.table is not None:
            _check_header(problems, choices.header, baskets)
            try:
                unknown = choices.placed(baskets)[2]
            except InputError as error:
                problems.wrong.append(error.what)
                continue
            _note_missing(problems, unknown, len(choices.table), 0, 1)
    return [*problems.wrong, *problems.lacking]


def _note_missing(problems: ChoiceProblems, unknown: int, people: int, vacuous: int, items: int) -> None:
    """Choices of so many `people`, of whom the data lack `unknown`, about items of which `vacuous` are nobody's."""
    if people and unknown == people:
        problems.wrong.append(f"the choices name {_records(unknown)}, and the data have none of them")
    elif unknown:
        problems.lacking.append(f"the choices name {_records(unknown)} that the data do not have")
        problems.remarks.append(
            f"The choices name {_records(unknown)} that the data do not have; these choices were passed over."
        )
    what = "1 item" if vacuous == 1 else f"{vacuous:,} items"
    if vacuous and vacuous == items:
        problems.lacking.append(f"the choices name {what}, and nobody has any of them")
    if vacuous:
        problems.remarks.append(f"The choices name {what} that nobody has, so there is nothing to infer.")


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{number:,} records"


def _check_header(problems: ChoiceProblems, header: tuple[str, str] | None, baskets: Baskets) -> None:
    """A file without a header would lose its first choice: what was read as the header must not be one."""
    if header is None:
        return
    record, item = header
    if item in baskets.code_of or (baskets.ids is not None and record in baskets.ids):
        problems.wrong.append(
            "the first line of the choices was taken for its header, but reads like a choice: begin the file with the "
            "line record,item"
        )


def _codes(names: tuple[str, ...], baskets: Baskets) -> I64:
    """The codes of the names, -1 for those that occur in no record."""
    code_of, supports = baskets.code_of, baskets.supports
    codes = np.fromiter((code_of.get(name, -1) for name in names), dtype=np.int64, count=len(names))
    codes[codes >= 0] = np.where(supports[codes[codes >= 0]] > 0, codes[codes >= 0], -1)
    return codes


def _position(key: str, first: int) -> int:
    """The position that a text names, -1 if none."""
    text = key.strip()
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        return -1
    return max(int(text) - first, -1)


def _words(packed: npt.NDArray[np.uint8]) -> U64:
    """Rows of bytes as rows of 64-bit words."""
    missing = -packed.shape[1] % 8
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, missing)))).view("<u8").astype(np.uint64)


def _fitted(bits: U64, records: int) -> U64:
    """The bits for exactly so many records: those beyond are dropped."""
    words = (records + 63) // 64
    out = np.zeros((len(bits), words), dtype=np.uint64)
    shared = min(words, bits.shape[1])
    out[:, :shared] = bits[:, :shared]
    if records % 64 and words:
        out[:, -1] &= (np.uint64(1) << np.uint64(records % 64)) - np.uint64(1)
    return out


def _row_of(row: int, bits: U64, records: int) -> U64:
    """A row of bits of its own: those of `row`, or of everybody or nobody."""
    if row >= 0:
        own: U64 = bits[row].copy()
        return own
    if row == NOBODY:
        return np.zeros((records + 63) // 64, dtype=np.uint64)
    everybody: U64 = _fitted(np.full((1, (records + 63) // 64), np.iinfo(np.uint64).max, dtype=np.uint64), records)[0]
    return everybody


def _unpacked(row: U64) -> I64:
    """The positions of the bits that are set."""
    return np.flatnonzero(np.unpackbits(row.astype("<u8").view(np.uint8), bitorder="little"))
