"""`lgps`: local generalization and partial suppression (Chen et al. 2017; model.md 1.5).

All non-sensitive items start at the root of the hierarchy, in one group, suppressed partially until safe. Then groups
are specialized: nodes of a group's cut are replaced by their children, for the whole group or, after dividing its
records by which children they hold, for each part; what then is unsafe is suppressed. The step is kept if the loss
(NCP) falls. Suppressions made higher up persist.

**Guarantee.** Every group by itself is safe at the symbols that it shows: each step ends with an exact audit of all its
groups at once. Somebody who knows items matches in each group the nodes that show them there; sup(q + e) <= rho sup(q)
in every group, so also in the sum. Hence it is safe at leaf knowledge.

**Validity.** A part with fewer than 1/rho_e records for some e that it holds is not valid. Parts that are not are put
together; if even these are not valid, the group is not divided.

**Deviations.** The paper divides whenever the parts are valid and lose less than the group did (`divide="valid"`).
Alibis in other parts are lost by that, so by default (`divide="best"`) a group is divided only where this loses less
than to specialize it undivided. On the benchmark files it never does, and the paper's rule ends up to two points of NCP
higher (docs/benchmarks.md). The paper specializes node by node. Here a group tries all nodes of its cut at once,
and halves the set when that does not pay, down to single nodes (only these divide): the same single steps can be
refused, but a file takes tens of them and not thousands. With `divide="valid"` nodes are tried one by one, those that
promise most first. A group ends after `patience` refusals in a row (by default PATIENCE, or 1 if it is LARGE); the
paper would try every node. What is unsafe is suppressed as everywhere in sordino, or by the paper's own suppressor
(`suppressor="mine"` or `"dist"`, see literally.py); LGPS as published is `divide="valid"` with one of these.
Thresholds are the policy's, which may be adaptive (model.md 1.1), as everywhere else.

**Why it is quick.** Most trials are refused. Suppressing only ever adds to the loss of a trial, so it is given up as
soon as that reaches the loss before, mostly before the dear part, the exact audit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.distinct import distinct
from sordino.data.generalized import Generalized
from sordino.engine.local import Watch
from sordino.errors import InputError, did_you_mean
from sordino.policy.inference import ResolvedInference
from sordino.protect.generalized_workspace import GeneralizedWorkspace, check_patience, hierarchy_for
from sordino.protect.literally import Literally

__all__ = ["Settings", "protect", "specialize"]

DIVIDE = ("best", "valid")
SUPPRESSORS = ("ours", "mine", "dist")
PATIENCE = 4  # refusals in a row after which a group stays as it is
LARGE = 100_000  # records; a larger group has less patience, because a trial of it takes long

Bools = npt.NDArray[np.bool_]
I64 = npt.NDArray[np.int64]


def protect(
    baskets: Baskets,
    policy: ResolvedInference,
    *,
    seed: int,
    jobs: int,
    watch: Watch,
    hierarchy: object = None,
    divide: str = "best",
    suppressor: str = "ours",
    patience: int | None = None,
    **options: Any,
) -> Generalized:
    """The baskets generalized and suppressed; every group is safe. Without a hierarchy, one is built by names."""
    del options
    if divide not in DIVIDE:
        raise InputError(f"'divide' cannot be '{divide}'.{did_you_mean(divide, DIVIDE)}", hint="best or valid")
    literally = _suppressor(suppressor, policy, seed)
    check_patience(patience)
    tree = hierarchy_for(baskets, policy, hierarchy)
    settings = Settings(divide == "valid", patience, jobs, watch)
    return specialize(GeneralizedWorkspace(baskets, policy, tree, literally), settings)


def _suppressor(name: str, policy: ResolvedInference, seed: int) -> Literally | None:
    """The paper's suppressor, if it is asked for and does what the policy needs; None: ours."""
    if name not in SUPPRESSORS:
        hint = did_you_mean(name, SUPPRESSORS)
        raise InputError(f"'suppressor' cannot be '{name}'.{hint}", hint="ours, mine or dist")
    if name == "ours":
        return None
    if policy.policy.absent == "any":
        raise InputError(
            "the paper's suppressor does not protect against knowledge of what people do not have",
            hint='Leave out suppressor, or absent = "any" in the policy.',
        )
    return Literally(name, seed)


@dataclass(frozen=True)
class Settings:
    """How to go about it: whether nodes are tried one by one and groups divided wherever that is valid, and so on."""

    one_by_one: bool = False
    patience: int | None = None  # None: PATIENCE, but 1 for large groups
    jobs: int = 1
    watch: Watch = field(default_factory=Watch)


@dataclass
class _Groups:
    """The groups as they are: of each record its group; of each group its loss, its opened nodes, and what to try."""

    of: I64
    loss: dict[int, int]
    opened: dict[int, tuple[int, ...]]
    closed: dict[int, frozenset[int]]  # nodes that did not pay
    refused: dict[int, int]  # how often in a row
    waiting: dict[int, list[tuple[int, ...]]]  # sets of nodes to try; no key: finished

    def add(self, g: int, loss: int, opened: tuple[int, ...], closed: frozenset[int]) -> None:
        self.loss[g], self.opened[g], self.closed[g], self.refused[g], self.waiting[g] = loss, opened, closed, 0, []

    def drop(self, g: int) -> None:
        del self.loss[g], self.opened[g], self.closed[g], self.refused[g], self.waiting[g]


@dataclass(frozen=True)
class _Trial:
    """Nodes tried in several groups at once. By occurrence of these groups: its place, the number of its group among
    `groups`, the symbol it would be shown as, and whether that is a new one."""

    groups: list[int]
    nodes: list[tuple[int, ...]]
    places: I64
    number: I64
    symbol: I64
    opens: Bools


def specialize(workspace: GeneralizedWorkspace, settings: Settings, trace: list[int] | None = None) -> Generalized:
    """Runs the method; the losses after each round, times `workspace.whole`, are appended to `trace`."""
    records = len(workspace.baskets)
    if len(workspace.alive):
        alive = workspace.suppressed(
            workspace.owner, workspace.symbol, workspace.symbol, records, jobs=settings.jobs, watch=settings.watch
        )
        assert alive is not None  # there was no limit
        workspace.alive = alive
    groups = _Groups(np.zeros(records, dtype=np.int64), {}, {}, {}, {}, {})
    groups.add(0, int(workspace.losses(workspace.symbol, workspace.alive).sum()), (), frozenset())
    # With each turn a group loses less, or is refused a set of nodes, of which it has finitely many between two gains.
    while True:
        loss = sum(groups.loss.values())
        if trace is not None:
            trace.append(loss)
        share = loss / max(1, workspace.whole * len(workspace.alive))
        settings.watch.report(f"specializing ({len(groups.loss):,} groups, {share:.1%} lost)", 0, 0)
        trial = _next_trial(workspace, groups, settings)
        if trial is None:
            return workspace.published(groups.of, groups.opened)
        _decide(workspace, groups, trial, settings)


def _next_trial(workspace: GeneralizedWorkspace, groups: _Groups, settings: Settings) -> _Trial | None:
    """For every unfinished group the next nodes to try."""
    fresh = [g for g, sets in groups.waiting.items() if not sets]
    by_gain = _by_gain(workspace, groups, fresh) if fresh else {}
    for g in fresh:
        nodes = tuple(v for v in by_gain.get(g, ()) if v not in groups.closed[g])
        if nodes:
            groups.waiting[g] = [(v,) for v in reversed(nodes)] if settings.one_by_one else [nodes]
        else:
            del groups.waiting[g]
    if not groups.waiting:
        return None
    chosen = sorted(groups.waiting)
    nodes_of = [groups.waiting[g].pop() for g in chosen]
    number = np.full(max(groups.loss) + 1, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    tried = distinct(np.concatenate([k * workspace.nodes + np.array(nodes) for k, nodes in enumerate(nodes_of)]))
    of_occurrence = number[groups.of[workspace.owner]]
    places = np.flatnonzero(of_occurrence >= 0)
    which = of_occurrence[places]
    symbol = workspace.symbol[places].copy()
    opens = workspace.alive[places] & (symbol < workspace.nodes)
    opens &= np.isin(which * workspace.nodes + symbol, tried)
    symbol[opens] = workspace.child(symbol[opens], workspace.leaf[places[opens]])
    return _Trial(chosen, nodes_of, places, which, symbol, opens)


def _by_gain(workspace: GeneralizedWorkspace, groups: _Groups, fresh: list[int]) -> dict[int, list[int]]:
    """The nodes that groups could specialize, by what that would save if nothing had to be suppressed for it."""
    live = np.zeros(max(groups.loss) + 1, dtype=np.bool_)
    live[fresh] = True
    places = np.flatnonzero(workspace.alive & (workspace.blur[workspace.symbol] > 0) & live[groups.of[workspace.owner]])
    if not len(places):
        return {}
    node = workspace.symbol[places]
    gain = workspace.blur[node] - workspace.blur[workspace.child(node, workspace.leaf[places])]
    used, inverse = np.unique(groups.of[workspace.owner[places]] * workspace.nodes + node, return_inverse=True)
    gains = np.bincount(inverse, weights=gain, minlength=len(used)).astype(np.int64)
    found: dict[int, list[int]] = {}
    for k in np.lexsort((used, -gains)).tolist():
        found.setdefault(int(used[k]) // workspace.nodes, []).append(int(used[k]) % workspace.nodes)
    return found


def _decide(workspace: GeneralizedWorkspace, groups: _Groups, trial: _Trial, settings: Settings) -> None:
    """Tries it, and keeps for each group the way that loses least, if it loses less than before."""
    # Every record once for its undivided group and, where there is a valid division, once more for its part.
    part, divided = _divide(workspace, trial)
    twice = divided[trial.number]
    undivided, count = len(trial.places), len(trial.groups)
    places = np.concatenate([trial.places, trial.places[twice]])
    number = np.concatenate([trial.number, trial.number[twice]])
    symbol = np.concatenate([trial.symbol, trial.symbol[twice]])
    parts = np.concatenate([trial.number, count + part[twice]])
    before = np.array([groups.loss[g] for g in trial.groups], dtype=np.int64)
    # One group that is not divided can be given up early; of several, some may pay.
    most = int(before[0]) if count == 1 and not divided.any() else None
    kept = _kept(workspace, places, undivided, parts, symbol, settings, most)
    if kept is None:
        _refuse(groups, trial.groups[0], trial.nodes[0], _patience(groups, trial, settings)[0])
        return
    loss = workspace.losses(symbol, kept)
    whole, split = (
        np.bincount(number[side], weights=loss[side], minlength=count).astype(np.int64)
        for side in (slice(undivided), slice(undivided, None))
    )
    use_split = divided & (split < before) & ((split <= whole) | settings.one_by_one)
    use_whole = ~use_split & (whole < before)
    used = np.concatenate([use_whole[number[:undivided]], use_split[number[undivided:]]])
    workspace.symbol[places[used]] = symbol[used]
    workspace.alive[places[used]] = kept[used]

    cut = np.flatnonzero(used[undivided:]) + undivided
    pieces, piece = np.unique(parts[cut], return_inverse=True)
    first = max(groups.loss) + 1
    groups.of[workspace.owner[places[cut]]] = first + piece
    losses = np.bincount(piece, weights=loss[cut], minlength=len(pieces)).astype(np.int64)
    parent = np.zeros(len(pieces), dtype=np.int64)
    parent[piece] = number[cut]
    for k, t in enumerate(parent.tolist()):
        g = trial.groups[t]
        groups.add(first + k, int(losses[k]), groups.opened[g] + trial.nodes[t], groups.closed[g])
    patience = _patience(groups, trial, settings)
    for t, g in enumerate(trial.groups):
        if use_split[t]:
            groups.drop(g)
        elif use_whole[t]:
            groups.add(g, int(whole[t]), groups.opened[g] + trial.nodes[t], groups.closed[g])
        else:
            _refuse(groups, g, trial.nodes[t], patience[t])


def _patience(groups: _Groups, trial: _Trial, settings: Settings) -> list[int]:
    """How many refusals in a row each group of the trial may have."""
    if settings.patience is not None:
        return [settings.patience] * len(trial.groups)
    sizes = np.bincount(groups.of, minlength=max(groups.loss) + 1)
    return [1 if sizes[g] > LARGE else PATIENCE for g in trial.groups]


def _refuse(groups: _Groups, g: int, nodes: tuple[int, ...], patience: int) -> None:
    groups.refused[g] += 1
    if groups.refused[g] > patience:
        del groups.waiting[g]
    elif len(nodes) == 1:
        groups.closed[g] |= {nodes[0]}
    else:
        half = (len(nodes) + 1) // 2
        groups.waiting[g] += [nodes[half:], nodes[:half]]


def _kept(
    workspace: GeneralizedWorkspace,
    places: I64,
    undivided: int,
    parts: I64,
    symbol: I64,
    settings: Settings,
    most: int | None,
) -> Bools | None:
    """Which occurrences are left when every part is suppressed until it is safe by itself; None if what is then lost
    would be `most` or more."""
    alive = workspace.alive[places]
    rows = (workspace.owner[places] + len(workspace.baskets) * (np.arange(len(places)) >= undivided))[alive]
    new = np.ones(len(rows), dtype=np.bool_)
    new[1:] = rows[1:] != rows[:-1]  # they ascend
    keys = parts[alive] * workspace.width + symbol[alive]
    if most is not None:
        most -= workspace.whole * int(np.count_nonzero(~alive))
    left = workspace.suppressed(
        np.cumsum(new) - 1, keys, symbol[alive], int(new.sum()), jobs=settings.jobs, watch=settings.watch, most=most
    )
    if left is None:
        return None
    kept = alive.copy()
    kept[alive] = left
    return kept


def _divide(workspace: GeneralizedWorkspace, trial: _Trial) -> tuple[I64, Bools]:
    """By occurrence the part of its record, if its group's records are divided by which children they hold.

    And for each group whether that is a valid division into two parts or more. Only single nodes divide.
    """
    count, owner = len(trial.groups), workspace.owner[trial.places]
    of_record = np.full(len(workspace.baskets), -1, dtype=np.int64)
    of_record[owner] = trial.number
    inside = np.flatnonzero(of_record >= 0)
    able = np.array([len(nodes) == 1 for nodes in trial.nodes])
    if not able.any():
        return np.full(len(owner), -1, dtype=np.int64), able

    # Records with the same children have the same exclusive or of these children's marks.
    marks = np.random.default_rng(0).integers(1, 2**63, size=workspace.nodes, dtype=np.int64)
    pairs = distinct(owner[trial.opens] * workspace.nodes + trial.symbol[trial.opens])
    held = np.zeros(len(of_record), dtype=np.int64)
    np.bitwise_xor.at(held, pairs // workspace.nodes, marks[pairs % workspace.nodes])
    by_part = inside[np.lexsort((held[inside], of_record[inside]))]
    new = np.ones(len(by_part), dtype=np.bool_)
    new[1:] = (np.diff(of_record[by_part]) != 0) | (held[by_part][1:] != held[by_part][:-1])
    part = np.full(len(of_record), -1, dtype=np.int64)
    part[by_part] = np.cumsum(new) - 1
    group_of_part = of_record[by_part[new]]
    parts = len(group_of_part)

    # What is too small for a sensitive item that it holds is put together, as one part of its group.
    secret = trial.places[workspace.alive[trial.places] & (workspace.leaf[trial.places] < 0)]
    codes, holder = workspace.baskets.items[secret], workspace.owner[secret]
    num, den = workspace.policy.num[codes], workspace.policy.den[codes]
    size = np.bincount(part[inside], minlength=parts)
    small = np.zeros(parts, dtype=np.bool_)
    small[part[holder[size[part[holder]] * num < den]]] = True
    part[inside] = np.where(small, parts + group_of_part, np.arange(parts))[part[inside]]
    size = np.bincount(part[inside], minlength=parts + count)
    able[of_record[holder[size[part[holder]] * num < den]]] = False
    made = np.concatenate([group_of_part[~small], np.unique(group_of_part[small])])
    return part[owner], able & (np.bincount(made, minlength=count) > 1)
