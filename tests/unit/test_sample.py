"""The bundled sample: reproducible to the byte, complete, and with something true to find in it."""

from __future__ import annotations

import csv
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from sordino import sample
from sordino.errors import InputError
from sordino.sample import generate


def lines(name: str) -> list[str]:
    return sample.path(name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def baskets() -> list[list[str]]:
    return [line.split(",") for line in lines("pharmacy.csv")]


@pytest.fixture(scope="module")
def sensitive() -> set[str]:
    return set(lines("pharmacy_sensitive.txt"))


@pytest.fixture(scope="module")
def tree() -> list[list[str]]:
    return [line.split(";") for line in lines("pharmacy_hierarchy.csv")]


@pytest.fixture(scope="module")
def patients() -> list[dict[str, str]]:
    return list(csv.DictReader(lines("patients.csv")))


def test_generator_gives_the_committed_bytes() -> None:
    built = generate.build()
    assert sorted(built) == list(sample.names())
    assert [name for name, contents in built.items() if sample.path(name).read_bytes() != contents] == []


def test_folder_holds_the_named_files_only_and_is_small() -> None:
    folder = sample.path("pharmacy.csv").parent
    assert sorted(p.name for p in folder.iterdir()) == list(sample.names())
    assert sum(p.stat().st_size for p in folder.iterdir()) < 600_000


def test_unknown_name_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match=r"Did you mean 'pharmacy\.csv'\?"):
        sample.path("farmacy.csv")
    with pytest.raises(InputError, match=r"There are: patients\.csv"):
        sample.path("../../errors.py")


def test_import_needs_no_numpy() -> None:
    code = "import sys, sordino.sample; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_baskets_are_as_promised(baskets: list[list[str]]) -> None:
    sizes = [len(basket) for basket in baskets]
    assert len(baskets) == 5_000
    assert (min(sizes), statistics.median(sizes), max(sizes)) == (1, 5, 25)
    assert all(len(set(basket)) == len(basket) for basket in baskets)
    again = Counter(map(tuple, baskets))
    assert sum(n for basket, n in again.items() if n > 1 and len(basket) > 1) > 100


def test_hierarchy_is_a_tree_over_all_products(tree: list[list[str]], baskets: list[list[str]]) -> None:
    assert {len(row) for row in tree} == {4}
    levels = [{row[depth] for row in tree} for depth in range(4)]
    assert [len(level) for level in levels] == [120, 25, 8, 1]
    assert len(tree) == 120
    assert levels[3] == {"*"}
    assert len({name.casefold() for level in levels for name in level}) == 120 + 25 + 8 + 1
    assert len({(row[1], row[2]) for row in tree}) == 25  # a category lies in one department
    assert levels[0] == {item for basket in baskets for item in basket}


def test_names_are_plain(tree: list[list[str]]) -> None:
    for name in {name for row in tree for name in row}:
        assert name == name.strip()
        assert name.isascii()
        assert not set(name) & set(",;'\"#\t")


def test_sensitive_products_are_few_and_none_is_common(baskets: list[list[str]], sensitive: set[str]) -> None:
    assert len(lines("pharmacy_sensitive.txt")) == len(sensitive) == 22
    count = Counter(item for basket in baskets for item in basket)
    assert all(20 <= count[item] <= 400 for item in sensitive)  # at most 8 % of 5,000


def test_generator_tables_name_only_products_on_the_shelf(tree: list[list[str]]) -> None:
    from sordino.sample import pharmacy

    used = {*pharmacy.EVERYDAY, *pharmacy.PRIVATE, *(item for p in pharmacy.PROFILES for item in p.buys)}
    assert used <= {row[0] for row in tree}


def test_choices_name_lines_and_products(tree: list[list[str]], baskets: list[list[str]]) -> None:
    header, *rows = [line.split(",") for line in lines("pharmacy_choices.csv")]
    assert header == ["record", "item"]
    chosen = [(int(record), item) for record, item in rows]
    assert chosen == sorted(set(chosen))
    per_customer = Counter(record for record, _ in chosen)
    assert len(per_customer) == 150
    assert set(per_customer.values()) == {1, 2, 3}
    assert all(1 <= record <= len(baskets) for record in per_customer)
    assert {item for _, item in chosen} <= {row[0] for row in tree}
    absent = sum(item not in baskets[record - 1] for record, item in chosen)
    assert 20 <= absent < len(chosen) / 2


def test_baskets_hold_true_inferences(baskets: list[list[str]], sensitive: set[str]) -> None:
    """Counted anew here: how many rules of one or two known products betray a sensitive one (confidence above 1/2)."""
    support = Counter(q for basket in baskets for n in (1, 2) for q in combinations(basket, n))
    joint = Counter(
        (q, e)
        for basket in baskets
        for e in sensitive.intersection(basket)
        for n in (1, 2)
        for q in combinations([item for item in basket if item != e], n)
    )
    betrays = {(q, e): n for (q, e), n in joint.items() if 2 * n > support[q]}
    assert joint[("test strips",), "insulin pens"] == 152
    assert support[("test strips",)] == 220
    assert (("folic acid", "ginger tea"), "pregnancy test") in betrays
    assert (("folic acid",), "pregnancy test") not in betrays

    # rules that concern 20 customers or more, and say more than a shorter one already did
    strong = [(q, e) for (q, e), n in betrays.items() if n >= 20]
    minimal = [(q, e) for q, e in strong if len(q) == 1 or not any(((i,), e) in betrays for i in q)]
    assert 10 <= len(minimal) <= 30
    assert len({e for _, e in minimal}) >= 6

    # one known product is no risk to most of those who have something to hide
    hiding = [basket for basket in baskets if sensitive.intersection(basket)]
    at_risk = sum(any(((i,), e) in betrays for e in sensitive.intersection(b) for i in b if i != e) for b in hiding)
    assert 0.1 < at_risk / len(hiding) < 0.4


def test_pharmacy_policy() -> None:
    policy = tomllib.loads("\n".join(lines("pharmacy_policy.toml")))
    assert policy == {
        "kind": "inference",
        "sensitive": {"file": "pharmacy_sensitive.txt"},
        "threshold": {"rho": "0.5"},
    }


def test_patients_are_as_promised(patients: list[dict[str, str]]) -> None:
    assert len(patients) == 2_000
    assert " ".join(patients[0]) == "age sex region education occupation marital_status insurance diagnosis outcome"
    assert all(18 <= int(p["age"]) <= 90 for p in patients)
    assert {p["outcome"] for p in patients} == {"recovered", "ongoing", "readmitted"}
    ill = Counter((p["sex"], p["diagnosis"]) for p in patients)
    impossible = [("male", "ovarian cancer"), ("male", "complicated pregnancy"), ("female", "prostate cancer")]
    assert [ill[pair] for pair in impossible] == [0, 0, 0]
    assert all(int(p["age"]) < 50 for p in patients if p["diagnosis"] == "complicated pregnancy")
    assert min(ill["female", "ovarian cancer"], ill["male", "prostate cancer"]) >= 10


def test_patients_policy_fits_and_is_broken_by_the_raw_table(patients: list[dict[str, str]]) -> None:
    policy = tomllib.loads("\n".join(lines("patients_policy.toml")))
    assert (policy["kind"], policy["class"]) == ("template", "outcome")
    assert len(policy["template"]) == 2
    for template in policy["template"]:
        ((column, value),) = template["value"].items()
        group = Counter(tuple(p[c] for c in template["given"]) for p in patients)
        hit = Counter(tuple(p[c] for c in template["given"]) for p in patients if p[column] == value)
        broken = [ic for ic in hit if Fraction(hit[ic], group[ic]) > Fraction(template["at_most"])]
        assert 2 <= len(broken) <= len(group) / 4
