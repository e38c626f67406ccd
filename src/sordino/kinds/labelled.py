"""Results with the names of the codes in them, from the code book that belongs to the data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from sordino.data.baskets import Baskets
from sordino.data.codebook import Names, names_of
from sordino.errors import PolicyError
from sordino.kinds.source import Source

__all__ = ["labelled", "names_in_policy"]


def labelled(result: Any, source: Source, policy: Any = None) -> Any:
    """The result with names; itself, if there is no code book, or nothing in it that could have names.

    A release has them in its first audit, which stays in the house; what it publishes has codes.
    """
    if source.labels is None:
        return result
    names, said = names_of(source.data, source.labels)
    column = getattr(policy or source.own, "sensitive", None)  # of what may remain for a person
    told = {**names, "": names.get(column, {})} if isinstance(column, str) else names
    if hasattr(result, "audit_before"):
        return replace(result, audit_before=_with(result.audit_before, names, told, said))
    return _with(result, names, told, said)


def _with(result: Any, names: Names, told: Names, said: list[str]) -> Any:
    known = {entry.name for entry in fields(result)}
    if "labels" not in known:
        return result
    changed: dict[str, Any] = {"labels": names}
    if said and "remarks" in known:
        changed["remarks"] = (*result.remarks, *said)
    found = getattr(result, "findings", ())
    if found and all(hasattr(finding, "names") for finding in found):
        changed["findings"] = tuple(replace(finding, names=told) for finding in found)
    return replace(result, **changed)


@contextmanager
def names_in_policy(source: Source, policy: Any) -> Iterator[None]:
    """If a policy names what occurs nowhere, it is also said which of it the code book has as names of codes."""
    try:
        yield
    except PolicyError as error:
        more = list(_told(source, policy))
        if not more:
            raise
        raise PolicyError((*error.problems, *more), where=error.where) from None


def _told(source: Source, policy: Any) -> Iterator[str]:
    stated = getattr(policy, "sensitive", ())
    if source.labels is None or not isinstance(stated, tuple) or not isinstance(source.data, Baskets):
        return
    codes: dict[str, str] = {}
    for code, name in source.labels.of_items().items():
        codes.setdefault(name, code)
    for name in stated:
        if name in codes and name not in source.data.code_of:
            yield f"'{name}' is what {source.labels.source} calls '{codes[name]}': a policy names the code"
