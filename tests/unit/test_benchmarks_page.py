"""The page of benchmarks is what its script makes of the kept results; what is asked for wrongly is told."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from sordino.report.charts import can_draw

ROOT = Path(__file__).parents[2]
TABLE = """### Seconds of all

| file | rho | s |
| --- | --- | ---: |
| a | 0.3 | 1 |
| a | 0.7 | > 2 s |

note
"""


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scripts_benchmarks_page", ROOT / "scripts" / "benchmarks_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(script: ModuleType) -> None:
    if not can_draw():
        pytest.skip("charts need Matplotlib")
    page, charts = script.made()
    assert page == script.PAGE.read_text(encoding="utf-8"), "python scripts/benchmarks_page.py"
    assert sorted(charts) == sorted(file.name for file in script.IMAGES.iterdir())
    assert all(f"images/benchmarks/{name}" in page for name in charts)


def test_rows_and_columns_are_chosen(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.md").write_text(TABLE)
    monkeypatch.setattr(script, "RESULTS", tmp_path)
    lines = list(script.as_table("x", "Seconds", "rho = 0.7", "file, s"))
    assert lines[:3] == ["| file | s |", "| --- | ---: |", "| a | > 2 s |"]
    assert lines[-1].endswith("these are 1 of 2 rows.")
    assert [script.number(cell) for cell in ("1,234.5 s", "26.3%", "> 2 s", "")] == [1234.5, 26.3, None, None]
    for wrong in (("x", "Minutes", "all", "all"), ("x", "Seconds", "rho = 0.5", "all")):
        with pytest.raises(SystemExit):
            list(script.as_table(*wrong))
