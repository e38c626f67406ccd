"""check.html in a real browser: what it says of a release, beside what `sordino verify` says."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from browser import Tab, open_page
from sordino.errors import SordinoError
from sordino.release.check_page import page_bytes

__all__ = ["SUGGESTION", "CheckPage", "agreeing", "opened_page", "timeless"]

# Reasons that need not be the same word for word: Python's readers suggest a name that is alike.
SUGGESTION = re.compile(r" Did you mean .*$")


class CheckPage:
    """The page, opened from the disk; `check` hands it the files of a folder as somebody would who chooses them."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab
        self.checked = 0
        self.last = ""  # the answer to the last folder

    def check(self, publish: Path, key: str = "") -> dict[str, Any]:
        """The verdict on a folder: answer, reason, sentences."""
        self.start(publish, key)
        return self.result()

    def start(self, publish: Path, key: str = "") -> None:
        """Choose the files of a folder."""
        paths = [str(path.resolve()) for path in sorted(publish.iterdir()) if path.is_file()]
        self.tab.ask("window.told = undefined; tell = (r) => { shown(r); window.told = r }; 0")
        self.tab.ask(f"document.getElementById('key').value = {json.dumps(key)}")
        node = self.tab.call("Runtime.evaluate", expression="document.getElementById('files')")["result"]["objectId"]
        self.tab.call("DOM.setFileInputFiles", files=paths, objectId=node)

    def result(self) -> dict[str, Any]:
        """What it says once it has said it."""
        told = self.tab.call(
            "Runtime.evaluate",
            expression="""new Promise(async (done) => {
                while (window.told === undefined || running) await new Promise((go) => setTimeout(go, 2));
                done({ answer: told.answer, reason: told.reason, sentences: told.sentences, seconds: told.seconds,
                       shown: document.getElementById('verdict').innerText,
                       headline: document.getElementById('headline').textContent });
            })""",
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in told:
            raise RuntimeError(told["exceptionDetails"]["text"])
        self.checked += 1
        value: dict[str, Any] = told["result"]["value"]
        self.last = value["answer"]
        return value

    def compare(self, folder: Path, own: Any) -> None:
        """An AssertionError unless the page says of the folder what the verdict of sordino says."""
        publish = folder / "publish" if (folder / "publish").is_dir() else folder
        told = self.check(publish)
        if told["answer"] == "not checked" and "which this page cannot read" in told["reason"]:
            return  # some Parquet
        assert told["answer"] == own.answer, (own.reason, told["reason"])
        assert told["reason"] == SUGGESTION.sub("", own.reason)
        assert timeless(told["sentences"]) == [SUGGESTION.sub("", one) for one in timeless(own.sentences())]


def timeless(sentences: Any) -> list[str]:
    """The sentences without the time; and without what is said of Parquet, of which the page cannot write each byte."""
    kept = [one for one in sentences if "each of its bytes" not in one]
    return [re.sub(r"It took [\d.]+ s\.", "", sentence) for sentence in kept]


@contextlib.contextmanager
def opened_page(folder: Path, **size: int) -> Iterator[CheckPage]:
    """The page of this version, from a file in `folder`."""
    path = folder / "check.html"
    path.write_bytes(page_bytes())
    with open_page(path, **size) as tab:
        tab.ask("var shown = tell; 0")
        yield CheckPage(tab)


def agreeing(verify: Callable[..., Any], page: CheckPage) -> Callable[..., Any]:
    """`sordino.verify`, which also asks the page about every folder, without what is stated, and compares."""

    def asked(data: Any, *stated: Any, **named: Any) -> Any:
        if isinstance(data, str | os.PathLike) and Path(data).is_dir() and all(map(seen, Path(data).rglob("*"))):
            with contextlib.suppress(SordinoError):  # no release, and no verdict
                page.compare(Path(data), verify(data))
        return verify(data, *stated, **named)

    return asked


def seen(path: Path) -> bool:
    """Whether a browser sees a file as it is: it follows links, and cannot tell them."""
    return not path.is_symlink() and (path.is_file() or path.is_dir())
