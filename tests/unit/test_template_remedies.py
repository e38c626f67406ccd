"""What is said of templates that can never hold: whatever is offered lets them be met, and is offered if it does."""

from __future__ import annotations

import pytest

import sordino
from sordino.audit.template import audit_table
from sordino.audit.template_exists import find_impossible, require_possible
from sordino.errors import Unsatisfiable
from sordino.policy.template import Template, TemplatePolicy

# Of six people three have a; of the good ones two of three, and of the bad ones one of three.
ROWS = [
    {"Job": job, "Rating": rating, "State": state}
    for job, rating, state in zip("KKLLMM", "GGGBBB", "aababc", strict=True)
]
TABLE = sordino.read_table(ROWS)


def possible(*templates: Template, class_column: str | None = "Rating") -> bool:
    return not find_impossible(TemplatePolicy(templates, class_column=class_column).resolve(TABLE))


def told(*templates: Template) -> str:
    with pytest.raises(Unsatisfiable) as caught:
        require_possible(TemplatePolicy(templates, class_column="Rating").resolve(TABLE))
    return str(caught.value)


def test_a_column_that_may_not_be_suppressed() -> None:
    said = told(Template(["Job", "Rating"], "State", "a", "1/2"))
    assert "at_most must be 2/3 or more" in said
    assert "leave 'Rating' out of given, which may not be suppressed because it is the class" in said
    assert possible(Template(["Job", "Rating"], "State", "a", "2/3"))
    assert possible(Template(["Job"], "State", "a", "1/2"))
    both = told(Template(["Job", "State"], "Rating", "G", "0.6"), Template(["Job"], "State", "a", "0.6"))
    assert "leave 'State' out of given, which may not be suppressed because another template is about it" in both


def test_values_that_are_too_frequent() -> None:
    said = told(Template(["Job"], "State", ["a", "b", "c"], "1/3"))
    assert "leave out the 1 of its 3 values that are too frequent" in said
    assert possible(Template(["Job"], "State", ["b", "c"], "1/3"))


def test_nothing_is_offered_that_does_not_help() -> None:
    said = told(Template(["Rating"], "State", "a", "0.3"))
    assert "at_most must be 2/3 or more" in said
    assert "leave" not in said, "without Rating nothing would be given, and there is one value only"
    said = told(Template(["Job", "Rating"], "State", "a", "0.3"))
    assert "leave" not in said, "half of all people have it"


def test_the_audit_says_the_same() -> None:
    audit = audit_table(
        TABLE, TemplatePolicy([Template(["Job", "Rating"], "State", "a", "1/2")], class_column="Rating")
    )
    (outcome,) = audit.templates
    assert outcome.to_dict()["remedies"] == list(outcome.remedies)
    assert "What helps: leave 'Rating' out of given" in str(audit)
    fine = audit_table(TABLE, TemplatePolicy([Template(["Job"], "State", "a", "1/2")]))
    assert "remedies" not in fine.templates[0].to_dict()
