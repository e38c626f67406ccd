"""What Python's logging hears: the logger "sordino" tells at level INFO when a verb begins and ends, and what came out.

Numbers, kinds and names of methods only: never a name, an item or a value from the data, nor where they lie.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__all__ = ["LOGGER", "logged"]

LOGGER = logging.getLogger("sordino")

P = ParamSpec("P")
R = TypeVar("R")


def logged(verb: Callable[P, R], name: str | None = None) -> Callable[P, R]:
    """The verb, told to the logger by its name."""
    called = name or verb.__name__

    @functools.wraps(verb)
    def told(*arguments: P.args, **options: P.kwargs) -> R:
        if not LOGGER.isEnabledFor(logging.INFO):
            return verb(*arguments, **options)
        LOGGER.info("%s begins", called)
        start = time.monotonic()
        try:
            result = verb(*arguments, **options)
        except BaseException as error:
            LOGGER.info("%s ended after %.1f s: %s", called, time.monotonic() - start, type(error).__name__)
            raise
        LOGGER.info("%s done after %.1f s: %s", called, time.monotonic() - start, _outcome(result))
        return result

    return told


def _outcome(result: Any) -> str:
    """What came out, in numbers."""
    audit = getattr(result, "audit_before", result)
    parts = []
    if getattr(result, "method", None) is not None:
        parts.append(f"method {result.method}")
    for name in ("records", "rows", "people_at_risk"):
        value = getattr(audit, name, None)
        if isinstance(value, int):
            parts.append(f"{name.replace('_', ' ')} {value}")
    answer = getattr(audit, "answer", None)
    if answer is not None:
        parts.append(f"{'before: ' if audit is not result else ''}{answer}")
    return ", ".join(parts) or "done"
