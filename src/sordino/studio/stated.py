"""The policy as text, as plain content and as a value, always the same one. Files that it names must have been given to
the studio."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sordino
from sordino.errors import PolicyError, SordinoError
from sordino.studio.comments import keep_comments
from sordino.studio.session import Session
from sordino.studio.toml import Content, read_content, write_content

__all__ = ["POLICY", "line_of", "name_hierarchy", "sensitive_names", "state_content", "state_text"]

POLICY = "policy.toml"
LOOK = "sensitive.look.toml"  # only what is sensitive, read by itself while something else is still wrong
# Keys whose text names a file; and sections whose every text does. A test holds them against what is really opened.
FILES = ("file", "rules", "per_record", "except_for", "hierarchy", "labels")
SECTIONS = ("hierarchies", "labels")
BARE = re.compile(r"[^/\\:\x00]+")


def state_text(session: Session, text: str) -> None:
    """Take what was typed: the policy if it is one, and all its problems if it is not."""
    if text == session.text:
        return
    session.text = text
    session.policy, session.named, session.problems = None, None, ()
    content = read_content(text)
    if content is not None:
        session.content = content  # what is no TOML at all changes nothing in the form
    if text.strip():
        try:
            session.policy = _read(session.folder, text)
            session.problems = tuple(_against_data(session))
        except PolicyError as error:
            session.problems = (*error.problems, *error.suggestions)
        except SordinoError as error:
            session.problems = (str(error),)
    session.forget()


def state_content(session: Session, content: Mapping[str, Any], commented: str | None = None) -> None:
    """Take what a form says, whole or not, and write it down, with the comments of the text before (`commented`)."""
    state_text(session, keep_comments(session.text if commented is None else commented, write_content(content)))


def sensitive_names(session: Session) -> tuple[str, ...]:
    """The items that the policy calls sensitive, one by one, as far as that can be told while it has problems."""
    if session.named is not None:
        return tuple(session.named.sensitive)
    stated = session.content.get("sensitive")
    if not isinstance(stated, dict) or session.opened is None:
        return ()
    alone = {key: value for key, value in stated.items() if key not in ("per_record", "except_for")}
    text = write_content({"sensitive": alone, "threshold": {"rho": "0.5"}})
    try:
        policy = _read(session.folder, text, LOOK)
        if hasattr(policy, "named"):
            policy = policy.named(_items(session.opened.data), missing="accept")
        return tuple(policy.sensitive)
    except SordinoError:
        items = alone.get("items")
        return tuple(dict.fromkeys(map(str, items))) if isinstance(items, list) else ()


def name_hierarchy(session: Session, column: str, file: str) -> None:
    """Name a hierarchy of a column in the policy, in the place of any other of that column."""
    policy = session.policy
    named = () if policy is None or policy.kind == "inference" else _columns(policy)
    if column not in named:
        raise PolicyError([f"the policy does not name the column '{column}'; say first what must stay quiet"])
    content: Content = copy.deepcopy(session.content)
    content["hierarchies"] = {**content.get("hierarchies", {}), column: file}
    before, session.text = session.text, ""  # the file may be another one under the same name
    state_content(session, content, before)


def _columns(policy: Any) -> tuple[str, ...]:
    if policy.kind == "diversity":
        return tuple(policy.quasi)
    return tuple(name for template in policy.templates for name in (*template.given, template.sensitive))


def line_of(text: str, problem: str) -> int | None:
    """The line of the text that a problem is about, as far as one can tell: where one of its words stands."""
    told = re.search(r"at line (\d+)", problem)
    if told:
        return int(told.group(1))
    words = re.findall(r"'([^']+)'", problem) + re.findall(r"\b(rho|items|at_most|given|sensitive|quasi|l)\b", problem)
    lines = list(enumerate(text.split("\n"), 1))
    rule = re.match(r"template (\d+): ", problem)
    if rule:  # of several, the one that it is about
        heads = [place for place, (_, line) in enumerate(lines) if line.strip() == "[[template]]"]
        begins = heads[int(rule[1]) - 1] if int(rule[1]) <= len(heads) else 0
        lines = lines[begins:]
    for word in words:
        for number, line in lines:
            if word in line and not line.lstrip().startswith("#"):
                return number
    return lines[0][0] if rule else None


def _read(folder: Path, text: str, name: str = POLICY) -> Any:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError([f"not valid TOML: {error}"]) from None
    except (ValueError, RecursionError):  # the words of these would be about Python
        raise PolicyError(["not valid TOML: nested too deeply, or with a number that is too large"]) from None
    wrong = [name for name in _named(content) if not _is_ours(folder, name)]
    if wrong:
        raise PolicyError([f"the file '{name}' was not given to the studio" for name in wrong])
    path = folder / name
    path.write_text(text, encoding="utf-8")
    try:
        return sordino.read_policy(path)
    except PolicyError as error:
        raise PolicyError(error.problems, sensitive=error.sensitive, columns=error.columns) from None


def _named(content: Mapping[str, Any], inside: str = "") -> Iterator[str]:
    """Every file that a policy names, wherever it stands."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _named(value, key)
        elif isinstance(value, list):
            yield from (name for one in value if isinstance(one, dict) for name in _named(one, key))
        elif isinstance(value, str) and (key in FILES or inside in SECTIONS):
            yield value


def _is_ours(folder: Path, name: str) -> bool:
    """Whether it is the bare name of a file in the session's folder, and no link."""
    path = folder / name
    return BARE.fullmatch(name) is not None and name not in (".", "..") and path.is_file() and not path.is_symlink()


def _against_data(session: Session) -> Iterator[str]:
    """What the policy names that the data do not have."""
    opened, policy = session.opened, session.policy
    if opened is None:
        return
    if opened.table == (policy.kind == "inference"):
        wanted = "baskets" if policy.kind == "inference" else "a table"
        yield f"this policy is about {wanted}, and the data were read as {'a table' if opened.table else 'baskets'}"
        return
    try:
        named = policy.named(_items(opened.data)) if hasattr(policy, "named") else policy
        named.resolve(opened.data)
        session.named = named
    except PolicyError as error:
        yield from (*error.problems, *error.suggestions)
    except SordinoError as error:
        yield str(error)


def _items(baskets: Any) -> list[str]:
    """The items that some record holds."""
    return [name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support]
