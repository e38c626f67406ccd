"""The benchmark of check.html runs, and says what both verifiers took."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from browser import browser_path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "check_page.py"


@pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)")
def test_a_small_file(tmp_path: Path) -> None:
    records = [["a", "b", "c"], ["a", "b"], ["a"], ["b", "c"], ["c", "d"], ["d"], ["a", "d"], ["b"]] * 8
    lines = "".join(" ".join(map(str, map(ord, "".join(record)))) + "\n" for record in records)
    (tmp_path / "BMS-WebView-2.dat.gz").write_bytes(gzip.compress(lines.encode()))
    command = [sys.executable, str(SCRIPT), "--files", "BMS-WebView-2", "Retail", "--markdown", str(tmp_path / "o.md")]
    done = subprocess.run(
        command, env={**os.environ, "SORDINO_DATA": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Retail.dat.gz is not in the data folder" in done.stdout
    rows = [line for line in (tmp_path / "o.md").read_text().splitlines() if line.startswith("| BMS-WebView-2")]
    assert len(rows) == 1
    assert rows[0].split("|")[3].strip() == "64"
    assert rows[0].split("|")[-2].strip() == "met (under 60 s)"
