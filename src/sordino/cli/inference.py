"""The commands for inference policies: which options each uses, and what their pages add."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sordino.cli.asked import Asked
from sordino.cli.ways import AUDITED, BASKETS, COLUMNS, COMPARED, DATABASE, MEASURED, POLICY, PROTECTED, REPORTED, Way
from sordino.cli.ways import way as a_way
from sordino.errors import InputError
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult
    from sordino.kinds import Source
    from sordino.policy.inference import InferencePolicy
    from sordino.verify.verdict import Verdict
    from sordino.words.blocks import Block, Page

__all__ = ["audit_page", "proof_page", "way"]

NOT_ORIGINAL = "people did not choose for themselves under this policy, so what is published decides alone"
OWN_FORM = "a release folder knows its own form"

AUDIT = a_way(
    "baskets", *POLICY, *BASKETS, *DATABASE, *AUDITED, "choices", "time_limit", "proof", "with_", "in_parts",
    original=NOT_ORIGINAL,
)  # fmt: skip
AUDIT_PERSONAL = AUDIT.without(
    about="baskets of people who chose for themselves",
    proof="there are no proofs for personal choices or sampled assurance",
    in_parts="an audit in parts is not for personal choices or sampled assurance yet",
    with_="several releases cannot be judged together under personal choices or sampled assurance yet",
).plus("original")
AUDIT_ABSENT = AUDIT.without(
    about="baskets under knowledge of absence",
    choices="choices of single persons do not work together with knowledge of absence yet",
    proof="there are no proofs for knowledge of absence: whoever has a safe file can count",
    in_parts="an audit in parts is not for knowledge of absence yet",
    with_="several releases cannot be judged together under knowledge of absence yet",
)
AUDIT_SAMPLED = AUDIT_PERSONAL.without(about="baskets under a sampled assurance", top="a sample has no findings")
AUDIT_FOLDER = a_way("a release folder of baskets", *POLICY, *AUDITED, "time_limit", "choices", "with_",
    proof=OWN_FORM, original=NOT_ORIGINAL, **dict.fromkeys(COLUMNS, OWN_FORM))  # fmt: skip
AUDIT_PERSONAL_FOLDER = AUDIT_FOLDER.without(with_=AUDIT_PERSONAL.why_not["with_"]).plus("original")
AUDIT_ORIGINAL_FOLDER = AUDIT_PERSONAL_FOLDER.plus(*BASKETS)  # they say how the original lies in its file
AUDIT_SAMPLED_FOLDER = AUDIT_ORIGINAL_FOLDER.without("top")
AUDIT_GENERALIZED = AUDIT_FOLDER.without(
    "choices",
    about="a release folder of generalized baskets",
    with_="a release in groups cannot be laid beside another one yet",
)
AUDIT_PERMUTED = AUDIT_GENERALIZED.without(
    about="a release folder of permuted baskets",
    knowledge="permuted data are judged against whoever knows any number of items, but non-sensitive ones only",
)
AUDIT_JOINT = a_way(
    "several releases together", *POLICY, *AUDITED, "with_", "time_limit",
    original="rows are matched as they are published",
    choices="choices of single persons do not go together with --with yet",
    **dict.fromkeys(COLUMNS, OWN_FORM),
)  # fmt: skip
AUDIT_JOINT_FILE = AUDIT_JOINT.plus(*BASKETS, *DATABASE)

PROTECT = a_way(
    "baskets", *POLICY, *BASKETS, *DATABASE, *PROTECTED, "choices", "previous", "bound", leavers="state --previous, too"
)
PROTECT_SEQUEL = PROTECT.without(
    about="baskets that continue earlier releases",
    choices="choices of single persons cannot be continued yet",
).plus("leavers")

VERIFY = a_way(
    "a release folder",
    *POLICY,
    *COLUMNS,  # as they are published, if that has to be confirmed
    "json_",
    "key",
    "database",
    "table",
    "proof",  # then it is taken for a file
    "with_",
    allow_missing="what has vanished from a release is nothing to complain of",
    choices="this release promises nothing about what single persons chose; sordino audit DIR --choices FILE looks",
    original="this release is checked by what is published alone",
)
VERIFY_CHAIN = VERIFY.without(*COLUMNS, "key", "database", "table", "proof", about="releases that continue each other")
VERIFY_PROMISED = VERIFY.without(with_="such a release cannot continue an earlier one").plus(
    "choices", "original", "null"
)

MEASURE = a_way(
    "baskets", *POLICY, *BASKETS, *DATABASE, *MEASURED, "top", "no_rules", "no_bound", "bound", "unpaired",
    "allow_missing",
)  # fmt: skip
MEASURE_NO_POLICY = MEASURE.without(
    about="baskets without a policy",
    allow_missing="no policy names anything",
    no_bound="without a policy none is computed",
    bound="without a policy none is computed",
)
MEASURE_GROUPED = MEASURE.without(
    about="a release of baskets in groups",
    no_bound="the least possible loss is known for deletions only",
    bound="the least possible loss is known for deletions only",
    top="no items are listed",
    knowledge="of the policy only the sensitive items matter",
    adaptive="of the policy only the sensitive items matter",
)

COMPARE = a_way("baskets", *POLICY, *BASKETS, *DATABASE, *COMPARED, "bound")
REPORT = a_way("baskets", *POLICY, *BASKETS, *DATABASE, *REPORTED, "time_limit")
REPORT_SAMPLED = REPORT.without(
    about="baskets under a sampled assurance",
    time_limit="a sample is always drawn whole",
    top="a sample has no findings",
)
IN_GROUPS = ("generalized", "generalized_absence", "permuted")  # shapes


def way(verb: str, asked: Asked, policy: InferencePolicy | None) -> Way:
    """The way of a command through baskets under this policy, or through a release of them, by its shape."""
    if verb == "audit":
        return _audit_way(asked, policy) if asked.folder is None else _audit_folder_way(asked, policy)
    if verb == "verify":
        if asked.manifest().shape == "promised":
            return VERIFY_PROMISED
        return VERIFY_CHAIN if asked.previous else VERIFY
    if verb == "measure":
        if asked.folder is None:
            return MEASURE_NO_POLICY if policy is None else MEASURE
        with contextlib.suppress(InputError):  # whoever reads the folder will say what is wrong with it
            if asked.manifest().shape in IN_GROUPS:
                return MEASURE_GROUPED
        return MEASURE
    if verb == "protect":
        return PROTECT_SEQUEL if asked.previous else PROTECT
    sampled = policy is not None and policy.assurance is not None
    return COMPARE if verb == "compare" else REPORT_SAMPLED if sampled else REPORT


def _audit_way(asked: Asked, policy: InferencePolicy | None) -> Way:
    assert policy is not None
    if policy.assurance is not None:
        return AUDIT_SAMPLED
    if policy.absent is not None:
        return AUDIT_ABSENT
    if policy.personal or (asked.choices is not None and not asked.previous):
        return AUDIT_PERSONAL
    return AUDIT_JOINT_FILE if asked.previous else AUDIT


def _audit_folder_way(asked: Asked, policy: InferencePolicy | None) -> Way:
    from sordino.verify.keep import house_policy
    from sordino.verify.linked import SHAPES

    manifest = asked.manifest()
    if manifest.shape in SHAPES and asked.previous:
        return AUDIT_JOINT
    if manifest.shape in IN_GROUPS:
        return AUDIT_PERMUTED if manifest.shape == "permuted" else AUDIT_GENERALIZED
    judged = policy or house_policy(asked.data, manifest)
    if getattr(judged, "assurance", None) is not None:
        return AUDIT_SAMPLED_FOLDER if asked.original else AUDIT_SAMPLED_FOLDER.without(*BASKETS)
    if not getattr(judged, "personal", False) and asked.choices is None:
        return AUDIT_FOLDER.without(with_=AUDIT_PERSONAL.why_not["with_"]) if asked.previous else AUDIT_FOLDER
    return AUDIT_ORIGINAL_FOLDER if asked.original else AUDIT_PERSONAL_FOLDER


def audit_page(
    result: AuditResult, source: Source, asked: Asked, policy: InferencePolicy | None, *, top: int, proof: Path | None
) -> Page:
    """Verdict, people at risk, findings, how we know, remarks, what next."""
    from sordino.cli.told import audit_page
    from sordino.kinds.inference import in_terms
    from sordino.words.inference import counted_once
    from sordino.words.text import count

    if asked.previous:
        name = f"{asked.data} and {count(len(asked.previous), 'earlier release')}"
        return audit_page(result, name, asked.again(top), policy, steps=())
    if source.folder is None:
        assert policy is not None
        baskets, resolved = in_terms(source, policy, asked.missing)
        notes = tuple(counted_once(baskets.repeated))
        return audit_page(result, asked.data, asked.again(top, proof, notes), resolved.policy)
    by = "the policy of the release" if policy is None else "the policy stated"
    steps = []
    if result.answer is Answer.NOT_CHECKED and result.personal and asked.original is None:
        more = () if asked.choices or asked.policy else ("--choices", "CHOICES")
        steps.append(("Audit with what is missing:", asked.command("audit", *more, "--original", "DATA")))
    return audit_page(result, asked.data, asked.again(top, notes=(f"Judged against {by}.",)), policy, steps=steps)


def proof_page(verdict: Verdict, source: Source, policy: InferencePolicy) -> Sequence[Block]:
    """What a proof shows that is valid, and how."""
    from sordino.cli import page
    from sordino.words.claims import known_part

    lines = (
        f"{page.count(len(source.data), 'record')}, {page.count(verdict.items, 'sensitive item')}, "
        f"against someone who knows {known_part({'knowledge': policy.knowledge})} of a record.",
        f"Entries (equal records taken once): {verdict.served:,} shown by alibis, {verdict.searched:,} by "
        f"our own search. It took {verdict.seconds:.1f} s.",
    )
    head = "The proof is valid: no sensitive item can be inferred above its threshold."
    return [page.Verdict(head, good=True), page.Points(lines)]
