"""No trace of what was deleted: `publish/` follows from the published data, the policy and the request, and no more.

Two ways to see that, for every method, format and kind, byte for byte:

- A run on what was published, wherever it deletes nothing more, publishes the same again. (What is generalized,
  permuted or grouped cannot be handed in again: it is no data of items and people any more. The second way has to do.)
- Originals that differ in what was deleted only publish the same: the deleted is put back in part, taken out before, or
  called by another name, and wherever the published data come out equal, so must every file.

A method may decide otherwise about another original: then the published data differ, and nothing is compared. So every
test counts how often it could compare.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from sordino.data.baskets import Baskets
from sordino.policy.assurance import Assurance
from traces import IDS, SEED, SUPPRESSORS, Records, differing, plain, published

# Baskets: every suppressor, every format


def tables() -> dict[str, tuple[Records, sordino.InferencePolicy]]:
    """Tables in which names vanish that decide how others are ordered and written."""
    chance = np.random.default_rng(5)
    words = ["10", "9", "100", "7", "b", "x", "y", "Ä ö", 'q"u,o', "11"]
    mixed = [sorted({words[k] for k in chance.choice(10, size=1 + int(chance.integers(5)))}) for _ in range(60)]
    numbers = [
        sorted({str(k) for k in chance.choice(14, size=1 + int(chance.integers(5)))}, key=int) for _ in range(60)
    ]
    sorted_ = [*([["a", "x"]] * 4), *([["a"]] * 3), ["b", "y"], ["b", "z"], *([["b"]] * 5), ["c", "y"]]
    return {
        "mixed": (mixed, sordino.InferencePolicy(["b", "x", "y"], "0.2", rho_of={"b": "1/1000"})),
        "numbers": (numbers, sordino.InferencePolicy(["3", "10", "13"], "0.25", adaptive=True)),
        "sorted": (sorted_, sordino.InferencePolicy(["x", "y", "z"], "0.4", knowledge=2)),
    }


TABLES = tables()
LAYOUTS: dict[str, dict[str, Any]] = {
    "t.dat": {"layout": "fimi"},
    "t.csv": {"layout": "baskets"},
    "t.csv.gz": {"layout": "baskets"},
    "long.csv": {"layout": "long", "record": "who", "item": "what"},
    "t.jsonl": {},
    "ids.jsonl": {"record": "who", "item": "what"},
    "long.jsonl": {"layout": "long", "record": "who", "item": "what"},
    "t.parquet": {"record": "who", "item": "what"},
    "plain.parquet": {"item": "what"},
    "long.parquet.gz": {"layout": "long", "record": "who", "item": "what"},
}


def written(records: Records, path: Path, *, integers: bool) -> Path:
    """The records as a file of the layout that its name asks for."""
    lists: list[list[Any]] = [[int(item) for item in record] if integers else list(record) for record in records]
    pairs = [(f"p{u:03}", item) for u, record in enumerate(lists) for item in record]
    quoted = [
        '"' + str(item).replace('"', '""') + '"' if {'"', ","} & set(str(item)) else str(item) for _, item in pairs
    ]
    names = iter(quoted)
    text = {
        "t.dat": lambda: [" ".join(map(str, record)) for record in lists],
        "t.csv": lambda: [",".join(next(names) for _ in record) for record in lists],
        "long.csv": lambda: ["who,what", *(f"{who},{next(names)}" for who, _ in pairs)],
        "t.jsonl": lambda: [json.dumps(record, ensure_ascii=False) for record in lists],
        "ids.jsonl": lambda: [json.dumps({"who": f"p{u}", "what": record}) for u, record in enumerate(lists)],
        "long.jsonl": lambda: [json.dumps({"who": who, "what": item}) for who, item in pairs],
    }.get(path.name.removesuffix(".gz"))
    if text is not None:
        content = ("\n".join(text()) + "\n").encode()
    else:
        if path.name.startswith("long"):
            table = pa.table({"who": [who for who, _ in pairs], "what": [item for _, item in pairs]})
        else:
            ids = {} if path.name.startswith("plain") else {"who": list(range(100, 100 + len(lists)))}
            table = pa.table({**ids, "what": lists})
        sink = pa.BufferOutputStream()
        parquet.write_table(table, sink)
        content = sink.getvalue().to_pybytes()
    path.write_bytes(gzip.compress(content) if path.name.endswith(".gz") else content)
    return path


def received(folder: Path) -> Baskets:
    """The published data, read as whoever receives them would."""
    stated = json.loads((folder / "publish" / "manifest.json").read_bytes())["data"]
    form = {key: stated[key] for key in ("layout", "record", "item") if stated[key] is not None}
    return sordino.read_baskets(folder / "publish" / stated["file"], **form)


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_run_on_published_baskets_publishes_the_same(layout: str, ids: str, tmp_path: Path) -> None:
    compared = 0
    for name, (records, policy) in TABLES.items():
        integers = name == "numbers" and not layout.endswith((".dat", ".csv", ".csv.gz"))
        if layout == "t.dat":
            records = [[item.replace(" ", "_") for item in record] for record in records]
        source = written(records, tmp_path / layout, integers=integers)
        data = sordino.read_baskets(source, **LAYOUTS[layout])
        release = sordino.protect(data, policy, ids=ids, seed=SEED)
        assert release.deletions > 0
        first = published(release, tmp_path / f"{name}-1")
        data = received(tmp_path / f"{name}-1")
        second = published(sordino.protect(data, policy, ids=ids, seed=SEED, missing="accept"), tmp_path / f"{name}-2")
        assert differing(first, second) == []
        compared += 1
    assert compared == len(TABLES)


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("method", SUPPRESSORS)
def test_a_run_of_every_suppressor_on_what_it_published(method: str, ids: str, tmp_path: Path) -> None:
    compared = 0
    for name, (records, policy) in TABLES.items():
        if method == "naka-sampled":
            policy = sordino.InferencePolicy(policy.sensitive, policy.rho, assurance=Assurance("0.2", "0.2", 3))
        release = sordino.protect(records, policy, method=method, ids=ids, seed=SEED)
        assert release.deletions > 0
        first = published(release, tmp_path / f"{name}-1")
        data = received(tmp_path / f"{name}-1")
        rerun = sordino.protect(data, policy, method=method, ids=ids, seed=SEED, missing="accept")
        if rerun.deletions:  # a sample may find more
            assert method == "naka-sampled"
            continue
        assert differing(first, published(rerun, tmp_path / f"{name}-2")) == []
        compared += 1
    assert compared >= 2


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("method", SUPPRESSORS)
def test_originals_that_differ_in_what_is_deleted(method: str, ids: str, tmp_path: Path) -> None:
    """What was deleted is put back in part, or something else in its place: equal records, equal bytes."""
    compared = 0
    chance = np.random.default_rng(8)
    for name, (records, policy) in TABLES.items():
        if method == "naka-sampled":
            policy = sordino.InferencePolicy(policy.sensitive, policy.rho, assurance=Assurance("0.2", "0.2", 3))
        release = sordino.protect(records, policy, method=method, ids=ids, seed=SEED)
        first = published(release, tmp_path / f"{name}-1")
        gone = [(row["record"], row["item"]) for row in release.changes.to_pylist()]
        for turn in range(6):
            back = [gone[k] for k in chance.choice(len(gone), size=max(1, len(gone) * turn // 8), replace=False)]
            if turn == 5:  # something that was not there at all
                back = [(u, "never seen before") for u, _ in gone[:2]]
            other = [set(record) for record in release.data]
            for u, item in back:
                other[u].add(item)
            wanted = policy
            if turn == 5:
                wanted = sordino.InferencePolicy(
                    [*policy.sensitive, "never seen before"],
                    policy.rho,
                    rho_of={**policy.rho_of, "never seen before": "1/1000"},
                    adaptive=policy.adaptive,
                    knowledge=policy.knowledge,
                    assurance=policy.assurance,
                )
            rerun = sordino.protect(other, wanted, method=method, ids=ids, seed=SEED, missing="accept")
            if list(rerun.data) == list(release.data):
                assert differing(first, published(rerun, tmp_path / f"{name}-{turn + 2}")) == []
                compared += 1
    assert compared >= 4, compared


@pytest.mark.parametrize("method", SUPPRESSORS)
def test_the_order_of_the_source_leaves_no_trace(method: str, tmp_path: Path) -> None:
    compared = 0
    for name, (records, policy) in TABLES.items():
        if method == "naka-sampled":
            policy = sordino.InferencePolicy(policy.sensitive, policy.rho, assurance=Assurance("0.2", "0.2", 3))
        seen = {}
        for turn, source in enumerate((records, records[::-1], sorted(records), records[9:] + records[:9])):
            release = sordino.protect(source, policy, method=method, seed=SEED)
            content = tuple(sorted(tuple(sorted(record)) for record in release.data))
            files = published(release, tmp_path / f"{name}-{turn}")
            compared += content in seen
            assert differing(seen.setdefault(content, files), files) == []
    assert compared > 0


def test_choices_of_people_leave_no_trace(tmp_path: Path) -> None:
    """Where people chose for themselves: the same published records, the same bytes, whoever chose what."""
    table = [["a", "x"], ["a", "x"], ["a"], ["b", "y"], ["b"], ["b", "c"], ["c"], ["c", "z"]]
    seen = {}
    compared = 0
    for turn, chosen in enumerate(({0: ["x"]}, {1: ["x"]}, {0: ["x"], 3: ["y"]}, {1: ["x"], 3: ["y"]}, {7: ["z"]})):
        policy = sordino.InferencePolicy([], "0.5", per_record=chosen)
        release = sordino.protect(table, policy, seed=SEED)
        content = tuple(sorted(tuple(sorted(record)) for record in release.data))
        files = published(release, tmp_path / str(turn))
        compared += content in seen
        assert differing(seen.setdefault(content, files), files) == []
    assert compared > 0


# Baskets in groups: items that are deleted everywhere


def deleted_everywhere(release: Any, records: Iterable[Iterable[str]]) -> set[str]:
    rows = release.changes.to_pylist()
    shown = {(row["record"], row["item"]) for row in rows if row["to"] is None}
    return {item for u, record in enumerate(records) for item in record} - {
        item for u, record in enumerate(records) for item in record if (u, item) not in shown
    }


SECRET = ("sx", "sy")


def grouping_tables() -> list[tuple[Records, sordino.InferencePolicy]]:
    """Small tables of rare items beside frequent sensitive ones: some are then deleted everywhere."""
    made = []
    for k in range(48):
        chance = np.random.default_rng([2, k])
        items = [f"qw{j}" for j in range(int(chance.integers(4, 9)))]
        shares = chance.uniform(0.05, 0.3, size=len(items)).tolist() + chance.uniform(0.4, 0.6, size=2).tolist()
        records = [
            [name for name, share in zip((*items, *SECRET), shares, strict=True) if chance.random() < share]
            for _ in range(int(chance.integers(8, 16)))
        ]
        policy = sordino.InferencePolicy(SECRET, ("0.7", "0.8", "0.5")[k % 3], adaptive=k % 4 == 3)
        if not sordino.audit(records, policy, missing="accept").holds:
            made.append((records, policy))
    return made


@pytest.mark.parametrize("method", ["lgps", "tdcontrol"])
@pytest.mark.parametrize("ids", IDS)
def test_items_that_are_gone_leave_no_trace_in_the_hierarchy(method: str, ids: str, tmp_path: Path) -> None:
    """A hierarchy that is built is as if they had never been there, whatever their names."""
    compared = renamed = 0
    for k, (records, policy) in enumerate(grouping_tables()):
        release: Any = sordino.protect(records, policy, method=method, ids=ids, seed=SEED, missing="accept")
        gone = deleted_everywhere(release, records) - set(policy.sensitive)
        if not gone:
            continue
        first = published(release, tmp_path / f"{k}")
        for name, content in first.items():
            for item in gone:
                assert item.encode() not in plain(name, content), (name, item)
        without = [[item for item in record if item not in gone] for record in records]
        if not sordino.audit(without, policy, missing="accept").holds:  # else the baskets stay as they are
            rerun = sordino.protect(without, policy, method=method, ids=ids, seed=SEED, missing="accept")
            assert differing(first, published(rerun, tmp_path / f"{k}-without")) == []
            compared += 1
        called = [[f"a-{item}" if item in gone else item for item in record] for record in records]
        rerun = sordino.protect(called, policy, method=method, ids=ids, seed=SEED, missing="accept")
        if deleted_everywhere(rerun, called) - set(policy.sensitive) == {f"a-{item}" for item in gone}:
            assert differing(first, published(rerun, tmp_path / f"{k}-renamed")) == []
            renamed += 1
        if compared > 5 and renamed > 5:
            return
    assert compared > 0
    assert renamed > 0


@pytest.mark.parametrize("method", ["lgps", "tdcontrol"])
def test_a_hierarchy_that_was_brought_names_only_what_is_shown(method: str, tmp_path: Path) -> None:
    """Nor do groups open nodes below which they show nothing. What never occurred cannot be told from what is gone."""
    compared = 0
    for k, (records, policy) in enumerate(grouping_tables()):
        names = [f"qw{j}" for j in range(9)]
        tree = {"ALL": {"low": [*names[:4], "other", "sx"], "high": [*names[4:], "never", "sy"]}}
        release: Any = sordino.protect(records, policy, method=method, seed=SEED, hierarchy=tree, missing="accept")
        files = published(release, tmp_path / str(k))
        data = release.published_groups
        told = {name for row, name in occurrences_left(release, records)} - set(SECRET)
        assert set(data.hierarchy.leaf_of) == (told or {"ALL"})
        for g in range(data.groups):
            shown = {name for u, record in enumerate(data.baskets) if data.group[u] == g for name in record}
            nodes = {data.node_of[name] for name in shown if name in data.node_of}
            assert set(data.opened[g]) == {up for v in nodes for up in data.hierarchy.path(v)[1:]}
        cost, own = sordino.measure(records, tmp_path / str(k)).to_dict(), release.utility.to_dict()
        assert cost | {"seconds": 0} == own | {"seconds": 0}
        gone = deleted_everywhere(release, records) - set(policy.sensitive)
        if gone:
            called = [["other" if item == min(gone) else item for item in record] for record in records]
            rerun: Any = sordino.protect(called, policy, method=method, seed=SEED, hierarchy=tree, missing="accept")
            if list(rerun.data) == list(release.data):
                assert differing(files, published(rerun, tmp_path / f"{k}-renamed")) == []
                compared += 1
    assert compared > 0


def occurrences_left(release: Any, records: Iterable[Iterable[str]]) -> set[tuple[int, str]]:
    lost = {(row["record"], row["item"]) for row in release.changes.to_pylist() if row["to"] is None}
    return {(u, item) for u, record in enumerate(records) for item in record} - lost


@pytest.mark.parametrize("ids", IDS)
def test_permuted_baskets(ids: str, tmp_path: Path) -> None:
    """A sensitive item that is deleted wholly, because hardly anybody may be thought to have it, is nowhere."""
    chance = np.random.default_rng(3)
    compared = 0
    for k in range(8):
        records = [sorted({f"c{j}" for j in chance.choice(6, size=3)}) for _ in range(30)]
        for u in chance.choice(30, size=6, replace=False).tolist():
            records[u].append("x")
        other = [list(record) for record in records]
        for u in chance.choice(30, size=3, replace=False).tolist():
            other[u].append("zecret7")
        policy = sordino.InferencePolicy(["zecret7", "x"], "0.4", rho_of={"zecret7": "1/100"})
        one, two = (
            sordino.protect(source, policy, method="cahd", ids=ids, seed=SEED, missing="accept")
            for source in (records, other)
        )
        if one.unchanged or list(one.data) != list(two.data):
            continue
        first, second = published(one, tmp_path / f"{k}-1"), published(two, tmp_path / f"{k}-2")
        assert not any(b"zecret7" in plain(name, content) for name, content in second.items())
        if plain("groups.json.gz", first["groups.json.gz"]) == plain("groups.json.gz", second["groups.json.gz"]):
            assert differing(first, second) == []
            compared += 1
    assert compared > 0


@pytest.mark.parametrize("method", ["lgps", "tdcontrol", "cahd"])
def test_the_order_of_the_source_leaves_no_trace_in_groups(method: str, tmp_path: Path) -> None:
    compared = 0
    for k, (records, policy) in enumerate(grouping_tables()[:12]):
        seen: dict[Any, dict[str, bytes]] = {}
        for turn, source in enumerate((records, records[::-1], sorted(records))):
            release: Any = sordino.protect(source, policy, method=method, seed=SEED, missing="accept")
            files = published(release, tmp_path / f"{k}-{turn}")
            content = shape_of(release)
            compared += content in seen
            assert differing(seen.setdefault(content, files), files) == []
    assert compared > 0


def shape_of(release: Any) -> Any:
    """What groups show, whatever the order of records and groups."""
    data = release.published_groups
    told = getattr(data, "held", None)
    told = [sorted(held.items()) for held in told] if told is not None else data.opened
    groups = [
        (str(told[g]), tuple(sorted(tuple(sorted(r)) for u, r in enumerate(data.baskets) if data.group[u] == g)))
        for g in range(data.groups)
    ]
    return tuple(sorted(groups)), getattr(data, "labels", None)
