"""Comments of a policy.toml that a form writes anew: each stays with the entry that it was written about.

A comment is about the entry or section below it, or at whose end it stands. If that is gone, it moves to the next one
that is still there; of a rule that was taken out, it goes with the rule, because beside another it would be wrong.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from sordino.studio.toml import Content, read_content

__all__ = ["keep_comments"]

KEY = re.compile(r"""((?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+|[\s.])+)=""")
TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|[\[\]{}]|#.*')
Anchor = tuple[str | int, ...]  # of a section or an entry: its keys, and of one of several sections its number


@dataclass
class Statement:
    """A head or an entry with all its lines, and what comments say of it."""

    lines: list[str]
    anchor: Anchor = ()
    above: list[str] = field(default_factory=list)
    beside: str = ""


def keep_comments(old: str, new: str) -> str:
    """The new text, which has no comments, with those of the old one; what it says is what it said."""
    before, after = read_content(old), read_content(new)
    if "#" not in old or before is None or after is None:
        return new
    statements = list(_statements(new))
    places = {statement.anchor: statement for statement in statements}
    same = _same_rules(before, after)
    waiting: list[str] = []
    for statement in _statements(old):
        anchor = _moved(statement.anchor, same)
        if anchor is None:
            continue
        there = places.get(anchor) if anchor else None
        if there is None:
            waiting += [*statement.above, *([statement.beside] if statement.beside else [])]
        else:
            there.above += [*waiting, *statement.above]
            there.beside, waiting = statement.beside, []
    lines = [line for statement in statements for line in _written(statement)]
    if waiting:
        lines += ["", *waiting]
    text = "\n".join(lines) + "\n"
    return text if read_content(text) == after else new


def _written(statement: Statement) -> Iterator[str]:
    blank = next((k for k, line in enumerate(statement.lines) if line.strip()), len(statement.lines))
    yield from statement.lines[:blank]
    yield from statement.above
    *lines, last = statement.lines[blank:] or [""]
    yield from lines
    if last or statement.beside:
        yield f"{last}  {statement.beside}" if statement.beside else last


def _statements(text: str) -> Iterator[Statement]:
    """Heads and entries in their order; at the end, one without an anchor that holds the comments below all others."""
    section: Anchor = ()
    seen: dict[Anchor, int] = {}
    above: list[str] = []
    lines: list[str] = []
    open_string, depth = "", 0
    for line in text.removesuffix("\n").split("\n"):
        code, comment, open_string, depth = _parted(line, open_string, depth)
        whole = not open_string and not depth
        if not code.strip() and not any(map(str.strip, lines)):
            above += [comment] if comment else []
            lines += [] if comment or above else [""]
            continue
        lines.append(code.rstrip() if comment else line)
        if not whole:
            above += [comment] if comment else []
            continue
        stated = "\n".join(lines).strip()
        if stated.startswith("["):
            anchor = section = _head(stated, seen)
        else:
            anchor = (*section, *_keys(stated))
        yield Statement(lines, anchor, above, comment)
        above, lines = [], []
    yield Statement([], (), above)


def _parted(line: str, open_string: str, depth: int) -> tuple[str, str, str, int]:
    """What a line says, its comment, and whether a string or brackets are still open behind it."""
    place = 0
    while place < len(line):
        if open_string:
            end = line.find(open_string, place)
            if end < 0:
                return line, "", open_string, depth
            place, open_string = end + 3, ""
            continue
        token = TOKEN.search(line, place)
        if token is None:
            break
        place = token.end()
        match token[0]:
            case '"""' | "'''":
                open_string = token[0]
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
            case comment if comment.startswith("#"):
                return line[: token.start()], comment, "", depth
    return line, "", open_string, depth


def _head(stated: str, seen: dict[Anchor, int]) -> Anchor:
    """The keys of a head; of one of several sections with its number."""
    keys = tuple(_walk(tomllib.loads(stated)))
    if not stated.startswith("[["):
        return keys
    seen[keys] = seen.get(keys, -1) + 1
    return (*keys, seen[keys])


def _keys(stated: str) -> Anchor:
    found = KEY.match(stated)
    return () if found is None else tuple(_walk(tomllib.loads(f"{found[1]}= 0")))


def _walk(content: object) -> Iterator[str]:
    while isinstance(content, dict) and content:
        key, content = next(iter(content.items()))
        yield key


def _same_rules(before: Content, after: Content) -> dict[str, dict[int, int]]:
    """Of sections that are there several times: which of the old ones is which of the new ones."""
    found = {}
    for key, old in before.items():
        new = after.get(key)
        if not isinstance(old, list) or not isinstance(new, list) or not all(isinstance(one, dict) for one in old):
            continue
        if len(old) == len(new):
            found[key] = {k: k for k in range(len(old))}
        else:
            blocks = SequenceMatcher(None, [*map(repr, old)], [*map(repr, new)], autojunk=False).get_matching_blocks()
            found[key] = {a + k: b + k for a, b, size in blocks for k in range(size)}
    return found


def _moved(anchor: Anchor, same: dict[str, dict[int, int]]) -> Anchor | None:
    """Where an old anchor is now; None if it was one of several, and is gone."""
    if len(anchor) < 2 or not isinstance(anchor[1], int):
        return anchor
    place = same.get(str(anchor[0]), {}).get(anchor[1])
    return None if place is None else (anchor[0], place, *anchor[2:])
