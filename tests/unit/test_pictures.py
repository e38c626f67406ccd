"""The pictures of the how-to pages are the ones that the script makes, whose numbers come from audits."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("adversary_pictures", ROOT / "scripts" / "adversaries.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("absence", ["insulin: 1 of 3, 33%", "insulin: 1 of 1, certain", "insulin: 1 of 2, 50%"]),
        ("releases", ["together: 1 of 1, certain", "Ann: bread", "together: nothing to infer"]),
    ],
)
def test_the_picture_in_docs_is_what_the_audit_says(script: ModuleType, name: str, says: list[str]) -> None:
    made = getattr(script, name)()
    assert all(f">{text}</text>" in made for text in says)
    assert (ROOT / "docs" / "images" / f"{name}.svg").read_text(encoding="utf-8") == made
