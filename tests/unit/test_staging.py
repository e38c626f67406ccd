"""Staging: who may read what, what stays behind when everything dies, and that every failure leaves old or new."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sordino
from sordino.errors import InputError
from sordino.release import staging

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and signals of POSIX")

BASKETS = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "y"}, {"b"}, {"b", "c"}]
ROWS = [{"job": f"j{k % 3}", "age": str(k % 4), "state": "xyz"[k % 3]} for k in range(24)]
INFERENCE = sordino.InferencePolicy(["x", "y"], "0.5")
TEMPLATES = sordino.TemplatePolicy([sordino.Template(["job"], "state", "x", "0.5")])
DIVERSITY = sordino.DiversityPolicy("state", ["age"], 2, mined=False)
RELEASES: dict[str, tuple[object, Any, dict[str, Any]]] = {
    "baskets": (BASKETS, INFERENCE, {}),
    "generalized": (BASKETS, INFERENCE, {"method": "lgps", "hierarchy": {"ALL": ["a", "b", "c"]}}),
    "permuted": (BASKETS, INFERENCE, {"method": "cahd"}),
    "personal": (BASKETS, sordino.InferencePolicy([], "0.5", per_record={0: ["x"]}), {}),
    "table": (ROWS, TEMPLATES, {}),
    "groups": (ROWS, DIVERSITY, {"method": "anatomy"}),
}


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o027], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize("kind", RELEASES)
def test_what_is_kept_is_the_owners_alone(kind: str, umask: int, tmp_path: Path) -> None:
    data, policy, options = RELEASES[kind]
    out = sordino.protect(data, policy, **options).write(tmp_path / "out")
    assert mode(out / "keep") == 0o700
    kept = list((out / "keep").iterdir())
    assert len(kept) >= 4
    assert {mode(path) for path in kept} == {0o600}
    assert {mode(folder) for folder in (out, out / "publish")} == {0o777 & ~umask}
    assert {mode(path) for path in (out / "publish").iterdir()} == {0o666 & ~umask}


@posix
def test_what_is_in_the_making_is_the_owners_alone(umask: int, tmp_path: Path) -> None:
    del umask
    with staging.staged(tmp_path / "out") as stage:
        stage.write("publish/data.csv", b"")
        (hidden,) = tmp_path.iterdir()
        assert mode(hidden) == 0o700


# What dies


SLEEPER = """
import os, sys, time
from pathlib import Path
os.umask(0)
from sordino.release.staging import staged
with staged(Path(sys.argv[1])) as stage:
    stage.write("keep/changes.parquet", b"secret")
    stage.write("publish/data.csv", b"in the making")
    print("ready", flush=True)
    time.sleep(600)
"""


def sleeper(target: Path) -> subprocess.Popen[str]:
    """A process in the middle of writing a release."""
    source = str(Path(staging.__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPER, str(target)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def killed(process: subprocess.Popen[str], *, guard: bool) -> None:
    """kill -9, and of the guard first, so that nobody can clean up."""
    if guard:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) == 1
        os.kill(int(children[0]), signal.SIGKILL)
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@posix
def test_the_guard_cleans_up_after_kill_9(tmp_path: Path) -> None:
    killed(sleeper(tmp_path / "out"), guard=False)
    end = time.monotonic() + 60
    while list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.02)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find the guard")
def test_what_is_left_when_the_guard_is_killed_too_is_private_and_goes_with_the_next_run(tmp_path: Path) -> None:
    killed(sleeper(tmp_path / "one"), guard=True)
    (left,) = tmp_path.iterdir()
    assert mode(left) == 0o700
    assert mode(left / "new" / "keep") == 0o700
    assert mode(left / "new" / "keep" / "changes.parquet") == 0o600
    living = sleeper(tmp_path / "living")
    try:
        sordino.protect(BASKETS, INFERENCE).write(tmp_path / "out")  # any run beside it, at once
        names = sorted(path.name for path in tmp_path.iterdir())
        assert len(names) == 2
        assert names[0].startswith(".living.sordino-")
        assert names[1] == "out"
        assert (tmp_path / names[0] / "new" / "keep" / "changes.parquet").read_bytes() == b"secret"
    finally:
        killed(living, guard=False)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find the guard")
def test_an_old_release_that_was_moved_away_comes_back(tmp_path: Path) -> None:
    """As where names cannot be exchanged, and everything died between the two renames."""
    out = sordino.protect(BASKETS, INFERENCE).write(tmp_path / "out")
    process = sleeper(out)
    (stage,) = (path for path in tmp_path.iterdir() if path.name.startswith("."))
    out.rename(stage / "old")
    killed(process, guard=True)
    staging.remove_stale(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert sordino.verify(out).holds


@posix
def test_folders_of_others_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".out.sordino-0123456789ab").mkdir()
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    staging.remove_stale(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.undo()
    staging.remove_stale(tmp_path)
    assert list(tmp_path.iterdir()) == []


@posix
def test_whoever_clears_away_in_the_wrong_moment_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between making the folder and locking it, another run takes it for a dead one's: then a new one is made."""
    usual, taken = staging._lock, []

    def late(stage: Path) -> int | None:
        if len(taken) < 3:
            taken.append(stage)
            monkeypatch.setattr(staging, "_lock", usual)
            staging.remove_stale(tmp_path)
            monkeypatch.setattr(staging, "_lock", late)
            assert not stage.exists()
        return usual(stage)

    monkeypatch.setattr(staging, "_lock", late)
    with staging.staged(tmp_path / "out") as stage:
        stage.write("publish/data.csv", b"x")
        stage.place(force=False)
    assert len(taken) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# What fails


OLD, NEW = (b'{"sordino": "%s", "files": {}}' % which for which in (b"old", b"new"))


def write(target: Path, content: bytes) -> None:
    with staging.staged(target) as stage:
        stage.write("publish/manifest.json", content)
        stage.write("keep/changes.parquet", content)
        stage.place(force=True)


CALLS = ("open", "fsync", "rename", "chmod", "mkdir", "unlink", "rmdir", "scandir")


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("there", [True, False])
def test_every_single_failure_leaves_the_old_folder_or_the_new_one(
    exchange: bool, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call of the system after the other fails, as on a full or broken disk."""
    usual = {name: getattr(os, name) for name in CALLS}
    failed = 0
    for moment in range(1000):
        folder = tmp_path / str(moment)
        folder.mkdir()
        out = folder / "out"
        if there:
            write(out, OLD)
        count = 0

        def stumbling(name: str, moment: int = moment) -> Any:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal count
                count += 1
                if count == moment + 1:
                    raise OSError(28, "No space left on device")
                return usual[name](*arguments, **options)

            return call

        with monkeypatch.context() as patch:
            if not exchange:
                patch.setattr(staging, "exchange", lambda *_: False)
            for name in CALLS:
                patch.setattr(os, name, stumbling(name))
            try:
                write(out, NEW)
                said = NEW
            except InputError:
                said = OLD if there else b""
                failed += 1
        assert {path.name for path in folder.iterdir()} == ({"out"} if said else set()), moment
        if said:
            found = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
            assert found == {"publish/manifest.json": said, "keep/changes.parquet": said}, moment
        if count <= moment:
            break
    assert failed >= 8, failed
    assert said == NEW


def test_names_of_any_length(tmp_path: Path) -> None:
    release = sordino.protect(BASKETS, INFERENCE)
    longest = "ä" * 127  # 254 bytes
    assert sordino.verify(release.write(tmp_path / longest)).holds
    release.write(tmp_path / longest, force=True)
    assert [path.name for path in tmp_path.iterdir()] == [longest]
    for name in ("x" * 256, "x" * 256 + "/out", "a\0b"):
        with pytest.raises(InputError, match=r"cannot be written there|no such folder"):
            release.write(f"{tmp_path}/{name}")


def test_a_disk_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = sordino.protect(BASKETS, INFERENCE)

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", refused)
    with pytest.raises(InputError, match=r"cannot be written \(Read-only file system\); nothing was changed"):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "content"),
    [("publish/manifest.json", "{}"), ("keep/thesis.txt", "years of work"), ("publish/notes.txt", "mine")],
)
def test_what_is_not_ours_is_not_replaced(file: str, content: str, tmp_path: Path) -> None:
    release = sordino.protect(BASKETS, INFERENCE)
    out = release.write(tmp_path / "out")
    release.write(out, force=True)
    (out / file).write_text(content)
    with pytest.raises(InputError, match="not a release, or holds more"):
        release.write(out, force=True)
    assert (out / file).read_text() == content
