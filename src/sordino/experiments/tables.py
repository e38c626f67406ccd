"""The tables of the papers, as they had them: categorical columns of the rows without missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sordino.data.read_table import read_table
from sordino.data.table import Column, Table
from sordino.errors import InputError
from sordino.experiments.datasets import data_folders, find, named
from sordino.experiments.setup import Setup
from sordino.sample import path

__all__ = ["ADULT", "adult", "adult_known", "adult_trees", "crx", "patients", "rows_of"]

ADULT = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country")
CRX = ("A1", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13")
PATIENTS = ("sex", "region", "education", "marital_status", "insurance", "diagnosis")


def rows_of(table: Table, chosen: npt.NDArray[np.bool_]) -> Table:
    """The chosen rows."""
    return Table(tuple(replace(column, codes=column.codes[chosen]) for column in table.columns), table.origin)


def _complete(table: Table, names: tuple[str, ...]) -> Table:
    there = np.ones(len(table), dtype=np.bool_)
    for column in table.columns:
        there &= column.codes >= 0
    return rows_of(Table(tuple(table.column(name) for name in names), table.origin), there)


def _read(name: str) -> Table:
    file = find(named(name))
    if file is None:
        raise InputError(f"{name} is not here", hint=f"Try: sordino datasets get '{name}'; or --quick.")
    return read_table(file)


def adult(setup: Setup, names: tuple[str, ...] = ADULT) -> tuple[Table, npt.NDArray[np.bool_]]:
    """Columns and class of Adult's complete rows, and which of them are for training; quick: patients."""
    if setup.quick:
        table = patients()
        return table, np.arange(len(table)) < len(table) * 2 // 3
    parts = [_complete(_read(f"Adult {part}"), (*names, "income")) for part in ("train", "test")]
    columns = []
    for name in (*names, "income"):  # the test file ends its labels in a dot
        cells = [text.removesuffix(".") if text else text for part in parts for text in part.column(name).cells()]
        columns.append(Column.of_texts(name, cells))
    table = Table(tuple(columns))
    return table, np.arange(len(table)) < len(parts[0])


def adult_known(names: tuple[str, ...]) -> Table:
    """These columns of those rows of Adult's train file that know all of them, whatever else they lack."""
    table = _read("Adult train")
    return _complete(Table(tuple(table.column(name) for name in names), table.origin), names)


def adult_trees(setup: Setup, names: Sequence[str]) -> dict[str, str]:
    """The files of ARX's hierarchies of these columns; none, with a remark, if they are not with the data sets."""
    if setup.quick:
        return {}
    for folder in data_folders():
        files = {name: folder / "adult_hierarchies" / f"adult_hierarchy_{name}.csv" for name in names}
        if all(file.is_file() for file in files.values()):
            return {name: str(file) for name, file in files.items()}
    setup.remarks.append("ARX's hierarchies (adult_hierarchies) are not here: rules speak of single values only.")
    return {}


def crx(setup: Setup) -> Table:
    """The categorical columns and the class of CRX's complete rows; quick: patients."""
    return patients() if setup.quick else _complete(_read("CRX"), (*CRX, "A16"))


def patients() -> Table:
    """The bundled table of patients: its categorical columns and its class."""
    return _complete(read_table(path("patients.csv")), (*PATIENTS, "outcome"))
