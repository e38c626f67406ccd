"""`disclosure-local`: disclosure in which each group of rows decides for itself (local, multidimensional recoding).

**Guarantee.** The rows are divided into groups. In every group each value that a template protects has at most the
share h, in integers, and all rows of a group show the same: in each masking attribute the lowest node of its tree above
all their values (the value itself, if they agree; the suppression symbol for the root). Groups are alike in the columns
that templates name and that may not be changed.

**Why it is right.** Whoever knows anything about a person, few columns or all, exact values or nodes above them, is
left with the rows whose cells admit that. Rows of a group show the same, so that is a union of whole groups: sums of
counts that each satisfy count * den <= rows * num satisfy it too. This holds for every subset of knowledge, whatever IC
the template names; so a template is taken over all columns, and of two thresholds for a value the lower one counts.
A person's own group is always among them, so nobody can be excluded by what is shown.

**From the top.** All rows with everything suppressed are one group, safe if any release is. A group of more than FRAME
rows is split by the children of one attribute's node, if all parts are safe, or the safe ones and the others merged;
the attribute is taken that gains most granularity. This goes on until groups are small or no attribute can be split.

**From below.** What splitting by one attribute at a time cannot reach is found by going on from the other end. Inside a
group, patterns say how far each attribute may be generalised; from the cheapest on, rows alike at the pattern are
gathered, and of each such bucket the largest safe part becomes a group. It is dealt into piles as small as can be safe.
Rows left in the end join the pile where least is lost. If even that fails, they take in piles until they are safe, at
worst the whole group from the top, which is.

Nothing is random, and ties go to the first. Groups from the top are worked on by threads, each for itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.audit.template_exists import require_possible
from sordino.data.table import Table
from sordino.engine.local import Watch, raise_if_stopped, run_chunks
from sordino.errors import InternalError
from sordino.policy.template import ResolvedTemplate
from sordino.protect.kernels.tables.cells import Groups
from sordino.protect.kernels.tables.gather import gather
from sordino.protect.kernels.tables.place_rest import deal_all, place_rest
from sordino.protect.requirement import over_all_columns, summarize
from sordino.protect.trees import Trees, grow_trees, with_nodes

__all__ = ["protect"]

FRAME = 40_000  # rows that are gathered together; more are split from the top first
PATTERNS = 6_000  # tried in one group from the top
PILES = 16  # made of one gathered group

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Float = npt.NDArray[np.float64]


def protect(table: Table, policy: ResolvedTemplate, *, seed: int, jobs: int, watch: Watch, **options: Any) -> Table:
    """The table in which every group of rows shows as much as its templates allow."""
    del table, seed, options  # the policy's table is the same with its bins; nothing is random
    require_possible(policy)
    trees = grow_trees(policy.table, policy.masking, policy.hierarchies)
    if not len(trees.columns) or not len(policy.table) or not policy.templates:
        return policy.table
    rows = Rows(policy, trees)
    frames, bare = split_from_the_top(rows, watch)
    shown = np.empty_like(rows.codes)
    shown[bare] = [trees.root(a) for a in range(len(trees.columns))]

    def work(_: int, frame: Int32) -> None:
        shown[frame] = refine(rows, frame, watch)

    watch.report("groups", 0, len(frames))
    run_chunks(work, frames, jobs, after=lambda done: watch.report("groups", done, len(frames)), watch=watch)
    result = policy.table
    for a in range(len(trees.columns)):
        result = with_nodes(result, trees, a, np.ascontiguousarray(shown[:, a]), policy.symbol)
    return result


class Rows:
    """The rows of the table: their leaves, the templates they are in, and what a shown node costs."""

    def __init__(self, policy: ResolvedTemplate, trees: Trees) -> None:
        summary = summarize(policy, trees, over_all_columns(policy.templates))
        (self.need,) = summary.requirements
        self.policy = policy
        self.trees = trees
        self.codes: Int32 = np.stack(summary.leaves, axis=1)[summary.group]
        self.sort = self.need.sort[summary.group]
        self.fixed = self.need.fixed[summary.group]
        self.cost = node_costs(trees)
        self.member = membership(self.need.flag_ptr, self.need.flags, len(self.need.num))

    def is_safe(self, counts: Int64) -> Bool:
        """For each line of counts (rows of each sort): whether such a group is safe."""
        held = counts @ self.member
        safe: Bool = (held * self.need.den <= counts.sum(axis=1, keepdims=True) * self.need.num).all(axis=1)
        return safe


def node_costs(trees: Trees) -> Float:
    """What a cell loses that shows a node: 0 for a leaf, 1 for the root, by the share of leaves below (as ARX does)."""
    least = trees.share[trees.first[:-1]][trees.attribute]
    cost: Float = np.where(least < 1, (trees.share - least) / np.where(least < 1, 1 - least, 1), 0.0)
    return cost


def membership(flag_ptr: Int64, flags: Int32, templates: int) -> Int64:
    """[sort, template]: whether rows of the sort are in the template."""
    member = np.zeros((len(flag_ptr) - 1, templates), dtype=np.int64)
    member[np.repeat(np.arange(len(member)), np.diff(flag_ptr)), flags] = 1
    return member


# From the top


def split_from_the_top(rows: Rows, watch: Watch) -> tuple[list[Int32], Int32]:
    """Safe groups of rows, small where that can be; and the rows that can only be safe with everything suppressed.

    There are such rows only if templates name columns that may not be changed, and not all the same ones.
    """
    order = np.argsort(rows.fixed, kind="stable").astype(np.int32)
    parts = np.split(order, np.flatnonzero(np.diff(rows.fixed[order])) + 1)
    safe = [bool(rows.is_safe(sorts_in(rows, part)[None])[0]) for part in parts]
    waiting = [part for part, fine in zip(parts, safe, strict=True) if fine]
    unsafe = [part for part, fine in zip(parts, safe, strict=True) if not fine]
    waiting.sort(key=len, reverse=True)
    while unsafe and not holds_suppressed(rows.policy, np.concatenate(unsafe)):
        if not waiting:
            raise InternalError("all rows together are not safe with everything suppressed, though they were")
        unsafe.append(waiting.pop())
    frames: list[Int32] = []
    while waiting:  # pieces are smaller than the whole
        raise_if_stopped(watch.stop)
        part = waiting.pop()
        pieces = split(rows, part) if len(part) > FRAME else []
        if pieces:
            waiting += pieces
        else:
            frames.append(part)
    frames.sort(key=lambda frame: (-len(frame), int(frame[0])))
    return frames, np.concatenate(unsafe) if unsafe else np.empty(0, dtype=np.int32)


def sorts_in(rows: Rows, part: Int32) -> Int64:
    return np.bincount(rows.sort[part], minlength=len(rows.member)).astype(np.int64)


def holds_suppressed(policy: ResolvedTemplate, part: Int32) -> bool:
    """Whether the templates hold in these rows if all their masking cells are suppressed."""
    columns = policy.table.columns
    for rule in policy.templates:
        fixed = [columns[place] for place in rule.given if place not in policy.masking]
        sizes = [len(column.values) + 1 for column in fixed]
        alike = combine([column.codes[part] + np.int32(1) for column in fixed], sizes, len(part))
        for code in rule.codes.tolist():
            held = np.bincount(alike.group, columns[rule.sensitive].codes[part] == code, len(alike.rows))
            if (held.astype(np.int64) * rule.den > alike.rows * rule.num).any():
                return False
    return True


def split(rows: Rows, part: Int32) -> list[Int32]:
    """The parts that the best attribute makes of a group; none if no attribute can split it."""
    best: tuple[float, list[Int32]] = (0.0, [])
    for a in range(len(rows.trees.columns)):
        leaves = rows.codes[part, a]
        child, node = children_below(rows.trees, leaves)
        names, place = np.unique(child, return_inverse=True)
        sorts = len(rows.member)
        counts = np.bincount(place * sorts + rows.sort[part], minlength=len(names) * sorts).reshape(-1, sorts)
        kept = rows.is_safe(counts.astype(np.int64))
        by_size = np.argsort(counts.sum(axis=1), kind="stable")
        while not kept.all() and not rows.is_safe(counts[~kept].sum(axis=0)[None].astype(np.int64))[0]:
            smallest = by_size[kept[by_size]][:1]
            if not len(smallest):
                break
            kept[smallest] = False
        groups = int(kept.sum()) + int(not kept.all())
        gain = float((counts.sum(axis=1) * (rows.cost[node] - rows.cost[names]))[kept].sum())
        if groups > 1 and gain > best[0]:
            label = np.where(kept, np.arange(len(names)), -1)[place]
            order = np.argsort(label, kind="stable")
            best = gain, np.split(part[order], np.flatnonzero(np.diff(label[order])) + 1)
    return best[1]


def children_below(trees: Trees, leaves: Int32) -> tuple[Int32, int]:
    """The lowest node above all these leaves, and for each leaf the child of it that leads there (or the leaf)."""
    distinct, place = np.unique(leaves, return_inverse=True)
    child = distinct.copy()
    node = distinct
    while len(np.unique(node)) > 1:  # up by one level with each turn; all meet at the root
        deepest = int(trees.depth[node].max())
        up = trees.depth[node] == deepest
        child = np.where(up, node, child)
        node = np.where(up, trees.parent[node], node)
    return child[place].astype(np.int32), int(node[0])


# From below


def refine(rows: Rows, frame: Int32, watch: Watch) -> Int32:
    """What each row of a safe group shows, once it is divided as finely as can be."""
    codes, sort, need, trees = rows.codes[frame], rows.sort[frame], rows.need, rows.trees
    found = np.zeros(1, dtype=np.int64)
    group = np.full(len(frame), -1, dtype=np.int32)
    left = np.arange(len(frame), dtype=np.int32)
    for up in patterns(rows, codes):
        left = gather(codes, sort, need.flag_ptr, need.flags, need.num, need.den, up, left, group, found, watch.stop)
        raise_if_stopped(watch.stop)
        if len(left) < 2:
            break
    groups = no_groups(rows, codes, sort, watch.stop)
    order = np.lexsort((sort, group)).astype(np.int32)
    order = order[group[order] >= 0]
    bounds = np.flatnonzero(np.diff(group[order], prepend=-1, append=-1)).astype(np.int64)
    deal_all(groups, order, bounds, PILES)
    place_rest(groups, left)
    raise_if_stopped(watch.stop)
    rescue(groups, trees)
    nodes: Int32 = groups.node[groups.of]
    return nodes


def rescue(groups: Groups, trees: Trees) -> None:
    """Gives the rows without a group one, which takes in others until it is safe, at worst all: together they are.

    Always the group comes that loses least for what it contributes.
    """
    left = np.flatnonzero(groups.of < 0)
    if not len(left):
        return
    total = int(groups.total[0])
    size, count, node = groups.size[:total], groups.count[:total], groups.node[:total]
    there = size > 0
    member = membership(groups.flag_ptr, groups.flags, len(groups.num))
    held, rows = member[groups.sort[left]].sum(axis=0), len(left)
    merged = reduce(lambda x, y: meeting(trees, x, y), groups.codes[left])
    while (over := np.maximum(held * groups.den - rows * groups.num, 0).sum()) > 0:
        others = np.flatnonzero(there)
        if not len(others):  # each turn takes in one group at least
            raise InternalError("rows that were safe together are not, once they are grouped")
        after = (held + count[others]) * groups.den - (rows + size[others])[:, None] * groups.num
        less = over - np.maximum(after, 0).sum(axis=1)
        both = meeting(trees, merged, node[others])
        loss = rows * (groups.cost[both] - groups.cost[merged]).sum(axis=1)
        loss += size[others] * (groups.cost[both] - groups.cost[node[others]]).sum(axis=1)
        rate = np.where(less > 0, loss / np.maximum(less, 1), np.inf)
        best = others[np.argmin(rate) : np.argmin(rate) + 1] if (less > 0).any() else others
        there[best] = False
        held, rows = held + count[best].sum(axis=0), rows + int(size[best].sum())
        merged = reduce(lambda x, y: meeting(trees, x, y), node[best], merged)
    groups.node[total] = merged
    groups.of[(groups.of < 0) | ~there[groups.of]] = total


def meeting(trees: Trees, one: Int32, other: Int32) -> Int32:
    """The lowest nodes above both, place by place."""
    one, other = np.broadcast_arrays(one, other)
    while (one != other).any():  # up by one level with each turn; all meet at the root
        lower = (one != other) & (trees.depth[one] >= trees.depth[other])
        higher = (one != other) & ~lower
        one, other = np.where(lower, trees.parent[one], one), np.where(higher, trees.parent[other], other)
    return one


def no_groups(rows: Rows, codes: Int32, sort: Int32, stop: npt.NDArray[np.uint8]) -> Groups:
    n = len(codes)
    most = 2 * n + 2
    return Groups(
        codes=codes,
        sort=sort,
        flag_ptr=rows.need.flag_ptr,
        flags=rows.need.flags,
        num=rows.need.num,
        den=rows.need.den,
        parent=rows.trees.parent,
        depth=rows.trees.depth,
        cost=rows.cost,
        of=np.full(n, -1, dtype=np.int32),
        next_row=np.full(n, -1, dtype=np.int32),
        head=np.full(most, -1, dtype=np.int32),
        size=np.zeros(most, dtype=np.int64),
        node=np.zeros((most, codes.shape[1]), dtype=np.int32),
        count=np.zeros((most, len(rows.need.num)), dtype=np.int64),
        plain=np.zeros(most, dtype=np.bool_),
        total=np.zeros(1, dtype=np.int64),
        stop=stop,
    )


def patterns(rows: Rows, codes: Int32) -> Iterator[Int32]:
    """For each pattern, cheapest first, the node that every node becomes."""
    trees = rows.trees
    steps: list[list[Int32]] = []
    costs: list[list[float]] = []
    for a in range(codes.shape[1]):
        here = np.arange(trees.first[a], trees.first[a + 1]).astype(np.int32)
        node = here
        steps.append([])
        costs.append([])
        for depth in range(int(trees.depth[codes[:, a]].max()), -1, -1):
            node = np.where(trees.depth[node] > depth, trees.parent[node], node)
            steps[a].append(node)
            costs[a].append(float(rows.cost[node[codes[:, a] - here[0]]].mean()))
    for levels in cheapest(costs, PATTERNS):
        yield np.concatenate([steps[a][level] for a, level in enumerate(levels)])


def cheapest(costs: Sequence[Sequence[float]], most: int) -> Iterator[tuple[int, ...]]:
    """Choices of one level for each attribute, in the order of their summed costs (which rise with the level)."""
    waiting = [(0.0, (0,) * len(costs), 0)]
    while waiting and most:
        _, levels, last = heapq.heappop(waiting)
        yield levels
        most -= 1
        for a in range(last, len(costs)):  # each choice is reached once: from the one with its last step undone
            if levels[a] + 1 < len(costs[a]):
                higher = (*levels[:a], levels[a] + 1, *levels[a + 1 :])
                heapq.heappush(waiting, (sum(costs[b][k] for b, k in enumerate(higher)), higher, a))
