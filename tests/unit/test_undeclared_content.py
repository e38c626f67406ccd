"""What a release may not hold besides: notes, fields, files and words of the publisher's own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from forged import RULES, diverse, lines_of, put, written
from forging import as_written, gzipped, reseal, sealed
from sordino import Template, TemplatePolicy
from sordino.verify.manifest import MANIFEST

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
