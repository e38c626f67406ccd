"""Data handed on to other libraries: as Arrow, and through it as frames of pandas, polars, DuckDB and others."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from typing import Any

from sordino.errors import MissingExtra

__all__ = ["HandedOn"]


class HandedOn(ABC):
    """What can be had as an Arrow table, and whatever takes one.

    `__arrow_c_stream__` is the Arrow PyCapsule interface: `pl.DataFrame(release)`, `pa.table(release)`,
    `duckdb.from_arrow(pa.table(release))` take the object as it is.
    """

    @abstractmethod
    def to_arrow(self) -> Any:
        """The data as a pyarrow.Table."""

    def to_pandas(self) -> Any:
        """The data as a pandas.DataFrame."""
        if importlib.util.find_spec("pandas") is None:
            raise MissingExtra("pandas", "pandas", "a pandas frame")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The data as a polars.DataFrame."""
        if importlib.util.find_spec("polars") is None:
            raise MissingExtra("polars", "polars", "a polars frame")
        import polars

        return polars.DataFrame(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)
