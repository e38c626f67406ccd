"""Algorithm 2 (SanitizeBuffer) of Jia et al. 2014 as printed: each step takes the best triple (d, q, e) of the buffer.

For one d the heuristics only ask for N_s: the fewest deletions are best; or the most, where Dist finds deleting d
harmful. So the best rule of every d is kept, and looked for again only if it was changed.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.jia.choices import choices_of, cleared, look, opened, refresh
from sordino.protect.kernels.jia.met import (
    FOREVER,
    LINE,
    NEVER,
    items_of,
    keep_records,
    kept_records,
    line_of,
    spent_by,
)
from sordino.protect.kernels.jia.part import delete, place, records_of, surplus

RULES, FALLEN, CHANGED = 1, 2, 3  # of Choices.length


@inner
def sanitize(part, buffer, scratch, dist, rng):  # type: ignore[no-untyped-def]
    """Deletes until no qid of the buffer is unsafe; returns whether one was."""
    if buffer.length[1] == 0 or raised(part.stop):
        return False
    sides = np.int64(2 if dist else 1)
    choices = choices_of(part, buffer, scratch, sides)
    while not raised(part.stop):  # each turn deletes something
        d, u, e, n = choose(part, choices, scratch, dist)
        if n == 0:
            break
        if not carry_out(part, buffer, choices, scratch, rng, d, u, e, n):
            break
        for i in range(choices.length[CHANGED]):
            refresh(part, buffer, choices, scratch, np.int64(choices.changed[i]), sides)
            choices.touched[choices.changed[i]] = 0
        choices.length[CHANGED] = 0
        choices = with_fallen(part, buffer, choices, scratch, sides)
    draw_lines(part, buffer, choices)
    cleared(scratch)
    return True


@inner
def carry_out(part, buffer, choices, scratch, rng, d, u, e, n):  # type: ignore[no-untyped-def]
    """Deletes d from n records drawn among those that contain q and e; False if that cannot go on."""
    k = buffer.number[choices.where[u]]
    held = kept_records(part, buffer.met, k, part.chosen)
    if held < 0:
        held = records_of(part, items_of(buffer.met, k))
    held_with = np.int64(0)
    for i in range(held):
        t = part.chosen[i]
        if place(part, t, e) >= 0:
            part.chosen[held_with] = t
            held_with += 1
    if held_with < n:
        part.astray[0] = 1
        return False
    for i in range(n):
        if raised(part.stop):
            return False
        j = rng.integers(i, held_with)
        part.chosen[i], part.chosen[j] = part.chosen[j], part.chosen[i]
        update(part, buffer, choices, scratch, part.chosen[i], d)
        delete(part, part.chosen[i], d)
    return True


@inner
def choose(part, choices, scratch, dist):  # type: ignore[no-untyped-def]
    """The best (d, q, e) and N_s, which is 0 if no qid is unsafe. Ties: fewer deletions, the qid generated first, the
    first e, e itself before the items of q, the first of these."""
    best_d, best_u, best_e, best_n = np.int64(-1), np.int64(-1), np.int32(-1), np.int64(0)
    best_gain = np.float64(0.0)
    for i in range(scratch.length[1]):
        d = np.int64(scratch.asked[i])
        if part.sup[d] == 0 or scratch.best[0, d] == 0:  # then no rule is unsafe
            continue
        gain = surplus(part, d) if dist else np.float64(0.0)
        side = 1 if gain < 0 else 0
        if scratch.best[side, d] < 0:
            look(part, choices, scratch, d, side)
        n, u, e = scratch.best[side, d], scratch.best_of[side, d], scratch.best_e[side, d]
        if n == 0:
            continue
        order = np.int64(0)  # above 0: better, below 0: worse
        if best_n == 0:
            order = np.int64(1)
        elif dist:
            order = np.int64(1 if gain / n > best_gain else -1 if gain / n < best_gain else 0)
        else:
            left = part.sup[d] * n * part.before[best_d]  # leftover(d) * N_s, over a common denominator
            other = part.sup[best_d] * best_n * part.before[d]
            order = np.int64(1 if left < other else -1 if left > other else 0)
        if order == 0:
            order = best_n - n
        if order == 0:
            order = np.int64(choices.where[best_u]) - choices.where[u]
        if order == 0:
            order = np.int64(best_e) - e
        if order == 0:
            order = np.int64(1 if d == e else -1 if best_d == best_e else best_d - d)
        if order > 0:
            best_d, best_u, best_e, best_n, best_gain = d, u, e, n, gain / n
    return best_d, best_u, best_e, best_n


@inner
def update(part, buffer, choices, scratch, t, d):  # type: ignore[no-untyped-def]
    """Takes record t out of the supports that it has part in with d; notes the qids that this changes."""
    mark = scratch.mark
    for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
        mark[part.items[p]] = 1
    i = scratch.first[d]
    while i >= 0:
        n = choices.place[i]
        if holds_all(items_of(buffer.met, buffer.number[n]), mark):
            u = choices.open[n]
            if u >= 0:
                choices.sup[u] -= 1
                for k in range(choices.rules[u, 0], choices.rules[u, 1]):
                    choices.rule_sup[k] -= mark[choices.rule_e[k]]
                touch(choices, u)
            else:
                choices.slack[n] -= 1
                if choices.slack[n] == -1:
                    choices.fallen[choices.length[FALLEN]] = n
                    choices.length[FALLEN] += 1
        i = choices.after[i]
    k = scratch.first_rule[d]
    while k >= 0:
        u = choices.rule_of[k]
        if choices.rule_sup[k] > 0 and holds_all(items_of(buffer.met, buffer.number[choices.where[u]]), mark):
            choices.rule_sup[k] -= 1
            touch(choices, u)
        k = choices.rule_after[k]
    for p in range(part.ptr[t], part.ptr[t] + part.size[t]):
        mark[part.items[p]] = 0


@inner
def touch(choices, u):  # type: ignore[no-untyped-def]
    if not choices.touched[u]:
        choices.touched[u] = 1
        choices.changed[choices.length[CHANGED]] = u
        choices.length[CHANGED] += 1


@inner
def holds_all(q, mark):  # type: ignore[no-untyped-def]
    """Whether all items of the qid are marked."""
    for x in q:  # noqa: SIM110
        if not mark[x]:
            return False
    return True


@inner
def with_fallen(part, buffer, choices, scratch, sides):  # type: ignore[no-untyped-def]
    """The choices with those qids opened that are unsafe now; the others that have fallen have their slack anew."""
    for i in range(choices.length[FALLEN]):
        n = np.int64(choices.fallen[i])
        k = buffer.number[n]
        q = items_of(buffer.met, k)
        held = kept_records(part, buffer.met, k, part.chosen)
        if held < 0:
            held = records_of(part, q)
            keep_records(buffer.met, k, part.chosen, held)
        line = line_of(part, q, part.chosen, held, buffer.beside)
        if line < 0:
            choices = opened(part, buffer, choices, scratch, n, sides)
        else:
            choices.slack[n] = FOREVER if line == FOREVER else line - spent_by(part, q)
    choices.length[FALLEN] = 0
    return choices


@inner
def draw_lines(part, buffer, choices):  # type: ignore[no-untyped-def]
    """Notes what is known now of the qids of the buffer."""
    about = buffer.met.about
    for n in range(buffer.length[0]):
        k = buffer.number[n]
        u = choices.open[n]
        if u < 0:
            if choices.slack[n] < FOREVER:
                about[k, LINE] = choices.slack[n] + spent_by(part, items_of(buffer.met, k))
            else:
                about[k, LINE] = FOREVER
            continue
        need = np.int64(0)
        unsafe = False
        for rule in range(choices.rules[u, 0], choices.rules[u, 1]):
            e = choices.rule_e[rule]
            number = choices.rule_sup[rule]
            if number * part.den[e] > choices.sup[u] * part.num[e]:
                unsafe = True
            elif number > 0:
                need = max(need, -(-number * part.den[e] // part.num[e]))
        if unsafe:
            about[k, LINE] = NEVER
        else:
            about[k, LINE] = FOREVER if need == 0 else spent_by(part, items_of(buffer.met, k)) + choices.sup[u] - need
