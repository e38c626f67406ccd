"""The repair of one adversary, so that not only he is kept off (see naka_sampled.py).

The paper deletes what keeps the distribution of items, from records drawn at random; the next adversary who knows other
items of the same person finds the same again. Here what an adversary infers is deleted where it helps most: first from
records whose owners mind it themselves, the longest first, in which many other parts disclose it as well.
"""

from __future__ import annotations

import numpy as np

from sordino.audit.kernels.holding import find_item
from sordino.audit.kernels.sampled import disclosed_items, minds, who_holds
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.engine.kernels.sorting import places_by
from sordino.protect.kernels.personal import delete


@inner
def least_missed(board, v, known):  # type: ignore[no-untyped-def]
    """The item of `known` to delete from record v: what its owner minds, or else the type of which least is left."""
    shelf = board.shelf
    best = known[0]
    best_value = -1.0
    for x in known:
        value = 1.0 - shelf.support[x] / board.original[x]
        if minds(board.crowd.row, board.voice, v, x):
            value += 2.0
        if value > best_value:
            best, best_value = x, value
    return best


@kernel
def mend_adversaries(board, sig, users, known):  # type: ignore[no-untyped-def]
    """Makes the table safe against each of the adversaries in turn. Returns how many occurrences went.

    What he infers is deleted from N_s records (SPEC 1.3); or, if that is cheaper and the person's own record does not
    hold all that he knows, so much of what he knows is taken out of others' records that it tells him nothing.
    """
    shelf, row, voice, stop = board.shelf, board.crowd.row, board.voice, board.stop
    width = len(shelf.num)
    count = np.zeros(width, dtype=np.int64)
    seen = np.zeros(width, dtype=np.int64)
    times = np.zeros(width, dtype=np.int64)
    holders = np.empty(len(shelf.length), dtype=np.int64)
    telling = np.empty(len(shelf.length), dtype=np.int64)
    key = np.empty(len(shelf.length), dtype=np.int64)
    order = np.empty(len(shelf.length), dtype=np.int64)
    lost = 0
    for i in range(len(users)):
        q = known[i]
        # Each turn but the last deletes something: where anything is told, some holder tells it.
        while not raised(stop):
            total = who_holds(shelf, sig, q, holders)
            told = 0
            for t in range(disclosed_items(shelf, holders[:total], q, count, seen)):
                if minds(row, voice, users[i], seen[t]):
                    seen[told] = seen[t]
                    told += 1
            if told == 0:
                break
            own = False
            for j in range(total):
                own |= holders[j] == users[i]
            deleting = np.int64(0)
            hiding = np.int64(0)
            for t in range(told):
                e = seen[t]
                both = np.int64(0)
                for j in range(total):
                    both += find_item(shelf, holders[j], e) >= 0
                over = both * shelf.den[e] - shelf.num[e] * total
                times[t] = -(-over // shelf.den[e])
                deleting += times[t]
                hiding = max(hiding, -(-over // max(shelf.den[e] - shelf.num[e], 1)))
            if own or deleting <= hiding:
                for t in range(told):
                    e = seen[t]
                    m = 0
                    for j in range(total):
                        v = holders[j]
                        if find_item(shelf, v, e) >= 0:
                            telling[m] = v
                            first = np.int64(minds(row, voice, v, e)) << 20
                            key[m] = -(((first + shelf.length[v]) << 32) + v)
                            m += 1
                    places_by(key, m, order)
                    for j in range(min(times[t], m)):
                        v = telling[order[j]]
                        delete(board, v, find_item(shelf, v, e))
                        lost += 1
                break
            m = 0
            for j in range(total):
                v = holders[j]
                tells = np.int64(0)
                for t in range(told):
                    tells += find_item(shelf, v, seen[t]) >= 0
                if tells:
                    telling[m] = v
                    key[m] = -((((tells << 20) + shelf.length[v]) << 32) + v)
                    m += 1
            places_by(key, m, order)
            for j in range(np.minimum(hiding, m)):
                v = telling[order[j]]
                delete(board, v, find_item(shelf, v, least_missed(board, v, q)))
                lost += 1
    return lost
