"""Smaller cases that still show the same finding."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from fuzz.case import BasketCase, Case, DiversityCase, TemplateCase

__all__ = ["shrink", "smaller"]


def shrink(case: Case, still: Callable[[Case], bool], *, tries: int = 400, seconds: float = 90.0) -> Case:
    """The smallest case found for which `still` is true, as it is for the given one. Large steps are tried first."""
    deadline = time.monotonic() + seconds
    going = True
    while going:
        going = False
        for candidate in smaller(case):
            if tries <= 0 or time.monotonic() > deadline:
                return case
            tries -= 1
            if still(candidate):
                case, going = candidate, True
                break
    return case


def smaller(case: Case) -> Iterator[Case]:
    """Cases with a little less, those with much less first."""
    if isinstance(case, BasketCase):
        yield from _baskets(case)
    elif isinstance(case, TemplateCase | DiversityCase):
        yield from _table(case)
    for step in case.steps:
        yield replace(case, steps=tuple(other for other in case.steps if other != step))
    for name in case.options:
        yield replace(case, options={key: value for key, value in case.options.items() if key != name})


def _pieces(count: int) -> Iterator[tuple[int, int]]:
    """Ranges to leave out: halves, quarters, down to single things."""
    size = count // 2
    while size:
        for start in range(0, count, size):
            if size < count:
                yield start, min(count, start + size)
        size //= 2


def _baskets(case: BasketCase) -> Iterator[Case]:
    for start, stop in _pieces(len(case.records)):
        kept = [u for u in range(len(case.records)) if not start <= u < stop]
        yield replace(
            case,
            records=tuple(case.records[u] for u in kept),
            ids=None if case.ids is None else tuple(case.ids[u] for u in kept),
            own=None if case.own is None else tuple(case.own[u] for u in kept),
            less=None if case.less is None else tuple(case.less[u] for u in kept),
        )
    for name in sorted({item for record in case.records for item in record}):
        yield _without_item(case, name)
    for name in case.sensitive:
        yield _not_sensitive(case, name)
    for u, record in enumerate(case.records):
        for item in record:
            less = tuple(other for other in record if other != item)
            yield replace(case, records=(*case.records[:u], less, *case.records[u + 1 :]))
    yield from _policies(case)


def _policies(case: BasketCase) -> Iterator[Case]:
    for change in (
        {"form": "list", "ids": None},
        {"own": None, "less": None, "strangers": False},
        {"own": None},
        {"less": None},
        {"strangers": False},
        {"choices_as": "mapping"},
        {"adaptive": False},
        {"rho_of": {}},
        {"knowledge": None},
        {"assurance": None},
        {"rho": "1/2"},
        {"ids_as": "keep"},
    ):
        candidate = replace(case, **change)  # type: ignore[arg-type]
        if candidate != case:
            yield candidate
    for which in ("own", "less"):
        held = getattr(case, which) or ()
        for u, chosen in enumerate(held):
            for item in chosen:
                rest = tuple(other for other in chosen if other != item)
                yield replace(case, **{which: (*held[:u], rest, *held[u + 1 :])})


def _without_item(case: BasketCase, name: str) -> Case:
    def rest(held: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(item for item in one if item != name) for one in held)

    fewer = replace(
        case,
        records=rest(case.records),
        own=None if case.own is None else rest(case.own),
        less=None if case.less is None else rest(case.less),
    )
    return _not_sensitive(fewer, name)


def _not_sensitive(case: BasketCase, name: str) -> BasketCase:
    rule = case.adaptive
    return replace(
        case,
        sensitive=tuple(item for item in case.sensitive if item != name),
        rho_of={item: rho for item, rho in case.rho_of.items() if item != name},
        adaptive={e: eps for e, eps in rule.items() if e != name} if isinstance(rule, dict) else rule,
    )


def _table(case: TemplateCase | DiversityCase) -> Iterator[Case]:
    for start, stop in _pieces(len(case.rows)):
        yield replace(case, rows=case.rows[:start] + case.rows[stop:])
    for name in case.trees:
        yield replace(case, trees={key: paths for key, paths in case.trees.items() if key != name})
    if isinstance(case, TemplateCase):
        yield from _templates(case)
    else:
        for k in range(len(case.rules)):
            yield replace(case, rules=case.rules[:k] + case.rules[k + 1 :])
        for name in case.quasi if len(case.quasi) > 1 else ():
            if not any(name in conditions for conditions, _ in case.rules):
                yield _without_column(replace(case, quasi=tuple(n for n in case.quasi if n != name)), name)
        yield from (c for c in (replace(case, mined=False), replace(case, l=2)) if c != case)
    if case.form != "dicts":
        yield replace(case, form="dicts")


def _templates(case: TemplateCase) -> Iterator[Case]:
    for k in range(len(case.templates)) if len(case.templates) > 1 else ():
        yield replace(case, templates=case.templates[:k] + case.templates[k + 1 :])
    for name in case.bins:
        yield replace(case, bins={key: way for key, way in case.bins.items() if key != name})
    if case.class_column is not None:
        yield replace(case, class_column=None)
    used = {name for t in case.templates for name in (*t["given"], t["sensitive"])} | {case.class_column}
    for name in case.columns:
        if name not in used:
            yield _without_column(case, name)
    for k, template in enumerate(case.templates):
        for name in template["given"] if len(template["given"]) > 1 else ():
            fewer = {**template, "given": tuple(n for n in template["given"] if n != name)}
            yield replace(case, templates=(*case.templates[:k], fewer, *case.templates[k + 1 :]))


def _without_column(case: TemplateCase | DiversityCase, name: str) -> Case:
    place = case.columns.index(name)
    return replace(
        case,
        columns=case.columns[:place] + case.columns[place + 1 :],
        rows=tuple(row[:place] + row[place + 1 :] for row in case.rows),
        trees={key: paths for key, paths in case.trees.items() if key != name},
    )
