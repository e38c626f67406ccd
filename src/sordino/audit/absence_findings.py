"""The few findings about absence that a steward should see: what must be known present, and what absent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sordino.audit.examination import Examination
from sordino.audit.few_absences import MORE, FewAbsences, Known
from sordino.audit.findings import priority
from sordino.audit.result import Finding

__all__ = ["absence_findings"]

LOOKED_AT = 400  # occurrences of each number of absences that are turned into candidates


def absence_findings(few: FewAbsences, top: int) -> tuple[Finding, ...]:
    """At most `top`: those that need no absence first, but no more than half if others need some."""
    if top < 1:
        return ()
    plain = few.present.findings(top)
    chosen: list[Finding] = []
    covered: set[tuple[int, int]] = set()
    for finding, people in sorted(_candidates(few), key=lambda pair: _rank(pair[0])):
        new = people - covered
        if new:
            chosen.append(finding)
            covered |= new
        if len(chosen) == top:
            break
    room = max(top - len(chosen), (top + 1) // 2)
    return (*plain[:room], *chosen[: top - len(plain[:room])])


def _rank(finding: Finding) -> tuple[float, tuple[str, ...], tuple[str, ...], str]:
    size = len(finding.antecedent) + len(finding.absent)
    return priority(finding.people, size), finding.antecedent, finding.absent, finding.consequent


def _candidates(few: FewAbsences) -> Iterator[tuple[Finding, set[tuple[int, int]]]]:
    """Findings, each with the classes (and the item) that it is about."""
    exam = few.exam
    seen: set[tuple[Known, int]] = set()
    for level in (1, 2, MORE):
        places = few.beside[few.fewest[few.beside] == level]
        weight = exam.index.weight[exam.owner[places]]
        length = exam.lengths[exam.owner[places]]
        for place in places[np.lexsort((places, length, -weight))][:LOOKED_AT].tolist():
            item = int(exam.index.items[place])
            known = few.known.get(place) or _all_else(exam, place)
            if (known, item) in seen:
                continue
            seen.add((known, item))
            present, absent = known
            holders = exam.holding(present)
            for gone in absent:
                holders = np.setdiff1d(holders, exam.holding((*present, gone)))
            with_item = np.intersect1d(holders, exam.holding((*present, item)))
            people = int(exam.index.weight[with_item].sum())
            finding = Finding(
                antecedent=tuple(sorted(_name(exam, rank) for rank in present)),
                consequent=_name(exam, item),
                support=int(exam.index.weight[holders].sum()),
                with_consequent=people,
                people=people,
                absent=tuple(sorted(_name(exam, rank) for rank in absent)),
            )
            yield finding, {(int(c), item) for c in with_item.tolist()}


def _all_else(exam: Examination, place: int) -> Known:
    """All that a person has beside the item; and absences, each the one that rules out most of those who remain, until
    the item is too frequent. For one with too few twins there are always such."""
    index = exam.index
    c, item = int(exam.owner[place]), int(index.items[place])
    own = set(index.items[index.ptr[c] : index.ptr[c + 1]].tolist())
    present = tuple(sorted(own - {item}))
    num, den = int(exam.num[item]), int(exam.den[item])
    rest = {int(d): set(index.items[index.ptr[d] : index.ptr[d + 1]].tolist()) for d in exam.holding(present)}
    absent: list[int] = []
    while True:
        value: dict[int, int] = {}
        total = 0
        for d, record in rest.items():
            gain = int(index.weight[d]) * (den - num if item in record else -num)
            total += gain
            for x in record - own:
                value[x] = value.get(x, 0) - gain
        if total > 0 or not value:
            return present, tuple(sorted(absent))
        best = max(value, key=lambda x: (value[x], -x))
        absent.append(best)
        rest = {d: record for d, record in rest.items() if best not in record}


def _name(exam: Examination, rank: int) -> str:
    return exam.baskets.names[int(exam.index.code[rank])]
