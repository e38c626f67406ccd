"""Random tables with policies about absence, small enough for the oracle (tests/oracle_absence.py)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st

import sordino

RHOS = ("1/2", "0.7", "1/3", "0.3", "2/3", "0.07", "0.9")

Records = list[frozenset[str]]


class Case(NamedTuple):
    records: Records
    policy: sordino.InferencePolicy
    rho_of: dict[str, Fraction]


@st.composite
def policies(draw: st.DrawFn, records: Records, sensitive: Sequence[str]) -> Case:
    """A policy with absent="any" on these records, some items with thresholds of their own."""
    rho = draw(st.sampled_from(RHOS))
    own = {e: draw(st.sampled_from(RHOS)) for e in sensitive if draw(st.integers(0, 3)) == 0}
    rho_of = {e: Fraction(own.get(e, rho)) for e in sensitive}
    return Case(records, sordino.InferencePolicy(sensitive, rho, rho_of=own, absent="any"), rho_of)


@st.composite
def any_tables(draw: st.DrawFn, items: int = 6, records: int = 12) -> Case:
    """Records at random, some of them often."""
    names = "abcdef"[: draw(st.integers(2, items))]
    kinds = draw(st.lists(st.frozensets(st.sampled_from(names)), min_size=1, max_size=8))
    table = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=records))
    present = sorted(set().union(*table))
    if not present:
        table, present = [*table, frozenset({"a"})], ["a"]
    sensitive = draw(st.lists(st.sampled_from(present), min_size=1, unique=True, max_size=4))
    return draw(policies(table, sensitive))


@st.composite
def twin_tables(draw: st.DrawFn, items: int = 6) -> Case:
    """Tables that nearly hold: records with most of the twins that they need."""
    names = "abcdef"[: draw(st.integers(3, items))]
    sensitive = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    table: Records = []
    for record in draw(st.lists(st.frozensets(st.sampled_from(names), min_size=2), min_size=1, max_size=4)):
        secret = sorted(record & set(sensitive))
        for k in range(2 ** len(secret)):
            less = frozenset(e for n, e in enumerate(secret) if k >> n & 1)
            table += [record - less] * draw(st.sampled_from((0, 1, 1, 1, 2, 3)))
    table = table if any(table) else [*table, frozenset(names)]
    present = set().union(*table)
    return draw(policies(table, [e for e in sensitive if e in present] or sorted(present)[:1]))
