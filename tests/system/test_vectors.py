"""The published test vectors: both verifiers say of each what verdicts.json says (made by scripts/vectors.py)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import sordino
from browser import browser_path
from page import CheckPage
from sordino.release.check_page import page_bytes
from sordino.verify.shapes import SHAPES

VECTORS = Path(__file__).parents[1] / "vectors"
VERDICTS = json.loads((VECTORS / "verdicts.json").read_text(encoding="utf-8"))


def vector(name: str, folder: Path) -> Path:
    """A copy of a vector, with the page that all of them have in common."""
    publish = shutil.copytree(VECTORS / name, folder / "publish")
    if not (publish / "check.html").exists():
        (publish / "check.html").write_bytes(page_bytes())
    return publish


def shape_of(name: str) -> str:
    manifest = json.loads((VECTORS / name / "manifest.json").read_bytes())
    return str(manifest.get("shape", manifest["policy"]["kind"]))


def expected(name: str) -> tuple[str, str]:
    return VERDICTS[name]["answer"], VERDICTS[name]["reason"]


def test_there_are_vectors_of_every_shape_and_answer() -> None:
    assert {path.name for path in VECTORS.iterdir() if path.is_dir()} == set(VERDICTS)
    honest = {shape_of(name) for name, verdict in VERDICTS.items() if verdict["honest"]}
    broken = {shape_of(name) for name, verdict in VERDICTS.items() if verdict["answer"] == "fails"}
    assert honest == broken == set(SHAPES)
    assert not any(verdict["honest"] and verdict["answer"] == "fails" for verdict in VERDICTS.values())
    assert not any(not verdict["honest"] and verdict["answer"] == "holds" for verdict in VERDICTS.values())
    assert {verdict["answer"] for verdict in VERDICTS.values()} == {"holds", "fails", "not checked"}


@pytest.mark.parametrize("name", VERDICTS)
def test_sordino_says_so(name: str, tmp_path: Path) -> None:
    if "key" in VERDICTS[name]:
        pytest.importorskip("cryptography")
    verdict = sordino.verify(vector(name, tmp_path), key=VERDICTS[name].get("key"))
    assert (str(verdict.answer), verdict.reason) == expected(name)


@pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)")
@pytest.mark.parametrize("name", VERDICTS)
def test_the_page_says_so(name: str, tmp_path: Path, check_page: CheckPage) -> None:
    told = check_page.check(vector(name, tmp_path), VERDICTS[name].get("key", ""))
    assert (told["answer"], told["reason"]) == expected(name)
