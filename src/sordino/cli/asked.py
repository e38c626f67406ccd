"""What the user asked for, and where the answer is to go: what the commands that judge data share."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.cli.streams import say, write_whole

if TYPE_CHECKING:
    from sordino.cli.page import Block
    from sordino.words import steps
    from sordino.words.blocks import Page

__all__ = ["Asked", "Shown"]


@dataclass(frozen=True)
class Asked:
    """Which data and which policy the user named, to name them again in suggestions."""

    data: str
    policy: Path | None
    sensitive: str | None = None
    rho: str | None = None
    knowledge: int | None = None
    adaptive: bool = False
    layout: str | None = None
    record: str | None = None
    item: str | None = None
    allow_missing: bool = False
    choices: Path | None = None
    original: Path | None = None
    time_limit: float | None = None
    delimiter: str | None = None

    def command(self, verb: str, *more: str) -> str:
        """A command about the same data and policy, ready for a shell."""
        words = ["sordino", verb, self.data]
        for option, value in (
            ("--policy", self.policy),
            ("--sensitive", self.sensitive),
            ("--rho", self.rho),
            ("--knowledge", self.knowledge),
            ("--choices", self.choices),
            ("--layout", self.layout),
            ("--record", self.record),
            ("--item", self.item),
            ("--delimiter", self.delimiter),
        ):
            if value is not None:
                words += [option, str(value)]
        if verb == "audit":  # others take neither
            words += [] if self.original is None else ["--original", str(self.original)]
            words += [] if self.time_limit is None else ["--time-limit", f"{self.time_limit:g}"]
        words += ["--adaptive"] if self.adaptive else []
        words += ["--allow-missing"] if self.allow_missing else []
        return shlex.join([*words, *more])

    def again(self, top: int | None = None, proof: Path | None = None, notes: tuple[str, ...] = ()) -> steps.Asked:
        """The same for whoever says what to do next; the same audit with ten times the time, if that was limited."""
        from sordino.words.steps import Asked as Again

        limit = self.time_limit
        longer = replace(self, time_limit=None if limit is None else max(10 * limit, 60.0)).command("audit")
        return Again(self.command, longer, top, limit, None if proof is None else str(proof), notes)


@dataclass(frozen=True)
class Shown:
    """Where a result goes: as JSON to a file or to standard output, as a page to the terminal, or nowhere."""

    json_file: Path | None
    to_stdout: bool
    top: int
    quiet: bool

    def write(self, result: Any, data: Any = None) -> None:
        """The file, if one is wanted; with how the data were read, if they are given."""
        if self.json_file is not None:
            text = json.dumps(_document(result, data), indent=2, ensure_ascii=False)
            write_whole(self.json_file, f"{text}\n".encode())

    def show(self, result: Any, page: Callable[[], Page | Sequence[Block]], data: Any = None) -> None:
        """The page, or the JSON in its place, or nothing; with how the data were read, if they are given."""
        if self.to_stdout:
            say(json.dumps(_document(result, data), indent=2) + "\n")
        elif not self.quiet:
            from sordino.cli.page import show
            from sordino.cli.reading import with_reading

            show(page() if data is None else with_reading(page(), data))


def _document(result: Any, data: Any) -> dict[str, Any]:
    from sordino.cli.reading import with_reading_key

    plain: dict[str, Any] = result.to_dict()
    return plain if data is None else with_reading_key(plain, data)
