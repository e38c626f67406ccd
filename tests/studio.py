"""The studio in a real browser: started as a process, and used as somebody would who reads and clicks."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import Tab, open_address

__all__ = ["Studio", "Visit", "started", "visited"]

PATIENCE = 200  # seconds: a busy machine compiles slowly


class Studio:
    """A studio that runs: its process, and the address that it printed."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address
        self.port = int(re.search(r":(\d+)/", address).group(1))  # type: ignore[union-attr]
        self.token = address.partition("token=")[2]


@contextlib.contextmanager
def started(folder: Path, *words: str, **settings: str) -> Iterator[Studio]:
    """A studio in this folder, with these variables of the environment; ended by Ctrl-C, or else by force."""
    command = [sys.executable, "-m", "sordino", "studio", "--no-browser", *words]
    log = folder / "studio.log"
    with (
        log.open("w") as told,
        subprocess.Popen(
            command,
            cwd=folder,
            text=True,
            stdout=subprocess.PIPE,
            stderr=told,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **settings},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if "token=" in line:
                    yield Studio(process, line.strip())
                    break
            else:
                raise AssertionError(log.read_text())
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(10)
            process.kill()


class Visit:
    """One tab: what it shows, and what is done in it. Elements are found by what a person or a screen reader reads."""

    def __init__(self, tab: Tab, pictures: Path | None = None) -> None:
        self.tab, self.pictures, self.taken = tab, pictures, 0

    def text(self) -> str:
        """All that can be read."""
        return str(self.tab.ask("document.body ? document.body.innerText : ''"))

    def until(self, *words: str, seconds: float = PATIENCE) -> str:
        """Wait until all these words can be read, and return the text."""
        return self.wait_for(lambda: all(word in self.text() for word in words), f"to read {words}", seconds)

    def wait_for(self, condition: Any, what: str, seconds: float = PATIENCE) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return self.text()
            time.sleep(0.1)
        self.picture("stuck")
        raise AssertionError(f"waited in vain {what}; the page says:\n{self.text()}")

    def click(self, words: str, kind: str = "button, a, [role=tab], [role=radio], label, [role=checkbox]") -> None:
        """Click on what bears these words."""
        found = f"""(() => {{
            const fits = [...document.querySelectorAll({json.dumps(kind)})].filter((one) =>
                ((one.innerText || '') + ' ' + (one.getAttribute('aria-label') || '')).includes({json.dumps(words)})
                && one.getClientRects().length);
            if (!fits.length) return false;
            fits[0].scrollIntoView({{block: 'center'}}); fits[0].click(); return true }})()"""
        self.wait_for(lambda: self.tab.ask(found), f"to click on '{words}'")

    def press(self, words: str) -> None:
        """Click with the mouse on a button or link with these words that is on the screen now, without scrolling."""
        found = f"""(() => {{
            for (const one of document.querySelectorAll('button, a, [role=tab]')) {{
                const said = (one.innerText || '') + ' ' + (one.getAttribute('aria-label') || '');
                if (!said.includes({json.dumps(words)})) continue;
                const box = one.getBoundingClientRect();
                const x = box.left + box.width / 2, y = box.top + box.height / 2;
                const there = document.elementFromPoint(x, y);
                if (there && one.contains(there)) return [x, y];
            }}
            return null }})()"""
        self.wait_for(lambda: self.tab.ask(found), f"for '{words}' on the screen", 20)
        x, y = self.tab.ask(found)
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.tab.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def unfold(self, words: str) -> None:
        """Open what is folded under these words, if it is folded."""
        found = f"""(() => {{
            const one = [...document.querySelectorAll('.q-expansion-item')].find((each) =>
                each.getClientRects().length && each.querySelector('.q-item').innerText.includes({json.dumps(words)}));
            if (!one) return false;
            if (!one.classList.contains('q-expansion-item--collapsed')) return true;
            one.querySelector('.q-item').click(); return false }})()"""
        self.wait_for(lambda: self.tab.ask(found) or time.sleep(0.4), f"to unfold '{words}'")

    def step(self, words: str) -> None:
        """Turn to a step."""
        self.click(words, "[role=tab]")

    def choose(self, label: str, *options: str) -> None:
        """Choose in a select, by what its options say."""
        opened = f"""(() => {{
            const field = [...document.querySelectorAll('.q-field')].find((one) => one.getClientRects().length
                && (one.querySelector('.q-field__label')?.innerText || '') === {json.dumps(label)});
            if (!field) return false;
            field.scrollIntoView({{block: 'center'}});
            (field.querySelector('input') || field.querySelector('[tabindex]') || field).focus();
            field.querySelector('.q-field__control').click(); return true }})()"""
        self.wait_for(lambda: self.tab.ask(opened), f"to open '{label}'")
        field = "document.activeElement instanceof HTMLInputElement && !document.activeElement.readOnly"
        for option in options:
            if self.tab.ask(f"{field} && (document.activeElement.select(), true)"):  # a long list is searched
                self.tab.call("Input.insertText", text=option)
            self.click(option, "[role=option]")
            shown = f"""[...document.querySelectorAll('.q-field')].some((one) => one.getClientRects().length
                && (one.querySelector('.q-field__label')?.innerText || '') === {json.dumps(label)}
                && one.innerText.includes({json.dumps(option)}))"""
            end = time.monotonic() + 2  # a field for one choice shows it as its text, which cannot be told from ours
            while not self.tab.ask(shown) and time.monotonic() < end:
                time.sleep(0.1)
        self.tab.press("Escape", 27)
        self.tab.ask("document.activeElement && document.activeElement.blur()")
        self.wait_for(lambda: not self.tab.ask("document.querySelectorAll('[role=listbox]').length"), "the list to go")

    def write(self, label: str, text: str) -> None:
        """Put a text into a field."""
        done = f"""(() => {{
            const field = [...document.querySelectorAll('input, textarea')].find((one) =>
                one.getClientRects().length && (one.getAttribute('aria-label') || '').includes({json.dumps(label)}));
            if (!field) return false;
            field.focus(); field.select(); return true }})()"""
        self.wait_for(lambda: self.tab.ask(done), f"to write into '{label}'")
        self.tab.call("Input.insertText", text=text)

    def upload(self, path: Path, number: int = 0) -> None:
        """Hand a file to an upload field."""
        found = self.tab.call(
            "Runtime.evaluate", expression=f"document.querySelectorAll('input[type=file]')[{number}]"
        )["result"]["objectId"]
        self.tab.call("DOM.setFileInputFiles", files=[str(path)], objectId=found)

    def picture(self, name: str) -> None:
        """The whole page, as it looks, into the folder of pictures."""
        if self.pictures is None:
            return
        self.taken += 1
        self.pictures.mkdir(parents=True, exist_ok=True)
        (self.pictures / f"{self.taken:02d}-{name}.png").write_bytes(self.tab.picture())


@contextlib.contextmanager
def visited(studio: Studio, pictures: Path | None = None, **size: int) -> Iterator[Visit]:
    """The studio in a new browser."""
    with open_address(studio.address, **size) as tab:
        visit = Visit(tab, pictures)
        visit.wait_for(lambda: tab.ask("window.did_handshake === true"), "for the page to be connected")
        yield visit
