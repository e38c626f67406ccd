"""sordino on Apache Spark: `audit`, `protect` and `verify` for DataFrames, on a session that you have.

The same models, the same kernels and the same answers as on one machine; needs `pip install 'sordino[spark]'`, on the
workers as well. docs/howto/spark.md starts from an existing cluster.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult
    from sordino.engine.spark.release import SparkRelease
    from sordino.policy.kinds import Policy
    from sordino.verify.verdict import Verdict

__all__ = ["audit", "protect", "verify"]


def _read(policy: Any) -> Any:
    if isinstance(policy, str | os.PathLike):
        from sordino.kinds import read_policy

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


def protect(
    df: Any,
    policy: Policy | str | os.PathLike[str],
    *,
    items: str = "items",
    record: str | None = None,
    method: str | None = None,
    mode: str = "whole",
    parts: int | None = None,
    groups: int | None = None,
    seed: int | None = None,
    only_sensitive: bool = False,
    missing: str = "error",
) -> SparkRelease:
    """A version of a DataFrame of records in which the policy holds, losing as little as possible.

    The release has a `dataframe`, and `write(uri)` writes it with its proof. Columns as in `audit`. `parts`: into how
    many the records are divided (default: one for every 60,000). mode "parts" leaves it at that; "whole" puts back
    what the division lost, audits the whole and repairs it. The same seed gives the same bytes on any cluster;
    without one, a secret one is drawn. `only_sensitive`: nothing harmless is deleted. `method`: mine (the default),
    dist, or twins for policies with absent = "any", which stays in parts.
    """
    from sordino.engine.spark.audit import check_policy
    from sordino.engine.spark.frames import read_frame
    from sordino.engine.spark.protect import protect_input
    from sordino.release.numbering import check_seed, run_seed

    required = check_policy(_read(policy))
    check_seed(seed)
    return protect_input(
        read_frame(df, items, record), required, method=method, mode=mode, parts=parts, groups=groups,
        seed=run_seed(seed), missing=missing, only_sensitive=only_sensitive,
    )  # fmt: skip


def verify(
    uri: str | os.PathLike[str], policy: Policy | str | os.PathLike[str] | None = None, *, session: Any = None
) -> Verdict:
    """Whether a written release is whole and keeps what it promises, or what `policy` demands; never trusting it.

    With a session the cluster checks it; without one this machine does, if the release lies on it and fits.
    """
    from sordino.engine.spark.place import Place

    required = None if policy is None else _read(policy)
    place = Place(uri, session)
    if session is None:
        from sordino.engine.spark.verify_small import verify_small

        return verify_small(place, required)
    from sordino.engine.spark.verify import verify_written

    return verify_written(place, required)
