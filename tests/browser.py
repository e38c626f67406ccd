"""A real browser, driven over a pipe: what a page logs, asks the network for, looks like, and does with keys.

Chromium's DevTools protocol needs no library when it is spoken over two pipes (--remote-debugging-pipe).
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Tab", "browser_path", "open_address", "open_page"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
PATIENCE = 60  # seconds: a busy machine starts a browser slowly


def browser_path() -> str | None:
    """$SORDINO_BROWSER, or a Chromium on the path."""
    stated = os.environ.get("SORDINO_BROWSER")
    return stated or next((found for name in NAMES if (found := shutil.which(name))), None)


class Tab:
    """One page in the browser, and everything that happened in it."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command, and its answer; what happens meanwhile is noted."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)
        raise TimeoutError(method)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._read, 1 << 16)
            if not part:
                raise RuntimeError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        content: dict[str, Any] = json.loads(message)
        return content

    def go(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press a key and let it go."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def drop(self, x: float, y: float, *paths: Path) -> None:
        """Drag files into the page from outside, to this place, and let them go, as a mouse does."""
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def pdf(self) -> bytes:
        """The page as it would be printed."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def picture(self) -> bytes:
        """The page as it looks, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def paper(self) -> None:
        """Show the page as on paper."""
        self.call("Emulation.setEmulatedMedia", media="print")

    def complaints(self) -> list[str]:
        """Errors and warnings that the page caused."""
        wrong = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                wrong.append(parameters["entry"]["text"])
            elif event.get("method") == "Runtime.exceptionThrown":
                wrong.append(parameters["exceptionDetails"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled":
                wrong.append(f"console.{parameters['type']}")
        return wrong

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]


def open_page(path: Path, *, width: int = 1200, height: int = 900) -> AbstractContextManager[Tab]:
    """A file in a new browser, which is gone afterwards."""
    return open_address(path.resolve().as_uri(), width=width, height=height)


@contextmanager
def open_address(address: str, *, width: int = 1200, height: int = 900) -> Iterator[Tab]:
    """A page in a new browser, which is gone afterwards."""
    browser = browser_path()
    assert browser is not None
    to_read, to_answer = os.pipe()
    from_browser, to_us = os.pipe()
    with tempfile.TemporaryDirectory(prefix="sordino-browser-", ignore_cleanup_errors=True) as profile:
        # The browser reads commands from 3 and answers on 4.
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        shell = f'exec "$@" 3<&{to_read} 4>&{to_us}'
        process = subprocess.Popen(
            ["bash", "-c", shell, "browser", *command],
            pass_fds=(to_read, to_us),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_us)
        try:
            tab = Tab(from_browser, to_answer)
            tab.go(address)
            yield tab
        finally:
            process.kill()
            process.wait()
            os.close(from_browser)
            os.close(to_answer)
