"""The first work of a sort goes alone on its machine; nobody waits afterwards."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from sordino.engine.spark import node


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(node, "cache_folder", lambda: tmp_path)
    return tmp_path


def most_at_once(number: int) -> int:
    """How many of so many works were under way together at the most."""
    under_way: list[int] = []
    most = [0]

    def work() -> None:
        with node.first_alone("compiling"):
            under_way.append(1)
            most[0] = max(most[0], len(under_way))
            time.sleep(0.1)
            under_way.pop()

    threads = [threading.Thread(target=work) for _ in range(number)]
    for thread in threads:
        thread.start()
    if number > 1:
        time.sleep(0.05)
        first = most[0]
    for thread in threads:
        thread.join()
    return first if number > 1 else most[0]


def test_the_first_goes_alone_and_then_all_together(folder: Path) -> None:
    assert most_at_once(3) == 1
    assert (folder / "spark-compiling.done").exists()
    assert most_at_once(3) == 3


def test_who_fails_gives_way(folder: Path) -> None:
    with pytest.raises(RuntimeError), node.first_alone("compiling"):
        raise RuntimeError("killed")
    assert not (folder / "spark-compiling.done").exists()
    assert most_at_once(1) == 1
    assert (folder / "spark-compiling.done").exists()
