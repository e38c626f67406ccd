"""Which column is what: the rules by which record and item columns are recognised from names and kinds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sordino.errors import InputError, did_you_mean

__all__ = ["LIST", "OTHER", "SCALAR", "is_item_name", "is_record_name", "long_columns", "table_layout", "which_person"]

LIST = "list"  # a column of lists
SCALAR = "scalar"  # a column of text or whole numbers
OTHER = "other"

ENDING = "(ids|id|number|num|no|nr|key|code|name|description|s)?"
RECORD_NAME = re.compile(
    "(record|rec|row|transaction|trans|tx|tid|rid|uid|basket|cart|user|customer|client|patient|person|member|subject"
    "|respondent|participant|household|visitor|visit|session|order|invoice|receipt|purchase|case|encounter|id)" + ENDING
)
ITEM_NAME = re.compile(
    "(item|product|article|good|sku|stock|diagnosis|diagnoses|diagnose|icd|drug|medication|procedure|page|url|movie|film"
    "|book|song|artist|tag|term|word|category|categories|answer|symptom)" + ENDING
)
SHOWN = 30  # column names listed in one message at most


def is_record_name(column: str) -> bool:
    """Whether a column name says that the column tells records apart."""
    return RECORD_NAME.fullmatch(_plain(column)) is not None


def is_item_name(column: str) -> bool:
    """Whether a column name says that the column holds items."""
    return ITEM_NAME.fullmatch(_plain(column)) is not None


def which_person(columns: Sequence[str], where: str | None) -> str:
    """What to choose from, where several columns may tell people apart; what is nowhere is an object in Python."""
    shown = ", ".join(f"record={column!r}" if where is None else f"--record {column}" for column in columns[:SHOWN])
    return (
        f"Say which is one person: {shown}. All rows of one value are then one record: with a column of households, "
        "these count as one person each; with one of visits or orders, a person counts as often as he came, and what "
        "is spread over his rows is never seen together."
    )


def long_columns(
    columns: Sequence[str], record: str | None, item: str | None, where: str | None, *, stated: bool = True
) -> tuple[str, str]:
    """The record and the item column of a long table: as stated, else by name.

    Of two columns, one name is enough; if neither has one, they are record and item if it is `stated` that this is a
    long table, and else not clear.
    """
    _check_stated(columns, record, item, where)
    rest = [column for column in columns if column not in (record, item)]
    if len(columns) == 2:
        first, second = columns
        if record is None and item is None:
            turned = is_item_name(first) or is_record_name(second)
            straight = is_record_name(first) or is_item_name(second)
            if turned != straight:
                record, item = (second, first) if turned else (first, second)
            elif stated:
                record, item = first, second
        elif record is None:
            record = rest[0]
        elif item is None:
            item = rest[0]
    if record is None:
        record = _only([column for column in rest if is_record_name(column)])
    if item is None:
        item = _only([column for column in rest if is_item_name(column)])
    people = [column for column in rest if is_record_name(column)]
    if record is None and item is not None and len(people) > 1:
        raise InputError(
            f"{len(people):,} columns may tell people apart: {_listed(people)}; there are: {_listed(columns)}",
            where=where,
            hint=which_person(people, where),
        )
    if record is None or item is None:
        raise InputError(
            f"cannot tell which columns hold the record and the item; there are: {_listed(columns)}",
            where=where,
            hint="Say which with --record and --item (in Python: record= and item=). Where a row is a person and a "
            "column a property or an item, it is a table: a matter of policies of kind template or diversity.",
        )
    _check_single(columns, (record, item), where)
    return record, item


def table_layout(
    kinds: Mapping[str, str], layout: str | None, record: str | None, item: str | None, where: str | None
) -> tuple[str, str | None, str]:
    """Layout ("long" or "list"), record column and item column of a table whose columns are of these kinds.

    In the list layout the record column may be missing (None): if there is none, or if the layout is stated.
    """
    columns = list(kinds)
    stated = layout is not None
    _check_stated(columns, record, item, where)
    lists = [column for column in columns if kinds[column] == LIST and column != record]
    if layout is None:
        layout = "list" if (kinds[item] == LIST if item is not None else bool(lists)) else "long"
    if layout == "long":
        chosen, item = long_columns(columns, record, item, where, stated=stated)
        if LIST in (kinds[chosen], kinds[item]):
            raise InputError("the long layout needs two columns without lists", where=where)
        return layout, chosen, item
    if item is None:
        item = _only(lists) or _only([column for column in lists if is_item_name(column)])
    if item is None:
        raise InputError(
            f"cannot tell which column holds the lists of items; there are: {_listed(columns)}",
            where=where,
            hint="Say which with --item (in Python: item=).",
        )
    if kinds[item] != LIST:
        raise InputError(f"the column '{item}' does not hold lists", where=where)
    if record is None:
        rest = [column for column in columns if column != item and kinds[column] == SCALAR]
        record = _only(rest) or _only([column for column in rest if is_record_name(column)])
        if record is None and rest and not stated:
            raise InputError(
                f"cannot tell which column says whose a row is; there are: {_listed(rest)}",
                where=where,
                hint="Say which with --record (in Python: record=). If each row is a person of its own, and none of "
                "these columns tells them apart: --layout list (layout='list').",
            )
    return layout, record, item


def _plain(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.lower())


def _only(columns: Sequence[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def _check_stated(columns: Sequence[str], record: str | None, item: str | None, where: str | None) -> None:
    for stated in (record, item):
        if stated is not None and stated not in columns:
            raise InputError(
                f"there is no column '{stated}'.{did_you_mean(stated, columns)}",
                where=where,
                hint=f"The columns are: {_listed(columns)}.",
            )
    if record is not None and record == item:
        raise InputError(f"the column '{record}' cannot be both the record and the item", where=where)


def _check_single(columns: Sequence[str], chosen: Sequence[str], where: str | None) -> None:
    for column in chosen:
        if columns.count(column) > 1:
            raise InputError(f"there is more than one column '{column}'", where=where)


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - SHOWN:,} more" if len(columns) > SHOWN else ""
    return ", ".join(columns[:SHOWN]) + more
