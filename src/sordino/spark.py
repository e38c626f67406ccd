"""sordino on Apache Spark: `audit`, `protect` and `verify` for DataFrames, on a session that you have.

The same models, the same kernels and the same answers as on one machine; needs `pip install 'sordino[spark]'`, on the
workers as well. docs/howto/spark.md starts from an existing cluster.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sordino.errors import InputError

if TYPE_CHECKING:
    from sordino.engine.spark.groups import SparkGroupRelease
    from sordino.engine.spark.rows import Rows
    from sordino.engine.spark.table_release import SparkTableRelease
    from sordino.policy.kinds import Policy
    from sordino.verify.verdict import Verdict

__all__ = ["audit", "protect", "verify"]


def _read(policy: Any) -> Any:
    if isinstance(policy, str | os.PathLike):
        from sordino.kinds import read_policy

        return read_policy(policy)
    return policy


def _is_table(policy: Any) -> bool:
    return getattr(policy, "kind", None) in ("template", "diversity")


def _rows(df: Any, policy: Any, record: str | None) -> Rows:
    from sordino.engine.spark.rows import read_rows
    from sordino.engine.spark.templates import named_columns

    return read_rows(
        df, named_columns(policy) if policy.kind == "template" else (*policy.quasi, policy.sensitive), record
    )


def _unused(**stated: bool) -> None:
    """An InputError if something is stated that is of no use here."""
    for name, given in stated.items():
        if given:
            raise InputError(f"'{name}' is of no use under this kind of policy", hint=f"Leave it out: {name}.")


def _protect_table(
    df: Any, policy: Any, method: str | None, record: str | None, seed: int, missing: str, options: dict[str, Any]
) -> SparkTableRelease | SparkGroupRelease:
    from sordino.kinds import kind_of

    chosen, rows = method or kind_of(policy).default_method(policy), _rows(df, policy, record)
    if policy.kind == "template":
        from sordino.engine.spark.templates import protect_rows

        return protect_rows(rows, policy, method=chosen, seed=seed, missing=missing, options=options)
    from sordino.engine.spark.groups import protect_people

    return protect_people(rows, policy, method=chosen, seed=seed, missing=missing, options=options)


def audit(
    df: Any,
    policy: Policy | str | os.PathLike[str],
    *,
    items: str = "items",
    record: str | None = None,
    groups: int | None = None,
    top: int = 10,
    missing: str = "error",
) -> Any:
    """What can be inferred from a DataFrame of records, about how many people, by whom.

    `items` is a column of lists, a row a record; or a column of single items, and `record` says whose each is.
    `groups`: into how many groups the work is divided (default: as much as a task holds well); it changes no answer.

    Under a policy about a table (templates, diversity) a row is a person; `record` may name a column of ids, and the
    rest of the arguments are for records of items. The result is that of the same kind on one machine.
    """
    from sordino.engine.spark.audit import audit_input, check_policy
    from sordino.engine.spark.frames import read_frame

    required = _read(policy)
    if _is_table(required):
        from sordino.engine.spark.rows import FEW, count_rows, expanded
        from sordino.kinds import Source, kind_of

        _unused(items=items != "items", groups=groups is not None)
        table = count_rows(_rows(df, required, record)).table
        if required.kind == "diversity" and table.people <= FEW:
            table, _ = expanded(table)  # all that is said of few people, also what looks at each of them
        return kind_of(required).load_verbs().audit(Source(table), required, top=top, missing=missing)
    required = check_policy(required, personal=True)
    held = read_frame(df, items, record, required.for_everybody().sensitive)
    return audit_input(held, required, groups=groups, top=top, missing=missing)


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
    **options: Any,
) -> Any:
    """A version of a DataFrame of records in which the policy holds, losing as little as possible.

    The release has a `dataframe`, and `write(uri)` writes it with its proof. Columns as in `audit`. `parts`: into how
    many the records are divided (default: one for every 60,000). mode "parts" leaves it at that; "whole" puts back
    what the division lost, audits the whole and repairs it. The same seed gives the same bytes on any cluster;
    without one, a secret one is drawn. `only_sensitive`: nothing harmless is deleted. `method`: mine (the default),
    dist, or twins for policies with absent = "any", which stays in parts.

    Under a policy about a table (templates, diversity) rows are counted in the cluster, and what becomes of each
    distinct row is decided on this machine, by the methods for tables and with their `options`; the rest of the
    arguments are for records of items. `record` names a column of ids, which is not published.
    """
    from sordino.engine.spark.audit import check_policy
    from sordino.engine.spark.frames import read_frame
    from sordino.engine.spark.protect import protect_input
    from sordino.release.numbering import check_seed, run_seed

    required = _read(policy)
    check_seed(seed)
    if _is_table(required):
        _unused(
            items=items != "items", mode=mode != "whole", parts=parts is not None, groups=groups is not None,
            only_sensitive=only_sensitive,
        )  # fmt: skip
        return _protect_table(df, required, method, record, run_seed(seed), missing, options)
    _unused(**dict.fromkeys(options, True))
    required = check_policy(required)
    held = read_frame(df, items, record, required.sensitive)
    return protect_input(
        held, required, method=method, mode=mode, parts=parts, groups=groups,
        seed=run_seed(seed), missing=missing, only_sensitive=only_sensitive,
    )  # fmt: skip


def verify(
    uri: str | os.PathLike[str], policy: Policy | str | os.PathLike[str] | None = None, *, session: Any = None
) -> Verdict:
    """Whether a written release is whole and keeps what it promises, or what `policy` demands; never trusting it.

    With a session the cluster checks it; without one this machine does, if the release lies on it and fits. `uri` is
    the release, or its published part by itself.
    """
    from sordino.engine.spark.place import Place
    from sordino.engine.spark.table_manifest import is_table

    required = None if policy is None else _read(policy)
    place = Place(uri, session).found()
    if is_table(place):
        if session is None:
            from sordino.engine.spark.verify_table_small import verify_table_small

            return verify_table_small(place, required)
        from sordino.engine.spark.verify_table import verify_table_written

        return verify_table_written(place, required)
    if session is None:
        from sordino.engine.spark.verify_small import verify_small

        return verify_small(place, required)
    from sordino.engine.spark.verify import verify_written

    return verify_written(place, required)
