"""`disclosure` step by step against a naive twin."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import oracle_disclosure as oracle
from people import People, peoples
from sordino.policy.template import ResolvedTemplate
from sordino.protect.disclosure import Disclosure
from sordino.protect.requirement import summarize
from sordino.protect.trees import Trees, grow_trees
from tables import examples


def step_of(policy: ResolvedTemplate, trees: Trees, node: int) -> oracle.Step:
    """A node in the oracle's words."""
    a = int(trees.attribute[node])
    column = policy.table.columns[trees.columns[a]]
    path: list[str | None] = []
    while node >= 0:
        place = node - int(trees.first[a])
        width = int(trees.values[a])
        if node == trees.root(a):
            path.append("*")
        elif place > width:
            path.append(trees.labels[node])
        else:
            path.append(None if place == width else column.texts[place])
        node = int(trees.parent[node])
    return oracle.Step(column.name, tuple(path))


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(case=peoples(most=16), then_maximal=st.booleans())
def test_every_step_is_the_one_of_the_highest_score(case: People, then_maximal: bool) -> None:
    assume(oracle.holds(oracle.suppressed(case.rows, list(case.paths)), case.templates))
    policy = case.policy.resolve(case.table)
    names = policy.table.names
    kept = []  # implied templates do not count for the loss of privacy
    for rule in policy.templates:
        given = {names[place] for place in rule.given}
        texts = {policy.table.columns[rule.sensitive].texts[code] for code in rule.codes.tolist()}
        alike = [t for t in case.templates if set(t.given) == given and t.sensitive == names[rule.sensitive]]
        kept += [min((t for t in alike if t.value == text), key=lambda t: t.limit) for text in sorted(texts)]
    twin = oracle.Twin(case.rows, kept, case.paths, case.label)
    trees = grow_trees(policy.table, policy.masking, policy.hierarchies)
    state = Disclosure(trees, summarize(policy, trees))
    phases = [True] if case.label is None else [False, True] if then_maximal else [False]
    for by_support in phases:
        while True:
            fit = [s for s in twin.candidates() if twin.is_valid(s) and (by_support or twin.is_beneficial(s))]
            node = state.winner(by_support)
            assert (node is None) == (not fit)
            if node is None:
                break
            step = step_of(policy, trees, node)
            assert step in fit
            worth = (lambda s: float(twin.support(s))) if by_support else twin.score
            assert worth(step) >= max(map(worth, fit)) - 1e-9
            state.disclose(node)
            twin.disclosed[step.column].add(step.path)
