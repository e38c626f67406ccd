"""Where a key of a policy belongs that its own kind does not know: to another kind."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["Places", "with_home"]

Places = Mapping[str, tuple[str, ...]]  # by section, "" for the top of the file: the keys that may stand there
UNKNOWN = re.compile(r"unknown key '([^']+)'[^.]*\.$")  # and no key of its own kind is like it


def with_home(problem: str, others: Mapping[str, Places]) -> str:
    """A problem of a policy; if it is a key that only other kinds know, with the kinds and sections that do."""
    found = UNKNOWN.search(problem)
    if found is None:
        return problem
    homes = [
        f"of kind '{kind}'{f' ({place})' if place else ''}"
        for kind, places in others.items()
        for place, keys in places.items()
        if found[1] in keys
    ]
    return f"{problem} It belongs to policies {' or '.join(homes)}." if homes else problem
