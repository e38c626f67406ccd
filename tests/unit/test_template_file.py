"""Template policies as TOML: as the issue writes them, all problems at once, and back again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import sordino
from sordino.errors import PolicyError
from sordino.policy.bins import Bins
from sordino.policy.file import write_policy
from sordino.policy.template import Template, TemplatePolicy
from sordino.policy.template_file import write

PAPER = """
kind = "template"
class = "Rating"
[[template]]
given = ["Job", "Country"]
value = { Bankruptcy = "Discharged" }
at_most = "0.75"
"""


def read(folder: Path, text: str) -> TemplatePolicy:
    path = folder / "policy.toml"
    path.write_text(text, encoding="utf-8")
    policy = sordino.read_policy(path)
    assert isinstance(policy, TemplatePolicy)
    return policy


def test_the_policy_of_the_paper(tmp_path: Path) -> None:
    policy = read(tmp_path, PAPER)
    assert policy == TemplatePolicy(
        [Template(["Job", "Country"], "Bankruptcy", "Discharged", "3/4")], class_column="Rating"
    )
    assert policy.symbol == "*"


def test_every_way_to_say_it(tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("Cook;manual;*\nClerk;office;*\n")
    policy = read(
        tmp_path,
        """
        kind = "template"
        symbol = "⊥"
        [[template]]
        given = ["Job"]
        values = { State = ["a", "b", 3] }
        at_most = 0.5
        [[template]]
        given = ["Job", "Age"]
        sensitive = "State"
        values = ["a"]
        at_most = "1/3"
        [[template]]
        given = ["Age"]
        rarest = { State = "50%" }
        at_most = "30%"
        [[template]]
        given = ["Age"]
        sensitive = "Job"
        rarest = "100%"
        at_most = "0.9"
        [bins]
        Age = { width = 10 }
        [hierarchies]
        Job = "jobs.csv"
        """,
    )
    assert [t.values for t in policy.templates] == [("a", "b", "3"), ("a",), (), ()]
    assert [t.rarest for t in policy.templates] == [None, None, Fraction(1, 2), Fraction(1)]
    assert [t.at_most for t in policy.templates] == [
        Fraction(1, 2),
        Fraction(1, 3),
        Fraction(3, 10),
        Fraction(9, 10),
    ]
    assert policy.bins == {"Age": Bins(width=Fraction(10))}
    assert policy.symbol == "⊥"
    assert set(policy.hierarchies["Job"].leaf_of) == {"Cook", "Clerk"}
    assert read(tmp_path, write(policy, {"Job": "jobs.csv"})) == policy


@pytest.mark.parametrize(
    "bins", [{"quantile": 4}, {"width": "2.5"}, {"edges": [-1, "0.5", 30]}], ids=["quantile", "width", "edges"]
)
def test_what_is_written_reads_back(bins: object, tmp_path: Path) -> None:
    policy = TemplatePolicy(
        [Template(['a "b"', "é\n"], "s", ["x\\", "y"], "1/7"), Template("n", "s", rarest="1/3")],
        class_column="c]",
        bins={"n": bins},
    )
    assert read(tmp_path, write_policy(policy)) == policy


def test_a_misplaced_key_is_told_where_it_belongs(tmp_path: Path) -> None:
    template = '[[template]]\ngiven = ["Job"]\nvalue = { State = "a" }\nclass = "Rating"\n'
    with pytest.raises(PolicyError) as caught:
        read(tmp_path, 'kind = "template"\nat_most = "0.5"\n' + template)
    told = str(caught.value)
    assert "'at_most' does not belong here: write it in a [[template]]" in told
    assert "template 1: 'class' does not belong here: write it at the top of the file" in told
    assert "template 1: at_most is missing" in told


def test_all_problems_at_once(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        read(
            tmp_path,
            """
            kind = "template"
            clas = "Rating"
            [[template]]
            givn = ["Job"]
            value = { State = "a" }
            at_most = "2"
            [[template]]
            given = ["Job"]
            value = "a"
            [[template]]
            given = ["Job"]
            at_most = "0.5"
            [bins]
            Age = { widht = 3 }
            [hierarchies]
            Job = "none.csv"
            """,
        )
    text = str(caught.value)
    for part in (
        "unknown key 'clas'. Did you mean 'class'?",
        "template 1: unknown key 'givn'. Did you mean 'given'?",
        "template 1: 'given' names no column",
        "template 1: at_most: 2 is not between",
        "template 2: at_most is missing",
        "template 2: value must say of which column",
        "template 3: state what must not be inferred",
        "bins of 'Age'",
        "hierarchy of 'Job'",
    ):
        assert part in text, part
    assert "policy.toml" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "template"', r"no \[\[template\]\]"),
        ('kind = "template"\ntemplate = 3', r"\[\[template\]\] sections"),
        ('kind = "template"\n[template]\ngiven = ["a"]', r"\[\[template\]\] sections"),
        (PAPER + "[bins]\nOther = { width = 3 }", "no template names it"),
        (PAPER.replace('"Rating"', "3"), "class must be the name"),
        ("bins = 3\n" + PAPER, "'bins' must be a section"),
        (PAPER + "[hierarchies]\nJob = 3", "must be the name of a file"),
        (PAPER.replace('"Discharged"', "[1]"), "one value"),
        (PAPER.replace('value = { Bankruptcy = "Discharged" }', "values = { Bankruptcy = [] }"), "a list of values"),
        (PAPER.replace('{ Bankruptcy = "Discharged" }', "{ a = 1, b = 2 }"), "must name one column"),
        (PAPER.replace('["Job", "Country"]', '["Job", "Bankruptcy"]'), "both given and to be inferred"),
        ('symbol = ""\n' + PAPER, "symbol"),
    ],
    ids=range(12),
)
def test_what_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=message):
        read(tmp_path, text)


def test_numbers_mean_what_their_text_says(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        'kind = "template"\n[[template]]\ngiven = ["a"]\nvalues = { price = [1.50, 2] }\n'
        "at_most = 0.33333333333333333333\n[bins]\na = { edges = [0.1, 0.30000000000000000001] }\n"
    )
    policy = sordino.read_policy(path)
    assert isinstance(policy, TemplatePolicy)
    assert policy.templates[0].at_most == Fraction(33333333333333333333, 10**20)
    assert policy.templates[0].values == ("1.50", "2")
    assert policy.bins["a"].edges == (Fraction(1, 10), Fraction(30000000000000000001, 10**20))
    path.write_text(
        'kind = "diversity"\nsensitive = "s"\nquasi = ["q"]\nl = 2\n'
        "[knowledge]\nmin_expectation = 0.900000000000000001\n"
    )
    diverse = sordino.read_policy(path)
    assert isinstance(diverse, sordino.DiversityPolicy)
    assert diverse.min_expectation == Fraction(900000000000000001, 10**18)
