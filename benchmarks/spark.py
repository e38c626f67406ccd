"""Spark against one machine: the same answers, what is sent, what it costs, and how it grows.

    python benchmarks/spark.py                                    # all files; local[2], or --master spark://HOST:PORT
    python benchmarks/spark.py --files BMS-WebView-1 --groups 8   # one file
    python benchmarks/spark.py --only growth --records 100000 1000000 5000000

Three tables. *Audit*: whether verdict, people at risk and people by level are those of one machine, for each number of
groups; how often an occurrence is sent; and the CPU seconds of all groups, done here one after the other, beside those
of the local audit. *Protect*: the share of occurrences deleted on one machine, in parts, and in parts put together
again. *Growth*: seconds for BMS-POS, drawn with repeats and 10 % noise. 40 % of the items are sensitive (one draw),
rho 0.7. A missed goal is shown as MISSED; it is no error. Exit code 1 if an answer differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # as a script, it finds its neighbours too

from benchmarks.common import FILES, data_folder

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.policy.inference import InferencePolicy

WANTED = ("BMS-WebView-1", "BMS-WebView-2", "Retail", "BMS-POS part (275k)")
MOST_SENT, MOST_CPU, MOST_LOST = 7.0, 2.5, 0.003
RHO, SHARE = "0.7", 0.4


def policy_for(baskets: Baskets) -> InferencePolicy:
    """The policy of all tables: a share of the items, drawn once."""
    from sordino.policy.inference import InferencePolicy

    chosen = np.random.default_rng(0).choice(len(baskets.names), int(SHARE * len(baskets.names)), replace=False)
    return InferencePolicy([baskets.names[code] for code in np.sort(chosen)], RHO)


def read(name: str) -> Baskets:
    """A file by its name in FILES."""
    from sordino.data.read import read_baskets

    return read_baskets(data_folder() / FILES[name])


def session_on(master: str) -> Any:
    """A session without pages."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("sordino benchmark")
    for key, value in {"ui.enabled": "false", "log.level": "ERROR", "ui.showConsoleProgress": "false"}.items():
        builder = builder.config(f"spark.{key}", value)
    return builder.config("spark.sql.shuffle.partitions", "8").getOrCreate()


def frame_of(session: Any, baskets: Baskets, folder: Path) -> Any:
    """The records as a DataFrame, from a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = pa.array(baskets.names, pa.string()).take(pa.array(baskets.items))
    path = folder / f"{len(baskets)}-{baskets.occurrences}.parquet"
    lists = pa.ListArray.from_arrays(pa.array(baskets.indptr.astype(np.int32)), texts)
    pq.write_table(pa.table({"items": lists}), path, row_group_size=50_000)
    return session.read.parquet(str(path))


def here_by_groups(baskets: Baskets, policy: InferencePolicy, groups: int) -> tuple[float, float]:
    """How often an occurrence is sent, and the CPU seconds of all groups."""
    from sordino.audit.by_rarest import Asked, Shipped, audit_group, divide, rank_items
    from sordino.engine.local import Watch
    from sordino.engine.spark.shipping import ship_all

    start = time.process_time()
    resolved = policy.resolve(baskets)
    code, rank = rank_items(baskets.supports)
    asked = Asked(resolved.sensitive[code], resolved.num[code], resolved.den[code], resolved.knowledge)
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    items = rank[baskets.items][np.lexsort((rank[baskets.items], owner))]
    bounds = divide(baskets.supports[code], len(baskets), groups)
    sent = ship_all(baskets.indptr, items, asked.sensitive, bounds)
    for group in range(len(bounds) - 1):
        mine = np.flatnonzero(sent.group == group)
        lengths = np.diff(sent.ptr)[mine]
        out = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(sent.ptr[:-1][mine] - out[:-1], lengths) + np.arange(int(out[-1]))
        part = Shipped(sent.record[mine], out, sent.items[places])
        roots = int(bounds[group]), int(bounds[group + 1])
        audit_group(part, roots, asked, jobs=1, watch=Watch(), top=0)
    return len(sent.items) / max(baskets.occurrences, 1), time.process_time() - start


def told(value: float, goal: float, form: str) -> str:
    return f"{value:{form}}{'' if value <= goal else ' MISSED'}"


def audits(session: Any, names: list[str], groups: list[int], folder: Path) -> bool:
    """The first table; whether all answers are the same."""
    import sordino.spark
    from sordino.audit.inference import audit_baskets

    same = True
    print("| file | groups | the same | sent | CPU s, local | CPU s, groups | ratio | s on Spark |\n|---|" + "---|" * 7)
    for name in names:
        baskets = read(name)
        policy = policy_for(baskets)
        audit_baskets(baskets, policy, jobs=1, top=0)  # what must be compiled is compiled
        start = time.process_time()
        local = audit_baskets(baskets, policy, jobs=1, top=0)
        cpu = time.process_time() - start
        frame = frame_of(session, baskets, folder)
        for number in groups:
            clock = time.monotonic()
            found = sordino.spark.audit(frame, policy, groups=number, top=0)
            seconds = time.monotonic() - clock
            alike = (found.answer, found.people_at_risk, found.exposure_by_knowledge) == (
                local.answer, local.people_at_risk, local.exposure_by_knowledge,
            )  # fmt: skip
            same &= alike
            sent, by_groups = here_by_groups(baskets, policy, number)
            cells = [name, number, "yes" if alike else "NO", told(sent, MOST_SENT, ".1f"), f"{cpu:.1f}"]
            cells += [f"{by_groups:.1f}", told(by_groups / max(cpu, 0.01), MOST_CPU, ".1f"), f"{seconds:.0f}"]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return same


def losses(session: Any, names: list[str], parts: int, folder: Path) -> None:
    """The second table."""
    import sordino.spark
    from sordino.engine.local import Watch
    from sordino.protect.mine import protect

    print("\n| file | lost on one machine | in parts | put together | s on Spark |\n|---|" + "---|" * 4)
    for name in names:
        baskets = read(name)
        policy = policy_for(baskets)
        whole = protect(baskets, policy.resolve(baskets), seed=0, jobs=1, watch=Watch(), parts=1)
        lost = 1 - whole.occurrences / baskets.occurrences
        frame = frame_of(session, baskets, folder)
        apart = sordino.spark.protect(frame, policy, parts=parts, mode="parts", seed=0).loss
        clock = time.monotonic()
        again = sordino.spark.protect(frame, policy, parts=parts, mode="whole", seed=0).loss
        seconds = time.monotonic() - clock
        missed = "" if again - lost <= MOST_LOST else " MISSED"
        print(f"| {name} | {lost:.2%} | {apart:.2%} | {again:.2%}{missed} | {seconds:.0f} |", flush=True)


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


def growth(session: Any, sizes: list[int], folder: Path) -> None:
    """The third table."""
    import sordino.spark

    print("\n| records | parts | s to audit | s to protect in parts | lost |\n|---|---|---|---|---|")
    base = read(WANTED[-1])
    for records in sizes:
        baskets = resampled(base, records)
        policy = policy_for(baskets)
        frame = frame_of(session, baskets, folder)
        clock = time.monotonic()
        sordino.spark.audit(frame, policy, top=0)
        audited = time.monotonic() - clock
        clock = time.monotonic()
        release = sordino.spark.protect(frame, policy, mode="parts", seed=0)
        seconds = time.monotonic() - clock
        print(f"| {records:,} | {release.parts} | {audited:.0f} | {seconds:.0f} | {release.loss:.2%} |", flush=True)


def main() -> int:
    import tempfile
    import warnings

    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--files", nargs="*", default=list(WANTED), choices=list(FILES))
    parser.add_argument("--groups", nargs="*", type=int, default=[1, 8, 32])
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--records", nargs="*", type=int, default=[100_000, 1_000_000, 5_000_000])
    parser.add_argument("--only", choices=["audit", "protect", "growth"])
    asked = parser.parse_args()
    session = session_on(asked.master)
    same = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.only in (None, "audit"):
            same = audits(session, asked.files, asked.groups, folder)
        if asked.only in (None, "protect"):
            losses(session, asked.files, asked.parts, folder)
        if asked.only in (None, "growth"):
            growth(session, asked.records, folder)
    session.stop()
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
