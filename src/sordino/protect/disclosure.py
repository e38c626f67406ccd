"""`disclosure`: the Progressive Disclosure Algorithm of Wang, Fung and Yu (2005), also with hierarchies (model.md 2.1).

**Guarantee.** In the result every template (IC -> π, h) holds: among the rows that show the same in all attributes of
IC, at most the share h has π, compared in integers. Whoever knows less of a person than all of IC sees a union of such
groups, whose share of π is no higher than the highest of the groups.

**What a cell shows.** Each masking attribute has a tree: its hierarchy, or the root with every value right below it. A
set of nodes is disclosed, the root always, and a node only after its parent. A value shows its deepest disclosed
ancestor. So every published cell is the value itself or an ancestor of it (the root is the suppression symbol), and all
occurrences of a value show the same. If v is shown and its child c is disclosed, the rows under c show c, and v is left
to the rest: "v, but none of its disclosed children". Everybody can see which children are disclosed, so the rest is
counted as the group of its own that it is.

**Why it is right.** Disclosing c splits groups and never mixes rows of different groups, and of two parts of a group
one has at least the confidence of the whole. So confidences only rise, a solution exists if and only if everything
suppressed is one, a candidate that is not valid never becomes valid again, and where no candidate is valid, no
further disclosure of any kind is possible: the result is maximal among its kind (with `then_maximal`; without it, among
the beneficial).

**Order.** While there are valid and beneficial candidates (beneficial: the rows that show the parent are of more than
one class), the highest InfoGain / (PrivLoss + 1) is disclosed; ties go to more rows, then to the column further left,
then to the smaller value or the earlier node. With `then_maximal` what is still valid follows, most rows first, with
the same ties; without a class attribute that is all there is. Nothing is random.

**Cost.** The rows are grouped once. Per channel (IC) only the partitions that a disclosure splits are weighed again,
and only candidates of an attribute that shares a channel with it are scored again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.audit.template_exists import require_possible
from sordino.data.table import Table
from sordino.engine.local import Watch, raise_if_stopped
from sordino.errors import InputError
from sordino.policy.template import ResolvedTemplate
from sordino.protect.kernels.tables.channel import Channel, begin, disclose, sum_up
from sordino.protect.requirement import Requirement, Summary, summarize
from sordino.protect.trees import Trees, grow_trees, with_nodes

__all__ = ["progressive_disclosure", "protect"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Float = npt.NDArray[np.float64]


def protect(
    table: Table,
    policy: ResolvedTemplate,
    *,
    seed: int,
    jobs: int,
    watch: Watch,
    then_maximal: bool = False,
    **options: Any,
) -> Table:
    """The table with as much disclosed as the templates allow, in the order of the score."""
    del table, seed, jobs, options  # the policy's table is the same with its bins; nothing is random
    if not isinstance(then_maximal, bool):
        raise InputError("then_maximal is either on or off")
    require_possible(policy)
    trees = grow_trees(policy.table, policy.masking, policy.hierarchies)
    watch.report("grouping", 0, 1)
    summary = summarize(policy, trees)
    by_class = policy.class_column is not None
    shown = progressive_disclosure(trees, summary, by_class=by_class, then_maximal=then_maximal, watch=watch)
    result = policy.table
    for a in range(len(trees.columns)):
        result = with_nodes(result, trees, a, shown[trees.leaf_codes(policy.table, a)], policy.symbol)
    return result


def progressive_disclosure(
    trees: Trees,
    summary: Summary,
    *,
    by_class: bool,
    then_maximal: bool = False,
    watch: Watch | None = None,
) -> Int32:
    """What each leaf shows in the end. The templates must hold with everything suppressed."""
    state = Disclosure(trees, summary, watch)
    done = 0
    phases = [True] if not by_class else [False, True] if then_maximal else [False]
    for by_support in phases:
        while (node := state.winner(by_support)) is not None:  # each node of the trees wins at most once
            state.disclose(node)
            done += 1
            if watch is not None:
                watch.report("values", done, len(trees))
                raise_if_stopped(watch.stop)
    return state.shown


class Disclosure:
    """The state of a run: what is shown, and what is known of every candidate."""

    def __init__(self, trees: Trees, summary: Summary, watch: Watch | None = None) -> None:
        size = len(trees)
        self.trees = trees
        self.shown = np.arange(size, dtype=np.int32)
        self.next_node = np.full(size, -1, dtype=np.int32)  # of a leaf: its candidate
        self.candidate = np.zeros(size, dtype=np.bool_)  # the parent is disclosed, the node is not
        self.of_class = summary.of_class
        self.support: Int64 = self.of_class.sum(axis=1)
        self.left = self.of_class.copy()  # the rows that show a disclosed node
        self.alive: Bool = self.support > 0  # and no template forbids it
        self.gain: Float = np.zeros(size)
        self.loss: Float = np.zeros(size)
        self.beneficial = np.zeros(size, dtype=np.bool_)
        self.large = max(64, size)
        self.requirements = [need for need in summary.requirements if need.attributes]
        stop = (watch or Watch()).stop
        self.channels = [open_channel(trees, summary, need, self.large, stop) for need in self.requirements]
        self.confidence = [first_confidence(channel) for channel in self.channels]
        for a in range(len(trees.columns)):
            self._show(trees.root(a))
            self._gain_below(trees.root(a))
        for channel, need in zip(self.channels, self.requirements, strict=True):
            begin(channel, np.arange(len(need.attributes)), self.next_node, self.alive, self.large)
        self._judge(np.ones(len(trees.columns), dtype=np.bool_))

    def winner(self, by_support: bool) -> int | None:
        """The candidate to disclose next, if there is one."""
        fit = np.flatnonzero(self.candidate & self.alive & (self.beneficial | by_support))
        if not len(fit):
            return None
        score = np.zeros(len(fit)) if by_support else self.gain[fit] / (self.loss[fit] + 1)
        return int(fit[np.lexsort((fit, -self.support[fit], -score))[0]])

    def disclose(self, node: int) -> None:
        """Shows `node` wherever it applies, and brings up to date what that touches."""
        above = int(self.trees.parent[node])
        a = int(self.trees.attribute[node])
        live = np.zeros(len(self.trees.columns), dtype=np.bool_)  # where nothing is valid, nothing will be again
        live[self.trees.attribute[self.candidate & self.alive]] = True
        self.candidate[node] = False
        self._show(node)
        self.left[above] -= self.of_class[node]
        self._gain_below(above)
        self._gain_below(node)
        touched = np.zeros(len(self.trees.columns), dtype=np.bool_)
        for k, (channel, need) in enumerate(zip(self.channels, self.requirements, strict=True)):
            if a in need.attributes:
                self.confidence[k] = np.maximum(self.confidence[k], channel.top_num[node] / channel.top_den[node])
                place = need.attributes.index(a)
                columns = np.flatnonzero(live[list(need.attributes)])
                disclose(channel, place, above, node, columns, self.shown, self.next_node, self.alive, self.large)
                touched[list(need.attributes)] = True
        self._judge(touched)

    def _show(self, node: int) -> None:
        """The leaves below `node` show it, and their candidates are its children."""
        below = self.trees.leaves_under(node)
        self.shown[below] = node
        step = below
        while len(up := np.flatnonzero((step != node) & (self.trees.parent[step] != node))):
            step = step.copy()
            step[up] = self.trees.parent[step[up]]
        self.next_node[below] = np.where(step == node, -1, step)
        self.candidate[step[step != node]] = True

    def _gain_below(self, node: int) -> None:
        """InfoGain of the children of a disclosed node, and whether disclosing them is beneficial."""
        children = self.trees.children(node)
        children = children[self.candidate[children]]
        if len(children):
            whole, parts = self.left[node], self.of_class[children]
            rows = whole.sum()
            inside = entropy(parts) * parts.sum(axis=1) + entropy(whole - parts) * (whole - parts).sum(axis=1)
            self.gain[children] = entropy(whole[None])[0] - inside / max(rows, 1)
            self.beneficial[children] = np.count_nonzero(whole) > 1

    def _judge(self, attributes: Bool) -> None:
        """Validity (in integers) and PrivLoss of the candidates of these attributes."""
        nodes = np.flatnonzero(self.candidate & self.alive & attributes[self.trees.attribute])
        rise: Float = np.zeros(len(nodes))
        templates: Int64 = np.zeros(len(nodes), dtype=np.int64)
        for channel, need, confidence in zip(self.channels, self.requirements, self.confidence, strict=True):
            inside = np.isin(self.trees.attribute[nodes], need.attributes)
            num, den = channel.top_num[nodes[inside]], channel.top_den[nodes[inside]]
            self.alive[nodes[inside]] &= (num * need.den <= den * need.num).all(axis=1)
            rise[inside] += np.maximum(num / den - confidence, 0).sum(axis=1)
            templates[inside] += len(need.num)
        self.loss[nodes] = rise / np.maximum(templates, 1)


def entropy(counts: Int64) -> Float:
    """Of the classes, in bits, for each line of counts."""
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(total, 1)
    logs: Float = np.log2(np.where(share > 0, share, 1.0))
    bits: Float = -(share * logs).sum(axis=1)
    return bits


def open_channel(trees: Trees, summary: Summary, need: Requirement, large: int, stop: npt.NDArray[np.uint8]) -> Channel:
    """The combinations of one channel, in one partition for each combination of what stays as it is."""
    attributes = list(need.attributes)
    if len(summary.requirements) == 1 and len(attributes) == len(trees.columns):  # they are distinct already
        group: npt.NDArray[np.integer] = np.arange(len(summary.rows))
        first: Int64 = np.arange(len(summary.rows))
    else:
        columns = [need.fixed, *(summary.leaves[a] - trees.first[a] for a in attributes), need.sort]
        sizes = [int(need.fixed.max(initial=0)) + 1, *(trees.values[attributes] + 1).tolist(), len(need.flag_ptr) - 1]
        group, first, _ = combine(columns, sizes, len(summary.rows))
    order = np.argsort(need.fixed[first], kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first = first[order]
    bounds = np.flatnonzero(np.diff(need.fixed[first], prepend=-1, append=-1))
    n, templates = len(first), len(need.num)
    tables = 2 + (2 * n) // large
    return Channel(
        codes=np.stack([summary.leaves[a][first] for a in need.attributes], axis=1).astype(np.int32),
        count=np.bincount(rank[group], summary.rows, n).astype(np.int64),
        flag_ptr=need.flag_ptr,
        flags=need.flags,
        sort=need.sort[first],
        start=np.concatenate([bounds[:-1], np.zeros(n + 2 - len(bounds))]).astype(np.int64),
        end=np.concatenate([bounds[1:], np.zeros(n + 2 - len(bounds))]).astype(np.int64),
        slot=np.zeros(n + 1, dtype=np.int32),
        parts=np.array([len(bounds) - 1, 0], dtype=np.int64),
        top_num=np.zeros((len(trees), templates), dtype=np.int64),
        top_den=np.ones((len(trees), templates), dtype=np.int64),
        rows=np.zeros((tables, len(trees)), dtype=np.int64),
        held=np.zeros((tables, len(trees), templates), dtype=np.int64),
        touched=np.zeros(len(trees), dtype=np.int32),
        changed=np.zeros(n + 1, dtype=np.bool_),
        stop=stop,
    )


def first_confidence(channel: Channel) -> Float:
    """Conf of each template with everything suppressed."""
    worst = np.zeros(channel.top_num.shape[1])
    held = np.zeros(channel.top_num.shape[1], dtype=np.int64)
    for part in range(int(channel.parts[0])):
        rows = sum_up(channel, part, held)
        worst = np.maximum(worst, held / rows)
    return worst
