"""Random tables in which people chose for themselves what is sensitive, for property tests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from hypothesis import strategies as st

import sordino
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets

Records = list[frozenset[str]]


class Chosen(NamedTuple):
    original: Records
    published: Records
    choices: list[frozenset[str]]
    rho: Fraction
    knowledge: int | None

    @property
    def policy(self) -> sordino.InferencePolicy:
        own = dict(enumerate(self.choices))
        return sordino.InferencePolicy([], self.rho, per_record=own, knowledge=self.knowledge)

    @property
    def rho_of(self) -> dict[str, Fraction]:
        return dict.fromkeys(set().union(*self.original, *self.choices), self.rho)


@st.composite
def chosen_tables(draw: st.DrawFn, width: int = 8, least: int = 1) -> Chosen:
    """A few records, some of them published with less than they had; everybody chooses, also what nobody has."""
    items = [f"{k:02}" for k in range(draw(st.integers(max(2, least), width)))]
    part = st.frozensets(st.sampled_from(items), min_size=least)
    original = draw(st.lists(part, min_size=2, max_size=9))
    original += draw(st.lists(st.sampled_from(original), max_size=5))
    published = original
    if draw(st.booleans()):
        lost = draw(st.lists(st.frozensets(st.sampled_from(items), max_size=2), min_size=len(original)))
        published = [record - gone for record, gone in zip(original, lost, strict=False)]
    wishes = st.frozensets(st.sampled_from([*items, "nobody's"]))
    choices = draw(st.lists(wishes, min_size=len(original), max_size=len(original)))
    rho = Fraction(draw(st.sampled_from(("1/2", "1/3", "0.3", "0.7", "0.07", "9/10"))))
    return Chosen(original, published, choices, rho, draw(st.sampled_from((None, None, 1, 2, 3, 5))))


def audited(case: Chosen, jobs: int = 1, **options: Any) -> sordino.AuditResult:
    """The audit of what was published, with the original beside it."""
    return audit_baskets(
        Baskets.from_sets(case.published),
        case.policy,
        original=Baskets.from_sets(case.original),
        missing="accept",
        jobs=jobs,
        **options,
    )
