"""Ctrl-C in every method: `python -m endings.interrupted [METHOD ...]`, a line of JSON for each.

Each method gets a table that keeps it busy for long, and a SIGINT while it works. Told are the seconds until it raised
KeyboardInterrupt (null if it ended before), and until the last of its threads had ended (null if one goes on), by the
clock and in those of the processor, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import sordino
from sordino.data.baskets import Baskets
from sordino.data.table import Column, Table
from sordino.engine.local import Watch
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.assurance import Assurance
from sordino.policy.choices import Choices
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.template import Template, TemplatePolicy
from sordino.protect.registry import METHODS

__all__ = ["WORKS", "baskets", "main"]

BEFORE = 0.6  # seconds of work before the signal
SMALL = 400  # times smaller is what is run before, to compile all kernels
LONG = 30.0  # seconds that a thread gets to end; much longer than it should take

Work = Callable[[Watch], object]


def baskets(records: int, width: int, length: int, *, seed: int = 0) -> Baskets:
    """Records of `length` draws among items of which few are frequent."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, width + 1)
    items = rng.choice(width, size=records * length, p=share / share.sum())
    owner = np.repeat(np.arange(records), length)
    kept = np.unique(owner * width + items)
    return Baskets.from_pairs(kept // width, kept % width, tuple(f"i{k:06}" for k in range(width)), records)


def _inference(
    method: str,
    records: int,
    width: int,
    length: int,
    *,
    every: int = 2,
    options: dict[str, Any] | None = None,
    **policy: Any,
) -> Work:
    data = baskets(records, width, length)
    rho = policy.pop("rho", "0.5")
    own = policy.pop("own", None)
    if own is not None:
        chosen = np.random.default_rng(1).random((width, records)) < own
        policy["per_record"] = Choices.of_matrix(chosen, data.names)
    stated = sordino.InferencePolicy(data.names[::every] if own is None else [], rho, **policy)
    resolved = stated.resolve(data, missing="accept")
    return lambda watch: METHODS[method].load()(data, resolved, seed=0, jobs=2, watch=watch, **(options or {}))


def _table(rows: int, columns: int, values: int) -> Table:
    rng = np.random.default_rng(0)
    names = np.array([f"v{k}" for k in range(values)])
    made = [Column.of_texts(f"k{k}", names[rng.integers(values, size=rows)].tolist()) for k in range(columns)]
    return Table((*made, Column.of_texts("s", names[rng.integers(min(values, 40), size=rows)].tolist())))


def _templates(method: str, rows: int, columns: int, values: int) -> Work:
    table = _table(rows, columns, values)
    known = [f"k{k}" for k in range(columns)]
    policy = TemplatePolicy([Template(known, "s", at_most="0.2", rarest="100%")]).resolve(table)
    options = {"then_maximal": True} if method == "disclosure" else {}
    return lambda watch: METHODS[method].load_table()(policy.table, policy, seed=0, jobs=2, watch=watch, **options)


def _diversity(method: str, rows: int, values: int, kinds: int, **options: Any) -> Work:
    table = _table(rows, 2, values)
    policy = DiversityPolicy("s", ["k0", "k1"], 3, mined=False).resolve(table)
    rng = np.random.default_rng(0)
    value = rng.integers(values, size=rows).astype(np.int32)
    names = tuple(map(str, range(values)))
    policy = type(policy)(policy.policy, policy.codes, policy.nodes, value, names, policy.given)
    kind = rng.integers(kinds, size=rows).astype(np.int32)
    sets = np.zeros((kinds, values // 64 + 1), dtype=np.uint64)  # kind t cannot have value t, and nobody there has it
    sets[np.arange(kinds), np.arange(kinds) >> 6] = np.uint64(1) << (np.arange(kinds) & 63).astype(np.uint64)
    value[value == kind] = kinds  # a value that all may have
    exclusion = Exclusion(sets, kind)
    return lambda watch: METHODS[method].load_groups()(
        policy, exclusion, rng=np.random.default_rng(0), watch=watch, **options
    )


def _sampled(size: int, **options: Any) -> Work:
    assurance = Assurance("0.002", "0.01", 5) if size == 1 else Assurance("0.1", "0.1", 5)
    own = 0.05 if options else 0.3
    return _inference("naka-sampled", 150_000 // size, 500, 15, own=own, assurance=assurance, options=options)


# What keeps each method busy: for long if the size is 1, for a moment if it is larger.
WORKS: dict[str, Callable[[int], Work]] = {
    "mine": lambda size: _inference("mine", 400_000 // size, 2_000, 20),
    "mine, limited": lambda size: _inference("mine", 400_000 // size, 300, 20, knowledge=3),
    "mine, personal": lambda size: _inference("mine", 20_000 // size, 300, 20, own=0.3),
    "mine, in parts": lambda size: _inference(
        "mine", 60_000 // size, 200, 10, own=0.3, options={"part_size": 10_000 // size}
    ),
    "exact": lambda size: _inference("exact", 400_000 // size, 2_000, 20),  # too large for the solver
    "dist": lambda size: _inference("dist", 400_000 // size, 2_000, 20),
    "twins": lambda size: _inference("twins", 400_000 // size, 60, 20, every=3, absent="any"),
    "jia": lambda size: _inference("jia", 20_000 // size, 100, 24, options={"t_max": 1e18}),
    "jia, paper": lambda size: _inference(
        "jia", 20_000 // size, 100, 24, options={"t_max": 1e18, "algorithm": "paper", "b_max": 100}
    ),
    "jia, long": lambda size: _inference(
        "jia", 4_000 // size, 3_000, 60, options={"t_max": 1e300, "heuristic": "dist", "b_max": 100}
    ),
    "naka": lambda size: _inference("naka", 60_000 // size, 500, 12, own=0.3),
    "naka, long": lambda size: _inference("naka", 10_000 // size, 300, 30, own=0.3),
    "naka-sampled": _sampled,
    "naka-sampled, paper": lambda size: _sampled(size, stopping="paper"),
    "global": lambda size: _inference("global", 200_000 // size, 3_000, 40, every=9),
    "lgps": lambda size: _inference("lgps", 300_000 // size, 1_000, 12, every=20),
    "tdcontrol": lambda size: _inference("tdcontrol", 300_000 // size, 1_000, 25, every=20),
    "cahd": lambda size: _inference("cahd", 400_000 // size, 1_000, 10, rho=f"1/{20_000 // size}"),
    "disclosure": lambda size: _templates("disclosure", 4_000_000 // size, 5, 300),
    "disclosure-local": lambda size: _templates("disclosure-local", 1_500_000 // size, 5, 300),
    "injector": lambda size: _diversity("injector", 3_000_000 // size, 400, 300, alike=False, choice="nit"),
    "injector, paper": lambda size: _diversity("injector", 200_000 // size, 80, 20, algorithm="paper"),
    "anatomy": lambda size: _diversity("anatomy", 3_000_000 // size, 900, 1),
}


def interrupted(name: str) -> dict[str, Any]:
    """One method, interrupted."""
    WORKS[name](SMALL)(Watch())  # compiles what there is to compile
    work = WORKS[name](1)
    before = set(threading.enumerate())
    at = [0.0, 0.0]

    def signal_self() -> None:
        at[:] = time.monotonic(), time.process_time()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(BEFORE, signal_self)
    timer.daemon = True
    raised: float | None = None
    try:
        timer.start()
        work(Watch())
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        raised = time.monotonic() - at[0]
    ended: float | None = None
    while ended is None and time.monotonic() - at[0] < LONG:
        if not [t for t in threading.enumerate() if t not in before and t is not timer]:
            ended = time.monotonic() - at[0]
        time.sleep(0.01)
    return {"name": name, "raised": raised, "ended": ended, "worked": time.process_time() - at[1]}


def main(names: list[str]) -> None:
    for name in names or WORKS:
        print(json.dumps(interrupted(name)), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(sys.argv[1:])
