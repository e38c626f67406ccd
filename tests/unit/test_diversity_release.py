"""Releases of grouped tables: what is in the folder, what the verifier finds, and that nothing leads back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle_diversity as oracle
import sordino
from diseased import QUASI, TREE, people
from forging import as_written, reseal
from sordino import DiversityPolicy, NegativeRule
from sordino.errors import PolicyError
from sordino.policy.answer import Answer
from sordino.utility.conviction import rule_error
from sordino.utility.count_queries import query_error
from sordino.utility.reconstruction import group_shares
from sordino.verify.knowledge_file import KNOWLEDGE
from sordino.verify.possible import possible_counts
from tables import examples


def policy(l: int = 3, **options: Any) -> DiversityPolicy:  # noqa: E741
    return DiversityPolicy("Disease", QUASI, l, hierarchies={"Age": TREE}, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


FORMS = [("injector", "permuted"), ("injector", "tables"), ("anatomy", "permuted"), ("anatomy", "tables")]


@pytest.mark.parametrize(("method", "form"), FORMS)
def test_a_release_holds_by_the_brute_force_on_its_bytes(tmp_path: Path, method: str, form: str) -> None:
    """Rules, groups and values are read from the published files alone, and judged by the oracle."""
    asked = policy(mined=method == "injector")
    release = sordino.protect(people(), asked, method=method, form=form)
    folder = release.write(tmp_path / "out")
    publish = folder / "publish"
    manifest = json.loads((publish / "manifest.json").read_text(encoding="utf-8"))
    data = sordino.read_table(publish / manifest["data"]["file"])
    rows = [dict(zip(data.names, data.row(k), strict=True)) for k in range(len(data))]
    assert set(data.names) == {*QUASI, "Group"} | ({"Disease"} if form == "permuted" else set())
    held: dict[str, list[str]] = {}
    if form == "permuted":
        for row in rows:
            held.setdefault(row["Group"], []).append(row["Disease"])
    else:
        values = sordino.read_table(publish / manifest["data"]["values"])
        for k in range(len(values)):
            group, value, count = values.row(k)
            held.setdefault(group, []).extend([value] * int(count))
    known = json.loads((publish / KNOWLEDGE).read_text(encoding="utf-8"))
    rules = [
        ({a: set(known["groups"].get(a, {}).get(label, [label])) for a, label in rule["if"].items()}, rule["not"])
        for rule in known["rules"]
    ]
    assert bool(rules) == (method == "injector")
    least = plain = 99
    for group, values in held.items():
        members = [row for row in rows if row["Group"] == group]
        possible = oracle.possible_by_pairs([oracle.excluded(row, rules) for row in members], values)
        assert possible is not None
        least, plain = min(least, *map(len, possible)), min(plain, len(set(values)))
    assert least >= 3
    assert manifest["diversity"] == {"groups": len(held), "plain": plain, "matching": least, "rules": len(rules)}
    # the same people, with the same values in all
    original = people()
    assert Counter(tuple(row[q] for q in QUASI) for row in rows) == Counter(
        tuple(str(row[q]) for q in QUASI) for row in original
    )
    assert Counter(v for values in held.values() for v in values) == Counter(row["Disease"] for row in original)
    text = (publish / "README.txt").read_text(encoding="utf-8")
    assert f"plain l-diversity: {plain}" in text.replace("\n", " ")
    assert f"matching l-diversity: {least}" in text.replace("\n", " ")
    assert sordino.verify(folder, asked).holds == (not asked.mined)
    if asked.mined:
        assert sordino.verify(folder, asked, original=people()).holds
    assert sordino.verify(publish).holds


def test_the_same_seed_gives_the_same_bytes_whatever_the_jobs(tmp_path: Path) -> None:
    one = sordino.protect(people(), policy(), seed=5, jobs=1).write(tmp_path / "a")
    two = sordino.protect(people(), policy(), seed=5, jobs=3).write(tmp_path / "b")
    other = sordino.protect(people(), policy(), seed=6).write(tmp_path / "c")
    assert contents(one) == contents(two)
    assert contents(one)["publish/data.parquet"] != contents(other)["publish/data.parquet"]


def test_within_a_group_every_order_is_as_likely() -> None:
    """Over many seeds a row shows its own value as often as any other of its group: order tells nothing."""
    rows = [{"X": "x", "S": value} for value in ("a", "b", "c")]
    asked = DiversityPolicy("S", ["X"], 3, mined=False)
    own = Counter()
    for seed in range(150):
        release = sordino.protect(rows, asked, seed=seed)
        shown = list(release.data.column("S").cells())
        own[tuple(rows[k]["S"] for k in release.row.tolist()) == tuple(shown)] += 1
        own[release.row.tolist()[0], shown[0]] += 1
    assert 7 <= own[True] <= 43  # 1 in 6 of 150 is 25
    assert all(2 <= own[k, v] <= 32 for k in range(3) for v in "abc")  # 1 in 9 of 150 is 17; the true order has 50


def test_other_columns_are_not_published(tmp_path: Path) -> None:
    folder = sordino.protect(people(), policy()).write(tmp_path / "out")
    for name, content in contents(folder / "publish").items():
        if name == "check.html":  # the same in every release
            continue
        assert b"Name" not in content, name
        assert b"n17" not in content, name


def test_keep_leads_back(tmp_path: Path) -> None:
    folder = sordino.protect(people(), policy(rules=[NegativeRule({"Sex": "M"}, "ovarian")])).write(tmp_path / "out")
    changes = sordino.read_table(folder / "keep" / "changes.parquet")
    original = people()
    for k in range(len(changes)):
        _, record, _, true, _ = changes.row(k)
        assert original[int(record)]["Disease"] == true
    again = sordino.read_policy(folder / "keep" / "policy.toml")
    assert sordino.verify(folder, again, original=people()).holds
    assert sordino.measure(people(), folder).groups == sordino.audit(folder, again).groups


@pytest.mark.parametrize("form", ["permuted", "tables"])
def test_the_verifier_sees_damage(tmp_path: Path, form: str) -> None:
    folder = sordino.protect(people(), policy(), form=form).write(tmp_path / "out")
    before = contents(folder)
    for name in [name for name in before if name.startswith("publish/")]:
        path = folder / name
        path.write_bytes(before[name].replace(b"3", b"4", 1) if b"3" in before[name] else before[name] + b" ")
        assert not sordino.verify(folder).holds, name
        path.write_bytes(before[name])
    assert sordino.verify(folder).holds
    assert "they differ in the number of values (l)" in sordino.verify(folder, policy(2)).reason
    other = policy(rules=[NegativeRule({"Sex": "F"}, "prostate")])
    assert not sordino.verify(folder, other).holds


def resealed(folder: Path, name: str, content: bytes, **entries: Any) -> None:
    """A file replaced and the manifest made to agree: only what the data say can show it now."""
    (folder / "publish" / name).write_bytes(content)
    reseal(folder / "publish", lambda document: document.update(entries))


def csv_people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = people()
    path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n")
    return path


def test_the_verifier_sees_forged_groups_rules_and_counts(tmp_path: Path) -> None:
    folder = sordino.protect(csv_people(tmp_path), policy()).write(tmp_path / "out")
    publish = folder / "publish"
    data = (publish / "data.csv").read_text(encoding="utf-8")
    lines = data.splitlines()
    where = lines[0].split(",").index("Group")

    def regrouped(line: str, number: int, group: int) -> str:
        cells = line.split(",")
        cells[where] = str(group if cells[where] == str(number) else cells[where])
        return ",".join(cells)

    count = json.loads((publish / "manifest.json").read_text(encoding="utf-8"))["diversity"]
    # two groups joined: still safe, but not what the manifest says
    joined = "\n".join([lines[0], *(regrouped(line, count["groups"], 1) for line in lines[1:])]) + "\n"
    resealed(folder, "data.csv", joined.encode())
    assert "is not that of the data" in sordino.verify(folder).reason
    resealed(folder, "data.csv", joined.encode(), diversity={**count, "groups": count["groups"] - 1})
    assert sordino.verify(folder).holds
    # somebody alone in a group
    alone = lines[1].split(",")
    alone[where] = str(count["groups"] + 1)
    resealed(folder, "data.csv", ("\n".join([lines[0], ",".join(alone), *lines[2:]]) + "\n").encode(), diversity=count)
    assert "only 1 possible value" in sordino.verify(folder).reason
    resealed(folder, "data.csv", data.encode())
    assert sordino.verify(folder).holds
    known = json.loads((publish / KNOWLEDGE).read_text(encoding="utf-8"))
    more = {"if": {"Sex": "M"}, "not": "flu"}
    forged = {**known, "rules": [*known["rules"], more]}
    resealed(folder, KNOWLEDGE, as_written(forged, KNOWLEDGE))
    assert "as many rules" in sordino.verify(folder).reason
    resealed(folder, KNOWLEDGE, as_written(forged, KNOWLEDGE), diversity={**count, "rules": count["rules"] + 1})
    assert not sordino.verify(folder).holds
    for wrong in (
        b"[",
        b"{}",
        b'{"groups": {}, "rules": [{"if": {"Name": "x"}, "not": "flu"}]}',
        b'{"groups": 3, "rules": []}',
    ):
        resealed(folder, KNOWLEDGE, wrong, diversity={**count, "rules": wrong.count(b'"if"')})
        assert not sordino.verify(folder).holds


@settings(max_examples=examples(150))
@given(st.data())
def test_the_verifiers_matching_equals_the_brute_force(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 6))
    excluded = [data.draw(st.integers(0, 15)) for _ in range(size)]
    values = [data.draw(st.integers(0, 3)) for _ in range(size)]
    found = possible_counts(excluded, values)
    expected = oracle.possible_by_permutations(
        [{str(v) for v in range(4) if mask >> v & 1} for mask in excluded], [str(v) for v in values]
    )
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert [found[mask] for mask in excluded] == [len(own) for own in expected]


def test_formats_missing_values_and_a_column_called_group(tmp_path: Path) -> None:
    rows = [{"Group": ["a", None, "b"][k % 3], "S": ["s", "t", None, "u"][k % 4]} for k in range(48)]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    asked = DiversityPolicy("S", ["Group"], 3, mined=False)
    for form in ("permuted", "tables"):
        folder = sordino.protect(tmp_path / "in.jsonl", asked, form=form).write(tmp_path / form)
        assert sordino.verify(folder, asked).holds
        assert (folder / "publish" / "data.jsonl").exists()
        assert sordino.audit(folder, asked).matching_l >= 3


def test_an_audit_of_somebody_elses_groups_mines_from_the_original() -> None:
    rows = people()
    grouped = sordino.read_groups([{**row, "g": k % 40} for k, row in enumerate(rows)], "g", original=rows)
    result = sordino.audit(grouped, policy(3))
    assert result.rules > 0
    blind = sordino.read_groups([{**row, "g": k % 40} for k, row in enumerate(rows)], "g")
    with pytest.raises(sordino.SordinoError, match="--original"):
        sordino.audit(blind, policy(3))
    assert sordino.audit(blind, policy(3, mined=False)).rules == 0


def test_options_and_requests_that_make_no_sense() -> None:
    for options, part in (
        ({"form": "heap"}, "no form"),
        ({"choice": "best"}, "no choice"),
        ({"alike": "perhaps"}, "yes or no"),
        ({"ids": "keep"}, "always in random order"),
        ({"method": "mine"}, "not diversity"),
        ({"method": "anatomy", "alike": True}, "no option 'alike'"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises(sordino.SordinoError, match=part):
            sordino.protect(people(), policy(mined=False), **options)  # type: ignore[call-overload]
    with pytest.raises(sordino.SordinoError, match="largest l that can be had is"):
        sordino.protect(people(), policy(7))
    with pytest.raises(sordino.SordinoError, match="largest l that can be had by anatomy is"):
        sordino.protect(people(), policy(7, mined=False), method="anatomy")


def test_errors_of_a_grouping_by_hand() -> None:
    """Four people, X = x, x, y, y and S = s, s, t, t; groups {x s, y t} twice: each group is half s, half t."""
    columns, value = [np.array([0, 0, 1, 1])], np.array([0, 0, 1, 1])
    mixed = group_shares(np.array([0, 1, 0, 1]), value, 2)
    error = rule_error(columns, [2], value, 2, mixed, support=0.25, conviction=1.5)
    # x => s and y => t hold without exception before; after, each has confidence 1/2 and conviction 1
    assert (error.rules_before, error.rules_after) == (2, 0)
    assert (error.confidence_error, error.false_rules, error.missed_rules) == (50.0, 0.0, 100.0)
    apart = group_shares(np.array([0, 0, 1, 1]), value, 2)
    exact = rule_error(columns, [2], value, 2, apart, support=0.25, conviction=1.5)
    assert (exact.confidence_error, exact.false_rules, exact.missed_rules) == (0.0, 0.0, 0.0)
    # one value of X and of S a query: of 2 people with x, 1 is expected to have s
    asked = query_error(columns, [2], value, 2, mixed, rng=np.random.default_rng(0), dim=1, selectivity=0.5, queries=50)
    assert (asked.error, asked.queries) == (50.0, 50)
    right = query_error(columns, [2], value, 2, apart, rng=np.random.default_rng(0), dim=1, selectivity=0.5, queries=50)
    assert right.error == 0.0


def test_rules_about_nobody_are_not_published_and_not_missed(tmp_path: Path) -> None:
    """A given rule about a value that nobody has says nothing about the data: the release is the same without it."""
    rule, idle = NegativeRule({"Sex": "M"}, "ovarian"), NegativeRule({"Sex": "M"}, "scurvy")
    both = policy(2, mined=False, rules=[rule, idle])
    out = sordino.protect(people(), both, method="injector", seed=1, missing="accept").write(tmp_path / "out")
    assert "scurvy" not in (out / "publish" / KNOWLEDGE).read_text() + (out / "publish/manifest.json").read_text()
    assert sordino.verify(out, both).holds
    assert sordino.verify(out, policy(2, mined=False, rules=[rule])).holds
    other = sordino.verify(out, policy(2, mined=False, rules=[idle]))
    assert (other.answer, "the stated rules" in other.reason) == (Answer.FAILS, True)


def test_a_release_that_states_no_rules_can_be_audited(tmp_path: Path) -> None:
    """Rules were looked for and none was found: that is said, and is not the same as that nothing is known."""
    rows = [{"Sex": sex, "Disease": disease} for sex in "mf" for disease in ("flu", "cold", "gout")]
    policy = sordino.DiversityPolicy("Disease", ["Sex"], 2)
    release = sordino.protect(rows, policy)
    assert release.rules == ()
    out = release.write(tmp_path / "out")
    told = sordino.audit(out, policy)
    assert (told.answer, told.matching_l) == (Answer.NOT_CHECKED, 2)  # the publisher's word for what the data teach
    grouped = sordino.read_groups(next((out / "publish").glob("data.*")), "Group")
    with pytest.raises(PolicyError, match="cannot be mined"):
        sordino.audit(grouped, policy)


def test_groups_have_numbers_and_no_names(tmp_path: Path) -> None:
    folder = sordino.protect(csv_people(tmp_path), policy()).write(tmp_path / "out")
    data = (folder / "publish" / "data.csv").read_text(encoding="utf-8")
    for name in ("aged 31: prostate", "01", "0", "1e0"):
        named = "".join(f"{line[:-1]}{name}\n" if line.endswith(",1") else f"{line}\n" for line in data.splitlines())
        resealed(folder, "data.csv", named.encode())
        assert sordino.verify(folder).reason == "the groups are not simply numbered"
