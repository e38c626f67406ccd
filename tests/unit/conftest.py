"""Files to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def put(tmp_path: Path) -> Any:
    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def parquet(tmp_path: Path) -> Any:
    def write(columns: dict[str, Any], name: str = "x.parquet") -> Path:
        path = tmp_path / name
        pq.write_table(pa.table(columns), path)
        return path

    return write
