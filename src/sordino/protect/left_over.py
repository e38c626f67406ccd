"""Who found no place in a group when groups were formed joins one, or groups are joined for her (model.md 2.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Watch, raise_if_stopped
from sordino.protect.buckets import Classes, possible_in_one_group

__all__ = ["LeftOver", "as_bits"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]

REACH = 1 << 21  # groups among which a place is looked for at first; the others only if there is none


def as_bits(sets: npt.NDArray[np.uint64], values: int) -> Bits:
    """The sets as rows of truth values."""
    spread = (sets[:, np.arange(values) >> 6] >> (np.arange(values) & 63).astype(np.uint64)) & np.uint64(1)
    return spread.astype(np.bool_)


class LeftOver:
    """Groups under construction: a core of mutually compatible people each, and who joined later."""

    def __init__(self, classes: Classes, sets: npt.NDArray[np.uint64], core: Int32, size: int) -> None:
        self.classes, self.sets, self.core, self.size = classes, sets, core, size
        self.values = int(classes.value.max(initial=0)) + 1
        self.excluded = as_bits(sets, self.values)[classes.kind]  # by class and value
        self.into = np.arange(len(core), dtype=np.int32)  # the group that a group was joined to
        self.extra = np.zeros(len(core), dtype=np.int32)  # how many joined it
        self.joined: list[tuple[int, Int64, Int64]] = []  # a class, the groups, how many of it joined each

    def place(self, waiting: Int64, watch: Watch) -> None:
        """Puts everybody who waits into a group with enough possible values."""
        for c in np.flatnonzero(waiting).tolist():
            raise_if_stopped(watch.stop)
            people = int(waiting[c])
            if not len(self.core):
                self._join(c, np.zeros(1, dtype=np.int64), np.array([people]))
                continue
            fit, conflicts = self._room_for(c, people)
            if len(fit):
                order = fit[np.lexsort((fit, conflicts, self.extra[fit]))]
                share, more = divmod(people, len(order))
                count = share + (np.arange(len(order)) < more)
                self._join(c, order[count > 0], count[count > 0])
            else:
                self._merge_for(c, people, watch)

    def _room_for(self, c: int, people: int) -> tuple[Int64, Int64]:
        """Groups that class c fits into, with how many of a core it conflicts there: all of the first REACH groups, and
        as many more as it takes for each of these people to have one of her own."""
        found, against, held = [], [], 0
        for lo in range(0, len(self.core), REACH):
            fit, conflicts = self._fit(c, lo, lo + REACH)
            found.append(lo + fit)
            against.append(conflicts[fit])
            held += len(fit)
            if held >= people:
                break
        return np.concatenate(found), np.concatenate(against)

    def _fit(self, c: int, lo: int, hi: int) -> tuple[Int64, Int64]:
        """The groups in which class c has enough possible values at once, and with how many of a core it conflicts.

        In a core everybody may have every value. So one who may have c's value is enough for c to get any value of the
        core that c may have: the others move up in a circle.
        """
        core = self.core[lo:hi]
        value, own = self.classes.value[core], int(self.classes.value[c])
        mine = self.excluded[c][value]
        theirs = self.excluded[core, own]
        same = value == own
        conflicts = (mine | theirs | same).sum(axis=1)
        possible = (~mine & ~same).sum(axis=1) + 1
        here = self.into[lo:hi] == np.arange(lo, lo + len(core))
        fit = (possible >= self.size) & ~theirs.all(axis=1) & here
        return np.flatnonzero(fit), conflicts

    def _join(self, c: int, groups: Int64, count: Int64) -> None:
        self.joined.append((c, groups, count))
        if len(self.core):
            self.extra[groups] += count.astype(np.int32)

    def _merge_for(self, c: int, people: int, watch: Watch) -> None:
        """Joins groups until class c has enough possible values there, and puts all its people into that group.

        Of the first REACH groups; if these are not enough, of the others, too: in the end the whole table is one group,
        which is as good as it gets.
        """
        reach = min(REACH, len(self.core))
        conflicts = self._fit(c, 0, reach)[1]
        roots = np.flatnonzero(self.into[:reach] == np.arange(reach))
        home = int(roots[np.argmin(conflicts[roots])]) if len(roots) else int(self.into[0])
        self._join(c, np.array([home]), np.array([people]))
        while not self._merged(c, home, reach, watch) and reach < len(self.core):
            reach = min(4 * reach, len(self.core))

    def _merged(self, c: int, home: int, reach: int, watch: Watch) -> bool:
        """Whether joining some of the first `reach` groups to `home` was enough for class c; now they are joined."""
        roots = np.flatnonzero(self.into[:reach] == np.arange(reach))
        core = self.core[:reach]
        has = np.zeros((reach, self.values), dtype=np.bool_)
        has[np.arange(reach)[:, None], self.classes.value[core]] = True
        useful = has & ~self.excluded[c]
        while True:  # one group less with each turn
            raise_if_stopped(watch.stop)
            inside = np.flatnonzero(self.into == home)
            if self._possible_in(inside, c, watch) >= self.size:
                return True
            rest = roots[(self.into[roots] == roots) & (roots != home)]
            if not len(rest):
                return False
            near = inside[inside < reach]
            gain = (useful[rest] & ~useful[near].any(axis=0)).sum(axis=1)
            gain = gain * 2 + ~self.excluded[self.core[rest], self.classes.value[c]].all(axis=1)
            self._absorb(home, int(rest[np.argmax(gain)]))

    def _absorb(self, home: int, other: int) -> None:
        self.into[self.into == other] = home
        self.extra[home] += self.extra[other]

    def _possible_in(self, inside: Int64, c: int, watch: Watch) -> int:
        """How many values class c may have in the group made of these."""
        member = np.zeros(len(self.core), dtype=np.bool_)
        member[inside] = True
        late = [k for k, groups, _ in self.joined if member[groups].any() or member[self.into[groups]].any()]
        everybody = np.concatenate([self.core[inside].ravel(), np.array(late, dtype=np.int32)])
        held = self.classes.value[everybody], self.classes.kind[everybody]
        found = possible_in_one_group(*held, self.sets, watch.stop)
        return int(found[np.flatnonzero(everybody == c)[0]])

    def late(self) -> tuple[Int32, Int32]:
        """(class, group) of everybody who joined late."""
        wanted = [np.full(int(count.sum()), c, dtype=np.int32) for c, _, count in self.joined]
        target = [np.repeat(groups, count).astype(np.int32) for _, groups, count in self.joined]
        nobody = np.empty(0, dtype=np.int32)
        return np.concatenate([nobody, *wanted]), np.concatenate([nobody, *target])

    def final(self, group_of: Int32) -> Int32:
        """The groups after all joining, counted from 0 without gaps."""
        if not len(self.core):
            return group_of
        there = np.zeros(len(self.core), dtype=np.bool_)
        there[self.into] = True
        dense = (np.cumsum(there) - 1).astype(np.int32)
        return dense[self.into][group_of]
