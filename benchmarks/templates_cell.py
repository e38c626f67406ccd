"""One measurement of the template benchmark, in a process of its own: python benchmarks/templates_cell.py '{...}'.

The tasks: "expand" writes a Parquet file; "scale" does with it all that a user would: read, audit, protect, write the
release folder, and audit again what was written. Prints one line of JSON.
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
    """Top1 at 90 %, as in Figure 3c, from Parquet to a release folder."""
    import sordino

    with tempfile.TemporaryDirectory() as folder:  # what is imported and compiled is not measured
        small = Path(folder) / "small.parquet"
        expand({"rows": 46_000, "changed": 4, "seed": 1, "path": small})
        table = sordino.read_table(small)
        policy = data.top_policy(table, ("marital-status",), 1, "0.9")
        sordino.protect(table, policy, method="disclosure").write(Path(folder) / "out")
    cpu = time.process_time()
    marks = [time.perf_counter()]
    table = sordino.read_table(task["path"])
    marks.append(time.perf_counter())
    policy = data.top_policy(table, ("marital-status",), 1, "0.9")
    release = sordino.protect(table, policy, method="disclosure")
    marks.append(time.perf_counter())
    release.write(task["out"])
    marks.append(time.perf_counter())
    read, protect, write = (after - before for before, after in pairwise(marks))
    return {
        "rows": len(table),
        "read": read,
        "protect": protect,
        "write": write,
        "seconds": marks[-1] - marks[0],
        "cpu": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "before": release.audit_before.above[90],
        "holds": release.audit_after.holds,
        "kept": float(release.utility.cells.share),
    }


TASKS = {"expand": expand, "scale": scale}

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(TASKS[asked["task"]](asked)))
