"""What counts as a missing value in a published table: not simply what its publisher calls so."""

from __future__ import annotations

from collections.abc import Sequence

from sordino.data.table import MISSING, Column
from sordino.verify.asked import Asked
from sordino.verify.bounded import LeftOpenError
from sordino.verify.manifest import README

__all__ = ["agree_on_missing", "what_is_missing"]


def what_is_missing(published: tuple[str, ...], asked: Asked) -> tuple[str, ...]:
    """The texts that count as missing: as stated; with a stated policy those commonly written; else those of both."""
    stated = asked.form.get("missing")
    if stated is not None:
        return tuple(stated)
    return MISSING if asked.policy is not None else tuple(text for text in published if text in MISSING)


def agree_on_missing(published: tuple[str, ...], columns: Sequence[Column]) -> None:
    """LeftOpenError if the publisher takes a text for missing that occurs, and is not commonly written for it."""
    there = {text for column in columns for text in column.texts if column.counts[column.code_of[text]]}
    strange = sorted(there.intersection(published) - set(MISSING))
    if strange:
        texts = "1 text" if len(strange) == 1 else f"{len(strange):,} texts"
        flags = " ".join(f"--null '{text}'" for text in published)
        raise LeftOpenError(
            f"the publisher counts cells as missing that show something ({texts}, listed in {README}); "
            f"if you agree, say so: {flags}"
        )
