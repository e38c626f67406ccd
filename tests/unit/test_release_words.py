"""What releases and verdicts say is entailed by what was checked: one table of phrases for all shapes."""

from __future__ import annotations

import html
import json
import random
import re
from typing import Any

import pytest

import sordino
from diseased import QUASI, TREE, people
from sordino import Template, TemplatePolicy
from sordino.cli.page import plain
from sordino.cli.told import audit_page, protect_page
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance
from sordino.release.house_report import house_page
from sordino.report.documents import Source, audit_report
from sordino.verify.manifest import MANIFEST
from sordino.verify.shapes import SHAPES
from sordino.verify.shapes.sequel import ALONE
from sordino.words import claims
from sordino.words.blocks import Page, Points, Sides, Text
from sordino.words.kinds import words_of
from sordino.words.steps import Asked

CHOICES = {0: ["x"], 4: ["c"], 7: ["b"]}
SURE = Assurance("0.2", "0.1", 3)
CELLS = {"Job": ["cook", "clerk"], "Town": ["A", "B"], "Ill": ["flu", "hiv"]}


def records() -> list[set[str]]:
    rng = random.Random(3)
    return [set(rng.sample("abcdef", rng.randint(2, 5))) | ({"x"} if rng.random() < 0.4 else set()) for _ in range(40)]


def rows() -> list[dict[str, str]]:
    rng = random.Random(4)
    return [{name: rng.choice(values) for name, values in CELLS.items()} for _ in range(30)]


TREE_OF_ITEMS = {"ALL": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f"]}}
PLAIN = sordino.InferencePolicy(["x"], "0.5")
ABSENT = sordino.InferencePolicy(["x"], "0.5", absent="any")
TWO = sordino.InferencePolicy(["x"], "0.3", knowledge=2)
WAYS: dict[str, tuple[str, Any, Any, dict[str, Any]]] = {  # shape, data, policy, options
    "any knowledge": ("inference", records, PLAIN, {}),
    "two items": ("inference", records, TWO, {}),
    "wider items": ("generalized", records, PLAIN, {"method": "lgps", "hierarchy": TREE_OF_ITEMS}),
    "absence": ("absence", records, ABSENT, {}),
    "absence, wider items": ("generalized_absence", records, ABSENT, {"method": "lgps", "hierarchy": TREE_OF_ITEMS}),
    "continued": ("sequel", records, PLAIN, {}),
    "permuted": ("permuted", records, PLAIN, {"method": "cahd"}),
    "permuted, two items": ("permuted", records, TWO, {"method": "cahd"}),
    "personal": ("promised", records, sordino.InferencePolicy([], "0.5", per_record=CHOICES), {}),
    "sampled": ("promised", records, sordino.InferencePolicy(["x"], "0.5", assurance=SURE), {}),
    "both": ("promised", records, sordino.InferencePolicy(["x"], "0.5", per_record=CHOICES, assurance=SURE), {}),
    "templates": ("template", rows, TemplatePolicy([Template(["Job", "Town"], "Ill", "hiv", "0.6")]), {}),
    "mined rules": ("diversity", people, sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE}), {}),
    "no rules": ("diversity", people, sordino.DiversityPolicy("Disease", QUASI, 3, mined=False), {}),
}

# A phrase, and the only releases whose texts or verdicts may contain it.
EXACT = [
    "any knowledge", "two items", "wider items", "absence", "absence, wider items", "continued", "permuted",
    "permuted, two items", "templates",
]  # fmt: skip
ABSENCE = ["absence", "absence, wider items"]
CLAIMS: dict[str, list[str]] = {
    "any part of a person's record": ["any knowledge", "wider items", "continued", "personal"],
    "that some are present, that some are absent, or any combination of both": ABSENCE,
    "whatever is known of a person's other items": ABSENCE,
    "whoever doubts it counts equal records": ABSENCE,
    "Knowing what a person does NOT have, or why": [
        "any knowledge",
        "two items",
        "wider items",
        "continued",
        "personal",
        "sampled",
        "both",
        "permuted",
        "permuted, two items",
    ],
    "someone who has all of them, knows which rows belong to the same person": ["continued"],
    "by itself it is valid": ["continued"],
    "It was also checked together": ["continued"],
    "at most 2 items of a person's record": ["two items"],
    "at most 3 items of a person's record": ["sampled", "both"],
    "This is exact, without rounding or sampling": EXACT,
    "This is exact": [*EXACT, "mined rules", "no rules"],
    "checked exactly": ["personal"],
    "nobody can infer": ["personal"],
    "Every part of what may be known": ["personal"],
    "no sensitive item can be inferred": ["any knowledge", "two items", "wider items", "continued", *ABSENCE],
    "SAMPLED, not complete": ["sampled", "both"],
    "The proof was checked": ["any knowledge", "two items", "wider items", "continued"],
    "knows any NON-SENSITIVE items": ["permuted", "permuted, two items"],
    "everything above": [],
    "shares no code with the rest": [],
    "nor the program that made it": [],
    "hardly anybody": [],
    "all the rules in knowledge.json": ["mined rules", "no rules"],
    "is the publisher's word: it cannot be checked without the original data": ["mined rules"],
}
# What the verdict must say, where it holds only in part or for few.
LIMITS = {
    "permuted": "Nothing is promised against someone who knows a sensitive item",
    "sampled": "less than 20% of those who know so much can infer",
    "both": "less than 20% of those who know so much can infer",
    "mined rules": "for someone who knows the published rules",
    "no rules": "for someone who knows the published rules",
}


Texts = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def all_texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Texts, Texts]:
    """All that is said of a release of each sort: to those who receive it, and in the house that makes it."""
    said, shown = {}, {}
    for name, (shape, data, policy, options) in WAYS.items():
        if shape == "sequel":
            first = sordino.protect(data()[:30], policy, seed=5).write(tmp_path_factory.mktemp("words") / "first")
            options = {"previous": first}
        release = sordino.protect(data(), policy, seed=1, **options)
        out = release.write(tmp_path_factory.mktemp("words") / "out")
        publish = out / "publish"
        before = (publish / MANIFEST).read_bytes()
        release.write(out, force=True)  # what a release puts into its folder is known as its own
        assert (publish / MANIFEST).read_bytes() == before, name
        stated = json.loads((publish / MANIFEST).read_bytes())
        assert stated.get("shape", stated["policy"]["kind"]) == shape, name
        needed = {"original": data()} if shape == "promised" or name == "mined rules" else {}
        if shape == "sequel":
            needed = {"previous": options["previous"]}
        asked = None if shape == "permuted" else policy  # any stated policy demands more than permuted data promise
        verdict: Any = sordino.verify(out if shape == "sequel" else publish, asked, **needed)
        assert verdict.holds, (name, verdict.reason)
        alone: Any = sordino.verify(publish)
        said[name] = {
            "readme": " ".join((publish / "README.txt").read_text().split()),
            "promises": " ".join([*stated["guaranteed"], *stated["not_guaranteed"]]),
            "verdict": " ".join(verdict.sentences()),
            "alone": " ".join(alone.sentences()),
            "answer": alone.answer,
        }
        shown[name] = {
            "release": release,
            "policy": policy,
            "told": house_page(out),
            "terminal": words(plain(protect_page(release, out))),
            "page": words((out / "keep" / "report.html").read_text()),
            "notebook": words(release._repr_html_()),
        }
    return said, shown


@pytest.fixture(scope="module")
def told(all_texts: tuple[Texts, Texts]) -> Texts:
    """What is said in the folder, and by the verifier with all that it can be given."""
    return all_texts[0]


@pytest.fixture(scope="module")
def shown(all_texts: tuple[Texts, Texts]) -> Texts:
    """What is said in the house: in the terminal, on the page, and in a notebook."""
    return all_texts[1]


def words(text: str) -> str:
    """What a text says, without its markup and line breaks."""
    body = re.sub(r"<(style|svg).*?</\1>", " ", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def sentences(page: Page) -> list[str]:
    """The verdict of a page, and every sentence under it that does not look closer."""
    found = [page.verdict]
    for block in (block for section in page.sections for block in section.blocks):
        found += [block.text] if isinstance(block, Text) else block.points if isinstance(block, Points) else ()
        if isinstance(block, Sides):
            found += [s for _, side in (block.left, block.right) for b in side for s in getattr(b, "points", ())]
    return found


def test_every_shape_is_told_of() -> None:
    assert {shape for shape, _, _, _ in WAYS.values()} == set(SHAPES)


@pytest.mark.parametrize("name", WAYS)
def test_no_claim_that_was_not_checked(name: str, told: dict[str, dict[str, str]]) -> None:
    for claim, allowed in CLAIMS.items():
        for where, text in told[name].items():
            assert claim not in text or name in allowed, (claim, where)
    assert LIMITS.get(name, "") in told[name]["verdict"]


@pytest.mark.parametrize("claim", [claim for claim, allowed in CLAIMS.items() if allowed])
def test_every_claim_is_made_where_it_may(claim: str, told: dict[str, dict[str, str]]) -> None:
    for name in CLAIMS[claim]:
        assert any(claim in text for text in told[name].values()), name


@pytest.mark.parametrize("name", WAYS)
def test_what_is_shared_and_what_codes_mean(name: str, told: dict[str, dict[str, str]]) -> None:
    readme = told[name]["readme"]
    assert "shares no code with the audit and the methods; it shares the readers and writers of files" in readme
    assert "Exit code 0 means: every file is the one that manifest.json describes" in readme
    assert "Exit code 3: something could not be checked" in readme
    assert "is the publisher's word" in readme
    whose = "the release's own" if WAYS[name][0] == "permuted" else "the one that was stated"
    assert f"The policy is {whose}" in told[name]["verdict"]


@pytest.mark.parametrize("name", WAYS)
def test_without_what_is_needed_nothing_is_claimed(name: str, told: dict[str, dict[str, str]]) -> None:
    promised, continued = (WAYS[name][0] == shape for shape in ("promised", "sequel"))
    assert told[name]["answer"] == (Answer.NOT_CHECKED if promised or continued else Answer.HOLDS)
    if continued:
        assert "--with" in told[name]["alone"]
        assert "ends with exit code 3" in told[name]["readme"]
        assert "together with" not in told[name]["alone"].replace(ALONE, "")
    if promised:
        assert "--original" in told[name]["alone"]
        assert "can infer what" not in told[name]["alone"]
        assert "ends with exit code 3" in told[name]["readme"]
    else:
        assert "whoever published it chose what is demanded" in told[name]["alone"]


@pytest.mark.parametrize("name", WAYS)
def test_a_release_says_the_same_in_the_terminal_on_the_page_and_in_a_notebook(name: str, shown: Texts) -> None:
    """Its verdict, its qualifications, what is promised and what is not: the same sentences, none left out."""
    texts = shown[name]
    said = sentences(texts["told"])
    assert len(said) > 5
    for sentence in said:
        for where in ("terminal", "page"):
            assert words(sentence) in texts[where], (where, sentence)
    history = texts["release"].outcome()
    own = words_of(history["before"].get("kind"))
    verdict = claims.released(history["before"], history["after"], kept=own.KEPT, joint=history.get("joint"))
    assert texts["told"].verdict == verdict == texts["release"].summary()[: len(verdict)]
    for sentence in (verdict, *history.get("remarks", ()), *history["before"]["remarks"]):
        if not sentence.startswith("What people do NOT have was taken"):  # which is said of what is published instead
            assert words(sentence) in texts["notebook"], sentence


@pytest.mark.parametrize("name", WAYS)
def test_an_audit_says_the_same_in_the_terminal_on_the_page_and_in_a_notebook(name: str, shown: Texts) -> None:
    for result in (shown[name]["release"].audit_before, shown[name]["release"].audit_after):
        found = result.to_dict()
        texts = {
            "terminal": words(plain(audit_page(result, "data", Asked(), shown[name]["policy"]))),
            "page": words(audit_report(found, Source("data"), shown[name]["policy"])),
            "notebook": words(result._repr_html_()),
        }
        said = [claims.verdict(found), result.verdict(), *claims.stayed_open(found), *found["remarks"]]
        if "kind" not in found:
            said += claims.examined(found)
        for where, text in texts.items():
            for sentence in said:
                assert words(sentence) in text, (where, sentence)


@pytest.mark.parametrize("name", ["permuted", "permuted, two items"])
def test_permuted_data_are_never_told_as_safe_from_all(name: str, shown: Texts) -> None:
    for where in ("terminal", "page", "notebook"):
        text = shown[name][where]
        assert "obody is" not in text, where
        assert "→ 0" not in text, where
        assert "SAFE now against someone who knows only non-sensitive items of a record" in text, where
    assert "obody is" not in shown[name]["release"].summary()
    for where in ("terminal", "page"):
        assert "Against someone who knows a SENSITIVE item of a person nothing is promised" in shown[name][where]
