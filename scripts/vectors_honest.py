"""Honest small releases of every shape, and of some forms, made from data that are made up here."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import sordino
from sordino import NegativeRule, Template, TemplatePolicy
from sordino.data.baskets import Baskets

__all__ = ["honest"]

TREE = {"ALL": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f"]}}


def baskets(seed: int = 1, count: int = 30) -> list[set[str]]:
    rng = random.Random(seed)
    secrets: list[set[str]] = [{"x"}, {"x"}, {"x", "y"}, {"y"}, *[set()] * 6]
    return [set(rng.sample("abcdef", rng.randint(1, 3))) | rng.choice(secrets) for _ in range(count)]


def table(folder: Path) -> Path:
    rng = random.Random(2)
    rows = [
        (rng.choice(["cook", "nurse", "clerk", "?"]), rng.choice("AB"), rng.choice(["flu", "hiv", "cold"]))
        for _ in range(24)
    ]
    path = folder / "t.csv"
    path.write_text("Job,Town,Ill\n" + "".join(",".join(row) + "\n" for row in rows))
    return path


def patients(folder: Path) -> Path:
    rng = random.Random(3)
    rows = []
    for k in range(36):
        sex = rng.choice("FM")
        rows.append((sex, rng.choice("AB"), ["flu", "cold", "ache", "ovarian" if sex == "F" else "prostate"][k % 4]))
    path = folder / "p.csv"
    path.write_text("Sex,Town,Ill\n" + "".join(",".join(row) + "\n" for row in rows))
    return path


def visits(folder: Path) -> Path:
    """A table with dates."""
    rng = random.Random(8)
    rows = [
        f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02},{town},{rng.choice(['flu', 'hiv', 'cold'])}"
        for town in "ab" * 12
    ]
    path = folder / "visits.csv"
    path.write_text("\n".join(["Seen,Town,Ill", *rows]) + "\n")
    return path


def ages(folder: Path) -> Path:
    """A table as JSON lines, with numbers, and with cells that are missing."""
    rng = random.Random(4)
    rows = [
        {
            "Age": rng.choice([20, 30, 31, 45, 60, None]),
            "Town": rng.choice(["Köln", "Aachen"]),
            "Pay": rng.choice([1.5, 2.0, 1e6]),
            "Ill": rng.choice(["flu", "hiv", "cold", None]),
        }
        for _ in range(24)
    ]
    path = folder / "ages.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


YEARS = {"name": "*", "children": [
    {"name": "young", "children": [{"name": str(age)} for age in range(20, 30)]},
    {"name": "old", "children": [{"name": str(age)} for age in range(30, 40)]},
]}  # fmt: skip


def aged(folder: Path) -> Path:
    """People of whom nobody young has the one illness, and no man the other."""
    rng = random.Random(5)
    rows = []
    for _ in range(80):
        age, sex = rng.randint(20, 39), rng.choice("FM")
        known = ["flu", "cold", "ache", *(["cataract"] if age >= 30 else []), *(["ovarian"] if sex == "F" else [])]
        rows.append((str(age), sex, rng.choice(known)))
    path = folder / "aged.csv"
    path.write_text("Age,Sex,Ill\n" + "".join(",".join(row) + "\n" for row in rows))
    return path


def honest(folder: Path) -> dict[str, Path]:
    """One honest release of each shape, and of some forms: name -> its published part."""
    made = {}
    for name, (data, policy, options) in (_of_baskets(folder) | _of_tables(folder)).items():
        made[name] = sordino.protect(data, policy, seed=1, **options).write(folder / name) / "publish"
    return made | _sequels(folder)


def _of_baskets(folder: Path) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    both = sordino.InferencePolicy(["x", "y"], "0.5", rho_of={"y": "0.3"})
    one = sordino.InferencePolicy(["x", "y"], "0.5")
    any_ = sordino.InferencePolicy(["x", "y"], "0.5", absent="any")
    long = folder / "long.csv"
    long.write_text("customer,product\n" + "".join(f"c{u},{i}\n" for u, r in enumerate(baskets()) for i in sorted(r)))
    lines = folder / "lines.dat.gz"
    lines.write_bytes(gzip.compress("".join(" ".join(sorted(record)) + "\n" for record in baskets()).encode()))
    rows = folder / "rows.csv"
    rows.write_text("".join(";".join(sorted(record)) + "\n" for record in baskets(3)))
    pairs = folder / "pairs.jsonl"
    pairs.write_text("".join(
        json.dumps({"customer": u, "product": i}) + "\n" for u, r in enumerate(baskets(2)) for i in sorted(r)
    ))  # fmt: skip
    sure = sordino.policy.assurance.Assurance("0.2", "0.2", 2)
    return {
        "inference": (baskets(), both, {}),
        "inference-limited": (baskets(4), sordino.InferencePolicy(["x", "y"], "1/3", knowledge=2), {}),
        "inference-adaptive": (baskets(5), sordino.InferencePolicy(["x", "y"], "0.3", adaptive="0.5"), {}),
        "inference-long": (sordino.read_baskets(long, record="customer", item="product"), one, {}),
        "inference-fimi": (sordino.read_baskets(lines, layout="fimi"), one, {}),
        "inference-lines": (sordino.read_baskets(rows, layout="baskets", delimiter=";"), one, {}),
        "inference-objects": (sordino.read_baskets(pairs, record="customer", item="product"), one, {"ids": "keep"}),
        "absence": (baskets(10, 60), any_, {}),
        "generalized": (baskets(6), one, {"method": "lgps", "hierarchy": TREE, "divide": "valid"}),
        "generalized-absence": (baskets(11, 60), any_, {"method": "lgps", "hierarchy": TREE}),
        "permuted": (baskets(7), one, {"method": "cahd"}),
        "promised": (baskets(8, 14), sordino.InferencePolicy(["x"], "0.5", per_record={0: ["a"]}), {}),
        "promised-sampled": (
            baskets(9),
            sordino.InferencePolicy(["x"], "0.9", assurance=sure),
            {"method": "naka-sampled"},
        ),
    }


def _of_tables(folder: Path) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    rules = [NegativeRule({"Sex": "M"}, "ovarian"), NegativeRule({"Sex": "F"}, "prostate")]
    templates = TemplatePolicy(
        [Template(["Job", "Town"], "Ill", ["hiv"], "0.5"), Template(["Town"], "Ill", rarest="50%", at_most="0.6")]
    )
    ranges = TemplatePolicy([Template(["Age", "Town"], "Ill", ["hiv", "flu"], "0.6")], bins={"Age": {"width": 10}})
    periods = TemplatePolicy([Template(["Seen", "Town"], "Ill", ["hiv"], "0.6")], bins={"Seen": {"by": "quarter"}})
    grouped = sordino.DiversityPolicy("Ill", ["Sex", "Town"], 3, mined=False, rules=rules)
    young = [NegativeRule({"Age": "young"}, "cataract")]
    mined = sordino.DiversityPolicy("Ill", ["Age", "Sex"], 3, rules=young, hierarchies={"Age": YEARS})
    doubtful = sordino.DiversityPolicy("Ill", ["Age", "Sex"], 2, hierarchies={"Age": YEARS}, min_confidence="0.95")
    return {
        "template": (table(folder), templates, {}),
        "template-ranges": (ages(folder), ranges, {}),
        "template-periods": (visits(folder), periods, {}),
        "diversity": (patients(folder), grouped, {"method": "injector"}),
        "diversity-tables": (patients(folder), grouped, {"method": "injector", "form": "tables"}),
        "diversity-mined": (aged(folder), mined, {"method": "injector"}),
        "diversity-doubtful": (aged(folder), doubtful, {"method": "injector"}),
    }


def _sequels(folder: Path) -> dict[str, Path]:
    """Two releases that continue one: people who came, and people of whom more is known."""
    policy = sordino.InferencePolicy(["x", "y"], "0.5")
    people = {f"p{k}": record for k, record in enumerate(baskets(12, 20))}
    out, made = [], {}
    for number in range(3):
        if number:
            extra = random.Random(number)
            people = {person: record | {extra.choice("abcdef")} for person, record in people.items()}
            people |= {f"n{number}-{k}": record for k, record in enumerate(baskets(12 + number, 10))}
        data = Baskets.from_sets(people.values(), ids=people)
        more = {"previous": out} if out else {}
        out = [*out, sordino.protect(data, policy, seed=number, **more).write(folder / f"state-{number}")]
        if number:
            made["sequel" if number == 1 else "sequel-of-two"] = out[-1] / "publish"
    return made
