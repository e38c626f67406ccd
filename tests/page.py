"""check.html in a real browser: what it says of a release."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import Tab, open_page
from sordino.release.check_page import page_bytes

__all__ = ["CheckPage", "opened_page"]


class CheckPage:
    """The page, opened from the disk; `check` hands it the files of a folder as somebody would who chooses them."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab

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
        value: dict[str, Any] = told["result"]["value"]
        return value


@contextlib.contextmanager
def opened_page(folder: Path, **size: int) -> Iterator[CheckPage]:
    """The page of this version, from a file in `folder`."""
    path = folder / "check.html"
    path.write_bytes(page_bytes())
    with open_page(path, **size) as tab:
        tab.ask("var shown = tell; 0")
        yield CheckPage(tab)
