"""What is looked at a stretch of records at a time is the same however long the stretches are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sordino.data.baskets as module
from sordino.data.aligned import reordered
from sordino.data.baskets import Baskets
from sordino.errors import InputError, InternalError
from sordino.protect.parts import left_of
from sordino.release.baskets.changes import find_deletions
from sordino.release.numbering import only_names_in_use, published_numbers
from sordino.utility.anonymity import anonymity
from sordino.utility.pair import pair


def drawn(seed: int) -> Baskets:
    """Some records, many of them empty, one of them long."""
    rng = np.random.default_rng(seed)
    records = [
        {f"i{k}" for k in rng.integers(0, 12, size=int(rng.integers(0, 6)))} for _ in range(int(rng.integers(1, 30)))
    ]
    records.insert(int(rng.integers(0, len(records) + 1)), {f"i{k}" for k in range(12)})
    return Baskets.from_sets(records)


def thinned(baskets: Baskets, seed: int) -> Baskets:
    """The same records with some occurrences deleted."""
    kept = np.random.default_rng(seed).random(len(baskets.items)) < 0.6
    return left_of(baskets, kept)


def told(baskets: Baskets, left: Baskets) -> dict[str, Any]:
    """All that is computed in stretches, from records without anything remembered."""
    baskets, left = (Baskets(b.indptr, b.items, b.names) for b in (baskets, left))
    used = only_names_in_use(left)
    gone = find_deletions(baskets, left)
    secret = np.arange(len(baskets.names)) % 3 == 0
    return {
        "supports": baskets.supports.tolist(),
        "fingerprint": left.fingerprint,
        "gone": (gone.records.tolist(), gone.items.tolist()),
        "used": (used.names, used.items.tolist()),
        "paired": pair(baskets, used).items.tolist(),
        "numbers": (numbers := published_numbers(used, "shuffle", 7)).tolist(),
        "in order": reordered(used, numbers).items.tolist(),
        "anonymity": (anonymity(left, secret), anonymity(left, None)),
    }


@pytest.mark.parametrize("seed", range(40))
def test_short_stretches_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    baskets = drawn(seed)
    left = thinned(baskets, seed)
    whole = told(baskets, left)
    kept = {(u, i) for u in range(len(left)) for i in left.record(u)}
    had = {(u, i) for u in range(len(baskets)) for i in baskets.record(u)}
    assert {(u, baskets.names[i]) for u, i in zip(*whole["gone"], strict=True)} == had - kept
    for most in (1, 3, 7):
        monkeypatch.setattr(module, "PAIRS", most)
        stretches = list(baskets.stretches())
        assert [lo for lo, _ in stretches] == [0, *(hi for _, hi in stretches)][:-1], "one follows the other"
        assert stretches[-1][1] == len(baskets)
        assert told(baskets, thinned(baskets, seed)) == whole


def test_records_in_another_order_are_the_same_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS", 3)
    baskets = drawn(5)
    number = np.random.default_rng(1).permutation(len(baskets)) + 1
    moved = reordered(baskets, number)
    assert [moved.record(k - 1) for k in number.tolist()] == list(baskets)


def test_what_is_added_is_found_in_any_stretch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS", 2)
    before = Baskets.from_sets([{"a", "b"}, {"b"}, set(), {"a"}, {"b", "c"}])
    after = Baskets.from_sets([{"a"}, {"b"}, set(), {"a", "c"}, {"b"}])
    with pytest.raises(InternalError, match="added an item"):
        find_deletions(before, after)
    with pytest.raises(InputError, match="the first is record 4"):
        pair(before, after)


def test_no_records_have_no_stretches() -> None:
    nobody = Baskets.from_sets([])
    assert list(nobody.stretches()) == []
    assert len(find_deletions(nobody, nobody)) == 0
