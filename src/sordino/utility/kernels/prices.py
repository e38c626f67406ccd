"""What records would show if alibis had a price: one step of the Lagrangian bound (docs/notes/bound.md).

The rule q -> e demands x * (with e) <= y * (without e) among the published records that contain q. Its price, a whole
number of SCALE-ths of an item, is paid to each record that shows q without e; one that shows q + e pays x / y times as
much, rounded down. By node: `gain` is the sum of the prices of the rules from it, `pay` that of what is due to rules
into it, their prices included (for it is no alibi). Showing W is worth |W| * SCALE + the gain less the pay of all nodes
inside W. All of it are integers, and rounding is in favour of the records: the sum over all records of the best that
each can show is never below what the best safe table shows.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from sordino.engine.kernels.bits import ones
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised
from sordino.utility.kernels.lattice import IMPOSSIBLE, MOST, NONE

SCALE = 1 << 16
# Long classes: most[size_ptr[k] + z] tells how many items can be shown with z sensitive ones; nodes inside class k:
# list[begin[k]:begin[k + 1]]
Long = namedtuple("Long", "size_ptr most weight begin list")
# By rule: source, target, x, y; the price, what moves it, and the sum of squares of what moved it
Market = namedtuple("Market", "source target x y price pull squares")
# By node: how many always show it, how many count as alibis, how many have it
Counts = namedtuple("Counts", "free alibi has")
# By node: what who shows it is paid, and what he pays
Tariff = namedtuple("Tariff", "gain pay")


@inner
def add_subsets(table, n):  # type: ignore[no-untyped-def]
    """Adds to the entry of each part those of all smaller ones."""
    for k in range(n):
        bit = 1 << k
        for block in range(0, 1 << n, 2 * bit):
            for w in range(block, block + bit):
                table[w + bit] += table[w]


@kernel
def choose(lo, hi, units, node, gain, pay, value, chosen, stop):  # type: ignore[no-untyped-def]
    """What is best for each unit in lo..hi, and what it is worth."""
    worth = np.zeros(1 << MOST, dtype=np.int64)
    for k in range(lo, hi):
        if raised(stop):
            return
        n, base = units.ptr[k + 1] - units.ptr[k], units.at[k]
        for w in range(1 << n):
            q = node[base + w]
            worth[w] = gain[q] - pay[q]
        add_subsets(worth, n)
        best, what = np.int64(0), np.int64(0)
        for w in range(1, 1 << n):
            if units.state[base + w] != IMPOSSIBLE:
                here = worth[w] + SCALE * ones(np.uint64(w))
                if here > best:
                    best, what = here, np.int64(w)
        value[k], chosen[k] = best, what


@inner
def best_size(long, c, gains, count):  # type: ignore[no-untyped-def]
    """What long class c is worth at most besides its harmless nodes, and with how many sensitive items.

    gains[:count] are what is left of the gains of nodes with something sensitive, by their rarest sensitive item,
    descending: who shows z sensitive items has z of these items.
    """
    best, at = SCALE * long.most[long.size_ptr[c]], np.int64(0)
    sum_ = np.int64(0)
    for z in range(1, long.size_ptr[c + 1] - long.size_ptr[c]):
        if z <= count:
            sum_ += gains[z - 1]
        size = long.most[long.size_ptr[c] + z]
        if size >= 0 and SCALE * size + sum_ > best:
            best, at = SCALE * size + sum_, np.int64(z)
    return best, at


@inner
def settle_long(long, c, rarest, tariff, of_item, items, gains, alibi):  # type: ignore[no-untyped-def]
    """What a record of long class c is worth at most; adds what it shows then to the alibis. `of_item` stays 0."""
    lo, hi = long.begin[c], long.begin[c + 1]
    harmless, count = np.int64(0), np.int64(0)
    for p in range(lo, hi):
        q = long.list[p]
        left = tariff.gain[q] - tariff.pay[q]  # of the sets for which it would pay more, it counts none
        if left <= 0:
            continue
        x = rarest[q]
        if x == NONE:
            harmless += left
        else:
            if of_item[x] == 0:
                items[count] = x
                count += 1
            of_item[x] += left
    for k in range(1, count):  # sorted by insertion: there are few
        j = k
        x = items[k]
        while j > 0 and of_item[items[j - 1]] < of_item[x]:
            items[j] = items[j - 1]
            j -= 1
        items[j] = x
    for k in range(count):
        gains[k] = of_item[items[k]]
        of_item[items[k]] = 0
    best, z = best_size(long, c, gains, count)
    for k in range(min(z, count)):
        of_item[items[k]] = 1
    for p in range(lo, hi):
        q = long.list[p]
        x = rarest[q]
        if x == NONE or (of_item[x] == 1 and tariff.gain[q] >= tariff.pay[q]):
            alibi[q] += long.weight[c]
    for k in range(min(z, count)):
        of_item[items[k]] = 0
    return best + harmless


@kernel
def settle(units, node, weight, width, long, rarest, tariff, counts, value, chosen, stop):  # type: ignore[no-untyped-def]
    """The sum of what all show and are paid for it; counts it by node: who counts as alibi, who has it."""
    free, alibi, has = counts.free, counts.alibi, counts.has
    total = np.int64(0)
    for q in range(len(free)):
        alibi[q], has[q] = free[q], 0
        total += free[q] * tariff.gain[q]
    of_item = np.zeros(width, dtype=np.int64)
    items, gains = np.empty(width, dtype=np.int64), np.empty(width + 1, dtype=np.int64)
    for c in range(len(long.weight)):
        if raised(stop):
            return total
        total += settle_long(long, c, rarest, tariff, of_item, items, gains, alibi) * long.weight[c]
    for k in range(len(chosen)):
        m, number = chosen[k], weight[units.of[k]]
        total += value[k] * number
        w = m
        while w > 0:
            q = node[units.at[k] + w]
            alibi[q] += number
            has[q] += number
            w = (w - 1) & m
    return total


@kernel
def move_prices(market, alibi, has, step, keep, inside, gain, pay):  # type: ignore[no-untyped-def]
    """Prices rise where a rule is broken and fall where there are alibis to spare; then gain and pay of the nodes.

    `inside`: whether who shows q + e is among the `alibi` of q, and gets the price of q -> e, which he must not.
    """
    for q in range(len(gain)):
        gain[q] = pay[q] = 0
    price, pull, squares = market.price, market.pull, market.squares
    for k in range(len(price)):
        q, r = market.source[k], market.target[k]
        x, y = market.x[k], market.y[k]
        want = x * has[r] / y - (alibi[q] - (has[r] if inside else 0))
        if step > 0.0 and (price[k] > 0 or want > 0.0 or pull[k] != 0.0):
            squares[k] += want * want
            pull[k] = keep * pull[k] + (1.0 - keep) * want
            moved = price[k] + SCALE * step * pull[k] / np.sqrt(squares[k] + 1e-9)
            price[k] = np.int64(min(max(moved, 0.0), 4.0 * SCALE))
        gain[q] += price[k]
        pay[r] += (price[k] if inside else 0) + price[k] * x // y
    gain[0] = pay[0] = 0
