"""A dishonest publisher who makes all checksums and texts fit again: what he says beside the truth is not believed."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from diseased import QUASI, TREE, people
from forging import as_written, gzipped, reseal, sealed
from sordino import NegativeRule, Template, TemplatePolicy
from sordino.errors import InputError
from sordino.verify.manifest import MANIFEST

SHOP = [{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}, {"b", "c"}]
POLICY = sordino.InferencePolicy(["x"], "0.5")


def written(folder: Path, records: Any = None, policy: Any = POLICY, **options: Any) -> Path:
    """The published part of an honest release."""
    release = sordino.protect(SHOP if records is None else records, policy, seed=1, **options)
    return release.write(folder / "out") / "publish"


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def put(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


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


def diverse(folder: Path, form: str = "permuted", **options: Any) -> tuple[Path, sordino.DiversityPolicy]:
    policy = sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE}, **options)
    return written(folder, people(), policy, method="injector", form=form), policy


def naive(folder: Path, policy: sordino.DiversityPolicy) -> Path:
    """Groups that are diverse only for somebody who knows no rule, under the name of a policy with rules."""
    plain = sordino.DiversityPolicy("Disease", QUASI, 3, mined=False, hierarchies={"Age": TREE})
    out = written(folder, people(), plain, method="anatomy")
    statement = policy.statement()
    reseal(out, lambda document: document.update(policy=statement))
    return out


RULES = [NegativeRule({"Sex": "M"}, "ovarian"), NegativeRule({"Sex": "F"}, "prostate")]
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


# Undeclared content


def more_fields(lines: list[str]) -> list[str]:
    return [line.replace("{", '{"name": "Alice", ', 1) for line in lines]


BASKETS = {
    "arrays": '["a","x"]\n["a"]\n["a","b","x"]\n["a","b"]\n',
    "objects": "".join(json.dumps({"id": k, "items": r}) + "\n" for k, r in enumerate([["a", "x"], ["a"], ["b"]])),
    "long": "".join(json.dumps({"id": k, "item": i}) + "\n" for k, i in enumerate(["a", "x", "a"])),
}


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("objects", more_fields),
        ("long", more_fields),
        ("objects", lambda lines: [line.replace('"items"', '"items":["Alice"],"items"') for line in lines]),
        ("objects", lambda lines: [line.replace(":[", ": [") for line in lines]),
        ("arrays", lambda lines: [*lines, "", "   "]),
        ("arrays", lambda lines: [line.replace("]", ',""]') for line in lines]),
        ("arrays", lambda lines: [line.replace('"a"', '"a","a"') for line in lines]),
    ],
)
def test_more_than_records(source: str, change: Callable[[list[str]], list[str]], tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(BASKETS[source])
    out = written(tmp_path, path)
    assert sordino.verify(out).holds
    put(out / "data.jsonl", change(lines_of(out / "data.jsonl")))
    reseal(out)
    told = sordino.verify(out)
    why = ("more than its records", "a field stands twice")
    assert (told.answer, any(reason in told.reason for reason in why)) == ("fails", True), told.reason


def test_more_columns(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    put(path, ["customer,product", "p0,a", "p0,x", "p1,a", "p2,b"])
    out = written(tmp_path, path)
    put(
        out / "data.csv",
        [f"{line},{'name' if k == 0 else 'Alice'}" for k, line in enumerate(lines_of(out / "data.csv"))],
    )
    reseal(out)
    assert "more than its records" in sordino.verify(out).reason


def table_file(folder: Path, form: str) -> Path:
    rows = [{"Job": "nurse" if k % 2 else "clerk", "Illness": "flu" if k % 3 else "cold"} for k in range(12)]
    path = folder / f"t.{form}"
    if form == "parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif form == "jsonl":
        put(path, [json.dumps(row) for row in rows])
    else:
        put(path, ["Job,Illness", *(",".join(row.values()) for row in rows)])
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_more_columns_of_a_table(form: str, tmp_path: Path) -> None:
    policy = TemplatePolicy([Template(["Job"], "Illness", "flu", "0.9")])
    out = written(tmp_path, table_file(tmp_path, form), policy)
    path = out / f"data.{form}"
    honest = path.read_bytes()
    if form == "parquet":
        table = parquet.read_table(path)
        parquet.write_table(table.append_column("name", pa.array(["Alice"] * 12)), path)
    elif form == "jsonl":
        put(path, more_fields(lines_of(path)))
    else:
        put(path, [f"{line},{'name' if k == 0 else 'Alice'}" for k, line in enumerate(lines_of(path))])
    reseal(out)
    assert "columns" in sordino.verify(out).reason
    if form == "jsonl":
        path.write_bytes(honest.replace(b'{"Job"', b'{"Job": "Alice", "Job"'))
        reseal(out)
        assert "twice" in sordino.verify(out).reason
        path.write_bytes(honest.replace(b"}\n", b', "name": null}\n', 1))
        reseal(out)
        assert sordino.verify(out).answer == "fails"
    # declared, it is there for everybody to read
    if form == "csv":
        reseal(out, lambda document: document["data"].update(columns=["Job", "Illness", "name"]))
        assert sordino.verify(out).holds
        assert "Its columns: Job, Illness, name." in (out / "README.txt").read_text()


def test_notes_in_parquet(tmp_path: Path) -> None:
    policy = TemplatePolicy([Template(["Job"], "Illness", "flu", "0.9")])
    out = written(tmp_path, table_file(tmp_path, "parquet"), policy)
    path = out / "data.parquet"
    table = parquet.read_table(path)

    def told(table: pa.Table, **options: Any) -> str:
        parquet.write_table(table, path, **options)
        reseal(out)
        verdict = sordino.verify(out)
        return verdict.reason if verdict.answer != "holds" else " ".join(verdict.sentences())

    assert "notes that are no data" in told(table.replace_schema_metadata({"who": "Alice"}))
    noted = pa.schema([field.with_metadata({"who": "Alice"}) for field in table.schema])
    assert "notes that are no data" in told(table.cast(noted))
    assert "not each of its bytes" in told(table, compression="zstd")  # as another version might write it
    raw = path.read_bytes()
    length = int.from_bytes(raw[-8:-4], "little")
    path.write_bytes(raw[: -8 - length] + b"Alice" + raw[-8 - length :])
    reseal(out)
    assert "bytes that are no data" in sordino.verify(out).reason


@pytest.mark.parametrize("name", ["data.csv.gz", "proof.json.gz"])
def test_gzip_holds_nothing_else(name: str, tmp_path: Path) -> None:
    source = tmp_path / "t.csv.gz"
    source.write_bytes(gzip.compress(b"a,x\na\na,b,x\na,b\n"))
    out = written(tmp_path, sordino.read_baskets(source, layout="baskets"))
    path = out / name
    content = gzip.decompress(path.read_bytes())
    plain = gzipped(content)
    named = plain[:3] + b"\x08" + plain[4:10] + b"Alice\0" + plain[10:]
    timed = gzip.compress(content, mtime=1)
    for forged in (named, timed, plain + b"Alice", plain + gzipped(b""), plain[:-3], content):
        path.write_bytes(forged)
        reseal(out)
        assert sordino.verify(out).answer == "fails"
    path.write_bytes(gzip.compress(content, compresslevel=1, mtime=0))
    reseal(out)
    assert sordino.verify(out).holds


def edited(path: Path, change: Callable[[Any], object]) -> None:
    raw = path.read_bytes()
    zipped = raw[:2] == b"\x1f\x8b"
    document = json.loads(gzip.decompress(raw) if zipped else raw)
    change(document)
    path.write_bytes(as_written(document, path.name))


LARGER = [{"abcdef"[k % 6], "abcdef"[(k * k) % 6]} | ({"x"} if k % 3 == 0 else set()) for k in range(24)]
NESTED = {"ALL": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f"]}}


@pytest.mark.parametrize(
    ("method", "options", "name"),
    [
        ("lgps", {"hierarchy": NESTED}, "groups.json.gz"),
        ("lgps", {"hierarchy": NESTED}, "hierarchy.json"),
        ("cahd", {}, "groups.json.gz"),
        ("mine", {}, "proof.json.gz"),
    ],
)
def test_more_in_the_files_beside_the_data(method: str, options: dict[str, Any], name: str, tmp_path: Path) -> None:
    out = written(tmp_path, LARGER, method=method, **options)
    assert sordino.verify(out).holds
    edited(out / name, lambda document: document.update(note="Alice"))
    reseal(out)
    assert sordino.verify(out).answer == "fails"


def test_more_in_the_rules(tmp_path: Path) -> None:
    out, _ = diverse(tmp_path)
    path = out / "knowledge.json"
    honest = path.read_bytes()
    for change in (
        lambda d: d.update(note="Alice"),
        lambda d: d["rules"][0].update(note="Alice"),
        lambda d: d["groups"].setdefault("Town", {}).update(Alice=["Aa"]),
    ):
        path.write_bytes(honest)
        edited(path, change)
        reseal(out)
        assert sordino.verify(out).answer == "fails"


def entries(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all objects in a document."""
    found = [path] if isinstance(value, dict) else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [p for key, below in inner for p in entries(below, (*path, key))]


@pytest.mark.parametrize("kind", ["inference", "promised", "template", "diversity"])
def test_more_in_the_manifest(kind: str, tmp_path: Path) -> None:
    """One entry too many, in every object of the manifest."""
    if kind == "template":
        policy = TemplatePolicy([Template(["Age"], "Illness", "flu", "0.9")], bins={"Age": {"width": 10}})
        rows = [{"Age": 20 + k, "Illness": "flu" if k % 2 else "cold"} for k in range(12)]
        out = written(tmp_path, rows, policy)
    elif kind == "diversity":
        out, _ = diverse(tmp_path, rules=[*RULES])
    elif kind == "promised":
        sure = sordino.policy.assurance.Assurance("0.2", "0.2", 2)
        out = written(tmp_path, policy=sordino.InferencePolicy(["x"], "0.5", per_record={0: ["a"]}, assurance=sure))
    else:
        out = written(tmp_path, policy=sordino.InferencePolicy(["x"], "0.5", rho_of={"x": "0.5"}, adaptive="0.1"))
    whole = json.loads((out / MANIFEST).read_bytes())
    answer = sordino.verify(out).answer
    assert answer == ("not checked" if kind == "promised" else "holds")
    for path in entries(whole):
        document = json.loads(json.dumps(whole))
        place = document
        for key in path:
            place = place[key]
        place["note"] = "Alice"
        (out / MANIFEST).write_bytes(sealed(document))
        assert sordino.verify(out).answer == "fails", path
    (out / MANIFEST).write_bytes(sealed(whole))
    assert sordino.verify(out).answer == answer


WORDS: dict[str, Callable[[Path], object]] = {
    "readme": lambda out: (out / "README.txt").write_text("Safe against everything.\n"),
    "readme, one more line": lambda out: (out / "README.txt").write_bytes(
        (out / "README.txt").read_bytes() + b"Call me.\n"
    ),
    "report": lambda out: (out / "report.html").write_text("<p>Alice has HIV.</p>"),
    "report, a word": lambda out: (out / "report.html").write_text(
        (out / "report.html").read_text().replace("</main>", "<p>Alice</p></main>")
    ),
    "report, a comment": lambda out: (out / "report.html").write_text(
        (out / "report.html").read_text() + "<!-- Alice -->"
    ),
}


@pytest.mark.parametrize("case", WORDS)
def test_words_of_his_own(case: str, tmp_path: Path) -> None:
    out = written(tmp_path)
    WORDS[case](out)
    reseal(out, words=False)
    assert sordino.verify(out).answer == "fails"


@pytest.mark.parametrize(
    "forged",
    [
        "<text>Alice has HIV</text>",
        "<script>alert(1)</script>",
        "<!-- Alice -->",
        "<image href='x'/>",
        "<foreignObject>Alice</foreignObject>",
        "<a>1</a>",
        "<style>text::after{content:'Alice has HIV'}</style>",
        '<g onload="alert(1)"></g>',
        '<g style="background: url(http://x)"></g>',
        '<g class="Alice"></g>',
        '<use href="http://x#y"/>',
        '<path d="M 0 0" data-who="Alice"/>',
    ],
)
@pytest.mark.charts
def test_pictures_say_nothing_of_their_own(forged: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = written(tmp_path)
    page = (out / "report.html").read_text()
    (out / "report.html").write_text(page.replace("</svg>", f"{forged}</svg>", 1))
    reseal(out, words=False)
    assert "picture" in sordino.verify(out).reason
    (out / "report.html").write_text(page)
    reseal(out, words=False)
    told = sordino.verify(out)
    assert told.holds
    assert any("pictures in report.html were not compared" in note for note in told.notes)


@pytest.mark.parametrize("key", ["guaranteed", "not_guaranteed"])
def test_promises_of_his_own(key: str, tmp_path: Path) -> None:
    out = written(tmp_path)
    document = json.loads((out / MANIFEST).read_bytes())
    for sentences in ([], ["Nobody can infer anything."], [*document[key], "Call me."], 3, None, [3]):
        (out / MANIFEST).write_bytes(sealed({**document, key: sentences}))
        assert sordino.verify(out).answer == "fails"


def test_another_version_has_other_words(tmp_path: Path) -> None:
    """What this version cannot compare, it does not call checked."""
    out = written(tmp_path)
    (out / "README.txt").write_text("It is safe, in the words of version 9.\n")
    reseal(out, lambda document: document.update(sordino="9.0"), words=False)
    told = sordino.verify(out)
    assert told.answer == "not checked"
    assert "9.0" in told.reason


@pytest.mark.parametrize("key", ["method", "sordino"])
@pytest.mark.parametrize("value", ["Alice has HIV", "x" * 100, "", "Mine", "mine\n"])
def test_names_are_names(key: str, value: str, tmp_path: Path) -> None:
    out = written(tmp_path)
    reseal(out, lambda document: document.update({key: value}))
    assert sordino.verify(out).answer == "fails"


def test_new_numbers_are_new_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(BASKETS["objects"])
    out = written(tmp_path, path, ids="keep")
    assert sordino.verify(out).holds
    for ids in ("renumber", "shuffle"):
        reseal(out, lambda document, ids=ids: document.update(ids=ids))  # type: ignore[misc]
        assert "not the new numbers" in sordino.verify(out).reason
    for ids in ("Alice", ""):
        reseal(out, lambda document, ids=ids: document.update(ids=ids))  # type: ignore[misc]
        assert sordino.verify(out).answer == "fails"


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
