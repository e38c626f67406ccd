"""Spark against one machine: the same answers, what is sent, what it costs, and how it grows.

    python benchmarks/spark.py --markdown benchmarks/results/spark.md   # all of it, on a cluster of its own
    python benchmarks/spark.py --quick                                  # in small: minutes
    python benchmarks/spark.py --only audit --files BMS-WebView-1 --groups 8
    python benchmarks/spark.py --only growth --records 5000000 --results done.jsonl

Without --master a cluster is started on loopback, as the goals have it: a master and two workers of one core and 3 GB.
With --results every row is kept in that file, and rows that are kept there are not run again.

Four tables. *Audit*: whether verdict, people at risk and people by level are those of one machine, for each number of
groups; how often an occurrence is sent; and the CPU seconds of all groups, done here one after the other, beside those
of the local audit. *Protect*: the share of occurrences deleted on one machine, in parts, and in parts put together
again. *Growth*: minutes for BMS-POS, drawn with repeats and 10 % noise, and the most memory that a worker with all its
processes took. *Tables*: a table of that many rows under templates. 40 % of the items are sensitive (one draw), rho
0.7. A missed goal is shown as MISSED; it is no error. Exit code 1 if an answer differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))  # the cluster
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # as a script, it finds its neighbours too

from benchmarks.common import FILES, data_folder, lacking, machine

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.policy.inference import InferencePolicy

WANTED = ("BMS-WebView-1", "BMS-WebView-2", "Retail", "BMS-POS part (275k)")
MOST_SENT, MOST_CPU, MOST_LOST, MOST_MINUTES, MOST_MEMORY = 7.0, 2.5, 0.003, 20.0, 3.0
GROWN = 5_000_000  # records that the goal of minutes is about
RHO, SHARE = "0.7", 0.4
HEADS = {
    "audit": ("file", "groups", "the same", "sent", "CPU s, local", "CPU s, groups", "ratio", "s on Spark"),
    "protect": ("file", "parts", "lost on one machine", "in parts", "put together", "s on Spark"),
    "growth": ("records", "parts", "min to audit", "min to protect in parts", "lost", "GB of a worker"),
    "tables": ("rows", "method", "s to audit", "s to protect and write", "cells changed", "verified"),
}
TITLES = {
    "audit": "Audit: equal to one machine, what is sent, what it costs",
    "protect": "Protect: what is lost",
    "growth": "Growth, on two workers of one core and 3 GB",
    "tables": "Tables under templates",
}
Row = list[str]


def policy_for(baskets: Baskets) -> InferencePolicy:
    """The policy of all tables: a share of the items, drawn once."""
    from sordino.policy.inference import InferencePolicy

    chosen = np.random.default_rng(0).choice(len(baskets.names), int(SHARE * len(baskets.names)), replace=False)
    return InferencePolicy([baskets.names[code] for code in np.sort(chosen)], RHO)


def read(name: str) -> Baskets:
    """A file by its name in FILES."""
    from sordino.data.read import read_baskets

    return read_baskets(data_folder() / FILES[name])


class Bench:
    """A session, the workers that serve it, and what was measured."""

    def __init__(self, session: Any, folder: Path, cluster: Any) -> None:
        self.session, self.folder, self.cluster = session, folder, cluster
        self.same = True

    def frame_of(self, baskets: Baskets) -> Any:
        """The records as a DataFrame, from a Parquet file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        texts = pa.array(baskets.names, pa.string()).take(pa.array(baskets.items))
        path = self.folder / f"{len(baskets)}-{baskets.occurrences}.parquet"
        lists = pa.ListArray.from_arrays(pa.array(baskets.indptr.astype(np.int32)), texts)
        pq.write_table(pa.table({"items": lists}), path, row_group_size=50_000)
        return self.session.read.parquet(str(path))

    def audit(self, name: str, number: int) -> Row:
        """Whether the answers are the same, and what it took."""
        import sordino.spark
        from sordino.audit.inference import audit_baskets

        baskets = read(name)
        policy = policy_for(baskets)
        audit_baskets(baskets, policy, jobs=1, top=0)  # what must be compiled is compiled
        start = time.process_time()
        local = audit_baskets(baskets, policy, jobs=1, top=0)
        cpu = time.process_time() - start
        clock = time.monotonic()
        found = sordino.spark.audit(self.frame_of(baskets), policy, groups=number, top=0)
        seconds = time.monotonic() - clock
        alike = (found.answer, found.people_at_risk, found.exposure_by_knowledge) == (
            local.answer, local.people_at_risk, local.exposure_by_knowledge,
        )  # fmt: skip
        self.same &= alike
        here_by_groups(baskets, policy, number)
        by_groups = here_by_groups(baskets, policy, number)
        sent = self.sent(baskets, policy, number) / max(baskets.occurrences, 1)
        cells = [name, number, "yes" if alike else "NO", told(sent, MOST_SENT, ".1f"), f"{cpu:.1f}"]
        ratio = by_groups / max(cpu, 0.01)  # the goal is about the largest file
        goal = MOST_CPU if name == WANTED[-1] else float("inf")
        return [*map(str, cells), f"{by_groups:.1f}", told(ratio, goal, ".1f"), f"{seconds:.0f}"]

    def sent(self, baskets: Baskets, policy: InferencePolicy, number: int) -> int:
        """How many items go to groups."""
        from sordino.engine.spark.frames import classes_of, coded_by, read_frame, totals_of

        held = read_frame(self.frame_of(baskets), "items", None, policy.sensitive)
        totals = totals_of(held)
        coded = classes_of(coded_by(held.frame.select("items"), totals.names), totals)
        return sent_on(coded, policy.resolve(totals), number)

    def protect(self, name: str, parts: int) -> Row:
        """What is lost."""
        import sordino.spark
        from sordino.engine.local import Watch
        from sordino.protect.mine import protect

        baskets = read(name)
        policy = policy_for(baskets)
        whole = protect(baskets, policy.resolve(baskets), seed=0, jobs=1, watch=Watch(), parts=1)
        lost = 1 - whole.occurrences / baskets.occurrences
        frame = self.frame_of(baskets)
        apart = sordino.spark.protect(frame, policy, parts=parts, mode="parts", seed=0)
        clock = time.monotonic()
        again = sordino.spark.protect(frame, policy, parts=parts, mode="whole", seed=0)
        seconds = time.monotonic() - clock
        missed = "" if again.loss - lost <= MOST_LOST else " MISSED"
        row = [name, str(parts), f"{lost:.2%}", f"{apart.loss:.2%}", f"{again.loss:.2%}{missed}", f"{seconds:.0f}"]
        for release in (apart, again):
            release.free()
        return row

    def growth(self, records: int, audited: bool) -> Row:
        """How long it takes, and how much memory."""
        import sordino.spark

        baskets = resampled(read(WANTED[-1]), records)
        policy, frame = policy_for(baskets), self.frame_of(baskets)
        del baskets
        minutes = "-"
        with Memory(self.cluster) as memory:
            if audited:
                clock = time.monotonic()
                sordino.spark.audit(frame, policy, top=0, missing="accept")  # small draws lack rare items
                minutes = f"{(time.monotonic() - clock) / 60:.1f}"
            clock = time.monotonic()
            release = sordino.spark.protect(frame, policy, mode="parts", seed=0, missing="accept")
            taken = (time.monotonic() - clock) / 60
        goal = MOST_MINUTES if records <= GROWN else float("inf")
        held = told(memory.most, MOST_MEMORY, ".1f") if memory.most else "-"
        row = [f"{records:,}", str(release.parts), minutes, told(taken, goal, ".1f"), f"{release.loss:.2%}", held]
        release.free()
        return row

    def tables(self, rows: int, method: str) -> Row:
        """A table under templates, from the count to the verdict."""
        import sordino.spark

        frame, policy = table_of(self.session, self.folder, rows)
        clock = time.monotonic()
        sordino.spark.audit(frame, policy, top=0)
        audited = time.monotonic() - clock
        clock = time.monotonic()
        release = sordino.spark.protect(frame, policy, method=method, seed=0)
        out = self.folder / f"out-{rows}-{method}"
        release.write(out)
        seconds = time.monotonic() - clock
        answer = str(sordino.spark.verify(out, session=self.session).answer)
        self.same &= answer == "holds"
        share = release.changed / max(release.cells, 1)
        release.free()
        return [f"{rows:,}", method, f"{audited:.0f}", f"{seconds:.0f}", f"{share:.1%}", answer]


class Memory:
    """The most that a worker with all its processes took meanwhile, in GB; 0 if they are not ours to see."""

    def __init__(self, cluster: Any) -> None:
        self.cluster, self.most = cluster, 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        if self.cluster is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def _watch(self) -> None:
        from spark_cluster import descendants  # type: ignore[import-not-found]

        tops = [pid for name, pid in self.cluster.state["pids"].items() if name != "master"]
        while not self._done.wait(2):
            for top in tops:
                held = sum(map(_resident, (top, *descendants(top))))
                self.most = max(self.most, held / 1e9)


def _resident(pid: int) -> int:
    """Bytes of memory that a process has for itself, shared ones in part (Linux); 0 if it is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return 1024 * next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def here_by_groups(baskets: Baskets, policy: InferencePolicy, groups: int) -> float:
    """The CPU seconds of all groups, one after the other, from the division on."""
    from sordino.audit.arrange import arrange, sampled_every
    from sordino.audit.by_parts import piece_of
    from sordino.audit.by_rarest import Shipped, audit_group
    from sordino.audit.in_groups import asked_by_rank
    from sordino.engine.local import Watch
    from sordino.engine.spark.shipping import ship_all

    start = time.process_time()
    resolved = policy.resolve(baskets)
    some = piece_of(baskets, np.arange(0, len(baskets), sampled_every(baskets.occurrences, groups)))[0]
    sample = some.indptr, some.items
    code, rank, bounds = arrange(baskets.supports, resolved.sensitive, len(baskets), groups, sample)
    asked = asked_by_rank(code, resolved)
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    items = rank[baskets.items][np.lexsort((rank[baskets.items], owner))]
    sent = ship_all(baskets.indptr, items, asked.sensitive, bounds)
    for group in range(len(bounds) - 1):
        mine = np.flatnonzero(sent.group == group)
        lengths = np.diff(sent.ptr)[mine]
        out = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(sent.ptr[:-1][mine] - out[:-1], lengths) + np.arange(int(out[-1]))
        part = Shipped(sent.record[mine], out, sent.items[places])
        roots = int(bounds[group]), int(bounds[group + 1])
        audit_group(part, roots, asked, jobs=1, watch=Watch(), top=0)
    return time.process_time() - start


def sent_on(coded: Any, resolved: Any, groups: int) -> int:
    """How many items Spark sends to the groups, in truth; equal records are sent once."""
    from pyspark.sql import functions as F  # noqa: N812

    from sordino.engine.spark.shipping import division_of, shipped

    rows = shipped(coded, division_of(coded, resolved, groups))
    return int(rows.agg(F.sum(F.size("ranks"))).collect()[0][0])


def told(value: float, goal: float, form: str) -> str:
    return f"{value:{form}}{'' if value <= goal else ' MISSED'}"


def resampled(baskets: Baskets, records: int) -> Baskets:
    """So many records drawn with repeats, in which a tenth of the occurrences are of another item."""
    from sordino.data.baskets import Baskets

    rng = np.random.default_rng(records)
    chosen = rng.integers(0, len(baskets), records)
    lengths = baskets.lengths[chosen]
    out = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(baskets.indptr[:-1][chosen] - out[:-1], lengths) + np.arange(int(out[-1]))
    items = baskets.items[places].copy()
    other = rng.random(len(items)) < 0.1
    items[other] = baskets.items[rng.integers(0, len(baskets.items), int(other.sum()))]
    return Baskets.from_pairs(np.repeat(np.arange(records), lengths), items, baskets.names, records)


def table_of(session: Any, folder: Path, rows: int) -> tuple[Any, Any]:
    """A table of people, drawn: five columns that may be known, an illness, a class."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import sordino

    rng = np.random.default_rng(rows)
    sizes = {"job": 14, "age": 9, "town": 25, "sex": 2, "school": 16}
    columns = {name: [f"{name}{k}" for k in range(size)] for name, size in sizes.items()}
    drawn = {name: (len(texts) * rng.random(rows) ** 2).astype(np.int64) for name, texts in columns.items()}
    table = {name: pa.array(texts).take(pa.array(drawn[name])) for name, texts in columns.items()}
    ill = np.minimum((6 * rng.random(rows) ** 2.5 + (drawn["age"] > 6)).astype(np.int64), 5)
    table["illness"] = pa.array([f"ill{k}" for k in range(6)]).take(pa.array(ill))
    table["rating"] = pa.array(["good", "bad"]).take(pa.array((drawn["job"] > 4).astype(np.int64)))
    path = folder / f"table-{rows}.parquet"
    pq.write_table(pa.table(table), path, row_group_size=200_000)
    templates = [sordino.Template(list(sizes), "illness", ["ill3", "ill4", "ill5"], "0.3")]
    return session.read.parquet(str(path)), sordino.TemplatePolicy(templates, class_column="rating")


class Results:
    """Rows that were measured, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        if path is not None and path.exists():
            kept = (json.loads(line) for line in path.read_text().splitlines())
            self.rows = {entry["cell"]: entry["row"] for entry in kept}

    def row(self, cell: str, run: Callable[[], Row]) -> Row:
        """The row of a cell; measured now if it was not."""
        if cell not in self.rows:
            self.rows[cell] = run()
            if self.path is not None:
                with open(self.path, "a") as file:
                    file.write(json.dumps({"cell": cell, "row": self.rows[cell]}) + "\n")
        return self.rows[cell]


def cells_of(bench: Bench, asked: argparse.Namespace) -> Iterator[tuple[str, str, Callable[[], Row]]]:
    """What is to be measured: its table, its name, and how."""
    wanted = HEADS if asked.only is None else (asked.only,)
    for name in asked.files if "audit" in wanted else ():
        for number in asked.groups:
            yield "audit", f"audit {name} {number}", partial(bench.audit, name, number)
    for name in asked.files if "protect" in wanted else ():
        yield "protect", f"protect {name} {asked.parts}", partial(bench.protect, name, asked.parts)
    for records in asked.records if "growth" in wanted else ():
        yield "growth", f"growth {records}", partial(bench.growth, records, not asked.no_audit)
    for rows in asked.rows if "tables" in wanted else ():
        for method in ("disclosure", "disclosure-local"):
            yield "tables", f"tables {rows} {method}", partial(bench.tables, rows, method)


@contextmanager
def session_on(master: str | None, folder: Path) -> Iterator[tuple[Any, Any]]:
    """A session without pages, on this cluster or on one of its own; and the latter."""
    from spark_cluster import new_session, running_cluster

    def session(address: str, memory: str) -> Any:
        return new_session(
            address, folder, memory=memory, more={"spark.sql.shuffle.partitions": "8", "spark.driver.memory": "2g"}
        )

    if master is not None:
        found = session(master, "1g")
        yield found, None
        found.stop()
        return
    with running_cluster(folder, cores=1) as cluster:
        found = session(cluster.master, "1g")
        yield found, cluster
        found.stop()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--master", help="a cluster that there is: spark://HOST:PORT, local[2]")
    parser.add_argument("--quick", action="store_true", help="in small, to see that it runs")
    parser.add_argument("--files", nargs="*", choices=list(FILES))
    parser.add_argument("--groups", nargs="*", type=int)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--records", nargs="*", type=int)
    parser.add_argument("--rows", nargs="*", type=int)
    parser.add_argument("--no-audit", action="store_true", help="of growth: do not audit the whole as well")
    parser.add_argument("--only", choices=list(HEADS))
    parser.add_argument("--results", type=Path, help="keep every row here, and do not repeat those that are kept")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there")
    asked = parser.parse_args()
    usual = {
        "files": ["BMS-WebView-1"] if asked.quick else list(WANTED),
        "groups": [8] if asked.quick else [1, 8, 32],
        "records": [20_000] if asked.quick else [100_000, 1_000_000, GROWN],
        "rows": [20_000] if asked.quick else [100_000, 1_000_000, 5_000_000],
    }
    for name, value in usual.items():
        if getattr(asked, name) is None:
            setattr(asked, name, value)
    return asked


def main() -> int:
    import warnings

    warnings.simplefilter("ignore")
    asked = parsed()
    absent = lacking(FILES[name] for name in {*asked.files, WANTED[-1]})
    if absent:
        print(absent)
        return 2
    results = Results(asked.results)
    told_: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as name, session_on(asked.master, Path(name)) as (session, cluster):
        bench = Bench(session, Path(name), cluster)
        for table, cell, run in cells_of(bench, asked):
            if table not in told_:
                print(f"\n{TITLES[table]}\n\n{_line(HEADS[table])}\n|{'---|' * len(HEADS[table])}", flush=True)
            told_.setdefault(table, []).append(results.row(cell, run))
            print(_line(told_[table][-1]), flush=True)
    if asked.markdown is not None:
        asked.markdown.write_text(page(told_))
    return 0 if bench.same else 1


def page(found: dict[str, list[Row]]) -> str:
    """The tables as they are kept."""
    head = "<!-- Tables of benchmarks/spark.py --markdown, kept whole; docs/howto/spark.md shows a part of them. -->"
    parts = [head, "", f"{machine()}.", ""]
    for table, rows in found.items():
        parts += [f"### {TITLES[table]}", "", _line(HEADS[table]), f"|{'---|' * len(HEADS[table])}"]
        parts += [*map(_line, rows), ""]
    return "\n".join(parts)


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
