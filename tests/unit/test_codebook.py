"""Code books: codes have names on every page of the house, and in nothing that is published."""

from __future__ import annotations

from pathlib import Path

import pytest

import sordino
from sordino.data.codebook import read_codebook
from sordino.data.read_table import read_table
from sordino.errors import InputError, PolicyError

RECORDS = [["1", "29"], ["1", "29", "30"], ["1", "30"], ["2", "29"], ["2", "31"], ["2", "30", "31"]]
NAMES = {"29": "Asthma", "30": "Insulin, long", "77": "Nothing"}
POLICY = sordino.InferencePolicy(["29"], "0.5")


def book(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "codes.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        'code,name\n29,Asthma\n30,"Insulin, long"\n77,Nothing\n',
        '29,Asthma\n\n30,"Insulin, long"\n77,Nothing',
        "item;label\r\n29;Asthma\r\n30;Insulin, long\r\n77;Nothing\r\n",
        "﻿Code\tMeaning\n29\tAsthma\n30\tInsulin, long\n77\tNothing\n",
    ],
)
def test_a_code_book_is_read_as_it_comes(tmp_path: Path, text: str) -> None:
    assert read_codebook(book(tmp_path, text)).of_items() == NAMES


def test_codes_of_columns_are_items_of_the_form_column_equals_code(tmp_path: Path) -> None:
    read = read_codebook(book(tmp_path, "column,code,name\nsex,1,male\nsmoker,1,yes\n"))
    assert read.of_items() == {"sex=1": "male", "smoker=1": "yes"}
    assert read == read_codebook({"sex": {"1": "male"}, "smoker": {1: "yes"}})


@pytest.mark.parametrize(
    ("text", "wrong", "line"),
    [
        ("29,Asthma\n29,Diabetes\n", "another name already", "line 2"),
        ("29\n", "1 columns where two or three", "line 1"),
        ("29,Asthma\n30\n", "2 texts were expected", "line 2"),
        ("29,Asthma\n30,\n", "2 texts were expected", "line 2"),
        ("code,name\n", "names nothing", "codes.csv"),
        ('29,"Asthma\n', "no CSV", "line 1"),
    ],
)
def test_what_is_wrong_with_a_code_book_is_said_with_its_line(tmp_path: Path, text: str, wrong: str, line: str) -> None:
    with pytest.raises(InputError, match=wrong) as told:
        read_codebook(book(tmp_path, text))
    assert line in str(told.value)
    assert "Asthma" not in str(told.value)
    assert "Diabetes" not in str(told.value)


def test_an_audit_names_codes_wherever_it_shows_them() -> None:
    result = sordino.audit(RECORDS, POLICY, labels=NAMES)
    plain = sordino.audit(RECORDS, POLICY)
    assert result.findings == plain.findings  # the findings themselves are in codes
    assert "can infer 29 (Asthma)" in result.findings[0].sentence()
    assert "29 (Asthma)" in str(result)
    assert "29 (Asthma)" in result._repr_html_()
    told = result.to_dict()
    assert told["labels"] == {"29": "Asthma"}  # those that it mentions
    assert told["findings"] == plain.to_dict()["findings"]
    assert "labels" not in plain.to_dict()
    assert "Asthma" not in str(plain)


def test_codes_without_a_name_and_names_without_a_code_are_told() -> None:
    remarks = sordino.audit(RECORDS, POLICY, labels=NAMES).remarks
    assert "the code book has no name for 3 of 5 codes: '1', '2', '31'." in remarks
    assert "the code book names 1 code that does not occur: '77'." in remarks


def test_the_name_of_a_code_is_no_item_and_the_error_says_which_code_is_meant() -> None:
    with pytest.raises(PolicyError, match="'Asthma' is what the code book calls '29': a policy names the code"):
        sordino.audit(RECORDS, sordino.InferencePolicy(["Asthma"], "0.5"), labels=NAMES)


def test_a_policy_names_its_code_book_and_nothing_of_it_is_published(tmp_path: Path) -> None:
    book(tmp_path, 'code,name\n29,Asthma\n30,"Insulin, long"\n')
    file = tmp_path / "policy.toml"
    file.write_text('labels = "codes.csv"\n[sensitive]\nitems = [29]\n[threshold]\nrho = "0.5"\n', encoding="utf-8")
    read = sordino.read_policy(file)
    assert read == POLICY  # names are no part of what it demands
    release = sordino.protect(RECORDS, read, seed=1)
    assert "29 (Asthma)" in release._repr_html_()
    folder = release.write(tmp_path / "release")
    published = [path for path in (folder / "publish").rglob("*") if path.is_file()]
    assert len(published) > 3
    assert not any(b"Asthma" in path.read_bytes() for path in published)
    assert "Asthma" in (folder / "keep" / "report.html").read_text(encoding="utf-8")
    bare = sordino.protect(RECORDS, POLICY, seed=1).write(tmp_path / "bare")
    for path in published:
        assert path.read_bytes() == (bare / "publish" / path.name).read_bytes()
    cost = sordino.measure(RECORDS, release.data, read)
    assert "29 (Asthma)" in str(cost)


@pytest.mark.parametrize("stated", ["3", '""', "{}", "[]", "{ Sex = 1 }", '"nowhere.csv"'])
def test_labels_that_cannot_be_are_problems_of_the_policy_beside_its_others(tmp_path: Path, stated: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(f"labels = {stated}\n[sensitive]\nitems = [29]\n", encoding="utf-8")
    with pytest.raises(PolicyError) as told:
        sordino.read_policy(file)
    assert len(told.value.problems) == 2  # rho is missing, too


ROWS = "Sex,Job,Debt\n1,a,1\n1,a,1\n2,b,2\n2,a,1\n2,b,2\n1,b,2\n"
TEMPLATE = sordino.TemplatePolicy([sordino.Template(["Sex", "Job"], "Debt", ["1"], "0.5")])


def test_values_of_tables_have_names_by_column(tmp_path: Path) -> None:
    data = tmp_path / "rows.csv"
    data.write_text(ROWS, encoding="utf-8")
    names = {"Sex": {"1": "male", "2": "female"}, "Debt": {"1": "much", "2": "none"}}
    result = sordino.audit(data, TEMPLATE, labels=names)
    text = str(result)
    assert "Sex = 1 (male)" in text
    assert "Debt = 1 (much)" in text
    assert "Job = a" in text
    assert "Sex = 1 (male)" in result.findings[0].sentence() or "Sex = 2 (female)" in result.findings[0].sentence()
    look = sordino.inspect(data, labels=names)
    assert "1 (male)" in str(look)
    assert "2 (none)" in str(look)


def test_a_table_must_know_of_which_column_codes_are(tmp_path: Path) -> None:
    data = tmp_path / "rows.csv"
    data.write_text(ROWS, encoding="utf-8")
    table = read_table(data)
    with pytest.raises(InputError, match="does not say of which column"):
        sordino.audit(table, TEMPLATE, labels={"1": "male"})
    with pytest.raises(InputError, match="no column 'sex'"):
        sordino.audit(table, TEMPLATE, labels={"sex": {"1": "male"}})
    book(tmp_path, "1,male\n2,female\n")
    file = tmp_path / "policy.toml"
    file.write_text(
        'kind = "template"\nlabels = { Sex = "codes.csv" }\n'
        '[[template]]\ngiven = ["Sex", "Job"]\nvalue = { Debt = "1" }\nat_most = "0.5"\n',
        encoding="utf-8",
    )
    assert "Sex = 1 (male)" in str(sordino.audit(table, file))


def test_findings_about_groups_name_values(tmp_path: Path) -> None:
    data = tmp_path / "rows.csv"
    data.write_text("Sex,Place,D\n1,a,7\n2,a,8\n1,a,9\n2,b,9\n2,b,9\n2,b,8\n", encoding="utf-8")
    policy = sordino.DiversityPolicy(
        "D", ["Sex", "Place"], 3, mined=False, rules=[sordino.NegativeRule({"Sex": "2"}, "7")]
    )
    names = {"Sex": {"2": "female"}, "D": {"7": "asthma", "8": "flu", "9": "cold"}}
    result = sordino.audit(data, policy, labels=names)
    said = [finding.sentence() for finding in result.findings]
    assert any("8 (flu) and 9 (cold)" in sentence for sentence in said)
    assert "9 (cold)" in str(result)
    rule = sordino.NegativeRule({"Sex": "2"}, "7")
    known = type(result.findings[0])(None, (rule,), ("8",), 1, names={**names, "": names["D"]})
    assert "{Sex=2 (female)} excludes 7 (asthma), only 8 (flu) remains" in known.sentence()


def test_what_a_look_at_baskets_shows_has_names() -> None:
    look = sordino.inspect(RECORDS, labels=NAMES)
    assert "{1, 29 (Asthma)}" in str(look)
    assert look.to_dict()["baskets"]["first"][0]["items"] == ["1", "29"]
    assert look.to_dict()["labels"]["29"] == "Asthma"
    assert any("no name for 3 of 5" in doubt for doubt in look.to_dict()["baskets"]["doubts"])
