"""Two small invented files to try sordino on: a town pharmacy's baskets and a table of patients.

Nobody in them exists: `python -m sordino.sample.generate` draws every line from tables of habits that we made up.

| file | what it holds |
|---|---|
| pharmacy.csv | one customer a line, the products bought, comma-separated; no header, no ids |
| pharmacy_hierarchy.csv | `product;category;department;*` for every product |
| pharmacy_sensitive.txt | the products nobody should be able to infer, one a line |
| pharmacy_choices.csv | `record,item`: what single customers call sensitive; record is the line number, **from 1** |
| pharmacy_policy.toml | the inference policy for the baskets |
| pharmacy_personal_policy.toml | the same with the customers' own choices instead of the common list |
| patients.csv | one patient a row, with header; `diagnosis` is sensitive, `outcome` is the class |
| patients_policy.toml | the template policy for the table |
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from sordino.errors import InputError, did_you_mean

__all__ = ["names", "path"]

_NAMES = (
    "patients.csv",
    "patients_policy.toml",
    "pharmacy.csv",
    "pharmacy_choices.csv",
    "pharmacy_hierarchy.csv",
    "pharmacy_personal_policy.toml",
    "pharmacy_policy.toml",
    "pharmacy_sensitive.txt",
)


def names() -> tuple[str, ...]:
    """The names of the bundled files, sorted."""
    return _NAMES


def path(name: str) -> Path:
    """Where the bundled file of that name lies; the files a policy refers to lie beside it."""
    if name not in _NAMES:
        hint = did_you_mean(name, _NAMES).strip() or f"There are: {', '.join(_NAMES)}."
        raise InputError(f"there is no sample file '{name}'.", hint=hint)
    return Path(str(files(__name__) / "files" / name))
