"""Arrow tables of what is kept."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["parquet_bytes"]


def parquet_bytes(table: Any) -> bytes:
    """An Arrow table as the bytes of a Parquet file; texts are texts there, whether they were coded or not."""
    from pyarrow import parquet

    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="snappy", store_schema=False)
    return sink.getvalue()
