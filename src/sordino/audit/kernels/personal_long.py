"""Depth-first search for disclosing parts of one long record (see personal.py).

An antecedent q is extended by items of R in their order. Its node holds the published and the original records that
have q. What keeps the search small:

* a sensitive item of R is alive at q only while somebody in the node finds it sensitive, and only such people are kept:
  when nobody is left, so is nothing to find, because larger antecedents are known of fewer people;
* the bound of model.md 1.2, point 2, person by person: whatever larger q' a person g of the node has lies in R n g, so
  at least the records that hold R n g and lack e stand against the (ever fewer) ones with e;
* an item that all published and all original records of the node share is never added: it would change nothing.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.audit.kernels.personal import EVERYBODY, NOBODY, is_sensitive_to, wished_beside
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised

VERDICT, COLLECT, MARK = 0, 1, 2
BOUND_WORK = 20_000  # comparisons that the bound may cost at a node

# Records that share two or more items with R, as places in it: at[ptr[j] : ptr[j + 1]], and as bits
Shared = namedtuple("Shared", "record weight ptr at bits")


# Records and who holds what. Without length records reach from ptr[v] to ptr[v + 1], without weight all weigh 1.
Lists = namedtuple("Lists", "ptr length items weight post_ptr post")


@kernel
def people_sharing(store, owners, u, open_, s, place, stop):  # type: ignore[no-untyped-def]
    """The original records that share two or more items with record u; those in open_ only, unless that is empty."""
    none = np.empty(0, dtype=np.int64)
    lists = Lists(owners.ptr, none, owners.items, none, owners.post_ptr, owners.post)
    return shared_with(lists, store.items, store.ptr[u], store.length[u], open_, s, s.stamp1, place, stop)


@kernel
def records_sharing(store, u, s, place, stop):  # type: ignore[no-untyped-def]
    """The published records that share two or more items with record u."""
    lists = Lists(store.ptr, store.length, store.items, store.weight, store.post_ptr, store.post)
    everyone = np.empty(0, dtype=np.bool_)
    return shared_with(lists, store.items, store.ptr[u], store.length[u], everyone, s, s.stamp0, place, stop)


@inner
def shared_with(lists, of, base, n, open_, s, stamp, place, stop):  # type: ignore[no-untyped-def]
    """The records that share two or more items with of[base : base + n]. Some of them, once the flag `stop` is up."""
    ptr, length, items = lists.ptr, lists.length, lists.items
    weight, post_ptr, post = lists.weight, lists.post_ptr, lists.post
    s.tick[0] += 1
    now = s.tick[0]
    room = 256
    record = np.empty(room, dtype=np.int64)
    start = np.zeros(room + 1, dtype=np.int64)
    at = np.empty(4 * room, dtype=np.int32)
    count = 0
    used = 0
    for k in range(n):
        place[of[base + k]] = k
    for k in range(n - 1):
        x = of[base + k]
        if raised(stop):
            break
        for p in range(post_ptr[x], post_ptr[x + 1]):
            v = post[p]
            if v < 0 or stamp[v] == now:
                continue
            stamp[v] = now
            if len(open_) and not open_[v]:
                continue
            end = ptr[v] + length[v] if len(length) else ptr[v + 1]
            if used + n > len(at):
                at = grown(at, used + n)
            first = used
            for j in range(ptr[v], end):
                y = place[items[j]]
                if y >= 0:
                    at[used] = y
                    used += 1
            if used - first < 2:
                used = first
                continue
            if count + 2 > len(record):
                record = grown(record, count + 2)
                start = grown(start, count + 3)
            record[count] = v
            count += 1
            start[count] = used
    for k in range(n):
        place[of[base + k]] = -1
    words = (n + 63) >> 6
    bits = np.zeros((count, words), dtype=np.uint64)
    heavy = np.ones(count, dtype=np.int64)
    for j in range(count):
        if len(weight):
            heavy[j] = weight[record[j]]
        for t in range(start[j], start[j + 1]):
            bits[j, at[t] >> 6] |= np.uint64(1) << np.uint64(at[t] & 63)
    return Shared(record[:count], heavy, start[: count + 1], at[:used], bits)


@inner
def stands_against(others, listed, need, f, k):  # type: ignore[no-untyped-def]
    """Whether published records of total weight `need` hold the places f but for k, and lack k."""
    word = k >> 6
    bit = np.uint64(1) << np.uint64(k & 63)
    for i in listed:
        row = others.bits[i]
        if row[word] & bit:
            continue
        inside = True
        for w in range(len(f)):
            want = f[w] & ~bit if w == word else f[w]
            if want & ~row[w]:
                inside = False
                break
        if inside:
            need -= others.weight[i]
            if need <= 0:
                return True
    return need <= 0


@kernel
def explore(store, owners, u, most, mode, others, people, gone, sets, risk, stop):  # type: ignore[no-untyped-def]
    """Searches the parts of record u of at most `most` items. Returns how many disclosing ones were found.

    VERDICT: stops at the first. COLLECT: row t of sets gets the t-th as bits of the antecedent, then of the items that
    it discloses; nothing larger is looked for, and the search stops when sets is full. MARK: risk[user] becomes the
    size (at most 4) of the antecedent, if that is less than before. Places in `gone` are taken to be deleted from u;
    they must not be in people.bits. Ends early, with what was found by then, once the flag `stop` is up; all of that is
    so, if others and people are whole.

    Long: one walk through a tree whose steps share all arrays; as functions they would be compiled with them again.
    """
    base = store.ptr[u]
    n = store.length[u]
    items, num, den, row = store.items, store.num, store.den, owners.row
    member_ptr, member, chose = owners.member_ptr, owners.member, owners.chose
    words = (n + 63) >> 6
    one = np.uint64(1)
    found = 0
    deep = min(most, n - 1)
    cnt = np.zeros(n, dtype=np.int64)
    state = np.zeros(n, dtype=np.int8)  # 1: alive, 2: disclosed
    path = np.zeros(deep + 1, dtype=np.int64)
    in_path = np.zeros(n, dtype=np.bool_)
    stack0 = np.arange(max(len(others.record), 1))
    stack1 = np.arange(max(len(people.record), 1))
    top0 = np.zeros(deep + 2, dtype=np.int64)
    top1 = np.zeros(deep + 2, dtype=np.int64)
    top0[0] = len(others.record)
    top1[0] = len(people.record)
    slot0 = np.zeros(n, dtype=np.int64)
    slot1 = np.zeros(n, dtype=np.int64)
    extension = np.empty(max(4 * n, 64), dtype=np.int64)
    begin0 = np.empty(max(4 * n, 64), dtype=np.int64)
    begin1 = np.empty(max(4 * n, 64), dtype=np.int64)
    cursor = np.zeros(deep + 2, dtype=np.int64)
    last = np.zeros(deep + 2, dtype=np.int64)
    d = 0  # items in path; the lists of its extensions are in frame d + 1
    a0 = a1 = np.int64(0)
    b0, b1 = top0[0], top1[0]
    while not raised(stop):
        descend = d == 0
        live = b1
        if d > 0:
            cnt[:] = 0
            total = np.int64(0)
            for i in range(a0, b0):
                if i & 0xFFFF == 0 and raised(stop):
                    return found
                j = stack0[i]
                total += others.weight[j]
                for t in range(others.ptr[j], others.ptr[j + 1]):
                    cnt[others.at[t]] += others.weight[j]
            if d == 1:
                total = store.support[items[base + path[0]]]
            hits = 0
            for k in range(n):
                state[k] = 0
                e = items[base + k]
                if in_path[k] or gone[k] or row[e] == NOBODY or cnt[k] == 0:
                    continue
                disclosed = cnt[k] * den[e] > num[e] * total
                if not disclosed and d >= deep:
                    continue
                asked = row[e] == EVERYBODY and b1 > a1
                for i in range(a1, b1):
                    if asked:
                        break
                    asked = is_sensitive_to(owners, e, people.record[stack1[i]])
                alone = d == 1 and mode != MARK and wished_beside(owners, e, items[base + path[0]])
                if disclosed and (asked or alone):
                    state[k] = 2
                    hits += 1
                elif asked:
                    state[k] = 1
                    descend = True
            if hits:
                found += 1
                if mode == VERDICT:
                    return found
                if mode == COLLECT:
                    descend = False
                    for w in range(2 * words):
                        sets[found - 1, w] = 0
                    for k in range(d):
                        sets[found - 1, path[k] >> 6] |= one << np.uint64(path[k] & 63)
                    for k in range(n):
                        if state[k] == 2:
                            sets[found - 1, words + (k >> 6)] |= one << np.uint64(k & 63)
                    if found == len(sets):
                        return found
                else:
                    size = np.uint8(min(d, 4))
                    for i in range(a1, b1):
                        g = people.record[stack1[i]]
                        for m in range(member_ptr[g], member_ptr[g + 1]):
                            w = member[m]
                            if risk[w] != 0 and risk[w] <= size:
                                continue
                            for k in range(n):
                                if state[k] == 2:
                                    r = row[items[base + k]]
                                    if r == EVERYBODY or (chose[r, w >> 6] >> np.uint64(w & 63)) & one:
                                        risk[w] = size
                                        break
            if d >= deep:
                descend = False
            if descend:
                # Keep only people for whom something may still come out.
                bounded = d > 1 and (b0 - a0) * (b1 - a1) <= BOUND_WORK
                live = a1
                for i in range(a1, b1):
                    if i & 0xFFF == 0 and raised(stop):
                        return found
                    j = stack1[i]
                    g = people.record[j]
                    keep = False
                    for k in range(n):
                        if state[k] != 1:
                            continue
                        e = items[base + k]
                        if not is_sensitive_to(owners, e, g):
                            continue
                        if bounded and num[e] > 0:
                            need = -(-cnt[k] * (den[e] - num[e]) // num[e])
                            if stands_against(others, stack0[a0:b0], need, people.bits[j], k):
                                continue
                        keep = True
                        break
                    if keep and mode == MARK:
                        keep = False
                        for m in range(member_ptr[g], member_ptr[g + 1]):
                            if risk[member[m]] == 0 or risk[member[m]] > d + 1:
                                keep = True
                                break
                    if keep:
                        stack1[i] = stack1[live]
                        stack1[live] = j
                        live += 1
                descend = bool(live > a1)
        frame = d
        if descend:
            slot0[:] = 0
            slot1[:] = 0
            for i in range(a0, b0):
                j = stack0[i]
                for t in range(others.ptr[j], others.ptr[j + 1]):
                    slot0[others.at[t]] += 1
            for i in range(a1, live):
                j = stack1[i]
                for t in range(people.ptr[j], people.ptr[j + 1]):
                    slot1[people.at[t]] += 1
            e0 = last[d]
            if e0 + n > len(extension):
                extension = grown(extension, e0 + n)
                begin0 = grown(begin0, e0 + n)
                begin1 = grown(begin1, e0 + n)
            t0, t1 = top0[d], top1[d]
            for y in range(n):
                wanted = not gone[y] and (d == 0 or (y > path[d - 1] and slot1[y] > 0))
                if wanted and d > 1 and slot0[y] == b0 - a0 and slot1[y] == live - a1:
                    wanted = False
                if not wanted:
                    slot0[y] = slot1[y] = -1
                    continue
                extension[e0] = y
                begin0[e0] = t0
                begin1[e0] = t1
                e0 += 1
                size0, size1 = slot0[y], slot1[y]
                slot0[y], slot1[y] = t0, t1
                t0 += size0
                t1 += size1
            if t0 > len(stack0):
                stack0 = grown(stack0, t0)
            if t1 > len(stack1):
                stack1 = grown(stack1, t1)
            for i in range(a0, b0):
                j = stack0[i]
                for t in range(others.ptr[j], others.ptr[j + 1]):
                    y = others.at[t]
                    if slot0[y] >= 0:
                        stack0[slot0[y]] = j
                        slot0[y] += 1
            for i in range(a1, live):
                j = stack1[i]
                for t in range(people.ptr[j], people.ptr[j + 1]):
                    y = people.at[t]
                    if slot1[y] >= 0:
                        stack1[slot1[y]] = j
                        slot1[y] += 1
            frame = d + 1
            cursor[frame] = last[d]
            last[frame] = e0
            top0[frame], top1[frame] = t0, t1
        # the next node: the next extension in this frame, or in one above
        while frame > 0 and cursor[frame] >= last[frame]:
            frame -= 1
        if frame == 0:
            return found
        for k in range(frame - 1, d):
            in_path[path[k]] = False
        d = frame
        k = cursor[d]
        cursor[d] = k + 1
        path[d - 1] = extension[k]
        in_path[path[d - 1]] = True
        a0, a1 = begin0[k], begin1[k]
        b0 = begin0[k + 1] if k + 1 < last[d] else top0[d]
        b1 = begin1[k + 1] if k + 1 < last[d] else top1[d]
    return found
