"""Tables under templates in a cluster: it counts, this machine decides on distinct rows, and it applies that.

Both methods are those of one machine. `disclosure` weighs distinct rows, and all equals show the same. With
`disclosure-local` equals may show different things, so it looks at every row, by its codes: what it needs of memory is
said in MOST.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.template import audit_table
from sordino.audit.template_exists import require_possible
from sordino.data.table import MISSING, Column, Table
from sordino.engine.local import Watch, thread_count
from sordino.engine.spark.place import Held
from sordino.engine.spark.rows import NUMBER, Counted, Rows, count_rows, expanded
from sordino.engine.spark.table_release import Decided, SparkTableRelease
from sordino.errors import InputError, InternalError
from sordino.policy.template import ResolvedTemplate, TemplatePolicy
from sordino.protect.registry import find_method

__all__ = ["MOST", "check_columns", "named_columns", "protect_rows"]

Int64 = npt.NDArray[np.int64]
LOCALLY = "disclosure-local"
MOST = 50_000_000  # rows that are looked at one by one on this machine: about 100 bytes each


def named_columns(policy: TemplatePolicy) -> tuple[str, ...]:
    """The columns that the policy is about."""
    found = [name for template in policy.templates for name in (*template.given, template.sensitive)]
    return tuple(dict.fromkeys((*found, *(() if policy.class_column is None else (policy.class_column,)))))


def check_columns(rows: Rows) -> None:
    """An InputError if rows could not be published under numbers, or have no ids of their own; never which."""
    from pyspark.sql import functions as F  # noqa: N812

    if NUMBER in rows.columns:
        raise InputError(
            f"a column is called '{NUMBER}', as published numbers are",
            hint=f'Rename it; or, if it is the id of a row, say so: record="{NUMBER}".',
        )
    if rows.record is None:
        return
    ids = rows.frame.select(F.col(f"`{rows.record}`").cast("string").alias("id"))
    if not ids.where(F.col("id").isNull() | (F.col("id") == "")).isEmpty():
        raise InputError("the record id is missing", where=f"column '{rows.record}'")
    if not ids.groupBy("id").count().where("count > 1").isEmpty():
        raise InputError("record ids repeat others", where=f"column '{rows.record}'")


def protect_rows(
    rows: Rows, policy: TemplatePolicy, *, method: str, seed: int, missing: str, options: Mapping[str, Any]
) -> SparkTableRelease:
    """A release in which the templates hold; Unsatisfiable if there is none."""
    chosen = find_method(method, "template")
    unknown = [name for name in options if name not in chosen.options]
    if unknown:
        raise InputError(f"the method '{method}' has no option '{unknown[0]}'")
    if policy.symbol in MISSING:
        raise InputError(
            f"the suppression symbol '{policy.symbol}' also stands for a missing value",
            hint="Choose another symbol in the policy.",
        )
    check_columns(rows)
    counted = count_rows(rows)
    resolved = policy.resolve(counted.table, missing=missing)
    before = audit_table(counted.table, resolved)
    kept, row = resolved.table, np.arange(len(counted.table))
    if not before.holds:
        require_possible(resolved)
        if method == LOCALLY:
            if counted.table.people > MOST:
                raise InputError(
                    f"'{LOCALLY}' looks at every row, and there are more than {MOST:,}",
                    hint="Take the method 'disclosure', or release the rows in several folders.",
                )
            whole, row = expanded(counted.table)
            resolved = policy.resolve(whole, missing=missing)
        jobs, watch = thread_count(None), Watch()
        kept = chosen.load_table()(resolved.table, resolved, seed=seed, jobs=jobs, watch=watch, **options)
        if not audit_table(kept, policy, missing="accept", top=0).holds:
            raise InternalError(f"the result of the method '{method}' fails the audit; nothing is published")
    return SparkTableRelease(
        source=rows, decided=_decided(counted, resolved, kept, row), policy=policy, audit_before=before,
        method=method, records=counted.table.people, seed=seed, held=Held(),
    )  # fmt: skip


def _decided(counted: Counted, resolved: ResolvedTemplate, kept: Table, row: Int64) -> Decided:
    """What became of the distinct rows; `row` is the distinct row behind each row of `kept`."""
    import pyarrow as pa

    table = counted.table
    weight = table.weight
    assert weight is not None
    names = [name for name in table.names if _moved(table, kept, row, name)]
    shown: list[npt.NDArray[np.integer]] = [kept.column(name).codes for name in names]
    order = np.lexsort((*reversed(shown), row))
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = False
    for codes in [*shown, row]:
        new[1:] |= codes[order[1:]] != codes[order[:-1]]
    lead = order[new]
    at = np.flatnonzero(new)
    as_often = weight[row[lead]] if len(row) == len(table) else np.diff(at, append=len(order))
    owner = row[lead]
    each = np.bincount(owner, minlength=len(table))
    first = np.cumsum(as_often) - as_often
    first -= first[np.searchsorted(owner, owner)]  # from the first of its equals on
    told = {f"m{j}": _texts(kept.column(name), lead) for j, name in enumerate(names)}
    alone = np.searchsorted(owner, np.arange(len(table)))
    several = np.flatnonzero(each[owner] > 1)
    key = {f"k{j}": counted.raw.column(j) for j in range(len(table.names))}
    key |= {"row": pa.array(np.arange(len(table))), "many": pa.array(each > 1)}
    key |= {f"o{j}": _texts(table.column(name), np.arange(len(table))) for j, name in enumerate(names)}
    key |= {name: texts.take(alone) for name, texts in told.items()}
    split = {"row": owner[several], "first": first[several], "upto": (first + as_often)[several]}
    masked = [table.names[place] for place in resolved.masking]
    changed = sum(
        int(as_often[_differ(table.column(name), owner, kept.column(name), lead)].sum())
        for name in names
        if name in masked
    )
    return Decided(
        tuple(names),
        pa.table(key),
        pa.table({**{k: pa.array(v) for k, v in split.items()}, **{k: v.take(several) for k, v in told.items()}}),
        table.people * len(masked),
        changed,
    )


def _moved(table: Table, kept: Table, row: Int64, name: str) -> bool:
    return bool(_differ(table.column(name), row, kept.column(name), np.arange(len(kept))).any())


def _differ(old: Column, row: Int64, new: Column, lead: Int64) -> npt.NDArray[np.bool_]:
    """Where the new column, at these rows, shows another text than the old one at those."""
    place = new.code_of
    codes = np.array([*(place.get(text, -2) for text in old.texts), -1], dtype=np.int32)[old.codes[row]]
    return np.asarray(codes != new.codes[lead])


def _texts(column: Column, rows: Int64) -> Any:
    import pyarrow as pa

    codes = column.codes[rows]
    return pa.array(column.texts, pa.string()).take(pa.array(codes, mask=codes < 0))
