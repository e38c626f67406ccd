"""The release folder: what is in it, what must not be in it, and that every tampering shows."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import deleter
import sordino
from forging import reseal
from sordino.audit.proof import make_proof, write_proof
from sordino.errors import InputError, InternalError
from sordino.release import check, staging
from sordino.release.baskets import parts as basket_parts
from sordino.release.check import manifest_bytes
from sordino.verify.manifest_file import parse

PROOF = "publish/proof.json.gz"

SHOP = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "y"}, {"b"}, {"b", "c"}]
POLICY = sordino.InferencePolicy(["x", "y"], "0.5")
PUBLISHED = ["README.txt", "check.html", "manifest.json", "proof.json.gz", "report.html"]
KEPT = ["audit.json", "changes.parquet", "policy.toml", "records.parquet", "report.html"]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    deleter.register(monkeypatch)


@pytest.fixture
def release() -> sordino.Release:
    return sordino.protect(SHOP, POLICY, method="deleter", seed=1)


@pytest.fixture
def out(release: sordino.Release, tmp_path: Path) -> Path:
    return release.write(tmp_path / "out")


def contents(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def test_the_folder_is_as_planned(out: Path, tmp_path: Path) -> None:
    assert sorted(p.name for p in (out / "publish").iterdir()) == sorted([*PUBLISHED, "data.jsonl"])
    assert sorted(p.name for p in (out / "keep").iterdir()) == KEPT
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    lines = (out / "publish" / "data.jsonl").read_text().splitlines()
    assert sorted(lines) == ['["a"]', '["a"]', '["a"]', '["b","c"]', '["b"]', '["b"]']
    back = parquet.read_table(out / "keep" / "records.parquet").to_pylist()
    shown = [SHOP[row["record"]] - {"x", "y"} for row in back]
    assert [set(json.loads(line)) for line in lines] == shown
    assert sordino.read_policy(out / "keep" / "policy.toml") == POLICY
    kept = json.loads((out / "keep" / "audit.json").read_text())
    assert (kept["before"]["holds"], kept["after"]["holds"]) == (False, True)
    assert kept["before"]["people_at_risk"] == 2
    assert parquet.read_table(out / "keep" / "changes.parquet").num_rows == 3
    verdict = sordino.verify(out)
    assert (verdict.holds, verdict.reason, verdict.items) == (True, "proved", 0)  # of x and y none is left
    assert sordino.verify(out / "publish").holds
    assert sordino.verify(str(out), POLICY).holds


def test_the_same_release_has_the_same_bytes(out: Path, tmp_path: Path) -> None:
    again = sordino.protect(SHOP, POLICY, method="deleter", seed=1).write(tmp_path / "again")
    assert contents(again) == contents(out)


def test_publish_does_not_depend_on_what_was_suppressed(tmp_path: Path) -> None:
    """Different originals with the same protected records publish the same bytes, also if nothing had to be deleted."""
    originals: list[list[set[str]]] = [
        SHOP,
        [{"a", "x", "y"}, {"a", "x"}, {"a", "x"}, {"b"}, {"b", "x"}, {"b", "c"}],
        [{"a"}, {"a"}, {"a"}, {"b"}, {"b"}, {"b", "c"}],
    ]
    for adaptive in (False, True, "0.4"):
        policy = sordino.InferencePolicy(["x", "y"], "0.5", adaptive=adaptive)
        seen = set()
        for ids in ("renumber", "shuffle"):
            for number, original in enumerate(originals):
                made = sordino.protect(original, policy, method="deleter", missing="accept", ids=ids, seed=5)
                out = made.write(tmp_path / f"{adaptive}{ids}{number}")
                seen.add((ids, tuple(sorted(contents(out / "publish").items()))))
        assert len(seen) == 2


def test_adaptive_thresholds_are_published_as_they_follow_from_the_data(tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(["x"], "0.5", adaptive="0.1")
    table = [{"a", "x"}, {"a"}, {"b", "x"}, {"b"}, {"b"}]
    out = sordino.protect(table, policy, method="deleter").write(tmp_path / "out")
    manifest = parse((out / "publish" / "manifest.json").read_bytes())
    assert manifest.thresholds == {"x": pytest.approx(0.54)}
    assert manifest.policy == policy
    assert sordino.verify(out).holds


def test_the_readme_speaks_plainly(out: Path, tmp_path: Path) -> None:
    text = (out / "publish" / "README.txt").read_text()
    words = " ".join(text.split())
    assert "Someone who knows any part of a person's record cannot infer" in words
    assert "with a confidence above 50%." in words
    assert "What is not guaranteed" in text
    assert "sordino verify ." in text
    assert max(map(len, text.splitlines())) <= 100
    assert "any sensitive item (none is left in it)" in words
    limited = sordino.InferencePolicy(["x"], "1/3", rho_of={"x": "0.4"}, knowledge=2)
    out = sordino.protect([*SHOP, {"a"}, {"a"}], limited).write(tmp_path / "limited")
    words = " ".join((out / "publish" / "README.txt").read_text().split())
    assert "knows at most 2 items" in words
    assert "knows more than 2 of a person's items nothing is promised" in words
    assert "1/3; other for items with a threshold of their own" in words


@pytest.mark.parametrize("ids", ["keep", "renumber", "shuffle"])
@pytest.mark.parametrize(
    "name", ["t.dat", "t.csv", "t.csv.gz", "long.csv", "t.jsonl", "ids.jsonl", "t.parquet", "l.parquet"]
)
def test_every_format_comes_back_in_kind(name: str, ids: str, tmp_path: Path) -> None:
    source = tmp_path / name
    lists = [sorted(record) for record in SHOP]
    if name == "t.parquet":
        parquet.write_table(pa.table({"who": [7, 8, 9, 10, 11, 12], "what": lists}), source)
    elif name == "l.parquet":
        pairs = [(f"p{u}", item) for u, record in enumerate(lists) for item in record]
        parquet.write_table(pa.table({"id": [p[0] for p in pairs], "item": [p[1] for p in pairs]}), source)
    else:
        lines = {
            "t.dat": [" ".join(r) for r in lists],
            "t.csv": [",".join(r) for r in lists],
            "t.csv.gz": [",".join(r) for r in lists],
            "long.csv": ["customer,product", *(f"p{u},{i}" for u, r in enumerate(lists) for i in r)],
            "t.jsonl": [json.dumps(r) for r in lists],
            "ids.jsonl": [json.dumps({"id": u + 10, "items": r}) for u, r in enumerate(lists)],
        }[name]
        data = ("\n".join(lines) + "\n").encode()
        source.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    release = sordino.protect(source, POLICY, method="deleter", ids=ids)
    out = release.write(tmp_path / "out")
    suffix = "".join(Path(name).suffixes)
    assert sorted(p.name for p in (out / "publish").iterdir()) == sorted([*PUBLISHED, f"data{suffix}"])
    back = sordino.read_baskets(out / "publish" / f"data{suffix}")
    original = sordino.read_baskets(source)
    assert list(back) == list(release.published)
    assert (back.origin.layout, back.origin.record, back.origin.item) == (
        original.origin.layout,
        original.origin.record,
        original.origin.item,
    )
    has_ids = original.ids is not None
    numbers = tuple(str(k) for k in range(1, 7))
    assert back.ids == ((original.ids if ids == "keep" else numbers) if has_ids else None)
    assert (out / "keep" / "records.parquet").exists() == (ids == "shuffle" or (has_ids and ids == "renumber"))
    if ids != "shuffle":
        assert list(back) == [record - {"x", "y"} for record in SHOP]
    else:
        assert sorted(map(sorted, back)) == sorted(sorted(record - {"x", "y"}) for record in SHOP)
    assert sordino.verify(out).holds


# Tampering


def rewrite(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def append(path: Path, text: str) -> None:
    path.write_bytes(path.read_bytes() + text.encode())


TAMPERINGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "data, another item": (lambda p: (p / "data.jsonl").write_text('["x"]\n' * 6), "data.jsonl was changed"),
    "data, a blank": (lambda p: append(p / "data.jsonl", "\n"), "data.jsonl was changed"),
    "data gone": (lambda p: (p / "data.jsonl").unlink(), "data.jsonl is missing"),
    "readme": (lambda p: append(p / "README.txt", "Safe against everything.\n"), "README.txt was changed"),
    "readme gone": (lambda p: (p / "README.txt").unlink(), "README.txt is missing"),
    "proof": (lambda p: (p / "proof.json.gz").write_bytes(b"{}"), "proof.json.gz was changed"),
    "proof gone": (lambda p: (p / "proof.json.gz").unlink(), "proof.json.gz is missing"),
    "manifest gone": (lambda p: (p / "manifest.json").unlink(), "manifest.json is missing"),
    "manifest cut": (lambda p: os.truncate(p / "manifest.json", 100), "not valid JSON"),
    "manifest of another kind": (lambda p: rewrite(p / "manifest.json", lambda d: d.update(format="x")), "format"),
    "manifest, a blank": (lambda p: append(p / "manifest.json", " "), "manifest.json was changed"),
    "manifest, weaker": (
        lambda p: rewrite(p / "manifest.json", lambda d: d["policy"].update(rho="0.9")),
        "manifest.json was changed",
    ),
    "manifest, promise": (
        lambda p: rewrite(p / "manifest.json", lambda d: d.update(guaranteed=["All."])),
        "manifest.json was changed",
    ),
    "extra file": (lambda p: (p / "notes.txt").write_text("hello"), "does not belong to the release: notes.txt"),
    "extra hidden file": (lambda p: (p / ".x").write_text(""), "does not belong"),
    "extra folder": (lambda p: (p / "more").mkdir(), "does not belong"),
    "a linked manifest": (
        lambda p: ((p / "manifest.json").rename(p.parent / "m"), (p / "manifest.json").symlink_to(p.parent / "m")),
        "manifest.json is not a regular file",
    ),
    "a link": (
        lambda p: ((p / "README.txt").rename(p.parent / "r"), (p / "README.txt").symlink_to(p.parent / "r")),
        "README.txt is not a regular file",
    ),
    "a folder for a file": (
        lambda p: ((p / "README.txt").unlink(), (p / "README.txt").mkdir()),
        "README.txt is not a regular file",
    ),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_every_tampering_shows(tampering: str, out: Path) -> None:
    change, reason = TAMPERINGS[tampering]
    change(out / "publish")
    verdict = sordino.verify(out)
    assert not verdict.holds
    assert reason in verdict.reason


def forge(out: Path, **changes: Any) -> None:
    """Rewrite the manifest so that its checksums fit again, and all texts."""
    publish = out / "publish"
    manifest = parse((publish / "manifest.json").read_bytes())
    (publish / "manifest.json").write_bytes(manifest_bytes(type(manifest)(**{**manifest.__dict__, **changes})))
    reseal(publish)


def test_a_forged_manifest_does_not_help(tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(["x"], "0.5", adaptive="0.1")
    table = [{"a", "x"}, {"a"}, {"b", "x"}, {"b"}]
    out = sordino.protect(table, policy, method="deleter").write(tmp_path / "out")
    whole = contents(out)

    def verdict() -> str:
        said = sordino.verify(out)
        assert not said.holds
        for name, content in whole.items():
            (out / name).write_bytes(content)
        assert sordino.verify(out).holds
        return said.reason

    (out / "publish" / "data.jsonl").write_text('["a","x"]\n' * 4)
    forge(out)
    assert "thresholds" in verdict()
    (out / "publish" / "data.jsonl").write_text('["a","x"]\n["x"]\n["b"]\n["b"]\n')
    forge(out)
    assert "about other data" in verdict()
    forge(out, policy=sordino.InferencePolicy(["x"], "0.4", adaptive="0.1"))
    assert "thresholds" in verdict()
    forge(out, policy=sordino.InferencePolicy(["x"], "0.4"), thresholds=None)
    assert "another threshold for 'x'" in verdict()
    forge(out, policy=sordino.InferencePolicy(["x"], "0.5", adaptive="0.1", knowledge=1))
    assert "another limit of knowledge" in verdict()
    forge(out, policy=sordino.InferencePolicy(["x", "a"], "0.5", adaptive="0.1"))
    assert "thresholds" in verdict()
    forge(out, records=5)
    assert "number of records" in verdict()
    forge(out, file="../data.jsonl")
    assert verdict()
    forge(out, form=replace(sordino.read_baskets([{"a"}]).origin, layout="fimi"))
    assert verdict()


def test_a_consistent_release_of_another_policy_is_told_from_the_expected_one(out: Path) -> None:
    forge(out, policy=sordino.InferencePolicy(["x"], "0.5"))
    assert sordino.verify(out).holds  # of x and y none is left, so this is as true as it is little
    assert sordino.verify(out, sordino.InferencePolicy(["x"], "1/2")).holds
    assert "another policy" in sordino.verify(out, sordino.InferencePolicy(["x"], "1/3")).reason
    assert "another policy" in sordino.verify(out, sordino.InferencePolicy(["y"], "1/2")).reason


def test_a_manifest_that_says_nothing_of_an_item_that_is_there(tmp_path: Path) -> None:
    """Only what is gone may be left out of the policy, and the expected policy tells."""
    safe = [{"a", "x"}, {"a"}, {"b", "y"}, {"b"}]
    out = sordino.protect(safe, POLICY, ids="renumber").write(tmp_path / "out")
    assert sordino.verify(out, POLICY).holds
    less = sordino.InferencePolicy(["y"], "0.5")
    write_proof(make_proof(sordino.read_baskets(safe), less.resolve(sordino.read_baskets(safe))), out / PROOF)
    forge(out, policy=less)
    assert sordino.verify(out).holds
    assert "no entry for 'x'" in sordino.verify(out, POLICY).reason


def test_the_policy_in_publish_names_only_what_is_left(tmp_path: Path) -> None:
    """The name of a sensitive item that is gone would tell that somebody had it; in the house all names are kept."""
    policy = sordino.InferencePolicy(["x", "y"], "0.5", rho_of={"y": "0.1"}, adaptive={"x": "0.1"})
    records = [{"a", "x"}, {"a"}, {"a"}, {"b", "c", "y"}, {"b"}]
    out = sordino.protect(records, policy).write(tmp_path / "out")
    public = parse((out / "publish" / "manifest.json").read_bytes()).policy
    assert public == sordino.InferencePolicy(["x"], "0.5", adaptive={"x": "0.1"})
    assert sordino.read_policy(out / "keep" / "policy.toml") == policy
    assert sordino.verify(out, policy).holds
    cost = sordino.measure(records, out)
    assert cost.to_dict() | {"seconds": 0} == sordino.measure(records, out, policy).to_dict() | {"seconds": 0}
    assert sordino.verify(out / "publish", policy).holds


@pytest.mark.parametrize("ids", [None, [f"u{k}" for k in range(6)]], ids=["positions", "ids"])
def test_a_shuffled_release_is_measured_in_the_order_of_the_input(ids: list[str] | None, tmp_path: Path) -> None:
    before = sordino.Baskets.from_sets(SHOP, ids=ids)
    release = sordino.protect(before, POLICY, method="deleter", ids="shuffle")
    out = release.write(tmp_path / "out")
    assert list(sordino.read_baskets(out / "publish" / "data.jsonl")) != list(release.data)
    assert sordino.measure(before, out).to_dict()["loss"] == release.utility.to_dict()["loss"]
    with pytest.raises(InputError):  # nobody outside can tell which record was which
        sordino.measure(before, out / "publish")
    with pytest.raises(InputError):
        sordino.measure([*SHOP, {"a"}], out)


def test_what_is_no_release_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        sordino.verify(tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a release folder"):
        sordino.verify(tmp_path)
    with pytest.raises(InputError, match="takes a release folder, or"):
        sordino.verify(SHOP, POLICY)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": "sordino-release/1"}', b"\xff", b"[" * 100_000])
def test_a_manifest_of_nonsense(content: bytes, out: Path) -> None:
    (out / "publish" / "manifest.json").write_bytes(content)
    assert "manifest.json" in sordino.verify(out).reason


@pytest.mark.parametrize("key", ["method", "records", "ids", "data", "policy", "thresholds", "files", "sordino"])
@pytest.mark.parametrize("value", [7, None, "x", [], {}])
def test_a_manifest_with_a_wrong_part(key: str, value: object, out: Path) -> None:
    """With a checksum that fits, so that it is the content that is looked at; it never raises."""
    from sordino.verify import manifest_file

    path = out / "publish" / "manifest.json"
    document = json.loads(path.read_bytes())
    del document["sha256"]
    same = document[key] == value
    document[key] = value
    path.write_bytes(manifest_file.sealed(document))
    assert check.verify_folder(out).holds == same


# Writing


def test_an_existing_folder_is_replaced_only_by_force(release: sordino.Release, out: Path, tmp_path: Path) -> None:
    before = contents(out)
    other = sordino.protect(SHOP, sordino.InferencePolicy(["x"], "0.5"), method="deleter")
    with pytest.raises(InputError, match="already there"):
        other.write(out)
    assert contents(out) == before
    other.write(out, force=True)
    assert sordino.verify(out).holds
    assert contents(out) != before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    release.write(out, force=True)
    assert contents(out) == before


def test_force_replaces_releases_and_empty_folders_only(release: sordino.Release, out: Path, tmp_path: Path) -> None:
    (out / "mine.txt").write_text("precious")
    with pytest.raises(InputError, match="not a release"):
        release.write(out, force=True)
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(InputError, match="already there"):
        release.write(other)
    (other / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="not a release"):
        release.write(other, force=True)
    (other / "thesis.tex").unlink()
    assert sordino.verify(release.write(other, force=True)).holds


def test_targets_that_cannot_be(release: sordino.Release, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder to write into"):
        release.write(tmp_path / "no" / "out")
    (tmp_path / "file").write_text("")
    for force in (False, True):
        with pytest.raises(InputError, match="already a file"):
            release.write(tmp_path / "file", force=force)
    with pytest.raises(InputError, match="no such folder to write into"):
        release.write(tmp_path / "file" / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_link_keeps_pointing_where_it_points(release: sordino.Release, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    release.write(tmp_path / "link")
    release.write(tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert sordino.verify(tmp_path / "link").holds
    assert [p.name for p in (tmp_path / "real").iterdir()] == ["out"]


def test_a_release_never_replaces_its_own_input(out: Path) -> None:
    policy = sordino.InferencePolicy(["a"], "0.1")
    again = sordino.protect(out / "publish" / "data.jsonl", policy, method="deleter")
    with pytest.raises(InputError, match="its own input"):
        again.write(out, force=True)
    assert sordino.verify(out).holds


# When our own promises break, nothing is published


def test_a_writer_that_writes_something_else(release: sordino.Release, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(basket_parts, "encoded", lambda *_: b'["x","a"]\n' * 6)
    with pytest.raises(InternalError, match="reads back as other records"):
        release.write(tmp_path / "out")
    monkeypatch.setattr(basket_parts, "encoded", lambda *_: b"[")
    with pytest.raises(InternalError, match="cannot be read back"):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_was_made_unsafe_is_not_written(release: sordino.Release, tmp_path: Path) -> None:
    object.__setattr__(release, "data", sordino.Baskets.from_sets(SHOP))
    with pytest.raises(InternalError, match="audit of the written file"):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_proof_that_the_verifier_refuses(tmp_path: Path, monkeypatch: Any) -> None:
    real = basket_parts.make_proof
    monkeypatch.setattr(basket_parts, "make_proof", lambda *a, **k: {**real(*a, **k), "data": "0" * 64})
    table = [{"a", "x"}, {"a"}]
    release = sordino.protect(table, sordino.InferencePolicy(["x"], "0.5"), method="deleter")
    with pytest.raises(InternalError, match="independent verifier refuses"):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


# Staging


def test_what_a_dead_run_left_is_removed_later(release: sordino.Release, tmp_path: Path) -> None:
    dead, other, living = (tmp_path / f".{k}.sordino-0123456789ab" for k in ("out", "another target", "living"))
    mine = tmp_path / ".out.sordino-notes"
    for stage in (dead, other, living, mine):
        (stage / "new").mkdir(parents=True)
    lock = staging._lock(living)
    assert lock is not None
    release.write(tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == [living.name, mine.name, "out"]
    os.close(lock)


def test_without_an_exchange_the_old_release_is_never_lost(
    release: sordino.Release, out: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(staging, "exchange", lambda *_: False)
    before = contents(out)
    other = sordino.protect(SHOP, sordino.InferencePolicy(["x"], "0.5"), method="deleter")
    real = os.rename

    def fails_second(source: Any, target: Any) -> None:
        if Path(source).name == "new":
            raise OSError(5, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "rename", fails_second)
    with pytest.raises(InputError, match="Input/output error"):
        other.write(out, force=True)
    assert contents(out) == before
    monkeypatch.setattr(os, "rename", real)
    other.write(out, force=True)
    assert contents(out) != before
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    # the machine died between the two renames: the next run puts the old release back first
    stage = tmp_path / ".out.sordino-0123456789ab"
    stage.mkdir()
    (out).rename(stage / "old")
    staging.remove_stale(tmp_path)
    with pytest.raises(InputError, match="already there"):
        release.write(out)
    assert sordino.verify(out).holds


def test_exchange(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    (one / "x").write_text("")
    other.mkdir()
    if not staging.exchange(one, other):
        pytest.skip("this system cannot exchange two names")
    assert (other / "x").exists()
    assert not staging.exchange(one, tmp_path / "nowhere")
