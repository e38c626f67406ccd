"""From a table and a diversity policy to a release: mine, audit, group, permute, audit again, say what it cost.

**Order.** Rows, groups and the values within a group are put into random order. Whoever knows the seed, or guesses one
that was stated, must gain nothing by it: so the rows of each group, its values and the groups are first put in an order
that follows from what is published anyway, and then permuted, by a generator that follows from the seed and from that.
Whose value is whose, and where a row was, leave no trace. Columns that are not published do not enter at all, not even
into the random choices of the method.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity import audit_groups, audit_pieces
from sordino.audit.diversity_result import DiversityResult
from sordino.data.counted import Counted
from sordino.data.dealt import Dealt
from sordino.data.nodes import Nodes
from sordino.data.table import INTEGER, Column, Table
from sordino.errors import InputError, InternalError, Unsatisfiable
from sordino.knowledge.assumed import Knowledge, assumed
from sordino.knowledge.classes import row_classes
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity
from sordino.protect.registry import Method
from sordino.release.diversity.parts import diversity_parts, streamed_parts
from sordino.release.diversity.result import DiversityRelease, StreamedGroups
from sordino.release.diversity.streamed import by_content, ordered
from sordino.release.making import Making
from sordino.release.numbering import rows_by_content, shuffler
from sordino.release.request import How, Run, start
from sordino.utility.diversity import measure_groups
from sordino.utility.reconstruction import expected_counts, group_shares

__all__ = ["FORMS", "by_quasi", "meaning_of", "people_exposed", "protect_groups"]

FORMS = ("permuted", "tables")
GROUP = "Group"
GROUPING = "the groups of the method"


def protect_groups(
    table: Table, policy: DiversityPolicy, method: Method, *, missing: str = "error", **how: Unpack[How]
) -> DiversityRelease:
    """A grouped version of the table in which the policy holds; Unsatisfiable if there is none."""
    run = start(method.name, "diversity", **how)
    form = run.options.get("form", FORMS[0])
    if form not in FORMS:
        raise InputError(f"there is no form '{form}'", hint=f"Forms: {', '.join(FORMS)}.")
    table = by_content(table, policy.sensitive) if isinstance(table, Counted) else table
    policy = policy.with_bins(table)
    release: DiversityRelease = _Making(table, policy, run, policy.resolve(table, missing=missing), form).make()
    return release


class _Making(Making):
    """A grouped table in the making; what is kept are the groups of its rows."""

    always = True

    def __init__(self, table: Table, policy: DiversityPolicy, run: Run, resolved: ResolvedDiversity, form: str) -> None:
        super().__init__(table, policy, run)
        self.resolved, self.form = resolved, form
        self.knowledge = assumed(resolved, jobs=run.jobs, watch=run.watch)
        self.seen = _to_publish(table, {*policy.quasi, policy.sensitive})

    def audit_before(self) -> DiversityResult:
        groups = by_quasi(self.resolved)
        return audit_groups(
            self.resolved,
            self.knowledge,
            groups,
            top=0,
            jobs=self.run.jobs,
            watch=self.run.watch,
            grouping="equal quasi-identifiers",
        )

    def changed(self) -> tuple[Any, DiversityResult]:
        run, method, policy = self.run, self.run.method, self.policy
        content = self.seen.fingerprint
        if self.resolved.weight is not None:
            content += hashlib.sha256(self.resolved.weight.astype("<i8").tobytes()).hexdigest()
        key = hashlib.sha256(f"sordino groups {run.seed} {content}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(key, "big"))
        options = {name: value for name, value in run.options.items() if name != "form"}
        form: Callable[..., Any] = method.load_groups()
        if self.resolved.weight is None:
            group = form(self.resolved, self.knowledge.exclusion, rng=rng, watch=run.watch, **options)
            after = audit_groups(
                self.resolved, self.knowledge, group, top=0, jobs=run.jobs, watch=run.watch, grouping=GROUPING
            )
        else:
            group, after = run.watch.aside(lambda: self._dealt(form, rng, options))
        if not after.holds:
            if method.name == "injector":
                raise InternalError("the audit of the groups finds that the policy does not hold")
            raise Unsatisfiable(
                f"'{method.name}' leaves {after.people_at_risk:,} of {after.records:,} people with fewer than "
                f"{policy.l} possible values for someone who knows the {after.rules:,} rules\n  The method injector "
                "takes the rules into account; or assume an adversary without rules: [knowledge] mined = false."
            )
        return group, after

    def _dealt(self, form: Any, rng: np.random.Generator, options: dict[str, Any]) -> tuple[Dealt, DiversityResult]:
        """The groups of rows that stand for many people, and their audit, a piece at a time."""
        resolved, run, exclusion = self.resolved, self.run, self.knowledge.exclusion
        dealt = Dealt.of(form(resolved, exclusion, rng=rng, watch=run.watch, **options), resolved.weight)
        pieces = ((group, resolved.value[rows], exclusion.kind_of[rows]) for group, rows in dealt.pieces())
        after = audit_pieces(resolved, self.knowledge, pieces, jobs=run.jobs, watch=run.watch, grouping=GROUPING)
        return dealt, after

    def _streamed(self, dealt: Dealt, before: DiversityResult, after: DiversityResult) -> StreamedGroups:
        """The release of a table whose people are not held one by one."""
        run, policy, resolved, table = self.run, self.policy, self.resolved, self.seen
        assert isinstance(table, Counted)
        first, kind, _ = row_classes(resolved.codes, [part.values for part in resolved.nodes])
        counts = expected_counts(dealt, kind, first, resolved.value, len(resolved.names))
        name = _free_name(table)
        return StreamedGroups(
            data=table,
            shown=ordered(table, policy.sensitive, name, dealt, run.seed, run.watch),
            utility=measure_groups(resolved, counts),
            audit_before=before,
            audit_after=after,
            row=np.empty(0, dtype=np.int64),
            true_value=(),
            parts=streamed_parts,
            **self._told(name),
        )

    def _told(self, name: str) -> dict[str, Any]:
        """What every release of this kind says; `name` is that of the column of its groups."""
        run = self.run
        return {
            "group": name,
            "form": self.form,
            "policy": self.policy,
            "rules": self.knowledge.rules.source,
            "meaning": meaning_of(self.resolved, self.knowledge),
            "method": run.method.name,
            "seed": run.seed,
            "source": self.data.origin.path if self.data.origin.path != "-" else None,
            "options": {**run.options, "form": self.form},
        }

    def release(self, kept: Any, before: DiversityResult, after: DiversityResult) -> DiversityRelease:
        run, policy, resolved = self.run, self.policy, self.resolved
        run.watch.report("measuring", 0, 0)
        if isinstance(kept, Dealt):
            return run.watch.aside(lambda: self._streamed(kept, before, after))
        utility = measure_groups(resolved, group_shares(kept, resolved.value, len(resolved.names)))
        data, name, row = _published(self.seen, policy, kept, run.seed)
        column = self.data.column(policy.sensitive)
        texts = (*column.texts, None)
        return DiversityRelease(
            data=data,
            utility=utility,
            audit_before=before,
            audit_after=after,
            row=row,
            true_value=tuple(texts[code] for code in column.codes[row].tolist()),
            parts=diversity_parts,
            **self._told(name),
        )


def people_exposed(release: DiversityRelease, table: Table, policy: DiversityPolicy, *, missing: str = "error") -> int:
    """How many people of the original table the groups leave with fewer than l possible values under this policy."""
    resolved = policy.resolve(table, missing=missing)
    group = np.empty(len(table), dtype=np.int64)
    group[release.row] = release.data.column(release.group).codes
    return audit_groups(resolved, assumed(resolved), group, top=0).people_at_risk


def by_quasi(resolved: ResolvedDiversity) -> npt.NDArray[np.int64]:
    """The groups of a table without groups: people with equal quasi-identifiers, whom nobody can tell apart."""
    return row_classes(resolved.codes, [part.values for part in resolved.nodes])[1]


def _to_publish(table: Table, wanted: set[str]) -> Table:
    """The table with these columns only, and a form that knows of no others."""
    schema = table.origin.schema
    if schema is not None:
        import pyarrow as pa

        schema = pa.schema([field for field in schema if field.name in wanted])
    columns = tuple(column for column in table.columns if column.name in wanted)
    if isinstance(table, Counted):
        return replace(table, columns=columns, origin=replace(table.origin, schema=schema))
    return Table(columns, replace(table.origin, schema=schema))


def _published(
    table: Table, policy: DiversityPolicy, group: npt.NDArray[np.int64], seed: int
) -> tuple[Table, str, npt.NDArray[np.int64]]:
    """The table to publish, the name of its group column, and where each of its rows was.

    `table` has the columns to publish, and no others.
    """
    name = _free_name(table)
    rank, row, held = _by_content(table, policy.sensitive, group)
    count = int(rank.max(initial=-1)) + 1
    plain = _grouped(table, policy.sensitive, name, rank[row], count, row, held)
    rng = shuffler(seed, plain.fingerprint)
    number = rng.permutation(count)[rank[row]]  # of each row in the order by content
    shown = np.lexsort((rng.random(len(row)), number))
    dealt = np.lexsort((rng.random(len(row)), number))  # within each group any order is as likely as any other
    row, held = row[shown], held[dealt]
    return _grouped(table, policy.sensitive, name, number[shown], count, row, held), name, row


def _free_name(table: Table) -> str:
    """A name for the column of the groups."""
    name = GROUP
    while name in table.names:
        name += "_"
    return name


def _by_content(
    table: Table, sensitive: str, group: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The place of every row's group in an order that follows from what groups show; and, group by group in that
    order, the rows by their quasi-identifiers, and the rows by their sensitive values."""
    quasi = replace(table, columns=tuple(column for column in table.columns if column.name != sensitive))
    value = replace(table, columns=(table.column(sensitive),))
    kind = [_dense(part) for part in (quasi, value)]
    shown = []
    for k in kind:
        order = np.lexsort((k, group))
        shown.append(np.split(k[order], np.flatnonzero(np.diff(group[order])) + 1) if len(order) else [])
    keys = [(a.tolist(), b.tolist()) for a, b in zip(*shown, strict=True)]
    place = np.empty(len(keys), dtype=np.int64)
    place[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    rank = place[np.unique(group, return_inverse=True)[1].reshape(-1)]
    row, held = (np.lexsort((k, rank)).astype(np.int64) for k in kind)
    return rank, row, held


def _dense(table: Table) -> npt.NDArray[np.int64]:
    """A number for every row: equal rows have the same, and numbers are in the order of the texts."""
    order = rows_by_content(table)
    new = np.zeros(len(order), dtype=np.int64)
    for column in table.columns:
        new[1:] |= np.diff(column.codes[order]) != 0
    dense = np.empty(len(order), dtype=np.int64)
    dense[order] = np.cumsum(new)
    return dense


def _grouped(
    table: Table,
    sensitive: str,
    name: str,
    number: npt.NDArray[np.int64],
    count: int,
    row: npt.NDArray[np.int64],
    held: npt.NDArray[np.int64],
) -> Table:
    """The table of these rows with these groups; the sensitive values are those of the rows `held`."""
    columns = [column.replaced(column.codes[held if column.name == sensitive else row]) for column in table.columns]
    columns.append(Column(name, number.astype(np.int32), np.arange(1, count + 1), INTEGER))
    return Table(tuple(columns), table.origin)


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
