"""The best part of a short record: which of its items to keep, with everyone else as they are now.

All other records are projected on the record's items; a superset sum then gives the support of each of its 2^n parts
at once, and with the supports which parts are safe at their leaves. Of a part with `least` items or more, only records
that share least - 1 items or more with it can count, for or against. Such a record has one of the n - least + 2 rarest
of the n items, so only their posting lists are read; signatures turn most of what is found there away.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.supersets import add_supersets
from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner
from sordino.protect.kernels.common.look import need

MOST = 12  # items of a record of which all parts are tried, at most
SLACK = 40  # alibis beyond the necessary ones that are still an advantage

# seen: the call in which a record was met last, and behind all records the number of calls; part, met: records met and
# what they have, while all postings are read; support, worth: by part
PartRoom = namedtuple("PartRoom", "seen part met support worth order")


def make_part_room(records: int) -> PartRoom:
    """PartRoom for `best_part`."""
    return PartRoom(
        np.zeros(records + 1, dtype=np.int64),
        np.zeros(records, dtype=np.int32),
        np.zeros(records, dtype=np.int32),
        np.zeros(1 << MOST, dtype=np.int64),
        np.zeros(1 << MOST, dtype=np.float64),
        np.zeros(MOST, dtype=np.int64),
    )


@inner
def rarest_first(g, u, n, order):  # type: ignore[no-untyped-def]
    """The first n places of record u, deleted ones among them, by rank."""
    items = g.items
    base = g.ptr[u]
    for k in range(n):
        j = k
        while j > 0 and items[base + order[j - 1]] > items[base + k]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = k


@inner
def reach_of_part(g, u, n, least, order):  # type: ignore[no-untyped-def]
    """How many postings `best_part` reads; it leaves the places in `order`."""
    rarest_first(g, u, n, order)
    items, post_ptr = g.items, g.post_ptr
    base = g.ptr[u]
    reach = 0
    for j in range(n - least + 2 if least > 2 else n):
        x = items[base + order[j]]
        reach += post_ptr[x + 1] - post_ptr[x]
    return reach


@inner
def count_parts(g, u, n, share, room):  # type: ignore[no-untyped-def]
    """Adds to room.support[w] the other records that have just the part w of u's n items, if it has `share` items."""
    post, post_ptr, post_sig = g.post, g.post_ptr, g.post_sig
    items, ptr, length = g.items, g.ptr, g.length
    order, seen, support = room.order, room.seen, room.support
    base = ptr[u]
    own = len(g.num) - 64
    one = np.uint64(1)
    s0 = np.uint64(0)
    s1 = np.uint64(0)
    for k in range(n):
        x = items[base + k]
        if x >= own:
            s1 |= one << np.uint64(x - own)
        else:
            s0 |= one << np.uint64(x & 63)
    call = seen[-1] + 1
    seen[-1] = call
    found = np.int64(0)
    for j in range(n - share + 1):
        x = items[base + order[j]]
        for p in range(post_ptr[x], post_ptr[x + 1]):
            v = post[p]
            if v < 0 or v == u or seen[v] == call:
                continue
            if ones(s0 & ~post_sig[p, 0]) + ones(s1 & ~post_sig[p, 1]) > n - share:
                continue
            seen[v] = call
            w = 0
            common = 0
            at = ptr[v]
            stop = at + length[v]
            for i in range(j, n):  # what comes before j it does not have, or it would have been seen
                want = items[base + order[i]]
                while at < stop and items[at] < want:
                    at += 1
                if at >= stop:
                    break
                if items[at] == want:
                    w |= 1 << order[i]
                    common += 1
            if common >= share:
                support[w] += 1
                found += 1
    return found


@inner
def count_all_parts(g, u, n, room):  # type: ignore[no-untyped-def]
    """The same for records that share anything with u: all postings are read, and nothing else."""
    post, post_ptr, items = g.post, g.post_ptr, g.items
    seen, part, met, support = room.seen, room.part, room.met, room.support
    base = g.ptr[u]
    call = seen[-1] + 1
    seen[-1] = call
    found = np.int64(0)
    for k in range(n):
        x = items[base + k]
        for p in range(post_ptr[x], post_ptr[x + 1]):
            v = post[p]
            if v < 0 or v == u:
                continue
            if seen[v] != call:
                seen[v] = call
                part[v] = 0
                met[found] = v
                found += 1
            part[v] |= 1 << k
    for j in range(found):
        support[part[met[j]]] += 1
    return found


@inner
def best_part(g, u, n, least, weight, tie, room):  # type: ignore[no-untyped-def]
    """Of the parts of record u's first n places that are safe and have `least` items, the one of greatest weight.

    A bit mask; 0 if there is none. Safe is meant at the leaves, as things stand now. Among parts of about equal weight
    those with alibis to spare count more, by `tie` for each. `reach_of_part` must have been called before.
    """
    items, alone = g.items, g.alone
    sensitive, num, den = g.sensitive, g.num, g.den
    support, worth = room.support, room.worth
    base = g.ptr[u]
    full = 1 << n
    for w in range(full):
        support[w] = 0
    support[full - 1] = 1  # u itself
    found = count_parts(g, u, n, least - 1, room) if least > 2 else count_all_parts(g, u, n, room)
    free = 0
    for k in range(n):
        x = items[base + k]
        if not sensitive[x]:
            free += 1
        if least <= 2:
            support[1 << k] += alone[x]
            found += alone[x]
    if found == 0 and free < least and least > 1:
        return 0
    add_supersets(support, n)
    best = 0
    best_worth = 0.0
    worth[0] = 0.0
    for k in range(n):
        for w in range(1 << k, 2 << k):
            worth[w] = worth[w ^ (1 << k)] + weight[k]
    for w in range(1, full):
        if worth[w] + tie * SLACK <= best_worth or (least > 1 and ones(np.uint64(w)) < least):
            continue
        slack = np.int64(SLACK)
        if w & (w - 1):
            for k in range(n):
                if w >> k & 1:
                    e = items[base + k]
                    if sensitive[e]:
                        more = support[w & ~(1 << k)] - support[w] - need(num[e], den[e], support[w])
                        if more < slack:
                            slack = more
                            if slack < 0:
                                break
        if slack >= 0 and worth[w] + tie * slack > best_worth:
            best = w
            best_worth = worth[w] + tie * slack
    return best


@inner
def plain_part(g, u, n, weight):  # type: ignore[no-untyped-def]
    """What can always be kept: the items that are not sensitive, or if there are none the one most worth keeping."""
    items, sensitive = g.items, g.sensitive
    base = g.ptr[u]
    part = 0
    heaviest = 0
    for k in range(n):
        if not sensitive[items[base + k]]:
            part |= 1 << k
        if weight[k] > weight[heaviest]:
            heaviest = k
    return part if part else 1 << heaviest
