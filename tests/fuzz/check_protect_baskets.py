"""A release of baskets is safe by the oracle, and a part of the original."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import judge
import oracle
from counting import exposure_of
from fuzz.check_audit_baskets import truth
from fuzz.finding import Complaint, demand
from fuzz.made import MadeBaskets
from fuzz.truth_baskets import minded, thresholds, unsafe_shares
from sordino.data.generalized import Generalized
from sordino.errors import InputError
from sordino.protect.registry import METHODS

__all__ = ["check", "grouped_is_safe", "release_is_safe"]


def check(made: MadeBaskets) -> None:
    case = made.case
    if made.refused:
        return
    try:
        release = made.release
    except InputError as error:
        if "cannot honour choices" in str(error) and not METHODS[str(case.method)].personal:
            made.refused = True
            return
        raise
    demand(release.audit_after.holds, "a release whose own audit does not hold", "unsafe")
    demand(judge.allowed_change(made.records, _secret(made), _by_position(release, made)), "an edit that is none")
    if case.assurance is None and truth(case, made.records, made.records).holds:
        demand(list(release.data) == made.records, "what was safe was changed")
    release_is_safe(made, release)


def release_is_safe(made: MadeBaskets, release: Any) -> None:
    """The oracle finds nothing in the release that its promise excludes."""
    case = made.case
    after = list(release.data)
    grouped = getattr(release, "coarse", None)
    if grouped is not None:
        rho_of = thresholds(case, judge.counted(release))
        secret = sorted(minded(case)[0])  # these methods know one set for all
        most = case.knowledge
        if case.assurance is not None:
            most = case.assurance[2] if most is None else min(most, case.assurance[2])
        demand(grouped_is_safe(release, secret, rho_of, most), "the release is not safe", "unsafe")
    elif case.assurance is not None:
        shares = unsafe_shares(case, made.records, after)
        worst = max(shares.values(), default=Fraction(0))
        demand(worst < Fraction(case.assurance[0]), "more can be inferred than the sample promises", "unsafe")
    else:
        at_risk = truth(case, made.records, after).people
        if at_risk:
            raise Complaint("unsafe", f"{at_risk} people are at risk in the release")


def grouped_is_safe(release: Any, sensitive: Any, rho_of: Any, knowledge: int | None) -> bool:
    """As `judge.safe`; groups of long records are counted, which is quicker."""
    grouped = release.coarse
    if isinstance(grouped, Generalized) and len(grouped.hierarchy.leaves) + len(sensitive) > judge.FEW:
        records, own = list(grouped.baskets), {e: rho_of[e] for e in sensitive}
        numbers = grouped.group.tolist()
        return all(
            not any(exposure_of([r for r, g in zip(records, numbers, strict=True) if g == k], own, knowledge).values())
            for k in set(numbers)
        )
    if not isinstance(grouped, Generalized):
        present = {e: rho_of[e] for e in sensitive}
        return oracle.permuted_holds(list(grouped.baskets), grouped.group.tolist(), grouped.held, present)
    return judge.safe(release, sensitive, rho_of, knowledge)


def _secret(made: MadeBaskets) -> set[str]:
    """What permuted data tell by group only."""
    return set(minded(made.case)[0])


def _by_position(release: Any, made: MadeBaskets) -> Any:
    """The release with changes that name records by their position, as the judge reads them."""
    if made.case.ids is None:
        return release
    place = {name: u for u, name in enumerate(made.case.ids)}

    class Placed:
        data = release.data
        coarse = getattr(release, "coarse", None)
        changes = release.changes.set_column(
            release.changes.schema.get_field_index("record"),
            "record",
            [[place[name] for name in release.changes["record"].to_pylist()]],
        )

    return Placed
