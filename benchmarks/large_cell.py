"""One measurement of benchmarks/large.py in a process of its own: prints its values as lines of JSON."""

from __future__ import annotations

import json
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

    if kind == "templates":
        return sordino.TemplatePolicy(
            [sordino.Template(["age", "region", "job"], "disease", [f"disease {k}" for k in range(5)], "0.4")]
        )
    if kind == "diversity":
        return sordino.DiversityPolicy("disease", ["age", "region", "job"], l=4, mined=False)
    from sordino.data.read import read_baskets

    names = read_baskets(data_folder() / FILES[SOURCE]).names
    return sordino.InferencePolicy(draw_sensitive(names, 0), RHO)


def main() -> None:
    task = json.loads(sys.argv[1])
    if task["do"] == "make":
        make(task)
        print(json.dumps({"phase": "done"}), flush=True)
        return
    import sordino

    required = policy(task["kind"])
    start = time.perf_counter()
    if task["do"] == "audit":
        result = sordino.audit(task["file"], required, top=0, missing="accept", parts=task.get("parts"))
        values: dict[str, Any] = {"at risk": result.people_at_risk, "records": result.records}
    else:
        options = {} if task.get("parts") is None else {"parts": task["parts"]}
        release = sordino.protect(task["file"], required, seed=1, missing="accept", **options)
        release.write(task["out"])
        values = {"loss": 100 * release.deletions / release.occurrences_before, "records": len(release.original)}
    seconds = time.perf_counter() - start
    print(json.dumps({"phase": "done", "seconds": seconds, "megabytes": peak_megabytes(), **values}), flush=True)


if __name__ == "__main__":
    main()
