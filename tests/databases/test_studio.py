"""A table of a PostgreSQL server opened in the studio, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser import browser_path
from server import SECRET, Server
from studio import started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
PICTURES = Path(__file__).parents[2] / "out" / "studio"


def test_a_query_of_a_server(server: Server, tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio, PICTURES / "server", height=1600) as visit:
        visit.unfold("From a database")
        visit.write("Address", server.uri())
        visit.write("or query", "SELECT customer, product FROM visits")
        visit.click("Read", "button")
        visit.until("What was read", "60")
        visit.step("What must stay quiet")
        visit.until("0 items of 10 marked as sensitive")
        visit.write("policy.toml", '[sensitive]\nitems = ["x"]\n[threshold]\nrho = "0.5"\n')
        visit.until("The policy is complete", "sordino audit", f"127.0.0.1:{server.port}")
        visit.picture("stated")
        assert SECRET not in visit.text()
        assert "S3cr" not in visit.text()
        visit.step("The risk")
        visit.click("Audit", "button")
        visit.until("SAFE")
        visit.picture("risk")
