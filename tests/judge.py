"""What a release must stand up to, by its form: the oracle's question for suppressed, generalized and permuted data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

import oracle
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from trees import plain

FEW = 10  # items of the hierarchy, and sensitive ones, of which all sets are tried

Table = Sequence[AbstractSet[str]]


def counted(release: Any) -> list[AbstractSet[str]]:
    """Records in which every sensitive item occurs as often as the release says."""
    grouped = getattr(release, "coarse", None)
    return list(grouped.drawn(0) if isinstance(grouped, Permuted) else release.data)


def safe(
    release: Any, sensitive: Collection[str], rho_of: Mapping[str, Fraction], knowledge: int | None = None
) -> bool:
    """Whether the oracle finds nothing."""
    grouped = getattr(release, "coarse", None)
    if isinstance(grouped, Permuted):
        return oracle.permuted_holds(list(grouped.baskets), grouped.group.tolist(), grouped.held, rho_of)
    if isinstance(grouped, Generalized):
        facts = plain(grouped)
        if len(grouped.hierarchy.leaves) + len(sensitive) > FEW:
            return oracle.every_group_holds(facts["records"], facts["group"], sensitive, rho_of, knowledge)
        return oracle.leaf_holds(facts["records"], facts["group"], facts["shown"], sensitive, rho_of, knowledge)
    return oracle.holds(list(release.data), sensitive, rho_of, knowledge)


def allowed_change(table: Table, sensitive: Collection[str], release: Any) -> bool:
    """Whether the release is the table with nothing done to it that its form does not do, and `changes` tell all."""
    told = dict(
        zip(
            zip(release.changes["record"].to_pylist(), release.changes["from"].to_pylist(), strict=True),
            release.changes["to"].to_pylist(),
            strict=True,
        )
    )
    secret = set(sensitive)
    grouped = getattr(release, "coarse", None)
    after = list(release.data)
    if len(after) != len(table):
        return False
    expected = []
    for u, record in enumerate(table):
        shown = {item: told.get((u, item), item) for item in record}
        if isinstance(grouped, Permuted):
            if any((u, item) in told for item in record - secret):
                return False
            expected.append(record - secret)
            continue
        if grouped is None and any(to not in (None, item) for item, to in shown.items()):
            return False
        if isinstance(grouped, Generalized):
            tree = grouped.hierarchy
            for item, to in shown.items():
                if to is not None and item not in secret:
                    above = tree.path(tree.leaf_of[item])
                    if to not in {grouped.labels[v] for v in above}:
                        return False
                elif item in secret and to not in (None, item):
                    return False
        expected.append({to for to in shown.values() if to is not None})
    return after == expected
