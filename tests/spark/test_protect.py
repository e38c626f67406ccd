"""Records made safe on a cluster, as the oracle sees it; and the same bytes whatever happens to the cluster."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import oracle
import sordino
import sordino.spark
from sordino.errors import InputError


def drawn(seed: int, records: int = 80, items: int = 10) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.05, 0.5, items)
    return [[f"i{k}" for k in np.flatnonzero(rng.random(items) < chance)] for _ in range(records)]


def parquet(folder: Path) -> list[dict[str, Any]]:
    return [row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


def hashes(folder: Path) -> list[str]:
    """Of all published Parquet files, whatever Spark called them."""
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.parquet"))
