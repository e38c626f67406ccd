"""Policies that tell by patterns or groups what is sensitive, with the names that these stand for in the data."""

from __future__ import annotations

import logging
from typing import Any

from sordino.data.baskets import Baskets
from sordino.kinds.source import Source

__all__ = ["expected_in", "named"]

log = logging.getLogger("sordino")


def expected_in(policy: Any) -> tuple[str, ...]:
    """The names that should be among the items, as far as the policy has names."""
    found: tuple[str, ...] = () if policy is None else policy.names if hasattr(policy, "named") else policy.sensitive
    return found


def named(policy: Any, source: Source, missing: str = "error") -> Any:
    """The policy by name (policy/patterns.py); itself, if it has no patterns or groups. Worked out once.

    The names are those of the original data. Of a release they are its items and those that its own policy names, which
    may be gone from it.
    """
    if not hasattr(policy, "named"):
        return policy
    key = (id(policy), f"named {missing}")
    if key not in source.terms:
        items = _items(source)
        source.terms[key] = policy, policy.named(items, missing=missing)  # the policy, to keep its id
        outside = policy.outside(items)
        if outside:
            items_are = "item of the data is" if outside == 1 else "items of the data are"
            log.warning("%s %s not in the hierarchy: no group stands for them.", f"{outside:,}", items_are)
    return source.terms[key][1]


def _items(source: Source) -> list[str]:
    names: list[str] = []
    if source.folder is not None:
        from sordino.release.reading import read_folder
        from sordino.verify.folder import published_part
        from sordino.verify.keep import house_policy
        from sordino.verify.manifest_file import read_manifest

        data, published = read_folder(source.folder)
        own = house_policy(source.folder, read_manifest(published_part(source.folder)))
        names += [*_used(data if isinstance(data, Baskets) else data.baskets), *published.sensitive]
        names += getattr(own, "sensitive", ())
    for baskets in (source.data, source.original, *(release.baskets for release in source.previous)):
        names += [] if baskets is None else _used(baskets)
    return names


def _used(baskets: Baskets) -> list[str]:
    return [name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support]
