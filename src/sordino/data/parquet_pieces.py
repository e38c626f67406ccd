"""Writing a Parquet file piece by piece."""

from __future__ import annotations

from contextlib import ExitStack
from typing import IO, Any

from sordino.data.write_table import is_natural

__all__ = ["GROUP", "ParquetPieces"]

GROUP = 1 << 18  # rows of a group of the file


class ParquetPieces:
    """A Parquet file, written in groups of GROUP rows, however they come; done when the stack is left.

    natural: whether it needs no note on the types of its columns; found out from these if it is not said.
    """

    def __init__(self, stack: ExitStack, sink: IO[bytes], schema: Any, natural: bool | None = None) -> None:
        from pyarrow import parquet

        natural = all(is_natural(field.type) for field in schema) if natural is None else natural
        self._writer = parquet.ParquetWriter(sink, schema, compression="snappy", store_schema=not natural)
        self._held: list[Any] = []
        self._rows = 0
        stack.callback(self._close)

    def add(self, table: Any) -> None:
        import pyarrow as pa

        self._held.append(table)
        self._rows += len(table)
        while self._rows >= GROUP:
            whole = pa.concat_tables(self._held)
            self._writer.write_table(whole.slice(0, GROUP), row_group_size=GROUP)
            rest = whole.slice(GROUP)
            self._held, self._rows = [rest], len(rest)

    def _close(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.concat_tables(self._held), row_group_size=GROUP)
        self._writer.close()
