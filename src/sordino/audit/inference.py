"""The audit of baskets: exact at any record length, against limited and unlimited knowledge (SPEC 1.1, 1.2).

1. Leaves: what does one infer who knows all the rest of a record? Most disclosures show here.
2. An item without such a disclosure is proved safe by alibis, or what they leave open is searched.
3. Only for the items that are not safe, people at risk are counted: by 1, 2, 3 known items, then more.

The verdict is settled by 1 and 2, which no time limit cuts short.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, MORE, Alibis, Examination
from sordino.audit.few_known import Exposure, count_exposure
from sordino.audit.findings import Searched, choose_findings
from sordino.audit.result import AuditResult, FrequentItem
from sordino.data.aligned import align
from sordino.data.baskets import Baskets
from sordino.engine.local import OutOfTime, Progress, Watch, thread_count
from sordino.policy.inference import InferencePolicy, ResolvedInference

__all__ = ["audit_baskets", "certify", "frequent_items", "search_unserved", "unserved_places"]

SHORT = 4  # items of records whose leaves are antecedents of at most 3

Risk = npt.NDArray[np.uint8]


def audit_baskets(
    baskets: Baskets,
    policy: InferencePolicy | ResolvedInference,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    original: Baskets | None = None,
    seed: int = 0,
    round_: int = 1,
) -> AuditResult:
    """What can be inferred from `baskets` against `policy`, about how many people, by whom.

    `original`: the records from which `baskets` were made. Where people chose for themselves, an adversary knows items
    of these; without it, `baskets` are taken to be the original. Under a sampled assurance, adversaries are drawn after
    `seed`, and judged as in round `round_` of looking at these people's data.
    """
    start = time.monotonic()
    if isinstance(policy, ResolvedInference):
        original = policy.original if original is None else original
    if original is not None:
        baskets = align(baskets, original)
    resolved = policy if isinstance(policy, ResolvedInference) else policy.resolve(baskets, missing=missing)
    watch = Watch(progress)
    if resolved.policy.assurance is not None:
        from sordino.audit.sampled import audit_sampled

        return audit_sampled(
            baskets, resolved, original or baskets, jobs=thread_count(jobs), watch=watch, seed=seed, round_=round_
        )
    if resolved.personal is not None:
        from sordino.audit.personal import audit_personal

        return audit_personal(
            baskets, resolved, original or baskets, top=top, time_limit=time_limit, jobs=thread_count(jobs),
            watch=watch,
        )  # fmt: skip
    if resolved.policy.absent is not None:
        from sordino.audit.absence import audit_absence

        return audit_absence(
            baskets, resolved, top=top, time_limit=time_limit, jobs=thread_count(jobs), watch=watch,
            frequent=frequent_items(baskets, resolved),
        )  # fmt: skip
    if resolved.knowledge is not None and resolved.knowledge <= 2:
        exposure = count_exposure(baskets, resolved, resolved.knowledge, jobs=thread_count(jobs))
        if exposure is not None:
            return _counted(baskets, resolved, exposure, top, start)
    exam = Examination(baskets, resolved, jobs=thread_count(jobs), watch=watch)
    most = exam.longest if resolved.knowledge is None else resolved.knowledge
    risk: Risk = np.zeros(len(exam.index.items), dtype=np.uint8)

    # An item that stands in no record beside another one needs nothing: an antecedent is not empty.
    lengths = exam.lengths[exam.owner]
    beside = exam.occurrences[lengths[exam.occurrences] > 1]
    ranks = exam.distinct(exam.index.items[beside])
    proved = searched = proved_items = 0
    leaf_disclosed = np.zeros(len(exam.index.items), dtype=np.bool_)
    exposed: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
    suspects = ranks
    if most > 3:
        # What leaves of records of at most SHORT items disclose, the search by 1, 2 and 3 known items finds anyway:
        # they are counted here only for items that no longer record gives away; for all, if time may not suffice.
        short = SHORT if time_limit is None else 1
        leaf_disclosed = exam.leaves(short + 1)
        suspects = exam.distinct(exam.index.items[leaf_disclosed])
        if short > 1 and len(suspects) < len(ranks):
            leaf_disclosed |= exam.leaves(2, short, np.setdiff1d(ranks, suspects))
            suspects = exam.distinct(exam.index.items[leaf_disclosed])
        alibis, exposed = certify(exam, np.setdiff1d(ranks, suspects), most)
        suspects = np.union1d(suspects, exam.index.items[exposed])
        for certificate in alibis.values():
            searched += len(certificate.unserved)
            proved_items += len(certificate.unserved) == 0
        proved = int(np.isin(exam.index.items[beside], list(alibis)).sum()) - searched

    pending = beside[np.isin(exam.index.items[beside], suspects)]
    searched += len(pending)
    leads = []
    exact = dict.fromkeys(("people_at_risk", "1", "2", "3", "more"), True)
    try:
        for size in range(1, min(3, most) + 1):
            if time_limit is not None and (most > 3 or risk.any()):  # the verdict is settled: from here on, only counts
                watch.deadline = start + time_limit
            exact[str(size)] = False
            longer = pending[lengths[pending] > size]
            leads += exam.search(risk, longer, size, size, size, leads=True, phase=f"{size} known")
            exact[str(size)] = True
            pending = pending[risk[pending] == 0]
        risk[leaf_disclosed & (risk == 0)] = MORE
        pending = pending[risk[pending] == 0]
        exact["more"] = False
        exam.search(risk, pending[lengths[pending] > 4], 4, most, MORE, phase="more known")
        exact["more"] = True
    except OutOfTime:
        # These are at risk, but by how few known items has not been settled: they count in the total only.
        risk[leaf_disclosed & (risk == 0)] = EXPOSED
        risk[exposed[risk[exposed] == 0]] = EXPOSED
        exact["people_at_risk"] = exact["more"] = False
        unfinished = [size for size in ("1", "2", "3") if not exact[size]]
        exact.update({size: False for size in ("1", "2", "3") if unfinished and size > unfinished[0]})
    if most <= 3:
        suspects = exam.distinct(exam.index.items[np.flatnonzero(risk)])
    findings = choose_findings(Searched(exam, risk, leads), top) if len(suspects) else ()
    total, by_size = _people(exam, risk)
    return AuditResult(
        holds=len(suspects) == 0,
        records=len(baskets),
        items=baskets.distinct_items,
        people_at_risk=total,
        exposure_by_knowledge=by_size,
        findings=findings,
        proved_items=proved_items,
        searched_items=len(ranks) - proved_items,
        seconds=time.monotonic() - start,
        knowledge=resolved.knowledge,
        sensitive_items=len(resolved.thresholds),
        proved_occurrences=proved,
        searched_occurrences=searched,
        frequent=frequent_items(baskets, resolved),
        remarks=resolved.remarks,
        exact=exact,
    )


def _counted(baskets: Baskets, resolved: ResolvedInference, exposure: Exposure, top: int, start: float) -> AuditResult:
    """The result where all that one or two items expose could be counted."""
    people = exposure.by_one + exposure.by_two
    return AuditResult(
        holds=bool(people == 0),
        records=len(baskets),
        items=baskets.distinct_items,
        people_at_risk=people,
        exposure_by_knowledge={"1": exposure.by_one, "2": exposure.by_two, "3": 0, "more": 0},
        findings=choose_findings(exposure, top) if people else (),
        proved_items=0,
        searched_items=exposure.items,
        seconds=time.monotonic() - start,
        knowledge=resolved.knowledge,
        sensitive_items=len(resolved.thresholds),
        searched_occurrences=exposure.rows.occurrences,
        frequent=frequent_items(baskets, resolved),
        remarks=resolved.remarks,
        exact=dict.fromkeys(("people_at_risk", "1", "2", "3", "more"), True),
    )


def certify(
    exam: Examination, ranks: npt.NDArray[np.int64], most: int
) -> tuple[dict[int, Alibis], npt.NDArray[np.int64]]:
    """Alibis for those of the given items that are safe, and exposed occurrences of all that are not.

    Needs `exam.leaves()` before.
    """
    alibis = exam.alibis(ranks)
    exposed = search_unserved(exam, unserved_places(exam, alibis), most)
    unsafe = set(exam.index.items[exposed].tolist())
    return {rank: a for rank, a in alibis.items() if rank not in unsafe}, exposed


def unserved_places(exam: Examination, alibis: Mapping[int, Alibis]) -> npt.NDArray[np.int64]:
    """The occurrences that the alibis leave open, ascending."""
    places = [exam.places(rank, a.unserved) for rank, a in alibis.items() if len(a.unserved)]
    return np.sort(np.concatenate(places)) if places else np.empty(0, dtype=np.int64)


def search_unserved(exam: Examination, places: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """What is exposed of that which alibis leave open: an antecedent that lies in no open record is served.

    Needs `exam.leaves()` before, at least for these places.
    """
    if not len(places):
        return places
    risk: Risk = np.zeros(len(exam.index.items), dtype=np.uint8)
    exam.search(risk, places, 1, most, EXPOSED, phase="what alibis leave open")
    return np.flatnonzero(risk)


def _people(exam: Examination, risk: Risk) -> tuple[int, dict[str, int]]:
    """People at risk, in total and, as far as it was settled, by the fewest items that someone must know."""
    lowest = np.full(exam.index.classes, EXPOSED + 1, dtype=np.int64)
    places = np.flatnonzero(risk)
    np.minimum.at(lowest, exam.owner[places], risk[places].astype(np.int64))
    people = np.bincount(lowest, weights=exam.index.weight, minlength=EXPOSED + 2).astype(np.int64)
    return int(people[1 : EXPOSED + 1].sum()), {
        "1": int(people[1]),
        "2": int(people[2]),
        "3": int(people[3]),
        "more": int(people[MORE]),
    }


def frequent_items(baskets: Baskets, resolved: ResolvedInference) -> tuple[FrequentItem, ...]:
    """Sensitive items that can be guessed of anybody above their threshold, most frequent first."""
    over = resolved.sensitive & (baskets.supports * resolved.den > resolved.num * len(baskets))
    codes = np.flatnonzero(over)
    codes = codes[np.argsort(-baskets.supports[codes], kind="stable")]
    return tuple(
        FrequentItem(baskets.names[c], int(baskets.supports[c]), resolved.thresholds[baskets.names[c]]) for c in codes
    )
