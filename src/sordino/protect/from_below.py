"""Groups of rows from below: divided as finely as can be, once they are safe together (`disclosure_local.py`)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from sordino.engine.local import Watch, raise_if_stopped
from sordino.errors import InternalError
from sordino.protect.kernels.tables.cells import Groups
from sordino.protect.kernels.tables.gather import Kinds, gather
from sordino.protect.kernels.tables.place_rest import deal_all, place_rest
from sordino.protect.row_kinds import RowKinds, membership
from sordino.protect.trees import Trees

__all__ = ["Divided", "refine"]

PATTERNS = 6_000  # tried in one group from the top
PILES = 16  # made of one gathered group

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Flag = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Divided:
    """many[k] rows of kind[k] show node[k] (of every attribute)."""

    kind: Int32
    many: Int64
    node: Int32

    def first(self, kinds: int) -> Int64:
        """Where each kind begins, if they are in order, and where the last one ends."""
        return np.searchsorted(self.kind, np.arange(kinds + 1)).astype(np.int64)

    @classmethod
    def together(cls, parts: Sequence[Divided]) -> Divided:
        """All of them, in the order of kinds, and what a kind shows once: leaves first."""
        kind = np.concatenate([part.kind for part in parts])
        many = np.concatenate([part.many for part in parts])
        node = np.concatenate([part.node for part in parts])
        order = np.lexsort((*reversed(node.T), kind))
        kind, many, node = kind[order], many[order], node[order]
        new = np.ones(len(kind), dtype=np.bool_)
        new[1:] = (kind[1:] != kind[:-1]) | (node[1:] != node[:-1]).any(axis=1)
        begin = np.flatnonzero(new)
        return cls(kind[begin], np.add.reduceat(many, begin) if len(begin) else many, node[begin])


def refine(rows: RowKinds, frame: Int32, watch: Watch) -> Divided:
    """What the rows of a safe group show, once it is divided as finely as can be."""
    codes, sort, need = rows.codes[frame], rows.sort[frame], rows.need
    left = rows.many[frame].copy()
    kinds = Kinds(codes, sort, need.flag_ptr, need.flags, need.num, need.den, left, watch.stop)
    active = np.arange(len(frame), dtype=np.int32)
    found = np.zeros(1, dtype=np.int64)
    gathered: list[tuple[Int64, Int32, Int64]] = []
    for up in patterns(rows, frame):
        into, took = np.zeros(len(active), dtype=np.int64), np.zeros(len(active), dtype=np.int64)
        gather(kinds, up, active, into, took, found)
        raise_if_stopped(watch.stop)
        some = np.flatnonzero(took)
        gathered.append((into[some], active[some], took[some]))
        left[active] -= took
        active = active[left[active] > 0]
        if left[active].sum() < 2:
            break
    group, kind, many = (np.concatenate(parts) for parts in zip(*gathered, strict=True))
    order = np.lexsort((kind, sort[kind], group))
    bounds = np.flatnonzero(np.diff(group[order], prepend=-1, append=-1)).astype(np.int64)
    groups = no_groups(rows, codes, sort, most_groups(group, many), watch.stop)
    deal_all(groups, kind[order], many[order], bounds, PILES)
    raise_if_stopped(watch.stop)
    many = left[active].copy()
    groups = place_all(groups, active, many, watch)
    rescue(groups, rows.trees, active, many)
    _, lots = groups.total.tolist()
    return Divided.together([Divided(frame[groups.kind[:lots]], groups.many[:lots], groups.node[groups.owner[:lots]])])


def most_groups(group: Int64, many: Int64) -> tuple[int, int]:
    """As many groups and lots as can come of these rows; and some for those that are not gathered."""
    sizes = np.bincount(group, many) if len(group) else np.zeros(1)
    groups, lots = np.minimum(sizes, PILES + 1).sum(), np.minimum(many, PILES + 1).sum()
    return int(groups) + 64, int(lots) + 128


def place_all(groups: Groups, kinds: Int32, many: Int64, watch: Watch) -> Groups:
    """Puts the rows that are left where they cost least; `many` becomes how many cannot be put anywhere."""
    at = np.zeros(1, dtype=np.int64)
    while not place_rest(groups, kinds, many, at):  # each turn finds room for more
        groups = with_room(groups)
    raise_if_stopped(watch.stop)
    groups_used, lots_used = groups.total.tolist()
    while groups_used == len(groups.size) or lots_used + len(kinds) > len(groups.many):  # for those of `rescue`
        groups = with_room(groups)
    return groups


def with_room(groups: Groups) -> Groups:
    """The same groups, with room for twice as many groups and lots."""

    def longer(name: str) -> npt.NDArray[np.generic]:
        old = getattr(groups, name)
        return np.concatenate([old, np.zeros_like(old)])

    names = ("kind", "many", "next_lot", "owner", "head", "size", "node", "count", "plain")
    return groups._replace(**{name: longer(name) for name in names})


def rescue(groups: Groups, trees: Trees, kinds: Int32, many: Int64) -> None:
    """Gives the rows without a group, many[i] of kinds[i], one that takes in others until it is safe, at worst all:
    together they are.

    Always the group comes that loses least for what it contributes.
    """
    kinds, many = kinds[many > 0], many[many > 0]
    if not len(kinds):
        return
    total, lots = groups.total.tolist()
    size, count, node = groups.size[:total], groups.count[:total], groups.node[:total]
    there = size > 0
    member = membership(groups.flag_ptr, groups.flags, len(groups.num))
    held, rows = many @ member[groups.sort[kinds]], int(many.sum())
    merged = reduce(lambda x, y: meeting(trees, x, y), groups.codes[kinds])
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
    gone = ~there[groups.owner[:lots]]
    groups.owner[:lots][gone] = total
    extra = slice(lots, lots + len(kinds))
    groups.kind[extra], groups.many[extra], groups.owner[extra] = kinds, many, total
    groups.total[:] = total + 1, lots + len(kinds)


def meeting(trees: Trees, one: Int32, other: Int32) -> Int32:
    """The lowest nodes above both, place by place."""
    one, other = np.broadcast_arrays(one, other)
    while (one != other).any():  # up by one level with each turn; all meet at the root
        lower = (one != other) & (trees.depth[one] >= trees.depth[other])
        higher = (one != other) & ~lower
        one, other = np.where(lower, trees.parent[one], one), np.where(higher, trees.parent[other], other)
    return one


def no_groups(rows: RowKinds, codes: Int32, sort: Int32, most: tuple[int, int], stop: Flag) -> Groups:
    """Room for so many groups and lots of rows of these kinds."""
    groups, lots = most
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
        kind=np.zeros(lots, dtype=np.int32),
        many=np.zeros(lots, dtype=np.int64),
        next_lot=np.full(lots, -1, dtype=np.int32),
        owner=np.zeros(lots, dtype=np.int32),
        head=np.full(groups, -1, dtype=np.int32),
        size=np.zeros(groups, dtype=np.int64),
        node=np.zeros((groups, codes.shape[1]), dtype=np.int32),
        count=np.zeros((groups, len(rows.need.num)), dtype=np.int64),
        plain=np.zeros(groups, dtype=np.bool_),
        total=np.zeros(2, dtype=np.int64),
        stop=stop,
    )


def patterns(rows: RowKinds, frame: Int32) -> Iterator[Int32]:
    """For each pattern, cheapest first, the node that every node becomes."""
    trees, codes, many = rows.trees, rows.codes[frame], rows.many[frame]
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
            costs[a].append(float((rows.cost[node[codes[:, a] - here[0]]] * many).sum() / many.sum()))
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
