"""The command line that does the same, for every step."""

from __future__ import annotations

import shlex

from sordino.studio.session import Session
from sordino.studio.stated import POLICY

__all__ = ["command_of"]

FORM = ("table", "query", "layout", "record", "item", "delimiter")


def command_of(session: Session, verb: str, *more: str) -> str:
    """A command about the data and the policy of the session."""
    opened = session.opened
    words = ["sordino", verb, "DATA" if opened is None else opened.shown]
    words += ["--policy", POLICY]
    if opened is not None:
        words += [word for key in FORM if opened.form.get(key) for word in (f"--{key}", str(opened.form[key]))]
    return shlex.join([*words, *more])
