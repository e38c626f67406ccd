"""Data sets: found where they lie, fetched and checked where they do not; offline is a clear message."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from sordino.errors import InputError
from sordino.experiments import datasets
from sordino.experiments.datasets import DATASETS, Dataset, check, fetch, find, named

pytest.importorskip("pooch")

SOURCE = b"3 1 2 \r\n\n7\n5 5 4\n"
TEXT = b"1 2 3\n7\n4 5\n"


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SORDINO_DATA", raising=False)


@pytest.fixture
def dataset() -> Dataset:
    return replace(DATASETS["Retail"], sha256=hashlib.sha256(TEXT).hexdigest(), url="http://127.0.0.1:9/none")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A web server of our own with one file; yields its address."""
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "retail.dat").write_bytes(SOURCE)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}/retail.dat"
        serving.shutdown()


def test_it_is_fetched_converted_checked_and_kept(dataset: Dataset, server: str) -> None:
    path = fetch(dataset, url=server)
    assert gzip.decompress(path.read_bytes()) == TEXT
    assert find(dataset) == path
    assert fetch(dataset) == path, "the second time it needs no network"


def test_other_content_is_refused_and_not_kept(dataset: Dataset, server: str) -> None:
    with pytest.raises(InputError, match="its checksum is another"):
        fetch(replace(dataset, sha256="00"), url=server)
    assert find(dataset) is None


def test_offline_says_so_and_what_to_do(dataset: Dataset) -> None:
    with pytest.raises(InputError, match=r"could not be downloaded.*offline") as caught:
        fetch(dataset)
    assert "SORDINO_DATA" in str(caught.value)


def test_what_cannot_be_fetched_says_so() -> None:
    with pytest.raises(InputError, match="cannot be downloaded"):
        fetch(named("bms-pos part (275k)"))


def test_the_folder_of_the_user_comes_first(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(tmp_path))
    mine = tmp_path / dataset.file
    mine.write_bytes(gzip.compress(TEXT))
    assert fetch(dataset) == mine
    mine.write_bytes(gzip.compress(TEXT + b"9\n"))
    with pytest.raises(InputError, match="its checksum is another"):
        fetch(dataset)
    mine.write_bytes(b"no gzip")
    with pytest.raises(InputError, match="not a whole gzip file"):
        fetch(dataset)


def test_an_unknown_name_is_answered_with_a_known_one() -> None:
    with pytest.raises(InputError, match="Did you mean 'Retail'"):
        named("Retial")


@pytest.mark.parametrize("name", DATASETS)
def test_the_real_files_are_those(name: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORDINO_DATA", str(data_folder))
    path = find(DATASETS[name])
    if path is None:
        pytest.skip("this file is not in the folder")
    check(DATASETS[name], path)
    text = gzip.decompress(path.read_bytes())
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    assert lines - (DATASETS[name].form != "baskets") == DATASETS[name].records
    assert datasets.data_folders()[0] == data_folder


@pytest.mark.parametrize("name", ["BMS-WebView-1", "Adult test", "CRX"])
def test_converting_gives_the_form_that_we_use(name: str, data_folder: Path) -> None:
    """From a source as it is published, rebuilt here: other line ends, a comment, blank lines."""
    dataset = DATASETS[name]
    path = data_folder / dataset.file
    if not path.is_file():
        pytest.skip("this file is not in the folder")
    text = gzip.decompress(path.read_bytes())
    lines = text.splitlines(keepends=True)
    source = {
        "baskets": b"".join(b" ".join(reversed(line.split())) + b" \r\n" for line in lines),
        "table": (b"|1x3 Cross validator\n" if "Adult" in name else b"") + b"".join(lines[1:]) + b"\n",
    }[dataset.form]
    assert dataset.convert(source) == text
