"""The audit of baskets, one group of rarest items at a time (by_rarest.py), so that they need not fit all at once.

Verdict, people at risk and people by level are those of the audit of the whole. Of the findings the counts are those of
the whole, too; but which are shown is decided by what single groups show best, so they may be others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sordino.audit.arrange import Arrangement, by_rarity_alone
from sordino.audit.by_rarest import Asked, Shipped, Union, audit_group, gather, not_looked_at, ship
from sordino.audit.inference import not_examined, nothing_found
from sordino.audit.inquiry import SIZES
from sordino.audit.kernels.classes import gather_sorted
from sordino.audit.result import ABSENCE_UNKNOWN, AuditResult, Finding, items_left_open, sizes_left_open
from sordino.data.baskets import Baskets
from sordino.data.totals import Totals
from sordino.engine.local import OutOfTime, Watch
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy, ResolvedInference

__all__ = [
    "asked_by_rank",
    "audit_groups",
    "audit_in_groups",
    "check_parts",
    "needs_all",
    "refuse_what_needs_all",
]

IN_GROUPS = (
    "The records were audited in {:,} groups by the rarest known item, one at a time. Verdict and counts are those of "
    "all at once; which findings are shown may differ."
)
MOST = 10_000  # groups
PIECE = 250_000  # records
PHASE = "groups of rarest items"


def check_parts(parts: object) -> None:
    """An InputError unless it is a number of groups."""
    if isinstance(parts, bool) or not isinstance(parts, int) or not 1 <= parts <= MOST:
        raise InputError(f"parts must be a whole number from 1 to {MOST:,}")


def needs_all(policy: object) -> str | None:
    """What of a policy needs all records at once, if anything does."""
    if getattr(policy, "personal", False):
        return "choices of single persons"
    if getattr(policy, "absent", None) is not None:
        return "knowledge of absence"
    return "a sampled assurance" if getattr(policy, "assurance", None) is not None else None


def refuse_what_needs_all(policy: InferencePolicy) -> None:
    """An InputError for policies whose audit needs all records at once."""
    what = needs_all(policy)
    if what is not None:
        raise InputError(f"an audit in parts is not for {what} yet", hint="Leave out parts.")


def asked_by_rank(code: npt.NDArray[np.int32], resolved: ResolvedInference) -> Asked:
    """What the policy asks, by rank; `code` as `Arrangement` has it."""
    return Asked(resolved.sensitive[code], resolved.num[code], resolved.den[code], resolved.knowledge)


def audit_in_groups(
    baskets: Baskets,
    policy: InferencePolicy | ResolvedInference,
    number: int,
    *,
    jobs: int,
    watch: Watch,
    top: int = 10,
) -> AuditResult:
    """The audit of records that are held, in about `number` groups."""
    start = time.monotonic()
    resolved = policy if isinstance(policy, ResolvedInference) else policy.resolve(baskets)
    arranged = by_rarity_alone(baskets.supports, len(baskets), number)
    items = np.empty(len(baskets.items), dtype=np.int32)
    indptr, everybody = baskets.indptr, np.arange(len(baskets))
    try:
        rank = arranged.rank
        watch.call(gather_sorted, indptr, baskets.items, everybody.astype(np.int32), rank, indptr, items, watch.stop)
    except OutOfTime:
        return not_examined(baskets, resolved, start)
    bounds, sensitive = arranged.bounds, resolved.sensitive[arranged.code]

    def load(group: int) -> Shipped:
        """Some records at a time: what is worked out on the way takes several times the room of the records."""
        pieces = []
        for a in range(0, len(baskets), PIECE):
            b = min(a + PIECE, len(baskets))
            ptr, some = indptr[a : b + 1] - indptr[a], items[indptr[a] : indptr[b]]
            pieces.append(ship(ptr, some, sensitive, bounds, group, everybody[a:b]))
        return gather(pieces)

    return audit_groups(baskets, resolved, arranged, load, jobs=jobs, watch=watch, top=top)


def audit_groups(
    totals: Baskets | Totals,
    resolved: ResolvedInference,
    arranged: Arrangement,
    load: Callable[[int], Shipped],
    *,
    jobs: int,
    watch: Watch,
    top: int = 10,
) -> AuditResult:
    """The audit of all groups; `load` gives what was shipped to one, and forgets it afterwards."""
    refuse_what_needs_all(resolved.policy)
    start = time.monotonic()
    code, _, bounds = arranged
    asked, union, groups = asked_by_rank(code, resolved), Union(len(totals)), len(bounds) - 1
    everything = np.flatnonzero(asked.sensitive)
    for group in range(groups):
        watch.report(PHASE, group, groups)
        inner = Watch(deadline=watch.deadline)  # what goes on within a group is not told
        inner.stop = watch.stop
        try:
            part = inner.call(load, group)
        except OutOfTime:  # so it is for the groups that are left
            union.add(not_looked_at(everything))
            break
        roots = int(bounds[group]), int(bounds[group + 1])
        union.add(audit_group(part, roots, asked, jobs=jobs, watch=inner, top=top, before=union))
    watch.report(PHASE, groups, groups)
    result = _as_result(union, totals, resolved, code, top, start)
    return replace(result, remarks=(*result.remarks, IN_GROUPS.format(groups))) if groups > 1 else result


def _as_result(
    union: Union,
    totals: Baskets | Totals,
    resolved: ResolvedInference,
    code: npt.NDArray[np.int32],
    top: int,
    start: float,
) -> AuditResult:
    people, by_level = union.people
    complete = all(union.exact)
    common = nothing_found(totals, resolved)
    return replace(
        common,
        holds=complete and people == 0 and not union.undecided,
        people_at_risk=people,
        exposure_by_knowledge=by_level,
        findings=tuple(
            Finding(
                tuple(sorted(totals.names[code[rank]] for rank in lead.antecedent)),
                totals.names[code[lead.item]],
                lead.support,
                lead.with_item,
                lead.with_item,
            )
            for lead in union.telling(top)
        ),
        proved_items=union.proved_items,
        searched_items=union.searched_items,
        exact={"people_at_risk": complete, **dict(zip(SIZES, union.exact, strict=True))},
        unchecked=_left_open(union, resolved.knowledge),
        remarks=(*common.remarks, ABSENCE_UNKNOWN),
        seconds=time.monotonic() - start,
    )


def _left_open(union: Union, knowledge: int | None) -> tuple[str, ...]:
    """What a time limit left open, in sentences."""
    if all(union.exact):
        return ()
    left = [items_left_open(union.open_items, len(union.asked))] if union.open_items else []
    if union.unsafe:
        return (*left, "People at risk were not all counted.")
    first = union.exact.index(False) + 1
    return tuple(left) or (sizes_left_open(first, knowledge),)
