"""The simplest method there is: deletes every sensitive occurrence. For tests of what surrounds a method.

`keep` (an option) leaves that many records as they are, from the first: a way to break the promise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.policy.inference import ResolvedInference
from sordino.protect.registry import METHODS, Method


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    del seed, jobs
    watch.report("deleting", 0, len(baskets))
    owner = np.repeat(np.arange(len(baskets)), baskets.lengths)
    kept = ~policy.sensitive[baskets.items] | (owner < options.get("keep", 0))
    indptr = np.zeros(len(baskets) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner[kept], minlength=len(baskets)), out=indptr[1:])
    return replace(baskets, indptr=indptr, items=baskets.items[kept])


def register(patch: pytest.MonkeyPatch, module: str = "deleter", name: str = "deleter") -> None:
    """Make a module known as a method for the time of a test."""
    patch.setitem(METHODS, name, Method(name, module, "for tests", {"keep": "how many records to leave"}))  # type: ignore[attr-defined]
