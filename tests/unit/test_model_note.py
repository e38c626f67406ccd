"""Comments cite the model by section: the note that they mean is in the repository, and has that section."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "docs" / "notes" / "model.md"


def test_sections_that_are_cited_exist() -> None:
    sections = set(re.findall(r"^#{2,3} (\d(?:\.\d)?)[ .]", MODEL.read_text(encoding="utf-8"), re.MULTILINE))
    assert {"1.1", "1.2", "2.1", "2.2"} <= sections
    cited: dict[str, str] = {}
    for path in (path for room in ("src", "tests", "benchmarks") for path in (ROOT / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for place in re.findall(r"model\.md ((?:\d\.\d)(?:(?:, | and )\d\.\d)*)", text):
            cited |= dict.fromkeys(re.findall(r"\d\.\d", place), path.name)
    assert len(cited) > 5
    assert {section: name for section, name in cited.items() if section not in sections} == {}


def test_no_document_is_cited_that_the_repository_lacks() -> None:
    for path in (ROOT / "src" / "sordino").rglob("*.py"):
        assert not re.search(r"\b(SPEC|RESEARCH|DESIGN)\b", path.read_text(encoding="utf-8")), path
