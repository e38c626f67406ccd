"""The toy's policy, and policy.toml in both directions: kind = "crowd", columns = ["Age"], k = 3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.table import Table
from sordino.errors import PolicyError


@dataclass(frozen=True)
class CrowdPolicy:
    kind: ClassVar[str] = "crowd"
    file: ClassVar[str] = "toy.policy"

    columns: tuple[str, ...]
    k: int

    def resolve(self, table: Table, missing: str = "error") -> tuple[int, ...]:
        """The places of the columns."""
        del missing
        wrong = [f"there is no column '{name}'" for name in self.columns if name not in table.names]
        if wrong:
            raise PolicyError(wrong)
        return tuple(table.names.index(name) for name in self.columns)


def parse(content: Mapping[str, Any], path: Path) -> CrowdPolicy:
    del path
    if not isinstance(content.get("k"), int):
        raise PolicyError(["k must be a whole number"])
    return CrowdPolicy(tuple(content["columns"]), content["k"])


def write(policy: CrowdPolicy) -> str:
    return f'kind = "crowd"\ncolumns = {list(policy.columns)!r}\nk = {policy.k}\n'
