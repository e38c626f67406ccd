"""One measurement of the template benchmark, in a process of its own: python benchmarks/templates_cell.py '{...}'.

The tasks: "expand" writes a Parquet file; "scale" reads, audits, protects, writes and audits again. Prints one line of
JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import templates_data as data

from sordino.data.table import Table
from sordino.policy.template import TemplatePolicy


def expand(task: dict[str, Any]) -> dict[str, Any]:
    """Adult with variations, as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, _ = data.adult()
    given = tuple(name for name in table.names[:-1] if name != "marital-status")
    made = data.expand(table, task["rows"], given, task["changed"], task["seed"])
    columns = {
        column.name: pa.DictionaryArray.from_arrays(pa.array(column.codes), pa.array(column.texts)).cast(pa.string())
        for column in made.columns
    }
    pq.write_table(pa.table(columns), task["path"])
    return {"bytes": Path(task["path"]).stat().st_size}


def scale(task: dict[str, Any]) -> dict[str, Any]:
    """Top1 at 90 %, as in Figure 3c: the steps one by one, the best of some runs, and once the whole release folder."""
    import sordino

    with tempfile.TemporaryDirectory() as folder:  # what is imported and compiled is not measured
        small = Path(folder) / "small.parquet"
        expand({"rows": 46_000, "changed": 4, "seed": 1, "path": small})
        steps(small, Path(folder) / "out.parquet")
        policy = top_1(sordino.read_table(small))
        sordino.protect(small, policy, method="disclosure").write(Path(folder) / "out")
        runs = [steps(task["path"], Path(folder) / "out.parquet") for _ in range(task["runs"])]
        best = min(runs, key=lambda run: run["seconds"])
        start = time.perf_counter()
        table = sordino.read_table(task["path"])
        release = sordino.protect(table, top_1(table), method="disclosure")
        release.write(Path(folder) / "release")
        best["release"] = time.perf_counter() - start
    best["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    best["kept"] = float(release.utility.cells.share)
    best["holds"] = best["holds"] and release.audit_after.holds
    return best


def top_1(table: Table) -> TemplatePolicy:
    return data.top_policy(table, ("marital-status",), 1, "0.9")


def steps(path: str | Path, out: Path) -> dict[str, Any]:
    """Read, audit, protect, write, and audit again what was written: seconds of each."""
    from sordino.audit.template import audit_table
    from sordino.data.read_table import read_table
    from sordino.data.write_table import write_table
    from sordino.engine.local import Watch
    from sordino.protect.disclosure import protect

    cpu = time.process_time()
    marks = [time.perf_counter()]
    table = read_table(path)
    marks.append(time.perf_counter())
    policy = top_1(table)
    resolved = policy.resolve(table)
    before = audit_table(table, resolved)
    marks.append(time.perf_counter())
    result = protect(resolved.table, resolved, seed=0, jobs=2, watch=Watch())
    marks.append(time.perf_counter())
    write_table(result, out)
    marks.append(time.perf_counter())
    after = audit_table(read_table(out), policy, missing="accept")
    marks.append(time.perf_counter())
    names = ("read", "audit", "protect", "write", "again")
    seconds = dict(zip(names, (b - a for a, b in pairwise(marks)), strict=True))
    whole = {"seconds": marks[-1] - marks[0], "cpu": time.process_time() - cpu}
    return {**seconds, **whole, "holds": after.holds and not before.holds}


TASKS = {"expand": expand, "scale": scale}

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(TASKS[asked["task"]](asked)))
