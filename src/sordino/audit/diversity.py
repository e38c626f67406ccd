"""Matching l-diversity of grouped tables: how many values stay possible for whom (LI, section V; model.md 2.2).

Exact, by one assignment and the strongly connected components of each group (kernels/matching.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sordino.audit.diversity_result import DiversityResult, Narrowing
from sordino.data.table import weighted
from sordino.engine.local import Watch, raise_if_stopped, run_chunks, thread_count
from sordino.knowledge.assumed import Knowledge
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.diversity import ResolvedDiversity
from sordino.policy.rules import CodedRules, NegativeRule

__all__ = ["audit_groups", "audit_pieces", "possible_in_groups"]

Int64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]

PEOPLE = 20_000  # in a chunk of groups, about


def possible_in_groups(
    value: npt.NDArray[np.integer],
    kind: npt.NDArray[np.integer],
    sets: U64,
    group: npt.NDArray[np.integer],
    *,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> tuple[Int64, U64]:
    """For every row how many values it may have (-1: no assignment fits its group), and which ones, as bits.

    The value of a row only says that it occurs in the row's group.
    """
    from sordino.audit.kernels.matching import possible_values

    order = np.argsort(group, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64)
    start = np.unique(start)  # numbers that no row has are no groups
    kinds, values = kind[order].astype(np.int64), value[order].astype(np.int64)
    size = np.diff(start)
    possible = np.zeros(len(order), dtype=np.int64)
    bits = np.zeros((len(order), sets.shape[1]), dtype=np.uint64)
    marks = np.searchsorted(start, np.arange(0, len(order), PEOPLE))
    bounds = np.unique(np.concatenate([marks, [0, len(size)]]))
    most = [len(sets), int(values.max(initial=0)) + 1]
    watch = watch or Watch()
    stop = watch.stop

    def work(_: int, chunk: tuple[int, int]) -> None:
        lo, hi = chunk
        largest = int(size[lo:hi].max())
        possible_values(
            start, kinds, values, sets, min(largest, most[0]), min(largest, most[1]), lo, hi, possible, bits, stop
        )

    chunks = [(int(lo), int(hi)) for lo, hi in pairwise(bounds)]
    report = partial(watch.report, "matching groups", of=len(chunks))
    run_chunks(work, chunks, thread_count(jobs), after=report, watch=watch)
    by_row = np.empty_like(possible)
    by_row[order] = possible
    bits_by_row = np.empty_like(bits)
    bits_by_row[order] = bits
    return by_row, bits_by_row


def audit_groups(
    resolved: ResolvedDiversity,
    knowledge: Knowledge,
    group: npt.NDArray[np.integer],
    labels: Sequence[str] | None = None,
    *,
    top: int = 10,
    jobs: int | None = None,
    watch: Watch | None = None,
    grouping: str = "",
) -> DiversityResult:
    """Whether the policy holds for a grouped table whose rows know only that their group holds their value.

    group[row] counts from 0; labels[group] is how it is called, if groups have names.
    """
    watch, threads = watch or Watch(), thread_count(jobs)
    return watch.aside(lambda: _audit(resolved, knowledge, group, labels, top, threads, watch, grouping))


def _audit(
    resolved: ResolvedDiversity,
    knowledge: Knowledge,
    group: npt.NDArray[np.integer],
    labels: Sequence[str] | None,
    top: int,
    jobs: int,
    watch: Watch,
    grouping: str,
) -> DiversityResult:
    started = time.perf_counter()
    size = resolved.policy.l
    value, kind, sets = resolved.value, knowledge.exclusion.kind_of, knowledge.exclusion.sets
    possible, bits = possible_in_groups(value, kind, sets, group, jobs=jobs, watch=watch)
    distinct, share = _plain(value, group, len(resolved.names), resolved.weight)
    simple = _simple(value, group, kind, sets)
    at_risk = possible < size
    counts = weighted(np.maximum(possible, 0), resolved.weight, 1 + int(possible.max(initial=0)))
    contradicted = resolved.count(possible < 0)
    findings = _findings(resolved, knowledge, group, labels, possible, bits, at_risk, top) if top > 0 else ()
    return DiversityResult(
        holds=not bool(at_risk.any()),
        l=size,
        records=resolved.people,
        groups=len(np.unique(group)),
        people_at_risk=resolved.count(at_risk),
        plain_l=int(distinct.min(initial=len(resolved.names))),
        matching_l=max(0, int(possible.min(initial=len(resolved.names)))),
        plain_at_risk=resolved.count(distinct < size),
        simple_l=int(simple.min(initial=len(resolved.names))),
        simple_at_risk=resolved.count(simple < size),
        contradicted=contradicted,
        worst_share=share,
        possible={int(c): int(counts[c]) for c in np.flatnonzero(counts)},
        rules=len(knowledge.rules),
        mined=knowledge.mined,
        findings=findings,
        grouping=grouping,
        remarks=_remarks(resolved, contradicted),
        seconds=time.perf_counter() - started,
    )


def _remarks(resolved: ResolvedDiversity, contradicted: int) -> tuple[str, ...]:
    if not contradicted:
        return resolved.remarks
    return (
        *resolved.remarks,
        f"The groups of {contradicted:,} people contradict the rules: no assignment fits. Somebody who believes all "
        "the rules is wrong there.",
    )


def audit_pieces(
    resolved: ResolvedDiversity,
    knowledge: Knowledge,
    pieces: Iterable[tuple[npt.NDArray[np.integer], npt.NDArray[np.integer], npt.NDArray[np.integer]]],
    *,
    jobs: int | None = None,
    watch: Watch | None = None,
    grouping: str = "",
) -> DiversityResult:
    """The same for a table that comes in pieces of whole groups: of every person the group, counted from 0 in each
    piece, the value and the kind of excluded set. Nothing is told but numbers.

    Exact, because what is possible for somebody hangs on her group and the rules only; the rest are sums, least and
    largest ones.
    """
    watch, started = watch or Watch(), time.perf_counter()
    found: DiversityResult | None = None
    for group, value, kind in pieces:
        raise_if_stopped(watch.stop)
        part = replace(resolved, codes=(), value=value.astype(np.int32, copy=False), weight=None)
        known = replace(knowledge, exclusion=Exclusion(knowledge.exclusion.sets, kind.astype(np.int32, copy=False)))
        one = audit_groups(part, known, group, top=0, jobs=jobs, watch=watch, grouping=grouping)
        found = one if found is None else _together(found, one)
    assert found is not None, "there are no rows"
    seconds = time.perf_counter() - started
    return replace(found, remarks=_remarks(resolved, found.contradicted), seconds=seconds)


def _together(one: DiversityResult, other: DiversityResult) -> DiversityResult:
    """The audit of two pieces that have no group in common."""
    possible = {n: one.possible.get(n, 0) + other.possible.get(n, 0) for n in sorted({*one.possible, *other.possible})}
    assert one.simple_l is not None
    assert other.simple_l is not None
    assert one.simple_at_risk is not None
    assert other.simple_at_risk is not None
    return replace(
        one,
        holds=one.holds and other.holds,
        records=one.records + other.records,
        groups=one.groups + other.groups,
        people_at_risk=one.people_at_risk + other.people_at_risk,
        plain_l=min(one.plain_l, other.plain_l),
        matching_l=min(one.matching_l, other.matching_l),
        plain_at_risk=one.plain_at_risk + other.plain_at_risk,
        simple_l=min(one.simple_l, other.simple_l),
        simple_at_risk=one.simple_at_risk + other.simple_at_risk,
        contradicted=one.contradicted + other.contradicted,
        worst_share=max(one.worst_share, other.worst_share),
        possible=possible,
    )


def _simple(
    value: npt.NDArray[np.integer], group: npt.NDArray[np.integer], kind: npt.NDArray[np.integer], sets: U64
) -> Int64:
    """For every row, how many values of its group no rule excludes for it (LI's "simple privacy requirement")."""
    present = np.zeros((int(group.max(initial=-1)) + 1, sets.shape[1]), dtype=np.uint64)
    np.bitwise_or.at(present, (group, value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
    left: Int64 = np.bitwise_count(present[group] & ~sets[kind]).sum(axis=1).astype(np.int64)
    return left


def _plain(
    value: npt.NDArray[np.integer], group: npt.NDArray[np.integer], values: int, weight: Int64 | None
) -> tuple[Int64, Fraction]:
    """For every row how many different values its group holds; and the largest share of one value in a group."""
    pairs, of_row = np.unique(group.astype(np.int64) * values + value, return_inverse=True)
    count = weighted(of_row, weight, len(pairs))
    owner = pairs // values
    distinct = np.bincount(owner)
    total = weighted(group, weight, int(group.max(initial=-1)) + 1)
    worst = max((Fraction(int(c), int(total[g])) for c, g in _candidates(count, owner, total)), default=Fraction(1))
    return distinct[group].astype(np.int64), worst


def _candidates(count: Int64, owner: Int64, total: Int64) -> list[tuple[int, int]]:
    """The pairs whose share is the largest, up to rounding: these few are compared exactly."""
    share = count / total[owner]
    near = np.flatnonzero(share >= share.max(initial=0.0) * (1 - 1e-9))
    few = {(int(count[k]), int(total[owner[k]])): int(owner[k]) for k in near}
    return [(c, g) for (c, _), g in few.items()]


def _findings(
    resolved: ResolvedDiversity,
    knowledge: Knowledge,
    group: npt.NDArray[np.integer],
    labels: Sequence[str] | None,
    possible: Int64,
    bits: U64,
    at_risk: npt.NDArray[np.bool_],
    top: int,
) -> tuple[Narrowing, ...]:
    """The worst cases first: fewest values, then most people; one finding for all who lose and keep the same."""
    rows = np.flatnonzero(at_risk & (possible > 0))
    if not len(rows):
        return ()
    words = knowledge.exclusion.sets.shape[1]
    held = np.zeros((int(group.max()) + 1, words), dtype=np.uint64)  # the values of each group
    for v in range(len(resolved.names)):
        held[group[resolved.value == v], v >> 6] |= np.uint64(1) << np.uint64(v & 63)
    lost = held[group[rows]] & knowledge.exclusion.sets[knowledge.exclusion.kind_of[rows]]
    taken = held[group[rows]] & ~lost & ~bits[rows]
    keys = np.concatenate([bits[rows], lost, taken.any(axis=1, keepdims=True)], axis=1)
    _, first, of_row = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    weight = None if resolved.weight is None else resolved.weight[rows]
    count = weighted(of_row.reshape(-1), weight, len(first))
    order = np.lexsort((first, -count, possible[rows[first]]))[:top]
    found = []
    for k in order.tolist():
        row = int(rows[first[k]])
        remaining = _names(resolved, bits[row])
        gone = _codes(lost[first[k]], len(resolved.names))
        others = bool(taken[first[k]].any())
        rules = [_rule_for(resolved, knowledge.rules, row, v) for v in gone]
        if others:
            rules += _against_others(resolved, knowledge, group, row, _codes(bits[row], len(resolved.names)))
        name = None if labels is None else labels[int(group[row])]
        cited = tuple(dict.fromkeys(rule for rule in rules if rule is not None))
        found.append(Narrowing(name, cited, remaining, int(count[k]), others))
    return tuple(found)


def _codes(bits: U64, values: int) -> list[int]:
    return [v for v in range(values) if int(bits[v >> 6]) >> (v & 63) & 1]


def _names(resolved: ResolvedDiversity, bits: U64) -> tuple[str, ...]:
    return tuple(resolved.names[v] for v in _codes(bits, len(resolved.names)))


def _rule_for(resolved: ResolvedDiversity, rules: CodedRules, row: int, value: int) -> NegativeRule | None:
    """The shortest rule that excludes the value for the row."""
    leaf = [int(part.leaf[codes[row]]) for part, codes in zip(resolved.nodes, resolved.codes, strict=True)]
    best: int | None = None
    for k, (conditions, excluded) in enumerate(zip(rules.conditions, rules.value, strict=True)):
        shorter = best is None or len(conditions) < len(rules.conditions[best])
        if excluded == value and shorter and all(v <= leaf[j] < int(resolved.nodes[j].end[v]) for j, v in conditions):
            best = k
    return None if best is None else rules.source[best]


def _against_others(
    resolved: ResolvedDiversity, knowledge: Knowledge, group: npt.NDArray[np.integer], row: int, values: Sequence[int]
) -> list[NegativeRule | None]:
    """Why others of the row's group cannot have these values: a rule for each other kind and value."""
    kind_of = knowledge.exclusion.kind_of
    mates = np.flatnonzero(group == group[row])
    example = {int(kind_of[mate]): int(mate) for mate in mates[::-1] if kind_of[mate] != kind_of[row]}
    return [_rule_for(resolved, knowledge.rules, mate, v) for mate in example.values() for v in values]
