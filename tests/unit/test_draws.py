"""audit/kernels/draws.py: the lots of adversaries, against NumPy's own generator and the plain way to draw."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from sordino.audit import sampled
from sordino.audit.kernels.draws import jumps
from sordino.audit.sampled import draw_adversaries
from sordino.data.baskets import Baskets
from sordino.errors import InternalError


def plainly(
    baskets: Baskets, rank: npt.NDArray[np.int32], size: int, number: int, rng: np.random.Generator, piece: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A row of random numbers for every person, and the items of the smallest ones."""
    able = np.flatnonzero(baskets.lengths >= size)
    users = able[rng.integers(0, len(able), size=number)]
    known = []
    for start in range(0, number, piece):
        some = users[start : start + piece]
        keys = rng.random((len(some), int(baskets.lengths[some].max())))
        for u, row in zip(some.tolist(), keys, strict=True):
            own = baskets.items[baskets.indptr[u] : baskets.indptr[u + 1]]
            first = np.argsort(row[: len(own)], kind="stable")[:size]
            known.append(sorted(int(rank[x]) for x in own[first]))
    return users, np.array(known, dtype=np.int64)


@pytest.mark.parametrize(("seed", "piece"), [(1, 2_000), (2, 7), (3, 1)])
def test_what_is_drawn_is_what_numpy_draws_and_the_generator_stands_where_it_would(
    seed: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampled, "PIECE", piece)
    random = np.random.default_rng(seed)
    records = [{str(x) for x in random.choice(40, size=random.integers(1, 30), replace=False)} for _ in range(25)]
    baskets = Baskets.from_sets([*records, {"0"}, set()])
    rank = random.permutation(len(baskets.names)).astype(np.int32)
    ours, theirs = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 1])
    for size in (1, 2, 5, 1, 3):  # one generator for all of them; the odd numbers leave half a word in store
        users, known = draw_adversaries(baskets, rank, size, 33, ours)
        same_users, same_known = plainly(baskets, rank, size, 33, theirs, piece)
        assert np.array_equal(users, same_users)
        assert np.array_equal(known, same_known)
        assert ours.bit_generator.state == theirs.bit_generator.state


def test_many_steps_at_once_are_as_many_single_steps() -> None:
    rng = np.random.default_rng(4)
    before = rng.bit_generator.state["state"]
    words = [before["state"] >> 64, before["state"] & (2**64 - 1), before["inc"] >> 64, before["inc"] & (2**64 - 1)]
    with np.errstate(over="ignore"):
        table = jumps(np.array(words, dtype=np.uint64), 20).tolist()
    for n in (0, 1, 2, 20):
        factor, term = table[n][0] << 64 | table[n][1], table[n][2] << 64 | table[n][3]
        other = np.random.PCG64()
        other.state = {**other.state, "state": before}
        other.advance(n)
        assert (before["state"] * factor + term) % 2**128 == other.state["state"]["state"]


def test_another_generator_is_refused() -> None:
    with pytest.raises(InternalError, match="MT19937"):
        draw_adversaries(
            Baskets.from_sets([{"a"}]), np.zeros(1, dtype=np.int32), 1, 1, np.random.Generator(np.random.MT19937(1))
        )
