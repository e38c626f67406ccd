"""The benchmark of databases runs, and says how long both ways took."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cli.shell import environment
from server import Server

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "databases.py"


def test_a_few_rows(server: Server) -> None:
    command = [sys.executable, str(SCRIPT), "--server", server.uri(), "--rows", "1000"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.match(r"1,000 rows: into the database \d+\.\d s .*, out of it \d+\.\d s", done.stdout)
    assert server.sql("SELECT count(*) FROM sordino_benchmark") == [(1000,)]
