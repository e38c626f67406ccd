"""What every occurrence of the original is shown as: the workspace of the methods that generalize (model.md 1.5).

An occurrence is shown as a symbol: a node of the hierarchy at or above its item, or itself if it is sensitive; or it is
suppressed. Losses are exact whole numbers: NCP times the number of non-sensitive items.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets, vocabulary_order
from sordino.data.build_hierarchy import build_hierarchy
from sordino.data.generalized import Generalized
from sordino.data.hierarchy import ROOT, Hierarchy, hierarchy_of
from sordino.data.read_hierarchy import read_hierarchy
from sordino.engine.local import Watch
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect.literally import Literally
from sordino.protect.workspace import Limit, TooCostly, Workspace

__all__ = ["GeneralizedWorkspace", "check_patience", "hierarchy_for"]

EFFORT = 6_000  # postings that partial suppression may scan to look ahead for one record

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


def hierarchy_for(baskets: Baskets, policy: ResolvedInference, given: object) -> Hierarchy:
    """The hierarchy that was given, read; or one of the non-sensitive items by their names, if none was."""
    if given is not None:
        return read_hierarchy(given)
    open_items = ~policy.sensitive[baskets.items]
    if not open_items.any():
        return hierarchy_of([ROOT], [-1])
    indptr = np.concatenate([[0], np.cumsum(open_items)])[baskets.indptr]
    return build_hierarchy(Baskets(indptr, baskets.items[open_items], baskets.names))


def check_patience(patience: object) -> None:
    """An InputError unless it is None or a number of refusals."""
    if patience is not None and (isinstance(patience, bool) or not isinstance(patience, int) or patience < 0):
        raise InputError("patience must be a whole number, 0 or more")


class GeneralizedWorkspace:
    """One table and a hierarchy of its non-sensitive items, all of them at the root to begin with.

    By occurrence: `owner` the record, `leaf` the node of the item in `tree` (-1 if sensitive), `symbol` what it is
    shown as (a node, or len(tree) + code), `alive` whether it is shown at all. `tree` is the hierarchy of the items
    that occur. `literally`: what partial suppression does instead of the exact engine.
    """

    def __init__(
        self, baskets: Baskets, policy: ResolvedInference, hierarchy: Hierarchy, literally: Literally | None = None
    ) -> None:
        self.baskets, self.policy, self.literally = baskets, policy, literally
        secret = set(policy.policy.sensitive)
        visible = [name for name in hierarchy.leaf_of if name not in secret]
        self.hierarchy = hierarchy = hierarchy.restricted(visible) if visible else hierarchy_of([ROOT], [-1])
        open_codes = np.flatnonzero(~policy.sensitive & (baskets.supports > 0)).tolist()
        names = [baskets.names[code] for code in open_codes]
        hierarchy.covers(names)
        self.tree: Hierarchy | None = hierarchy.restricted(names) if names else None
        tree = self.tree
        self.nodes = 0 if tree is None else len(tree)
        node = np.full(len(baskets.names), -1, dtype=np.int32)
        if tree is not None:
            node[open_codes] = [tree.leaf_of[name] for name in names]
        self.owner: I64 = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
        self.leaf: I32 = node[baskets.items]
        self.whole = max(1, len(names))
        self.width = self.nodes + len(baskets.names)
        self.alive: Bools = np.ones(len(baskets.items), dtype=np.bool_)
        counts = np.zeros(self.width, dtype=np.int64)
        if tree is not None:
            counts[: self.nodes] = np.where(tree.size > 1, tree.leaf_counts, 0)
        self.blur: I64 = counts  # what it costs to show an occurrence as a symbol
        self._up = [] if tree is None else [tree.ancestors_at(depth) for depth in range(tree.height + 1)]
        self._down = _past_single_children(tree)
        self.symbol: I64 = (self.nodes + baskets.items).astype(np.int64)
        if tree is not None:
            self.symbol[self.leaf >= 0] = self._down[0]

    def child(self, symbols: I64, leaves: I32) -> I64:
        """The nodes one step below the given inner nodes, towards the given leaves."""
        assert self.tree is not None
        depth = self.tree.depth[symbols] + 1
        out = np.empty(len(symbols), dtype=np.int64)
        for d in np.flatnonzero(np.bincount(depth)).tolist():
            here = depth == d
            out[here] = self._up[d][leaves[here]]
        return self._down[out]

    def losses(self, symbols: I64, alive: Bools) -> I64:
        """What showing occurrences so costs: NCP times `whole`."""
        return np.where(alive, self.blur[symbols], self.whole)

    def suppressed(
        self, rows: I64, keys: I64, symbols: I64, records: int, *, jobs: int, watch: Watch, most: int | None = None
    ) -> Bools | None:
        """Partial suppression, by the exact engine, of a table of (row, key) pairs in the order of rows, of which pairs
        may repeat.

        Equal keys are one item, which is sensitive if its symbol is. Returns which pairs are left; or None, as soon as
        it is clear that their loss would be `most` or more.
        """
        codes, first = _numbered(keys)
        symbol_of = symbols[first]
        table, policy = self.table(rows, codes, symbol_of, records)
        width = max(len(first), 1)
        if self.literally is not None:
            part_of = np.zeros(records, dtype=np.int64)
            part_of[rows] = keys // self.width
            kept = self.literally.left(table, policy, part_of, jobs=jobs, watch=watch)
            owner = np.repeat(np.arange(records, dtype=np.int64), table.lengths)
            return _among(rows * width + codes, owner[kept] * width + table.items[kept])
        limit = None
        if most is not None:
            # A pair that is deleted adds at least this to what its symbol costs anyway; more if it stands for several.
            limit = Limit(self.whole - self.blur[symbol_of], most - int(self.blur[symbols].sum()))
            if limit.most <= 0:
                return None
        try:
            after = Workspace(table, policy, jobs=jobs, watch=watch, limit=limit).protect(even=0.0, effort=EFFORT)
        except TooCostly:
            return None
        left = np.repeat(np.arange(records, dtype=np.int64), after.lengths) * width + after.items  # ascending
        return _among(rows * width + codes, left)

    def table(self, rows: I64, codes: I64, symbols: I64, records: int) -> tuple[Baskets, ResolvedInference]:
        """The pairs as baskets, and the policy in their codes."""
        names = tuple(map(str, range(len(symbols))))
        table = Baskets.from_pairs(rows, codes, names, records)
        sensitive = symbols >= self.nodes
        own = np.where(sensitive, symbols - self.nodes, 0)
        given = self.policy
        num = np.where(sensitive, given.num[own] if len(given.num) else 1, 1)
        den = np.where(sensitive, given.den[own] if len(given.den) else 1, 1)
        return table, ResolvedInference(given.policy, sensitive, num, den, {}, {}, ())

    def published(self, group: I64, opened: dict[int, tuple[int, ...]]) -> Generalized:
        """The result: records as symbols, groups numbered by first record, cuts in the nodes of the whole hierarchy."""
        tree, hierarchy = self.tree, self.hierarchy
        labels = hierarchy.labels_beside(self.policy.policy.sensitive)
        whole_node = {(int(hierarchy.depth[v]), name): v for v, name in enumerate(hierarchy.names)}
        place = [] if tree is None else [whole_node[int(tree.depth[v]), n] for v, n in enumerate(tree.names)]
        texts = [labels[v] for v in place] + list(self.baskets.names)
        used, codes = np.unique(self.symbol[self.alive], return_inverse=True)
        names = vocabulary_order([texts[s] for s in used.tolist()])
        rank = {name: k for k, name in enumerate(names)}
        moved = np.fromiter((rank[texts[s]] for s in used.tolist()), dtype=np.int64, count=len(used))
        shown = Baskets.from_pairs(
            self.owner[self.alive], moved[codes], names, len(self.baskets),
            ids=self.baskets.ids, origin=self.baskets.origin,
        )  # fmt: skip
        _, first, number = np.unique(group, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank_of = np.empty(len(order), dtype=np.int32)
        rank_of[order] = np.arange(len(order), dtype=np.int32)
        cuts = [tuple(sorted(place[v] for v in self._above(opened.get(g, ())))) for g in group[np.sort(first)].tolist()]
        return Generalized(shown, rank_of[number], hierarchy, tuple(cuts), labels)

    def _above(self, opened: tuple[int, ...]) -> set[int]:
        """All nodes above the cut that these opened nodes make; chains of single children are passed in one step."""
        if self.tree is None:
            return set()
        inside = set(opened)
        cut = {int(self._down[v]) for up in opened for v in self.tree.children(up)} - inside
        cut = cut if inside else {int(self._down[0])}
        return {up for v in cut for up in self.tree.path(v)[1:]}


def _numbered(keys: I64) -> tuple[I64, I64]:
    """The keys as numbers from 0 on, in their order; and for each number a place where its key is."""
    size = int(keys.max(initial=-1)) + 1
    if size > 8 * len(keys) + 1024:
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        return codes, first
    place = np.full(size, -1, dtype=np.int64)  # no need to sort
    place[keys] = np.arange(len(keys))
    used = np.flatnonzero(place >= 0)
    number = np.empty(size, dtype=np.int64)
    number[used] = np.arange(len(used))
    return number[keys], place[used]


def _among(keys: I64, known: I64) -> Bools:
    """Which of the keys are among those known, which ascend."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    found: Bools = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return found


def _past_single_children(tree: Hierarchy | None) -> I64:
    """For every node: itself, or the first node below it that has not exactly one child."""
    if tree is None:
        return np.empty(0, dtype=np.int64)
    down = np.arange(len(tree), dtype=np.int64)
    for v in range(len(tree) - 1, -1, -1):
        below = tree.children(v)
        if len(below) == 1:
            down[v] = down[int(below[0])]
    return down
