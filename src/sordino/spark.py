"""sordino on Apache Spark: `audit`, `protect` and `verify` for DataFrames, on a session that you have.

The same models, the same kernels and the same answers as on one machine; needs `pip install 'sordino[spark]'`, on the
workers as well. docs/howto/spark.md starts from an existing cluster.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult
    from sordino.policy.kinds import Policy

__all__ = ["audit"]


def _read(policy: Any) -> Any:
    if isinstance(policy, str | os.PathLike):
        from sordino.policy.file import read_policy

        return read_policy(policy)
    return policy


def audit(
    df: Any,
    policy: Policy | str | os.PathLike[str],
    *,
    items: str = "items",
    record: str | None = None,
    groups: int | None = None,
    top: int = 10,
    missing: str = "error",
) -> AuditResult:
    """What can be inferred from a DataFrame of records, about how many people, by whom.

    `items` is a column of lists, a row a record; or a column of single items, and `record` says whose each is.
    `groups`: into how many groups the work is divided (default: as much as a task holds well); it changes no answer.
    """
    from sordino.engine.spark.audit import audit_input, check_policy
    from sordino.engine.spark.frames import read_frame

    required = check_policy(_read(policy))
    return audit_input(read_frame(df, items, record), required, groups=groups, top=top, missing=missing)
