"""Several processes compile the kernels of one run: each kernel once, and nothing but time depends on the helpers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from sordino.engine.kernels.compiled import kernel, when_compiling
from sordino.engine.kernels.sharing import Claims, HelpersInner, HelpersKernel, Taken, claims, share
from sordino.warming.helped import helped
from sordino.warming.helper import LONGEST
from sordino.warming.tasks import made_up

SAMPLE = Path(__file__).parents[2] / "src" / "sordino" / "sample" / "files"
off = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def of(folder: Path, me: str = "", *, alive: bool = True, only: frozenset[str] = frozenset()) -> Claims:
    return Claims(folder, me, lambda _: alive, only)


def test_a_kernel_is_claimed_once(tmp_path: Path) -> None:
    assert [of(tmp_path, me).claim("k") for me in ("1", "", "2")] == [True, False, False]
    assert (tmp_path / "k").read_text() == "1"


def test_who_waits_goes_on_when_it_is_done_or_the_helper_is_gone(tmp_path: Path) -> None:
    of(tmp_path, "1").claim("k")
    of(tmp_path, alive=False).wait("k")  # returns
    of(tmp_path).wait("of this nobody knows")  # so does this
    waiting = threading.Thread(target=of(tmp_path).wait, args=("k",), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    of(tmp_path, "1").done("k")
    waiting.join(5)
    assert not waiting.is_alive()


def _fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))

    @kernel
    def plus_one(values):  # type: ignore[no-untyped-def]
        return values[0] + 1

    return plus_one


@off
def test_the_run_waits_for_a_helper_and_compiles_what_it_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plus_one, told = _fresh(monkeypatch, tmp_path), []
    when_compiling(lambda: told.append(1))
    with monkeypatch.context() as patch:
        patch.setattr(Claims, "claim", lambda *_: False)  # a helper has it, and is gone
        share(of(tmp_path, alive=False))
        try:
            assert plus_one(np.array([4])) == 5
        finally:
            share(None)
    assert told == [1]
    assert claims() is None


KEPT = """
import sys
import numpy
from sordino.engine.kernels.compiled import kernel

@kernel
def plus_one(values):
    return values[0] + 1

assert plus_one(numpy.array([4])) == 5
print("numba.typed.typeddict" in sys.modules, sum(plus_one.stats.cache_hits.values()))
@kernel
def plus_two(values):
    return len(values) + values.sum() + int(numpy.zeros(2, numpy.int64)[0])

assert plus_two(numpy.array([4, 5])) == 11
"""


@off
def test_what_is_kept_is_loaded_without_all_that_compiling_needs(tmp_path: Path) -> None:
    """And what is not kept is compiled after it all the same."""
    (tmp_path / "one.py").write_text(KEPT)
    said = []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "one.py"],
            cwd=tmp_path,
            env=os.environ
            | {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "NUMBA_DISABLE_JIT": "0"}
            | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout.split())
        for kept in (tmp_path / "kept").rglob("*plus_two*"):
            kept.unlink()
    assert said == [["True", "0"], ["False", "1"]]


@off
def test_a_helper_does_in_plain_python_what_others_compile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plus_one = _fresh(monkeypatch, tmp_path)
    plus_one.__class__ = HelpersKernel
    try:
        share(of(tmp_path, "1", only=frozenset({"another"})))
        assert plus_one(np.array([4])) == 5
        assert not plus_one.signatures
        share(of(tmp_path, "1"))
        assert plus_one(np.array([4])) == 5
        assert len(plus_one.signatures) == 1
    finally:
        share(None)
    plus_one.__class__ = HelpersInner
    assert plus_one([4]) == 5  # a list, which no kernel takes
    assert not issubclass(Taken, Exception)


def test_names_of_kernels_that_a_helper_begins_with_are_names_of_kernels() -> None:
    from sordino.audit.kernels import search

    assert all(hasattr(search, name) for name in LONGEST)


def test_there_is_something_made_up_for_every_kind() -> None:
    from sordino.kinds import KINDS

    assert all(made_up(kind) is not None for kind in KINDS)
    assert made_up("no such kind") is None


@pytest.mark.parametrize("why", ["SORDINO_HELPERS", "NUMBA_DISABLE_JIT", "kind", "jobs"])
def test_without_helpers(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_HELPERS", "0" if why == "SORDINO_HELPERS" else "1")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1" if why == "NUMBA_DISABLE_JIT" else "0")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    with helped("audit", "no such kind" if why == "kind" else "inference", None, jobs=1 if why == "jobs" else None):
        assert claims() is None


def test_a_helper_ends_with_the_run(tmp_path: Path) -> None:
    asked = '{"verb": "audit", "kind": "inference", "policy": {}, "method": null}'
    helper = subprocess.Popen(
        [sys.executable, "-m", "sordino.warming.helper", str(tmp_path), "1", asked],
        stdin=subprocess.PIPE,
        env=os.environ | {"SORDINO_HELPER": "1", "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "NUMBA_DISABLE_JIT": "0"},
    )
    time.sleep(0.5)
    assert helper.poll() is None
    assert helper.stdin is not None
    helper.stdin.close()
    assert helper.wait(10) == 0
    assert not list(tmp_path.rglob("*.done"))


@pytest.mark.slow
@pytest.mark.parametrize("broken", [False, True])
def test_a_first_audit_says_the_same_with_helpers_and_leaves_nothing(tmp_path: Path, *, broken: bool) -> None:
    said, folder = [], tmp_path / "temporary"
    folder.mkdir()
    if broken:
        (tmp_path / "sitecustomize.py").write_text("import os\nif os.environ.get('SORDINO_HELPER'): os._exit(3)\n")
    for helpers in ("1", "0"):
        run = subprocess.run(
            [sys.executable, "-m", "sordino", "audit", "pharmacy.csv", "--policy", "pharmacy_policy.toml"],
            cwd=SAMPLE,
            env={k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
            | {"SORDINO_HELPERS": helpers, "XDG_CACHE_HOME": str(tmp_path / helpers), "TMPDIR": str(folder)}
            | {"NUMBA_DISABLE_JIT": "0", "NUMBA_OPT": "0"}
            | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert run.returncode == 1, run.stderr
        said.append(re.sub(r"It took .* s\.", "", run.stdout))
        assert list(folder.iterdir()) == []
    assert said[0] == said[1]
    marks = list((tmp_path / "1").rglob("done-*"))
    assert len(marks) == 1
