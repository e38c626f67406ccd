"""The policy as text and as a value, always the same one. Files that it names must have been given to the studio."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import sordino
from sordino.errors import PolicyError, SordinoError
from sordino.policy.file import write_policy
from sordino.policy.text import quote
from sordino.studio.session import Session

__all__ = ["POLICY", "line_of", "name_choices", "name_hierarchy", "state_policy", "state_text"]

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
    """Take what a form made, and write it down; the files that the text named before are named again."""
    try:
        before = tomllib.loads(session.text)
    except tomllib.TOMLDecodeError:
        before = {}
    state_text(session, _with_files(write_policy(policy), policy, before))


def _with_files(text: str, policy: Any, before: Mapping[str, Any]) -> str:
    """The text of a policy with the names of the files that its choices, rules and hierarchies came from."""
    if policy.kind == "inference":
        stated = before.get("sensitive", {})
        for key in ("per_record", "except_for"):
            if key in stated and getattr(policy, key) is not None:
                text = re.sub(rf"^{key} = .*$", f"{key} = {_inline(stated[key])}", text, flags=re.MULTILINE)
        return text
    trees = {name: file for name, file in before.get("hierarchies", {}).items() if name in policy.hierarchies}
    rules = before.get("knowledge", {}).get("rules") if policy.kind == "diversity" and policy.rules else None
    if rules is not None:
        text = text.replace("[knowledge]\n", f"[knowledge]\nrules = {quote(rules)}\n")
    if trees:
        text += "\n[hierarchies]\n" + "".join(f"{quote(name)} = {quote(file)}\n" for name, file in trees.items())
    return text


def _inline(stated: Any) -> str:
    """A name, or a table of names and numbers, as TOML."""
    if isinstance(stated, dict):
        return "{ " + ", ".join(f"{key} = {_inline(value)}" for key, value in stated.items()) + " }"
    return quote(stated) if isinstance(stated, str) else str(stated)


def name_hierarchy(session: Session, column: str, file: str) -> None:
    """Name a hierarchy of a column in the policy, in the place of any other of that column."""
    policy = session.policy
    named = () if policy is None or policy.kind == "inference" else _columns(policy)
    if column not in named:
        raise PolicyError([f"the policy does not name the column '{column}'; say first what must stay quiet"])
    kept = session.text.split("[hierarchies]")[0].rstrip("\n")
    before = tomllib.loads(session.text).get("hierarchies", {})
    files = {**before, column: file}
    lines = "".join(f"{quote(name)} = {quote(place)}\n" for name, place in files.items())
    session.text = ""  # the file may be another one under the same name
    state_text(session, f"{kept}\n\n[hierarchies]\n{lines}")


def name_choices(session: Session, policy: Any, file: str | None, first: int = 0) -> None:
    """Name a file of what single persons chose, or none."""
    bare = replace(policy, per_record=None)
    text = write_policy(bare)
    if file is not None:
        entry = f"per_record = {{ file = {quote(file)}{f', first = {first}' if first else ''} }}"
        text = text.replace("\n]\n", f"\n]\n{entry}\n", 1)
    session.text = ""
    state_text(session, text)


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
