"""A round of drawn adversaries: each is judged, and the table is made safe against those who can infer something.

Round follows round, and hardly anything changes in between: so what an antecedent discloses is kept, and counted anew
only when it may have changed. That takes a deletion from a record that held all of it, and then the clock of each of
its items has moved. An antecedent of which one item's clock still stands is as it was.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.sampled import disclosed_items, finds_sensitive, who_holds
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.personal.naka import repair_rule

KEPT = 5  # items of an antecedent that is kept at most: of more there are too many for one to come again
ENTRIES, ROOM = 1 << 18, 1 << 21

# touched[x]: when an occurrence was last deleted from a record that held x; its last entry is the clock (both count
# deletions). table: by hash an entry, from 1 on, 0 if free; key: its items; when: the clock as it was counted;
# said[first : first + count]: what it discloses. used: entries and places of said.
Memory = namedtuple("Memory", "touched table key when first count said used")


def make_memory(width: int) -> Memory:
    """Room for what antecedents disclose; what is not written to takes none."""
    return Memory(
        touched=np.zeros(width + 1, dtype=np.int64),
        table=np.zeros(2 * ENTRIES, dtype=np.int32),
        key=np.zeros((ENTRIES, KEPT), dtype=np.int32),
        when=np.zeros(ENTRIES, dtype=np.int64),
        first=np.zeros(ENTRIES, dtype=np.int64),
        count=np.zeros(ENTRIES, dtype=np.int64),
        said=np.zeros(max(ROOM, width), dtype=np.int32),
        used=np.zeros(2, dtype=np.int64),
    )


@inner
def entry_of(memory, q):  # type: ignore[no-untyped-def]
    """The entry of the antecedent q, which may be a new one that was never counted (`when` is -1)."""
    table, key = memory.table, memory.key
    if memory.used[0] == len(key):
        table[:] = 0
        memory.used[:] = 0
    mixed = np.uint64(len(q))
    for x in q:
        mixed = (mixed ^ np.uint64(x)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    place = np.int64(mixed & np.uint64(len(table) - 1))
    while table[place]:
        entry = table[place] - 1
        same = len(q) == KEPT or key[entry, len(q)] < 0
        for t in range(len(q)):
            same = same and key[entry, t] == q[t]
        if same:
            return entry
        place = place + 1 & len(table) - 1
    entry = memory.used[0]
    memory.used[0] += 1
    table[place] = entry + 1
    key[entry] = -1
    for t in range(len(q)):
        key[entry, t] = q[t]
    memory.when[entry] = -1
    return entry


@inner
def as_counted(memory, entry, q):  # type: ignore[no-untyped-def]
    """Whether what the entry says of q still holds."""
    earliest = memory.touched[q[0]]
    for x in q:
        earliest = min(earliest, memory.touched[x])
    return earliest <= memory.when[entry]


@inner
def keep(memory, entry, seen, n):  # type: ignore[no-untyped-def]
    """The entry says these n items, as of now; nothing of it is kept if there is no room until all is forgotten."""
    if memory.used[1] + n > len(memory.said):
        memory.table[:] = 0
        memory.used[:] = 0
        return
    memory.first[entry], memory.count[entry] = memory.used[1], n
    memory.when[entry] = memory.touched[-1]
    for t in range(n):
        memory.said[memory.used[1]] = seen[t]
        memory.used[1] += 1


@inner
def can_infer(state, sig, u, q, memory, count, seen, holders):  # type: ignore[no-untyped-def]
    """Whether who knows q of u can infer something that u finds sensitive."""
    store, row, chose = state.store, state.owners.row, state.owners.chose
    if len(q) <= KEPT:
        entry = entry_of(memory, q)
        if memory.when[entry] >= 0 and as_counted(memory, entry, q):
            first = memory.first[entry]
            for t in range(first, first + memory.count[entry]):
                if finds_sensitive(row, chose, u, memory.said[t]):
                    return True
            return False
    n = disclosed_items(store, holders[: who_holds(store, sig, q, holders)], q, count, seen)
    if len(q) <= KEPT:
        keep(memory, entry, seen, n)
    found = False
    for t in range(n):
        found = found or finds_sensitive(row, chose, u, seen[t])
    return found


@kernel
def repair_drawn(state, sig, users, known, start, sizes, totals, seeds, memory, found, gone):  # type: ignore[no-untyped-def]
    """Judges lot after lot of adversaries, and makes the table safe against those of it who can infer something.

    Lot k are users[start[k] : start[k + 1]], who know sizes[k] items each, which follow one another in `known`; its
    random numbers begin at seeds[k]. found[k] gets how many can infer something, gone[k] how many occurrences went.
    """
    store, row, chose, stop = state.store, state.owners.row, state.owners.chose, state.stop
    width = len(store.num)
    count = np.zeros(width, dtype=np.int64)
    seen = np.zeros(width, dtype=np.int64)
    holders = np.empty(len(store.length), dtype=np.int64)
    unsafe = np.empty(len(users), dtype=np.int64)
    base = np.int64(0)
    for lot in range(len(sizes)):
        size = sizes[lot]
        n = 0
        for i in range(start[lot], start[lot + 1]):
            if raised(stop):
                return
            at = base + (i - start[lot]) * size
            if can_infer(state, sig, users[i], known[at : at + size], memory, count, seen, holders):
                unsafe[n] = i
                n += 1
        found[lot] = n
        for i in unsafe[:n]:  # what one of them inferred may be gone since
            if raised(stop):
                return
            at = base + (i - start[lot]) * size
            q = known[at : at + size]
            told = disclosed_items(store, holders[: who_holds(store, sig, q, holders)], q, count, seen)
            for t in range(told):
                if finds_sensitive(row, chose, users[i], seen[t]):
                    gone[lot] += repair_rule(state, sig, q, seen[t], totals, seeds[lot], memory.touched)
        base += (start[lot + 1] - start[lot]) * size
