"""Suppression on the whole table: leaves first, longest records first (model.md 1.2, 1.3).

A record R is safe when for each sensitive e in it the leaf R \\ {e} -> e is safe: enough records contain R \\ {e}
and lack e. It then watches just enough of those (point 6): as long as they keep R's items, R needs no second look.
What cannot be made safe so loses items and is queued again at its new length. Leaves are not all: the caller audits the
result, and queues what the audit finds.

Several records are taken from the queue together, and decided about at once (decide.py). When it is a record's turn,
others of the same batch may have lost something: an alibi that is none any more, or an equal record that changed, puts
it back into the queue. How many are taken depends on the queue alone, so the outcome does not depend on threads.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.common.decide import CUT, SAFE, decide
from sordino.protect.kernels.common.ledger import (
    LEFT,
    LEVEL,
    OPEN,
    add_watch,
    delete,
    delete_marked,
    end_watches,
    enqueue,
)

TOGETHER = 512  # records that are taken from the queue together, at most
DECIDE, GO_ON = 0, 1
SHARE = 16  # of so many records in the queue one is taken


@inner
def take(g, batch):  # type: ignore[no-untyped-def]
    """The next records of the queue, longest first, which stay marked as queued. Returns how many; 0 if it is empty.

    It ends: each step takes one record off a chain, and one that goes back stands where its length says, so that the
    next step at it takes it. A record that waits may have become shorter (by a deletion), or longer (by a second
    chance); then the search goes on from its new length, or nobody would come by there again.
    """
    wanted = g.tally[OPEN] // SHARE
    if wanted < 1:
        wanted = np.int64(1)
    if wanted > len(batch):
        wanted = np.int64(len(batch))
    count = np.int64(0)
    n = g.tally[LEVEL]
    while count < wanted:
        while n >= 2 and g.queue_head[n] < 0:
            n -= 1
        if n < 2:
            break
        u = np.int64(g.queue_head[n])
        g.queue_head[n] = g.queue[u]
        g.tally[OPEN] -= 1
        state = g.queued[u]
        if g.length[u] == n and state == 1:
            batch[count] = u
            count += 1
            continue
        g.queued[u] = 0
        if g.length[u] != n:
            enqueue(g, u)
            if g.length[u] > n:
                n = g.length[u]
    g.tally[LEVEL] = n
    return count


@inner
def still_alibi(g, u, v, e):  # type: ignore[no-untyped-def]
    """Whether record v contains u but for e."""
    items = g.items
    at = g.ptr[v]
    stop = at + g.length[v]
    for k in range(g.ptr[u], g.ptr[u] + g.length[u]):
        want = items[k]
        if want == e:
            continue
        while at < stop and items[at] < want:
            at += 1
        if at >= stop or items[at] != want:
            return False
    return True


@inner
def carry_out(g, batch, count, sizes, plan):  # type: ignore[no-untyped-def]
    """What was decided about the records of the batch, in their order; sizes: how many items they had then.

    Whoever lost something is queued again.
    """
    for i in range(count):
        u = batch[i]
        state = g.queued[u]
        g.queued[u] = 0
        n = sizes[i]
        if g.length[u] != n:
            enqueue(g, u)
            continue
        if state != 1:
            continue
        stands = True
        for j in range(plan.equal[i]):
            v = plan.members[i, j]
            stands = stands and g.length[v] == n
        end_watches(g, u)
        if plan.kind[i] == SAFE and i > 0:
            for j in range(plan.count[i]):
                stands = stands and still_alibi(g, u, plan.whom[i, j], plan.about[i, j])
        if not stands:
            enqueue(g, u)
            continue
        for j in range(plan.equal[i]):  # this look was for all of them
            if g.queued[plan.members[i, j]]:
                g.queued[plan.members[i, j]] = 2
        if plan.kind[i] == SAFE:
            if plan.count[i] <= g.tally[LEFT]:
                for j in range(plan.count[i]):
                    add_watch(g, u, plan.whom[i, j], plan.about[i, j])
        elif plan.kind[i] == CUT:
            delete_marked(g, u, plan.out[i])
        else:
            lose = plan.count[i]
            for j in range(plan.equal[i] - 1, -1, -1):
                if lose == 0:
                    break
                v = np.int64(plan.members[i, j])
                delete(g, v, g.ptr[v] + plan.best[i])
                lose -= 1
            if g.length[u] == n:
                enqueue(g, u)


@kernel
def suppress(g, task, first, count, budget, most, choice, room, plan, batch, sizes):  # type: ignore[no-untyped-def]
    """Decides about records of the batch, and goes on with the queue. There is one kernel for all of it: what is
    compiled into two would be compiled twice.

    task DECIDE: only decides about the records first to count of the batch. GO_ON: carries out what was decided about
    the first `count`, and works on the queue for about `budget` records, or until the next batch has more than `most`.

    Returns how many of a batch were taken and not yet decided about, 0 if the budget is spent, or -1 if the queue is
    empty.

    With each batch the occurrences become fewer, or else the queue shorter: what was decided about its first record
    still stands, so that is safe and leaves the queue, or loses something; others go back only if something was
    deleted in the same batch. (The caller checks it.)
    """
    worked = 0
    stop = g.stop
    deciding = task == DECIDE
    while True:
        if deciding:
            for i in range(first, count):
                if raised(stop):
                    return 0
                decide(g, batch[i], choice, room, plan, i)
            if task == DECIDE:
                return 0
        if raised(stop):  # there may be nothing in the plan
            return 0
        if count > 0:
            carry_out(g, batch, count, sizes, plan)
            if deciding:
                worked += count
        if worked >= budget:
            return 0
        count = take(g, batch)
        if count == 0:
            return -1
        for i in range(count):
            sizes[i] = g.length[batch[i]]
        if count > most:
            return count
        deciding = True
