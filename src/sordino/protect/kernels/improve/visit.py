"""A visit: a record draws the part that it publishes anew, among all that keep every tracked rule safe.

Let S be the supports of the nodes, and m what record u shows now.

* A part w outside m is *allowed* if all parts inside it are, and den (S[w] + 1) <= num S'[w - e] for each e of w that
  is asked about by somebody who knows w - e. S' counts u as well: it is S + 1, but S for what is inside m. All that is
  inside m is allowed.
* A part q of m is *required* if some rule q -> e of others, e not in m, would not hold without u: if S[q] - 1 is less
  than `demand`. What u shows must contain all that is required. (If e is in m, u leaves both sides of the rule, which
  then holds as before, as num < den.)

So after every visit all tracked rules hold. m itself is allowed and has all that is required: nobody is ever stuck.

Visits read (`propose`), and what changes is written afterwards (`carry_out`): so many records can be visited at once,
by several threads. Whatever they drew is looked at again before it is written, with all that others did meanwhile, and
given up if it does not keep all rules any more. So every state keeps them, and which records are visited together
matters, but not by how many threads.

A part that nobody knows enough to ask for (limited knowledge) has node 0: it is allowed if all inside it is.

`demand[q]`, the support that the rules q -> e require, is kept as an upper bound, and computed when it seems to fail.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.protect.kernels.improve.tree import FOUND

NEVER = 1 << 60  # the demand of a rule that no support makes safe

# By node: support, demand, and rules from it: to target[edge_ptr[q]:edge_ptr[q + 1]], about that item
Rules = namedtuple("Rules", "support demand edge_ptr target about num den")
# Records that move: their unit, and the part that they show; the nodes inside each unit (tree.py, inner_nodes)
Movers = namedtuple("Movers", "of_unit shown begins parts nodes asks after")
# How parts are drawn: value of each item, a whole number; weight of a part by what it is worth more than now, from
# -len // 2 on (empty: only the best are drawn); chances: by place in the order, from 0 to 1
Draw = namedtuple("Draw", "value weight chances")
# Of one thread. By part: the visit for which it is allowed, if it is; the support with u, and the value. By place in
# the unit: thresholds. What can be drawn: parts and their weights. [0]: the number of the visit
Room = namedtuple("Room", "ok with_ worth num den parts weights visit")


@inner
def demanded(support, num, den):  # type: ignore[no-untyped-def]
    """What an antecedent needs if so many have the consequent as well."""
    if support == 0:
        return np.int64(0)
    return -(-support * den // num) if num > 0 else np.int64(NEVER)


@inner
def demand_of(rules, q):  # type: ignore[no-untyped-def]
    """The largest demand of the rules from node q."""
    support, about, target, num, den = rules.support, rules.about, rules.target, rules.num, rules.den
    most = np.int64(0)
    for k in range(rules.edge_ptr[q], rules.edge_ptr[q + 1]):
        e = about[k]
        most = max(most, demanded(np.int64(support[target[k]]), num[e], den[e]))
    return most


@kernel
def count_movers(movers, rules):  # type: ignore[no-untyped-def]
    """Adds what movers show to the supports, and computes all demands. Returns how many nodes fail theirs."""
    support, demand = rules.support, rules.demand
    for u in range(len(movers.shown)):
        c, m = movers.of_unit[u], movers.shown[u]
        for p in range(movers.begins[c], movers.begins[c + 1]):
            w = movers.parts[p] & ~FOUND
            if w & m == w:
                support[movers.nodes[p]] += 1
    failing = 0
    for q in range(1, len(support)):
        demand[q] = demand_of(rules, np.int64(q))
        failing += demand[q] > support[q]
    return failing


@inner
def rests_on(units, rules, c, m, q):  # type: ignore[no-untyped-def]
    """Whether some rule from node q, inside m, would not hold without one record of unit c that shows m."""
    support, about, target, num, den = rules.support, rules.about, rules.target, rules.num, rules.den
    items, start = units.items, units.ptr[c]
    left = np.int64(support[q]) - 1
    most = np.int64(0)
    for k in range(rules.edge_ptr[q], rules.edge_ptr[q + 1]):
        e = about[k]
        wanted = demanded(np.int64(support[target[k]]), num[e], den[e])
        if wanted > left:
            shown, rest = False, m
            j = start
            while rest:
                shown |= rest & 1 and items[j] == e
                rest >>= 1
                j += 1
            if not shown:
                return True
        most = max(most, wanted)
    rules.demand[q] = most
    return False


@inner
def required(units, movers, rules, c, m, without):  # type: ignore[no-untyped-def]
    """The union of what must stay of m, of all its parts that are not inside `without`."""
    parts, nodes, after, support, demand = movers.parts, movers.nodes, movers.after, rules.support, rules.demand
    stay = np.int64(0)
    p, hi = movers.begins[c], movers.begins[c + 1]
    while p < hi:
        w = np.int64(parts[p] & ~FOUND)
        if w & ~m:
            if w > m:
                break
            p = np.int64(after[p])
            continue
        q = np.int64(nodes[p])
        p += 1
        if demand[q] >= support[q] and q > 0 and w & ~stay and w & ~without and rests_on(units, rules, c, m, q):
            stay |= w
            if stay == m:
                break
    return stay


@inner
def begin_visit(units, rules, c, room):  # type: ignore[no-untyped-def]
    """Nothing but the empty part is known to be allowed; the thresholds of the items of unit c are at hand."""
    room.visit[0] += 1
    room.ok[0] = room.visit[0]
    start = units.ptr[c]
    for k in range(units.ptr[c + 1] - start):
        e = units.items[start + k]
        room.num[k], room.den[k] = rules.num[e], rules.den[e]


@inner
def is_allowed(w, asked, s, room):  # type: ignore[no-untyped-def]
    """Whether the part w, of support s with u, is allowed if all inside it is."""
    while asked:
        bit = asked & -asked
        asked ^= bit
        k = ones(np.uint64(bit - 1))
        if room.den[k] * s > room.num[k] * room.with_[w ^ bit]:
            return False
    return True


@inner
def is_open(w, visit, ok):  # type: ignore[no-untyped-def]
    """Whether all inside the part w is allowed, if w without its first item is."""
    rest = w & (w - 1)
    while rest:
        bit = rest & -rest
        if ok[w ^ bit] != visit:
            return False
        rest ^= bit
    return True


@inner
def weight_of(draw, worth, now, best):  # type: ignore[no-untyped-def]
    """How often a part of this worth is drawn, compared with one that is worth as much as what is shown now."""
    room = len(draw.weight)
    if room == 0:
        return 1.0 if worth >= best else 0.0
    return draw.weight[min(max(worth - now + room // 2, 0), room - 1)]


@inner
def worth_of(units, c, w, value):  # type: ignore[no-untyped-def]
    """The value of the part w of unit c."""
    worth = np.int64(0)
    j = units.ptr[c]
    while w:
        if w & 1:
            worth += value[units.items[j]]
        w >>= 1
        j += 1
    return worth


@inner
def draw_part(units, movers, rules, c, m, stay, draw, chance, room):  # type: ignore[no-untyped-def]
    """What a record of unit c that shows m shows next: everything harmless, or a part with something sensitive.

    What a part that is not allowed is inside of (`after`: it has earlier items as well) is not looked at.
    """
    start, n = units.ptr[c], units.ptr[c + 1] - units.ptr[c]
    parts, nodes, after, support = movers.parts, movers.nodes, movers.after, rules.support
    ok, with_, value = room.ok, room.with_, room.worth
    secret = np.int64(units.secret[c])
    plain = ((1 << n) - 1) ^ secret
    begin_visit(units, rules, c, room)
    visit = room.visit[0]
    now = worth_of(units, c, m, draw.value)
    best, total, count = now, 0.0, 0  # `best` is what counts if only the best are drawn
    if plain != 0 and plain != m and stay & plain == stay:
        worth = worth_of(units, c, plain, draw.value)
        weight = weight_of(draw, worth, now, best)
        if weight > 0.0:
            best, total, count = max(best, worth), weight, 1
            room.parts[0], room.weights[0] = plain, weight
    p, hi = movers.begins[c], movers.begins[c + 1]
    while p < hi:
        w = np.int64(parts[p] - FOUND)
        if w < 0:
            p += 1
            continue
        s = np.int64(support[nodes[p]])
        if w & ~m:
            s += 1
            if not is_open(w, visit, ok) or not is_allowed(w, np.int64(movers.asks[p]), s, room):
                p = np.int64(after[p])
                continue
        with_[w], ok[w] = s, visit
        bit = w & -w
        worth = value[w ^ bit] + draw.value[units.items[start + ones(np.uint64(bit - 1))]]
        value[w] = worth
        p += 1
        if w & secret == 0 or w & stay != stay or w == m:
            continue
        weight = weight_of(draw, worth, now, best)
        if weight == 0.0:
            continue
        if len(draw.weight) == 0 and worth > best:
            best, total, count = worth, 0.0, 0
        total += weight
        room.parts[count], room.weights[count] = w, weight
        count += 1
    drawn = chance * total
    for k in range(count):
        weight = room.weights[k]
        if drawn < weight:  # drawn / weight is any number from 0 to 1
            return room.parts[k] if drawn * (total + 1.0 - weight) < weight * total else m
        drawn -= weight
    return m


@inner
def make_room(most):  # type: ignore[no-untyped-def]
    """Room for units of up to `most` items."""
    size = np.int64(1) << most
    return Room(
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.zeros(size + 1, dtype=np.int64),
        np.zeros(size + 1, dtype=np.float64),
        np.zeros(1, dtype=np.int64),
    )


@inner
def draw_all(order, lo, hi, units, movers, rules, draw, drawn, room, stop, enough):  # type: ignore[no-untyped-def]
    """What the movers order[lo:hi] draw, as things stand: drawn[lo:hi]; what they show, once a flag is up."""
    for k in range(lo, hi):
        u = order[k]
        c, m = np.int64(movers.of_unit[u]), np.int64(movers.shown[u])
        drawn[k] = m
        if raised(stop) or raised(enough):
            continue
        stay = required(units, movers, rules, c, m, np.int64(0))
        if stay != m or m == 0:
            drawn[k] = draw_part(units, movers, rules, c, m, stay, draw, draw.chances[k], room)


@kernel
def propose(order, lo, hi, units, movers, rules, draw, drawn, most, stop, enough):  # type: ignore[no-untyped-def]
    """What the movers order[lo:hi] draw, as things stand: drawn[lo:hi]; what they show, once a flag is up."""
    draw_all(order, lo, hi, units, movers, rules, draw, drawn, make_room(most), stop, enough)


@inner
def still_fits(units, movers, rules, c, m, w, room):  # type: ignore[no-untyped-def]
    """Whether a record of unit c that shows m can show w, as things stand."""
    if required(units, movers, rules, c, m, w):
        return False
    begin_visit(units, rules, c, room)
    p, hi = movers.begins[c], movers.begins[c + 1]
    while p < hi:
        v = np.int64(movers.parts[p] & ~FOUND)
        if v & ~w:
            if v > w:
                break
            p = np.int64(movers.after[p])
            continue
        s = np.int64(rules.support[movers.nodes[p]])
        if v & ~m:
            s += 1
            if not is_allowed(v, np.int64(movers.asks[p]), s, room):
                return False
        room.with_[v] = s
        p += 1
    return True


@inner
def show(units, movers, rules, c, m, w, node):  # type: ignore[no-untyped-def]
    """Supports and demands after a record of unit c shows w, and not m any more."""
    parts, nodes, support, demand = movers.parts, movers.nodes, rules.support, rules.demand
    for p in range(movers.begins[c], movers.begins[c + 1]):
        v = np.int64(parts[p] & ~FOUND)
        node[v] = nodes[p]
        if v & ~w:
            if v & ~m == 0:
                support[nodes[p]] -= 1
        elif v & ~m:
            support[nodes[p]] += 1
            rest = np.int64(movers.asks[p])
            while rest:
                bit = rest & -rest
                rest ^= bit
                e = units.items[units.ptr[c] + ones(np.uint64(bit - 1))]
                wanted = demanded(np.int64(support[nodes[p]]), rules.num[e], rules.den[e])
                q = node[v ^ bit]
                if wanted > demand[q]:
                    demand[q] = wanted


@inner
def write_all(order, lo, hi, units, movers, rules, drawn, now, room, node):  # type: ignore[no-untyped-def]
    """The movers order[lo:hi] show what they drew, one after the other, if it still keeps all rules."""
    for k in range(lo, hi):
        u = order[k]
        c, m, w = np.int64(movers.of_unit[u]), np.int64(movers.shown[u]), np.int64(drawn[k])
        if w == m or not still_fits(units, movers, rules, c, m, w, room):
            continue
        show(units, movers, rules, c, m, w, node)
        movers.shown[u] = w
        for j in range(units.ptr[c + 1] - units.ptr[c]):
            now[units.items[units.ptr[c] + j]] += (w >> j & 1) - (m >> j & 1)


@kernel
def carry_out(order, lo, hi, units, movers, rules, drawn, now, most):  # type: ignore[no-untyped-def]
    """The movers order[lo:hi] show what they drew (`propose`), if it still keeps all rules; now[x]: how many show x."""
    node = np.zeros(np.int64(1) << most, dtype=np.int32)
    write_all(order, lo, hi, units, movers, rules, drawn, now, make_room(most), node)


@kernel
def visit_all(order, size, units, movers, rules, draw, drawn, now, most, stop, enough):  # type: ignore[no-untyped-def]
    """All movers in this order, so many at once: `propose` and `carry_out` in turns, on one thread."""
    room, node = make_room(most), np.zeros(np.int64(1) << most, dtype=np.int32)
    for lo in range(0, len(order), size):
        hi = min(lo + size, len(order))
        draw_all(order, lo, hi, units, movers, rules, draw, drawn, room, stop, enough)
        write_all(order, lo, hi, units, movers, rules, drawn, now, room, node)
