"""Parts are suppressed by themselves; those without a sensitive occurrence are not even looked at."""

from __future__ import annotations

import numpy as np

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import InferencePolicy
from sordino.protect.partial import left_of_parts

BASKETS = Baskets.from_sets([{"a", "b"}, {"a", "s"}, {"b"}, {"b", "s"}, {"a"}, set()])


def test_only_parts_that_hold_something_sensitive_are_suppressed() -> None:
    resolved = InferencePolicy(["s"], "0.5").resolve(BASKETS)
    looked: list[tuple[int, int]] = []

    def suppress(part: object, _: int, rng: np.random.Generator) -> int:
        looked.append((len(part.size), int(rng.integers(1 << 30))))  # type: ignore[attr-defined]
        part.size[-1] -= 1  # type: ignore[attr-defined]
        return 1

    parts = [np.array(rows) for rows in ([0, 2], [1, 4], [5], [3])]
    keep = left_of_parts(BASKETS, resolved, parts, suppress, seed=1, jobs=1, watch=Watch())
    assert [size for size, _ in looked] == [2, 1]
    own = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(1,))).integers(1 << 30)
    assert looked[0][1] == own, "what is drawn for a part depends on its number among all parts"
    lost = np.repeat(np.arange(len(BASKETS)), BASKETS.lengths)[~keep]
    assert lost.tolist() == [3, 4], "the last record of each of the two parts"
