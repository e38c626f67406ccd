"""One measurement of benchmarks/large.py in a process of its own: prints its values as lines of JSON."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cell import peak_megabytes
from benchmarks.common import FILES, data_folder, draw_sensitive

SOURCE = "BMS-POS part (275k)"
PIECE = 250_000  # records, or rows, that are made together
NOISE = 0.1  # of the occurrences become another item, drawn as often as items occur
RHO = "0.7"
DRAW = 1  # of what is sensitive where parts are compared, as in benchmarks/suppress.py
WARM = 8.0  # seconds after which a command is interrupted: it has begun by then


def resampled(baskets: Any, records: int, rng: np.random.Generator) -> Any:
    """So many records drawn from `baskets`, with noise: an Arrow table with a column of lists."""
    drawn = rng.integers(0, len(baskets), size=records)
    lengths = baskets.lengths[drawn]
    start = np.cumsum(lengths) - lengths
    items = baskets.items[np.repeat(baskets.indptr[:-1][drawn] - start, lengths) + np.arange(int(lengths.sum()))]
    noisy = rng.random(len(items)) < NOISE
    items = np.where(noisy, baskets.items[rng.integers(0, len(baskets.items), size=len(items))], items)
    names = pa.array(baskets.names).take(pa.array(items))
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.table({"items": pa.ListArray.from_arrays(offsets, names)})


def people(rows: int, rng: np.random.Generator) -> Any:
    """So many rows of a table like a census: an id, four known columns, and a disease."""
    ages, jobs = rng.normal(45, 18, rows).clip(0, 99).astype(np.int64), rng.zipf(1.6, rows) % 40
    disease = np.where(rng.random(rows) < 0.03, jobs % 5, rng.integers(0, 12, rows))
    return pa.table(
        {
            "id": rng.integers(0, 2**60, rows),
            "age": ages,
            "sex": pa.array(["f", "m"]).take(pa.array(rng.integers(0, 2, rows))),
            "region": rng.integers(0, 50, rows),
            "job": jobs,
            "disease": pa.array([f"disease {k}" for k in range(12)]).take(pa.array(disease)),
        }
    )


def make(task: Mapping[str, Any]) -> None:
    """The file of a task, piece by piece."""
    rng = np.random.default_rng(task["seed"])
    baskets: Any = None
    if task["of"] == "baskets":
        from sordino.data.read import read_baskets

        baskets = read_baskets(data_folder() / FILES[SOURCE])
    writer = None
    for begin in range(0, task["number"], PIECE):
        number = min(PIECE, task["number"] - begin)
        table = resampled(baskets, number, rng) if baskets is not None else people(number, rng)
        writer = writer or parquet.ParquetWriter(task["file"], table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def policy(kind: str) -> Any:
    """What must hold."""
    import sordino

    if kind in ("templates", "disclosure-local"):
        return sordino.TemplatePolicy(
            [sordino.Template(["age", "region", "job"], "disease", [f"disease {k}" for k in range(5)], "0.4")]
        )
    if kind in ("diversity", "anatomy"):
        return sordino.DiversityPolicy("disease", ["age", "region", "job"], l=4, mined=False)
    from sordino.data.read import read_baskets

    names = read_baskets(data_folder() / FILES[SOURCE]).names
    return sordino.InferencePolicy(draw_sensitive(names, 0), RHO)


def main() -> None:
    task = json.loads(sys.argv[1])
    if task["do"] == "make":
        make(task)
        values: dict[str, Any] = {}
    elif task["do"] == "parts":
        values = in_parts(task["kind"], task["number"])
    elif task["do"] == "interrupt":
        values = interrupted(task)
    elif task["of"] == "hostile":
        values = hostile(task)
    else:
        values = whole_command(task)
    print(json.dumps({"phase": "done", "megabytes": peak_megabytes(), **values}), flush=True)


def whole_command(task: Mapping[str, Any]) -> dict[str, Any]:
    """What `sordino audit` or `sordino protect` does with a file."""
    import sordino
    from sordino.kinds import verbs

    required = policy(task["kind"])
    start, cpu = time.perf_counter(), time.process_time()
    if task["do"] == "audit":
        result = sordino.audit(task["file"], required, top=0, missing="accept")
        values: dict[str, Any] = {"at risk": result.people_at_risk}
    else:
        options = {} if task.get("parts") is None else {"parts": task["parts"]}
        method = task["kind"] if task["kind"] in ("anatomy", "disclosure-local") else None
        release = verbs.protect(
            task["file"], required, method=method, seed=1, missing="accept", written=True, options=options
        )
        release.write(task["out"], force=True)
        values = {"at risk": release.audit_before.people_at_risk}
        if task["kind"] == "baskets":
            values["loss"] = 100 * release.deletions / release.occurrences_before
        elif task["kind"] in ("diversity", "anatomy"):
            values["off"] = release.utility.queries.error  # of random counts, in percent
        else:
            values["kept"] = 100 * float(release.utility.cells.share)
    return {"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, **values}


def in_parts(name: str, number: int) -> dict[str, Any]:
    """Loss in percent, and CPU seconds: of the whole, of the union of so many parts, and after putting back."""
    import sordino
    from sordino.data.read import read_baskets
    from sordino.engine.local import Watch, default_jobs
    from sordino.protect import fewest, mine, parts

    baskets = read_baskets(data_folder() / FILES[name])
    resolved = sordino.InferencePolicy(draw_sensitive(baskets.names, DRAW), RHO).resolve(baskets)
    jobs, values = default_jobs(), {}
    how: dict[str, Any] = {"even": 0.0, "effort": fewest.EFFORT, "again": mine.AGAIN, "touching": True}

    def loss(after: Any) -> float:
        return float(100 * (baskets.occurrences - after.occurrences) / baskets.occurrences)

    mine.protect(small := read_baskets(small_records()), _small_policy(small), seed=1, jobs=jobs, watch=Watch())
    start = time.process_time()
    values["whole"] = loss(mine.protect(baskets, resolved, seed=1, jobs=jobs, watch=Watch(), parts=1))
    values["whole cpu"] = time.process_time() - start
    values["union"] = loss(parts.union_of_parts(baskets, resolved, number, jobs=jobs, watch=Watch(), **how)[0])
    start = time.process_time()
    values["back"] = loss(mine.protect(baskets, resolved, seed=1, jobs=jobs, watch=Watch(), parts=number))
    values["back cpu"] = time.process_time() - start
    return values


def small_records() -> Any:
    """A few records on which all kernels are compiled."""
    rng = np.random.default_rng(0)
    return [{str(k) for k in rng.zipf(1.4, 6) % 60} for _ in range(2000)]


def _small_policy(baskets: Any) -> Any:
    import sordino

    return sordino.InferencePolicy(baskets.names[::3], RHO).resolve(baskets)


def hostile_records(kind: str, share: float) -> tuple[Any, Any]:
    """Baskets, and what is sensitive in them."""
    from sordino.data.baskets import Baskets

    rng = np.random.default_rng(0)
    if kind == "one long record":
        items = round(100_000 * share)
        owner = np.concatenate([np.zeros(items, dtype=np.int64), np.repeat(np.arange(1, 301), 5)])
        codes = np.concatenate([np.arange(items), rng.integers(0, min(200, items), 1500)])
        baskets = Baskets.from_pairs(owner, codes, tuple(f"{k:06}" for k in range(items)), 301)
        return baskets, baskets.names[::5]
    if kind == "a million items":
        items = round(1_000_000 * share) // 5 * 5
        owner, codes = np.repeat(np.arange(items // 5), 5), rng.permutation(items)
        baskets = Baskets.from_pairs(owner, codes, tuple(f"{k:07}" for k in range(items)), items // 5)
        return baskets, baskets.names[::5]
    records = round(100_000 * share)
    codes = rng.zipf(1.4, 6 * records) % 300
    baskets = Baskets.from_pairs(np.repeat(np.arange(records), 6), codes, tuple(f"{k:03}" for k in range(300)), records)
    return baskets, baskets.names


def hostile(task: Mapping[str, Any]) -> dict[str, Any]:
    """An audit, or a release, of such data."""
    import sordino

    baskets, sensitive = hostile_records(task["kind"], task["number"])
    required = sordino.InferencePolicy(sensitive, RHO)
    start = time.perf_counter()
    if task["do"] == "audit":
        sordino.audit(baskets, required, missing="accept")
    else:
        sordino.protect(baskets, required, seed=1, missing="accept").write(task["out"], force=True)
    return {"seconds": time.perf_counter() - start}


def interrupted(task: Mapping[str, Any]) -> dict[str, Any]:
    """How long `sordino protect` takes to end after Ctrl-C, once it is under way; whether it was."""
    import sordino
    from sordino.data.write import write_baskets
    from sordino.policy.file import write_policy

    baskets, sensitive = hostile_records(task["kind"], task["number"])
    place = Path(task["out"]).with_name("hostile")
    place.mkdir(exist_ok=True)
    write_baskets(baskets, place / "data.jsonl", like=baskets.origin)
    (place / "policy.toml").write_text(write_policy(sordino.InferencePolicy(sensitive, RHO)))
    out = place / "out"
    words = ["protect", str(place / "data.jsonl"), "--policy", str(place / "policy.toml"), "--out", str(out), "--force"]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell started in the background ignores it
    child = subprocess.Popen(
        [sys.executable, "-m", "sordino", *words, "--allow-missing"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(WARM)
    running = child.poll() is None
    start = time.perf_counter()
    if running:
        child.send_signal(signal.SIGINT)
    child.wait()
    return {"after": time.perf_counter() - start, "under way": running}


if __name__ == "__main__":
    main()
