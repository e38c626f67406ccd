"""The audit of a table against templates: exact counts, each combination of known values counted once (model.md 2.1).

The rows are grouped once for every set of known columns (IC), and once more for every sensitive column asked about
under it; all templates over the same IC share these counts. A group in which n rows agree and c of them have the value
breaks a template of threshold num/den if c * den > n * num, in integers.

**Every knowledge is covered.** Who knows only some of the columns sees a union of groups, and a union has no higher
share than its highest part. The same holds if a cell shows a range or a node of a hierarchy that covers what is known.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sordino.audit.combinations import combine
from sordino.audit.template_exists import lowest_threshold, remedies
from sordino.audit.template_result import SHARES, TemplateAudit, TemplateFinding, TemplateOutcome
from sordino.data.table import Table
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError
from sordino.policy.template import ResolvedTemplate, Rule, TemplatePolicy, implied_rules

__all__ = ["audit_table"]

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


class Pairs(NamedTuple):
    """The distinct (known values, sensitive value) pairs of one IC and one sensitive column.

    `code` is the sensitive value (-1: none), `people` the rows that have the pair, `rows` all rows with these known
    values, `first` a row that has the pair; `of_row` the pair of every row.
    """

    code: Int32
    people: Int64
    rows: Int64
    first: Int64
    of_row: Int32


class Candidate(NamedTuple):
    """A pair that may become a finding, before its texts are looked up."""

    confidence: float
    people: int
    template: int
    first: int
    code: int
    rows: int


def audit_table(
    table: Table,
    policy: TemplatePolicy | ResolvedTemplate,
    *,
    top: int = 10,
    progress: Progress | None = None,
    missing: str = "error",
) -> TemplateAudit:
    """What can be inferred from a table along the templates; binned columns count as their ranges."""
    started = time.perf_counter()
    if len(table) == 0:
        raise InputError("there are no rows")
    if isinstance(top, bool) or not isinstance(top, int) or top < 0:
        raise InputError("top must be a whole number, 0 or more")
    resolved = policy if isinstance(policy, ResolvedTemplate) else policy.resolve(table, missing=missing)
    watch = Watch(progress)
    return watch.aside(lambda: _audit(resolved, len(table), len(table.columns) + table.left_out, top, watch, started))


def _audit(
    resolved: ResolvedTemplate, rows: int, columns: int, top: int, watch: Watch, started: float
) -> TemplateAudit:
    at_risk, weight = np.zeros(rows, dtype=np.bool_), resolved.table.weight
    outcomes: dict[int, TemplateOutcome] = {}
    candidates: list[Candidate] = []
    implied = implied_rules(resolved.stated)
    total, above = 0, dict.fromkeys(SHARES, 0)
    for pairs, numbers in _channels(resolved, watch):
        asked = np.zeros(len(pairs.code), dtype=np.bool_)
        broken_here = np.zeros(len(pairs.code), dtype=np.bool_)
        for number in numbers:
            rule = resolved.stated[number]
            chosen = _chosen(pairs, rule, len(resolved.table.columns[rule.sensitive].values))
            asked |= chosen
            rule_broken = chosen & (pairs.people * rule.den > pairs.rows * rule.num)
            broken_here |= rule_broken
            surest = _candidates(pairs, rule_broken, number, top)
            candidates = _best([*candidates, *surest], top)
            found = _outcome(resolved, number, pairs, chosen, rule_broken, surest)
            outcomes[number] = replace(found, implied=implied[number])
        at_risk |= broken_here[pairs.of_row]
        total += int(np.count_nonzero(asked))
        for share, count in _above(pairs, asked).items():
            above[share] += count
    return TemplateAudit(
        holds=all(outcome.holds for outcome in outcomes.values()),
        records=resolved.table.people,
        columns=columns,
        people_at_risk=int(np.count_nonzero(at_risk) if weight is None else weight[at_risk].sum()),
        inferences=total,
        above=above,
        templates=tuple(outcomes[number] for number in sorted(outcomes)),
        findings=tuple(_finding(resolved, candidate) for candidate in candidates),
        seconds=time.perf_counter() - started,
        ranges=resolved.ranges,
        remarks=resolved.remarks,
    )


def _channels(resolved: ResolvedTemplate, watch: Watch) -> Iterator[tuple[Pairs, list[int]]]:
    """The pairs of every IC and sensitive column, with the numbers of the templates that ask about them."""
    table = resolved.table
    by_given: dict[tuple[int, ...], dict[int, list[int]]] = {}
    for number, rule in enumerate(resolved.stated):
        by_given.setdefault(rule.given, {}).setdefault(rule.sensitive, []).append(number)
    for done, (given, by_sensitive) in enumerate(by_given.items()):
        watch.report("counting", done, len(by_given))
        known = [table.columns[place] for place in given]
        sizes = [len(column.values) + 1 for column in known]
        codes = [column.codes + np.int32(1) for column in known]
        groups = combine(codes, sizes, len(table), watch.stop, table.weight)
        for place, numbers in by_sensitive.items():
            column = table.columns[place]
            found = combine(
                [groups.group, column.codes + np.int32(1)],
                [len(groups.first), len(column.values) + 1],
                len(table),
                watch.stop,
                table.weight,
            )
            first = found.first
            yield (
                Pairs(column.codes[first], found.rows, groups.rows[groups.group[first]], first, found.group),
                numbers,
            )


def _chosen(pairs: Pairs, rule: Rule, values: int) -> Bool:
    """The pairs whose value is one of the rule's."""
    wanted = np.zeros(values + 1, dtype=np.bool_)
    wanted[rule.codes] = True
    return wanted[pairs.code]


def _above(pairs: Pairs, asked: Bool) -> dict[int, int]:
    people, rows = pairs.people[asked] * 100, pairs.rows[asked]
    return {share: int(np.count_nonzero(people > share * rows)) for share in SHARES}


def _outcome(
    resolved: ResolvedTemplate, number: int, pairs: Pairs, chosen: Bool, broken: Bool, surest: list[Candidate]
) -> TemplateOutcome:
    """What there is to say about one template: its pairs, those of them that break it, and the surest of these."""
    rule, template = resolved.stated[number], resolved.policy.templates[number]
    worst = surest[:1] or _candidates(pairs, chosen, number, 1)
    lowest = lowest_threshold(resolved, rule)
    return TemplateOutcome(
        number=number + 1,
        given=template.given,
        sensitive=template.sensitive,
        values=len(rule.codes),
        at_most=template.at_most,
        holds=not broken.any(),
        inferences=int(np.count_nonzero(chosen)),
        above=_above(pairs, chosen),
        broken=int(np.count_nonzero(broken)),
        people=int(pairs.people[broken].sum()),
        worst=_finding(resolved, worst[0]) if worst else None,
        lowest=lowest,
        findings=tuple(_finding(resolved, candidate) for candidate in surest),
        remedies=remedies(resolved, rule) if lowest > template.at_most else (),
    )


def _candidates(pairs: Pairs, which: Bool, number: int, top: int) -> list[Candidate]:
    """The surest of these pairs, then those about most people, then those that come first in the table.

    Shares of at most 2**26 rows that differ, differ as floating-point numbers too, and equal ones are equal.
    """
    places = np.flatnonzero(which)
    if not len(places) or top == 0:
        return []
    people, rows, first = pairs.people[places], pairs.rows[places], pairs.first[places]
    confidence = people / rows
    if len(places) > 4 * top:  # sorting all of them would take longer than counting
        edge = np.partition(confidence, len(places) - top)[len(places) - top]
        kept = confidence >= edge
        places, people, rows, first, confidence = (x[kept] for x in (places, people, rows, first, confidence))
    order = np.lexsort((pairs.code[places], first, -people, -confidence))[:top]
    return [
        Candidate(float(confidence[k]), int(people[k]), number, int(first[k]), int(pairs.code[places[k]]), int(rows[k]))
        for k in order.tolist()
    ]


def _best(candidates: list[Candidate], top: int) -> list[Candidate]:
    """The first `top` in the same order, over all templates."""
    candidates = sorted(candidates, key=lambda c: (-c.confidence, -c.people, c.template, c.first, c.code))
    return candidates[:top]


def _finding(resolved: ResolvedTemplate, candidate: Candidate) -> TemplateFinding:
    table, rule = resolved.table, resolved.stated[candidate.template]
    known = {
        table.names[place]: table.columns[place].text(int(table.columns[place].codes[candidate.first]))
        for place in rule.given
    }
    sensitive = table.columns[rule.sensitive]
    return TemplateFinding(
        template=candidate.template + 1,
        known=known,
        sensitive=sensitive.name,
        value=sensitive.text(candidate.code),
        people=candidate.people,
        rows=candidate.rows,
    )
