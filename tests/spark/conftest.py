"""The cluster and the session that tests of Spark share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from spark_cluster import Cluster, missing, new_session, running_cluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers, started when they are first asked for."""
    lacking = missing()
    if lacking is not None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have Spark: {lacking}")
        pytest.skip(lacking)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    with running_cluster(shared) as running:
        yield running


@pytest.fixture(scope="session")
def spark(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session on the cluster, with an executor of one core on each worker."""
    session = new_session(cluster.master, tmp_path_factory.mktemp("session"))
    yield session
    session.stop()


def pytest_itemcollected(item: pytest.Item) -> None:
    """What needs the cluster is slow: it takes half a minute to start."""
    if "spark" in getattr(item, "fixturenames", ()) or "cluster" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")
