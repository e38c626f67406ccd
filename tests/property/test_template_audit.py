"""The audit of templates against the oracle, and that suppressing never makes anything surer."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle_disclosure as oracle
from people import People, peoples
from sordino.audit.template import audit_table
from sordino.audit.template_result import SHARES
from sordino.data.table import Table
from sordino.verify.shapes.template import count_groups
from tables import examples


def inferences(case: People, given: tuple[str, ...], sensitive: str) -> Counter[tuple[tuple[str | None, ...], str]]:
    return Counter((tuple(row[name] for name in given), row[sensitive]) for row in case.rows if row[sensitive])


@settings(max_examples=examples(150))
@given(case=peoples(trees=False))
def test_the_audit_is_the_oracles(case: People) -> None:
    result = audit_table(case.table, case.policy, top=1000)
    assert result.holds == oracle.holds(case.rows, case.templates)
    assert result.worst == max(oracle.worst(case.rows, template) for template in case.templates)
    at_risk: set[int] = set()
    found = set()
    every = set()
    for number, (outcome, template) in enumerate(zip(result.templates, case.policy.templates, strict=True), start=1):
        given = tuple(template.given)
        sizes = Counter(tuple(row[name] for name in given) for row in case.rows)
        pairs = {
            pair: count
            for pair, count in inferences(case, given, template.sensitive).items()
            if pair[1] in template.values
        }
        broken = {pair for pair, count in pairs.items() if Fraction(count, sizes[pair[0]]) > template.at_most}
        assert outcome.inferences == len(pairs)
        assert outcome.broken == len(broken)
        assert outcome.people == sum(pairs[pair] for pair in broken)
        for share in SHARES:
            surer = [p for p, count in pairs.items() if Fraction(count, sizes[p[0]]) > Fraction(share, 100)]
            assert outcome.above[share] == len(surer)
        every |= {(frozenset(given), template.sensitive, _named(given, pair[0]), pair[1]) for pair in pairs}
        found |= {(number, _named(given, pair[0]), pair[1], pairs[pair], sizes[pair[0]]) for pair in broken}
        for k, row in enumerate(case.rows):
            if (tuple(row[name] for name in given), row[template.sensitive]) in broken:
                at_risk.add(k)
    assert result.people_at_risk == len(at_risk)
    assert result.inferences == len(every)
    assert {(f.template, frozenset(f.known.items()), f.value, f.people, f.rows) for f in result.findings} == found
    confidences = [finding.confidence for finding in result.findings]
    assert confidences == sorted(confidences, reverse=True)
    assert audit_table(case.table, case.policy, top=2).findings == result.findings[:2]


def _named(given: tuple[str, ...], values: tuple[str | None, ...]) -> frozenset[tuple[str, str]]:
    return frozenset((name, "(missing)" if text is None else text) for name, text in zip(given, values, strict=True))


@settings(max_examples=examples(25))
@given(case=peoples(trees=False))
def test_the_verifier_counts_the_same_in_its_own_way(case: People) -> None:
    resolved = case.policy.resolve(case.table)
    result = audit_table(case.table, resolved)
    for rule, outcome in zip(resolved.stated, result.templates, strict=True):
        columns = resolved.table.columns
        known = [columns[place].codes for place in rule.given]
        groups, broken = count_groups(known, columns[rule.sensitive].codes, rule)
        assert (broken == 0) == outcome.holds
        assert groups == len({tuple(row[name] for name in outcome.given) for row in case.rows})


@settings(max_examples=examples(150))
@given(case=peoples(trees=False), data=st.data())
def test_suppressing_never_raises_the_worst_confidence(case: People, data: st.DataObject) -> None:
    """All occurrences of one value of a column become the symbol; nothing becomes surer, of any template."""
    table = case.table
    masking = case.policy.resolve(table).masking
    if not masking:
        return
    place = data.draw(st.sampled_from(masking))
    column = table.columns[place]
    codes = column.codes
    before = audit_table(table, case.policy)
    for value in data.draw(st.permutations(sorted(set(codes.tolist())))):
        codes = np.where(codes == value, len(column.values), codes)
        after_table: Table = table.with_column(column.replaced(codes, ("*",)))
        after = audit_table(after_table, case.policy)
        for old, new in zip(before.templates, after.templates, strict=True):
            if old.worst is not None:
                assert new.worst is not None
                assert new.worst.confidence <= old.worst.confidence
        assert after.worst <= before.worst
        before = after
