"""The sampled audit: adversaries are drawn, and each of them is judged exactly (model.md 1.1, NAKA 5.2 and 5.3).

**Guarantee.** See policy/assurance.py. For each length up to m by itself: if a share epsilon or more of the adversaries
who know that many items could infer something, a clean verdict would have had a probability of at most delta. Drawn is
a person with at least so many items, uniformly, then so many of his original items, uniformly. Nothing is claimed about
lengths of which there are no adversaries, nor about any single person.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.kernels.classes import build_postings
from sordino.audit.kernels.draws import jumps, pick_items
from sordino.audit.kernels.personal import Store
from sordino.audit.kernels.sampled import check_adversaries
from sordino.audit.personal import People, published_records
from sordino.audit.result import NOTHING_EXAMINED, AuditResult
from sordino.data.baskets import Baskets
from sordino.engine.local import Flag, OutOfTime, Watch, raise_if_stopped, run_chunks
from sordino.errors import InternalError
from sordino.policy.assurance import delta_of_round, proven_epsilon, sample_size
from sordino.policy.inference import ResolvedInference

__all__ = ["Sampling", "audit_sampled", "draw_adversaries", "signatures", "unsafe_adversaries"]

I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
PIECE = 2_000
CELLS = 20_000_000  # places of records for which random numbers are drawn at once
TOGETHER = 100  # adversaries that one thread looks at in turn


@dataclass(frozen=True)
class Sampling:
    """What was drawn and found: by length, how many adversaries were drawn and how many of them could infer something.

    `delta` is what this round may spend of the delta `of_all` rounds; `proven` what so many clean adversaries prove at
    it, and what may be claimed with probability 1 - of_all whichever round was the last.
    """

    epsilon: Fraction
    delta: Fraction
    of_all: Fraction
    round: int
    drawn: Mapping[int, int]
    unsafe: Mapping[int, int]

    @property
    def proven(self) -> Mapping[int, float]:
        """By length: less than this share can infer anything; only for lengths at which all drawn were safe."""
        return {size: proven_epsilon(self.delta, n) for size, n in self.drawn.items() if n and not self.unsafe[size]}

    def to_dict(self) -> dict[str, Any]:
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.of_all),
            "delta_of_this_round": str(self.delta),
            "round": self.round,
            "drawn": {str(size): n for size, n in self.drawn.items()},
            "unsafe": {str(size): n for size, n in self.unsafe.items()},
            "proven_epsilon": {str(size): round(share, 9) for size, share in self.proven.items()},
        }


def draw_adversaries(
    baskets: Baskets, rank: npt.NDArray[np.integer[Any]], size: int, number: int, rng: np.random.Generator
) -> tuple[I64, I64]:
    """`number` adversaries who know `size` items each: whom they know, and what of him (ranks ascending).

    None if nobody has so many items.
    """
    able = np.flatnonzero(baskets.lengths >= size)
    if not len(able):
        return np.empty(0, dtype=np.int64), np.empty((0, size), dtype=np.int64)
    users = able[rng.integers(0, len(able), size=number)]
    known = np.empty((number, size), dtype=np.int64)
    # Each person takes as many random numbers as the longest of PIECE has items (fewer people, where records are long):
    # that is how it was always drawn, and the same seed is to draw the same.
    piece = max(1, min(PIECE, CELLS // int(baskets.lengths.max())))
    state = _where_it_stands(rng)
    table: npt.NDArray[np.uint64] | None = None
    for start in range(0, number, piece):
        some = users[start : start + piece]
        width = int(baskets.lengths[some].max())
        with np.errstate(over="ignore"):  # its numbers wrap around; NumPy warns when kernels run uncompiled
            if table is None or len(table) <= width:
                table = jumps(state, width)
            pick_items(baskets.indptr, baskets.items, rank, some, width, state, table, known[start : start + piece])
    _move_to(rng, state)
    return users, known


def _where_it_stands(rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    """The state of a PCG64 and the term that it adds at each step, two words each."""
    found = rng.bit_generator.state
    if found["bit_generator"] != "PCG64":
        raise InternalError(f"adversaries are drawn by PCG64, and this is {found['bit_generator']}")
    numbers = [int(found["state"][name]) for name in ("state", "inc")]
    return np.array([word for x in numbers for word in (x >> 64, x & (2**64 - 1))], dtype=np.uint64)


def _move_to(rng: np.random.Generator, state: npt.NDArray[np.uint64]) -> None:
    """The generator goes on from there; half a word that it has in store stays, as it does when it draws floats."""
    found = rng.bit_generator.state
    high, low = (int(word) for word in state[:2])
    found["state"]["state"] = high << 64 | low
    rng.bit_generator.state = found


def signatures(store: Store, stop: Flag | None = None) -> npt.NDArray[np.uint64]:
    """A signature beside each posting."""
    sig0, sig1 = (np.empty(len(store.length), dtype=np.uint64) for _ in range(2))
    sig: npt.NDArray[np.uint64] = build_postings(store.ptr, store.items, len(store.num), sig0, sig1, stop)[2]
    raise_if_stopped(stop)
    return sig


def unsafe_adversaries(
    store: Store,
    sig: npt.NDArray[np.uint64],
    people: People,
    users: I64,
    known: I64,
    jobs: int,
    watch: Watch | None = None,
) -> Bools:
    """Which of the adversaries can infer something."""
    unsafe = np.zeros(len(users), dtype=np.bool_)
    watch = watch or Watch()
    stop = watch.stop
    order = np.lexsort(known.T[::-1])  # equal antecedents together, and in one piece: they are counted once
    fresh = np.flatnonzero((known[order[1:]] != known[order[:-1]]).any(axis=1)) + 1
    ends = np.append(fresh, len(users))
    cuts = np.unique(np.append(ends[np.searchsorted(ends, np.arange(TOGETHER, len(users), TOGETHER))], len(users)))
    pieces = np.split(order, cuts[:-1]) if len(users) else []

    def check(_: int, piece: I64) -> None:
        found = np.zeros(len(piece), dtype=np.bool_)
        check_adversaries(store, sig, people.owners.row, people.owners.chose, users[piece], known[piece], found, stop)
        unsafe[piece] = found

    run_chunks(check, pieces, jobs, watch=watch)
    return unsafe


def audit_sampled(
    baskets: Baskets, resolved: ResolvedInference, original: Baskets, *, jobs: int, watch: Watch, seed: int, round_: int
) -> AuditResult:
    """A sampled verdict on `baskets` (in the codes of `original`), as round `round_` of looking at them."""
    start = time.monotonic()
    assurance, most = resolved.policy.assurance, resolved.knowledge
    assert assurance is not None
    assert most is not None
    delta = delta_of_round(assurance.delta, round_)
    number = sample_size(assurance.epsilon, delta)
    rng = np.random.default_rng([seed, 2, round_])
    fewest: dict[int, int] = {}
    drawn: dict[int, int] = {}
    unsafe: dict[int, int] = {}
    unchecked: tuple[str, ...] = ()
    try:
        stop = watch.stop
        people = watch.call(
            partial(People, original, resolved.personal_choices(len(baskets)), only_drawn=True, stop=stop)
        )
        store = watch.call(published_records, baskets, resolved, people, stop)
        sig = watch.call(signatures, store, stop)
        for size in range(1, most + 1):
            watch.report("drawing", size - 1, most)
            users, known = watch.call(draw_adversaries, original, people.rank, size, number, rng)
            found = unsafe_adversaries(store, sig, people, users, known, jobs, watch)
            drawn[size], unsafe[size] = len(users), int(found.sum())
            for u in users[found].tolist():
                fewest.setdefault(u, size)
    except OutOfTime:
        unchecked = (_left_open(len(drawn) + 1, most) if drawn else NOTHING_EXAMINED,)
    sizes = [str(size) if size <= 3 else "more" for size in fewest.values()]
    return AuditResult(
        holds=not fewest and not unchecked,
        records=len(baskets),
        items=baskets.distinct_items,
        people_at_risk=len(fewest),
        exposure_by_knowledge={size: sizes.count(size) for size in ("1", "2", "3", "more")},
        findings=(),
        proved_items=0,
        searched_items=len(resolved.thresholds) if drawn else 0,
        seconds=time.monotonic() - start,
        knowledge=most,
        sensitive_items=len(resolved.thresholds),
        remarks=resolved.remarks,
        exact=dict.fromkeys(("people_at_risk", "1", "2", "3", "more"), False),
        personal=resolved.policy.personal,
        sampling=Sampling(assurance.epsilon, delta, assurance.delta, round_, drawn, unsafe),
        unchecked=unchecked,
    )


def _left_open(first: int, most: int) -> str:
    known = f"{first} item{'s' if first > 1 else ''}" if first == most else f"{first} to {most} items"
    return f"People who know {known} of somebody were not all drawn and judged."
