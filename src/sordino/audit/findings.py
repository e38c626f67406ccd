"""From thousands of disclosing antecedents to the few that a steward should see.

Few known items and many people come first; and each further finding is judged by the people that the ones above it do
not already cover, so that variations of one finding never fill the list.
"""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, Examination, Lead
from sordino.audit.result import Finding

__all__ = ["choose_findings"]


def choose_findings(exam: Examination, risk: npt.NDArray[np.uint8], leads: list[Lead], top: int) -> tuple[Finding, ...]:
    """At most `top` findings, the most telling first."""
    if top < 1:
        return ()
    chosen: list[Lead] = []
    covered: dict[int, npt.NDArray[np.bool_]] = {}
    heap = [
        (-lead.with_item / len(lead.antecedent) ** 2, len(lead.antecedent), lead.item, lead.antecedent, lead)
        for lead in set(leads)
    ]
    heapq.heapify(heap)
    while heap and len(chosen) < top:
        _, size, item, antecedent, lead = heapq.heappop(heap)
        people = _uncovered(exam, covered, lead)
        now = -people / size**2
        if people == 0:
            continue
        if heap and now > heap[0][0]:  # fewer people than thought: back into the queue
            heapq.heappush(heap, (now, size, item, antecedent, lead))
            continue
        chosen.append(lead)
        _cover(exam, covered, lead)
    chosen += _single_cases(exam, risk, covered, top - len(chosen))
    return tuple(_finding(exam, lead) for lead in chosen)


def _uncovered(exam: Examination, covered: dict[int, npt.NDArray[np.bool_]], lead: Lead) -> int:
    classes = exam.holding((*lead.antecedent, lead.item))
    if lead.item in covered:
        classes = classes[~covered[lead.item][classes]]
    return int(exam.index.weight[classes].sum())


def _cover(exam: Examination, covered: dict[int, npt.NDArray[np.bool_]], lead: Lead) -> None:
    mask = covered.setdefault(lead.item, np.zeros(exam.index.classes, dtype=np.bool_))
    mask[exam.holding((*lead.antecedent, lead.item))] = True


def _single_cases(
    exam: Examination, risk: npt.NDArray[np.uint8], covered: dict[int, npt.NDArray[np.bool_]], wanted: int
) -> list[Lead]:
    """Findings for what the leads do not cover: small groups, and antecedents of more than three items."""
    if wanted < 1:
        return []
    places = np.flatnonzero(risk)
    weight = exam.index.weight[exam.owner[places]]
    unsettled = risk[places] == EXPOSED  # by a time limit: of these, short records are explained soonest
    length = np.where(unsettled, exam.lengths[exam.owner[places]], 0)
    found: list[Lead] = []
    for place in places[np.lexsort((places, -weight, length, risk[places]))]:
        item = int(exam.index.items[place])
        if item in covered and covered[item][exam.owner[place]]:
            continue
        lead = exam.explain(int(place), 1 if risk[place] == EXPOSED else int(risk[place]))
        found.append(lead)
        _cover(exam, covered, lead)
        if len(found) == wanted:
            break
    return found


def _finding(exam: Examination, lead: Lead) -> Finding:
    name = exam.baskets.names
    code = exam.index.code
    return Finding(
        antecedent=tuple(sorted(name[code[r]] for r in lead.antecedent)),
        consequent=name[code[lead.item]],
        support=lead.support,
        with_consequent=lead.with_item,
        people=lead.with_item,
    )
