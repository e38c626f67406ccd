"""What to do next: sentences and commands about the same data. What was asked is known to whoever shows the result."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sordino.policy.answer import Answer
from sordino.words.blocks import Steps
from sordino.words.claims import answer_of
from sordino.words.text import clean

__all__ = ["Asked", "Step", "hand_on", "more_findings", "not_as_it_is"]

Plain = Mapping[str, Any]
Step = tuple[str, str | None]


def _placeholders(verb: str, *more: str) -> str:
    return shlex.join(["sordino", verb, "DATA", "--policy", "POLICY", *more])


@dataclass(frozen=True)
class Asked:
    """How an audit was asked for, as far as that is known. `command(verb, *more)` is about the same data and policy."""

    command: Callable[..., str] = _placeholders
    longer: str | None = None  # the same audit with more time
    shown: int | None = None  # at most so many findings
    time_limit: float | None = None
    proof: str | None = None  # where it was written
    notes: tuple[str, ...] = ()  # about the data, to be said beside the remarks of the result


def more_findings(audit: Plain, asked: Asked) -> Iterator[Step]:
    """How to see more of a result, and to keep it, on the command line."""
    if asked.shown is None:
        return
    if len(audit["findings"]) == asked.shown:  # fewer would be all there are
        yield "See more findings:", asked.command("audit", "--top", str(max(50, 5 * asked.shown)))
    yield "Keep the result, for a pipeline or a colleague:", asked.command("audit", "--json", "audit.json")


def not_as_it_is(asked: Asked) -> Step:
    """What to do with a file that is not safe."""
    command = asked.command("protect", "--out", "release")
    return "Do not hand on the file as it is. Make a version that is safe:", command


def hand_on(publish: str, keep: str, report: str, verify: str, joint: Plain | None = None) -> Steps:
    """What to do with a release; `verify` is the command; `joint`: the audit together with earlier releases."""
    first, check = "Hand", "Check the release, as whoever receives it can:"
    if joint is not None and answer_of(joint) is Answer.HOLDS:
        check = "Check the release, together with the earlier ones:"
    elif joint is not None:
        first = "If nobody who gets it has, or can link, the earlier releases: hand"
    return Steps(
        "What next",
        (
            (f"{first} on {clean(publish)}, and nothing else; its README.txt says what is guaranteed.", None),
            (f"Keep {clean(keep)} in the house: it shows what was changed.", None),
            (f"Read the report: {clean(report)}", None),
            (check, verify),
        ),
    )
