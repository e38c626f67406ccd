"""A visit: a record draws the part that it publishes anew, among all that keep every tracked rule safe.

Let S be the supports of the nodes without record u, which now shows m.

* A part w is *allowed* if all parts inside it are, and den (S[w] + 1) <= num (S[w - e] + 1) for each e of w that is
  asked about by somebody who knows w - e.
* A part q of m is *required* if some rule q -> e of others would not hold without u: S[q] is less than `demand`. What
  u shows must contain all that is required.

So after every visit all tracked rules hold. m itself is allowed and has all that is required: nobody is ever stuck.

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
Movers = namedtuple("Movers", "of_unit shown begins parts nodes asks")
# How parts are drawn: value of each item, a whole number; weight of a part by what it is worth more than now, from
# -len // 2 on (empty: only the best are drawn); lots, the state of the generator
Draw = namedtuple("Draw", "value weight lots")


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
def add_to(movers, rules, lo, hi, m, number):  # type: ignore[no-untyped-def]
    """Adds a number to the supports of all that is inside m."""
    parts, nodes, support = movers.parts, movers.nodes, rules.support
    for p in range(lo, hi):
        w = parts[p] & ~FOUND
        if w & m == w:
            support[nodes[p]] += number


@inner
def required(movers, rules, lo, hi, m):  # type: ignore[no-untyped-def]
    """The union of what must stay of m; supports are without it."""
    parts, nodes, support, demand = movers.parts, movers.nodes, rules.support, rules.demand
    stay = 0
    for p in range(lo, hi):
        w = parts[p] & ~FOUND
        if w & m == w and w & stay != w:
            q = np.int64(nodes[p])
            if demand[q] > support[q]:
                demand[q] = demand_of(rules, q)
                if demand[q] > support[q]:
                    stay |= w
                    if stay == m:
                        break
    return stay


@inner
def raise_demands(units, movers, rules, c, m, node):  # type: ignore[no-untyped-def]
    """The demands after somebody of unit c has begun to show m."""
    parts, nodes, support, demand = movers.parts, movers.nodes, rules.support, rules.demand
    items, start = units.items, units.ptr[c]
    n = units.ptr[c + 1] - start
    for p in range(movers.begins[c], movers.begins[c + 1]):
        if parts[p] < FOUND:
            continue
        w = parts[p] ^ FOUND
        node[w] = nodes[p]
        asked = movers.asks[p]
        if w & m != w or asked == 0:
            continue
        for k in range(n):
            if asked >> k & 1:
                e = items[start + k]
                wanted = demanded(np.int64(support[nodes[p]]), rules.num[e], rules.den[e])
                q = node[w ^ (1 << k)]
                if wanted > demand[q]:
                    demand[q] = wanted


@inner
def chance(lots):  # type: ignore[no-untyped-def]
    """A number from 0 to 1 (xorshift)."""
    x = lots[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    lots[0] = x
    return np.float64(x >> np.uint64(11)) / 9007199254740992.0


@inner
def weight_of(draw, worth, now, best):  # type: ignore[no-untyped-def]
    """How often a part of this worth is drawn, compared with one that is worth as much as what is shown now."""
    room = len(draw.weight)
    if room == 0:
        return 1.0 if worth >= best else 0.0
    return draw.weight[min(max(worth - now + room // 2, 0), room - 1)]


@inner
def draw_part(units, movers, rules, c, m, stay, draw, ok, with_, worth):  # type: ignore[no-untyped-def]
    """What a record of unit c that shows m shows next: everything harmless, or a part with something sensitive."""
    items, start = units.items, units.ptr[c]
    n = units.ptr[c + 1] - start
    parts, nodes, support, num, den = movers.parts, movers.nodes, rules.support, rules.num, rules.den
    value, lots = draw.value, draw.lots
    now = harmless = np.int64(0)
    secret = np.int64(units.secret[c])
    plain = ((1 << n) - 1) ^ secret
    for k in range(n):
        x = items[start + k]
        if m >> k & 1:
            now += value[x]
        if plain >> k & 1:
            harmless += value[x]
    chosen, total, best = m, 0.0, now  # `best` is what counts if only the best are drawn
    if plain != 0 and stay & plain == stay:
        weight = weight_of(draw, harmless, now, best)
        if weight > 0.0:
            chosen, total, best = plain, weight, max(best, harmless)
    for p in range(movers.begins[c], movers.begins[c + 1]):
        if parts[p] < FOUND:
            continue
        w = np.int64(parts[p] ^ FOUND)
        s = np.int64(support[nodes[p]])
        with_[w] = s
        good = True
        asked = movers.asks[p]
        rest = w
        k = 0
        while rest:
            if rest & 1:
                v = w ^ (1 << k)
                e = items[start + k]
                if not ok[v] or (asked >> k & 1 and den[e] * (s + 1) > num[e] * (with_[v] + 1)):
                    good = False
                    break
                worth[w] = worth[v] + value[e]
            rest >>= 1
            k += 1
        ok[w] = good
        if not good or w & secret == 0 or w & stay != stay:
            continue
        weight = weight_of(draw, worth[w], now, best)
        if weight == 0.0:
            continue
        if len(draw.weight) == 0 and worth[w] > best:
            best, total = worth[w], 0.0
        total += weight
        if chance(lots) * total < weight:
            chosen = w
    return chosen


@kernel
def visit_all(order, units, movers, rules, draw, most, stop, enough):  # type: ignore[no-untyped-def]
    """Visits the movers in this order; returns how many items more are shown. Ends early once a flag is up."""
    ok, with_ = np.zeros(1 << most, dtype=np.uint8), np.zeros(1 << most, dtype=np.int64)
    node, worth = np.zeros(1 << most, dtype=np.int32), np.zeros(1 << most, dtype=np.int64)
    ok[0] = 1
    gained = np.int64(0)
    for u in order:
        if raised(stop) or raised(enough):
            break
        c, m = movers.of_unit[u], np.int64(movers.shown[u])
        lo, hi = movers.begins[c], movers.begins[c + 1]
        add_to(movers, rules, lo, hi, m, np.int64(-1))
        stay = required(movers, rules, lo, hi, m)
        chosen = m
        if stay != m or m == 0:
            chosen = draw_part(units, movers, rules, c, m, stay, draw, ok, with_, worth)
        add_to(movers, rules, lo, hi, chosen, np.int64(1))
        raise_demands(units, movers, rules, c, chosen, node)
        if chosen != m:
            gained += ones(np.uint64(chosen)) - ones(np.uint64(m))
            movers.shown[u] = chosen
    return gained
