"""`sordino warm` reaches the kernels that only larger files need."""

from __future__ import annotations

from typing import Any

import pytest

from sordino.audit import examination, few_absences
from sordino.cli.warm import TASKS
from sordino.protect import workspace


def test_what_only_larger_files_need_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search with words, that for one absence, and the repair of rules that no whole record shows."""
    seen: set[str] = set()

    def told(module: Any, name: str) -> None:
        kernel = getattr(module, name)

        def call(*arguments: Any) -> Any:
            deep = name == "search" and arguments[2] is not None
            seen.add("search with words" if deep else name)
            return kernel(*arguments)

        monkeypatch.setattr(module, name, call)

    told(examination, "search")
    told(few_absences, "search_absences")
    told(workspace, "repair_rule")
    TASKS["audit"]()
    assert seen == {"search", "search with words", "search_absences"}
    TASKS["mine"]()
    assert seen == {"search", "search with words", "search_absences", "repair_rule"}
