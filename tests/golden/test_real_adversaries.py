"""The two stronger adversaries on whole real files (in $SORDINO_DATA): what protecting against them may cost.

The draws of sensitive items are those, of 400, of which deleting all sensitive items costs as much as in the draw of
the sketches (39.8, 40.4 and 34.4 % of the entries), so that losses compare.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sordino
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect import twins
from sordino.verify.shapes.absence import count_twins


def load(path: Path) -> Baskets:
    if not path.is_file():
        pytest.skip(f"{path.name} is not among the real files")
    return sordino.read_baskets(path)


def draw(baskets: Baskets, seed: int) -> list[str]:
    """40 % of the item types."""
    number = round(len(baskets.names) * 0.4)
    codes = np.random.default_rng(seed).choice(len(baskets.names), size=number, replace=False)
    return [baskets.names[code] for code in sorted(codes.tolist())]


@pytest.mark.parametrize(
    ("name", "seed", "most"), [("BMS-WebView-1", 64, 0.189), ("BMS-WebView-2", 83, 0.307), ("Retail", 155, 0.333)]
)
def test_what_twins_lose(data_folder: Path, name: str, seed: int, most: float) -> None:
    baskets = load(data_folder / f"{name}.dat.gz")
    policy = sordino.InferencePolicy(draw(baskets, seed), "0.7", absent="any").resolve(baskets)
    after = {jobs: twins.protect(baskets, policy, seed=1, jobs=jobs, watch=Watch()) for jobs in (1, 2)}
    assert after[1].fingerprint == after[2].fingerprint
    assert 1 - after[1].occurrences / baskets.occurrences <= most
    pairs, reason = count_twins(after[1], policy.thresholds)
    assert (pairs > 1000, reason) == (True, "")
    only = twins.protect(baskets, policy, seed=1, jobs=2, watch=Watch(), only_sensitive=True)
    assert 0 <= (after[1].occurrences - only.occurrences) / baskets.occurrences <= 0.01
    kept = dict(zip(only.names, only.supports.tolist(), strict=True))
    for code in np.flatnonzero(~policy.sensitive).tolist():
        assert kept[baskets.names[code]] == baskets.supports[code]


@pytest.mark.slow
def test_a_fifth_of_newcomers(data_folder: Path) -> None:
    """A release that continues the first puts nobody at risk together, and costs little more (benchmarks/adversaries.py
    also measures what happens if the second is made by itself)."""
    whole = load(data_folder / "BMS-WebView-2.dat.gz")
    policy = sordino.InferencePolicy(draw(whole, 1), "0.7")
    records = list(whole)
    order = np.random.default_rng(1).permutation(len(records)).tolist()
    people = list(map(str, order))
    records = [records[k] for k in order]
    part = len(records) * 4 // 5
    second = Baskets.from_sets(records, ids=people)
    first = sordino.protect(Baskets.from_sets(records[:part], ids=people[:part]), policy, seed=1, missing="accept")
    out = Baskets.from_sets(first.data, ids=people[:part])
    release = sordino.protect(second, policy, seed=2, missing="accept", previous=out)
    assert release.together
    assert release.joint.people_at_risk == 0
    assert release.deletions / second.occurrences <= 0.277
