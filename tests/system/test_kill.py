"""Killing `sordino protect` at any moment leaves no half release and no stray file; nor do Ctrl-C and a full disk."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import sordino
from sordino import sample

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

SOURCE = Path(__file__).parents[2] / "src"
WITHOUT_CHARTS = Path(__file__).parents[1] / "without_charts"  # what is drawn makes no difference here, but takes long
COMMAND = (sys.executable, "-m", "sordino", "protect", sample.path("pharmacy.csv"))
POLICY = ("--policy", sample.path("pharmacy_policy.toml"))
LIMIT = 180  # seconds for a whole run, on a busy machine
AFTERMATH = 10  # seconds for the guard to clean up


def start(out: Path, *options: object, limit: int | None = None) -> subprocess.Popen[bytes]:
    """Starts the command; `limit`: the most bytes that a file may have."""

    def restrict() -> None:
        import resource

        assert limit is not None
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [str(word) for word in (*COMMAND, *POLICY, "--out", out, "--jobs", 1, "--seed", 1, *options)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(WITHOUT_CHARTS)])},
        preexec_fn=None if limit is None else restrict,
    )


def finished(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a run that nobody disturbs."""
    process.communicate(timeout=LIMIT)
    return process.returncode


def staging(folder: Path) -> bool:
    return any(name.startswith(".") for name in os.listdir(folder))


def wait_for_staging(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """True once the command has begun to write."""
    while process.poll() is None:
        if staging(folder):
            return True
        time.sleep(0.001)
    return False


def settled(folder: Path) -> set[str]:
    """What lies in the folder when no hidden entry is left, or at the end of our patience."""
    end = time.monotonic() + AFTERMATH
    while staging(folder) and time.monotonic() < end:
        time.sleep(0.02)
    return set(os.listdir(folder))


def contents(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, float]:
    """A release that was made undisturbed; how long it took, and how long of that it was in the making on the disk."""
    folder = tmp_path_factory.mktemp("whole")
    assert finished(start(folder / "warm")) == 0  # compiles
    other = folder / "other"
    other.mkdir()
    began = time.monotonic()
    process = start(other / "out")
    assert wait_for_staging(process, other)
    staged = time.monotonic()
    while staging(other):
        time.sleep(0.001)
    placed = time.monotonic()
    assert finished(process) == 0
    return other / "out", time.monotonic() - began, placed - staged


def moments() -> Iterator[tuple[str, float]]:
    """When to kill: a share of the whole run, or of the time in which files are written."""
    chance = random.Random(20140)
    yield from (("run", chance.uniform(0, 1.1)) for _ in range(4))
    yield from (("writing", chance.uniform(0, 1.1)) for _ in range(8))


def kill_at(moment: tuple[str, float], folder: Path, whole: tuple[Path, float, float], sign: int, *more: str) -> int:
    process = start(folder / "out", *more)
    kind, share = moment
    if kind == "writing":
        if wait_for_staging(process, folder):
            time.sleep(share * whole[2])
    else:
        time.sleep(share * whole[1])
    process.send_signal(sign)
    return finished(process)


@pytest.mark.slow
def test_kill_leaves_a_whole_release_or_nothing(whole: tuple[Path, float, float], tmp_path: Path) -> None:
    expected = contents(whole[0])
    made = 0
    for number, moment in enumerate(moments()):
        folder = tmp_path / str(number)
        folder.mkdir()
        kill_at(moment, folder, whole, signal.SIGKILL)
        left = settled(folder)
        assert left <= {"out"}, (moment, left)
        if left:
            made += 1
            assert contents(folder / "out") == expected
            assert sordino.verify(folder / "out").holds
    assert made < number + 1  # some kills came in time


@pytest.mark.slow
def test_kill_while_replacing_leaves_the_old_release_or_the_new_one(
    whole: tuple[Path, float, float], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert finished(start(out, "--ids", "renumber")) == 0
    old, new = contents(out), contents(whole[0])
    assert old != new
    for share in (0.3, 0.8, 0.9, 1.0):
        kill_at(("writing", share), tmp_path, whole, signal.SIGKILL, "--force")
        assert settled(tmp_path) == {"out"}
        assert contents(out) in (old, new)
        assert sordino.verify(out).holds


@pytest.mark.slow
@pytest.mark.parametrize("moment", [("run", 0.5), ("writing", 0.3), ("writing", 0.7)])
def test_ctrl_c_exits_130(moment: tuple[str, float], whole: tuple[Path, float, float], tmp_path: Path) -> None:
    code = kill_at(moment, tmp_path, whole, signal.SIGINT)
    left = settled(tmp_path)
    if left:  # it was too late: the release is there, and the program was on its way out
        assert (code in (0, 130), left) == (True, {"out"})
        assert sordino.verify(tmp_path / "out").holds
    else:
        assert code == 130


@pytest.mark.slow
def test_ctrl_c_is_told_in_a_word(tmp_path: Path) -> None:
    process = start(tmp_path / "out")
    assert wait_for_staging(process, tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, out, err) == (130, b"", b"Interrupted.\n")
    assert settled(tmp_path) == set()


# A full disk, and targets that cannot be written


@pytest.mark.usefixtures("whole")
def test_a_file_that_grows_too_large(tmp_path: Path) -> None:
    process = start(tmp_path / "out", limit=100_000)
    out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, out) == (2, b"")
    assert b"cannot be written (File too large)" in err
    assert settled(tmp_path) == set()


@pytest.mark.usefixtures("whole")
def test_a_full_disk_keeps_the_old_release(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1200k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot mount a small disk")
    try:
        assert finished(start(disk / "out")) == 0
        before = contents(disk / "out")
        free = os.statvfs(disk)
        (disk / "ballast").write_bytes(b"x" * max(0, free.f_bavail * free.f_frsize - 200_000))
        process = start(disk / "out", "--force")
        out, err = process.communicate(timeout=LIMIT)
        assert (process.returncode, out) == (2, b"")
        assert b"No space left on device" in err
        assert settled(disk) == {"out", "ballast"}
        assert contents(disk / "out") == before
        assert sordino.verify(disk / "out").holds
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_folder_without_permission(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    tmp_path.chmod(0o500)
    process = start(tmp_path / "out")
    out, err = process.communicate(timeout=LIMIT)
    tmp_path.chmod(0o700)
    assert (process.returncode, out) == (2, b"")
    assert b"no permission" in err
