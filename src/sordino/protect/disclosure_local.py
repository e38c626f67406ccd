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

**Rows by kind.** Rows are of a kind if they have the same leaves, the same protected values and the same of what may
not be changed. All that follows is decided from how many rows each kind has: a group holds so many of a kind. Which of
them is told by their order: the first ones take the first share of their kind (`data/in_turn.py`).

**From the top.** All rows with everything suppressed are one group, safe if any release is. A group of more than FRAME
kinds is split by the children of one attribute's node, if all parts are safe, or the safe ones and the others merged;
the attribute is taken that gains most granularity. This goes on until groups are small or no attribute can be split.

**From below.** What splitting by one attribute at a time cannot reach is found by going on from the other end
(`from_below.py`). Inside a group, patterns say how far each attribute may be generalised; from the cheapest on, rows
alike at the pattern are gathered, and of each such bucket the largest safe part becomes a group. It is dealt into piles
as small as can be safe. Rows left in the end join the pile where least is lost. If even that fails, they take in piles
until they are safe, at worst the whole group from the top, which is.

Nothing is random, and ties go to the first. Groups from the top are worked on by threads, each for itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.audit.template_exists import require_possible
from sordino.data.counted import Counted
from sordino.data.in_turn import Shares, part
from sordino.data.table import Table, weighted
from sordino.engine.local import Watch, raise_if_stopped, run_chunks
from sordino.errors import InternalError
from sordino.policy.template import ResolvedTemplate
from sordino.protect.from_below import Divided, refine
from sordino.protect.row_kinds import RowKinds
from sordino.protect.trees import Trees, grow_trees, with_nodes

__all__ = ["protect"]

FRAME = 40_000  # kinds of rows that are gathered together; more are split from the top first

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


def protect(table: Table, policy: ResolvedTemplate, *, seed: int, jobs: int, watch: Watch, **options: Any) -> Table:
    """The table in which every group of rows shows as much as its templates allow.

    A table that was counted comes back in parts (`Parted`): equal rows need not show the same. Its source is read once
    more for that.
    """
    del seed, options  # nothing is random
    require_possible(policy)
    trees = grow_trees(policy.table, policy.masking, policy.hierarchies)
    if not len(trees.columns) or not len(policy.table) or not policy.templates:
        return policy.table
    rows = RowKinds(policy, trees)
    divided = divide(rows, jobs, watch)
    shares = Shares(rows.of_row, divided.first(len(rows)), divided.many)
    if not np.array_equal(np.add.reduceat(divided.many, shares.first[:-1]), rows.many):
        raise InternalError("some rows are in no group, or in several")
    result = policy.table
    if result.weight is None:
        share = shares.turns().take(rows.of_row)
    else:
        watch.report("rows in turn", 0, 0)
        assert isinstance(table, Counted)  # whoever counts rows knows where they are
        result = parted = part(table, result, shares)
        share = parted.share
    for a in range(len(trees.columns)):
        result = with_nodes(result, trees, a, divided.node[share, a], policy.symbol)
    return result


def divide(rows: RowKinds, jobs: int, watch: Watch) -> Divided:
    """What the rows of each kind show, in the order of kinds."""
    frames, bare = split_from_the_top(rows, watch)
    roots = np.array([rows.trees.root(a) for a in range(len(rows.trees.columns))], dtype=np.int32)
    found = [Divided(bare, rows.many[bare], np.tile(roots, (len(bare), 1)))] * (len(frames) + 1)

    def work(_: int, frame: tuple[int, Int32]) -> None:
        found[frame[0]] = refine(rows, frame[1], watch)

    watch.report("groups", 0, len(frames))
    run_chunks(
        work,
        list(enumerate(frames, start=1)),
        jobs,
        after=lambda done: watch.report("groups", done, len(frames)),
        watch=watch,
    )
    return Divided.together(found)


def split_from_the_top(rows: RowKinds, watch: Watch) -> tuple[list[Int32], Int32]:
    """Safe groups of kinds, small where that can be; and the kinds that can only be safe with everything suppressed.

    There are such kinds only if templates name columns that may not be changed, and not all the same ones.
    """
    order = np.argsort(rows.fixed, kind="stable").astype(np.int32)
    parts = np.split(order, np.flatnonzero(np.diff(rows.fixed[order])) + 1)
    safe = [bool(rows.is_safe(sorts_in(rows, part)[None])[0]) for part in parts]
    waiting = [part for part, fine in zip(parts, safe, strict=True) if fine]
    unsafe = [part for part, fine in zip(parts, safe, strict=True) if not fine]
    waiting.sort(key=lambda part: int(rows.many[part].sum()), reverse=True)
    while unsafe and not holds_suppressed(rows, np.concatenate(unsafe)):
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


def sorts_in(rows: RowKinds, part: Int32) -> Int64:
    """How many rows of each sort there are."""
    return weighted(rows.sort[part], rows.many[part], len(rows.member))


def holds_suppressed(rows: RowKinds, part: Int32) -> bool:
    """Whether the templates hold in these rows if all their masking cells are suppressed."""
    policy, many, lead = rows.policy, rows.many[part], rows.lead[part]
    columns = policy.table.columns
    for rule in policy.templates:
        fixed = [columns[place] for place in rule.given if place not in policy.masking]
        sizes = [len(column.values) + 1 for column in fixed]
        alike = combine([column.codes[lead] + np.int32(1) for column in fixed], sizes, len(part), weight=many)
        for code in rule.codes.tolist():
            # all rows of a kind have the same protected value, if any
            held = weighted(
                alike.group, np.where(columns[rule.sensitive].codes[lead] == code, many, 0), len(alike.rows)
            )
            if (held * rule.den > alike.rows * rule.num).any():
                return False
    return True


def split(rows: RowKinds, part: Int32) -> list[Int32]:
    """The parts that the best attribute makes of a group; none if no attribute can split it."""
    best: tuple[float, list[Int32]] = (0.0, [])
    for a in range(len(rows.trees.columns)):
        leaves = rows.codes[part, a]
        child, node = children_below(rows.trees, leaves)
        names, place = np.unique(child, return_inverse=True)
        sorts = len(rows.member)
        key = place * sorts + rows.sort[part]
        counts = weighted(key, rows.many[part], len(names) * sorts).reshape(-1, sorts)
        kept = rows.is_safe(counts)
        by_size = np.argsort(counts.sum(axis=1), kind="stable")
        while not kept.all() and not rows.is_safe(counts[~kept].sum(axis=0)[None])[0]:
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
