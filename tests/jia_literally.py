"""Algorithms 1 and 2 of Jia et al. (2014), read literally on sets and fractions: what `algorithm=paper` is held to.

Every buffer is filled anew, every support counted anew, and every step weighs all triples (d, q, e). Where the paper
leaves a choice, the docstring of protect/jia.py is followed; kernels/jia/printed.py says what becomes of a record that
has more antecedents than the buffer takes. Which of these is unsafe is asked of the search that the kernel uses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from doors import door
from sordino.data.baskets import Baskets
from sordino.policy.inference import InferencePolicy
from sordino.protect.kernels.jia.long_records import unsafe_qid
from sordino.protect.partial import take_part
from tables import Case

__all__ = ["Literally"]

Qid = frozenset[str]

find = door(unsafe_qid)


class Literally:
    """One part T. The lines of the paper are named."""

    def __init__(self, case: Case, dist: bool, seed: int, key: tuple[int, ...] = (0,)) -> None:
        self.case, self.rho_of, self.dist = case, case.rho_of, dist
        self.most = case.policy.knowledge or 99
        self.table = [set(record) for record in case.records]  # T
        self.column: dict[str, int] = {}  # of each item, the records that hold it, as bits
        for u, record in enumerate(self.table):
            for x in record:
                self.column[x] = self.column.get(x, 0) | 1 << u
        self.first = {x: column.bit_count() for x, column in self.column.items()}  # T0
        self.rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        self.buffers = self.searched = 0

    def records_with(self, items: Qid) -> int:
        found = (1 << len(self.table)) - 1
        for x in items:
            found &= self.column.get(x, 0)
        return found

    def sup(self, items: Qid) -> int:
        return self.records_with(items).bit_count()

    def suppress(self, b_max: int) -> list[Qid]:
        """Algorithm 1."""
        i, safe = 0, True
        while True:
            buffer: dict[Qid, None] = {}  # line 3
            while i < len(self.table) and len(buffer) < b_max and not self.is_too_long(i, b_max):  # lines 4 to 8
                record = sorted(self.table[i])
                qids = (q for k in range(1, len(record) + 1) for q in combinations(record, k) if k <= self.most)
                buffer.update((frozenset(q), None) for q in sorted(qids))
                i += 1
            self.buffers += 1
            if not buffer and i < len(self.table):
                if self.sanitize_long(i, b_max):
                    safe = False
                i += self.is_too_long(i, b_max)
            elif self.sanitize(list(buffer)):  # lines 9 to 12
                safe = False
            if i >= len(self.table):  # lines 13 to 18
                if safe:
                    return [frozenset(record) for record in self.table]
                i, safe = 0, True

    def is_too_long(self, i: int, b_max: int) -> bool:
        length = len(self.table[i])
        return sum(comb(length, k) for k in range(1, min(length, self.most) + 1)) > b_max

    def sanitize_long(self, i: int, b_max: int) -> bool:
        if not self.table[i] & set(self.rho_of):
            return False
        record = sorted(self.table[i])
        qids = (frozenset(q) for k in range(1, min(len(record), self.most) + 1) for q in combinations(record, k))
        found = self.sanitize([q for q, _ in zip(qids, range(b_max), strict=False)])
        while self.is_too_long(i, b_max):
            q = self.unsafe(i)
            if not q:
                break
            assert self.sanitize([q])
            self.searched += 1
            found = True
        return found

    def unsafe(self, i: int) -> Qid:
        """An unsafe qid of a record; empty if there is none."""
        baskets = Baskets.from_sets(self.table)
        sensitive = [e for e in self.rho_of if e in baskets.names]
        policy = InferencePolicy(sensitive, "1/2", rho_of={e: self.rho_of[e] for e in sensitive})
        rows, stop = np.arange(len(baskets), dtype=np.int64), np.zeros(1, dtype=np.uint8)
        _, part = take_part(baskets, policy.resolve(baskets), rows, stop)
        return frozenset(baskets.names[code] for code in find(part, i, self.most))

    def sanitize(self, buffer: Sequence[Qid]) -> bool:
        """Algorithm 2; whether anything was unsafe."""
        found = False
        while True:
            triples = []
            for place, q in enumerate(buffer):
                for e in sorted(set(self.rho_of) - q):
                    over = self.sup(q | {e}) - self.rho_of[e] * self.sup(q)
                    if over > 0:
                        triples.append((e, q, e, math.ceil(over), place))
                        n = math.ceil(over / (1 - self.rho_of[e]))
                        triples += [(d, q, e, n, place) for d in sorted(q)]
            if not triples:  # line 18
                return found
            found = True
            d, q, e, n, _ = min(triples, key=self.order)  # lines 5 to 9
            records = [u for u, record in enumerate(self.table) if q | {e} <= record]  # C(X)
            for i in range(n):  # lines 12 to 17
                j = int(self.rng.integers(i, len(records)))
                records[i], records[j] = records[j], records[i]
                self.table[records[i]].remove(d)
                self.column[d] ^= 1 << records[i]

    def order(self, triple: tuple[str, Qid, str, int, int]) -> tuple[Any, ...]:
        d, _, e, n, place = triple
        now, before = self.sup(frozenset({d})), self.first[d]
        if self.dist:
            share, at_first = now / sum(map(len, self.table)), before / sum(self.first.values())
            score: Any = -(share * math.log(share / at_first)) / n
        else:
            score = Fraction(now, before) * n
        return score, n, place, e, d != e, d
