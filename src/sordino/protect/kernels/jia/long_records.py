"""The qids of records too long for a table of all their subsets (Jia et al. 2014, Algorithm 1).

Other records are projected onto the items of the record at hand: a row of bits each. Qids are generated up to b_max,
the smallest first, so that the record gets shorter before there are too many. Beyond, and to see early that nothing is
left to do, unsafe ones are searched for with the bounds of model.md 1.2.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.part import suppress

DONE, SHORT, TOO_MANY = 0, 1, 2
BITS = 60  # of a word of a mask
WORTH = 200  # so many qids of a size take as long as asking whether any of any size is unsafe


@inner
def search_lists(part, r, short, most, b_max, dist, rng, place_of, deleted):  # type: ignore[no-untyped-def]
    """Sanitizes the qids of a long record r, smallest first: those of a size by their largest item, then the next.

    Returns DONE if that was all; or stops at a size before which the record is SHORT, or has TOO_MANY qids, over b_max.
    """
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]].copy()
    length = len(own)
    for i in range(length):
        place_of[own[i]] = i
    row_of, bits = project(part, own)
    answer = DONE
    room = np.float64(b_max)
    for k in range(1, min(length - 1, most) + 1):
        left = part.size[r]
        if k >= left or not holds_sensitive(part, r):
            break
        if left <= short:
            answer = SHORT
            break
        number = np.float64(1.0)
        for i in range(k):
            number *= (left - i) / (i + 1)
        if number > WORTH and len(find_unsafe(part, own, bits, row_of[r], most)) == 0:
            break
        room -= number
        if room < 0:
            answer = TOO_MANY
            break
        search_size(part, r, own, k, dist, rng, place_of, row_of, bits, deleted)
    for x in own:
        place_of[x] = -1
    return answer


@inner
def search_size(part, r, own, k, dist, rng, place_of, row_of, bits, deleted):  # type: ignore[no-untyped-def]
    """Sanitizes the qids of k items of record r. at[0] > at[1] > ... are the places of q; row j of `lists` holds the
    records that contain the first j + 1 of them. Lists may be out of date after a deletion; masks never are."""
    length, words = len(own), bits.shape[1]
    me = row_of[r]
    longest = np.int64(0)
    for x in own:
        longest = max(longest, part.sup[x])
    lists = np.empty((k, longest), dtype=np.int64)
    filled = np.zeros(k, dtype=np.int64)
    at = np.zeros(k, dtype=np.int64)
    q = np.empty(k, dtype=np.int32)
    wanted = np.zeros((k + 1, words), dtype=np.int64)
    stop, astray = part.stop, part.astray
    j = 0
    at[0] = k - 2
    while j >= 0 and not raised(stop):  # `at` rises with each step, as a number of k digits would
        at[j] += 1
        c = at[j]
        if c >= (length if j == 0 else at[j - 1]):
            j -= 1
            continue
        if not has_bit(bits, me, c):
            continue
        for w in range(words):
            wanted[j + 1, w] = wanted[j, w]
        wanted[j + 1, c // BITS] |= 1 << (c % BITS)
        q[k - 1 - j] = own[c]
        if j == 0:
            x = own[c]
            filled[0] = part.sup[x]
            for i in range(part.sup[x]):
                lists[0, i] = row_of[part.post[part.post_ptr[x] + i]]
        else:
            filled[j] = narrow(bits, wanted[j + 1], lists[j - 1], filled[j - 1], lists[j])
        if j < k - 1:
            j += 1
            at[j] = k - 2 - j
            continue
        changed = False
        # Each turn deletes something.
        while not raised(stop) and is_exposed(part, own, bits, wanted[k], me, lists[j], filled[j]):
            d, n = suppress(part, q, dist, rng)
            if n == 0:
                astray[0] = 1
                return
            deleted[d] = part.total[1] - part.total[0]
            changed = True
            c = place_of[d]
            if c < 0:
                continue
            for i in range(n):
                bits[row_of[part.chosen[i]], c // BITS] &= ~(1 << (c % BITS))
            filled[j] = narrow(bits, wanted[k], lists[j], filled[j], lists[j])
        if changed:
            if not holds_sensitive(part, r):
                return
            for i in range(k):  # back to the first item that r has lost
                if not has_bit(bits, me, at[i]):
                    j = i
                    break


@inner
def unsafe_qid(part, r, most):  # type: ignore[no-untyped-def]
    """Any unsafe qid of record r (codes, ascending); nothing if there is none."""
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]].copy()
    row_of, bits = project(part, own)
    places = find_unsafe(part, own, bits, row_of[r], most)
    q = np.empty(len(places), dtype=np.int32)
    for i in range(len(q)):
        q[i] = own[places[i]]
    return q


@kernel
def search_deep(part, r, most, dist, rng, deleted):  # type: ignore[no-untyped-def]
    """Sanitizes the qids of a record that has more than the buffer takes: any unsafe one, until there is none.

    Each turn deletes something.
    """
    while not raised(part.stop):
        q = unsafe_qid(part, r, most)
        if len(q) == 0:
            return
        d, n = suppress(part, q, dist, rng)
        if n == 0:
            part.astray[0] = 1
            return
        deleted[d] = part.total[1] - part.total[0]


@inner
def find_unsafe(part, own, bits, me, most):  # type: ignore[no-untyped-def]
    """The places of an unsafe qid of the record in row `me`, ascending; none if all its qids are safe."""
    places = np.empty(len(own), dtype=np.int64)
    for e in range(len(own)):
        if part.sensitive[own[e]] and has_bit(bits, me, e):
            number = 0
            for c in range(len(own)):
                if c != e and has_bit(bits, me, c):
                    places[number] = c
                    number += 1
            found = find_exposing(bits, e, part.num[own[e]], part.den[own[e]], places[:number], most, part.stop)
            if len(found) > 0:
                return found
    return places[:0]


@inner
def find_exposing(bits, e, num, den, places, most, stop):  # type: ignore[no-untyped-def]
    """Those of the places, ascending, that make a qid exposing the item in place e; or none. Depth first, rarest first.

    A are the rows that have e, B those that have not. A q' below q holds at most q and all places still to come, so B
    keeps the rows that have all those, while A only shrinks: where even that is safe, the branch is left (model.md 1.2,
    point 2). If knowledge is not limited, only the largest q with the same rows of A is looked at (point 1).
    """
    length, rows, words = len(places), bits.shape[0], bits.shape[1]
    closed = length <= most
    depths = min(length, most) + 1
    in_a, in_b = np.zeros(depths, dtype=np.int64), np.zeros(depths, dtype=np.int64)
    in_a[0] = count_bit(bits, e, np.arange(rows), rows)
    in_b[0] = rows - in_a[0]
    list_a, list_b = np.empty((depths, in_a[0]), dtype=np.int64), np.empty((depths, in_b[0]), dtype=np.int64)
    a = b = 0
    for row in range(rows):
        if has_bit(bits, row, e):
            list_a[0, a] = row
            a += 1
        else:
            list_b[0, b] = row
            b += 1
    order = rarest_first(bits, places, list_a[0])
    head = np.zeros((length + 1, words), dtype=np.int64)  # the first so many places
    for i in range(length):
        for w in range(words):
            head[i + 1, w] = head[i, w]
        head[i + 1, order[i] // BITS] |= 1 << (order[i] % BITS)
    q = np.zeros((depths, words), dtype=np.int64)
    below = np.zeros(words, dtype=np.int64)
    at = np.full(depths + 1, -1, dtype=np.int64)
    j = 1
    while j > 0 and not raised(stop):  # `at` rises with each step, as a number would
        at[j] += 1
        i = at[j]
        if i >= length:
            j -= 1
            continue
        if has_bit(q, j - 1, order[i]):
            continue
        for w in range(words):
            q[j, w] = q[j - 1, w]
        q[j, order[i] // BITS] |= 1 << (order[i] % BITS)
        in_a[j] = narrow(bits, q[j], list_a[j - 1], in_a[j - 1], list_a[j])
        if closed and not close(bits, q[j], q[j - 1], head[length], head[i], list_a[j], in_a[j]):
            continue  # these rows of A were met, or left, with an earlier item
        in_b[j] = narrow(bits, q[j], list_b[j - 1], in_b[j - 1], list_b[j])
        if in_a[j] * (den - num) > num * in_b[j]:
            number = 0
            for c in places:
                if has_bit(q, j, c):
                    order[number] = c
                    number += 1
            return order[:number]
        if j + 1 < depths:
            for w in range(words):
                below[w] = q[j, w] | (head[length, w] & ~head[i, w])
            in_b[j + 1] = narrow(bits, below, list_b[j], in_b[j], list_b[j + 1])
            if in_a[j] * (den - num) > num * in_b[j + 1]:
                at[j + 1] = i
                j += 1
    return order[:0]


@inner
def close(bits, q, above, everything, earlier, rows, number):  # type: ignore[no-untyped-def]
    """Adds to q what all rows share; False if that is an earlier place which the q above lacks, or no row is left."""
    if number == 0:
        return False
    for w in range(len(q)):
        shared = everything[w]
        for k in range(number):
            shared &= bits[rows[k], w]
        if shared & earlier[w] & ~above[w] != 0:
            return False
        q[w] = shared
    return True


@inner
def rarest_first(bits, places, rows):  # type: ignore[no-untyped-def]
    """The places by how many of the rows have them, fewest first."""
    order, often = places.copy(), np.empty(len(places), dtype=np.int64)
    for i in range(len(places)):
        count = count_bit(bits, places[i], rows, len(rows))
        j = i
        while j > 0 and often[j - 1] > count:
            order[j], often[j] = order[j - 1], often[j - 1]
            j -= 1
        order[j], often[j] = places[i], count
    return order


@inner
def project(part, own):  # type: ignore[no-untyped-def]
    """The records that share an item with `own`, numbered (row_of), and which items they share, a bit for each."""
    row_of = np.full(len(part.size), -1, dtype=np.int64)
    rows = 0
    for x in own:
        for p in range(part.post_ptr[x], part.post_ptr[x] + part.sup[x]):
            t = part.post[p]
            if row_of[t] < 0:
                row_of[t] = rows
                rows += 1
    bits = np.zeros((rows, (len(own) + BITS - 1) // BITS), dtype=np.int64)
    for i in range(len(own)):
        x = own[i]
        for p in range(part.post_ptr[x], part.post_ptr[x] + part.sup[x]):
            bits[row_of[part.post[p]], i // BITS] |= 1 << (i % BITS)
    return row_of, bits


@inner
def narrow(bits, wanted, source, number, target):  # type: ignore[no-untyped-def]
    """Puts those rows of source[:number] that have all the wanted bits into target; returns how many."""
    kept = 0
    for i in range(number):
        row = source[i]
        whole = True
        for w in range(len(wanted)):
            if bits[row, w] & wanted[w] != wanted[w]:
                whole = False
                break
        if whole:
            target[kept] = row
            kept += 1
    return kept


@inner
def has_bit(bits, row, c):  # type: ignore[no-untyped-def]
    return bits[row, c // BITS] >> (c % BITS) & 1 == 1


@inner
def count_bit(bits, c, rows, number):  # type: ignore[no-untyped-def]
    """How many of rows[:number] have bit c."""
    count = 0
    for i in range(number):
        count += has_bit(bits, rows[i], c)
    return count


@inner
def is_exposed(part, own, bits, wanted, me, rows, number):  # type: ignore[no-untyped-def]
    """Whether the qid `wanted`, in these rows, exposes a sensitive item that row `me` holds beside it."""
    for w in range(len(wanted)):
        if bits[me, w] & wanted[w] != wanted[w]:
            return False
    for c in range(len(own)):
        e = own[c]
        if part.sensitive[e] and has_bit(bits, me, c) and not wanted[c // BITS] >> (c % BITS) & 1:  # noqa: SIM102
            if count_bit(bits, c, rows, number) * part.den[e] > part.num[e] * number:
                return True
    return False


@inner
def holds_sensitive(part, r):  # type: ignore[no-untyped-def]
    """Whether record r still holds a sensitive item."""
    found = False
    for p in range(part.ptr[r], part.ptr[r] + part.size[r]):
        found |= part.sensitive[part.items[p]]
    return found
