"""Releases that chance changed: `sordino verify` and the page say the same of each (scripts/tamper.py for more)."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from page import CheckPage
from sordino.errors import SordinoError
from tampering import bases, difference, in_parquet, tampered

EACH = 3  # of every honest vector


@pytest.mark.parametrize("name", bases())
def test_the_page_agrees_on_tampered_vectors(name: str, tmp_path: Path, check_page: CheckPage) -> None:
    agree(name, bases()[name], tmp_path, check_page)


def test_the_page_agrees_on_tampered_parquet(tmp_path: Path, check_page: CheckPage) -> None:
    for name, publish in in_parquet(tmp_path).items():
        agree(name, publish, tmp_path, check_page)


def agree(name: str, base: Path, folder: Path, page: CheckPage) -> None:
    for number in range(EACH):
        target = folder / f"{name}-{number}-tampered"
        done = tampered(base, target, f"{name}-{number}")
        with contextlib.suppress(SordinoError):  # no release at all, and no verdict
            assert difference(target, page) is None, done
