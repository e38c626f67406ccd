"""Possible values in a group, in plain Python: the verifier's own way, which shares nothing with the audit.

People are given by what they cannot have (whole numbers as sets of bits), values by their codes. First everybody is
given a value she may have, by augmenting paths. Then she may have another value v exactly if whoever has a v can be
made up for: if, following "may take" and "has" alternately from v, one comes back to people like her.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

__all__ = ["possible_counts"]


def possible_counts(excluded: Sequence[int], values: Sequence[int]) -> dict[int, int] | None:
    """For each excluded set of the group how many values its people may have; None if no assignment agrees."""
    people, wanted = Counter(excluded), Counter(values)
    has = _assign(people, wanted)
    if has is None:
        return None
    # v -> w: somebody who has a v may take a w instead
    follows = {v: {w for k in people if has[k].get(v) for w in wanted if not k >> w & 1} for v in wanted}
    reached = {v: _reach(v, follows) for v in wanted}
    counts = {}
    for k in people:
        own = {v for v, number in has[k].items() if number}
        counts[k] = sum(1 for v in wanted if not k >> v & 1 and (v in own or reached[v] & own))
    return counts


def _reach(start: int, follows: dict[int, set[int]]) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        for w in follows[waiting.pop()] - seen:
            seen.add(w)
            waiting.append(w)
    return seen


def _assign(people: Counter[int], wanted: Counter[int]) -> dict[int, dict[int, int]] | None:
    """How many of each kind of people get each value; None if somebody gets none."""
    left = dict(wanted)
    has: dict[int, dict[int, int]] = {k: {} for k in people}
    for k in sorted(people, key=lambda one: -one.bit_count()):
        rest = people[k]
        for v in left:
            if rest and left[v] and not k >> v & 1:
                number = min(rest, left[v])
                has[k][v] = number
                left[v] -= number
                rest -= number
        for _ in range(rest):
            if not _exchange(k, has, left):
                return None
    return has


def _exchange(source: int, has: dict[int, dict[int, int]], left: dict[int, int]) -> bool:
    """One more value for `source`, along a path on which others give theirs up for another."""
    came: dict[int, tuple[int, int | None]] = {}  # value -> (kind that takes it, value which that kind gives up)
    waiting: deque[tuple[int, int | None]] = deque([(source, None)])
    asked = {source}
    while waiting:
        kind, gives = waiting.popleft()
        for v in left:
            if v in came or kind >> v & 1:
                continue
            came[v] = kind, gives
            if left[v]:
                left[v] -= 1
                at: int | None = v
                while at is not None:
                    taker, given = came[at]
                    has[taker][at] = has[taker].get(at, 0) + 1
                    if given is not None:
                        has[taker][given] -= 1
                    at = given
                return True
            for other, held in has.items():
                if held.get(v) and other not in asked:
                    asked.add(other)
                    waiting.append((other, v))
    return False
