"""`twins`: everybody has equals but for each sensitive item; so knowing what a person lacks tells nothing either.

**Guarantee.** Let n(W) be the number of published records that are *equal* to W. The result has, for every non-empty W
and every sensitive e outside of it, (den - num) * n(W + e) <= num * n(W), with rho_e = num / den. Then whoever knows
of a person any items that she has (one at least) and any that she lacks is at most rho_e sure of e; and so is whoever
knows anything else that is true or false about her other items ("milk or bread", "three of these five").

**Why.** Which records agree with such knowledge does not depend on e. So these records are a union of pairs {W, W + e}
with all that are equal to them; in each pair the share of e is at most rho_e, hence in the union. Where the condition
fails for some W, knowing W and the absence of all the rest discloses e.

**How.** Deleting is not monotone here: a deletion can take somebody's twin away. So the table is built by insertion.
Those who have nothing sensitive come first, as they are; then the others, short ones first, each with the largest part
that fits (kernels/twins/). Who comes later only adds to the twins of those before, so what is in stays safe, and the
harmless part of a record always fits. Then sweeps: who lost something, and is not needed where he is, moves to a place
that is as large or larger. People who share a harmless part and are safe among themselves stay as they are from the
beginning: their records can concern only each other. With `improve` further sweeps follow, in which everybody who is
not needed where he is draws a place among all that fit, larger ones much more often (heat.py); the best moment counts.

With only_sensitive nothing harmless is deleted: then a missing harmless item says nothing about why (docs/promise.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.index import by_rarity, equal_records
from sordino.audit.twins import unsafe_records
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.protect import heat
from sordino.protect.kernels.twins.bases import inner_parts
from sordino.protect.kernels.twins.insert import People, insert, insert_whole, sweep
from sordino.protect.kernels.twins.places import Places, items_of, new_places
from sordino.protect.kernels.twins.wander import wander
from sordino.protect.registry import is_true

__all__ = ["protect"]

SWEEPS = 8  # if the option does not say
INNER = 256  # harmless parts inside one, of which its records may choose
EFFORT = 20_000  # parts looked at to find these
MORE = 4  # times as many places may be made where sweeps improve the table
STEP = 20_000  # records between two reports of progress

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets in which the policy holds, whatever is known of absence; between equally good places the seed decides."""
    sweeps = _whole_number(options.get("sweeps", SWEEPS), "sweeps")
    improving = heat.sweeps(options.get("improve", 0))
    only_sensitive = is_true(options.get("only_sensitive", False), "only_sensitive")
    watch.report("looking for twins", 0, 0)
    people = _people(baskets, policy, watch)
    watch.check()
    at_risk = unsafe_records(baskets, policy)
    watch.check()
    if not at_risk.any():
        return baskets
    unsafe_root = np.zeros(people.parts + 1, dtype=np.bool_)
    unsafe_root[people.root[at_risk]] = True
    inner = _inner(people, jobs, watch, none=only_sensitive)
    wanting = People(people.root, people.item_ptr, people.items, *inner)
    whole = ~unsafe_root[people.root]
    entries = int(np.diff(people.item_ptr)[whole].sum())
    places = new_places(
        np.append(np.diff(people.part_ptr), 0).astype(np.int32),
        int(whole.sum())
        + entries
        + _room(len(baskets) * (1 + min(improving, MORE))),  # the first two are what `insert_whole` may need
        policy.num[people.code],
        policy.den[people.code],
    )
    shown = np.full(len(baskets), -1, dtype=np.int64)
    by_length = np.argsort(baskets.lengths, kind="stable").astype(np.int64)
    harmless = np.diff(people.item_ptr)[by_length] == 0
    as_it_is = by_length[whole[by_length]]
    watch.call(insert_whole, places, as_it_is, wanting, shown, watch.stop)
    to_do = np.concatenate([by_length[harmless], by_length[~harmless]])
    to_do = to_do[~whole[to_do]]
    widest = int(np.diff(people.item_ptr).max(initial=0))
    stack = np.empty(((widest + 1) * (len(baskets).bit_length() + 3), 2), dtype=np.int64)
    rng = np.array([1 + np.random.default_rng(seed).integers(2**31 - 3)], dtype=np.int64)
    common: tuple[Any, ...] = (wanting, shown, stack, rng, watch.stop)
    _in_steps(insert, to_do, places, common, watch, "inserting")
    lossy = to_do[::-1].copy()  # long ones first
    seen, changed = np.full(len(baskets), -1, dtype=np.int64), np.zeros(people.parts + 1, dtype=np.int64)
    common = (*common, seen, changed, np.zeros(1, dtype=np.int64))
    for number in range(sweeps):
        gained = _in_steps(sweep, lossy, places, common, watch, f"moving, sweep {number + 1} of {sweeps}")
        if gained == 0 and number > 0:  # the first one may have made room that it has not used itself
            break
    shown = _improved(places, to_do, wanting, shown, stack, rng, number=improving, seed=seed, watch=watch)
    return _published(baskets, people, places, shown)


def _improved(
    places: Places,
    record: I64,
    people: People,
    shown: I64,
    stack: I64,
    lots: I64,
    *,
    number: int,
    seed: int,
    watch: Watch,
) -> I64:
    """What is shown after so many sweeps in which all these records draw their place anew, at the best moment.

    Before and after every visit everybody has enough twins; so Ctrl-C ends the sweeps at any time.
    """
    order = np.random.default_rng(seed)
    wanted = int(places.size[people.root[record]].sum() + np.diff(people.item_ptr)[record].sum())
    lost = least = wanted - int(places.size[shown[record]].sum())
    best = shown.copy()
    with watch.until_enough() as enough:
        for k in range(number if lost else 0):
            watch.report(f"improving ({least:,} deleted)", k, number)
            weight = heat.weights(k, number)
            turn = order.permutation(record)
            lost -= watch.call(wander, places, turn, people, shown, stack, lots, weight, watch.stop, enough)
            if lost < least:
                least, best = lost, shown.copy()
            if enough[0]:
                watch.report(f"ended after {k:,} sweeps ({least:,} deleted)", k, number)
                watch.ended_early.append(f"during sweep {k + 1:,} of {number:,}")
                break
    return best


@dataclass(frozen=True, eq=False)
class _People:
    """Records as a harmless part (a number; the last one is the empty part) and sensitive items; all items as ranks."""

    root: I64  # by record: its harmless part
    part_ptr: I64  # part b holds part_items[part_ptr[b]:part_ptr[b + 1]], rarest first
    part_items: I32
    item_ptr: I64  # record u has the sensitive items[item_ptr[u]:item_ptr[u + 1]]
    items: I32
    code: I32  # rank -> code

    @property
    def parts(self) -> int:
        return len(self.part_ptr) - 1


def _people(baskets: Baskets, policy: ResolvedInference, watch: Watch) -> _People:
    code, rank = by_rarity(baskets.supports)
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    keys = owner * max(len(code), 1) + rank[baskets.items]
    watch.check()
    keys.sort()  # records stay where they are
    ranks = (keys % max(len(code), 1)).astype(np.int32)
    secret = policy.sensitive[code[ranks]]
    watch.check()
    open_ptr, open_items = _rows(owner[~secret], ranks[~secret], len(baskets))
    item_ptr, items = _rows(owner[secret], ranks[secret], len(baskets))
    part, first = equal_records(open_ptr, open_items)
    watch.check()
    lengths = np.diff(open_ptr)[first]
    part_ptr = np.zeros(len(first) + 1, dtype=np.int64)
    np.cumsum(lengths, out=part_ptr[1:])
    places = np.arange(int(part_ptr[-1])) + np.repeat(open_ptr[first] - part_ptr[:-1], lengths)
    root = np.where(part < 0, len(first), part).astype(np.int64)
    return _People(root, part_ptr, open_items[places], item_ptr, items, code)


def _rows(owner: I64, ranks: I32, records: int) -> tuple[I64, I32]:
    ptr = np.zeros(records + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=records), out=ptr[1:])
    return ptr, ranks


def _inner(people: _People, jobs: int, watch: Watch, *, none: bool) -> tuple[I64, I32]:
    """For each harmless part those inside it that may be worth its while, the empty one last."""
    parts = people.parts
    own = np.diff(people.item_ptr)
    most = np.zeros(parts + 1, dtype=np.int64)
    np.maximum.at(most, people.root, own)
    ptr = np.zeros(parts + 2, dtype=np.int64)
    if none or not parts:
        return ptr, np.empty(0, dtype=np.int32)
    sizes = np.diff(people.part_ptr)
    owner = np.repeat(np.arange(parts), sizes)
    mask = np.zeros(parts, dtype=np.uint64)
    np.bitwise_or.at(mask, owner, np.uint64(1) << (people.part_items % 64).astype(np.uint64))
    opening = people.part_items[people.part_ptr[:-1]]
    first = np.argsort(opening, kind="stable").astype(np.int32)
    first_ptr = np.searchsorted(opening[first], np.arange(len(people.code) + 1)).astype(np.int64)
    edges = np.unique(np.linspace(0, parts, 65).astype(np.int64)).tolist()
    chunks = list(enumerate(pairwise(edges)))
    found: list[tuple[I64, I32]] = [(np.empty(0, np.int64), np.empty(0, np.int32))] * len(chunks)

    def look(_: int, chunk: tuple[int, tuple[int, int]]) -> None:
        number, (lo, hi) = chunk
        found[number] = inner_parts(
            lo, hi, people.part_ptr, people.part_items, mask, most, first_ptr, first, INNER, EFFORT, watch.stop
        )

    run_chunks(look, chunks, jobs, watch=watch, after=lambda done: watch.report("harmless parts", done, len(chunks)))
    counts = np.concatenate([count for count, _ in found])
    inside = np.concatenate([part for _, part in found])
    empty = most[:parts] > sizes  # with nothing harmless shown, only who has more sensitive items gains
    ptr[1 : parts + 1] = np.cumsum(counts + empty)
    ptr[parts + 1] = ptr[parts]
    inner = np.full(int(ptr[-1]), parts, dtype=np.int32)
    taken = np.ones(len(inner), dtype=np.bool_)
    taken[ptr[1 : parts + 1][empty] - 1] = False
    inner[taken] = inside
    return ptr, inner


def _in_steps(kernel: Any, record: I64, places: Any, common: tuple[Any, ...], watch: Watch, phase: str) -> int:
    """The kernel for all records in turn, with word of progress; the sum of what it returns."""
    total = 0
    for start in range(0, len(record), STEP):
        watch.report(phase, start, len(record))
        total += watch.call(kernel, places, record[start : start + STEP], *common) or 0
    return total


def _published(baskets: Baskets, people: _People, places: Any, shown: I64) -> Baskets:
    """The records as they are shown."""
    edge_ptr, edge_items = items_of(places)
    part = places.base[shown]
    part_ptr = np.append(people.part_ptr, people.part_ptr[-1])
    harmless_owner, harmless = _spread(part_ptr, people.part_items, part)
    secret_owner, secret = _spread(edge_ptr, edge_items, shown)
    owner = np.concatenate([harmless_owner, secret_owner])
    codes = people.code[np.concatenate([harmless, secret])]
    result = Baskets.from_pairs(owner, codes, baskets.names, len(baskets), ids=baskets.ids, origin=baskets.origin)
    return replace(result, repeated=baskets.repeated)


def _spread(ptr: I64, items: I32, rows: I64) -> tuple[I64, I32]:
    """The items of the given rows, and for each the position in `rows` that it comes from."""
    lengths = ptr[rows + 1] - ptr[rows]
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    ends = np.cumsum(lengths)
    places = np.arange(len(owner)) - np.repeat(ends - lengths, lengths) + np.repeat(ptr[rows], lengths)
    return owner, items[places]


def _room(records: int) -> int:
    """How many places may be made on the way. If there are no more, only those that are there are used."""
    return records + 1024


def _whole_number(value: Any, name: str) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = -1
    if number < 0:
        raise InputError(f"{name} must be a whole number, 0 or more")
    return number
