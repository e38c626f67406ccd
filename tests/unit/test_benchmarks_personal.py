"""The benchmark of personal choices runs, and draws what the paper describes."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "personal.py"


def test_a_quick_run(tmp_path: Path) -> None:
    records = [["a", "b", "c"], ["a", "b"], ["a"], ["b", "c"], ["c", "d"], ["d"], ["a", "d"], ["b"]] * 8
    text = "".join(",".join(record) + "\n" for record in records)
    (tmp_path / "groceries.csv.gz").write_bytes(gzip.compress(text.encode()))
    done = subprocess.run(
        [
            sys.executable,
            str(SCRIPT),
            "--quick",
            "--only",
            "whole",
            "--draws",
            "1",
            "--markdown",
            str(tmp_path / "o.md"),
        ],
        env={**os.environ, "SORDINO_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    head, _, *rows = (tmp_path / "o.md").read_text().splitlines()
    assert [row.split("|")[3].strip() for row in rows] == ["personalized", "personalized+", "personalized"]
    assert head.count("|") == 16
    assert "UNSAFE" not in done.stdout
