"""What every policy has, whatever its kind. Which kinds there are is said in kinds/, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol

__all__ = ["Policy", "PolicyFile"]


class Policy(Protocol):
    """What must hold. It is written in the user's terms, and `resolve`d against data.

    `file` is the module that reads and writes it as policy.toml.
    """

    kind: ClassVar[str]
    file: ClassVar[str]


class PolicyFile(Protocol):
    """What that module must have: policy.toml in both directions."""

    def parse(self, content: Mapping[str, Any], path: Path) -> Policy:
        """The policy in the content of a TOML file; a PolicyError with every problem otherwise.

        Files that the policy names lie beside `path`.
        """

    def write(self, policy: Any) -> str:
        """The policy as TOML text that reads back as the same policy."""
