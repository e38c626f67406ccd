"""A dishonest publisher who makes all checksums and texts fit again: what he says beside the truth is not believed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from diseased import QUASI, TREE, people
from forged import POLICY, RULES, SHOP, put, written
from forging import as_written, reseal
from sordino import NegativeRule, Template, TemplatePolicy
from sordino.errors import InputError

# What the stated policy demands


def jobs(folder: Path) -> Path:
    """Nurses and clerks: whoever knows the job knows the illness."""
    path = folder / "jobs.csv"
    put(path, ["Job,Illness", *["nurse,flu"] * 4, *["clerk,cold"] * 4])
    return path


BY_JOB = TemplatePolicy([Template(["Job"], "Illness", ["flu", "cold"], "0.5")])


@pytest.mark.parametrize("missing", [["nurse", "clerk"], ["nurse", "clerk", "?"], ["flu"], ["flu", "cold"]])
def test_values_that_are_called_missing_do_not_vanish(missing: list[str], tmp_path: Path) -> None:
    """The file as it was, with values of the known or of the sensitive column declared to be none."""
    out = written(tmp_path, jobs(tmp_path), BY_JOB)
    (out / "data.csv").write_bytes(jobs(tmp_path).read_bytes())
    absent = [[1, value] for value in ("flu", "cold") if value in missing]

    def change(document: dict[str, Any]) -> None:
        document["data"]["missing"] = missing
        document["absent"] = absent

    reseal(out, change)
    assert sordino.verify(out, BY_JOB).answer == "fails"
    assert sordino.audit(out, BY_JOB).answer == "fails"
    own = sordino.verify(out)
    assert own.answer == ("not checked" if missing == ["flu"] else "fails")  # one column never has two ways to say it
    assert ("--null" in own.reason) == (own.answer == "not checked")
    if missing == ["nurse", "clerk"]:  # whoever agrees that these are none, agrees
        assert sordino.verify(out, BY_JOB, missing_texts=missing).answer == "fails"  # the cells still show them


def test_missing_texts_of_ones_own(tmp_path: Path) -> None:
    """An honest release of a table in which "none" stands for nothing: it holds for whoever agrees, and for others."""
    path = tmp_path / "t.csv"
    put(path, ["Job,Illness", "nurse,flu", "nurse,none", "nurse,none", "none,flu", "none,cold", "clerk,cold"])
    policy = TemplatePolicy([Template(["Job"], "Illness", "flu", "0.5")])
    out = written(tmp_path, sordino.read_table(path, missing=["none"]), policy)
    assert sordino.verify(out).answer == "not checked"
    assert sordino.verify(out, missing_texts=["none"]).holds
    assert sordino.verify(out, policy).holds
    assert "'none'" in (out / "README.txt").read_text()


def test_a_sensitive_value_that_also_means_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    put(path, ["Job,Land", *["nurse,NA"] * 3, "clerk,UK", "clerk,UK", "nurse,UK"])
    named = TemplatePolicy([Template(["Job"], "Land", ["NA", "UK"], "0.9")])
    out = written(tmp_path, sordino.read_table(path, missing=["?"]), named)
    told = sordino.verify(out, named)
    assert (told.answer, "--null" in told.reason) == ("not checked", True)
    assert sordino.verify(out, named, missing_texts=["?"]).holds


def test_numbers_written_otherwise(tmp_path: Path) -> None:
    """Stated to be text, 1.0 is not the sensitive 1; that is not believed."""
    path = tmp_path / "t.csv"
    put(path, ["Job,Code", "nurse,1.0", "nurse,1.0", "clerk,2", "clerk,3", "clerk,x"])
    policy = TemplatePolicy([Template(["Job"], "Code", ["1", "3"], "0.5")])
    weak = TemplatePolicy([Template(["Job"], "Code", ["3"], "0.5")])
    out = written(tmp_path, path, weak)

    def change(document: dict[str, Any]) -> None:
        document["policy"]["templates"][0]["values"] = ["1", "3"]
        document["absent"] = [[1, "1"]]

    reseal(out, change)
    for told in (sordino.verify(out), sordino.verify(out, policy)):
        assert (told.answer, "writes that number otherwise" in told.reason) == ("not checked", True)


def naive(folder: Path, policy: sordino.DiversityPolicy) -> Path:
    """Groups that are diverse only for somebody who knows no rule, under the name of a policy with rules."""
    plain = sordino.DiversityPolicy("Disease", QUASI, 3, mined=False, hierarchies={"Age": TREE})
    out = written(folder, people(), plain, method="anatomy")
    statement = policy.statement()
    reseal(out, lambda document: document.update(policy=statement))
    return out


OLD = NegativeRule({"Age": "young"}, "cataract")


@pytest.mark.parametrize("rules", [RULES, [OLD, *RULES]], ids=["values", "groups"])
def test_the_rules_of_the_stated_policy_count(rules: list[NegativeRule], tmp_path: Path) -> None:
    """knowledge.json without rules, or with rules whose groups of values mean nothing."""
    policy = sordino.DiversityPolicy("Disease", QUASI, 3, mined=False, rules=rules, hierarchies={"Age": TREE})
    out = naive(tmp_path, policy)
    assert "lacks a rule" in sordino.verify(out).reason
    assert sordino.verify(out, policy).answer == "fails"
    told = {"groups": {}, "rules": [{"if": dict(rule.conditions), "not": rule.excludes} for rule in rules]}
    renamed = json.loads(json.dumps(told).replace('"M"', '"m"').replace('"F"', '"f"').replace('"young"', '"Young"'))
    empty = {"groups": {"Age": {"young": []}, "Sex": {"M": [], "F": []}}, "rules": told["rules"]}
    nobody = {
        "groups": {"Age": {"young": ["7"]}, "Sex": {"M": ["x"], "F": ["y"]}}
        if len(rules) > 2
        else {"Sex": {"M": ["x"], "F": ["y"]}},
        "rules": told["rules"],
    }
    for knowledge in (renamed, empty, nobody):
        (out / "knowledge.json").write_bytes(as_written(knowledge, "knowledge.json"))
        reseal(out, lambda document: document["diversity"].update(rules=len(rules)))
        assert sordino.verify(out, policy).answer == "fails"


def test_mined_rules_are_found_again_in_the_original(tmp_path: Path) -> None:
    policy = sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE})
    out = naive(tmp_path, policy)
    assert sordino.verify(out).answer == "holds"  # somebody who knows the published rules, of which there are none
    assert "the publisher's word" in " ".join((out / "README.txt").read_text().split())
    told = sordino.verify(out, policy)
    assert (told.answer, "--original" in told.reason) == ("not checked", True)
    judged = sordino.verify(out, policy, original=people())
    assert (judged.answer, "by the stated policy somebody has only" in judged.reason) == ("fails", True)


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        ({}, {"if": {"Age": "young"}, "not": "cataract"}),
        ({"Age": {"young": ["7"]}}, {"if": {"Age": "young"}, "not": "cataract"}),
        ({"Age": {"young": ["20", "7"]}}, {"if": {"Age": "young"}, "not": "cataract"}),
        ({}, {"if": {"Sex": "M"}, "not": "Ovarian"}),
    ],
    ids=["not explained", "of nobody", "partly of nobody", "excludes what nobody has"],
)
def test_a_published_rule_that_says_nothing_is_no_rule(groups: Any, rule: Any, tmp_path: Path) -> None:
    """What it was to exclude would not be counted, and the release would look safer than it is."""
    out = naive(tmp_path, sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE}))
    knowledge = {"groups": groups, "rules": [rule]}
    (out / "knowledge.json").write_bytes(as_written(knowledge, "knowledge.json"))
    reseal(out, lambda document: document["diversity"].update(rules=1))
    told = sordino.verify(out)
    assert (told.answer, "neither in the data nor explained" in told.reason) == ("fails", True)


def test_a_group_of_values_is_what_the_stated_hierarchy_says(tmp_path: Path) -> None:
    """The same names of groups, with other values in them: the published meaning does not count."""
    policy = sordino.DiversityPolicy("Disease", QUASI, 3, mined=False, rules=[OLD], hierarchies={"Age": TREE})
    out = naive(tmp_path, policy)
    told = {"groups": {"Age": {"young": ["59"]}}, "rules": [{"if": {"Age": "young"}, "not": "cataract"}]}
    (out / "knowledge.json").write_bytes(as_written(told, "knowledge.json"))
    reseal(out, lambda document: document["diversity"].update(rules=1))
    assert sordino.verify(out, policy).answer == "fails"


def test_choices_and_assurance_are_part_of_a_policy(tmp_path: Path) -> None:
    """A release that knows nothing of choices does not satisfy a policy that has some."""
    out = written(tmp_path)
    for more in ({"per_record": {0: ["b"]}}, {"except_for": {0: ["x"]}}):
        stated = sordino.InferencePolicy(["x"], "0.5", **more)  # type: ignore[arg-type]
        told = sordino.verify(out, stated)
        assert (told.answer, "choices of single persons" in told.reason) == ("fails", True)


@pytest.mark.parametrize(
    ("stated", "difference"),
    [
        (sordino.InferencePolicy(["x"], "0.4"), "the threshold: 0.5, not 0.4"),
        (sordino.InferencePolicy(["x"], "0.6"), "the threshold: 0.5, not 0.6"),
        (sordino.InferencePolicy(["x"], "0.5", rho_of={"x": "0.1"}), "single items"),
        (sordino.InferencePolicy(["x"], "0.5", adaptive=True), "single items"),
        (sordino.InferencePolicy(["x"], "0.5", knowledge=2), "how many items may be known: any number, not 2"),
        (sordino.InferencePolicy(["b"], "0.5"), "the sensitive items"),
    ],
)
def test_another_policy_is_named(stated: Any, difference: str, tmp_path: Path) -> None:
    told = sordino.verify(written(tmp_path), stated)
    assert told.answer == "fails"
    assert difference in told.reason


# How the data are read


def test_a_table_is_not_a_list_of_baskets(tmp_path: Path) -> None:
    """A long table whose lines are called records: every id becomes an item, every line a person."""
    source = tmp_path / "t.csv"
    put(source, ["a,x", "a", "a,b,x", "a,b"])
    out = written(tmp_path, sordino.read_baskets(source, layout="baskets"))
    rows = [(f"p{k}", item) for k in range(4) for item in ("flu", "x")]
    put(out / "data.csv", ["user,product", *(",".join(row) for row in rows)])
    from sordino.audit.proof import encode_proof, make_proof

    forged = sordino.read_baskets(out / "data.csv", layout="baskets")
    (out / "proof.json.gz").write_bytes(encode_proof(make_proof(forged, POLICY.resolve(forged))))
    reseal(out, lambda document: document.update(records=9))
    for told in (sordino.verify(out), sordino.verify(out, POLICY)):
        assert (told.answer, "--layout" in told.reason) == ("not checked", True)
    assert sordino.verify(out, layout="long").answer == "fails"


def test_items_are_not_called_records(tmp_path: Path) -> None:
    """The columns exchanged: then a sensitive item names a record, and nobody has it."""
    source = tmp_path / "t.csv"
    put(source, ["customer,product", *(f"p{k},{item}" for k in range(4) for item in ("flu", "ox"))])
    policy = sordino.InferencePolicy(["p1"], "0.5")
    out = written(tmp_path, sordino.read_baskets(source, record="product", item="customer"), policy, ids="keep")
    told = sordino.verify(out)
    assert (told.answer, "--record 'product'" in told.reason) == ("not checked", True)
    assert sordino.verify(out, record="product", item="customer").holds


@pytest.mark.parametrize("flags", [{"layout": "list"}, {"layout": "fimi"}, {"record": "a"}, {"item": "b"}])
def test_a_form_that_is_stated_must_be_that_of_the_release(flags: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    put(path, ["customer,product", "p0,a", "p0,x", "p1,a", "p2,b"])
    out = written(tmp_path, path)
    assert sordino.verify(out, layout="long", record="customer", item="product").holds
    assert sordino.verify(out, **flags).answer == "fails"


def test_records_called_like_sensitive_items(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"id": name, "items": ["a"]}) + "\n" for name in ("x", "y")))
    policy = sordino.InferencePolicy(["a"], "0.5")
    out = written(tmp_path, path, policy, ids="keep")
    reseal(out, lambda document: document["policy"].update(sensitive=["x"]))
    assert "called like a sensitive item" in sordino.verify(out).reason


def test_what_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    out = written(tmp_path)
    for wrong in ({"original": SHOP}, {"missing_texts": ["?"]}, {"kinds": {}}, {"shape": "x"}):
        with pytest.raises(InputError):
            sordino.verify(out, **wrong)  # type: ignore[arg-type]


def test_a_personal_release_of_columns_that_are_not_known(tmp_path: Path) -> None:
    """The original is read as it was for the release."""
    path = tmp_path / "t.csv"
    rows = [f"k{u},{item}" for u, record in enumerate(SHOP) for item in sorted(record)]
    put(path, ["Kunde,Artikel", *rows])
    data = sordino.read_baskets(path, layout="long", record="Kunde", item="Artikel")
    policy = sordino.InferencePolicy([], "0.5", per_record={"k0": ["x"], "k4": ["c"]})
    out = written(tmp_path, data, policy)
    form = {"layout": "long", "record": "Kunde", "item": "Artikel"}
    told = sordino.verify(out, policy, original=path, **form)
    assert told.holds, told.reason
    assert sordino.verify(out, policy, original=path, record="Kunde", item="Artikel").holds


def test_keep_is_nobodys_word(tmp_path: Path) -> None:
    """keep/records.parquet may lead choices to the wrong people; then nothing is found, and nothing is claimed."""
    policy = sordino.InferencePolicy([], "0.5", per_record={0: ["x"]})
    careless = sordino.InferencePolicy([], "0.5", per_record={5: ["x"]})
    risky = [{"a", "x"}, {"a", "x"}, {"b"}, {"b", "c"}, {"c"}, {"d"}]
    out = written(tmp_path, risky, careless, ids="shuffle")
    assert sordino.verify(out, policy, original=risky).answer == "fails"
    numbers = parquet.read_table(out.parent / "keep" / "records.parquet")
    backwards = numbers.column("record").to_pylist()[::-1]
    for forged in (backwards, list(range(6)), [0] * 6, ["x"] * 6):
        parquet.write_table(
            pa.table({"published": numbers.column("published"), "record": forged}),
            out.parent / "keep" / "records.parquet",
        )
        assert sordino.verify(out, policy).answer != "holds"
    shutil.rmtree(out.parent / "keep")
    assert sordino.verify(out, policy).answer == "not checked"


@pytest.mark.parametrize("change", ["quotes", "blanks", "line ends", "mark"])
def test_cells_are_written_in_one_way(change: str, tmp_path: Path) -> None:
    """Quotes around some of the suppressed cells would tell what they were."""
    out = written(tmp_path, jobs(tmp_path), BY_JOB)
    data = (out / "data.csv").read_bytes()
    assert b"*," in data
    forged = {
        "quotes": data.replace(b"*,", b'"*",', 1),
        "blanks": data.replace(b"*,", b"* ,", 1),
        "line ends": data.replace(b"\n", b"\r\n", 1),
        "mark": b"\xef\xbb\xbf" + data,
    }[change]
    (out / "data.csv").write_bytes(forged)
    reseal(out)
    assert sordino.verify(out).answer == "fails"
    (out / "data.csv").write_bytes(data)
    reseal(out)
    assert sordino.verify(out).holds
