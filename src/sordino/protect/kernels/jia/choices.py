"""What Algorithm 2 (SanitizeBuffer) of Jia et al. 2014 chooses from: the unsafe qids of the buffer and their rules.

A qid that was unsafe once has its supports counted on with every deletion, and so has every rule about it. Of the
others only `slack` is: by how much sup(q) may fall before it must be counted anew (met.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.audit.kernels.growth import grown
from sordino.engine.kernels.compiled import inner
from sordino.protect.kernels.jia.met import FOREVER, LINE, count_beside, items_of, kept_records, spent_by
from sordino.protect.kernels.jia.part import records_of

NOT_ASKED, UNKNOWN = -2, -1  # as the best of an item: no rule is about it; it must be looked for


class Scratch(NamedTuple):
    """Scratch, one an item, as it is between two buffers: what comes of it is put back."""

    first: Any  # the first entry of the item in `Choices.place`, or -1
    first_rule: Any  # the first rule about it, or -1
    best: Any  # the least and the most N_s of the item over all unsafe rules; 0 if there is none
    best_of: Any  # for which qid, by its number among the open ones
    best_e: Any
    mark: Any  # whether the record at hand holds it
    used: Any  # items that are to be put back
    asked: Any  # items that some rule is about
    length: Any  # how many of both


class Choices(NamedTuple):
    """The buffer at hand. Open qids are those that were unsafe at some time; they have numbers of their own."""

    place: Any  # of each entry, where in the buffer a qid with this item is
    after: Any  # the next entry of the same item, or -1
    open: Any  # of each qid in the buffer, its number among the open ones, or -1
    slack: Any
    fallen: Any  # qids whose slack is used up
    where: Any  # of each open qid, its place in the buffer
    sup: Any
    rules: Any  # its rules: from, to
    need: Any  # N_s of its items: the least and the most over its unsafe rules; 0 if it is safe
    need_e: Any  # for which e, the first of several
    touched: Any
    changed: Any  # qids that are touched
    rule_e: Any
    rule_sup: Any
    rule_of: Any  # the open qid
    rule_after: Any  # the next rule with the same e, or -1
    length: Any  # open qids, rules, fallen, changed


@inner
def new_scratch(part):  # type: ignore[no-untyped-def]
    width = len(part.sup)
    return Scratch(
        np.full(width, -1, dtype=np.int64),
        np.full(width, -1, dtype=np.int64),
        np.full((2, width), NOT_ASKED, dtype=np.int64),
        np.zeros((2, width), dtype=np.int64),
        np.zeros((2, width), dtype=np.int32),
        np.zeros(width, dtype=np.uint8),
        np.empty(2 * width + 2, dtype=np.int32),
        np.empty(width + 1, dtype=np.int32),
        np.zeros(2, dtype=np.int64),
    )


@inner
def choices_of(part, buffer, scratch, sides):  # type: ignore[no-untyped-def]
    met, qids = buffer.met, buffer.length[0]
    entries = np.int64(0)
    for n in range(qids):
        entries += len(items_of(met, buffer.number[n]))
    choices = Choices(
        np.empty(entries, dtype=np.int32),
        np.empty(entries, dtype=np.int64),
        np.full(qids, -1, dtype=np.int32),
        np.empty(qids, dtype=np.int64),
        np.empty(qids, dtype=np.int32),
        np.empty(qids, dtype=np.int32),
        np.zeros(qids, dtype=np.int64),
        np.zeros((qids, 2), dtype=np.int64),
        np.zeros((2, qids), dtype=np.int64),
        np.zeros((2, qids), dtype=np.int32),
        np.zeros(qids, dtype=np.uint8),
        np.empty(qids, dtype=np.int32),
        np.empty(64, dtype=np.int32),
        np.empty(64, dtype=np.int64),
        np.empty(64, dtype=np.int32),
        np.empty(64, dtype=np.int64),
        np.zeros(4, dtype=np.int64),
    )
    entry = np.int64(0)
    for n in range(qids):
        k = buffer.number[n]
        line = met.about[k, LINE]
        choices.slack[n] = FOREVER
        if line == FOREVER:
            continue
        q = items_of(met, k)
        if line >= 0:
            choices.slack[n] = line - spent_by(part, q)
        for x in q:
            if scratch.first[x] < 0:
                scratch.used[scratch.length[0]] = x
                scratch.length[0] += 1
            choices.place[entry], choices.after[entry] = n, scratch.first[x]
            scratch.first[x] = entry
            entry += 1
    for i in range(buffer.length[1]):
        choices = opened(part, buffer, choices, scratch, np.int64(buffer.unsafe[i]), sides)
    return choices


@inner
def opened(part, buffer, choices, scratch, n, sides):  # type: ignore[no-untyped-def]
    """The choices with the qid in place n of the buffer, and the rules about it."""
    met = buffer.met
    k = buffer.number[n]
    q = items_of(met, k)
    held = kept_records(part, met, k, part.chosen)
    if held < 0:
        held = records_of(part, q)
    found = count_beside(part, q, part.chosen, held, buffer.beside)
    choices = with_rules(choices, found)
    u, rules = choices.length[0], choices.length[1]
    choices.open[n], choices.where[u], choices.sup[u] = u, n, held
    choices.rules[u, 0], choices.rules[u, 1] = rules, rules + found
    for i in range(found):
        e = buffer.beside[i]
        choices.rule_e[rules + i], choices.rule_sup[rules + i] = e, part.count[e]
        choices.rule_of[rules + i], choices.rule_after[rules + i] = u, scratch.first_rule[e]
        if scratch.first_rule[e] < 0:
            scratch.used[scratch.length[0]] = e
            scratch.length[0] += 1
        scratch.first_rule[e] = rules + i
        part.count[e] = 0
        ask(scratch, e)
    for x in q:
        ask(scratch, x)
    choices.length[0], choices.length[1] = u + 1, rules + found
    refresh(part, buffer, choices, scratch, u, sides)
    return choices


@inner
def with_rules(choices, more):  # type: ignore[no-untyped-def]
    """The choices with room for more rules."""
    least = choices.length[1] + more
    if least <= len(choices.rule_e):
        return choices
    return Choices(
        choices.place,
        choices.after,
        choices.open,
        choices.slack,
        choices.fallen,
        choices.where,
        choices.sup,
        choices.rules,
        choices.need,
        choices.need_e,
        choices.touched,
        choices.changed,
        grown(choices.rule_e, least),
        grown(choices.rule_sup, least),
        grown(choices.rule_of, least),
        grown(choices.rule_after, least),
        choices.length,
    )


@inner
def ask(scratch, x):  # type: ignore[no-untyped-def]
    """Has the item x among those that may be chosen."""
    if scratch.best[0, x] == NOT_ASKED:
        scratch.best[0, x] = scratch.best[1, x] = UNKNOWN
        scratch.asked[scratch.length[1]] = x
        scratch.length[1] += 1


@inner
def cleared(scratch):  # type: ignore[no-untyped-def]
    """Puts back what the buffer has changed."""
    for i in range(scratch.length[0]):
        x = scratch.used[i]
        scratch.first[x] = scratch.first_rule[x] = -1
    for i in range(scratch.length[1]):
        x = scratch.asked[i]
        scratch.best[0, x] = scratch.best[1, x] = NOT_ASKED
    scratch.length[:] = 0


@inner
def refresh(part, buffer, choices, scratch, u, sides):  # type: ignore[no-untyped-def]
    """What an open qid needs, after its supports have changed; and what that means for the items it concerns.

    Only the first `sides` are kept: who never asks for the most N_s takes one.
    """
    need, need_e, sup = choices.need, choices.need_e, choices.sup[u]
    was_unsafe = need[0, u] > 0
    need[0, u] = need[1, u] = 0
    seen = den = num = np.int64(-1)  # the rule before, which often is like this one: divisions take long
    of_items = of_e = np.int64(0)
    for k in range(choices.rules[u, 0], choices.rules[u, 1]):
        e = choices.rule_e[k]
        if choices.rule_sup[k] != seen or part.den[e] != den or part.num[e] != num:
            seen, den, num = choices.rule_sup[k], part.den[e], part.num[e]
            over = seen * den - sup * num
            of_items = -(-over // (den - num)) if over > 0 else np.int64(0)
            of_e = -(-over // den) if over > 0 else np.int64(0)
        if of_items > 0:
            if need[0, u] == 0 or of_items < need[0, u] or (of_items == need[0, u] and e < need_e[0, u]):
                need[0, u], need_e[0, u] = of_items, e
            if of_items > need[1, u] or (of_items == need[1, u] and e < need_e[1, u]):
                need[1, u], need_e[1, u] = of_items, e
        if was_unsafe or of_items > 0:
            for side in range(sides):
                offer(choices, scratch, e, side, of_e, u, e)
    if was_unsafe or need[0, u] > 0:
        for d in items_of(buffer.met, buffer.number[choices.where[u]]):
            for side in range(sides):
                offer(choices, scratch, d, side, need[side, u], u, need_e[side, u])


@inner
def offer(choices, scratch, d, side, n, u, e):  # type: ignore[no-untyped-def]
    """Lets the rule q -> e, which takes n deletions of d, be the best for d. If it was and has changed, d is looked
    for again: n = 0 says that it is safe now."""
    best = scratch.best[side, d]
    if best == UNKNOWN:
        return
    if best > 0 and scratch.best_of[side, d] == u:
        scratch.best[side, d] = UNKNOWN
    elif n > 0 and (best == 0 or better(choices, side, n, u, best, scratch.best_of[side, d])):
        scratch.best[side, d], scratch.best_of[side, d], scratch.best_e[side, d] = n, u, e


@inner
def better(choices, side, n, u, other_n, other_u):  # type: ignore[no-untyped-def]
    """Fewer deletions (side 0) or more (side 1), then the qid that was generated first."""
    if n != other_n:
        return n < other_n if side == 0 else n > other_n
    return choices.where[u] < choices.where[other_u]


@inner
def look(part, choices, scratch, d, side):  # type: ignore[no-untyped-def]
    """Finds the best rule for d."""
    best, best_u, best_e = np.int64(0), np.int64(-1), np.int32(-1)
    need = choices.need[side]
    i = scratch.first[d]
    while i >= 0:
        u = np.int64(choices.open[choices.place[i]])
        if u >= 0:
            n = need[u]
            if n > 0 and (best == 0 or better(choices, side, n, u, best, best_u)):
                best, best_u, best_e = n, u, choices.need_e[side, u]
        i = choices.after[i]
    k = scratch.first_rule[d]
    while k >= 0:
        u = np.int64(choices.rule_of[k])
        if need[u] > 0:
            over = choices.rule_sup[k] * part.den[d] - choices.sup[u] * part.num[d]
            if over > 0:
                n = -(-over // part.den[d])
                if best == 0 or better(choices, side, n, u, best, best_u):
                    best, best_u, best_e = n, u, np.int32(d)
        k = choices.rule_after[k]
    scratch.best[side, d], scratch.best_of[side, d], scratch.best_e[side, d] = best, best_u, best_e
