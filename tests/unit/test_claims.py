"""What is said about a result is entailed by what was checked: every state of it, and every page that tells it."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from sordino.audit.result import AuditResult, Finding
from sordino.audit.sampled import Sampling
from sordino.cli.asked import Asked
from sordino.cli.page import plain
from sordino.cli.told import audit_page
from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.report.documents import Promise, Source, audit_report, release_report
from sordino.words import claims
from sordino.words.absence import ABSENCES
from sordino.words.claims import NON_SENSITIVE

SIZES = ("people_at_risk", "1", "2", "3", "more")
ANSWERS = tuple(Answer)
EXTENTS = ("exact", "cut short", "sampled")
REACHES = ("any", "limited", "non-sensitive", "absence")
PERSONAL = (False, True)
STATES = [
    state
    for state in itertools.product(ANSWERS, EXTENTS, REACHES, PERSONAL)
    # nothing stays open in what is exact, nor in a sample, which is drawn whole; what is cut short cannot hold
    if (state[0] is Answer.NOT_CHECKED) <= (state[1] == "cut short")
    and (state[0] is Answer.HOLDS) <= (state[1] != "cut short")
    # a sample reaches as far as it was drawn; groups are counted, always whole and for all
    and (state[1] == "sampled") <= (state[2] == "limited")
    and (state[2] == "non-sensitive") <= (state[1] == "exact" and not state[3])
    and (state[2] == "absence") <= (state[1] != "sampled" and not state[3])
]
IDS = [f"{answer}, {extent}, {reach}{', personal' if personal else ''}" for answer, extent, reach, personal in STATES]


def result_of(answer: Answer, extent: str, reach: str, personal: bool) -> AuditResult:
    """A result in this state."""
    fails, absent = answer is Answer.FAILS, reach == "absence"
    exact = dict.fromkeys(("people_at_risk", *ABSENCES) if absent else SIZES, extent == "exact")
    sampling = None
    if extent == "sampled":
        sampling = Sampling(Fraction(1, 10), Fraction(1, 10), Fraction(1, 10), 1, {1: 50, 2: 50}, {1: 0, 2: 4 * fails})
    return AuditResult(
        holds=answer is Answer.HOLDS,
        records=40,
        items=9,
        people_at_risk=4 if fails else 0,
        exposure_by_knowledge={} if absent else {"1": 4 if fails else 0, "2": 0, "3": 0, "more": 0},
        absent="any" if absent else None,
        exposure_by_absence={"0": 0, "1": 4 if fails else 0, "2": 0, "more": 0} if absent else {},
        findings=(Finding(("a",), "x", 6, 4, 4, ("b",) if absent else ()),) if fails and sampling is None else (),
        proved_items=0 if personal else 1,
        searched_items=1,
        seconds=1.0,
        knowledge=2 if reach == "limited" else None,
        sensitive_items=3,
        proved_occurrences=3,
        searched_occurrences=4,
        exact=exact,
        personal=personal,
        sampling=sampling,
        unchecked=("Two items were not looked at.",) if answer is Answer.NOT_CHECKED else (),
        reach=NON_SENSITIVE if reach == "non-sensitive" else "",
    )


def page_of(result: AuditResult) -> str:
    """The page in the terminal."""
    policy = InferencePolicy(["x"], "0.5", per_record={0: ["a"]} if result.personal else None, absent=result.absent)
    asked = Asked("data.csv", None, "x", "0.5", time_limit=None if result.complete else 5.0)
    return plain(audit_page(result, "data.csv", asked.again(10), policy))


def words_of(page: str) -> str:
    """What a page says, without its markup."""
    body = re.sub(r"<(style|svg).*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


COST = {"ns": 0.1, "kl": 0.0, "symmetric_kl": 0.0, "remarks": [], "occurrences": 20, "left": 18, "loss": None}
PROMISE = Promise(("This is promised.",), ("That is not.",))


def release_of(before: AuditResult, after: AuditResult, reach: str = "") -> str:
    history = {"method": "mine", "before": before.to_dict(), "after": after.to_dict(), "utility": COST}
    policy = InferencePolicy(["x"], "0.5")
    return words_of(release_report(history, Source("data.csv"), policy, PROMISE, {}, reach=reach))


def told(result: AuditResult) -> Iterator[tuple[str, str]]:
    """Everything that is said about a result, by who says it."""
    yield "claims", " ".join([claims.verdict(result.to_dict()), *claims.examined(result.to_dict())])
    yield "terminal", page_of(result)
    yield "report", words_of(audit_report(result.to_dict(), Source("data.csv")))
    yield "Python", f"{result.verdict()} {result!r} {words_of(result._repr_html_())}"


def check(text: str, result: AuditResult, state: tuple[Any, ...]) -> None:
    """No sentence says more than the state allows."""
    answer, extent, reach, personal = state
    exact, whole = extent == "exact", reach in ("any", "absence")
    if reach == "absence":
        assert answer is not Answer.HOLDS or "SAFE against someone who also knows what is not in a record" in text
        assert answer is not Answer.FAILS or "finding" not in text or "no b" in text
        assert "By alibis" not in text
    else:
        assert "not in a record" not in text
        assert "not in it" not in text
        assert "absence" not in text
    if extent != "exact":
        for phrase in ("very combination", "that is exact", "very number is exact"):
            assert phrase not in text, phrase
    if not (answer is Answer.HOLDS and exact):
        for phrase in ("obody is", "obody was", "obody can", "SAFE: no sensitive", "SAFE: what a person"):
            assert phrase not in text, phrase
    if answer is not Answer.HOLDS:
        assert not re.search(r"(?<!NOT )SAFE\b", text)
        assert "the policy holds" not in text.lower()
    if answer is not Answer.FAILS:
        assert "NOT SAFE" not in text
    if extent == "sampled":
        assert "proved" not in text
        assert "any part" not in text
        assert answer is Answer.FAILS or "as far as a sample tells" in text
    if not whole:
        assert "any part" not in text
        if answer is Answer.HOLDS and extent != "sampled":
            assert "SAFE against someone who knows" in text
    if personal and answer is Answer.HOLDS and exact:
        assert "no sensitive item can be inferred" not in text
    if answer is Answer.FAILS and extent == "cut short":
        assert f"at least {result.people_at_risk}" in text
    if answer is Answer.NOT_CHECKED:
        assert "NOT CHECKED" in text


@pytest.mark.parametrize("state", STATES, ids=IDS)
def test_no_page_says_more_than_was_checked(state: tuple[Any, ...]) -> None:
    result = result_of(*state)
    assert result.answer is state[0]
    for who, text in told(result):
        check(text, result, state)
        if result.unchecked and who != "claims":
            assert result.unchecked[0] in text, who


@pytest.mark.parametrize("state", STATES, ids=IDS)
def test_all_tell_the_answer_in_the_same_words(state: tuple[Any, ...]) -> None:
    result = result_of(*state)
    said = claims.verdict(result.to_dict())
    assert said == result.verdict()
    page = audit_page(result, "data.csv", Asked("data.csv", None).again())
    assert (page.verdict, page.good) == (said, {Answer.HOLDS: True, Answer.FAILS: False}.get(state[0]))
    assert all(said in text for _, text in told(result))
    assert result.to_dict()["answer"] == str(state[0])


@pytest.mark.parametrize("state", STATES, ids=IDS)
def test_a_release_is_told_as_far_as_it_was_checked(state: tuple[Any, ...]) -> None:
    after = result_of(*state)
    before = result_of(Answer.FAILS, "sampled" if state[1] == "sampled" else "exact", "limited", state[3])
    text = release_of(before, after)
    said = claims.released(before.to_dict(), after.to_dict())
    assert said in text
    if state[0] is not Answer.HOLDS:
        assert not re.search(r"(?<!NOT )SAFE\b", said)
        assert "the policy holds" not in text
    if state[0] is not Answer.HOLDS or state[1] != "exact" or state[2] == "non-sensitive":
        assert "obody is" not in text
        assert "→ 0" not in text
    if state[2] == "limited" and state[1] == "exact" and state[0] is Answer.HOLDS:
        assert "SAFE now against someone who knows at most 2 items of a record" in said


def test_a_permuted_release_is_not_told_as_safe_from_all() -> None:
    """Also if its history was written before results said so themselves: the manifest knows its shape."""
    before = result_of(Answer.FAILS, "exact", "any", False)
    after = replace(result_of(Answer.HOLDS, "exact", "any", False))
    text = release_of(before, after, reach=NON_SENSITIVE)
    assert f"SAFE now against someone who knows {NON_SENSITIVE} of a record; 4 of 40 people" in text
    assert "obody is" not in text
    assert "→ 0" not in text


def test_results_that_were_written_before_there_were_three_answers() -> None:
    old = {key: value for key, value in result_of(*STATES[0]).to_dict().items() if key not in ("answer", "unchecked")}
    assert claims.answer_of(old) is Answer.HOLDS
    assert claims.answer_of({**old, "holds": False}) is Answer.FAILS


def test_several_releases_are_told_as_several() -> None:
    """What holds for all of them together is said about someone who has them all."""
    from sordino.audit.joint import audit_joint

    policy = InferencePolicy(["e"], "1/2")
    old, new = Baskets.from_sets([{"a", "e"}, {"a"}]), Baskets.from_sets([{"a"}])
    safe = audit_joint([old, old], [["u", "v"]] * 2, policy)
    assert safe.verdict() == (
        "SAFE against someone who has all 2 releases and links their rows: no sensitive item can be inferred above its "
        "threshold."
    )
    assert "links their rows" in safe.adversary()
    open_ = audit_joint([old, old], [["u", "v"]] * 2, policy, time_limit=0.0)
    assert (open_.answer, open_.verdict()) == (Answer.NOT_CHECKED, claims.OPEN)
    left = audit_joint([old, new], [["u", "v"], ["v"]], policy)
    assert left.verdict() == "NOT SAFE: 1 of 2 people (50.0%) is at risk."


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_release_that_continues_others_is_told_with_those(answer: Answer) -> None:
    before, after = result_of(Answer.FAILS, "exact", "any", False), result_of(Answer.HOLDS, "exact", "any", False)
    joint = result_of(answer, "cut short" if answer is Answer.NOT_CHECKED else "exact", "any", False)
    said = claims.released(before.to_dict(), after.to_dict(), joint=joint.to_dict())
    assert said.startswith({"holds": "SAFE now", "fails": "NOT SAFE together", "not checked": "NOT CHECKED"}[answer])
    history = {"method": "mine", "before": before.to_dict(), "after": after.to_dict(), "utility": COST}
    history["joint"] = joint.to_dict()
    page = release_report(history, Source("data.csv"), InferencePolicy(["x"], "0.5"), PROMISE, {})
    assert said in words_of(page)
