"""policy.toml: the policy as a file that can lie in version control. What is in it depends on its kind."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from pathlib import Path

from sordino.errors import PolicyError, did_you_mean
from sordino.policy.kinds import KINDS, Policy, policy_file
from sordino.policy.text import read_name_list, read_whole

__all__ = ["read_name_list", "read_policy", "write_policy"]


def read_policy(path: str | Path) -> Policy:
    """The policy in a TOML file; every problem in it is reported at once."""
    path = Path(path)
    text = read_whole(path, "the policy")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError([f"not valid TOML: {error}"], where=str(path)) from None
    except RecursionError:
        raise PolicyError(["not valid TOML: nested too deeply"], where=str(path)) from None
    kind = content.get("kind", "inference")
    if (
        not isinstance(kind, str) or kind not in KINDS
    ):  # what its keys should be is not known, so nothing more can be said about them
        near = did_you_mean(kind, KINDS) if isinstance(kind, str) else ""
        known = ", ".join(f'"{name}"' for name in KINDS)
        raise PolicyError([f"unknown kind {kind!r}; this version knows kind = {known}.{near}"], where=str(path))
    content = tomllib.loads(text, parse_float=Decimal)  # thresholds are what their text says, to the last digit
    try:
        return policy_file(kind).parse(content, path)
    except PolicyError as error:
        raise PolicyError(error.problems, where=str(path), sensitive=error.sensitive, columns=error.columns) from None


def write_policy(policy: Policy) -> str:
    """The policy as the text of a policy.toml that reads back as the same policy."""
    return policy_file(policy.kind).write(policy)
