"""The server that tests of databases share, and a shop in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from server import Server, programs, running_server


def _server() -> Iterator[Server]:
    if programs() is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have a PostgreSQL server (apt-get install postgresql)")
        pytest.skip("no PostgreSQL server (apt-get install postgresql)")
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def shared_server() -> Iterator[Server]:
    yield from _server()


@pytest.fixture(scope="module")
def mortal_server() -> Iterator[Server]:
    """A server that may be killed."""
    yield from _server()


SHOP = (
    "CREATE TABLE visits (customer text, product text)",
    "INSERT INTO visits SELECT 'p' || n % 60, chr(97 + (n * 7 + n / 60) % 9) FROM generate_series(1, 300) n",
    "INSERT INTO visits SELECT 'p' || n, 'x' FROM generate_series(0, 20) n",
)


@pytest.fixture
def server(shared_server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server with nothing in it but a shop: 60 customers with 5 products each, of whom 21 have x."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    shared_server.sql("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", *SHOP)
    return shared_server
