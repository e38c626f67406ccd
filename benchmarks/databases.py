"""How long do a million long rows (record, item) take, out of PostgreSQL and back into it?

    python benchmarks/databases.py                                  # a server of its own, in a temporary folder
    python benchmarks/databases.py --server postgresql://...        # or this one (tables sordino_benchmark*)

Reading is `read_baskets`, with everything that it checks; putting is one transaction with key, comments and the
comparison of what the table holds. The goal is under 5 s each way.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sordino.data.databases.address import target_of
from sordino.data.databases.put import OURS, NewTable, put_tables
from sordino.data.read import read_baskets

TABLE = "sordino_benchmark"
GOAL = 5.0  # seconds


def rows(number: int) -> Any:
    """So many rows of five items a record, of about a thousand items."""
    record = np.arange(number) // 5
    item = (record * 7 + np.arange(number) % 5 * 211) % 997
    names = pa.array([f"item {code}" for code in range(997)])
    return pa.table({"record": record, "item": names.take(pa.array(item))})


def timed(what: Callable[[], Any], server: Any) -> tuple[Any, str]:
    """What comes of it, and how long it took: by the clock, and of processors, with those of a server of our own."""
    before = 0.0 if server is None else server.processor_time()
    started, worked = time.perf_counter(), time.process_time()
    made = what()
    clock, ours = time.perf_counter() - started, time.process_time() - worked
    theirs = 0.0 if server is None else server.processor_time() - before
    return made, f"{clock:.1f} s ({ours + theirs:.1f} s of processors)"


def measured(uri: str, number: int, server: Any = None) -> tuple[str, str]:
    """The time into the database, and out of it."""
    made = rows(number)
    table = NewTable(made, f"{OURS}: a benchmark", key=("record", "item"))
    _, inward = timed(lambda: put_tables(target_of(uri, TABLE), [table], force=True), server)
    held, outward = timed(lambda: read_baskets(uri, table=TABLE), server)
    assert held.occurrences == number
    return inward, outward


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", help="its address; default: one of its own")
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    own: Any = nullcontext() if asked.server else importlib.import_module("server").running_server()
    with own as server:
        uri = asked.server or server.uri()
        inward, outward = measured(uri, asked.rows, server)
    print(f"{asked.rows:,} rows: into the database {inward}, out of it {outward}; the goal is {GOAL:g} s each")


if __name__ == "__main__":
    main()
