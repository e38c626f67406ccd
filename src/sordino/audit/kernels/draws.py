"""Items of people drawn by lot, with the random numbers of NumPy's PCG64, of which only those are made that count.

Every person of a draw has a row of random numbers, one for each of his items and, because rows are equally long, many
more that nobody looks at: the longest record has a hundred items, most have five. Here the generator is moved over
these (O'Neill 2014, 4.3.1: n steps at once are one multiplication and one addition mod 2^128). What is drawn, and where
the generator then stands, is as if all of them had been made; tests/unit/test_draws.py compares with NumPy.
"""

from __future__ import annotations

import numpy as np

from sordino.engine.kernels.compiled import inner, kernel

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
HIGH, LOW = np.uint64(MULTIPLIER >> 64), np.uint64(MULTIPLIER & (2**64 - 1))
HALF, WORD = np.uint64(32), np.uint64(0xFFFFFFFF)
UNIT = 1.0 / 9007199254740992.0  # of 53 random bits


@inner
def times(a_high, a_low, b_high, b_low):  # type: ignore[no-untyped-def]
    """The product mod 2^128, as two words."""
    a1, a0, b1, b0 = a_low >> HALF, a_low & WORD, b_low >> HALF, b_low & WORD
    middle = a1 * b0 + (a0 * b0 >> HALF)
    other = a0 * b1 + (middle & WORD)
    high = a1 * b1 + (middle >> HALF) + (other >> HALF)
    return high + a_high * b_low + a_low * b_high, a_low * b_low


@inner
def plus(a_high, a_low, b_high, b_low):  # type: ignore[no-untyped-def]
    """The sum mod 2^128, as two words."""
    low = a_low + b_low
    return a_high + b_high + np.uint64(low < a_low), low


@kernel
def jumps(state, longest):  # type: ignore[no-untyped-def]
    """By n, up to `longest`: factor and term (two words each) by which n steps move the generator state[:2].

    state[2:] is the term of one step.
    """
    table = np.zeros((longest + 1, 4), dtype=np.uint64)
    table[0, 1] = np.uint64(1)
    for n in range(longest):
        factor = times(table[n, 0], table[n, 1], HIGH, LOW)
        term = times(table[n, 2], table[n, 3], HIGH, LOW)
        term = plus(term[0], term[1], state[2], state[3])
        table[n + 1, 0], table[n + 1, 1] = factor
        table[n + 1, 2], table[n + 1, 3] = term
    return table


@inner
def move(state, table, n):  # type: ignore[no-untyped-def]
    """Moves the generator by n steps."""
    product = times(state[0], state[1], table[n, 0], table[n, 1])
    state[0], state[1] = plus(product[0], product[1], table[n, 2], table[n, 3])


@inner
def next_number(state):  # type: ignore[no-untyped-def]
    """Moves the generator by a step; a number from 0 to below 1 (the output function XSL RR)."""
    product = times(state[0], state[1], HIGH, LOW)
    state[0], state[1] = plus(product[0], product[1], state[2], state[3])
    mixed, turn = state[0] ^ state[1], state[0] >> np.uint64(58)
    word = mixed >> turn | mixed << (np.uint64(64) - turn & np.uint64(63))
    return np.float64(word >> np.uint64(11)) * UNIT


@kernel
def pick_items(indptr, items, rank, people, width, state, table, out):  # type: ignore[no-untyped-def]
    """out[i] gets the ranks of those items of people[i] that have the smallest of his random numbers, ascending.

    Each person takes `width` numbers, at least as many as he has items; at least out.shape[1] of these he has.
    """
    size = out.shape[1]
    least = np.empty(size, dtype=np.float64)
    place = np.empty(size, dtype=np.int64)
    for i in range(len(people)):
        start = indptr[people[i]]
        length = indptr[people[i] + 1] - start
        kept = 0
        for k in range(length):
            number = next_number(state)
            if kept == size and number >= least[size - 1]:
                continue
            at = kept if kept < size else size - 1
            while at > 0 and least[at - 1] > number:
                least[at], place[at] = least[at - 1], place[at - 1]
                at -= 1
            least[at], place[at] = number, start + k
            kept = min(kept + 1, size)
        move(state, table, width - length)
        for t in range(size):
            r = np.int64(rank[items[place[t]]])
            at = t
            while at > 0 and out[i, at - 1] > r:
                out[i, at] = out[i, at - 1]
                at -= 1
            out[i, at] = r
