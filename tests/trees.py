"""Random hierarchies, and a generalized release in the plain terms of the oracle."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from sordino.data.generalized import Generalized
from sordino.data.hierarchy import Hierarchy, hierarchy_of


@st.composite
def hierarchies(draw: st.DrawFn, items: list[str]) -> Hierarchy:
    """A tree with these items as leaves, at depths of 1 to 4; chains of single children and shared names occur."""
    names, parent = ["ALL"], [-1]
    inner = [0]
    for k in range(draw(st.integers(0, 5))):
        names.append(draw(st.sampled_from((f"N{k}", f"N{k}", items[0] if items else "x"))))
        parent.append(draw(st.sampled_from(inner)))
        inner.append(len(names) - 1)
    for item in items:
        names.append(item)
        parent.append(draw(st.sampled_from(inner)))
    # Inner nodes without a leaf would be leaves themselves: off they go, from the end.
    while True:
        bare = [k for k in inner if k and k not in parent]
        if not bare:
            break
        for k in reversed(bare):
            del names[k], parent[k]
            parent = [p - 1 if p > k else p for p in parent]
            inner = [p - 1 if p > k else p for p in inner if p != k]
    try:
        return hierarchy_of(names, parent)
    except Exception:  # a name twice on a level: a plain tree will do
        return hierarchy_of(["ALL", *items], [-1] + [0] * len(items))


def plain(release: Generalized) -> dict[str, Any]:
    """records, group, shown and under: what the oracle takes."""
    tree, labels = release.hierarchy, release.labels
    shown = []
    for g in range(release.groups):
        above = release.shown(g)
        shown.append({tree.names[leaf]: labels[above[leaf]] for leaf in tree.leaves.tolist()})
    under = {labels[v]: {tree.names[leaf] for leaf in tree.leaves_under(v)} for v in range(len(tree))}
    return {"records": list(release.baskets), "group": release.group.tolist(), "shown": shown, "under": under}
