"""Compiled kernels are kept in a folder of their very version, the user's own; what cannot be kept still runs."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sordino.engine.kernels import cache
from sordino.engine.kernels.cache import cache_folder, kept_in


@pytest.fixture(autouse=True)
def _a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache_folder.cache_clear()
    monkeypatch.setattr(cache.atexit, "register", lambda *_, **__: None)


@pytest.fixture(autouse=True, scope="module")
def _as_it_was() -> None:
    yield  # type: ignore[misc]
    cache_folder.cache_clear()


def test_the_folder_is_the_users_own(tmp_path: Path) -> None:
    folder = cache_folder()
    assert folder.parent == tmp_path / "sordino"
    assert folder.stat().st_mode & 0o077 == 0


def test_a_change_in_any_kernel_file_is_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache_folder().name
    room = tmp_path / "copy"
    shutil.copytree(cache.ROOM / "audit" / "kernels", room / "audit" / "kernels")
    monkeypatch.setattr(cache, "ROOM", room)
    cache_folder.cache_clear()
    copied = cache_folder().name
    path = room / "audit" / "kernels" / "alibis.py"
    path.write_text(path.read_text() + "\n# changed\n")
    cache_folder.cache_clear()
    assert len({before, copied, cache_folder().name}) == 3


def test_kernels_that_nobody_has_used_for_long_are_removed(tmp_path: Path) -> None:
    old, young = (tmp_path / "sordino" / f"kernels-{name}" for name in ("old", "young"))
    for folder in (old, young):
        folder.mkdir(parents=True)
    os.utime(old, (0, time.time() - cache.UNUSED - 60))
    cache_folder()
    assert (old.exists(), young.exists()) == (False, True)


def test_a_folder_that_others_can_write_to_is_not_believed(caplog: pytest.LogCaptureFixture) -> None:
    """What lies in the folder is run: a private one serves instead, and one line says so."""
    cache_folder().chmod(0o777)
    cache_folder.cache_clear()
    with caplog.at_level(logging.WARNING, logger="sordino"):
        private = cache_folder()
    try:
        assert "sordino-kernels-" in private.name
        assert private.stat().st_mode & 0o077 == 0
        assert len(caplog.records) == 1
        assert "NUMBA_CACHE_DIR" in caplog.text
    finally:
        shutil.rmtree(private)


def test_other_peoples_functions_are_kept_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", "")
    with kept_in():
        assert str(cache_folder()) == config.CACHE_DIR
    assert config.CACHE_DIR == ""
    monkeypatch.setattr(config, "CACHE_DIR", "/stated")
    with kept_in():
        assert config.CACHE_DIR == "/stated"


def test_a_home_that_cannot_be_written_to(tmp_path: Path) -> None:
    """A file stands where the folder should be: the audit runs all the same, with one line on stderr."""
    (tmp_path / "home").write_text("")
    code = (
        "import sordino; print(sordino.audit([['a', 'b'], ['a', 'b']], sordino.InferencePolicy(['a'], '0.5')).answer)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"XDG_CACHE_HOME": str(tmp_path / "home"), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert run.stdout.strip() == "fails"
    assert run.stderr.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in run.stderr
