"""Records that are decided about together, on threads: the same bytes as on one thread, and safe."""

from __future__ import annotations

import importlib
from unittest import mock

import numpy as np
import pytest

import sordino
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine import local
from sordino.engine.local import Watch
from sordino.protect.registry import METHODS

RECORDS, WIDTH = 5_000, 60


@pytest.fixture(scope="module")
def baskets() -> Baskets:
    """Enough records that many wait in the queue at once."""
    rng = np.random.default_rng(5)
    chance = 1 / np.arange(1, WIDTH + 1)
    sizes = rng.integers(1, 9, size=RECORDS)
    sizes[:40] = 20  # some too long to be solved as a table
    picks = (rng.choice(WIDTH, size=n, replace=False, p=chance / chance.sum()) for n in sizes.tolist())
    return Baskets.from_sets(frozenset(f"i{x}" for x in pick.tolist()) for pick in picks)


def common() -> sordino.InferencePolicy:
    return sordino.InferencePolicy([f"i{x}" for x in range(0, WIDTH, 3)], "0.5")


def personal() -> sordino.InferencePolicy:
    rng = np.random.default_rng(6)
    own = {u: [f"i{x}" for x in rng.choice(WIDTH, size=6, replace=False).tolist()] for u in range(0, RECORDS, 2)}
    return sordino.InferencePolicy(["i7"], "0.5", knowledge=3, per_record=own)


@pytest.mark.parametrize("method", ["mine", "dist"])
@pytest.mark.parametrize(
    ("room", "policy"), [("workspace", common()), ("personal_workspace", personal())], ids=["all", "own"]
)
def test_threads_change_nothing(baskets: Baskets, method: str, room: str, policy: sordino.InferencePolicy) -> None:
    resolved = policy.resolve(baskets)
    protect = METHODS[method].load()
    module = importlib.import_module(f"sordino.protect.{room}")
    with mock.patch.object(module, "run_chunks", wraps=local.run_chunks) as threads:
        two = protect(baskets, resolved, seed=0, jobs=2, watch=Watch())
    if (method, room) != ("dist", "workspace"):  # there it is one after another
        assert threads.call_count > 10  # several records were decided about at once, and often
    for jobs in (1, 5):
        assert protect(baskets, resolved, seed=0, jobs=jobs, watch=Watch()).fingerprint == two.fingerprint
    assert two.occurrences < baskets.occurrences
    assert audit_baskets(
        two, policy, original=baskets if room == "personal_workspace" else None, missing="accept", jobs=1
    ).holds
