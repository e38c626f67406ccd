"""Algorithm 2 (SanitizeBuffer) of Jia et al. 2014 as printed: each step takes the best triple (d, q, e) of the buffer.

For one d the heuristics only ask for N_s: the fewest deletions are best; or the most, where Dist finds deleting d
harmful. So the best rule of every d is kept, and looked for again only if it was changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.part import delete, place, records_of, surplus


class Choices(NamedTuple):
    """What may be deleted, and for which rule."""

    of_ptr: Any
    of: Any  # item x is in the qids of[of_ptr[x] : of_ptr[x + 1]], ascending; only those with a rule
    rule_ptr: Any
    rule: Any  # and e is the consequent of the rules rule[rule_ptr[e] : rule_ptr[e + 1]]
    owner: Any  # the qid of each rule
    need: Any  # of each qid, N_s of its items: the least and the most over its unsafe rules; 0 if it is safe
    need_e: Any  # for which e, the first of several
    best: Any  # of each item d, the least and the most N_s over all unsafe rules; 0 if there is none, -1 if not known
    best_q: Any
    best_e: Any
    mark: Any  # of each item, whether the record at hand holds it
    touched: Any  # of each qid, whether it is among the changed
    changed: Any  # scratch, one a qid


@inner
def sanitize(part, buffer, dist, rng):  # type: ignore[no-untyped-def]
    """Deletes until no qid of the buffer is unsafe; returns whether one was."""
    choices = choices_of(part, buffer)
    steps = 0
    stop = part.stop
    while not raised(stop):  # each turn deletes something
        d, q, e, n = choose(part, buffer, choices, dist)
        if n == 0:
            break
        steps += 1
        known = buffer.items[buffer.ptr[q] : buffer.ptr[q + 1]]
        held = records_of(part, known)
        held_with = 0
        for i in range(held):
            t = part.chosen[i]
            if place(part, t, e) >= 0:
                part.chosen[held_with] = t
                held_with += 1
        if held_with < n:
            part.astray[0] = 1
            break
        number = np.int64(0)
        for i in range(n):
            if raised(stop):
                return True
            j = rng.integers(i, held_with)
            part.chosen[i], part.chosen[j] = part.chosen[j], part.chosen[i]
            number = update(part, buffer, choices, part.chosen[i], d, number)
            delete(part, part.chosen[i], d)
        for i in range(number):
            refresh(part, buffer, choices, choices.changed[i])
            choices.touched[choices.changed[i]] = 0
    return steps > 0


@inner
def choices_of(part, buffer):  # type: ignore[no-untyped-def]
    width, qids, rules = len(part.sup), buffer.length[0], buffer.length[2]
    of_ptr, rule_ptr = np.zeros(width + 2, dtype=np.int64), np.zeros(width + 2, dtype=np.int64)
    owner = np.empty(rules, dtype=np.int32)
    for q in range(qids):
        if buffer.rule_ptr[q] < buffer.rule_ptr[q + 1]:
            for p in range(buffer.ptr[q], buffer.ptr[q + 1]):
                of_ptr[buffer.items[p] + 2] += 1
            for k in range(buffer.rule_ptr[q], buffer.rule_ptr[q + 1]):
                owner[k] = q
                rule_ptr[buffer.rule_e[k] + 2] += 1
    for x in range(width):
        of_ptr[x + 2] += of_ptr[x + 1]
        rule_ptr[x + 2] += rule_ptr[x + 1]
    of, rule = np.empty(of_ptr[width + 1], dtype=np.int32), np.empty(rules, dtype=np.int64)
    for q in range(qids):
        if buffer.rule_ptr[q] < buffer.rule_ptr[q + 1]:
            for p in range(buffer.ptr[q], buffer.ptr[q + 1]):
                x = buffer.items[p]
                of[of_ptr[x + 1]] = q
                of_ptr[x + 1] += 1
            for k in range(buffer.rule_ptr[q], buffer.rule_ptr[q + 1]):
                e = buffer.rule_e[k]
                rule[rule_ptr[e + 1]] = k
                rule_ptr[e + 1] += 1
    choices = Choices(
        of_ptr,
        of,
        rule_ptr,
        rule,
        owner,
        np.zeros((2, qids), dtype=np.int64),
        np.zeros((2, qids), dtype=np.int32),
        np.full((2, width), -1, dtype=np.int64),
        np.zeros((2, width), dtype=np.int64),
        np.zeros((2, width), dtype=np.int32),
        np.zeros(width, dtype=np.uint8),
        np.zeros(qids, dtype=np.uint8),
        np.empty(qids, dtype=np.int32),
    )
    for q in range(qids):
        if raised(part.stop):
            break
        refresh(part, buffer, choices, q)
    return choices


@inner
def refresh(part, buffer, choices, q):  # type: ignore[no-untyped-def]
    """What a qid needs, after its supports have changed; and what that means for the items it concerns."""
    need, need_e = choices.need, choices.need_e
    need[0, q] = need[1, q] = 0
    for k in range(buffer.rule_ptr[q], buffer.rule_ptr[q + 1]):
        e = buffer.rule_e[k]
        over = buffer.rule_sup[k] * part.den[e] - buffer.sup[q] * part.num[e]
        if over > 0:
            n = -(-over // (part.den[e] - part.num[e]))
            if need[0, q] == 0 or n < need[0, q]:
                need[0, q], need_e[0, q] = n, e
            if n > need[1, q]:
                need[1, q], need_e[1, q] = n, e
            n = -(-over // part.den[e])
        else:
            n = np.int64(0)
        offer(choices, e, 0, n, q, e)
        offer(choices, e, 1, n, q, e)
    for p in range(buffer.ptr[q], buffer.ptr[q + 1]):
        d = buffer.items[p]
        offer(choices, d, 0, need[0, q], q, need_e[0, q])
        offer(choices, d, 1, need[1, q], q, need_e[1, q])


@inner
def offer(choices, d, side, n, q, e):  # type: ignore[no-untyped-def]
    """Lets the rule q -> e, which takes n deletions of d, be the best for d. If it was and has changed, d is looked
    for again: n = 0 says that it is safe now."""
    best = choices.best[side, d]
    if best == -1:
        return
    if best > 0 and choices.best_q[side, d] == q:
        choices.best[side, d] = -1
    elif n > 0 and (best == 0 or better(side, n, q, best, choices.best_q[side, d])):
        choices.best[side, d], choices.best_q[side, d], choices.best_e[side, d] = n, q, e


@inner
def better(side, n, q, other_n, other_q):  # type: ignore[no-untyped-def]
    """Fewer deletions (side 0) or more (side 1), then the qid that was generated first."""
    if n != other_n:
        return n < other_n if side == 0 else n > other_n
    return q < other_q


@inner
def look(part, buffer, choices, d, side):  # type: ignore[no-untyped-def]
    """Finds the best rule for d."""
    best, best_q, best_e = np.int64(0), np.int64(-1), np.int32(-1)
    need = choices.need[side]
    for i in range(choices.of_ptr[d], choices.of_ptr[d + 1]):
        q = choices.of[i]
        n = need[q]
        if n > 0 and (best == 0 or better(side, n, q, best, best_q)):
            best, best_q, best_e = n, np.int64(q), choices.need_e[side, q]
    for i in range(choices.rule_ptr[d], choices.rule_ptr[d + 1]):
        k = choices.rule[i]
        q = choices.owner[k]
        if need[q] > 0:
            over = buffer.rule_sup[k] * part.den[d] - buffer.sup[q] * part.num[d]
            if over > 0:
                n = -(-over // part.den[d])
                if best == 0 or better(side, n, q, best, best_q):
                    best, best_q, best_e = n, np.int64(q), np.int32(d)
    choices.best[side, d], choices.best_q[side, d], choices.best_e[side, d] = best, best_q, best_e


@inner
def choose(part, buffer, choices, dist):  # type: ignore[no-untyped-def]
    """The best (d, q, e) and N_s, which is 0 if no qid is unsafe. Ties: fewer deletions, the qid generated first, the
    first e, e itself before the items of q."""
    best_d, best_q, best_e, best_n = np.int64(-1), np.int64(-1), np.int32(-1), np.int64(0)
    best_gain = np.float64(0.0)
    for d in range(len(part.sup)):
        if choices.of_ptr[d] == choices.of_ptr[d + 1] and choices.rule_ptr[d] == choices.rule_ptr[d + 1]:
            continue
        if part.sup[d] == 0:
            continue
        if raised(part.stop):
            return best_d, best_q, best_e, np.int64(0)
        gain = surplus(part, d) if dist else np.float64(0.0)
        side = 1 if gain < 0 else 0
        if choices.best[side, d] < 0:
            look(part, buffer, choices, d, side)
        n, q, e = choices.best[side, d], choices.best_q[side, d], choices.best_e[side, d]
        if n == 0:
            continue
        order = 0  # 1: better, -1: worse
        if best_n == 0:
            order = 1
        elif dist:
            order = 1 if gain / n > best_gain else -1 if gain / n < best_gain else 0
        else:
            left = part.sup[d] * n * part.before[best_d]  # leftover(d) * N_s, over a common denominator
            other = part.sup[best_d] * best_n * part.before[d]
            order = 1 if left < other else -1 if left > other else 0
        if order == 0:
            order = best_n - n
        if order == 0:
            order = best_q - q
        if order == 0:
            order = np.int64(best_e) - e
        if order == 0:
            order = 1 if d == e else -1
        if order > 0:
            best_d, best_q, best_e, best_n, best_gain = np.int64(d), q, e, n, gain / n
    return best_d, best_q, best_e, best_n


@inner
def update(part, buffer, choices, t, d, number):  # type: ignore[no-untyped-def]
    """Takes record t out of the supports that it has part in with d; notes the changed qids, behind `number`."""
    mark, touched = choices.mark, choices.touched
    for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
        mark[part.items[p]] = 1
    for i in range(choices.of_ptr[d], choices.of_ptr[d + 1]):
        q = choices.of[i]
        if buffer.sup[q] > 0 and holds_all(buffer, q, mark):
            buffer.sup[q] -= 1
            for k in range(buffer.rule_ptr[q], buffer.rule_ptr[q + 1]):
                buffer.rule_sup[k] -= mark[buffer.rule_e[k]]
            if not touched[q]:
                touched[q] = 1
                choices.changed[number] = q
                number += 1
    for i in range(choices.rule_ptr[d], choices.rule_ptr[d + 1]):
        k = choices.rule[i]
        q = choices.owner[k]
        if buffer.rule_sup[k] > 0 and holds_all(buffer, q, mark):
            buffer.rule_sup[k] -= 1
            if not touched[q]:
                touched[q] = 1
                choices.changed[number] = q
                number += 1
    for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
        mark[part.items[p]] = 0
    return number


@inner
def holds_all(buffer, q, mark):  # type: ignore[no-untyped-def]
    """Whether all items of the qid are marked."""
    for p in range(buffer.ptr[q], buffer.ptr[q + 1]):  # noqa: SIM110
        if not mark[buffer.items[p]]:
            return False
    return True
