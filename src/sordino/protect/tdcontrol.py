"""`tdcontrol`: generalize everything to the root, then specialize top-down (TDControl, Cao et al. 2010; model.md 1.3).

One cut of the hierarchy for all records (global recoding). Whole types, of generalized or of sensitive items, are
suppressed to stay safe. A specialization is kept if the loss (NCP) falls. What was suppressed stays suppressed.

**Guarantee.** The loop of `whole_types` ends with an exact audit at the symbols shown. There is one group, so somebody
who knows items matches the nodes that show them: safe at leaf knowledge.

**Deviations.** The paper tries every node of the cut in each step and takes the best. Here all nodes of the cut are
tried at once, and the set is halved when that does not pay, down to single nodes; after `patience` refusals in a row
the method ends. (The paper takes for granted that what does not pay once does not pay later, too.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.generalized_workspace import GeneralizedWorkspace, check_patience, hierarchy_for
from sordino.protect.whole_types import types_to_delete

__all__ = ["protect"]

PATIENCE = 4

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
    patience: int = PATIENCE,
    **options: Any,
) -> Generalized:
    """The baskets under one cut, safe. Without a hierarchy, one is built by names."""
    del seed, options
    check_patience(patience)
    workspace = GeneralizedWorkspace(baskets, policy, hierarchy_for(baskets, policy, hierarchy))
    workspace.alive = _suppressed(workspace, workspace.symbol, workspace.alive, jobs, watch)
    loss = int(workspace.losses(workspace.symbol, workspace.alive).sum())
    opened: tuple[int, ...] = ()
    closed: set[int] = set()
    refused = 0
    waiting = _sets(workspace, closed)
    # With each turn less is lost, or a set of nodes is refused, of which there are finitely many between two gains.
    while waiting and refused <= patience:
        share = loss / max(1, workspace.whole * len(workspace.alive))
        watch.report(f"specializing ({share:.1%} lost)", len(opened), 0)
        nodes = waiting.pop()
        symbol = workspace.symbol.copy()
        opens = workspace.alive & np.isin(symbol, nodes)
        symbol[opens] = workspace.child(symbol[opens], workspace.leaf[opens])
        alive = _suppressed(workspace, symbol, workspace.alive, jobs, watch)
        now = int(workspace.losses(symbol, alive).sum())
        if now < loss:
            workspace.symbol, workspace.alive, loss = symbol, alive, now
            opened += nodes
            refused = 0
            waiting = _sets(workspace, closed)
            continue
        refused += 1
        if len(nodes) == 1:
            closed.update(nodes)
        else:
            half = (len(nodes) + 1) // 2
            waiting += [nodes[half:], nodes[:half]]
    return workspace.published(np.zeros(len(baskets), dtype=np.int64), {0: opened})


def _sets(workspace: GeneralizedWorkspace, closed: set[int]) -> list[tuple[int, ...]]:
    """The nodes of the cut that can be specialized, those that promise most first, as one set to try."""
    places = np.flatnonzero(workspace.alive & (workspace.blur[workspace.symbol] > 0))
    if not len(places):
        return []
    node = workspace.symbol[places]
    gain = workspace.blur[node] - workspace.blur[workspace.child(node, workspace.leaf[places])]
    gains = np.bincount(node, weights=gain).astype(np.int64)
    nodes = [v for v in np.flatnonzero(np.bincount(node)).tolist() if v not in closed]
    return [tuple(sorted(nodes, key=lambda v: (-int(gains[v]), v)))] if nodes else []


def _suppressed(workspace: GeneralizedWorkspace, symbols: I64, alive: Bools, jobs: int, watch: Watch) -> Bools:
    """What is left of the occurrences when whole types are suppressed until the table is safe."""
    used, codes = np.unique(symbols[alive], return_inverse=True)
    table, policy = workspace.table(workspace.owner[alive], codes, used, len(workspace.baskets))
    price = np.bincount(codes, minlength=len(used)).astype(np.int64)  # original occurrences, not records
    gone = types_to_delete(table, policy, jobs=jobs, watch=watch, price=price)
    left = alive.copy()
    left[alive] = ~gone[codes]
    return left
