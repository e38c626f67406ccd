"""Small text matters that policy files share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sordino.errors import InputError

__all__ = ["quote", "read_name_list", "read_whole", "section"]

LARGEST = 1 << 26  # bytes of a file that is no data


def read_whole(path: str | Path, what: str) -> str:
    """The text of a file that should be small; `what` it is, for messages."""
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {what}: {error.strerror}", where=str(path)) from None
    if len(content) > LARGEST:
        raise InputError(f"{what}: more than {LARGEST >> 20} MiB, which cannot be meant", where=str(path))
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise InputError(f"{what}: not UTF-8 text", where=str(path)) from None


def read_name_list(path: str | Path) -> list[str]:
    """Names from a text file, one a line; blank lines are passed over."""
    text = read_whole(path, "the list of names")
    return [line.strip() for line in text.split("\n") if line.strip()]


def section(content: Mapping[str, Any], name: str, problems: list[str]) -> dict[str, Any]:
    """A section of a policy file, empty if it is not there; adds to the problems if it is something else."""
    value = content.get(name, {})
    if not isinstance(value, dict):
        problems.append(f"'{name}' must be a section: [{name}]")
        return {}
    return value


def quote(name: str) -> str:
    """The text as a TOML string or key."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
