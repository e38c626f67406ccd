"""The command line that does the same, for every step."""

from __future__ import annotations

import shlex

from sordino.studio.session import Opened, Session
from sordino.studio.stated import POLICY

__all__ = ["build_command", "command_of", "inspect_command", "sample_command"]

FORM = ("table", "query", "layout", "record", "item", "delimiter")
SAMPLE = "shop"  # the folder that the sample is put into


def command_of(session: Session, verb: str, *more: str) -> str:
    """A command about the data and the policy of the session."""
    opened = session.opened
    words = ["sordino", verb, "DATA" if opened is None else opened.shown]
    words += ["--policy", POLICY, *_form(opened)]
    return shlex.join([*words, *more])


def inspect_command(opened: Opened) -> str:
    """The command that reads the data in the same way."""
    return shlex.join(["sordino", "inspect", opened.shown, *_form(opened)])


def build_command(opened: Opened, *more: str) -> str:
    """The command that builds a hierarchy of the data."""
    return shlex.join(["sordino", "hierarchy", "build", opened.shown, *_form(opened), *more])


def sample_command() -> str:
    """What puts the sample there, where all other commands expect it."""
    return f"sordino sample {SAMPLE} && cd {SAMPLE}"


def _form(opened: Opened | None) -> list[str]:
    if opened is None:
        return []
    return [word for key in FORM if opened.form.get(key) for word in (f"--{key}", str(opened.form[key]))]
