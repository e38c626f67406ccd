"""Chance changes something in a release, and makes none, some or all checksums and words fit: what do both say?

`tampered` makes the same folder from the same seed. `difference` asks `sordino verify` and the page about it.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

import sordino
from forging import as_written, gzipped, reseal, sealed
from page import SUGGESTION, CheckPage, timeless
from sordino.release.check_page import page_bytes
from sordino.verify.manifest import MANIFEST

__all__ = ["VECTORS", "bases", "difference", "in_parquet", "tampered"]

VECTORS = Path(__file__).parent / "vectors"
PROOF = "proof.json.gz"
# What need not be the same: numbers of a draw by chance, which each verifier makes for itself, and what exactly is
# wrong with a file that cannot be read, where a library tells it.
SAME = (
    (re.compile(r"(\d+|none) can infer"), "some can infer"),
    (
        re.compile(r"^(manifest\.json is malformed|the policy in manifest\.json cannot be accepted).*$", re.S),
        "malformed",
    ),
    (re.compile(r"^hierarchy\.json (cannot be read|holds more than).*$", re.S), "no hierarchy"),
    (
        re.compile(
            r"^(the first line|the long layout|the header cannot|a column has|there is no column|wrong columns"
            r"|cannot tell which column|the column '[^']*' does not hold lists).*$",
            re.S,
        ),
        "other columns",
    ),
    (re.compile(r"^knowledge\.json (is malformed|says something).*$", re.S), "no knowledge"),
    (re.compile(r"^(quotes that do not match|this is not well-formed CSV).*$", re.S), "no CSV"),
)

NO_MANIFEST = (ValueError, RecursionError, AttributeError, TypeError, KeyError, OSError)  # when there is none any more

TEXTS = (
    *("", " ", "a", "x", "y", "1", "01", "1.0", "0.5", "0.50", "1/2", "2/4", "1/3", "0", "-1", "50%", "1e2", "NaN"),
    *("null", "?", "NA", "*", "Group", "any", "under 10", "__proto__", "constructor", "a\x1fb", "a\x00b", "\ufeff"),
    *("ä", "a\u0308", "\u2028", "\x85", "\U0001f600", "\U0001d7d9", "\u0661", 'q"', "c,d", "e;f", "g\nh", "\r", "\t"),
    *("<b>", "&amp;", "data.csv", "../data.csv", "\ud800", "A" * 300),
)
NUMBERS = (0, 1, 2, -1, 3, 10, 100, 2**31, 2**53, 2**53 + 1, 2**63, 2**64, 10**30, 10**400)
REALS = (0.0, 0.5, 1.0, 1e300, -0.0, 1.5e-7)
BYTES = (
    b"\x00",
    b"\n",
    b"\r",
    b" ",
    b'"',
    b",",
    b";",
    b"{",
    b"]",
    b"\\",
    b"\xff",
    b"\xc3\xa4",
    b"\xef\xbb\xbf",
    b"0",
    b"-",
)


def bases(vectors: Path = VECTORS) -> dict[str, Path]:
    """The honest vectors."""
    verdicts = json.loads((vectors / "verdicts.json").read_text(encoding="utf-8"))
    return {name: vectors / name for name, verdict in verdicts.items() if verdict["honest"]}


def in_parquet(folder: Path) -> dict[str, Path]:
    """Honest releases in Parquet, whose bytes depend on the library, so that there are no vectors of them."""
    records = [sorted(record) for record in ({"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}, {"b", "c"}) * 3]
    rows = [{"Job": "ab"[k % 2], "Age": 20 + k % 5, "Ill": ("flu", "hiv", "cold", None)[k % 4]} for k in range(20)]
    parquet.write_table(pa.table({"id": list(range(len(records))), "items": records}), folder / "baskets.parquet")
    parquet.write_table(pa.Table.from_pylist(rows), folder / "table.parquet")
    baskets = sordino.read_baskets(folder / "baskets.parquet", record="id", item="items")
    templates = sordino.TemplatePolicy([sordino.Template(["Job", "Age"], "Ill", ["hiv"], "0.5")])
    made = {
        "parquet-baskets": sordino.protect(baskets, sordino.InferencePolicy(["x"], "0.5"), seed=1),
        "parquet-table": sordino.protect(folder / "table.parquet", templates, seed=1),
    }
    return {name: release.write(folder / name) / "publish" for name, release in made.items()}


def tampered(base: Path, target: Path, seed: str) -> str:
    """A copy in which something was changed; what it was, in a few words."""
    shutil.copytree(base, target)
    if not (target / "check.html").exists():
        (target / "check.html").write_bytes(page_bytes())
    chance = Chance(random.Random(seed), target)
    done = [chance.deed() for _ in range(chance.rng.choice([1, 1, 1, 2]))]
    ending = chance.rng.choice(["", "sealed", "sealed", "sealed", "all fits", "all fits", "all fits", "all fits"])
    if ending:
        with contextlib.suppress(
            ValueError, RecursionError, AttributeError, TypeError, KeyError, OSError
        ):  # no manifest any more
            if ending == "all fits" and chance.rng.random() < 0.8:
                chance.follow()
            reseal(target, words=ending == "all fits")
    return "; ".join([*done, ending or "not sealed"])


def difference(publish: Path, page: CheckPage, key: str = "") -> str | None:
    """In what the two disagree about a folder; None if they do not."""
    if not (publish / MANIFEST).is_file():
        return None  # the page does not take it for a release, and says so
    own = sordino.verify(publish, key=key or None)
    told = page.check(publish, key)
    if told["answer"] == "not checked" and "which this page cannot read" in told["reason"]:
        return None  # some Parquet
    ours = (str(own.answer), _plain([own.reason]), _plain(own.sentences()))
    its = (told["answer"], _plain([told["reason"]]), _plain(told["sentences"]))
    if ours[0] == its[0] == "fails" and its[1] == ["no CSV"]:
        return None  # the readers differ in what they make of stray quotation marks, which no honest file has
    return None if ours == its else f"sordino: {ours}\npage:    {its}"


def _plain(sentences: Any) -> list[str]:
    told = [SUGGESTION.sub("", one) for one in timeless(sentences)]
    for pattern, plain in SAME:
        told = [pattern.sub(plain, one) for one in told]
    return told


class Chance:
    """Deeds by chance on one folder."""

    def __init__(self, rng: random.Random, publish: Path) -> None:
        self.rng, self.publish = rng, publish

    def deed(self) -> str:
        ways: list[tuple[int, Callable[[], str]]] = [
            (1, self.files),
            (3, self.bytes_),
            (2, self.inside),
            (6, self.document),
            (6, self.manifest),
            (6, self.data),
        ]
        (way,) = self.rng.choices([way for _, way in ways], [weight for weight, _ in ways])
        return way()

    def file(self, *, json_only: bool = False, zipped: bool = False) -> Path | None:
        found = [
            path
            for path in sorted(self.publish.iterdir())
            if path.is_file()
            and (not json_only or (".json" in path.name and not path.name.endswith((".jsonl", ".minisig"))))
            and (not json_only or (path.name != MANIFEST and "data." not in path.name))
            and (not zipped or path.suffix == ".gz")
        ]
        return self.rng.choice(found) if found else None

    def files(self) -> str:
        """A file that is gone, empty, added, or exchanged for another."""
        rng, path = self.rng, self.file()
        assert path is not None
        way = rng.randrange(5)
        if way == 0:
            path.unlink()
            return f"{path.name} is gone"
        if way == 1:
            path.write_bytes(b"")
            return f"{path.name} is empty"
        if way == 2:
            name = rng.choice(["note.txt", "data.csv", "data.jsonl", "Manifest.json", "ä.txt", "groups.json.gz", ".x"])
            (self.publish / name).write_bytes(b"Alice\n")
            return f"{name} was added"
        if way == 3:
            other = self.file()
            assert other is not None
            path.write_bytes(other.read_bytes())
            return f"{path.name} has the content of {other.name}"
        path.write_bytes(path.read_bytes() * 2)
        return f"{path.name} stands twice in itself"

    def bytes_(self) -> str:
        """Some bytes of a file as it is."""
        path = self.file()
        assert path is not None
        path.write_bytes(self.scratched(path.read_bytes()))
        return f"bytes of {path.name}"

    def inside(self) -> str:
        """Some bytes of what a gzip file holds, or of the data."""
        path = self.file(zipped=True)
        if path is None:
            return self.bytes_()
        with contextlib.suppress(OSError, EOFError):
            path.write_bytes(gzipped(self.scratched(gzip.decompress(path.read_bytes()))))
        return f"bytes in {path.name}"

    def scratched(self, raw: bytes) -> bytes:
        rng = self.rng
        for _ in range(rng.choice([1, 1, 1, 3])):
            at = rng.randrange(len(raw) + 1)
            end = min(len(raw), at + rng.choice([0, 1, 1, 1, 5]))
            more = rng.choice(
                [b"", rng.choice(BYTES), rng.choice(BYTES), bytes([rng.randrange(256)]), raw[at : at + 20]]
            )
            raw = raw[:at] + more + raw[end:]
        return raw

    def document(self) -> str:
        """Something in a JSON file that is not the manifest; mostly written as it should be."""
        path = self.file(json_only=True)
        if path is None:
            return self.manifest()
        raw = path.read_bytes()
        try:
            document = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
        except (ValueError, OSError, EOFError):
            return "nothing"
        changed = self.changed(document, _leaves(document))
        if path.name == PROOF and isinstance(changed, dict) and self.rng.random() < 0.9:
            changed = _proof_sealed(changed)
        if self.rng.random() < 0.1:
            loose = json.dumps(changed, ensure_ascii=self.rng.random() < 0.5).encode("utf-8", "surrogatepass")
            path.write_bytes(gzipped(loose) if path.suffix == ".gz" else loose)
        else:
            path.write_bytes(as_written(changed, path.name))
        return f"something in {path.name}"

    def manifest(self) -> str:
        """An entry of the manifest."""
        path = self.publish / MANIFEST
        try:
            document = json.loads(path.read_bytes())
            keys = [key for key in document if key != "sha256"]
        except (ValueError, OSError):
            return "nothing"
        if not keys:
            return "nothing"
        key = self.rng.choice([*keys, "data", "policy", "policy"])
        if key in document:
            document[key] = self.changed(document[key], _leaves(document))
        if self.rng.random() < 0.05:
            document = dict(sorted(document.items()))
        path.write_bytes(sealed(document))
        return f"'{key}' in the manifest"

    def changed(self, value: Any, words: list[Any]) -> Any:
        """The same with one thing in it that is not the same."""
        rng = self.rng
        if isinstance(value, dict) and value and rng.random() < 0.92:
            key, way = rng.choice(list(value)), rng.random()
            if way < 0.06:
                return {k: v for k, v in value.items() if k != key}
            if way < 0.12:
                return {**value, rng.choice([*value, *TEXTS]): self.leaf(words)}
            if way < 0.16:
                return dict(rng.sample(list(value.items()), len(value)))
            if way < 0.2:
                return {rng.choice(TEXTS) if k == key else k: v for k, v in value.items()}
            return {k: self.changed(v, words) if k == key else v for k, v in value.items()}
        if isinstance(value, list) and value and rng.random() < 0.92:
            k, way = rng.randrange(len(value)), rng.random()
            if way < 0.12:
                return value[:k] + value[k + 1 :]
            if way < 0.22:
                return [*value[:k], value[k], *value[k:]]
            if way < 0.3:
                return [*value, self.leaf(words)]
            if way < 0.36:
                return rng.sample(value, len(value))
            return [self.changed(v, words) if j == k else v for j, v in enumerate(value)]
        if type(value) is int and rng.random() < 0.6:
            return value + rng.choice([-1, 1, 2, 10])
        if isinstance(value, str) and rng.random() < 0.3:
            at = rng.randrange(len(value) + 1)
            return value[:at] + rng.choice(TEXTS) + value[at + rng.randrange(2) :]
        return self.leaf(words)

    def leaf(self, words: list[Any]) -> Any:
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            return rng.choice([None, True, False, [], {}, [[]], {"a": {}}])
        if kind == 1:
            return rng.choice(NUMBERS)
        if kind == 2:
            return rng.choice(REALS)
        return rng.choice(TEXTS if kind == 3 else words or TEXTS)

    def data(self) -> str:
        """Lines, fields and blanks of the data."""
        rng = self.rng
        found = sorted([*self.publish.glob("data.*"), *self.publish.glob("values.*")])
        if not found:
            return "nothing"
        path = rng.choice(found)
        raw = path.read_bytes()
        with contextlib.suppress(UnicodeDecodeError, OSError, EOFError):
            text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
            new = self.relined(text).encode("utf-8", "surrogatepass")
            path.write_bytes(gzipped(new) if path.suffix == ".gz" else new)
        return f"lines of {path.name}"

    def relined(self, text: str) -> str:
        rng, own = self.rng, text.split("\n")
        k, j = rng.randrange(len(own)), rng.randrange(len(own))
        way = rng.randrange(12)
        if way == 0:
            del own[k]
        elif way == 1:
            own.insert(j, own[k])
        elif way == 2:
            own[k], own[j] = own[j], own[k]
        elif way == 3:
            own = own[: k + 1]
        elif way == 4:
            return text.replace("\n", "\r\n")
        elif way == 5:
            own[k] = rng.choice(TEXTS)
        elif way == 6:
            old, new = rng.choice(
                [(",", ", "), (",", ";"), ('"', "'"), (":", ": "), ("1", "01"), ("x", "y"), ("1", "1.0")]
            )
            return text.replace(old, new, rng.choice([1, -1]))
        elif way == 7:
            return rng.choice(["\ufeff", "\n", " ", "a\n"]) + text
        elif way == 8:
            return text + rng.choice(["\n", " ", "a", "\x00"])
        else:
            parts = re.split(r'([,;\s"\[\]{}:]+)', own[k])
            at = rng.randrange(len(parts))
            parts[at] = rng.choice([rng.choice(TEXTS), str(rng.choice(NUMBERS)), rng.choice(parts), f'"{parts[at]}"'])
            own[k] = "".join(parts)
        return "\n".join(own)

    def follow(self) -> None:
        """The numbers in the manifest, and the checksum of the data in the proof, are made to fit the data, too."""
        path = self.publish / MANIFEST
        document = json.loads(path.read_bytes())
        data = self.publish / str(document["data"]["file"])
        if not data.is_file() or data.suffix not in (".csv", ".jsonl", ".dat"):
            return
        count = data.read_bytes().count(b"\n") - (data.suffix == ".csv" and document["data"].get("layout") != "baskets")
        if document["data"].get("layout") not in ("long",):
            document["records"] = count
        path.write_bytes(sealed(document))


def _proof_sealed(proof: dict[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in proof.items() if key != "sha256"}
    return {**rest, "sha256": hashlib.sha256(json.dumps(rest, separators=(",", ":")).encode()).hexdigest()}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)] + list(value)
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [value]
