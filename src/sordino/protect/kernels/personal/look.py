"""What a record must lose where people chose for themselves: a look at it that changes nothing (see state.py).

Looks at several records go on at once, each at the table as it was before them; what they found is deleted after that,
in the order of the records (`cut`). So a record may lose something to a disclosure that another one's loss has just
ended. It may get that back (put_back.py); a look at one record after another loses hardly less, in twice the time.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.personal import SHORT, bad_parts, make_scratch, project
from sordino.audit.kernels.personal_long import COLLECT, explore, people_sharing, records_sharing
from sordino.audit.kernels.sampled import finds_sensitive
from sordino.audit.kernels.supersets import add_supersets, unite_supersets
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.personal.state import HOPELESS_FROM, State, best_part, delete
from sordino.protect.kernels.store import keep_weight

SETS = 1500  # disclosures of a long record that are hit together

# What one thread needs to look at records: scratch of the audit; worth: by part of a short record; place: by item
Room = namedtuple("Room", "scratch worth place")


def make_room(state: State) -> Room:
    """Room for looks at one record after another."""
    scratch = make_scratch(len(state.store.length), len(state.owners.ptr) - 1)
    width = len(state.store.num)
    return Room(scratch, np.zeros(len(scratch.sup), dtype=np.float64), np.full(width, -1, dtype=np.int64))


@inner
def has_bit(row, first, k):  # type: ignore[no-untyped-def]
    return (row[first + (k >> 6)] >> np.uint64(k & 63)) & np.uint64(1) != np.uint64(0)


@inner
def weigh(sets, t, words, share, drop, score):  # type: ignore[no-untyped-def]
    """Adds to the scores what hitting set t counts: 1 for an item of the antecedent, `share` for a disclosed one."""
    one = np.uint64(1)
    sign = 1.0 if share > 0 else -1.0
    for w in range(words):
        known, disclosed = sets[t, w], sets[t, words + w]
        k = w << 6
        both = known | disclosed
        while both:
            if known & one:
                score[k] += sign
            elif disclosed & one and not drop[k]:
                score[k] += share
            known >>= one
            disclosed >>= one
            both >>= one
            k += 1


@inner
def hit_all(sets, count, n, weight, drop, score, left):  # type: ignore[no-untyped-def]
    """Marks in `drop` places of the record that together hit all sets: an item of the antecedent, or all it discloses.

    What `drop` marks already is dropped. Returns the weight of all that is.
    """
    words = (n + 63) >> 6
    score[:n] = 0.0
    for t in range(count):
        left[t] = 0
        for k in range(n):
            if has_bit(sets[t], words, k) and not drop[k]:
                left[t] += 1
            if has_bit(sets[t], np.int64(0), k) and drop[k]:
                left[t] = 0
                break
        if left[t]:
            weigh(sets, t, words, 1.0 / left[t], drop, score)
    while True:  # each turn drops one more place
        best = np.int64(-1)
        for k in range(n):
            if not drop[k] and score[k] > 1e-6 and (best < 0 or score[k] / weight[k] > score[best] / weight[best]):
                best = np.int64(k)
        if best < 0:
            break
        for t in range(count):
            if left[t] > 0:
                if has_bit(sets[t], np.int64(0), best):
                    weigh(sets, t, words, -1.0 / left[t], drop, score)
                    left[t] = 0
                elif has_bit(sets[t], words, best):
                    weigh(sets, t, words, -1.0 / left[t], drop, score)
                    left[t] -= 1
                    if left[t]:
                        disclosed = sets[t, words + (best >> 6)]
                        sets[t, words + (best >> 6)] = disclosed & ~(np.uint64(1) << np.uint64(best & 63))
                        weigh(sets, t, words, 1.0 / left[t], drop, score)
                        sets[t, words + (best >> 6)] = disclosed
        drop[best] = True
    lost = 0.0
    for k in range(n):
        if drop[k]:
            lost += weight[k]
    return lost


@inner
def drop_hopeless(others, owned, gone, n):  # type: ignore[no-untyped-def]
    """Marks in `gone` what the owner finds sensitive, if nobody but R itself holds all that he does not."""
    words = others.bits.shape[1]
    kept = np.zeros(words, dtype=np.uint64)
    for k in range(n):
        if not owned[k]:
            kept[k >> 6] |= np.uint64(1) << np.uint64(k & 63)
    holders = np.int64(0)
    for j in range(len(others.record)):
        inside = True
        for w in range(words):
            if kept[w] & ~others.bits[j, w]:
                inside = False
                break
        if inside:
            holders += others.weight[j]
    if holders <= 1:
        for k in range(n):
            gone[k] = owned[k]


@inner
def best_of_short(state, here, n, most, even, room):  # type: ignore[no-untyped-def]
    """The part worth most of the short record here[:n], in which nothing is disclosed, as bits."""
    s, store = room.scratch, state.store
    all_ = (np.int64(1) << n) - 1
    if project(store, state.owners, here, np.int64(0), n, s, np.empty(0, dtype=np.int64)) < 0:
        return all_
    add_supersets(s.sup, n)
    unite_supersets(s.avail, n)
    if bad_parts(store, here, np.int64(0), n, most, s) == 0:
        return all_
    for k in range(n):
        room.worth[np.int64(1) << k] = keep_weight(store.support[here[k]], state.original[here[k]], even)
    return best_part(s, n, room.worth, np.int64(0))


@inner
def shorten(state, u, most, even, room):  # type: ignore[no-untyped-def]
    """Hits disclosures of the long record u until there are none, or it is short: flags of what goes."""
    store, owners, s, stop = state.store, state.owners, room.scratch, state.stop
    base = store.ptr[u]
    n = store.length[u]
    people = people_sharing(store, owners, u, np.empty(0, dtype=np.bool_), s, room.place, stop)
    others = records_sharing(store, u, s, room.place, stop)
    words = (n + 63) >> 6
    sets = np.zeros((SETS, 2 * words), dtype=np.uint64)
    risk = np.zeros(1, dtype=np.uint8)
    gone = np.zeros(n, dtype=np.bool_)
    owned = np.zeros(n, dtype=np.bool_)
    weight = np.empty(n, dtype=np.float64)
    score = np.zeros(n, dtype=np.float64)
    left = np.zeros(SETS, dtype=np.int64)
    for k in range(n):
        x = store.items[base + k]
        weight[k] = keep_weight(store.support[x], state.original[x], even)
        owned[k] = finds_sensitive(owners.row, owners.chose, u, x)
    if most >= HOPELESS_FROM and even == 0:
        drop_hopeless(others, owned, gone, n)
    before = -1
    while n - gone.sum() > SHORT and not raised(stop):
        if gone.sum() == before:  # hitting what was found drops something; if not, the audit will tell
            break
        before = gone.sum()
        for j in range(len(people.record)):
            for k in range(n):
                if gone[k]:
                    people.bits[j, k >> 6] &= ~(np.uint64(1) << np.uint64(k & 63))
        count = explore(store, owners, u, most, np.int64(COLLECT), others, people, gone, sets, risk, stop)
        if count == 0:
            break
        first = gone.copy()  # all that is disclosed and sensitive for the owner goes; then what is needed
        second = gone.copy()  # only what is needed
        for k in range(n):
            if owned[k] and not gone[k]:
                for t in range(count):
                    if has_bit(sets[t], words, k):
                        first[k] = True
                        break
        one = hit_all(sets, count, n, weight, first, score, left)
        two = hit_all(sets, count, n, weight, second, score, left)
        gone = first if one <= two else second
    return gone


@kernel
def look_at(state, records, most, even, room, out):  # type: ignore[no-untyped-def]
    """Sets out[place] for all that the records must lose, so that no part of them discloses anything."""
    store, stop = state.store, state.stop
    here = np.empty(SHORT, dtype=np.int32)
    at = np.empty(SHORT, dtype=np.int64)
    for u in records:
        if raised(stop):
            return
        base = store.ptr[u]
        n = store.length[u]
        if n > SHORT:
            gone = shorten(state, u, most, even, room)
            for k in range(n):
                out[base + k] = gone[k]
        kept = np.int64(0)
        for k in range(base, base + n):
            if not out[k]:
                if kept < SHORT:
                    here[kept] = store.items[k]
                    at[kept] = k
                kept += 1
        if 1 < kept <= SHORT:
            best = best_of_short(state, here, kept, most, even, room)
            for k in range(kept):
                out[at[k]] = not best >> k & 1


@kernel
def cut(state, records, out):  # type: ignore[no-untyped-def]
    """Deletes what the looks at the records found. Who is dirty after that is to be looked at again.

    Returns how many occurrences were deleted.
    """
    store, dirty = state.store, state.dirty
    for u in records:
        dirty[u] = False
    lost = 0
    for u in records:
        again = dirty[u]  # by what was deleted from those before it
        base = store.ptr[u]
        for k in range(base + store.length[u] - 1, base - 1, -1):
            if out[k]:
                out[k] = False
                delete(state, u, k)
                lost += 1
        dirty[u] = again
    return lost
