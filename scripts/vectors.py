"""Makes the test vectors for checkers of releases: small releases, honest and broken, and what is to be said of them.

    python scripts/vectors.py            # writes tests/vectors
    python scripts/vectors.py --check    # says whether they are still what sordino makes

Every vector is the `publish` part of a release, made from data that this script makes up. tests/vectors/verdicts.json
says of each which answer is right, and with which reason. docs/notes/verifier.md says how they are checked.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import sordino  # noqa: E402 - the paths above come first
from forging import gzipped, reseal  # noqa: E402
from sordino import NegativeRule, Template, TemplatePolicy  # noqa: E402
from sordino.report import page  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
VERDICTS = "verdicts.json"
MANIFEST, PROOF, GROUPS = "manifest.json", "proof.json.gz", "groups.json.gz"
TREE = {"ALL": {"A": ["a", "b"], "B": ["c", "d"], "C": ["e", "f"]}}
Break = Callable[[Path], object]


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


def honest(folder: Path) -> dict[str, Path]:
    """One honest release of each shape, and of some forms."""
    both, one = (
        sordino.InferencePolicy(["x", "y"], "0.5", rho_of={"y": "0.3"}),
        sordino.InferencePolicy(["x", "y"], "0.5"),
    )
    long = folder / "long.csv"
    long.write_text("customer,product\n" + "".join(f"c{u},{i}\n" for u, r in enumerate(baskets()) for i in sorted(r)))
    lines = folder / "lines.dat.gz"
    lines.write_bytes(gzip.compress("".join(" ".join(sorted(record)) + "\n" for record in baskets()).encode()))
    rules = [NegativeRule({"Sex": "M"}, "ovarian"), NegativeRule({"Sex": "F"}, "prostate")]
    templates = TemplatePolicy(
        [Template(["Job", "Town"], "Ill", ["hiv"], "0.5"), Template(["Town"], "Ill", rarest="50%", at_most="0.6")]
    )
    sure = sordino.policy.assurance.Assurance("0.2", "0.2", 2)
    grouped = sordino.DiversityPolicy("Ill", ["Sex", "Town"], 3, mined=False, rules=rules)
    wanted: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "inference": (baskets(), both, {}),
        "inference-limited": (baskets(4), sordino.InferencePolicy(["x", "y"], "1/3", knowledge=2), {}),
        "inference-adaptive": (baskets(5), sordino.InferencePolicy(["x", "y"], "0.3", adaptive="0.5"), {}),
        "inference-long": (sordino.read_baskets(long, record="customer", item="product"), one, {}),
        "inference-fimi": (sordino.read_baskets(lines, layout="fimi"), one, {}),
        "absence": (baskets(10, 60), sordino.InferencePolicy(["x", "y"], "0.5", absent="any"), {}),
        "generalized": (baskets(6), one, {"method": "lgps", "hierarchy": TREE, "divide": "valid"}),
        "generalized-absence": (
            baskets(11, 60),
            sordino.InferencePolicy(["x", "y"], "0.5", absent="any"),
            {"method": "lgps", "hierarchy": TREE},
        ),
        "permuted": (baskets(7), one, {"method": "cahd"}),
        "promised": (baskets(8, 14), sordino.InferencePolicy(["x"], "0.5", per_record={0: ["a"]}), {}),
        "promised-sampled": (
            baskets(9),
            sordino.InferencePolicy(["x"], "0.9", assurance=sure),
            {"method": "naka-sampled"},
        ),
        "template": (table(folder), templates, {}),
        "diversity": (patients(folder), grouped, {"method": "injector"}),
        "diversity-tables": (patients(folder), grouped, {"method": "injector", "form": "tables"}),
    }
    made = {}
    for name, (data, policy, options) in wanted.items():
        made[name] = sordino.protect(data, policy, seed=1, **options).write(folder / name) / "publish"
    return made


def edited(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON file, and make its own checksum fit, if it has one."""
    raw = path.read_bytes()
    zipped = raw[:2] == b"\x1f\x8b"
    document = json.loads(gzip.decompress(raw) if zipped else raw)
    change(document)
    if zipped and "sha256" in document:
        rest = {key: value for key, value in document.items() if key != "sha256"}
        document["sha256"] = hashlib.sha256(json.dumps(rest, separators=(",", ":")).encode()).hexdigest()
    text = json.dumps(document, separators=(",", ":") if zipped else None, ensure_ascii=False).encode()
    path.write_bytes(gzipped(text) if zipped else text)


def first(out: Path, old: str, new: str) -> None:
    (path,) = out.glob("data.*")
    path.write_text(path.read_text().replace(old, new, 1))


def proof(out: Path, change: Callable[[Any], object]) -> None:
    edited(out / PROOF, change)
    reseal(out)


BROKEN: dict[str, tuple[str, Break]] = {
    "a file was changed": ("inference", lambda o: first(o, "a", "b")),
    "a file is missing": ("inference", lambda o: (o / PROOF).unlink()),
    "a file too many": ("inference", lambda o: (o / "names.csv").write_text("Alice\n")),
    "an entry too many": ("inference", lambda o: reseal(o, lambda d: d.update(note="Alice"))),
    "a number in another form": ("inference", lambda o: reseal(o, lambda d: d["policy"].update(rho="0.50"))),
    "another page": ("inference", lambda o: ((o / "check.html").write_text("<p>It is safe.</p>"), reseal(o))),
    "other words": ("inference", lambda o: ((o / "README.txt").write_text("It is safe.\n"), reseal(o, words=False))),
    "words of another version": (
        "inference",
        lambda o: (
            (o / "README.txt").write_text("It is safe.\n"),
            reseal(o, lambda d: d.update(sordino="9.0"), words=False),
        ),
    ),
    "other data": ("inference", lambda o: (first(o, '"x"', '"z"'), reseal(o))),
    "a record with a blank": ("inference", lambda o: (first(o, ",", ", "), reseal(o))),
    "another number of records": ("inference", lambda o: reseal(o, lambda d: d.update(records=31))),
    "a lower threshold": ("inference", lambda o: reseal(o, lambda d: d["policy"].update(rho="0.2"))),
    "no alibis": ("inference", lambda o: proof(o, lambda p: p["items"]["x"].update(record=[], alibi=[], units=[]))),
    "a stolen alibi": (
        "inference",
        lambda o: proof(o, lambda p: p["items"]["x"]["alibi"].__setitem__(0, p["items"]["x"]["record"][0])),
    ),
    "too many units": ("inference", lambda o: proof(o, lambda p: p["items"]["x"]["units"].__setitem__(0, 1000))),
    "giant units": ("inference", lambda o: proof(o, lambda p: p["items"]["x"]["units"].__setitem__(0, 10**30))),
    "units that are not whole": (
        "inference",
        lambda o: proof(o, lambda p: p["items"]["x"]["units"].__setitem__(0, 1.0)),
    ),
    "the proof says more": ("inference", lambda o: proof(o, lambda p: p.update(note="Alice"))),
    "all open, and unsafe": ("inference", lambda o: _unprotected(o)),
    "a comment in gzip": (
        "inference-fimi",
        lambda o: ((o / "data.dat.gz").write_bytes(_named((o / "data.dat.gz").read_bytes())), reseal(o)),
    ),
    "a bomb": ("inference", lambda o: ((o / PROOF).write_bytes(gzipped(b" " * (1 << 26))), reseal(o))),
    "too few twins": ("absence", lambda o: reseal(o, lambda d: d["policy"].update(rho="0.1"))),
    "columns exchanged": (
        "inference-long",
        lambda o: reseal(o, lambda d: d["data"].update(record="product", item="customer")),
    ),
    "another threshold than the data's": (
        "inference-adaptive",
        lambda o: reseal(o, lambda d: d["thresholds"].update(x="0.9")),
    ),
    "a group opens too much": (
        "generalized",
        lambda o: (edited(o / GROUPS, lambda g: g["opened"][0].clear()), reseal(o)),
    ),
    "a note in the hierarchy": (
        "generalized",
        lambda o: (edited(o / "hierarchy.json", lambda h: h.update(note="Alice")), reseal(o)),
    ),
    "a group holds too many": ("permuted", lambda o: (edited(o / GROUPS, lambda g: _more(g["held"])), reseal(o))),
    "groups in another order": ("permuted", lambda o: (edited(o / GROUPS, lambda g: g["group"].reverse()), reseal(o))),
    "a template that does not hold": (
        "template",
        lambda o: reseal(o, lambda d: d["policy"]["templates"][0].update(at_most="0.01")),
    ),
    "a column too many": (
        "template",
        lambda o: (
            (o / "data.csv").write_text(
                "".join(f"{line},Alice\n" for line in (o / "data.csv").read_text().splitlines())
            ),
            reseal(o),
        ),
    ),
    "values called missing": ("template", lambda o: reseal(o, lambda d: d["data"]["missing"].append("nurse"))),
    "a rule is gone": (
        "diversity",
        lambda o: (
            edited(o / "knowledge.json", lambda k: k["rules"].pop()),
            reseal(o, lambda d: d["diversity"].update(rules=1)),
        ),
    ),
    "a higher l": ("diversity", lambda o: reseal(o, lambda d: d["policy"].update(l=4))),
    "groups of another number": ("diversity", lambda o: reseal(o, lambda d: d["diversity"].update(groups=1))),
    "more values than people": (
        "diversity-tables",
        lambda o: ((o / "values.csv").write_text((o / "values.csv").read_text() + "1,flu,1\n"), reseal(o)),
    ),
}


def _unprotected(out: Path) -> None:
    """Data in which everybody with an a has an x; the proof calls all of them open."""
    records = [["a", "x"]] * 3 + [["b"]] * 3
    (out / "data.jsonl").write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records))
    lines = "".join("\x1f".join(record) + "\n" for record in records)
    entry = {"rho": "1/2", "record": [], "alibi": [], "units": [], "open": [0]}
    found = {"data": hashlib.sha256(lines.encode()).hexdigest(), "records": 6, "items": {"x": entry}}
    edited(out / PROOF, lambda p: p.update(found))
    reseal(out, lambda d: (d.update(records=6), d["policy"].update(sensitive=["x"], per_item={})))


def _more(held: list[dict[str, int]]) -> None:
    for told in held:
        for name in told:
            told[name] += 1


def _named(raw: bytes) -> bytes:
    return raw[:3] + b"\x10" + raw[4:10] + b"Alice\0" + raw[10:]


def make(target: Path) -> None:
    """All vectors, and the verdicts on them."""
    page.can_draw = lambda: False  # pictures are not compared, and differ from library to library
    with tempfile.TemporaryDirectory() as folder:
        made = honest(Path(folder))
        verdicts = {}
        for name, publish in made.items():
            shutil.copytree(publish, target / name)
        for name, (of, change) in BROKEN.items():
            own = name.replace(" ", "-").replace(",", "").replace("'", "")
            shutil.copytree(made[of], target / own)
            change(target / own)
        for path in sorted(target.iterdir()):
            verdict = sordino.verify(path)
            verdicts[path.name] = {"answer": str(verdict.answer), "reason": verdict.reason}
            shown = path / "check.html"
            if shown.exists() and shown.read_bytes() == (ROOT / "src/sordino/release/check.html").read_bytes():
                shown.unlink()  # the same in all of them, and in the package
    (target / VERDICTS).write_text(json.dumps(verdicts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "vectors"
        made.mkdir()
        make(made)
        if "--check" in sys.argv[1:]:
            stale = sorted(
                name
                for name in {*contents(made), *contents(VECTORS)}
                if contents(made).get(name) != contents(VECTORS).get(name)
            )
            print("\n".join(f"{name} is not what scripts/vectors.py makes" for name in stale))
            return 1 if stale else 0
        shutil.rmtree(VECTORS, ignore_errors=True)
        shutil.copytree(made, VECTORS)
    print(f"{len(json.loads((VECTORS / VERDICTS).read_text()))} vectors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
