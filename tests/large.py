"""Tables whose audit takes long, made in a moment: for tests of time limits and of Ctrl-C. Imported by child processes.

Run as a program, it works on one of them and tells: "begun" once the work is under way, "interrupted" after Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import sordino
from sordino.audit.diversity import possible_in_groups
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch
from sordino.knowledge.mined import mine_table
from sordino.policy.assurance import Assurance
from sordino.utility.bound import least_loss


def chess_like(records: int = 3196, attributes: int = 36) -> Baskets:
    """One value of each attribute, most of them skewed, and a class: long records that share nearly everything."""
    rng = np.random.default_rng(1)
    share = rng.choice([0.03, 0.1, 0.3, 0.5], size=attributes)
    values = (rng.random((records, attributes)) < share) + 2 * np.arange(attributes)
    winner = 2 * attributes + rng.integers(0, 2, size=(records, 1))
    codes = np.concatenate([values, winner], axis=1).ravel()
    names = tuple(f"{code:03}" for code in range(2 * attributes + 2))
    return Baskets.from_pairs(np.repeat(np.arange(records), attributes + 1), codes, names, records)


def winner(baskets: Baskets) -> str:
    """The sensitive item of a chess-like table."""
    return baskets.names[-1]


def many_records(records: int = 1_000_000, items: int = 2_000) -> Baskets:
    """Short records of skewed items."""
    rng = np.random.default_rng(2)
    owner = np.repeat(np.arange(records), rng.integers(2, 13, size=records))
    share = np.cumsum(1 / np.arange(1, items + 1) ** 0.9)
    codes = np.searchsorted(share, rng.random(len(owner)) * share[-1])
    return Baskets.from_pairs(owner, codes, tuple(f"{code:05}" for code in range(items)), records)


def everything_sensitive(baskets: Baskets, **more: object) -> sordino.InferencePolicy:
    return sordino.InferencePolicy(
        [name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support],
        "0.5",
        **more,  # type: ignore[arg-type]
    )


def one_sensitive(progress: Progress) -> object:
    table = chess_like()
    return audit_baskets(table, sordino.InferencePolicy([winner(table)], "0.9"), progress=progress)


def choices(progress: Progress) -> object:
    table = chess_like()
    own = {u: [winner(table)] for u in range(0, len(table), 2)}
    return audit_baskets(table, sordino.InferencePolicy([], "0.99", per_record=own), progress=progress)


def all_sensitive(progress: Progress) -> object:
    table = many_records()
    return audit_baskets(table, everything_sensitive(table), progress=progress)


def sample(progress: Progress) -> object:
    table = many_records()
    assurance = Assurance("0.001", "0.001", max_knowledge=5)
    progress("preparing", 0, 0)
    return audit_baskets(table, everything_sensitive(table, assurance=assurance), progress=progress)


def bound(progress: Progress) -> object:
    table = chess_like(60_000, 60)
    return least_loss(table, everything_sensitive(table).resolve(table), progress=progress)


def mining(progress: Progress) -> object:
    rng = np.random.default_rng(3)
    columns = {f"q{k:02}": rng.integers(0, 3, size=30_000).astype(str).tolist() for k in range(16)}
    columns["s"] = rng.integers(0, 40, size=30_000).astype(str).tolist()
    import pyarrow as pa

    return mine_table(
        sordino.read_table(pa.table(columns)), sensitive="s", quasi=[f"q{k:02}" for k in range(16)], progress=progress
    )


def matching(progress: Progress) -> object:
    rng = np.random.default_rng(4)
    people, values = 400_000, 1024
    sets = rng.integers(0, 2**63, size=(3000, values // 64), dtype=np.uint64)
    kind, value = rng.integers(0, len(sets), size=people), rng.integers(0, values, size=people)
    group = np.zeros(people, dtype=np.int64)
    progress("matching", 0, 1)
    return possible_in_groups(value, kind, sets, group, watch=Watch(progress))


WORK: dict[str, Callable[[Progress], object]] = {
    work.__name__: work for work in (one_sensitive, choices, all_sensitive, sample, bound, mining, matching)
}

if __name__ == "__main__":
    begun = False

    def tell(*_: object) -> None:
        global begun
        if not begun:
            begun = True
            print("begun", flush=True)

    try:
        WORK[sys.argv[1]](tell)
        print("done", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
