"""From a table and a diversity policy to a release: mine, audit, group, permute, audit again, say what it cost.

**Order.** Rows, groups and the values within a group are put into random order. The generator follows from the seed
*and* from the original table, sensitive values included: whoever knows the seed, which is 0 unless stated, cannot undo
it without already knowing what is to be hidden.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity import audit_groups
from sordino.data.nodes import Nodes
from sordino.data.table import INTEGER, Column, Table
from sordino.engine.local import Progress, Watch, default_jobs
from sordino.errors import InputError, InternalError, Unsatisfiable
from sordino.knowledge.assumed import Knowledge, assumed
from sordino.knowledge.classes import row_classes
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity
from sordino.protect.registry import Method
from sordino.release.diversity_result import DiversityRelease
from sordino.utility.diversity import measure_groups
from sordino.utility.reconstruction import group_shares

__all__ = ["FORMS", "by_quasi", "meaning_of", "protect_groups"]

FORMS = ("permuted", "tables")
GROUP = "Group"


def protect_groups(
    table: Table,
    policy: DiversityPolicy,
    method: Method,
    *,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
) -> DiversityRelease:
    """A grouped version of the table in which the policy holds; Unsatisfiable if there is none."""
    options = dict(options or {})
    form = options.pop("form", FORMS[0])
    if form not in FORMS:
        raise InputError(f"there is no form '{form}'", hint=f"Forms: {', '.join(FORMS)}.")
    watch = Watch(progress)
    jobs = jobs or default_jobs()
    resolved = policy.resolve(table, missing=missing)
    knowledge = assumed(resolved, jobs=jobs, watch=watch)
    before = audit_groups(resolved, knowledge, by_quasi(resolved), top=0, jobs=jobs, grouping="equal quasi-identifiers")
    key = hashlib.sha256(f"sordino groups {seed} {table.fingerprint}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(key, "big"))
    group = method.load_groups()(resolved, knowledge.exclusion, rng=rng, watch=watch, **options)
    after = audit_groups(resolved, knowledge, group, top=0, jobs=jobs, watch=watch, grouping="the groups of the method")
    if not after.holds:
        if method.name == "injector":
            raise InternalError("the audit of the groups finds that the policy does not hold")
        raise Unsatisfiable(
            f"'{method.name}' leaves {after.people_at_risk:,} of {after.records:,} people with fewer than {policy.l} "
            "possible "
            f"values for someone who knows the {after.rules:,} rules\n  The method injector takes the rules into "
            "account; "
            "or "
            "assume an adversary without rules: [knowledge] mined = false."
        )
    watch.tell("measuring", 0, 0)
    utility = measure_groups(resolved, group_shares(group, resolved.value, len(resolved.names)))
    data, name, row = _published(table, policy, group, rng)
    texts = (*table.column(policy.sensitive).texts, None)
    return DiversityRelease(
        data=data,
        group=name,
        form=form,
        policy=policy,
        rules=knowledge.rules.source,
        meaning=meaning_of(resolved, knowledge),
        utility=utility,
        audit_before=before,
        audit_after=after,
        method=method.name,
        seed=seed,
        row=row,
        true_value=tuple(texts[code] for code in table.column(policy.sensitive).codes[row].tolist()),
        source=table.origin.path if table.origin.path != "-" else None,
        options={**options, "form": form},
    )


def by_quasi(resolved: ResolvedDiversity) -> npt.NDArray[np.int64]:
    """The groups of a table without groups: people with equal quasi-identifiers, whom nobody can tell apart."""
    return row_classes(resolved.codes, [part.values for part in resolved.nodes])[1]


def _published(
    table: Table, policy: DiversityPolicy, group: npt.NDArray[np.int64], rng: np.random.Generator
) -> tuple[Table, str, npt.NDArray[np.int64]]:
    """The table to publish, the name of its group column, and where each of its rows was."""
    count = int(group.max(initial=-1)) + 1
    number = rng.permutation(count)[group]
    row = np.lexsort((rng.random(len(group)), number)).astype(np.int64)
    number = number[row]
    exchanged = row[
        np.lexsort((rng.random(len(group)), number))
    ]  # within each group any order is as likely as any other
    name = GROUP
    while name in table.names:
        name += "_"
    wanted = {*policy.quasi, policy.sensitive}
    columns = [
        column.replaced(column.codes[exchanged if column.name == policy.sensitive else row])
        for column in table.columns
        if column.name in wanted
    ]
    columns.append(Column(name, number.astype(np.int32), np.arange(1, count + 1), INTEGER))
    return Table(tuple(columns), table.origin), name, row


def meaning_of(resolved: ResolvedDiversity, knowledge: Knowledge) -> dict[str, dict[str, tuple[str, ...]]]:
    """For every group of values that a rule names: the values of the table that lie in it."""
    named = {pair for rule in knowledge.rules.source for pair in rule.conditions}
    trees = resolved.policy.hierarchies
    return {
        part.attribute: groups
        for part in resolved.nodes
        if (groups := _groups(part, [label for a, label in sorted(named) if a == part.attribute], trees))
    }


def _groups(part: Nodes, labels: Sequence[str], trees: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for label in labels:
        node = part.find(label, trees.get(part.attribute))
        if node == "everybody":
            found[label] = part.texts
        elif isinstance(node, int) and [part.texts[code] for code in part.inside[node]] != [label]:
            found[label] = tuple(part.texts[code] for code in part.inside[node].tolist())
    return found
