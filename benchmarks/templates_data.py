"""The tables of the template benchmark: CRX and Adult as the paper has them, ARX's Adult, and Adult expanded."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import data_folder

from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.policy.template import Template, TemplatePolicy

__all__ = [
    "ARX_GIVEN",
    "CRX_RANKING",
    "adult",
    "adult_arx",
    "arx_policy",
    "crx",
    "expand",
    "ranking",
    "rows_of",
    "top_policy",
]

ADULT = (
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "native-country",
)
CRX = ("A1", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13")
ARX_GIVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
CRX_RANKING = ("A9", "A10", "A6", "A7")  # the only four that have the counts of the paper's Table 3


def _complete(table: Table, names: tuple[str, ...]) -> Table:
    """The rows without a missing value in any column, and of these the named columns."""
    there = np.ones(len(table), dtype=np.bool_)
    for column in table.columns:
        there &= column.codes >= 0
    return rows_of(Table(tuple(table.column(name) for name in names), table.origin), there)


def rows_of(table: Table, chosen: npt.NDArray[np.bool_]) -> Table:
    """The chosen rows."""
    return Table(tuple(replace(column, codes=column.codes[chosen]) for column in table.columns), table.origin)


def adult() -> tuple[Table, npt.NDArray[np.bool_]]:
    """The categorical attributes and the class of the complete rows; and which of them are for training."""
    parts = [read_table(data_folder() / f"adult_{part}.csv.gz") for part in ("train", "test")]
    label = parts[0].names[-1]
    parts = [_complete(part, (*ADULT, label)) for part in parts]
    columns = []
    for name in (*ADULT, label):  # the test file ends its labels in a dot
        cells = [text.removesuffix(".") if text else text for part in parts for text in part.column(name).cells()]
        columns.append(Column.of_texts(name, cells))
    table = Table(tuple(columns))
    return table, np.arange(len(table)) < len(parts[0])


def crx() -> Table:
    """The categorical attributes and the class of the complete rows."""
    return _complete(read_table(data_folder() / "crx.csv.gz"), (*CRX, "A16"))


def adult_arx() -> Table:
    return read_table(data_folder() / "adult_arx.csv.gz")


def arx_policy(rho: str) -> TemplatePolicy:
    """Nobody's occupation may be inferred with more than rho, from all other columns, with ARX's hierarchies."""
    folder = data_folder() / "adult_hierarchies"
    hierarchies = {name: folder / f"adult_hierarchy_{name}.csv" for name in ARX_GIVEN}
    return TemplatePolicy([Template(ARX_GIVEN, "occupation", at_most=rho, rarest="100%")], hierarchies=hierarchies)


def top_policy(table: Table, ranked: tuple[str, ...], number: int, h: str) -> TemplatePolicy:
    """TopN: of the best N attributes the 50 % rarest values are sensitive; all attributes but these are known."""
    label = table.names[-1]
    sensitive = ranked[:number]
    given = [name for name in table.names if name not in sensitive and name != label]
    return TemplatePolicy([Template(given, name, at_most=h, rarest="50%") for name in sensitive], class_column=label)


def ranking(table: Table) -> tuple[str, ...]:
    """The attributes as C4.5 would put them at the root, one by one: best gain ratio among gains above average."""
    label = table.columns[-1]
    left = list(table.names[:-1])
    order = []
    while left:
        gains = {name: _gain(table.column(name), label) for name in left}
        mean = sum(gain for gain, _ in gains.values()) / len(gains)
        best = max((name for name in left if gains[name][0] >= mean - 1e-12), key=lambda name: gains[name][1])
        order.append(best)
        left.remove(best)
    return tuple(order)


def _gain(column: Column, label: Column) -> tuple[float, float]:
    """Information gain and gain ratio of splitting by all values of a column."""
    counts = np.zeros((len(column.values), len(label.values)))
    np.add.at(counts, (column.codes, label.codes), 1)
    rows = counts.sum()
    sizes = counts.sum(axis=1)
    inside = sum(size / rows * _entropy(line) for size, line in zip(sizes, counts, strict=True) if size)
    gain = _entropy(counts.sum(axis=0)) - inside
    split = _entropy(sizes)
    return gain, gain / split if split else 0.0


def _entropy(counts: npt.NDArray[Any]) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-(share * np.log2(share)).sum())


def expand(table: Table, rows: int, given: tuple[str, ...], changed: int, seed: int) -> Table:
    """The table and variations of its rows, `rows` in all: in each, `changed` random columns have random values."""
    rng = np.random.default_rng(seed)
    copies = -(-rows // len(table))
    chosen = np.argsort(rng.random((rows, len(given)), dtype=np.float32), axis=1) < changed
    chosen[: len(table)] = False
    columns = []
    for column in table.columns:
        codes = np.tile(column.codes, copies)[:rows]
        if column.name in given:
            where = np.flatnonzero(chosen[:, given.index(column.name)])
            codes[where] = rng.integers(0, len(column.values), len(where))
        columns.append(replace(column, codes=codes))
    return Table(tuple(columns))
