"""What tests of reading baskets share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sordino.data.baskets import Baskets
from sordino.data.read import read_baskets
from sordino.errors import InputError

SECRET = "zebra"  # an item that stands in every bad file: no error text may show it


def sets(baskets: Baskets) -> list[set[str]]:
    return [set(record) for record in baskets]


def refused(source: object, **stated: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_baskets(source, **stated)
    folder = str(source.parent) if isinstance(source, Path) else ""  # pytest names it after the test
    assert SECRET not in str(caught.value).removeprefix(folder)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value
