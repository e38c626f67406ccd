"""One inference channel (IC) during progressive disclosure: partitions of its combinations, and what a disclosure does.

The IC-tree and the VIP of Wang, Fung and Yu (2005, section 4), for all templates over one set of attributes. What is
kept of a candidate x is only `top[x, t]`, the highest confidence of template t in the pieces that disclosing x would
make. When a partition P is split, its pieces are split too, and the highest confidence of the parts is never below
that of the whole. So stale entries need not be taken back: new pieces outbid them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.flag import raised


class Channel(NamedTuple):
    """Combinations lie together by partition; nodes are numbered through all masking attributes."""

    codes: Any  # [combination, attribute of the channel]: the leaf
    count: Any  # rows that have the combination
    flag_ptr: Any
    flags: Any  # combination k belongs to the templates flags[flag_ptr[sort[k]] : flag_ptr[sort[k] + 1]]
    sort: Any
    start: Any  # partition p holds the combinations start[p] .. end[p] - 1
    end: Any
    slot: Any  # the table of a large partition, 0 for small ones
    parts: Any  # [number of partitions, number of tables in use]
    top_num: Any  # [node, template]
    top_den: Any
    rows: Any  # [table, node]; table 0 is scratch, zero between calls
    held: Any  # [table, node, template]
    touched: Any  # scratch, one a node
    changed: Any  # scratch, one a partition
    stop: Any  # the flag of the watch (engine/local.py)


@inner
def weigh_node(channel, x, row, total, total_held):  # type: ignore[no-untyped-def]
    """Enters the two pieces that x makes of a partition: the rows under x, and the rest."""
    n = channel.rows[row, x]
    rest = total - n
    for t in range(len(total_held)):
        h = channel.held[row, x, t]
        if h * channel.top_den[x, t] > channel.top_num[x, t] * n:
            channel.top_num[x, t] = h
            channel.top_den[x, t] = n
        h = total_held[t] - h
        if h * channel.top_den[x, t] > channel.top_num[x, t] * rest:
            channel.top_num[x, t] = h
            channel.top_den[x, t] = rest


@inner
def add_combination(channel, k, x, row, n):  # type: ignore[no-untyped-def]
    """Adds n rows of combination k to the counts of node x (or takes them off)."""
    channel.rows[row, x] += n
    f = channel.sort[k]
    for i in range(channel.flag_ptr[f], channel.flag_ptr[f + 1]):
        channel.held[row, x, channel.flags[i]] += n


@kernel
def sum_up(channel, p, total_held):  # type: ignore[no-untyped-def]
    """The rows of a partition, and how many of them belong to each template; whether any does."""
    for t in range(len(total_held)):
        total_held[t] = 0
    total = np.int64(0)
    for k in range(channel.start[p], channel.end[p]):
        total += channel.count[k]
        f = channel.sort[k]
        for i in range(channel.flag_ptr[f], channel.flag_ptr[f + 1]):
            total_held[channel.flags[i]] += channel.count[k]
    return total


@inner
def weigh_partition(channel, p, columns, next_node, alive, total_held):  # type: ignore[no-untyped-def]
    """Enters the pieces of partition p under every live candidate; False if none of its rows is in a template."""
    total = sum_up(channel, p, total_held)
    some = False
    for t in range(len(total_held)):
        some |= total_held[t] > 0
    if not some:
        return False
    row = np.int64(channel.slot[p])
    if row > 0:
        for x in range(channel.rows.shape[1]):
            if alive[x] and channel.rows[row, x] > 0:
                weigh_node(channel, x, row, total, total_held)
        return True
    n = 0
    for k in range(channel.start[p], channel.end[p]):
        for a in columns:
            node = np.int64(next_node[channel.codes[k, a]])
            if node >= 0 and alive[node]:
                if channel.rows[0, node] == 0:
                    channel.touched[n] = node
                    n += 1
                add_combination(channel, k, node, row, channel.count[k])
    for i in range(n):
        node = np.int64(channel.touched[i])
        weigh_node(channel, node, row, total, total_held)
        channel.rows[0, node] = 0
        for t in range(len(total_held)):
            channel.held[0, node, t] = 0
    return True


@inner
def tabulate(channel, p, columns, next_node, large):  # type: ignore[no-untyped-def]
    """Gives partition p a table of its own, if it is large."""
    channel.slot[p] = 0
    if channel.end[p] - channel.start[p] < large or channel.parts[1] + 1 >= channel.rows.shape[0]:
        return
    channel.parts[1] += 1
    row = channel.parts[1]
    channel.slot[p] = row
    for k in range(channel.start[p], channel.end[p]):
        for a in columns:
            x = np.int64(next_node[channel.codes[k, a]])
            if x >= 0:
                add_combination(channel, k, x, row, channel.count[k])


@inner
def swap(channel, i, j):  # type: ignore[no-untyped-def]
    """Exchanges two combinations."""
    for a in range(channel.codes.shape[1]):
        channel.codes[i, a], channel.codes[j, a] = channel.codes[j, a], channel.codes[i, a]
    channel.count[i], channel.count[j] = channel.count[j], channel.count[i]
    channel.sort[i], channel.sort[j] = channel.sort[j], channel.sort[i]


@kernel
def begin(channel, columns, next_node, alive, large):  # type: ignore[no-untyped-def]
    """Weighs the first partitions, in which everything is suppressed."""
    total_held = np.zeros(channel.top_num.shape[1], dtype=np.int64)
    kept = np.int64(0)
    for p in range(channel.parts[0]):
        channel.start[kept] = channel.start[p]
        channel.end[kept] = channel.end[p]
        tabulate(channel, kept, columns, next_node, large)
        if weigh_partition(channel, kept, columns, next_node, alive, total_held):
            kept += 1
    channel.parts[0] = kept


@kernel
def disclose(channel, a, above, node, columns, shown, next_node, alive, large):  # type: ignore[no-untyped-def]
    """Splits the partitions that show `above` in attribute a (of the channel) by whether they now show `node`.

    `columns` are those in which something may still be disclosed. `shown` and `next_node` say, for each leaf, what it
    shows after the disclosure and its candidate below that. Weighs all parts of what was split; a part without any row
    of a template is dropped, as no piece of it ever has one.
    """
    total_held = np.zeros(channel.top_num.shape[1], dtype=np.int64)
    before = channel.parts[0]
    stop = channel.stop
    for p in range(before):
        if raised(stop):
            return
        channel.changed[p] = False
        first = channel.start[p]
        u = shown[channel.codes[first, a]]
        if u != above and u != node:
            continue
        end = channel.end[p]
        i, j = first, end
        while i < j:
            if shown[channel.codes[i, a]] == node:
                i += 1
            else:
                j -= 1
                swap(channel, i, j)
        if i == first:
            continue
        row = np.int64(channel.slot[p])
        if row > 0:  # what was counted at `node` and at all other attributes leaves the table of the rest
            channel.rows[row, node] = 0
            for t in range(len(total_held)):
                channel.held[row, node, t] = 0
            for k in range(first, i):
                for b in columns:
                    x = np.int64(next_node[channel.codes[k, b]])
                    if b != a and x >= 0:
                        add_combination(channel, k, x, row, -channel.count[k])
        new = channel.parts[0]
        channel.start[new] = first
        channel.end[new] = i
        channel.parts[0] = new + 1
        channel.start[p] = i
        channel.changed[p] = True
        channel.changed[new] = True
        if 4 * (end - i) < large:
            channel.slot[p] = 0
        tabulate(channel, new, columns, next_node, large)
    kept = np.int64(0)
    for p in range(channel.parts[0]):
        if raised(stop):
            return
        keep = channel.start[p] < channel.end[p]
        if keep and channel.changed[p]:
            keep = weigh_partition(channel, p, columns, next_node, alive, total_held)
        if keep:
            channel.start[kept] = channel.start[p]
            channel.end[kept] = channel.end[p]
            channel.slot[kept] = channel.slot[p]
            kept += 1
    channel.parts[0] = kept
