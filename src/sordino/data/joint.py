"""Several releases of the same people, side by side: one joint record a person.

A person is known by her id, or by the number of her row where there are no ids. Her *pattern* are the releases that
hold her. Her joint record has an item "x in some release" for every x that any of them shows of her, and "x in release
t" where that says more: where not all people of the pattern who have x have it in the same releases.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.distinct import distinct
from sordino.errors import InputError

__all__ = ["SOME", "Joint", "JointTable", "join", "link"]

SOME = 0  # as a release number: in some release, whichever

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Joint:
    """Joint records, person by person, as pairs (owner, item); and what the joint items stand for.

    By item: `pattern`, `name` (in `names`), `release` (from 1, SOME for in some release), `always` (the releases in
    which all have it who have it in some). By person: `pattern_of` and `rows[t]`, her row in each release, or -1.
    Patterns are bits, and so is `always`: 1 for the first release, 2 for the second, and so on.
    """

    owner: Int64
    items: Int64
    pattern: Int64
    name: Int64
    release: Int64
    always: Int64
    names: tuple[str, ...]
    pattern_of: Int64
    rows: tuple[Int64, ...]

    @property
    def people(self) -> int:
        return len(self.pattern_of)

    @cached_property
    def star(self) -> Int64:
        """For every joint item the one that says "in some release" of the same item and pattern."""
        key = self.pattern * len(self.names) + self.name
        some = np.flatnonzero(self.release == SOME)
        order = np.argsort(key[some])
        return some[order][np.searchsorted(key[some][order], key)]

    def named(self, names: Sequence[str]) -> Bools:
        """Which joint items are about any of these names."""
        code = {name: k for k, name in enumerate(self.names)}
        chosen = np.zeros(len(self.names), dtype=np.bool_)
        chosen[[code[name] for name in names if name in code]] = True
        return chosen[self.name]

    def tables(self, sensitive: Sequence[str]) -> Iterator[JointTable]:
        """The tables in which nothing sensitive may be inferred too surely, so that nobody who has all releases can.

        The first has "e in some release" for every sensitive e, but not "e in release t", which implies it. That may
        give away another sensitive item, though. So each that stands beside such an item of another one has a table of
        its own: with all of those and none of its own, as far as anybody who has it is concerned.
        """
        about = self.named(sensitive)
        stars, tags = about & (self.release == SOME), about & (self.release != SOME)
        yield self._table(~tags[self.items], stars)
        for star in self._beside_others(stars, tags):
            have = np.zeros(self.people, dtype=np.bool_)
            have[self.owner[self.items == star]] = True
            beside = np.zeros(len(self.name), dtype=np.bool_)
            beside[self.items[have[self.owner]]] = True
            beside &= ~(tags & (self.star == star))
            only = np.zeros(len(self.name), dtype=np.bool_)
            only[star] = True
            yield self._table(beside[self.items], only)

    def _table(self, kept: Bools, sensitive: Bools) -> JointTable:
        people, rows = np.unique(self.owner[kept], return_inverse=True)
        items, codes = np.unique(self.items[kept], return_inverse=True)
        names = tuple(map(str, items.tolist()))
        return JointTable(Baskets.from_pairs(rows, codes, names, len(people)), sensitive[items], people)

    def _beside_others(self, stars: Bools, tags: Bools) -> list[int]:
        """The items "e in some release" beside which somebody has "f in release t" of another sensitive f."""
        if not tags.any():
            return []
        tagged = tags[self.items]
        count = np.bincount(self.owner[tagged], minlength=self.people)
        own, number = np.unique(
            self.star[self.items[tagged]] * np.int64(self.people) + self.owner[tagged], return_counts=True
        )
        starred = stars[self.items]
        asked = self.items[starred] * np.int64(self.people) + self.owner[starred]
        place = np.minimum(np.searchsorted(own, asked), len(own) - 1)
        others = count[self.owner[starred]] > np.where(own[place] == asked, number[place], 0)
        found: list[int] = np.unique(self.items[starred][others]).tolist()
        return found


@dataclass(frozen=True, eq=False)
class JointTable:
    """Joint records: names are numbers of joint items, rows are `people`; which codes are `sensitive`."""

    baskets: Baskets
    sensitive: Bools
    people: Int64


def link(people: Sequence[Sequence[Hashable]]) -> tuple[Int64, ...]:
    """For each release the row of every person, or -1; people are numbered as they first appear."""
    number: dict[Hashable, int] = {}
    for t, release in enumerate(people, 1):
        if len(set(release)) < len(release):
            raise InputError(f"release {t} holds a person twice, so its rows cannot be matched with those of another")
        for person in release:
            number.setdefault(person, len(number))
    rows = []
    for release in people:
        row = np.full(len(number), -1, dtype=np.int64)
        row[[number[person] for person in release]] = np.arange(len(release))
        rows.append(row)
    return tuple(rows)


def join(releases: Sequence[Baskets], rows: Sequence[Int64]) -> Joint:
    """The joint records of releases whose rows are linked."""
    number: dict[str, int] = {}
    for release in releases:
        for code in np.flatnonzero(release.supports).tolist():
            number.setdefault(release.names[code], len(number))
    width = max(len(number), 1)
    times = len(releases) + 1
    pattern_of: Int64 = np.zeros(len(rows[0]) if len(rows) else 0, dtype=np.int64)
    owners: list[Int64] = []
    names: list[Int64] = []
    when: list[Int64] = []
    for t, (release, row) in enumerate(zip(releases, rows, strict=True), 1):
        pattern_of[row >= 0] |= 1 << (t - 1)
        person = np.empty(len(release), dtype=np.int64)
        person[row[row >= 0]] = np.flatnonzero(row >= 0)
        owners.append(np.repeat(person, release.lengths))
        names.append(_numbers(release, number)[release.items])
        when.append(np.full(len(release.items), t, dtype=np.int64))
    owner, name, at = np.concatenate(owners), np.concatenate(names), np.concatenate(when)
    some = distinct(owner * width + name)
    owner = np.concatenate([some // width, owner])
    name = np.concatenate([some % width, name])
    at = np.concatenate([np.full(len(some), SOME, dtype=np.int64), at])
    keys: Int64 = (pattern_of[owner] * width + name) * times + at
    used, items, holders = np.unique(keys, return_inverse=True, return_counts=True)
    at_all = np.searchsorted(used, used - used % times)  # the item "in some release", which sorts first
    informative = (used % times == SOME) | (holders < holders[at_all])  # what all of them have tells nothing more
    always = np.zeros(len(used), dtype=np.int64)
    same = np.flatnonzero(~informative)
    np.bitwise_or.at(always, at_all[same], np.int64(1) << (used[same] % times - 1))
    renumbered = np.cumsum(informative) - 1
    kept = informative[items]
    used = used[informative]
    return Joint(
        owner=owner[kept],
        items=renumbered[items[kept]],
        pattern=used // times // width,
        name=used // times % width,
        release=used % times,
        always=always[informative],
        names=tuple(number),
        pattern_of=pattern_of,
        rows=tuple(rows),
    )


def _numbers(release: Baskets, number: Mapping[str, int]) -> Int64:
    used = np.flatnonzero(release.supports)
    out = np.full(len(release.names), -1, dtype=np.int64)
    out[used] = [number[release.names[code]] for code in used.tolist()]
    return out
