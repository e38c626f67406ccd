"""policy.toml as plain content that a form can change entry by entry: read leniently, written plainly.

What a form does not know stays as it is, problems included; comments are put back by `comments.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from sordino.policy.text import quote

__all__ = ["Content", "read_content", "write_content"]

Content = dict[str, Any]
BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDE = 60  # letters of a list in one line
APART = ("per_item", "adaptive")  # tables inside a section that get a head of their own: they may be long


def read_content(text: str) -> Content | None:
    """What a text says, whether or not it is a whole policy; None if it is no TOML. Numbers stay as they are typed."""
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):  # numbers that are too large are no TOMLDecodeErrors
        return None


def write_content(content: Mapping[str, Any]) -> str:
    """The text that reads back as the content."""
    lines = [f"{_key(key)} = {_value(value)}" for key, value in content.items() if not _is_section(value)]
    for key, value in content.items():
        if isinstance(value, dict):
            lines += ["", *_section(_key(key), value)]
        elif _is_section(value):
            for one in value:
                lines += ["", f"[[{_key(key)}]]", *_entries(one)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _section(name: str, section: Mapping[str, Any]) -> Iterator[str]:
    apart = {key for key, value in section.items() if key in APART and isinstance(value, dict)}
    yield f"[{name}]"
    yield from _entries({key: value for key, value in section.items() if key not in apart})
    for key in (key for key in section if key in apart):
        yield ""
        yield f"[{name}.{_key(key)}]"
        yield from _entries(section[key])


def _entries(section: Mapping[str, Any]) -> Iterator[str]:
    for key, value in section.items():
        yield f"{_key(key)} = {_value(value)}"


def _is_section(value: object) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)
    )


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else quote(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        parts = [_value(one) for one in value]
        if sum(map(len, parts)) <= WIDE:
            return f"[{', '.join(parts)}]"
        return "[\n" + "".join(f"  {part},\n" for part in parts) + "]"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
