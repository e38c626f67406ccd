"""Places that cannot be written to: one message that says which and why, exit 2, no bug of ours, no stray file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cli.shell import Run
from sordino.cli import streams
from sordino.cli.streams import write_whole
from sordino.compare.store import write_atomically
from sordino.errors import InputError
from sordino.sample import path

PATIENTS = (path("patients.csv"), "--sensitive", "diagnosis", "--quasi", "sex,region")
SHOP, POLICY, TO = "the shop", "the policy", "the target"

# Every option and argument that names something to write.
WRITERS: dict[str, tuple[object, ...]] = {
    "audit --json": ("audit", SHOP, "--policy", POLICY, "--json", TO),
    "audit --proof": ("audit", SHOP, "--sensitive", "y", "--rho", "0.5", "--proof", TO),
    "report --out": ("report", SHOP, "--policy", POLICY, "--out", TO),
    "measure --json": ("measure", SHOP, SHOP, "--json", TO),
    "rules --out": ("rules", *PATIENTS, "--out", f"{TO}.csv"),
    "rules --json": ("rules", *PATIENTS, "--json", TO),
    "hierarchy build --out": ("hierarchy", "build", SHOP, "--out", TO),
    "hierarchy show --out": ("hierarchy", "show", path("pharmacy_hierarchy.csv"), "--out", TO),
    "compare --out": ("compare", SHOP, "--policy", POLICY, "--methods", "mine", "--out", TO),
    "protect --out": ("protect", SHOP, "--policy", POLICY, "--out", TO),
    "sample DIR": ("sample", TO),
    "demo --out": ("demo", "--out", TO),
    "experiment run --out": ("experiment", "run", "jia-table1", "--quick", "--out", TO),
}


def words_of(writer: str, shop: Path, policy: Path, target: Path) -> list[object]:
    stand_for = {SHOP: shop, POLICY: policy, TO: target, f"{TO}.csv": f"{target}.csv"}
    return [stand_for.get(word, word) if isinstance(word, str) else word for word in WRITERS[writer]]


def refused(run: Run, words: Sequence[object], place: str) -> None:
    done = run(*words)
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("Error: ")
    assert place in done.err
    assert any(why in done.err for why in ("too long", "cannot be", "permi", "written into", "cannot write")), done.err
    assert "bug" not in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("writer", WRITERS)
def test_a_name_that_is_too_long(run: Run, shop: Path, policy: Path, tmp_path: Path, writer: str) -> None:
    before = set(tmp_path.iterdir())
    refused(run, words_of(writer, shop, policy, tmp_path / ("x" * 300)), "x" * 100)
    assert set(tmp_path.iterdir()) == before


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a place where nobody may write")
@pytest.mark.parametrize("writer", WRITERS)
def test_a_place_where_nobody_may_write(run: Run, shop: Path, policy: Path, writer: str) -> None:
    """As a read-only disk: what is not there cannot be made, nor even be removed."""
    refused(run, words_of(writer, shop, policy, Path("/proc/sordino-was-here")), "/proc/sordino-was-here")


@pytest.mark.parametrize("command", ["audit", "report", "measure", "verify", "protect"])
def test_an_input_whose_name_is_too_long(run: Run, policy: Path, tmp_path: Path, command: str) -> None:
    data: tuple[object, ...] = (tmp_path / ("x" * 300),)
    out = ("--out", tmp_path / "out") if command in ("report", "protect") else ()
    refused(run, (command, *data, *(data if command == "measure" else ()), "--policy", policy, *out), "x" * 100)


@pytest.mark.parametrize("write", [write_whole, write_atomically])
def test_the_longest_names_can_be_written(write: Callable[[Path, bytes], None], tmp_path: Path) -> None:
    """A name as long as the system allows leaves no room for more letters in that of the unfinished file."""
    write(tmp_path / ("x" * 255), b"whole")
    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == [b"whole"]


def test_what_cannot_even_be_removed_is_told_as_what_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    for name in ("write_bytes", "unlink"):
        monkeypatch.setattr(streams.Path, name, refuse)
    for write in (write_whole, write_atomically):
        with pytest.raises(InputError, match="Read-only file system"):
            write(tmp_path / "out.json", b"")
