"""A large table as its distinct rows in some columns, each with how often it occurs; the rest lies where it lay."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sordino.data.sources.streams import opened
from sordino.data.table import Table
from sordino.data.workroom import in_bits, plain_schema, without_nan, workroom
from sordino.errors import InputError

__all__ = ["Counted"]


@dataclass(frozen=True, eq=False)
class Counted(Table):
    """Distinct rows of a source that can be read again, from the beginning, in pieces.

    source: what `opened` takes; schema: the Arrow types of all its columns, of which those here are some.
    """

    source: Any = field(default=None, repr=False)
    schema: Any = field(default=None, repr=False)

    @property
    def all_names(self) -> tuple[str, ...]:
        """The columns of the source."""
        return tuple(self.schema.names)

    @contextmanager
    def pieces(self, names: list[str]) -> Iterator[Iterator[Any]]:
        """These columns of all rows, as Arrow tables, in the order of the source."""
        with opened(self.source) as stream:
            if stream is None or tuple(stream.schema.names) != self.all_names:
                raise InputError("the source changed while it was read", where=self.origin.path)
            yield stream.batches(names)

    def shown(self, symbol: str) -> list[tuple[str, int, int]]:
        """For every column of the source: its name, how many different values, and how many cells show the symbol.

        What is missing, and the symbol, are no values. Columns that are not here are counted in the source.
        """
        found = {column.name: _shown(column, symbol) for column in self.columns}
        others = [name for name in self.all_names if name not in found]
        found |= {name: self._count(name, symbol) for name in others}
        return [(name, *found[name]) for name in self.all_names]

    def _count(self, name: str, symbol: str) -> tuple[int, int]:
        import pyarrow as pa

        fields = plain_schema(self.schema, [name], ["cell"])
        type_ = fields.field(0).type
        text = pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_)
        void = "false"
        given: list[Any] = []
        gone = "0"
        if text:
            void, given = "list_contains($1, cell)", [list(self.origin.missing), symbol]
            gone = "coalesce(sum(times) FILTER (cell = $2), 0)"
        with (
            self.pieces([name]) as pieces,
            workroom("the values of a column cannot be counted", self.origin.path) as connection,
        ):
            cells = (in_bits(without_nan(piece.rename_columns(["cell"]).cast(fields))) for piece in pieces)
            batches = (batch for piece in cells for batch in piece.to_batches())
            types = in_bits(fields.empty_table()).schema
            connection.register("given", pa.RecordBatchReader.from_batches(types, batches))
            each = (
                "SELECT cell, count(*) AS times FROM given WHERE cell IS NOT NULL GROUP BY cell"  # on the disk, if many
            )
            query = f"SELECT count(*) FILTER (NOT ({void})), {gone} FROM ({each})"
            values, hidden = connection.execute(query, given).fetchone()
        return int(values) - (hidden > 0), int(hidden)


def _shown(column: Any, symbol: str) -> tuple[int, int]:
    place = column.code_of.get(symbol) if isinstance(column.values, tuple) else None
    hidden = 0 if place is None else int(column.counts[place])
    return int((column.counts > 0).sum()) - (hidden > 0), hidden
