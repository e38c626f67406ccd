"""The kernels of the closer bounds: utility/kernels/lattice.py, prices.py, equals.py and personal_kept.py."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doors import door
from sordino.utility.kernels.around import EVERYBODY, Unit, minded_by
from sordino.utility.kernels.equals import Others, choose_one, refuse_larger, settle_equals, sizes_of_nodes
from sordino.utility.kernels.lattice import (
    IMPOSSIBLE,
    LISTED,
    NONE,
    OPEN,
    Units,
    count_inside,
    nodes_inside,
    number_nodes,
)
from sordino.utility.kernels.personal_kept import is_possible_for
from sordino.utility.kernels.prices import SCALE, Market, add_subsets, choose, move_prices

Sets = list[frozenset[int]]
STOP = np.zeros(1, dtype=np.uint8)
WIDTH = 9


def pointers(sizes: list[int]) -> np.ndarray:
    return np.cumsum([0, *sizes]).astype(np.int64)


def units_of(records: Sets) -> Units:
    """Units whose only listed part is the whole."""
    state = np.concatenate([np.array([OPEN] * ((1 << len(r)) - 1) + [LISTED], dtype=np.uint8) for r in records])
    items = np.array([x for record in records for x in sorted(record)], dtype=np.int32)
    sizes = [len(record) for record in records]
    many = np.arange(len(records))
    return Units(pointers(sizes), items, many, np.ones_like(many), pointers([1 << n for n in sizes]), state)


def parts(record: frozenset[int], most: int) -> set[frozenset[int]]:
    sizes = range(1, min(len(record), most) + 1)
    return {frozenset(part) for part in chain.from_iterable(combinations(sorted(record), n) for n in sizes)}


records_of = st.lists(st.frozensets(st.integers(0, WIDTH - 1), min_size=2, max_size=5), min_size=1, max_size=6)


@given(records_of, st.frozensets(st.integers(0, WIDTH - 1), max_size=4), st.integers(1, 5))
def test_nodes_are_all_parts_and_rules_all_that_lead_between_them(
    records: Sets, secrets: frozenset[int], known: int
) -> None:
    sensitive = np.isin(np.arange(WIDTH), list(secrets))
    nodes = number_nodes(units_of(records), sensitive, known, 10_000, STOP)
    wanted = set().union(*(parts(record, known + 1) for record in records))
    rules = [(q, e) for q in wanted for e in q & secrets if len(q) > 1]
    assert nodes.size.tolist() == [len(wanted) + 1, len(rules)]
    # what each node is: the rows that have just one set inside of which it is the last node
    listed = sorted(wanted, key=lambda part: (len(part), sorted(part)))
    rows = np.array([x for part in listed for x in sorted(part)], dtype=np.int32)
    begin, inside = nodes_inside(nodes, WIDTH, pointers([len(part) for part in listed]), rows, STOP)
    number: dict[frozenset[int], int] = {}
    for k, part in enumerate(listed):
        own = set(inside[begin[k] : begin[k + 1]].tolist())
        assert len(own) == len(parts(part, known + 1))
        number[part] = next(iter(own - {number[smaller] for smaller in parts(part, len(part) - 1) if len(part) > 1}))
    assert len(set(number.values())) == len(wanted)
    found = {(int(nodes.source[k]), int(nodes.target[k]), int(nodes.about[k])) for k in range(len(rules))}
    assert found == {(number[q - {e}], number[q], e) for q, e in rules}
    for part, node in number.items():
        assert nodes.rarest[node] == min(part & secrets, default=NONE)
    support = np.zeros(len(wanted) + 1, dtype=np.int64)
    weight = np.arange(1, len(records) + 1)
    table = units_of(records)
    count_inside(nodes, WIDTH, table.ptr, table.items, weight, support, STOP)
    for part, node in number.items():
        assert support[node] == sum(int(weight[k]) for k, record in enumerate(records) if part <= record)


@given(st.integers(0, 5), st.randoms(use_true_random=False))
def test_entries_of_smaller_parts_are_added(n: int, random: object) -> None:
    drawn = [random.randint(-9, 9) for _ in range(1 << n)]  # type: ignore[attr-defined]
    table = np.array(drawn, dtype=np.int64)
    door(add_subsets)(table, n)
    assert table.tolist() == [sum(drawn[v] for v in range(1 << n) if v & w == v) for w in range(1 << n)]


def test_a_unit_shows_what_is_worth_most() -> None:
    """Two items a, e; showing both costs one and a half items at the node {a, e}, so one of them is shown."""
    units = units_of([frozenset({0, 1})])
    node = np.array([0, 1, 2, 3], dtype=np.int32)
    value, chosen = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    gain, pay = np.zeros(4, dtype=np.int64), np.array([0, 0, 0, SCALE * 3 // 2], dtype=np.int64)
    choose(0, 1, units, node, gain, pay, value, chosen, STOP)
    assert (value.tolist(), chosen.tolist()) == ([SCALE], [1])
    gain[1] = SCALE  # who shows a is paid an item: both are worth 2 + 1 - 1.5, a alone 1 + 1
    choose(0, 1, units, node, gain, pay, value, chosen, STOP)
    assert (value.tolist(), chosen.tolist()) == ([2 * SCALE], [1])
    pay[3] = SCALE // 2
    choose(0, 1, units, node, gain, pay, value, chosen, STOP)
    assert (value.tolist(), chosen.tolist()) == ([5 * SCALE // 2], [3])


def test_prices_rise_where_a_rule_is_broken_and_are_never_below_nothing() -> None:
    """The rule from node 1 to node 2 demands 1 * with <= 2 * without."""
    one = np.ones(1, dtype=np.int64)
    market = Market(one, 2 * one, one, 2 * one, np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros(1))
    gain, pay = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    alibi, has = np.array([0, 3, 3]), np.array([0, 3, 3])  # three show both, nobody node 1 alone
    move_prices(market, alibi, has, 0.1, 0.0, True, gain, pay)
    price = int(market.price[0])
    assert 0 < price <= SCALE // 10
    assert (gain.tolist(), pay.tolist()) == ([0, price, 0], [0, 0, price + price // 2])
    for _ in range(50):  # now there are alibis to spare
        move_prices(market, np.array([0, 9, 1]), np.array([0, 1, 1]), 0.1, 0.0, True, gain, pay)
    assert market.price[0] == 0
    assert not gain.any()
    assert not pay.any()


def test_what_somebody_minds_is_read_from_bits() -> None:
    """Items 4, 5, 6, 7: minded by nobody, by everybody, by class 70 alone, by class 3 alone."""
    row = np.array([0, 0, 0, 0, -1, EVERYBODY, 0, 1])
    wish = np.zeros((2, 2), dtype=np.uint64)
    wish[0, 1], wish[1, 0] = 1 << 6, 1 << 3
    items = np.array([4, 5, 6, 7])
    assert door(minded_by)(Unit(items, 0, 4, 0, 0), 70, row, wish) == 0b0110
    assert door(minded_by)(Unit(items, 0, 4, 0, 0), 3, row, wish) == 0b1010
    assert door(minded_by)(Unit(items, 1, 3, 0, 0), 70, row, wish) == 0b011


def test_only_what_is_asked_about_needs_alibis() -> None:
    """A part of two items; each needs two alibis. One other has both, one has the first alone."""
    need, support = np.array([2, 2]), np.array([0, 2, 1, 1], dtype=np.int64)
    nobody, first, second = np.zeros(4, np.int64), np.array([0, 0, 0b01, 0]), np.array([0, 0b10, 0, 0])
    assert door(is_possible_for)(3, 2, need, support, nobody)
    assert not door(is_possible_for)(3, 2, need, support, first)  # who has the second: only the one who has both
    assert door(is_possible_for)(3, 2, need, support, second)  # the one with the first alone, and the other one
    assert not door(is_possible_for)(3, 2, need, support, first | second)


def test_each_record_counts_for_one_set_of_equals() -> None:
    """{a, b} twice, of which one item can be kept; beside it seven and three others, who may show something else."""
    units = units_of([frozenset({0, 1})])
    refuse_larger(units, np.array([1]))
    assert units.state.tolist() == [OPEN, OPEN, OPEN, IMPOSSIBLE]
    node, size = np.array([0, 1, 2, 3]), np.zeros(4, dtype=np.int64)
    sizes_of_nodes(units, node, size)
    assert size.tolist() == [0, 1, 1, 2]
    gain, pay = np.array([0, 0, 5, SCALE * 9]), np.array([0, 3, 0, 0])
    value, chosen = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    choose_one(0, 1, units, node, gain, pay, value, chosen, STOP)
    assert (value.tolist(), chosen.tolist()) == ([SCALE + 5], [2])  # just {b}; both together are impossible
    others = Others(np.array([2, 1]), np.array([7, 3]), np.array([0, 1, 2]), np.array([1, 2]))
    has = np.full(4, 99, dtype=np.int64)
    total = settle_equals(units, node, np.array([2]), others, size, gain, pay, has, value, chosen, STOP)
    # The seven show two items that matter to nobody; the three show {b} for its gain.
    assert total == 2 * (SCALE + 5) + 7 * 2 * SCALE + 3 * (SCALE + 5)
    assert has.tolist() == [0, 0, 5, 0]
