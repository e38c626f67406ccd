"""Logs without record contents: of an error, its type and its place, never its text."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path

__all__ = ["place_of", "quiet_logs"]

NAMES = ("nicegui", "uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "socketio", "engineio", "fastapi")


def place_of(error: BaseException) -> str:
    """File and line where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"


class _Tellable(logging.Filter):
    """Replaces what a library says: its words may quote what it was given."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        what = "something went wrong" if error is None else f"{type(error).__name__} at {place_of(error)}"
        record.msg, record.args = f"studio: {what} ({record.name})", ()
        record.exc_info, record.exc_text, record.stack_info = None, None, None
        return record.levelno >= logging.ERROR


def quiet_logs() -> None:
    """From now on, libraries tell of errors only, and only so much of them."""
    for name in NAMES:
        logger = logging.getLogger(name)
        logger.setLevel(logging.ERROR)
        if not any(isinstance(one, _Tellable) for one in logger.filters):
            logger.addFilter(_Tellable())
