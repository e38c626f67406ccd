"""Random forgeries of honest releases, all checksums and texts made to fit: what passes is safe by the oracle.

The publisher changes records, entries of the manifest and of the files beside the data, by chance, one or more at a
time. Whoever verifies states the policy. If the verdict holds, the published bytes are read here by plain means, and
the oracle has to find that the policy holds for them.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import oracle
import oracle_disclosure
import oracle_diversity
import sordino
from forging import as_written, reseal, sealed
from sordino import NegativeRule, Template, TemplatePolicy
from sordino.policy.answer import Answer
from sordino.verify.manifest import MANIFEST

HALF = Fraction(1, 2)
FORGERIES = 50  # of each release


@dataclass
class Case:
    """An honest release, what is demanded of it, and who judges it."""

    publish: Path
    policy: Any
    safe: Callable[[Path], bool]
    raw: bytes  # the data as they were before
    given: dict[str, Any] = field(default_factory=dict)  # what whoever verifies states besides


def records_of(publish: Path) -> list[frozenset[str]]:
    """The records of the JSON lines, whatever they are in."""
    found = []
    for line in (publish / "data.jsonl").read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        assert isinstance(value, list), "only lists can pass"
        found.append(frozenset(value))
    return found


def groups_of(publish: Path) -> Any:
    return json.loads(gzip.decompress((publish / "groups.json.gz").read_bytes()))


def lines(records: Sequence[Any]) -> bytes:
    return "".join(json.dumps(sorted(record), separators=(",", ":")) + "\n" for record in records).encode()


def table(seed: int, count: int = 30) -> list[set[str]]:
    rng = random.Random(seed)
    secrets: list[set[str]] = [{"x"}, {"x"}, {"x", "y"}, {"y"}, *[set()] * 6]
    return [set(rng.sample("abcdef", rng.randint(1, 3))) | rng.choice(secrets) for _ in range(count)]


def inference(folder: Path, seed: int) -> Case:
    data, policy = table(seed), sordino.InferencePolicy(["x", "y"], "0.5", rho_of={"y": "0.3"})
    rho = {"x": HALF, "y": Fraction(3, 10)}
    out = sordino.protect(data, policy, seed=seed).write(folder / "out") / "publish"
    return Case(out, policy, lambda p: oracle.holds(records_of(p), ["x", "y"], rho), lines(data))


def adaptive(folder: Path, seed: int) -> Case:
    data = table(seed)
    policy = sordino.InferencePolicy(["x", "y"], "0.3", adaptive="0.5", knowledge=2)

    def safe(publish: Path) -> bool:
        records = records_of(publish)
        held = {name for name in ("x", "y") if any(name in record for record in records)}
        return oracle.holds(records, held, oracle.adaptive_rho(records, Fraction(3, 10), HALF, held), 2)

    return Case(sordino.protect(data, policy, seed=seed).write(folder / "out") / "publish", policy, safe, lines(data))


def permuted(folder: Path, seed: int) -> Case:
    data, policy = table(seed), sordino.InferencePolicy(["x", "y"], "0.5")
    out = sordino.protect(data, policy, method="cahd", seed=seed).write(folder / "out") / "publish"

    def safe(publish: Path) -> bool:
        records, told = records_of(publish), groups_of(publish)
        if any(record & {"x", "y"} for record in records):
            return False
        return oracle.permuted_holds(records, told["group"], told["held"], {"x": HALF, "y": HALF})

    return Case(out, policy, safe, lines(data))


TREE = {"ALL": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f"]}}


def generalized(folder: Path, seed: int) -> Case:
    data, policy = table(seed), sordino.InferencePolicy(["x", "y"], "0.5")
    release = sordino.protect(data, policy, method="lgps", hierarchy=TREE, divide="valid", seed=seed)
    out = release.write(folder / "out") / "publish"

    def safe(publish: Path) -> bool:
        records, told = records_of(publish), groups_of(publish)
        tree = json.loads((publish / "hierarchy.json").read_bytes())
        shown = [_cut(tree, set(opened)) for opened in told["opened"]]
        return oracle.leaf_holds(records, told["group"], shown, ["x", "y"], {"x": HALF, "y": HALF})

    return Case(out, policy, safe, lines(data))


def _cut(node: Any, opened: set[str], top: str | None = None) -> dict[str, str]:
    """How a group shows each leaf: as the first node above it that is not opened."""
    here = top if top is not None else None if node["name"] in opened else node["name"]
    if not node.get("children"):
        return {node["name"]: here or node["name"]}
    return {leaf: shown for below in node["children"] for leaf, shown in _cut(below, opened, here).items()}


def personal(folder: Path, seed: int) -> Case:
    data = table(seed, 14)
    rng = random.Random(seed)
    chosen = {u: rng.sample("abxy", 2) for u in range(0, 14, 2)}
    policy = sordino.InferencePolicy([], "0.5", per_record=chosen)
    minds = [set(chosen.get(u, ())) for u in range(14)]
    rho = dict.fromkeys("abxy", HALF)
    out = sordino.protect(data, policy, seed=seed).write(folder / "out") / "publish"

    def safe(publish: Path) -> bool:
        return oracle.personal_holds(data, records_of(publish), minds, rho)

    return Case(out, policy, safe, lines(data), {"original": data})


def rows_of(publish: Path) -> list[dict[str, str | None]]:
    return list(csv.DictReader(io.StringIO((publish / "data.csv").read_text(encoding="utf-8"))))  # type: ignore[arg-type]


def comma(rows: Sequence[Any]) -> bytes:
    return "".join(",".join(map(str, row)) + "\n" for row in [list(rows[0]), *(row.values() for row in rows)]).encode()


JOBS = ["cook", "nurse", "clerk", "?"]


def template(folder: Path, seed: int) -> Case:
    rng = random.Random(seed)
    rows = [
        {"Job": rng.choice(JOBS), "Town": rng.choice("AB"), "Ill": rng.choice(["flu", "hiv", "cold"])}
        for _ in range(24)
    ]
    source = folder / "t.csv"
    source.write_bytes(comma(rows))
    policy = TemplatePolicy(
        [Template(["Job", "Town"], "Ill", ["hiv"], "0.5"), Template(["Town"], "Ill", ["flu"], "0.6")]
    )
    wanted = [
        oracle_disclosure.Template(("Job", "Town"), "Ill", "hiv", HALF),
        oracle_disclosure.Template(("Town",), "Ill", "flu", Fraction(3, 5)),
    ]
    out = sordino.protect(source, policy, seed=seed).write(folder / "out") / "publish"
    return Case(out, policy, lambda p: oracle_disclosure.holds(rows_of(p), wanted), source.read_bytes())


def diversity(folder: Path, seed: int) -> Case:
    rng = random.Random(seed)
    rows = []
    for k in range(36):
        sex = rng.choice("FM")
        ill = ["flu", "cold", "ache", "ovarian" if sex == "F" else "prostate"][k % 4]
        rows.append({"Sex": sex, "Town": rng.choice("AB"), "Ill": ill})
    source = folder / "t.csv"
    source.write_bytes(comma(rows))
    rules = [NegativeRule({"Sex": "M"}, "ovarian"), NegativeRule({"Sex": "F"}, "prostate")]
    policy = sordino.DiversityPolicy("Ill", ["Sex", "Town"], 3, mined=False, rules=rules)
    out = sordino.protect(source, policy, method="injector", seed=seed).write(folder / "out") / "publish"
    known = [({"Sex": {"M"}}, "ovarian"), ({"Sex": {"F"}}, "prostate")]

    def safe(publish: Path) -> bool:
        by_group: dict[str, list[dict[str, Any]]] = {}
        for row in rows_of(publish):
            by_group.setdefault(str(row["Group"]), []).append(row)
        for members in by_group.values():
            possible = oracle_diversity.possible_by_pairs(
                [oracle_diversity.excluded(row, known) for row in members], [row["Ill"] for row in members]
            )
            if possible is None or min(map(len, possible)) < 3:
                return False
        return True

    alone = [{**row, "Group": str(k // 2 + 1)} for k, row in enumerate(rows)]
    return Case(out, policy, safe, comma(alone))


CASES: dict[str, Callable[[Path, int], Case]] = {
    "inference": inference,
    "adaptive": adaptive,
    "permuted": permuted,
    "generalized": generalized,
    "personal": personal,
    "template": template,
    "diversity": diversity,
}


class Forger:
    """Changes things by chance."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def text(self, content: bytes, before: bytes) -> bytes:
        """Other records or rows."""
        rng = self.rng
        own, old = content.decode().splitlines(), before.decode().splitlines()
        k, j = rng.randrange(len(own)), rng.randrange(len(own))
        way = rng.randrange(9)
        if way == 0:
            del own[k]
        elif way == 1:
            own.insert(j, own[k])
        elif way == 2:
            own[k], own[j] = own[j], own[k]
        elif way == 3:
            own[k] = rng.choice(old)
        elif way == 4:
            own = old
        elif way == 5:
            own = [*old[: len(old) // 2], *own[len(own) // 2 :]]
        elif way == 6 and own[k].startswith("["):
            own[k] = json.dumps([*json.loads(own[k]), rng.choice("abxy")], separators=(",", ":"))
        elif way == 7 and "," in own[k]:
            fields = own[k].split(",")
            fields[rng.randrange(len(fields))] = rng.choice([*rng.choice(own).split(","), "*", "", "?"])
            own[k] = ",".join(fields)
        else:
            own = [line + rng.choice(["", " ", ",Alice"]) for line in own]
        return ("\n".join(own) + "\n").encode()

    def document(self, value: Any, words: Sequence[Any]) -> Any:
        """The same with one thing in it that is not the same."""
        rng = self.rng
        if isinstance(value, dict) and value and rng.random() < 0.9:
            key = rng.choice(list(value))
            way = rng.random()
            if way < 0.1:
                return {k: v for k, v in value.items() if k != key}
            if way < 0.2:
                return {**value, rng.choice([*value, "note"]): rng.choice(words)}
            return {k: self.document(v, words) if k == key else v for k, v in value.items()}
        if isinstance(value, list) and value and rng.random() < 0.9:
            k = rng.randrange(len(value))
            way = rng.random()
            if way < 0.2:
                return value[:k] + value[k + 1 :]
            if way < 0.35:
                return [*value, value[k]]
            if way < 0.45:
                return [*value, rng.choice(words)]
            return [self.document(v, words) if j == k else v for j, v in enumerate(value)]
        if type(value) is int:
            return max(0, value + rng.choice([-1, 1, 2, 10]))
        return rng.choice([*words, None, [], {}, 0, True, "0.9", "1/3", "x", "a"])

    def forge(self, case: Case, target: Path) -> None:
        """A forged copy; its words are mostly made to fit."""
        shutil.copytree(case.publish, target)
        rng = self.rng
        files = [
            path for path in sorted(target.iterdir()) if path.name not in ("README.txt", "report.html", "check.html")
        ]
        manifest = json.loads((target / MANIFEST).read_bytes())
        words = _leaves(manifest)
        for path in rng.sample(files, k=rng.choice([1, 1, 1, 2])):
            raw = path.read_bytes()
            if path.name == MANIFEST:
                for _ in range(rng.choice([1, 1, 2, 3])):
                    key = rng.choice([key for key in manifest if key not in ("files", "sha256")])
                    manifest[key] = self.document(manifest[key], words)
                path.write_bytes(sealed(manifest))
            elif path.name.startswith("data."):
                path.write_bytes(self.text(raw, case.raw))
            else:
                zipped = path.name.endswith(".gz")
                document = self.document(json.loads(gzip.decompress(raw) if zipped else raw), words)
                path.write_bytes(as_written(document, path.name))
        reseal(target, self._follow(target), words=rng.random() < 0.9)

    def _follow(self, target: Path) -> Callable[[dict[str, Any]], object]:
        """Mostly the numbers in the manifest are made to fit the data, too."""

        def change(document: dict[str, Any]) -> None:
            path = next(path for path in target.iterdir() if path.name.startswith("data."))
            count = len(path.read_text(encoding="utf-8").splitlines()) - (path.suffix == ".csv")
            if self.rng.random() < 0.9:
                document["records"] = count
            if isinstance(document.get("diversity"), dict) and self.rng.random() < 0.8:
                groups = {row.get("Group") for row in rows_of(target)}
                knowledge = json.loads((target / "knowledge.json").read_bytes())
                rules = knowledge.get("rules") if isinstance(knowledge, dict) else None
                document["diversity"].update(groups=len(groups), rules=len(rules) if isinstance(rules, list) else 0)

        return change


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)] + list(value)
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [value]


@pytest.mark.parametrize("shape", CASES)
def test_what_passes_is_safe(shape: str, tmp_path: Path) -> None:
    passed = 0
    for seed in range(2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        case = CASES[shape](folder, seed)
        asked = None if shape == "permuted" else case.policy  # which promises less than any stated policy demands
        assert sordino.verify(case.publish, asked, **case.given).holds
        assert sordino.verify(case.publish, case.policy, **case.given).answer is not Answer.FAILS
        assert case.safe(case.publish)
        forger = Forger(seed)
        for number in range(FORGERIES // 2):
            target = folder / f"forged-{number}" / "publish"
            target.parent.mkdir()
            forger.forge(case, target)
            verdict = sordino.verify(target, case.policy, **case.given)
            if verdict.holds or (asked is None and verdict.answer is Answer.NOT_CHECKED):
                passed += 1
                assert case.safe(target), (shape, seed, number)
            elif number % 3 == 0:
                assert sordino.verify(target).reason  # its own policy: whatever comes of it, it comes to an end
    assert passed < FORGERIES
