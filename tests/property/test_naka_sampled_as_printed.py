"""Algorithm 2 of NAKA as printed, against a twin that keeps nothing: sets of items, NumPy's draws, every count anew."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import sordino
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.assurance import Assurance, sample_size
from sordino.protect.kernels.personal import rounds
from sordino.protect.registry import METHODS

MASK = 2**64 - 1


class Lots:
    """splitmix64, from where NumPy's SeedSequence lets it begin."""

    def __init__(self, seeds: list[int]) -> None:
        self.state = int(np.random.SeedSequence(seeds).generate_state(1, np.uint64)[0])

    def draw(self, below: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return (z ^ z >> 31) % below


class Twin:
    """Items are ranks: 0 is the rarest of the original."""

    def __init__(self, baskets: Baskets, chosen: list[set[int]], rho: Fraction) -> None:
        order = np.argsort(baskets.supports, kind="stable").tolist()
        self.name = [baskets.names[code] for code in order]
        self.rank = {code: r for r, code in enumerate(order)}
        self.original = baskets
        self.records = [{self.rank[int(x)] for x in baskets.items[a:b]} for a, b in self._bounds()]
        self.first = [self.support({x}) for x in range(len(order))]
        self.wishes = [{self.rank[code] for code in some} for some in chosen]
        self.rho = rho

    def _bounds(self) -> list[tuple[int, int]]:
        return list(zip(self.original.indptr[:-1].tolist(), self.original.indptr[1:].tolist(), strict=True))

    def support(self, q: set[int]) -> int:
        return sum(q <= record for record in self.records)

    def disclosed(self, q: set[int]) -> list[int]:
        """What q discloses, in the order in which its records show it."""
        shown = dict.fromkeys(e for record in self.records if q <= record for e in sorted(record - q))
        return [e for e in shown if Fraction(self.support(q | {e}), self.support(q)) > self.rho]

    def repair(self, q: set[int], e: int, lots: Lots) -> None:
        """Steps 11 to 14: the d with the greatest F goes from N_s(d) of the records with q + e."""
        both = [v for v, record in enumerate(self.records) if q | {e} <= record]
        over = len(both) - self.rho * self.support(q)
        if over <= 0:
            return
        now, at_first = sum(map(len, self.records)), sum(self.first)
        best, times, greatest = e, 0, -math.inf
        for d in [e, *sorted(q)]:
            n = math.ceil(over) if d == e else math.ceil(over / (1 - self.rho))
            share = self.support({d}) / now
            value = share * float(np.log(share / (self.first[d] / at_first))) / n
            if value > greatest:
                best, times, greatest = d, n, value
        for t in range(min(times, len(both))):
            j = t + lots.draw(len(both) - t)
            both[t], both[j] = both[j], both[t]
            self.records[both[t]].discard(best)

    def round(self, number: int, most: int, seed: int, t: int) -> bool:
        """One round; whether it found nothing."""
        rng, clean, baskets = np.random.default_rng([seed, 1, t]), True, self.original
        for size in range(1, most + 1):
            able = np.flatnonzero(baskets.lengths >= size)
            if not len(able):
                continue
            users = able[rng.integers(0, len(able), size=number)].tolist()
            keys = rng.random((number, int(baskets.lengths[users].max())))
            drawn = []
            for u, row in zip(users, keys, strict=True):
                own = baskets.items[baskets.indptr[u] : baskets.indptr[u + 1]]
                drawn.append((u, {self.rank[int(own[k])] for k in np.argsort(row[: len(own)])[:size]}))
            unsafe = [(u, q) for u, q in drawn if self.wishes[u] & set(self.disclosed(q))]
            lots = Lots([seed, 1, t, size])
            for u, q in unsafe:
                for e in self.disclosed(q):
                    if e in self.wishes[u]:
                        self.repair(q, e, lots)
            clean &= not unsafe
        return clean

    def published(self) -> list[frozenset[str]]:
        return [frozenset(self.name[x] for x in record) for record in self.records]


@pytest.mark.parametrize("seed", range(12))
def test_the_printed_algorithm_makes_the_choices_of_its_twin(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 3 == 0:  # little room: what is kept must be forgotten now and then
        monkeypatch.setattr(rounds, "ENTRIES", 8)
        monkeypatch.setattr(rounds, "ROOM", 1)
    random = np.random.default_rng(seed)
    width, people = 9, 40
    records = [
        {str(x) for x in random.choice(width, size=random.integers(0, 6), replace=False, p=_skewed(width))}
        for _ in range(people)
    ]
    baskets = Baskets.from_sets([*records, {str(x) for x in range(width)}])
    everybody = seed % 4 == 1
    chosen = [
        {"0", "3"} if everybody else {str(x) for x in range(width) if random.random() < 0.4} for _ in range(people + 1)
    ]
    rho, most = ("0.3", "0.5", "2/3")[seed % 3], 1 + seed % 6
    policy = sordino.InferencePolicy(
        ["0", "3"] if everybody else [],
        rho,
        per_record=None if everybody else dict(enumerate(chosen)),
        assurance=Assurance("0.2", "0.2", most),
    )
    left = METHODS["naka-sampled"].load()(
        baskets, policy.resolve(baskets), seed=seed, jobs=2, watch=Watch(), stopping="paper"
    )
    codes = {name: code for code, name in enumerate(baskets.names)}
    twin = Twin(baskets, [{codes[x] for x in some} for some in chosen], Fraction(rho))
    number, t = sample_size(Fraction("0.2"), Fraction("0.2")), 1
    while not twin.round(number, most, seed, t):
        t += 1
    assert list(left) == twin.published()
    assert t > 1


def _skewed(width: int) -> list[float]:
    weights = [1 / (k + 1) for k in range(width)]
    return [w / sum(weights) for w in weights]
