"""Suppression where people chose for themselves: record by record, until no part of any record discloses anything.

Looking into a record R (audit/kernels/personal.py) shows every disclosure q -> e with q + e inside R, as things stand.
R is then cut down to the part worth most in which there is none: by a table over all parts if R is short, else by
hitting the disclosures one after another. Deleting an item x from R makes others less safe only where x was in an
antecedent that R held: records that share x and something else with R are looked at again (`dirty`), and antecedents of
one item are counted apart.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from sordino.audit.kernels.personal import EVERYBODY, SHORT, bad_parts, part_table
from sordino.audit.kernels.personal_long import COLLECT, explore, shared_with
from sordino.audit.kernels.sampled import minds, who_holds

SETS = 1500  # disclosures of a long record that are hit together
HOPELESS_FROM = 4  # who knows fewer items seldom knows enough to single out a long record

# shelf: the records as they are now (weight 1 each); slot: where each occurrence stands in shelf.post; dirty: records
# to be looked at; place: scratch by item; original: supports at first; voice: who finds what sensitive, user by user
Board = namedtuple("Board", "shelf crowd slot dirty place flag original voice member_ptr member")


@njit(cache=True, nogil=True)
def delete(board, u, at):  # type: ignore[no-untyped-def]
    """Deletes the occurrence at place `at` from record u; who may have relied on it is dirty afterwards."""
    shelf, flag = board.shelf, board.flag
    ptr, items, length, post = shelf.ptr, shelf.items, shelf.length, shelf.post
    x = items[at]
    freed = board.slot[at]
    post[freed] = -1 - u
    last = ptr[u] + length[u] - 1
    for k in range(at, last):
        items[k] = items[k + 1]
        board.slot[k] = board.slot[k + 1]
    items[last] = x
    board.slot[last] = freed
    length[u] -= 1
    shelf.support[x] -= 1
    board.dirty[u] = True
    if length[u] == 0 or len(flag) == 0:  # who keeps no account of dirty records gives no flags
        return
    for k in range(ptr[u], last):
        flag[items[k]] = True
    for p in range(shelf.post_ptr[x], shelf.post_ptr[x + 1]):
        v = post[p]
        if v < 0 or board.dirty[v]:
            continue
        for k in range(ptr[v], ptr[v] + length[v]):
            if flag[items[k]]:
                board.dirty[v] = True
                break
    for k in range(ptr[u], last):
        flag[items[k]] = False


@njit(cache=True, nogil=True)
def keep_weight(board, x, even):  # type: ignore[no-untyped-def]
    """How much item x is worth keeping (see suppress.py): about 1, or the more, the less of its type is left."""
    left = board.shelf.support[x] / board.original[x]
    return (1.0 / max(left, 1e-9)) ** even if even > 0 else 1.0 + 0.01 * left


@njit(cache=True, nogil=True)
def best_part(s, n, worth, must):  # type: ignore[no-untyped-def]
    """The part of a record of n items worth most that has all of `must` and no disclosure s.bad; 0 if there is none.

    `worth` holds what single items are worth, and gets what all parts are.
    """
    bad, unsafe = s.bad, s.avail  # who finds what sensitive is not needed any more
    best = np.int64(0)
    best_worth = 0.0
    worth[0] = 0.0
    unsafe[0] = 0
    bad[0] = 0
    for w in range(1, np.int64(1) << n):
        low = w & -w
        if w != low:
            worth[w] = worth[w ^ low] + worth[low]
        unsafe[w] = 0
        for k in range(n):
            bit = np.int64(1) << k
            if w & bit and (unsafe[w ^ bit] or bad[w ^ bit] & bit):
                unsafe[w] = 1
                break
        if not unsafe[w] and w & must == must and worth[w] > best_worth:
            best, best_worth = np.int64(w), worth[w]
    return best


@njit(cache=True, nogil=True)
def drop_hopeless_first(board, sig, records):  # type: ignore[no-untyped-def]
    """Deletes what the owners of these records mind, where nobody else holds all that they do not (drop_hopeless).

    Deleting elsewhere only makes it more hopeless, so this need not wait its turn, and the looks that follow are at
    shorter records. Everybody is to be looked at anyway. Returns how many occurrences were deleted.
    """
    shelf, row, voice = board.shelf, board.crowd.row, board.voice
    holders = np.empty(len(shelf.length), dtype=np.int64)
    alone = np.zeros(len(records), dtype=np.bool_)
    for i in range(len(records)):
        u = records[i]
        kept = np.empty(shelf.length[u], dtype=np.int64)
        n = 0
        for k in range(shelf.ptr[u], shelf.ptr[u] + shelf.length[u]):
            if not minds(row, voice, u, shelf.items[k]):
                kept[n] = shelf.items[k]
                n += 1
        alone[i] = n > 0 and who_holds(shelf, sig, kept[:n], holders) <= 1
    lost = 0
    for u in records[alone]:
        for k in range(shelf.ptr[u] + shelf.length[u] - 1, shelf.ptr[u] - 1, -1):
            if minds(row, voice, u, shelf.items[k]):
                delete(board, u, k)
                lost += 1
    return lost


@njit(cache=True, nogil=True)
def settle_short(board, u, most, even, s, worth):  # type: ignore[no-untyped-def]
    """Cuts the short record u down to its best part without a disclosure. Returns how many items it lost."""
    shelf = board.shelf
    part_table(shelf, board.crowd, u, s, np.empty(0, dtype=np.int64))
    if bad_parts(shelf, u, most, s) == 0:
        return 0
    base = shelf.ptr[u]
    n = shelf.length[u]
    for k in range(n):
        worth[np.int64(1) << k] = keep_weight(board, shelf.items[base + k], even)
    best = best_part(s, n, worth, np.int64(0))
    lost = 0
    for k in range(n - 1, -1, -1):
        if not best >> k & 1:
            delete(board, u, base + k)
            lost += 1
    return lost


@njit(cache=True, nogil=True)
def has_bit(row, first, k):  # type: ignore[no-untyped-def]
    return (row[first + (k >> 6)] >> np.uint64(k & 63)) & np.uint64(1) != np.uint64(0)


@njit(cache=True, nogil=True)
def weigh(sets, t, words, share, drop, score):  # type: ignore[no-untyped-def]
    """Adds to the scores what hitting set t counts: 1 for an item of the antecedent, `share` for a disclosed one."""
    one = np.uint64(1)
    sign = 1.0 if share > 0 else -1.0
    for w in range(words):
        known, told = sets[t, w], sets[t, words + w]
        k = w << 6
        both = known | told
        while both:
            if known & one:
                score[k] += sign
            elif told & one and not drop[k]:
                score[k] += share
            known >>= one
            told >>= one
            both >>= one
            k += 1


@njit(cache=True, nogil=True)
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
            if has_bit(sets[t], 0, k) and drop[k]:
                left[t] = 0
                break
        if left[t]:
            weigh(sets, t, words, 1.0 / left[t], drop, score)
    while True:
        best = -1
        for k in range(n):
            if not drop[k] and score[k] > 1e-6 and (best < 0 or score[k] / weight[k] > score[best] / weight[best]):
                best = k
        if best < 0:
            break
        for t in range(count):
            if left[t] > 0:
                if has_bit(sets[t], 0, best):
                    weigh(sets, t, words, -1.0 / left[t], drop, score)
                    left[t] = 0
                elif has_bit(sets[t], words, best):
                    weigh(sets, t, words, -1.0 / left[t], drop, score)
                    left[t] -= 1
                    if left[t]:
                        told = sets[t, words + (best >> 6)]
                        sets[t, words + (best >> 6)] = told & ~(np.uint64(1) << np.uint64(best & 63))
                        weigh(sets, t, words, 1.0 / left[t], drop, score)
                        sets[t, words + (best >> 6)] = told
        drop[best] = True
    lost = 0.0
    for k in range(n):
        if drop[k]:
            lost += weight[k]
    return lost


@njit(cache=True, nogil=True)
def drop_hopeless(papers, owned, gone, n):  # type: ignore[no-untyped-def]
    """Marks in `gone` what the owner finds sensitive, if nobody but R itself holds all that he does not."""
    words = papers.bits.shape[1]
    kept = np.zeros(words, dtype=np.uint64)
    for k in range(n):
        if not owned[k]:
            kept[k >> 6] |= np.uint64(1) << np.uint64(k & 63)
    holders = np.int64(0)
    for j in range(len(papers.record)):
        inside = True
        for w in range(words):
            if kept[w] & ~papers.bits[j, w]:
                inside = False
                break
        if inside:
            holders += papers.weight[j]
    if holders <= 1:
        for k in range(n):
            gone[k] = owned[k]


@njit(cache=True, nogil=True)
def settle_long(board, u, owner, most, even, s):  # type: ignore[no-untyped-def]
    """Finds disclosures in the long record u and hits them until there are none, or u is short. Returns what it lost.

    Only u changes meanwhile, so the others are compared with it once.
    """
    shelf, crowd = board.shelf, board.crowd
    base = shelf.ptr[u]
    n = shelf.length[u]
    no_length = np.empty(0, dtype=np.int64)
    everyone = np.empty(0, dtype=np.bool_)
    s.tick[0] += 1
    now = s.tick[0]
    people = shared_with(
        crowd.ptr, no_length, crowd.items, no_length, crowd.post_ptr, crowd.post, shelf.items, base, n, everyone,
        board.place, s.stamp1, now,
    )  # fmt: skip
    papers = shared_with(
        shelf.ptr, shelf.length, shelf.items, shelf.weight, shelf.post_ptr, shelf.post, shelf.items, base, n, everyone,
        board.place, s.stamp0, now,
    )  # fmt: skip
    words = (n + 63) >> 6
    sets = np.zeros((SETS, 2 * words), dtype=np.uint64)
    risk = np.zeros(1, dtype=np.uint8)
    gone = np.zeros(n, dtype=np.bool_)
    owned = np.zeros(n, dtype=np.bool_)
    weight = np.empty(n, dtype=np.float64)
    score = np.zeros(n, dtype=np.float64)
    left = np.zeros(SETS, dtype=np.int64)
    for k in range(n):
        x = shelf.items[base + k]
        weight[k] = keep_weight(board, x, even)
        r = crowd.row[x]
        owned[k] = r == EVERYBODY
        if r >= 0:
            owned[k] = (board.voice[r, owner >> 6] >> np.uint64(owner & 63)) & np.uint64(1) != np.uint64(0)
    if most >= HOPELESS_FROM and even == 0:
        drop_hopeless(papers, owned, gone, n)
    lost = gone.sum()
    while n - lost > SHORT:
        for j in range(len(people.record)):
            for k in range(n):
                if gone[k]:
                    people.bits[j, k >> 6] &= ~(np.uint64(1) << np.uint64(k & 63))
        count = explore(
            shelf, crowd, u, most, COLLECT, papers, people, gone, sets, risk, board.member_ptr, board.member,
            board.voice,
        )  # fmt: skip
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
        lost = gone.sum()
    for k in range(n - 1, -1, -1):
        if gone[k]:
            delete(board, u, base + k)
    return lost


@njit(cache=True, nogil=True)
def settle_all(board, order, owner_of, most, even, s, worth):  # type: ignore[no-untyped-def]
    """Settles the dirty records of `order`, one after another. Returns how many occurrences were deleted."""
    lost = 0
    for u in order:
        if not board.dirty[u]:
            continue
        if board.shelf.length[u] > SHORT:
            lost += settle_long(board, u, owner_of[u], most, even, s)
        if 1 < board.shelf.length[u] <= SHORT:
            lost += settle_short(board, u, most, even, s, worth)
        board.dirty[u] = False
    return lost
