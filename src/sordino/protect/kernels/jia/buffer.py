"""The buffer B of Algorithm 1 of Jia et al. 2014: qids of a few records, with their supports and the rules about them.

Supports are counted over the whole part T. The rules of a qid q are q -> e for every sensitive e outside q that some
record holds beside q, in whatever record that is. Supports only fall, so no rule is ever missing later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.part import consequents_of, place, records_of


class Buffer(NamedTuple):
    """Qids in the order in which they were generated, each once."""

    length: Any  # how many qids, items of qids and rules there are
    ptr: Any
    items: Any  # qid q is items[ptr[q] : ptr[q + 1]], ascending
    sup: Any  # sup_T of every qid
    rule_ptr: Any
    rule_e: Any  # the rules of q are rule_ptr[q] .. rule_ptr[q + 1], by ascending e
    rule_sup: Any  # sup_T of q + e
    code: Any  # a hash of every qid
    slot: Any  # where a qid is by its hash: its number + 1, or 0


@inner
def empty_buffer(room):  # type: ignore[no-untyped-def]
    return Buffer(
        np.zeros(3, dtype=np.int64),
        np.zeros(room + 1, dtype=np.int64),
        np.empty(4 * room, dtype=np.int32),
        np.empty(room, dtype=np.int64),
        np.zeros(room + 1, dtype=np.int64),
        np.empty(4 * room, dtype=np.int32),
        np.empty(4 * room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.zeros(4 * room, dtype=np.int32),
    )


@inner
def with_room(buffer, items, rules):  # type: ignore[no-untyped-def]
    """The buffer with room for one more qid of so many items and so many rules."""
    n, taken, known = buffer.length[0], buffer.length[1], buffer.length[2]
    if n + 1 < len(buffer.sup) and taken + items <= len(buffer.items) and known + rules <= len(buffer.rule_e):
        return buffer
    ptr, sup, rule_ptr, code, slot = buffer.ptr, buffer.sup, buffer.rule_ptr, buffer.code, buffer.slot
    of_items, rule_e, rule_sup = buffer.items, buffer.rule_e, buffer.rule_sup
    if n + 1 >= len(sup):
        ptr, sup, rule_ptr, code = grown(ptr, n + 2), grown(sup, n + 2), grown(rule_ptr, n + 2), grown(code, n + 2)
        slot = np.zeros(4 * len(sup), dtype=np.int32)
        for q in range(n):
            k = code[q] % len(slot)
            while slot[k] != 0:
                k = (k + 1) % len(slot)
            slot[k] = q + 1
    if taken + items > len(of_items):
        of_items = grown(of_items, taken + items)
    if known + rules > len(rule_e):
        rule_e, rule_sup = grown(rule_e, known + rules), grown(rule_sup, known + rules)
    return Buffer(buffer.length, ptr, of_items, sup, rule_ptr, rule_e, rule_sup, code, slot)


@inner
def find(buffer, q, code):  # type: ignore[no-untyped-def]
    """The slot of the qid, or the free one where it belongs."""
    k = code % len(buffer.slot)
    while buffer.slot[k] != 0:
        other = buffer.slot[k] - 1
        start = buffer.ptr[other]
        same = buffer.code[other] == code and buffer.ptr[other + 1] - start == len(q)
        if same:
            for i in range(len(q)):
                if buffer.items[start + i] != q[i]:
                    same = False
                    break
        if same:
            return k
        k = (k + 1) % len(buffer.slot)
    return k


@inner
def hashed(code, x):  # type: ignore[no-untyped-def]
    """The hash of a qid with one more item, below 2^61."""
    mixed = (code ^ (np.int64(x) + 0x9E3779B9)) & 0x3FFFFFFF
    return (mixed * 0x5BD1E995 + (code >> 13) + np.int64(x)) & 0x1FFFFFFFFFFFFFFF


@inner
def add(part, buffer, q, code, held, number):  # type: ignore[no-untyped-def]
    """The buffer with the qid q, which the records held[:number] contain, and its rules."""
    k = find(buffer, q, code)
    if buffer.slot[k] != 0:
        return buffer
    count = part.count
    consequents = consequents_of(part, q, held, number)
    buffer = with_room(buffer, len(q), len(consequents))
    k = find(buffer, q, code)  # with more room it is elsewhere
    n, taken, known = buffer.length[0], buffer.length[1], buffer.length[2]
    buffer.slot[k] = n + 1
    buffer.code[n] = code
    buffer.sup[n] = number
    for x in q:
        buffer.items[taken] = x
        taken += 1
    for e in consequents:
        if count[e] > 0:
            buffer.rule_e[known] = e
            buffer.rule_sup[known] = count[e]
            count[e] = 0
            known += 1
    buffer.ptr[n + 1] = taken
    buffer.rule_ptr[n + 1] = known
    buffer.length[0], buffer.length[1], buffer.length[2] = n + 1, taken, known
    return buffer


@inner
def add_all(part, buffer, r, most):  # type: ignore[no-untyped-def]
    """The buffer with all qids of record r of at most `most` items, in the order a, ab, abc, ac, b, bc, c."""
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]]
    length = len(own)
    depths = min(length, most)
    longest = np.int64(1)
    for x in own:
        longest = max(longest, part.sup[x])
    lists = np.empty((depths, longest), dtype=np.int32)  # the records that contain the first items of q
    filled = np.zeros(depths, dtype=np.int64)
    at = np.zeros(depths + 1, dtype=np.int64)
    code = np.zeros(depths + 1, dtype=np.int64)
    q = np.empty(depths, dtype=np.int32)
    at[0] = -1
    j = 0 if length > 0 else -1
    while j >= 0 and not raised(part.stop):
        at[j] += 1
        if at[j] >= length:
            j -= 1
            continue
        x = q[j] = own[at[j]]
        code[j + 1] = hashed(code[j], x)
        kept = np.int64(0)
        if j == 0:
            for i in range(part.sup[x]):
                lists[0, i] = part.post[part.post_ptr[x] + i]
            kept = part.sup[x]
        else:
            for i in range(filled[j - 1]):
                t = lists[j - 1, i]
                if place(part, t, x) >= 0:
                    lists[j, kept] = t
                    kept += 1
        filled[j] = kept
        buffer = add(part, buffer, q[: j + 1], code[j + 1], lists[j], kept)
        if j + 1 < depths:
            at[j + 1] = at[j]
            j += 1
    return buffer


@inner
def add_one(part, buffer, q):  # type: ignore[no-untyped-def]
    """The buffer with the qid q."""
    code = np.int64(0)
    for x in q:
        code = hashed(code, x)
    held = records_of(part, q)
    return add(part, buffer, q, code, part.chosen, held)


@inner
def add_smallest(part, buffer, r, most, b_max):  # type: ignore[no-untyped-def]
    """The buffer with b_max qids of record r: those of one item first, then those of two, and so on."""
    own = part.items[part.ptr[r] : part.ptr[r] + part.size[r]].copy()
    length = len(own)
    k = 1
    while k <= min(length, most):
        at = np.arange(k)
        q = np.empty(k, dtype=np.int32)
        more = True
        while more:
            if buffer.length[0] >= b_max or raised(part.stop):
                return buffer
            for i in range(k):
                q[i] = own[at[i]]
            buffer = add_one(part, buffer, q)
            last = k - 1
            while last >= 0 and at[last] == length - k + last:
                last -= 1
            more = last >= 0
            if more:
                at[last] += 1
                for i in range(last + 1, k):
                    at[i] = at[i - 1] + 1
        k += 1
    return buffer
