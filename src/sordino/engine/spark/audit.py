"""The audit of baskets in a cluster: exactly the audit of one machine, a group of the rarest known item at a time.

Guarantee: the verdict, the number of people at risk and how few items suffice for each are those of the local audit
(audit/by_rarest.py says why). Thresholds are resolved once, on the supports of all records.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sordino.audit.by_rarest import EXPOSED, audit_group, telling
from sordino.audit.examination import Lead
from sordino.audit.inference import nothing_found
from sordino.audit.inquiry import SIZES
from sordino.audit.result import ABSENCE_UNKNOWN, AuditResult, Finding
from sordino.data.read import check_alike
from sordino.data.sources.coded import look_alike
from sordino.data.totals import Totals
from sordino.engine.local import Watch
from sordino.engine.spark.frames import Coded, Input, classes_of, coded_by, totals_of
from sordino.engine.spark.ids import check_ids
from sordino.engine.spark.node import first_alone
from sordino.engine.spark.routing import LABEL, sent
from sordino.engine.spark.shipping import Division, division_of, shipped, shipped_part
from sordino.errors import InputError, PolicyError
from sordino.policy.inference import InferencePolicy, ResolvedInference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["at_risk", "audit_coded", "audit_input", "check_policy"]

NO_CHOICES = (
    "choices of single persons cannot be followed on a cluster: what is known of a person is then compared with "
    "everybody's choices at once, which no division into groups keeps exact"
)
FOR_ALL = (
    "People chose for themselves. What anybody chose was looked at as if all had chosen it, which demands more: as it "
    "holds, so does what each of them chose."
)
NOT_FOR_ALL = (
    "People chose for themselves. If all had chosen what anybody chose, it would not hold; whether it holds as they "
    "did is not found out on a cluster: sordino.audit does so, on one machine."
)
FOUND = "rid long, weight long, level int, note string"


def check_policy(policy: object, *, personal: bool = False) -> InferencePolicy:
    """The policy, if it is one that a cluster can see to; an error that says why not, otherwise.

    personal: it may hold choices of single persons.
    """
    if not isinstance(policy, InferencePolicy):
        raise InputError("this needs a policy of kind inference, for records of items")
    if policy.personal and not personal:
        raise InputError(
            NO_CHOICES,
            hint="Protect such data on one machine (sordino.protect); or protect for everybody what anybody chose, "
            "which loses more: policy.for_everybody().",
        )
    if policy.assurance is not None:
        raise InputError("a sampled assurance is not for clusters: there, everything is looked at")
    if not policy.sensitive and not policy.personal:
        raise PolicyError(["it names nothing as sensitive, so there is nothing to look for"])
    return policy


def audit_input(
    read: Input, policy: InferencePolicy, *, groups: int | None, top: int, missing: str = "error"
) -> AuditResult:
    """What can be inferred from the records against the policy."""
    start = time.monotonic()
    check_ids(read)
    totals = totals_of(read)
    check_alike(look_alike(totals.names), "item", None)
    # What somebody chose and nobody has is no mistake, and not to be told.
    wide = policy.for_everybody().only({*totals.names, *policy.sensitive}) if policy.personal else policy
    resolved = wide.resolve(totals, missing=missing)
    coded = classes_of(coded_by(read.frame.select("items"), totals.names), totals)
    found = audit_coded(coded, resolved, groups=groups, top=0 if policy.personal else top, start=start)
    return _about_choices(found) if policy.personal else found


def _about_choices(found: AuditResult) -> AuditResult:
    """What an audit for everybody says about what each of them chose: that it holds, or nothing."""
    if found.holds:
        return replace(found, remarks=(*found.remarks, FOR_ALL))
    nothing = dict.fromkeys(found.exposure_by_knowledge, 0)
    return replace(
        found, people_at_risk=0, exposure_by_knowledge=nothing, findings=(), unchecked=(NOT_FOR_ALL,),
        exact=dict.fromkeys(("people_at_risk", *nothing), False),
    )  # fmt: skip


def audit_coded(
    coded: Coded, resolved: ResolvedInference, *, groups: int | None, top: int, start: float | None = None
) -> AuditResult:
    """The same of classes of equal records."""
    start = time.monotonic() if start is None else start
    totals = coded.totals
    if resolved.policy.absent is not None:
        from sordino.engine.spark.absence import audit_absent

        return audit_absent(coded, resolved, start)
    division = division_of(coded, resolved, groups)
    found = group_results(coded, division, top=top).persist()
    try:
        people = _people(found)
        notes = [json.loads(row["note"]) for row in found.where("note is not null").collect()]
    finally:
        found.unpersist()
    asked, unsafe = _united(notes, "asked"), _united(notes, "unsafe")
    not_proved = {rank for note in notes for rank in set(note["asked"]) - set(note["proved"])}
    proved = len(asked - not_proved)
    common = nothing_found(totals, resolved)
    return replace(
        common,
        holds=not unsafe and not sum(people.values()),
        people_at_risk=sum(people.values()),
        exposure_by_knowledge=people,
        findings=_findings(notes, totals, division, top),
        proved_items=proved,
        searched_items=len(asked) - proved,
        remarks=(*common.remarks, ABSENCE_UNKNOWN),
        seconds=time.monotonic() - start,
    )


def group_results(coded: Coded, division: Division, *, top: int = 0, counting: bool = True) -> DataFrame:
    """What all groups find: rows of FOUND, one for each class at risk in a group, and one with a note of each group."""

    def work(table: Any) -> Any:
        import pyarrow as pa

        label = table.column(LABEL)[0].as_py()
        part, weight = shipped_part(table)
        roots = division.roots(label)
        with first_alone("audit"):
            found = audit_group(part, roots, division.asked, jobs=1, watch=Watch(), top=top, counting=counting)
        rid, first = np.unique(found.record, return_index=True)
        note = {"asked": found.asked.tolist(), "unsafe": found.unsafe.tolist(), "proved": found.proved.tolist()}
        note["leads"] = [[list(x.antecedent), x.item, x.support, x.with_item, x.newly] for x in found.leads]
        of_rid = weight[np.searchsorted(part.record, rid)]
        return pa.table(
            {
                "rid": pa.array([*rid.tolist(), None], pa.int64()),
                "weight": pa.array([*of_rid.tolist(), None], pa.int64()),
                "level": pa.array([*found.level[first].tolist(), None], pa.int32()),
                "note": pa.array([*([None] * len(rid)), json.dumps(note)], pa.string()),
            }
        )

    return sent(shipped(coded, division), division.groups).applyInArrow(work, FOUND)


def at_risk(found: DataFrame) -> DataFrame:
    """Rows of `rid`, `weight` and `level`: every class at risk, with the fewest items that someone must know."""
    from pyspark.sql import functions as F  # noqa: N812

    some = found.where("rid is not null").groupBy("rid")
    return some.agg(F.max("weight").alias("weight"), F.min("level").alias("level"))


def _people(found: DataFrame) -> dict[str, int]:
    from pyspark.sql import functions as F  # noqa: N812

    counted = at_risk(found).groupBy("level").agg(F.sum("weight").alias("people")).collect()
    by_level = {int(row["level"]): int(row["people"]) for row in counted}
    assert not by_level.get(EXPOSED)  # there is no time limit
    return {size: by_level.get(level, 0) for level, size in enumerate(SIZES, start=1)}


def _united(notes: Sequence[dict[str, Any]], entry: str) -> set[int]:
    return {rank for note in notes for rank in note[entry]}


def _findings(notes: Sequence[dict[str, Any]], totals: Totals, division: Division, top: int) -> tuple[Finding, ...]:
    leads = [Lead(tuple(known), *more) for note in notes for known, *more in note["leads"]]

    def name(rank: int) -> str:
        return str(totals.names[division.code[rank]])

    return tuple(
        Finding(
            tuple(sorted(map(name, lead.antecedent))), name(lead.item), lead.support, lead.with_item, lead.with_item
        )
        for lead in telling(leads, top)
    )
