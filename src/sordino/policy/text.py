"""Small text matters that policy files share."""

from __future__ import annotations

import json
from pathlib import Path

from sordino.errors import InputError

__all__ = ["quote", "read_name_list"]


def read_name_list(path: str | Path) -> list[str]:
    """Names from a text file, one a line; blank lines are passed over."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read the list of names: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("the list of names is not UTF-8 text", where=str(path)) from None
    return [line.strip() for line in text.split("\n") if line.strip()]


def quote(name: str) -> str:
    """The text as a TOML string or key."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
