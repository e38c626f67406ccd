"""What a steward should mind that no verdict about single records shows: properties of the data as a whole.

Each caution is plain data with a `kind`; words/cautions.py says what it means and what to do. All of them are cheap: a
look at names and lengths, a search for groups of items of which every record holds exactly one, with a budget, and one
for items that are never beside a sensitive one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.spilled import Spilled
from sordino.policy.inference import ResolvedInference

__all__ = ["cautions", "excluding", "one_each"]

ENOUGH = 20  # records, below which all of one length, or one of each, is an accident
WIDEST = 12  # items of a group of which every record holds one
BUDGET = 2_000  # items that are tried in the search for groups
CHANCE = 20  # records in which two items would be together by chance, from which on it says something that none is
LOOKED = 100  # sensitive items, the most frequent ones, whose records are looked through for that,
READ = 50_000_000  # and entries that are read for it
TOLD = 5  # groups, or names, that are told

Caution = dict[str, Any]
Bools = npt.NDArray[np.bool_]

EVENTS = re.compile(
    r"order|invoice|basket|ticket|session|visit|trip|receipt|transaction|encounter|admission|stay|claim|purchase", re.I
)
PEOPLE = re.compile(r"person|patient|customer|client|user|member|subject|people|household|employee|student|name", re.I)


def cautions(baskets: Baskets | Spilled, policy: ResolvedInference) -> tuple[Caution, ...]:
    """What to mind about these data under this policy; groups and lengths only where absence is taken to be unknown,
    and records are at hand."""
    return tuple(_found(baskets, policy))


def _found(baskets: Baskets | Spilled, policy: ResolvedInference) -> Iterator[Caution]:
    if policy.policy.absent is None and isinstance(baskets, Baskets):
        sensitive = {baskets.names[c] for c in np.flatnonzero(policy.sensitive)}
        groups = [group for group in one_each(baskets) if sensitive.intersection(group)]
        if groups:
            told = [{"items": list(g), "sensitive": sorted(sensitive.intersection(g))} for g in groups[:TOLD]]
            yield {"kind": "one_each", "groups": told, "of": len(groups)}
        apart = excluding(baskets, policy.sensitive, groups)
        if apart:
            told_pairs = [{"pairs": list(names), "by_chance": chance} for *names, chance in apart[:TOLD]]
            yield {"kind": "exclude", "found": told_pairs, "of": len(apart)}
        if not groups and len(baskets) >= ENOUGH and int(baskets.lengths.min()) == int(baskets.lengths.max()) > 1:
            yield {"kind": "one_length", "length": int(baskets.lengths[0])}
    alike = _alike(baskets, policy)
    if alike:
        yield {"kind": "names_alike", "names": [list(names) for names in alike[:TOLD]], "of": len(alike)}
    column = baskets.origin.record
    if column is not None and EVENTS.search(column) and not PEOPLE.search(column):
        other = next((name for name in baskets.origin.unused if PEOPLE.search(name)), None)
        yield {"kind": "not_persons", "column": column, "instead": other}


def excluding(baskets: Baskets, sensitive: Bools, groups: Sequence[tuple[str, ...]] = ()) -> list[tuple[str, str, int]]:
    """Pairs of a sensitive item and another that no record holds together, though by chance CHANCE would or more.

    With how many that would be, the most first. Pairs of the groups are left out.
    """
    supports, records = baskets.supports, len(baskets)
    known = {frozenset(pair) for group in groups for pair in itertools.combinations(group, 2)}
    asked = np.flatnonzero(sensitive & (supports > 0))
    owner = np.repeat(np.arange(records), baskets.lengths)
    found: dict[frozenset[str], tuple[str, str, int]] = {}
    room = min(LOOKED, max(1, READ // max(baskets.occurrences, 1)))
    for code in asked[np.argsort(-supports[asked], kind="stable")][:room].tolist():
        chance = supports * int(supports[code]) // max(records, 1)
        if not (np.delete(chance, code) >= CHANCE).any():
            break  # nor does any that is rarer
        holds = np.zeros(records, dtype=np.bool_)
        holds[owner[baskets.items == code]] = True
        beside = np.bincount(baskets.items[holds[owner]], minlength=len(baskets.names))
        for other in np.flatnonzero((beside == 0) & (chance >= CHANCE)).tolist():
            pair = (baskets.names[code], baskets.names[other])
            if frozenset(pair) not in known:
                found.setdefault(frozenset(pair), (*pair, int(chance[other])))
    return sorted(found.values(), key=lambda one: (-one[2], one[:2]))


def _alike(baskets: Baskets | Spilled, policy: ResolvedInference) -> list[tuple[str, ...]]:
    """Names that differ in case or blanks only, first those of which some are sensitive and some are not."""
    by: dict[str, list[int]] = {}
    for code in np.flatnonzero(baskets.supports).tolist():
        by.setdefault(" ".join(baskets.names[code].casefold().split()), []).append(code)
    twins = [codes for codes in by.values() if len(codes) > 1]
    mixed = [len(set(policy.sensitive[codes].tolist())) > 1 for codes in twins]
    order = sorted(range(len(twins)), key=lambda k: (not mixed[k], baskets.names[twins[k][0]]))
    return [tuple(baskets.names[c] for c in twins[k]) for k in order]


def one_each(baskets: Baskets) -> list[tuple[str, ...]]:
    """Groups of 2 to WIDEST items of which every record holds exactly one, as the values of an attribute do.

    Every group holds exactly one item of each record, so also of the shortest one, and of the shortest one that is not
    covered yet: only these are tried. All groups are found, unless the budget ends.
    """
    records = len(baskets)
    if records < ENOUGH or int(baskets.lengths.min()) == 0:
        return []
    supports = baskets.supports
    largest = np.concatenate(([0], np.cumsum(np.sort(supports)[::-1][:WIDEST])))
    by_length = np.argsort(baskets.lengths, kind="stable")
    holders: dict[int, Bools] = {}
    found: list[tuple[int, ...]] = []
    left = BUDGET

    def members(item: int) -> Bools:
        if item not in holders:
            mask = np.zeros(records, dtype=np.bool_)
            places = np.flatnonzero(baskets.items == item)
            mask[np.searchsorted(baskets.indptr, places, side="right") - 1] = True
            holders[item] = mask
        return holders[item]

    def extend(chosen: tuple[int, ...], covered: Bools, total: int) -> None:
        nonlocal left
        if total == records:
            found.append(chosen)
            return
        room = WIDEST - len(chosen)
        record = int(by_length[np.argmin(covered[by_length])])
        for item in baskets.items[baskets.indptr[record] : baskets.indptr[record + 1]].tolist():
            with_item = total + int(supports[item])
            if room < 1 or with_item > records or with_item + int(largest[min(room - 1, len(largest) - 1)]) < records:
                continue
            left -= 1
            if left < 0:
                return
            mine = members(item)
            if not (mine & covered).any():
                extend((*chosen, item), mine | covered, with_item)

    extend((), np.zeros(records, dtype=np.bool_), 0)
    return [tuple(baskets.names[c] for c in sorted(group)) for group in found if len(group) > 1]
