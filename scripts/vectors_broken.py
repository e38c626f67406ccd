"""What is done to honest releases to break them: name of the vector -> name of the release, and the deed."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forging import as_written, gzipped, reseal

__all__ = ["BROKEN"]

MANIFEST, PROOF, GROUPS, KNOWLEDGE, HIERARCHY = (
    "manifest.json",
    "proof.json.gz",
    "groups.json.gz",
    "knowledge.json",
    "hierarchy.json",
)
Break = Callable[[Path], object]


def edited(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON file, make its own checksum fit, if it has one, and write it as sordino would."""
    raw = path.read_bytes()
    document = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    change(document)
    if path.name == PROOF:
        rest = {key: value for key, value in document.items() if key != "sha256"}
        document["sha256"] = hashlib.sha256(json.dumps(rest, separators=(",", ":")).encode()).hexdigest()
    path.write_bytes(as_written(document, path.name))


def first(out: Path, old: str, new: str) -> None:
    (path,) = out.glob("data.*")
    path.write_text(path.read_text().replace(old, new, 1))


def _seeming(out: Path) -> None:
    """The first cell below the head again, with a character behind it that nobody sees."""
    head, first_row, *rest = (out / "data.csv").read_text().split("\n")
    cell, *others = first_row.split(",")
    (out / "data.csv").write_text("\n".join([head, first_row, ",".join([f"{cell}\u200b", *others]), *rest[1:]]))


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
    "more knowledge than can be stated": (
        "inference",
        lambda o: (
            edited(o / PROOF, lambda p: p.update(knowledge=2_000_000)),
            reseal(o, lambda d: d["policy"].update(knowledge=2_000_000)),
        ),
    ),
    "a threshold of too many digits": (
        "inference",  # it allows what 1/2 does, so the proof fits
        lambda o: reseal(o, lambda d: d["policy"].update(rho=f"{10**60 + 1}/{2 * 10**60 + 1}")),
    ),
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
        lambda o: (edited(o / HIERARCHY, lambda h: h.update(note="Alice")), reseal(o)),
    ),
    "groups that are not numbered in order": (
        "generalized",
        lambda o: (
            edited(o / GROUPS, lambda g: g.update(group=[max(g["group"]) - k for k in g["group"]])),
            reseal(o),
        ),
    ),
    "groups with blanks": (
        "permuted",
        lambda o: ((o / GROUPS).write_bytes(gzipped(gzip.decompress((o / GROUPS).read_bytes()) + b" ")), reseal(o)),
    ),
    "a group opens a leaf": (
        "generalized-absence",
        lambda o: (edited(o / GROUPS, lambda g: g["opened"][0].append("a")), reseal(o)),
    ),
    "too few twins in a group": ("generalized-absence", lambda o: reseal(o, lambda d: d["policy"].update(rho="0.05"))),
    "a sequel of nothing": ("sequel", lambda o: reseal(o, lambda d: d.update(previous=[]))),
    "a sequel of numbers": ("sequel", lambda o: reseal(o, lambda d: d.update(previous=[1]))),
    "a sequel with limited knowledge": ("sequel", lambda o: reseal(o, lambda d: d["policy"].update(knowledge=2))),
    "a sequel that does not hold": ("sequel", lambda o: reseal(o, lambda d: d["policy"].update(rho="0.1"))),
    "a sequel of something else": ("sequel-of-two", lambda o: reseal(o, lambda d: d["previous"].reverse())),
    "a promise that published records break": ("promised-sampled", lambda o: _broken_promise(o)),
    "a promise with a proof": ("promised", lambda o: ((o / PROOF).write_bytes(gzipped(b"{}")), reseal(o))),
    "a choice of somebody": ("promised", lambda o: reseal(o, lambda d: d["policy"].update(personal={"0": ["a"]}))),
    "a proof with blanks": (
        "inference",
        lambda o: ((o / PROOF).write_bytes(gzipped(gzip.decompress((o / PROOF).read_bytes()) + b"\n")), reseal(o)),
    ),
    "a proof with another seal": ("inference", lambda o: _other_seal(o)),
    "a group holds too many": ("permuted", lambda o: (edited(o / GROUPS, lambda g: _more(g["held"])), reseal(o))),
    "groups in another order": ("permuted", lambda o: (edited(o / GROUPS, lambda g: g["group"].reverse()), reseal(o))),
    "a template that does not hold": (
        "template",
        lambda o: reseal(o, lambda d: d["policy"]["templates"][0].update(at_most="0.01")),
    ),
    "quotes that need not be": (
        "template",
        lambda o: (first(o, ",flu\n", ',"flu"\n'), reseal(o)),
    ),
    "a number with a point": ("template-ranges", lambda o: (first(o, '"Pay": 2.0', '"Pay": 2.00'), reseal(o))),
    "no ranges": ("template-ranges", lambda o: (first(o, '"Age": "', '"Age": "about '), reseal(o))),
    "no periods": ("template-periods", lambda o: (first(o, "in 2024-Q", "2024-Q"), reseal(o))),
    "a column too many": (
        "template",
        lambda o: (
            (o / "data.csv").write_text(
                "".join(f"{line},Alice\n" for line in (o / "data.csv").read_text().splitlines())
            ),
            reseal(o),
        ),
    ),
    "a value that seems to be another": ("template", lambda o: (_seeming(o), reseal(o))),
    "values called missing": ("template", lambda o: reseal(o, lambda d: d["data"]["missing"].append("nurse"))),
    "a rule is gone": (
        "diversity",
        lambda o: (
            edited(o / KNOWLEDGE, lambda k: k["rules"].pop()),
            reseal(o, lambda d: d["diversity"].update(rules=1)),
        ),
    ),
    "a higher l": ("diversity", lambda o: reseal(o, lambda d: d["policy"].update(l=4))),
    "a group of values without values": (
        "diversity-mined",
        lambda o: (edited(o / KNOWLEDGE, lambda k: k["groups"].update({"Alice": {}})), reseal(o)),
    ),
    "a rule that nobody mined": (
        "diversity-mined",
        lambda o: (
            edited(o / KNOWLEDGE, lambda k: k["rules"].append({"if": {"Sex": "M"}, "not": "flu"})),
            reseal(o, lambda d: d["diversity"].update(rules=d["diversity"]["rules"] + 1)),
        ),
    ),
    "knowledge without line ends": (
        "diversity-mined",
        lambda o: (
            (o / KNOWLEDGE).write_text(json.dumps(json.loads((o / KNOWLEDGE).read_bytes()))),
            reseal(o),
        ),
    ),
    "groups with other names": ("diversity", lambda o: (_renamed(o), reseal(o))),
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


def _broken_promise(out: Path) -> None:
    """Everybody has the same three sensitive items, so that whoever is drawn can infer one."""
    (out / "data.jsonl").write_text('["x","y","z"]\n' * 30)
    reseal(out, lambda d: (d.update(records=30), d["policy"].update(sensitive=["x", "y", "z"])))


def _other_seal(out: Path) -> None:
    proof = json.loads(gzip.decompress((out / PROOF).read_bytes()))
    (out / PROOF).write_bytes(as_written({**proof, "sha256": "0" * 64}, PROOF))
    reseal(out)


def _renamed(out: Path) -> None:
    """The first group is called 01."""
    path = out / "data.csv"
    head, *rows = path.read_text().splitlines()
    place = head.split(",").index("Group")
    cells = [row.split(",") for row in rows]
    for row in cells:
        row[place] = "01" if row[place] == "1" else row[place]
    path.write_text("\n".join([head, *(",".join(row) for row in cells)]) + "\n")


def _more(held: list[dict[str, int]]) -> None:
    for told in held:
        for name in told:
            told[name] += 1


def _named(raw: bytes) -> bytes:
    return raw[:3] + b"\x10" + raw[4:10] + b"Alice\0" + raw[10:]
