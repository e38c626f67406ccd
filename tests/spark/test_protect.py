"""Records made safe on a cluster, as one machine sees them; and the same bytes whatever happens to the cluster."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sordino
import sordino.spark
from sordino.errors import InputError
from sordino.policy.answer import Answer
from spark_cluster import Cluster

SENSITIVE = ("i1", "i4", "i7")
POLICY = sordino.InferencePolicy(SENSITIVE, "1/2")


def drawn(seed: int, records: int = 240, items: int = 12) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.05, 0.5, items)
    return [[f"i{k}" for k in np.flatnonzero(rng.random(items) < chance)] for _ in range(records)]


RECORDS = drawn(5)


def people(spark: Any, records: list[list[str]] = RECORDS) -> Any:
    rows = [(f"p{k}", record) for k, record in enumerate(records)]
    return spark.createDataFrame(rows, "person string, items array<string>")


def parquet(folder: Path) -> list[dict[str, Any]]:
    return [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


def hashes(folder: Path) -> dict[str, str]:
    """Of all files, by their names."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def made(spark: Any, folder: Path, mode: str = "whole") -> Any:
    release = sordino.spark.protect(people(spark), POLICY, record="person", mode=mode, parts=3, groups=3, seed=7)
    release.write(folder)
    return release


@pytest.fixture(scope="module")
def release(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    folder = tmp_path_factory.mktemp("release") / "out"
    return made(spark, folder), folder


def test_what_is_published_is_safe_and_a_part_of_what_was_there(release: tuple[Any, Path]) -> None:
    result, folder = release
    rows = parquet(folder / "publish" / "data")
    assert [row["record"] for row in sorted(rows, key=lambda row: row["record"])] == list(range(1, len(RECORDS) + 1))
    published = {row["record"]: row["items"] for row in rows}
    assert sordino.audit(list(published.values()), POLICY, missing="accept").holds
    assert not sordino.audit(RECORDS, POLICY).holds
    known = {row["published"]: int(row["record"][1:]) for row in parquet(folder / "keep" / "records")}
    assert sorted(known.values()) == list(range(len(RECORDS)))
    gone: dict[int, set[str]] = {}
    for row in parquet(folder / "keep" / "changes"):
        gone.setdefault(row["published"], set()).add(row["item"])
    for number, items in published.items():
        assert set(items).isdisjoint(gone.get(number, set()))
        assert set(items) | gone.get(number, set()) == set(RECORDS[known[number]])
    assert (
        sum(map(len, gone.values()))
        == result.deletions
        == result.occurrences_before - sum(map(len, published.values()))
    )
    assert Counter(map(tuple, published.values())) == Counter(
        tuple(row["items"]) for row in result.dataframe.toArrow().to_pylist()
    )
    assert list(known.values()) != sorted(known.values())  # not in the order of the source
    history = json.loads((folder / "keep" / "audit.json").read_text())
    assert history["after"]["holds"] is True
    assert (folder / "keep").stat().st_mode & 0o077 == 0


def test_nothing_is_lost_beyond_what_parts_lose(spark: Any, release: tuple[Any, Path]) -> None:
    result, _ = release
    parts = sordino.spark.protect(people(spark), POLICY, mode="parts", parts=3, seed=7)
    assert sordino.audit([row["items"] for row in parts.dataframe.toArrow().to_pylist()], POLICY).holds
    assert result.deletions <= parts.deletions


def forged(folder: Path, part: str, change: Any, to: Path) -> Path:
    """A copy of a release in which the rows of `part` are what `change` makes of them, with checksums that fit."""
    shutil.copytree(folder, to)
    files = sorted((to / "publish" / part).glob("*.parquet"))
    schema = pq.read_schema(files[0])
    rows = change([row for path in files for row in pq.read_table(path).to_pylist()])
    manifest = json.loads((to / "publish" / "manifest.json").read_text())
    for path in files[1:]:
        del manifest["files"][f"{part}/{path.name}"]
        path.unlink()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), files[0])
    content = files[0].read_bytes()
    entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest["files"][f"{part}/{files[0].name}"] = entry
    (to / "publish" / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return to


def test_the_honest_release_is_proved_in_both_ways(spark: Any, release: tuple[Any, Path]) -> None:
    _, folder = release
    here, there = sordino.spark.verify(folder), sordino.spark.verify(folder, session=spark)
    assert (here.answer, there.answer) == (Answer.HOLDS, Answer.HOLDS), (here, there)
    assert (here.items, here.served, here.searched) == (there.items, there.served, there.searched)
    assert sordino.spark.verify(folder, POLICY, session=spark).holds
    stricter = sordino.InferencePolicy(SENSITIVE, "1/5")
    assert sordino.spark.verify(folder, stricter).answer is Answer.FAILS
    assert sordino.spark.verify(folder, stricter, session=spark).answer is Answer.FAILS


def _another_alibi(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = next(k for k, row in enumerate(rows) if row["alibi"] is not None)
    return [*rows[:first], {**rows[first], "alibi": rows[first]["record"]}, *rows[first + 1 :]]


def _overdrawn(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = next(k for k, row in enumerate(rows) if row["alibi"] is not None)
    return [*rows[:first], {**rows[first], "units": 10_000}, *rows[first + 1 :]]


def _nobody_open(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    served = [row for row in rows if row["alibi"] is not None]
    return served[1:]  # somebody lost an alibi


def _twice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "record": 2} if row["record"] == 1 else row for row in rows]


def _one_less(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["record"] != len(rows)]


def _more_told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lucky = next(k for k, row in enumerate(rows) if len(row["items"]) > 1 and "i1" not in row["items"])
    return [*rows[:lucky], {**rows[lucky], "items": sorted([*rows[lucky]["items"], "i1"])}, *rows[lucky + 1 :]]


FORGERIES = {
    "a tampered alibi": ("proof", _another_alibi, "no alibi"),
    "overdrawn capacity": ("proof", _overdrawn, "more"),
    "no alibis, and not open": ("proof", _nobody_open, "alibis"),
    "a duplicated id": ("data", _twice, "numbered|same number"),
    "a record less": ("data", _one_less, "number of records|not what the manifest"),
    "something added": ("data", _more_told, ""),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused_on_one_machine(release: tuple[Any, Path], tmp_path: Path, name: str) -> None:
    part, change, reason = FORGERIES[name]
    verdict = sordino.spark.verify(forged(release[1], part, change, tmp_path / "forged"))
    assert verdict.answer is Answer.FAILS
    assert _said(verdict.reason, reason), verdict


def _said(text: str, pattern: str) -> bool:
    return any(word in text for word in pattern.split("|"))


@pytest.mark.parametrize(
    "name", ["a tampered alibi", "overdrawn capacity", "no alibis, and not open", "a duplicated id"]
)
def test_forgeries_are_refused_by_the_cluster(spark: Any, release: tuple[Any, Path], tmp_path: Path, name: str) -> None:
    part, change, reason = FORGERIES[name]
    verdict = sordino.spark.verify(forged(release[1], part, change, tmp_path / "forged"), session=spark)
    assert verdict.answer is Answer.FAILS
    assert _said(verdict.reason, reason), verdict


STRAY = ("notes.txt", "data/part-9.parquet", "data/_part.parquet", "data/.part.crc", "data/names.csv", "more/x.parquet")


@pytest.mark.parametrize("name", STRAY)
def test_undeclared_content_is_seen(spark: Any, release: tuple[Any, Path], tmp_path: Path, name: str) -> None:
    folder = tmp_path / "more"
    shutil.copytree(release[1], folder)
    (folder / "publish" / name).parent.mkdir(exist_ok=True)
    (folder / "publish" / name).write_text("somebody")
    for session in (None, spark):  # Spark itself does not see names that begin with a sign
        verdict = sordino.spark.verify(folder, session=session)
        assert verdict.answer is Answer.FAILS
        assert verdict.reason.endswith("is not in the manifest")


@pytest.mark.parametrize("change", ["more", "gone"])
def test_other_words_are_seen(spark: Any, release: tuple[Any, Path], tmp_path: Path, change: str) -> None:
    folder = tmp_path / "words"
    shutil.copytree(release[1], folder)
    readme = folder / "publish" / "README.txt"
    readme.write_text(readme.read_text() + "Nobody can be found in it.\n") if change == "more" else readme.unlink()
    for session in (None, spark):
        verdict = sordino.spark.verify(folder, session=session)
        assert verdict.answer is Answer.FAILS
        assert "README.txt" in verdict.reason


def test_a_missing_part_is_seen(spark: Any, release: tuple[Any, Path], tmp_path: Path) -> None:
    folder = tmp_path / "less"
    shutil.copytree(release[1], folder)
    sorted((folder / "publish" / "data").glob("*.parquet"))[0].unlink()
    for session in (None, spark):
        verdict = sordino.spark.verify(folder, session=session)
        assert verdict.answer is Answer.FAILS
        assert verdict.reason.endswith("is missing")


def test_the_cluster_believes_no_file_that_it_read_before(
    spark: Any, release: tuple[Any, Path], tmp_path: Path
) -> None:
    """What Spark keeps of a folder must not stand for what lies there later."""
    folder = tmp_path / "here"
    shutil.copytree(release[1], folder)
    assert sordino.spark.verify(folder, session=spark).holds
    worse = forged(release[1], "data", _more_told, tmp_path / "worse")
    shutil.rmtree(folder)
    shutil.move(worse, folder)
    assert sordino.spark.verify(folder, session=spark).answer is Answer.FAILS


def test_half_a_release_is_no_release(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sordino.engine.spark import release as module

    def broken(*_: object) -> None:
        raise RuntimeError("the power is gone")

    monkeypatch.setattr(module, "prove", broken)
    result = sordino.spark.protect(people(spark, RECORDS[:30]), POLICY, mode="parts", parts=1, seed=1, missing="accept")
    with pytest.raises(RuntimeError, match="power"):
        result.write(tmp_path / "out")
    assert (tmp_path / "out" / "publish" / "data").is_dir()
    verdict = sordino.spark.verify(tmp_path / "out")
    assert verdict.answer is Answer.FAILS
    assert "never finished" in verdict.reason
    with pytest.raises(InputError, match="something already"):
        result.write(tmp_path / "out")


def test_the_same_bytes_after_a_worker_was_killed(
    spark: Any, cluster: Cluster, release: tuple[Any, Path], tmp_path: Path
) -> None:
    """Half of the executors die in the middle; the rest does their tasks again."""
    killed: list[int] = []
    worker = cluster.busiest()

    def kill() -> None:
        time.sleep(3)
        killed.append(cluster.kill_worker(worker))

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        made(spark, tmp_path / "again")
    finally:
        killer.join()
        cluster.start_worker(worker)
    assert killed[0] > 1  # the worker, and an executor at least
    assert hashes(tmp_path / "again") == hashes(release[1])
    assert {name.split("/")[0] for name in hashes(release[1])} == {"publish", "keep"}


def test_adaptive_thresholds_are_those_of_what_is_published(spark: Any, tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(SENSITIVE, "1/2", adaptive=True)
    assert not sordino.audit(RECORDS, policy).holds
    release = sordino.spark.protect(people(spark), policy, parts=3, seed=2, only_sensitive=True)
    release.write(tmp_path / "out")
    published = [row["items"] for row in parquet(tmp_path / "out" / "publish" / "data")]
    assert sordino.audit(published, policy, missing="accept").holds
    gone = {row["item"] for row in parquet(tmp_path / "out" / "keep" / "changes")}
    assert gone <= set(SENSITIVE)
    for session in (None, spark):
        assert sordino.spark.verify(tmp_path / "out", policy, session=session).holds


def test_knowledge_of_absence(spark: Any, tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(SENSITIVE, "1/2", absent="any")
    found = sordino.spark.audit(people(spark), policy)
    assert found.answer is Answer.FAILS
    assert 0 < found.people_at_risk <= sordino.audit(RECORDS, policy).people_at_risk
    release = sordino.spark.protect(people(spark), policy, parts=2, seed=1)
    release.write(tmp_path / "out")
    published = [row["items"] for row in parquet(tmp_path / "out" / "publish" / "data")]
    assert sordino.audit(published, policy, missing="accept").holds
    for session in (None, spark):
        assert sordino.spark.verify(tmp_path / "out", session=session).holds
    worse = forged(tmp_path / "out", "data", _more_told, tmp_path / "worse")
    for session in (None, spark):
        assert sordino.spark.verify(worse, session=session).answer is Answer.FAILS


def test_what_cannot_be_is_said(spark: Any) -> None:
    frame = people(spark, RECORDS[:3])
    with pytest.raises(InputError, match="no method 'twinz'"):
        sordino.spark.protect(frame, POLICY, method="twinz")
    with pytest.raises(InputError, match="mode cannot be"):
        sordino.spark.protect(frame, POLICY, mode="half")
    with pytest.raises(InputError, match="parts must be"):
        sordino.spark.protect(frame, POLICY, parts=0)
    with pytest.raises(InputError, match="method 'twins'"):
        sordino.spark.protect(frame, POLICY, method="twins")
    double = frame.unionByName(frame)
    with pytest.raises(InputError, match="repeat others"):
        sordino.spark.protect(double, POLICY, record="person", missing="accept")
    with pytest.raises(InputError, match="needs a session"):
        sordino.spark.verify("s3a://bucket/release")
