"""Diversity policies, their files, and files of rules, also hostile ones."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import sordino
from diseased import QUASI, TREE, people, write_people
from sordino import DiversityPolicy, NegativeRule
from sordino.data.grouped import read_groups
from sordino.data.nodes import nodes_of
from sordino.data.read_hierarchy import read_hierarchy
from sordino.errors import InputError, PolicyError
from sordino.kinds import read_policy
from sordino.policy.diversity_file import write
from sordino.policy.rules_file import encoded_rules, read_rules, rules_from_text


def problems(*arguments: object, **options: object) -> str:
    with pytest.raises(PolicyError) as error:
        DiversityPolicy(*arguments, **options)  # type: ignore[arg-type]
    return str(error.value)


def test_all_problems_at_once() -> None:
    said = problems(
        "Disease",
        ["Disease"],
        1,
        min_expectation="1.5",
        max_conditions=0,
        hierarchies={"Aeg": TREE},
        fuzzy=["Age"],
        rules=[NegativeRule({"Sxe": "M"}, "ovarian")],
    )
    for part in ("both sensitive and", "l must be", "min_expectation", "max_conditions", "Aeg", "fuzzy", "Sxe"):
        assert part in said
    assert "7 problems" in said


def test_a_policy_file_reads_back(tmp_path: Path) -> None:
    _, path = write_people(tmp_path, more='max_conditions = 0\nfuzzy = ["Age"]')
    policy = read_policy(path)
    assert isinstance(policy, DiversityPolicy)
    assert (policy.l, policy.max_conditions, policy.fuzzy, policy.min_expectation) == (
        3,
        None,
        ("Age",),
        Fraction(9, 10),
    )
    (tmp_path / "again.toml").write_text(write(policy, {"Age": "age.json"}), encoding="utf-8")
    assert read_policy(tmp_path / "again.toml") == policy


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('sensitive = "D"\nquasi = ["A"]', "l is missing"),
        ('quasi = ["A"]\nl = 2', "sensitive is missing"),
        ('sensitive = "D"\nquasi = "A"\nl = 2', "quasi must be a list"),
        ('sensitive = "D"\nquasi = ["A"]\nl = 2\nquazi = 1', "Did you mean 'quasi'"),
        ('sensitive = "D"\nquasi = ["A"]\nl = 2\n[knowledge]\nminned = true', "Did you mean 'mined'"),
        ('sensitive = "D"\nquasi = ["A"]\nl = 2\n[knowledge]\nrules = "no.csv"', "cannot read the rules"),
        ('sensitive = "D"\nquasi = ["A"]\nl = 2\n[knowledge]\nrules = 3', "must be the name of a file"),
        ('sensitive = "D"\nquasi = ["A"]\nl = 2\nknowledge = 3', "must be a section"),
        ('sensitive = "D"\nquasi = ["A"]\nl = 2\n[hierarchies]\nA = 3', "must be the name of a file"),
        ('sensitive = "D"\nquasi = ["A"]\nl = true', "l must be"),
    ],
    ids=["l", "sensitive", "quasi", "key", "knowledge", "no-file", "no-name", "section", "tree", "truth"],
)
def test_wrong_policy_files(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'kind = "diversity"\n{text}\n', encoding="utf-8")
    with pytest.raises(PolicyError, match=part):
        read_policy(path)


def test_resolving_tells_everything_that_is_wrong() -> None:
    rules = [NegativeRule({"Sex": "m"}, "ovarian"), NegativeRule({"Age": "yuong"}, "gout")]
    policy = DiversityPolicy("Disease", QUASI, 2, rules=rules, hierarchies={"Age": TREE})
    with pytest.raises(PolicyError) as error:
        policy.resolve(sordino.read_table(people()))
    said = str(error.value)
    assert "Sex = 'm'" in said
    assert "young" not in said
    assert "Instead of 'yuong', did you mean 'young'?" in error.value.suggestions
    assert "excludes 'gout', which nobody has" in said
    accepted = policy.resolve(sordino.read_table(people()), missing="accept")
    assert len(accepted.given) == 0
    assert "2 of the given rules concern nobody" in accepted.remarks[0]
    with pytest.raises(PolicyError, match=r"no column 'Desease'\. Did you mean 'Disease'"):
        DiversityPolicy("Desease", QUASI, 2).resolve(sordino.read_table(people()))
    with pytest.raises(PolicyError, match="does not cover"):
        DiversityPolicy("Disease", QUASI, 2, hierarchies={"Town": TREE}).resolve(sordino.read_table(people()))


def test_a_rule_that_the_data_contradict_is_refused_without_naming_anybody() -> None:
    policy = DiversityPolicy("Disease", QUASI, 2, rules=[NegativeRule({"Sex": "M"}, "flu")])
    with pytest.raises(PolicyError, match=r"\{Sex=M\} => not flu is wrong about \d+ people"):
        sordino.protect(people(), policy)


def test_rules_go_out_and_come_back(tmp_path: Path) -> None:
    mined = sordino.rules(people(), sensitive="Disease", quasi=QUASI, hierarchies={"Age": TREE}, max_conditions=1)
    said = {rule.sentence() for rule in mined}
    assert {
        "Nobody with Sex = M has ovarian.",
        "Nobody with Sex = F has prostate.",
    } <= said
    for name in ("rules.csv", "rules.json"):
        mined.write(tmp_path / name)
        back = read_rules(tmp_path / name, "Disease", QUASI)
        assert [rule.meaning for rule in back] == [rule.meaning for rule in mined]
    assert json.loads((tmp_path / "rules.json").read_text(encoding="utf-8"))[0]["not"] == mined[0].excludes


def test_rules_with_commas_quotes_and_a_column_called_people() -> None:
    rules = [NegativeRule({'a,"b': "x\ny", "people": "1"}, 's,"t')]
    quasi = ['a,"b', "people"]
    back = rules_from_text(encoded_rules(rules, "S", quasi).decode(), "S", quasi)
    assert back[0].meaning == rules[0].meaning


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("\n,,\n", "empty"),
        ("Sex,Disease\nM,flu\n", "no column 'not Disease'"),
        ("Sex,not Illness\nM,flu\n", "It has 'not Illness'"),
        ("Sxe,not Disease\nM,flu\n", "Did you mean 'Sex'"),
        ("Sex,Sex,not Disease\nM,F,flu\n", "stands twice"),
        ("Sex,not Disease\n,flu\n", "line 2: a rule without a condition"),
        ("Sex,not Disease\nM,\n", "line 2: no value"),
        ("Sex,not Disease\nM\n", "line 2: 1 cells"),
        ('Sex,not Disease\n"M,flu\n', "not valid CSV"),
        ("Sex,not Disease\n" + "x" * 200_000 + ",flu\n", "not valid CSV"),
        ('{"if": 1}', "must be a list"),
        ("[1]", "rule 1"),
        ('[{"if": {"Sex": "M"}}]', "rule 1"),
        ('[{"if": {}, "not": "flu"}]', "without a condition"),
        ('[{"if": {"Sex": ["M"]}, "not": "flu"}]', "must be a value"),
        ('[{"if": {"Sxe": "M"}, "not": "flu"}]', "Did you mean 'Sex'"),
        ("[" * 100_000, "not valid JSON"),
    ],
    ids=[
        "empty", "blank", "no-not", "other-not", "column", "twice", "no-condition", "no-value", "short", "quote",
        "long", "object", "number", "no-not-json", "no-condition-json", "list", "column-json", "deep",
    ],
)  # fmt: skip
def test_hostile_rules(text: str, part: str) -> None:
    with pytest.raises(PolicyError) as error:
        rules_from_text(text, "Disease", QUASI)
    assert part in str(error.value)
    assert len(str(error.value)) < 2000


def test_files_that_are_no_rules(tmp_path: Path) -> None:
    path = tmp_path / "rules.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_rules(path, "Disease", QUASI)
    path.write_bytes(b"Sex,not Disease\nM,\0\n")
    with pytest.raises(InputError, match="NUL"):
        read_rules(path, "Disease", QUASI)
    with pytest.raises(InputError, match="cannot read the rules"):
        read_rules(tmp_path, "Disease", QUASI)
    many = "Sex,not Disease\n" + "M,\n" * 50_000
    with pytest.raises(PolicyError, match="and 49,992 more"):
        rules_from_text(many, "Disease", QUASI)


def test_spreadsheet_habits_are_accepted() -> None:
    text = (
        "\ufeffSex,Age,not Disease,my notes\r\n M , old ,ovarian,men do not get it\r\n\r\nM,,ovarian\r\nM,,ovarian\r\n"
    )
    rules = rules_from_text(text.removeprefix("\ufeff"), "Disease", QUASI)
    assert [rule.conditions for rule in rules] == [(("Sex", "M"), ("Age", "old")), (("Sex", "M"),)]


def test_nodes_of_a_chain_and_of_a_missing_value() -> None:
    tree = read_hierarchy({"name": "*", "children": [{"name": "g", "children": [{"name": "a"}]}, {"name": "b"}]})
    nodes = nodes_of("X", ["a", "b"], tree)
    assert nodes.labels == ("a", "b")  # g holds a alone, so it is no node of its own
    assert nodes.find("g", tree) == 0
    assert nodes.find("*", tree) == "everybody"
    assert nodes.find("?", tree) is None
    rows = [{"X": None, "S": "s"}, {"X": "a", "S": "t"}] * 20
    policy = DiversityPolicy("S", ["X"], 2, hierarchies={"X": tree}, fuzzy=[])
    ready = policy.resolve(sordino.read_table(rows))
    assert ready.nodes[0].labels == ("a", "(missing)")
    assert "Nobody with X = (missing) has t." in [
        rule.sentence() for rule in sordino.rules(rows, sensitive="S", quasi=["X"])
    ]


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ([{"g": "1", "S": "s", "Count": 3}], "another number of people"),
        ([{"g": "1", "S": "s", "Count": 1}, {"g": "9", "S": "s", "Count": 1}], "groups that no row is in"),
        ([{"g": "1", "S": "s", "Count": -2}], "must hold whole numbers"),
        ([{"g": "1", "S": "s", "Count": "many"}], "must hold whole numbers"),
        ([{"g": "1", "S": "s", "n": 2, "count": 2}], "more than one column"),
        ([{"h": "1", "S": "s"}], "has no column 'g'"),
    ],
    ids=["sizes", "groups", "negative", "words", "counts", "column"],
)
def test_tables_of_values_that_do_not_fit(values: list[dict[str, object]], part: str) -> None:
    rows = [{"g": "1", "X": "a"}, {"g": "1", "X": "b"}]
    with pytest.raises(InputError, match=part):
        read_groups(rows, "g", values).joined("S")


def test_a_table_of_values_without_counts_has_one_each() -> None:
    rows = [{"g": "1", "X": "a"}, {"g": "1", "X": "b"}, {"g": "2", "X": "a"}]
    values = [{"g": "2", "S": "u"}, {"g": "1", "S": "t"}, {"g": "1", "S": "s"}]
    joined = read_groups(rows, "g", values).joined("S")
    assert [joined.row(k)[2] for k in range(3)] == ["t", "s", "u"]
    with pytest.raises(InputError, match="1 row has no group"):
        read_groups([{"g": None, "X": "a"}, {"g": "1", "X": "a"}], "g").groups()


@pytest.mark.parametrize("mark", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_rules_come_back_from_any_spreadsheet(mark: str) -> None:
    text = "Sex,not Disease,people\nM,ovarian,12\n".replace(",", mark)
    (rule,) = rules_from_text(text, "Disease", ["Sex"])
    assert rule.meaning == NegativeRule({"Sex": "M"}, "ovarian").meaning
