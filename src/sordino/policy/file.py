"""policy.toml: the policy as a file that can lie in version control. What is in it depends on its kind."""

from __future__ import annotations

import importlib
import os
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import cast

from sordino.errors import PolicyError, did_you_mean
from sordino.policy.kinds import Policy, PolicyFile
from sordino.policy.labels import stated_labels, with_labels
from sordino.policy.text import read_name_list, read_whole

__all__ = ["read_name_list", "read_policy", "write_policy"]


def read_policy(path: str | os.PathLike[str], kinds: Mapping[str, type[Policy]]) -> Policy:
    """The policy in a TOML file, of one of these kinds; every problem in it is reported at once."""
    path = Path(path)
    text = read_whole(path, "the policy")
    try:
        content = tomllib.loads(text, parse_float=Decimal)  # thresholds are what their text says, to the last digit
    except tomllib.TOMLDecodeError as error:
        raise PolicyError([f"not valid TOML: {error}"], where=str(path)) from None
    except RecursionError:
        raise PolicyError(["not valid TOML: nested too deeply"], where=str(path)) from None
    except (ValueError, ArithmeticError):  # of thousands of digits, or with an exponent of twenty
        raise PolicyError(["not valid TOML: a number in it is too large"], where=str(path)) from None
    kind = content.get("kind", "inference")
    if not isinstance(kind, str) or kind not in kinds:  # nothing more can be said about its keys
        near = did_you_mean(kind, kinds) if isinstance(kind, str) else ""
        known = ", ".join(f'"{name}"' for name in kinds)
        raise PolicyError([f"unknown kind {kind!r}; this version knows kind = {known}.{near}"], where=str(path))
    problems: list[str] = []
    book = stated_labels(content, path, problems)
    try:
        policy = _file(kinds[kind]).parse({key: value for key, value in content.items() if key != "labels"}, path)
    except PolicyError as error:
        told = (*error.problems, *problems)
        raise PolicyError(told, where=str(path), sensitive=error.sensitive, columns=error.columns) from None
    if problems:
        raise PolicyError(problems, where=str(path))
    return with_labels(policy, book)


def write_policy(policy: Policy) -> str:
    """The policy as the text of a policy.toml that reads back as the same policy."""
    return _file(type(policy)).write(policy)


def _file(policy: type[Policy]) -> PolicyFile:
    return cast(PolicyFile, importlib.import_module(policy.file))
