"""Template policies: what they accept, how they meet a table, and what they refuse, all at once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sordino
from sordino.data.table import Table
from sordino.errors import PolicyError
from sordino.policy.bins import Bins
from sordino.policy.template import ResolvedTemplate, Template, TemplatePolicy

JOBS = ["Cook", "Cook", "Clerk", "Clerk", "Trader", "Trader", "Trader", "Doctor"]
ROWS: list[dict[str, Any]] = [
    {"job": job, "age": 20 + 5 * k, "state": "ABCD"[k % 4], "rating": "GB"[k % 2]} for k, job in enumerate(JOBS)
]
TABLE = sordino.read_table(ROWS)


def resolved(*templates: Template, table: Table = TABLE, **options: Any) -> ResolvedTemplate:
    return TemplatePolicy(templates, **options).resolve(table)


def test_codes_and_thresholds() -> None:
    found = resolved(Template(["job", "age"], "state", ["B", "A"], "0.75"), class_column="rating")
    (rule,) = found.templates
    assert (rule.given, rule.sensitive, rule.codes.tolist()) == ((0, 1), 2, [0, 1])
    assert Fraction(rule.num, rule.den) == Fraction(3, 4)
    assert (found.masking, found.class_column) == ((0, 1), 3)
    fine = resolved(Template("job", "state", "A", "0.333333")).templates[0]
    assert Fraction(fine.num, fine.den) == Fraction(2, 7)  # what counts of eight rows can reach below it


def test_rarest_values() -> None:
    half = resolved(Template("age", "job", rarest="50%")).templates[0]
    assert [TABLE.column("job").texts[c] for c in half.codes] == ["Clerk", "Doctor"]  # Cook is as rare, and later
    assert len(resolved(Template("age", "job", rarest="100%")).templates[0].codes) == 4
    assert [TABLE.column("job").texts[c] for c in resolved(Template("age", "job", rarest="1%")).templates[0].codes] == [
        "Doctor"
    ]


def test_implied_templates_go() -> None:
    found = resolved(
        Template(["job"], "state", ["A", "B"], "0.5"),
        Template(["job", "age"], "state", "A", "0.5"),
        Template(["job", "age"], "state", "A", "0.5"),
        Template(["job", "age"], "state", "B", "0.6"),
        Template(["age"], "job", "Cook", "0.5"),
    )
    assert len(found.stated) == 5
    assert [(rule.given, rule.sensitive, rule.codes.tolist()) for rule in found.templates] == [
        ((0,), 2, [1]),
        ((0, 1), 2, [0]),
        ((0, 1), 2, [1]),
        ((1,), 0, [1]),
    ]
    assert found.masking == (1,)  # job is sensitive in one template, so it is never changed


def test_bins_are_visible_and_are_what_the_table_shows() -> None:
    template = Template(["age"], "state", "A", "0.5")
    by_width = resolved(template, bins={"age": {"width": 20}})
    assert by_width.ranges == {"age": ("under 40", "40 and over")}
    assert list(by_width.table.column("age").cells()) == ["under 40"] * 4 + ["40 and over"] * 4
    by_edges = resolved(template, bins={"age": {"edges": [30, "52.5"]}})
    assert by_edges.ranges["age"] == ("under 30", "30 to under 52.5", "52.5 and over")
    assert list(by_edges.table.column("age").cells()).count("under 30") == 2
    by_quantile = resolved(template, bins={"age": {"quantile": 4}})
    assert [list(by_quantile.table.column("age").cells()).count(r) for r in by_quantile.ranges["age"]] == [2, 2, 2, 2]
    again = TemplatePolicy([template], bins={"age": {"quantile": 4}}).resolve(by_quantile.table)
    assert again.table.fingerprint == by_quantile.table.fingerprint  # a release shows ranges, and is read as it is


def test_bins_of_missing_and_few_values() -> None:
    table = sordino.read_table([{"x": 1.5, "s": "a"}, {"x": None, "s": "b"}, {"x": 1.5, "s": "a"}])
    found = TemplatePolicy([Template("x", "s", "a", "0.5")], bins={"x": Bins(quantile=3)}).resolve(table)
    assert list(found.table.column("x").cells()) == ["any", None, "any"]


def test_a_hierarchy_covers_its_column() -> None:
    tree = {"ALL": {"office": ["Clerk", "Trader"], "other": ["Cook", "Doctor"]}}
    found = resolved(Template(["job", "age"], "state", "A"), hierarchies={"job": tree})
    assert set(found.hierarchies) == {0}
    lacking = {"ALL": {"office": ["Clerk"], "other": ["Cook", "Doctor"]}}
    with pytest.raises(PolicyError, match="lacks 1 value"):
        resolved(Template(["job", "age"], "state", "A"), hierarchies={"job": lacking})


def test_a_release_in_groups_can_be_audited_with_its_own_policy() -> None:
    tree = {"ALL": {"office": ["Clerk", "Trader"], "other": ["Cook", "Doctor"]}}
    table = sordino.read_table([{"job": job, "state": "A"} for job in ("office", "Cook", "*")])
    found = TemplatePolicy([Template("job", "state", "A")], hierarchies={"job": tree}).resolve(table)
    assert found.hierarchies == {}
    assert "'job' shows groups" in " ".join(found.remarks)


def test_numbers_are_found_by_their_value() -> None:
    found = resolved(Template("job", "age", [20, "25.0"], "0.5"))
    assert found.templates[0].codes.tolist() == [0, 1]
    table = sordino.read_table([{"f": True, "g": "x"}, {"f": False, "g": "y"}])
    assert TemplatePolicy([Template("g", "f", [True])]).resolve(table).templates[0].codes.tolist() == [1]


def test_all_problems_at_once() -> None:
    with pytest.raises(PolicyError) as caught:
        TemplatePolicy(
            [Template(["jub", "age"], "stat", "A"), Template("job", "state", ["Z", "a"])],
            class_column="ratng",
            bins={"job": {"width": 3}},
        ).resolve(TABLE)
    text = str(caught.value)
    for part in ("'jub'. Did you mean 'job'", "'stat'. Did", "'ratng'. Did", "'Z' does not occur", "not all numbers"):
        assert part in text
    assert len(caught.value.problems) == 6


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Template([], "s", "a"), "names no column"),
        (lambda: Template(["s", "t"], "s", "a"), "both given and to be inferred"),
        (lambda: Template("x", "s"), "state either"),
        (lambda: Template("x", "s", "a", rarest="50%"), "state either"),
        (lambda: Template("x", "s", "a", "1.5"), "at_most: 1.5 is not between"),
        (lambda: Template("x", "s", "a", "much"), "at_most: not a number"),
        (lambda: Template("x", "s", rarest="0"), "rarest must be above 0"),
        (lambda: TemplatePolicy([]), "no template"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], bins={"y": {"width": 3}}), "no template names it"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], bins={"x": {"width": 0}}), "above 0"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], bins={"x": {"edges": [3, 1]}}), "ascend"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], bins={"x": {"quantile": 1}}), "2 or more"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], bins={"x": {"widht": 1}}), "none of quantile"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], bins={"x": 3}), "write {"),
        (lambda: TemplatePolicy([Template("x", "s", "a")], symbol=" "), "symbol"),
    ],
    ids=range(15),
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        make()


def test_a_release_may_lack_values() -> None:
    policy = TemplatePolicy([Template("job", "state", ["A", "Z"], "0.5")])
    found = policy.resolve(TABLE, missing="accept")
    assert found.stated[0].codes.tolist() == [0]
    assert "'Z' does not occur" in found.remarks[0]
    assert np.array_equal(found.templates[0].codes, found.stated[0].codes)


def test_the_symbol_may_stand_there_already() -> None:
    table = sordino.read_table([{"job": "*", "state": "A"}, {"job": "Cook", "state": "B"}])
    (remark,) = TemplatePolicy([Template("job", "state", "A")]).resolve(table).remarks
    assert "'*' stands in job already" in remark
