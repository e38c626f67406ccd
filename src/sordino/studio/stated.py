"""The policy as text and as a value, always the same one. Files that a text names must have been given to the studio."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sordino
from sordino.errors import PolicyError, SordinoError
from sordino.policy.file import write_policy
from sordino.studio.session import Session

__all__ = ["POLICY", "line_of", "state_policy", "state_text"]

POLICY = "policy.toml"
FILES = ("file", "rules", "per_record", "except_for")  # keys whose text names a file
BARE = re.compile(r"[^/\\:\x00]+")


def state_text(session: Session, text: str) -> None:
    """Take what was typed: the policy if it is one, and all its problems if it is not."""
    if text == session.text:
        return
    session.text = text
    session.policy, session.problems = None, ()
    if text.strip():
        try:
            session.policy = _read(session.folder, text)
            session.problems = tuple(_against_data(session))
        except PolicyError as error:
            session.problems = (*error.problems, *error.suggestions)
        except SordinoError as error:
            session.problems = (str(error),)
    session.forget()


def state_policy(session: Session, policy: Any) -> None:
    """Take what a form made, and write it down."""
    state_text(session, write_policy(policy))


def line_of(text: str, problem: str) -> int | None:
    """The line of the text that a problem is about, as far as one can tell: where a word in quotes or brackets stands."""
    told = re.search(r"at line (\d+)", problem)
    if told:
        return int(told.group(1))
    words = re.findall(r"'([^']+)'", problem) + re.findall(r"\b(rho|items|at_most|given|sensitive|quasi|l)\b", problem)
    for word in words:
        for number, line in enumerate(text.split("\n"), 1):
            if word in line and not line.lstrip().startswith("#"):
                return number
    return None


def _read(folder: Path, text: str) -> Any:
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PolicyError([f"not valid TOML: {error}"]) from None
    wrong = [name for name in _named(content) if not _is_ours(folder, name)]
    if wrong:
        raise PolicyError([f"the file '{name}' was not given to the studio" for name in wrong])
    path = folder / POLICY
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
        elif isinstance(value, str) and (key in FILES or inside == "hierarchies"):
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
        policy.resolve(opened.data)
    except PolicyError as error:
        yield from (*error.problems, *error.suggestions)
    except SordinoError as error:
        yield str(error)
