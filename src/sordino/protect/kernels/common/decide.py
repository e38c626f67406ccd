"""What is to be done about a record of the ledger so that its leaves are safe; nothing here changes the ledger.

Decisions about several records are made at once, on all threads, and carried out one after another (suppress.py).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.sorting import places_by
from sordino.protect.kernels.common.look import WATCHES, help_of_deleting, hopeless, look, need
from sordino.protect.kernels.common.part import MOST, best_part, make_part_room, plain_part, reach_of_part
from sordino.protect.kernels.store import keep_weight

SMALL = 8  # items of a record of which `dist` tries all parts, at most: there, even the smallest one may be best
AT_ONCE = 4  # of so many items of a record in which all are open, one more is deleted at once
SPARE = 0.02  # an alibi to spare is worth so much of an item
MEMBERS = 4096  # equal records that one decision is about, at most
SAFE, CUT, SHED = 0, 1, 2

# How to choose: original, supports at first; even, how much deletions are to be spread over the types (0: not at all);
# effort, the postings that may be read to look ahead for one record; spread: by record, whether `even` is for it
Choice = namedtuple("Choice", "original even effort spread")
# What one thread needs to look at records
Room = namedtuple("Room", "place without alibi members open_ gain weight seen parts")
# Decisions, a row for each record. `equal` records are equal to it, the first of them are `members`.
#   SAFE  it watches the first `count` of `whom`, about the items `about`
#   CUT      it loses the places that `out` marks
#   SHED     `count` of the members lose the place `best`
Plan = namedtuple("Plan", "kind equal members count whom about out best")


def make_room(records: int, longest: int) -> Room:
    """Room for looks at one record after another."""
    return Room(
        np.zeros(64, dtype=np.int64),
        np.zeros(longest + 1, dtype=np.int64),
        np.zeros((longest + 1, WATCHES), dtype=np.int64),
        np.zeros(MEMBERS, dtype=np.int64),
        np.zeros(longest + 1, dtype=np.int64),
        np.zeros(longest + 1, dtype=np.int64),
        np.zeros(longest + 1, dtype=np.float64),
        np.zeros(min(longest + 1, 64) ** 2, dtype=np.uint8),
        make_part_room(records),
    )


def make_plan(rows: int, longest: int) -> Plan:
    """Room for decisions about so many records."""
    return Plan(
        np.empty(rows, dtype=np.int64),
        np.empty(rows, dtype=np.int64),
        np.empty((rows, MEMBERS), dtype=np.int32),
        np.empty(rows, dtype=np.int64),
        np.empty((rows, (longest + 1) * WATCHES), dtype=np.int32),
        np.empty((rows, (longest + 1) * WATCHES), dtype=np.int32),
        np.empty((rows, longest + 1), dtype=np.bool_),
        np.empty(rows, dtype=np.int64),
    )


@inner
def keep_weights(g, u, n, original, even, weight):  # type: ignore[no-untyped-def]
    """How much each of u's first n items is worth keeping, and how many of them must stay.

    What must stay (its `original` is negative) is worth more than all the rest together.
    """
    items, support = g.items, g.support  # names once, here as everywhere: see `look`
    base = g.ptr[u]
    held = 0
    most = 1.0
    for k in range(n):
        x = items[base + k]
        if original[x] < 0:
            held += 1
            continue
        weight[k] = keep_weight(support[x], original[x], even)
        most = max(most, weight[k])
    if held > 0:
        for k in range(n):
            if original[items[base + k]] < 0:
                weight[k] = 1000.0 * n * most
    return held


@inner
def thin(n, size, weight, order, out):  # type: ignore[no-untyped-def]
    """Marks what is least worth keeping of n items, until there are only `size` left.

    Whichever item types are plentiful pay for it, sensitive or not; so what is left of the types stays even, which
    deleting just the item that is disclosed would not do.
    """
    places_by(weight, n, order)  # of equals the first
    for k in range(n - size):
        out[order[k]] = True


@inner
def rely_on(g, u, total, room, plan, i):  # type: ignore[no-untyped-def]
    """Nothing is disclosed: which alibis the record relies on."""
    items, sensitive, num, den, alone = g.items, g.sensitive, g.num, g.den, g.alone
    alibi, whom, about = room.alibi, plan.whom[i], plan.about[i]
    base = g.ptr[u]
    n = g.length[u]
    count = 0
    for k in range(n):
        e = items[base + k]
        if sensitive[e]:
            wanted = need(num[e], den[e], total)
            if n == 2:
                wanted -= alone[items[base + 1 - k]]
            if wanted <= WATCHES:
                for j in range(wanted):
                    whom[count] = alibi[k, j]
                    about[count] = e
                    count += 1
    plan.kind[i] = SAFE
    plan.count[i] = count


@inner
def cut_unique(g, u, opened, held, even, effort, room, out):  # type: ignore[no-untyped-def]
    """Marks what a record that nobody else contains is to lose, if that can be decided at once; whether it can.

    So many items are `held`: they must stay, and are all that are not sensitive.
    """
    n = g.length[u]
    weight, open_ = room.weight, room.open_
    if even > 0 and n > SMALL:  # down to what can be solved exactly
        thin(n, max(np.int64(SMALL), np.int64(held)), weight, room.gain, out)
        return True
    if n <= MOST:
        plain = plain_part(g, u, n, weight)
        least = np.int64(1) if even > 0 else ones(np.uint64(plain)) + 1
        if reach_of_part(g, u, n, least, room.parts.order) <= effort:
            kept = best_part(g, u, n, least, weight, 0.0 if even > 0 else SPARE, room.parts)
            if kept == 0 or (held > 0 and kept & plain != plain):
                kept = plain
            for k in range(n):
                out[k] = not kept >> k & 1
            return True
    if even > 0:  # too much to try all parts: it is shortened, and looked at again
        thin(n, n - 1, weight, room.gain, out)
        return True
    if opened > 1 and hopeless(g, u, open_, room.gain) > 0:
        for k in range(n):
            out[k] = open_[k] == 2
        return True
    return False


@inner
def decide(g, u, choice, room, plan, i):  # type: ignore[no-untyped-def]
    """Row i of the plan: what makes all leaves of u safe, or which deletions may lead there."""
    items, sensitive, num, den, post_ptr = g.items, g.sensitive, g.num, g.den, g.post_ptr
    without, open_, weight, gain, members = room.without, room.open_, room.weight, room.gain, room.members
    total, equal = look(g, u, room.place, without, room.alibi, members)
    base = g.ptr[u]
    n = g.length[u]
    if equal > MEMBERS:
        equal = np.int64(MEMBERS)
    plan.equal[i] = equal
    for j in range(equal):
        plan.members[i, j] = members[j]
    opened = np.int64(0)
    for k in range(n):
        e = items[base + k]
        open_[k] = sensitive[e] and without[k] < need(num[e], den[e], total)
        if open_[k]:
            opened += 1
    if opened == 0:
        rely_on(g, u, total, room, plan, i)
        return
    even = choice.even if choice.spread[u] else 0.0
    held = keep_weights(g, u, n, choice.original, even, weight)
    out = plan.out[i]
    for k in range(n):
        out[k] = False
    if total == 1 and cut_unique(g, u, opened, held, even, choice.effort, room, out):
        plan.kind[i] = CUT
        return
    near = post_ptr[items[base] + 1] - post_ptr[items[base]]
    near += post_ptr[items[base + 1] + 1] - post_ptr[items[base + 1]]
    looked = total == 1 and opened > 1 and n * n <= len(room.seen) and near <= choice.effort
    if looked:
        help_of_deleting(g, u, open_, gain, room.seen)
    # The item to delete: the one that leaves fewest open; among equals the one least worth keeping. Where all are open,
    # one deletion will not do, and several are chosen at once.
    several = 1 + (n - 2) // AT_ONCE if total == 1 and opened == n else 1
    best = -1
    best_value = 0.0
    values = weight  # which is not needed again
    for k in range(n):
        worth = 1 if open_[k] else 0
        if looked:
            worth += gain[k]
        if worth == 0:
            continue
        value = worth / weight[k]
        if several > 1:
            values[k] = -value
        if best < 0 or value > best_value:
            best, best_value = k, value
    out[best] = True
    if several > 1:
        places_by(values, n, gain)  # of equals the first
        for k in range(several):
            out[gain[k]] = True
    if total == 1:
        plan.kind[i] = CUT
        return
    t = items[base + best]
    lose = np.int64(1)
    if open_[best]:
        # N_s of the paper: sup(q + e) - rho sup(q), rounded up
        over = total * den[t] - num[t] * (total + without[best])
        lose = -(-over // den[t])
        if lose < 1:
            lose = np.int64(1)
    plan.kind[i] = SHED
    plan.best[i] = best
    plan.count[i] = lose
