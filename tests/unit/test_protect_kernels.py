"""Kernels of the methods for baskets that only other kernels or one method use: small cases, answers by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import config, njit

import sordino
from doors import door
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect.kernels.common.decide import thin
from sordino.protect.kernels.jia.antecedents import suppress_part
from sordino.protect.kernels.jia.buffer import add_all, emptied, new_buffer, new_walk
from sordino.protect.kernels.jia.choices import new_scratch
from sordino.protect.kernels.jia.long_records import search_deep
from sordino.protect.kernels.jia.met import FOREVER, LINE, NEVER, items_of
from sordino.protect.kernels.jia.part import Part, suppress
from sordino.protect.kernels.jia.printed import suppress_as_printed
from sordino.protect.kernels.jia.sanitize import sanitize
from sordino.protect.kernels.personal.look import cut, has_bit, look_at
from sordino.protect.kernels.personal.naka import draw
from sordino.protect.kernels.personal.put_back import look_for_more, put_back
from sordino.protect.kernels.personal.repair_widely import repair_widely
from sordino.protect.kernels.personal.rounds import make_memory, repair_drawn
from sordino.protect.kernels.personal.state import best_part
from sordino.protect.kernels.twins.bases import inner_parts
from sordino.protect.kernels.twins.insert import People, insert, insert_whole
from sordino.protect.kernels.twins.places import fits, make, may_leave, may_open, new_places
from sordino.protect.partial import take_part
from sordino.protect.personal_workspace import PersonalWorkspace

DOWN = np.zeros(1, dtype=np.uint8)


# Twins: place 0 is {h}, place 1 the empty record; 0 is the one sensitive item, rho 1/2


def test_places_need_twins() -> None:
    one, two = np.ones(1, dtype=np.int64), np.full(1, 2, dtype=np.int64)
    places = new_places(np.array([1, 0], dtype=np.int32), 4, one, two)
    assert not door(may_open)(places, 0, 0)  # nobody shows {h}
    places.people[0] = 1
    assert door(may_open)(places, 0, 0)
    assert door(make)(places, 0, 0) == 2
    assert door(fits)(places, 2)
    places.people[2] = 1
    assert not door(fits)(places, 2)  # a second one needs a second twin
    assert not door(may_leave)(places, 0)
    places.people[0] = 2
    assert door(may_leave)(places, 0)
    assert door(may_open)(places, 1, 0)  # an item by itself needs nothing


def test_records_are_inserted_as_large_as_can_be() -> None:
    one, two = np.ones(1, dtype=np.int64), np.full(1, 2, dtype=np.int64)
    places = new_places(np.array([1, 0], dtype=np.int32), 8, one, two)
    people = People(
        np.zeros(4, dtype=np.int64),  # all of them have h
        np.array([0, 0, 0, 1, 2], dtype=np.int64),
        np.zeros(2, dtype=np.int32),  # the last two e as well
        np.zeros(3, dtype=np.int64),
        np.empty(0, dtype=np.int32),
    )
    shown = np.full(4, -1, dtype=np.int64)
    stack, rng = np.empty((8, 2), dtype=np.int64), np.array([1], dtype=np.int64)
    insert_whole(places, np.array([0], dtype=np.int64), people, shown, DOWN)
    insert(places, np.array([2, 3, 1], dtype=np.int64), people, shown, stack, rng, DOWN)
    assert shown.tolist() == [0, 0, 2, 0]  # the second with e found only one twin, who was taken
    assert places.people[:3].tolist() == [3, 0, 1]


def test_harmless_parts_inside_others() -> None:
    parts = [[0, 1, 2], [0, 2], [2]]
    ptr = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    items = np.array([x for part in parts for x in part], dtype=np.int32)
    mask = np.array([sum(1 << x for x in part) for part in parts], dtype=np.uint64)
    first = np.array([0, 1, 2], dtype=np.int32)
    first_ptr = np.array([0, 2, 2, 3], dtype=np.int64)
    for most, expected in ((1, []), (2, [1]), (3, [1, 2])):
        counts, found = inner_parts(
            0, 1, ptr, items, mask, np.full(3, most, dtype=np.int64), first_ptr, first, 9, 99, DOWN
        )  # fmt: skip
        assert (counts.tolist(), found.tolist()) == ([len(expected)], expected)


# Suppression


def test_what_is_least_worth_goes() -> None:
    out = np.zeros(4, dtype=np.bool_)
    door(thin)(4, 2, np.array([3.0, 1.0, 2.0, 4.0]), np.zeros(4, dtype=np.int64), out)
    assert out.tolist() == [False, True, True, False]


@pytest.fixture
def work() -> PersonalWorkspace:
    """The first two people find e sensitive; a -> e is 2 of 3."""
    baskets = Baskets.from_sets([set("ae"), set("abe"), set("ab")])
    policy = sordino.InferencePolicy([], "1/2", per_record={0: {"e"}, 1: {"e"}}).resolve(baskets, missing="accept")
    return PersonalWorkspace(baskets, policy, jobs=1, watch=Watch())


def test_the_best_part_without_a_disclosure(work: PersonalWorkspace) -> None:
    scratch, worth = work.rooms[0].scratch, np.zeros(4)
    worth[1], worth[2] = 1.0, 2.0
    scratch.bad[:4] = (0, 0b10, 0, 0)  # the first item discloses the second
    assert door(best_part)(scratch, 2, worth, np.int64(0)) == 0b10
    assert door(best_part)(scratch, 2, worth, np.int64(0b01)) == 0b01
    scratch.bad[:4] = 0
    assert door(best_part)(scratch, 2, worth, np.int64(0)) == 0b11


def test_a_look_finds_what_must_go_and_what_may_come_back(work: PersonalWorkspace) -> None:
    row = np.array([0, 1 << 3], dtype=np.uint64)
    assert [k for k in range(64) if door(has_bit)(row, np.int64(1), np.int64(k))] == [3]
    records = np.array([0], dtype=np.int64)
    look_at(work.state, records, 2, 0.0, work.rooms[0], work.found)
    assert cut(work.state, records, work.found) == 1
    assert next(iter(work.table())) in ({"a"}, {"e"})
    look_for_more(work.state, records, 2, 0.0, work.rooms[0], work.found)
    assert put_back(work.state, records, 2, 0.0, work.rooms[0], work.found) == 0


def test_the_generator_of_kernels() -> None:
    """splitmix64 from 0 begins with 0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4."""
    rng = np.zeros(1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        drawn = [int(door(draw)(rng, 1000)) for _ in range(2)]
    assert drawn == [0xE220A8397B1DCDAF % 1000, 0x6E789E6AA1B965F4 % 1000]


@pytest.mark.parametrize("widely", [True, False])
def test_one_adversary_is_kept_off(work: PersonalWorkspace, widely: bool) -> None:
    rank = {work.baskets.names[code]: r for r, code in enumerate(work.people.code)}
    users, known = np.array([0], dtype=np.int64), np.array([[rank["a"]]], dtype=np.int64)
    if widely:
        lost = repair_widely(work.state, work.sig, users, known)
    else:
        totals, seeds = np.array([7, 7], dtype=np.int64), np.zeros((1, 1), dtype=np.uint64)
        start, sizes = np.array([0, 1], dtype=np.int64), np.array([1], dtype=np.int64)
        found, gone = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        memory = make_memory(len(work.store.num))
        with np.errstate(over="ignore"):
            repair_drawn(work.state, work.sig, users, known.ravel(), start, sizes, totals, seeds, memory, found, gone)
        assert found.tolist() == [1]
        lost = int(gone[0])
    after = list(work.table())
    assert lost == 7 - sum(map(len, after)) == 1
    assert 2 * sum({"a", "e"} <= record for record in after) <= sum("a" in record for record in after)


# As published by Jia et al.


def part_of(records: list[str], rho: str) -> Part:
    baskets = Baskets.from_sets([set(record) for record in records])
    policy = sordino.InferencePolicy(["e"], rho).resolve(baskets)
    return take_part(baskets, policy, np.arange(len(baskets), dtype=np.int64), DOWN)[1]


def test_one_antecedent_is_made_safe() -> None:
    part = part_of(["ae", "ae", "a"], "1/2")
    e, number = door(suppress)(part, np.array([0], dtype=np.int32), False, np.random.default_rng(0))
    assert (e, number) == (1, 1)  # 2 of 3: one e goes
    assert part.sup.tolist() == [3, 1]
    assert door(suppress)(part, np.array([0], dtype=np.int32), False, np.random.default_rng(0))[1] == 0


def test_the_buffer_has_each_antecedent_once() -> None:
    """And of those that are safe it is known how many of their items may be deleted before they are looked at again."""
    part = part_of(["abe", "abe", "a"], "1/2")

    def filled(part: Any, rng: Any) -> Any:
        buffer, walk = emptied(new_buffer(part, 1)), new_walk(part, 2)  # it grows
        for record in (0, 1):
            buffer = add_all(part, buffer, walk, record, 2)
        lines = buffer.met.about[:6, LINE].copy()
        return buffer, lines, sanitize(part, buffer, new_scratch(part), False, rng)

    buffer, lines, found = (filled if config.DISABLE_JIT else njit(filled))(part, np.random.default_rng(0))
    assert buffer.length.tolist() == [6, 3]
    qids = [door(items_of)(buffer.met, number).tolist() for number in buffer.number[:6]]
    assert qids == [[0], [0, 1], [0, 2], [1], [1, 2], [2]]
    assert buffer.unsafe[:3].tolist() == [0, 1, 3]  # a, ab and b: e is in two of three records, and of two
    assert lines.tolist() == [NEVER, NEVER, FOREVER, NEVER, FOREVER, FOREVER]
    assert found
    assert part.sup.tolist() == [3, 2, 1]  # one e suffices for all three
    assert buffer.met.about[:6, LINE].tolist() == [1, 0, FOREVER, 0, FOREVER, FOREVER]  # e in one: two are enough
    assert suppress_as_printed(part, 2, 100, False, np.random.default_rng(0)) == 1


def test_a_part_is_made_safe() -> None:
    part = part_of(["ae", "ae", "a"], "1/2")
    assert suppress_part(part, 2, 4, 100, False, np.random.default_rng(0)) == 2  # the second pass found nothing
    assert part.sup.tolist() == [3, 1]
    long = part_of(["abce", "abe", "bc"], "0.3")
    deleted = np.zeros(len(long.sup), dtype=np.int64)
    search_deep(long, 0, 3, False, np.random.default_rng(0), deleted)
    held = [
        {int(x) for x in long.items[long.ptr[r] : long.ptr[r] + long.size[r]]} for r in range(3)
    ]  # every antecedent of the first record is safe now
    for q in ({x} for x in held[0] - {3}):
        with_e = sum(q | {3} <= record for record in held)
        assert 3 not in held[0] or 10 * with_e <= 3 * sum(q <= record for record in held)
    assert long.total[0] < long.total[1]
