"""Injector's grouping as printed (LI, Fig. 2), line by line; it is `injector` with `algorithm="paper"`.

People of one class (sensitive value and excluded set) are interchangeable, so counts of classes stand for the paper's
N[s][S'], and chance decides who of a class goes where. Everything else is literal: the seed of each group is who has
the most incompatible people (NIT), counted anew each time; partners join who are compatible and leave the fewest
incompatible, also counted anew; a seed that finds no l - 1 of them is set aside, and counted on (line 9 returns its
count with those of its group); those set aside are placed one by one, in the order in which they were, into the group
with the fewest people incompatible with them, and groups of the most other values are joined to it until they have l
valid values there (exactly counted). Ties, about which the paper is silent: the first class, the first group.

**Guarantee.** People in a formed group have l values each, and neither joining people nor groups takes one away (see
injector.py). The paper does not say what happens when no group is left to join and somebody still lacks values, or when
no group was formed at all. Then all are one group, and everybody who comes later joins it: as l can be had at all
(asked first), it has l values for each.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Watch, raise_if_stopped
from sordino.protect.buckets import Classes, possible_in_one_group
from sordino.protect.kernels.groups.bucketize import count_incompatible

__all__ = ["as_printed"]

Int64 = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


def as_printed(
    classes: Classes, excluded: Bits, sets: npt.NDArray[np.uint64], size: int, watch: Watch
) -> list[list[int]]:
    """The groups, each a list of classes; `excluded` says by class and value who cannot have what."""
    formed, aside = _Forming(classes, excluded, sets, size, watch).run()
    return _Placing(classes, excluded, sets, size, formed).run(aside, watch)


class _Forming:
    """Lines 1 to 17: groups of l people, each compatible with each other; and who is left."""

    def __init__(self, classes: Classes, excluded: Bits, sets: npt.NDArray[np.uint64], size: int, watch: Watch) -> None:
        self.size, self.watch = size, watch
        self.here = classes.count.copy()  # of T
        self.counted = classes.count.copy()  # the paper's N
        self.value, self.kind, self.sets = classes.value, classes.kind, sets
        self.excluded = excluded
        self.values = np.arange(excluded.shape[1])

    def run(self) -> tuple[list[list[int]], list[int]]:
        formed: list[list[int]] = []
        aside: list[int] = []
        people = int(self.here.sum())
        while (left := int(self.here.sum())) >= self.size:  # one seed less with each turn
            self.watch.report("forming groups", people - left, people)
            group = self._group()
            if len(group) == self.size:
                formed.append(group)
            else:
                for c in group:
                    self._put(c, 1)
                self.here[group[0]] -= 1
                aside.append(group[0])
        for c in np.flatnonzero(self.here).tolist():
            aside += [c] * int(self.here[c])
        return formed, aside

    def _group(self) -> list[int]:
        """Lines 3 to 15: a seed and as many partners as there are."""
        group = [self._first(-self._incompatible(self.counted), self.here > 0)]
        self._put(group[0], -1)
        bad = self._bad(group[0])
        while len(group) < self.size:
            fit = (self.here > 0) & ~bad
            if not fit.any():
                break
            # Who is incompatible with the group stays so, whoever joins: only the others tell partners apart.
            group.append(self._first(self._incompatible(np.where(bad, 0, self.counted)), fit))
            self._put(group[-1], -1)
            bad |= self._bad(group[-1])
        return group

    def _put(self, c: int, step: int) -> None:
        self.here[c] += step
        self.counted[c] += step

    def _bad(self, c: int) -> Bits:
        """Definition 2: which classes are incompatible with class c."""
        return _incompatible_with(self.value, self.excluded, c)

    def _incompatible(self, count: Int64) -> Int64:
        """NIT of one person of each class, among people of these counts."""
        clash = np.zeros((len(self.values), len(self.values)), dtype=np.int64)
        found = np.zeros(len(count), dtype=np.int64)
        stop = self.watch.stop
        count_incompatible(self.value, self.kind, count, self.sets, self.values, clash, found, stop)
        raise_if_stopped(stop)
        return found

    @staticmethod
    def _first(score: Int64, able: Bits) -> int:
        return int(np.argmin(np.where(able, score, np.iinfo(np.int64).max)))


class _Placing:
    """Lines 18 to 23: everybody who is left joins a group, and groups are joined for whom that is not enough."""

    def __init__(
        self, classes: Classes, excluded: Bits, sets: npt.NDArray[np.uint64], size: int, formed: list[list[int]]
    ) -> None:
        self.classes, self.excluded, self.sets, self.size = classes, excluded, sets, size
        self.groups = formed
        self.values = np.zeros((len(formed), excluded.shape[1]), dtype=np.bool_)  # SEN
        for g, group in enumerate(formed):
            self.values[g, classes.value[group]] = True
        self.there = np.ones(len(formed), dtype=np.bool_)  # L

    def run(self, aside: list[int], watch: Watch) -> list[list[int]]:
        if not self.groups or not aside:
            return self.groups or [aside]
        late = np.unique(np.array(aside, dtype=np.int64))
        row = {int(c): k for k, c in enumerate(late)}
        bad = np.empty((len(late), len(self.classes)), dtype=np.bool_)
        for k, c in enumerate(late.tolist()):
            raise_if_stopped(watch.stop)
            bad[k] = _incompatible_with(self.classes.value, self.excluded, c)
        conflicts = np.empty((len(late), len(self.groups)), dtype=np.int64)  # how many people there are incompatible
        for g, group in enumerate(self.groups):
            raise_if_stopped(watch.stop)
            conflicts[:, g] = bad[:, group].sum(axis=1)
        for done, c in enumerate(aside):
            watch.report("placing the rest", done, len(aside))
            raise_if_stopped(watch.stop)
            home = int(np.argmin(np.where(self.there, conflicts[row[c]], np.iinfo(np.int64).max)))
            self.groups[home].append(c)
            self.values[home, self.classes.value[c]] = True
            conflicts[:, home] += bad[:, c]
            while self.there.sum() > 1 and self._possible(home, c, watch) < self.size:  # one group less with each turn
                gain = (self.values & ~self.values[home]).sum(axis=1)
                other = int(np.argmax(np.where(self.there & (np.arange(len(gain)) != home), gain, -1)))
                self.groups[home] += self.groups[other]
                self.groups[other] = []
                self.values[home] |= self.values[other]
                conflicts[:, home] += conflicts[:, other]
                self.there[other] = False
        return [group for group in self.groups if group]

    def _possible(self, g: int, c: int, watch: Watch) -> int:
        """How many valid values a person of class c has in the group."""
        group = np.array(self.groups[g], dtype=np.int64)
        found = possible_in_one_group(self.classes.value[group], self.classes.kind[group], self.sets, watch.stop)
        return int(found[np.flatnonzero(group == c)[0]])


def _incompatible_with(value: Int64, excluded: Bits, c: int) -> Bits:
    """Definition 2: the same value, or one cannot have the other's."""
    own = int(value[c])
    found: Bits = (value == own) | excluded[c][value] | excluded[:, own]
    return found
