"""The kinds of policy there are. Adding one: its policy, a file that reads and writes it as TOML, and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

__all__ = ["KINDS", "Policy", "PolicyFile", "policy_file"]


class Policy(Protocol):
    """What must hold. It is written in the user's terms, and `resolve`d against data."""

    kind: ClassVar[str]


class PolicyFile(Protocol):
    """What the module of a kind must have: policy.toml in both directions."""

    def parse(self, content: Mapping[str, Any], path: Path) -> Policy:
        """The policy in the content of a TOML file; a PolicyError with every problem otherwise.

        Files that the policy names lie beside `path`.
        """

    def write(self, policy: Any) -> str:
        """The policy as TOML text that reads back as the same policy."""


KINDS: Mapping[str, str] = {
    "inference": "sordino.policy.inference_file",
    "template": "sordino.policy.template_file",
    "diversity": "sordino.policy.diversity_file",
}


def policy_file(kind: str) -> PolicyFile:
    """The module that reads and writes policies of a known kind."""
    return cast(PolicyFile, importlib.import_module(KINDS[kind]))
