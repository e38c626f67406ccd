"""What all tests share: reproducible examples, and where the real files lie."""

from __future__ import annotations

import functools
import os
import signal
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from browser import browser_path
from page import CheckPage, agreeing, opened_page

# A shell starts background jobs with Ctrl-C ignored, and so would everything the tests start: they test Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Commands that tests run compile for themselves: helpers (sordino/warming) are for who waits for the first run.
os.environ.setdefault("SORDINO_HELPERS", "0")

# The same examples in every run, so that CI never fails by luck; HYPOTHESIS_PROFILE=explore looks for new ones.
# A hundred, unless a test says otherwise; SORDINO_EXAMPLES scales both.
HUNDRED = max(5, round(100 * float(os.environ.get("SORDINO_EXAMPLES", "1"))))
settings.register_profile("ci", derandomize=True, deadline=None, database=None, max_examples=HUNDRED)
settings.register_profile("explore", deadline=None, database=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@functools.cache
def _sketch(chart: Any, name: str) -> str | None:
    """A picture that differs wherever a drawing would: the verifier lets no words through, so it is a number."""
    if chart.kind != "lines" and not chart.labels:
        return None
    return f'<svg role="img"><text id="{name}-t">{zlib.crc32(repr(chart).encode())}</text></svg>'


@pytest.fixture(autouse=True)
def _charts_are_sketched(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hundreds of tests write releases, and drawing is nearly all the work of that: tests of drawing ask for it."""
    if request.node.get_closest_marker("charts") is not None:
        yield
        return
    from sordino.report import page

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "draw", _sketch)
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_waits_for_the_disk() -> Iterator[None]:
    """No test cuts the power: that files reach the disk before a release is placed would only take time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the real files: $SORDINO_DATA, or shared/data beside the repository."""
    folder = Path(os.environ.get("SORDINO_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("no folder of real files (set SORDINO_DATA)")
    return folder


# Of every folder that these verify, honest or forged, check.html has to say the same in a real browser.
BOTH_VERIFIERS = ("test_forged_releases", "test_undeclared_content", "test_forgeries")


@pytest.fixture(scope="session")
def check_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckPage]:
    """The page that checks releases, in a browser."""
    if browser_path() is None:
        pytest.skip("no Chromium (apt-get install chromium)")
    with opened_page(tmp_path_factory.mktemp("page")) as page:
        yield page


@pytest.fixture(autouse=True)
def _the_page_agrees(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.module.__name__.rpartition(".")[2] in BOTH_VERIFIERS and browser_path() is not None:
        import sordino

        monkeypatch.setattr(sordino, "verify", agreeing(sordino.verify, request.getfixturevalue("check_page")))
