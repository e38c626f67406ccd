"""A second judge for tables too large for the oracle: every subset of every record is counted once, by its bits.

Like the oracle it imports nothing of sordino and no numpy; `test_audit_oracle` holds the two judges against each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Judgement:
    """All there is to know: disclosures (q, e) -> (sup(q), sup(q + e)); people at risk by the fewest known items."""

    disclosures: Mapping[tuple[frozenset[str], str], tuple[int, int]]
    exposure: Mapping[str, int]

    @property
    def holds(self) -> bool:
        return not self.disclosures

    @property
    def people(self) -> int:
        return sum(self.exposure.values())


def judge(records: Sequence[AbstractSet[str]], rho_of: Mapping[str, Fraction], m: int | None = None) -> Judgement:
    """model.md 1.1 by counting; `rho_of` names the sensitive items."""
    names, found, exposure = _counted(records, rho_of, m)
    spelled = {
        (frozenset(names[k] for k in range(len(names)) if q >> k & 1), names[bit.bit_length() - 1]): counts
        for (q, bit), counts in found.items()
    }
    return Judgement(spelled, exposure)


def exposure_of(
    records: Sequence[AbstractSet[str]], rho_of: Mapping[str, Fraction], m: int | None = None
) -> Mapping[str, int]:
    """The same without the names, which are most of the work where records are long."""
    return _counted(records, rho_of, m)[2]


def _counted(
    records: Sequence[AbstractSet[str]], rho_of: Mapping[str, Fraction], m: int | None
) -> tuple[list[str], dict[tuple[int, int], tuple[int, int]], dict[str, int]]:
    """Names by bit, disclosures in bits, and people at risk."""
    names = sorted({item for record in records for item in record})
    bit_of = {name: 1 << k for k, name in enumerate(names)}
    weights = Counter(sum(bit_of[item] for item in record) for record in records)
    sup: Counter[int] = Counter()
    for record, weight in weights.items():
        for subset in _subsets(record):
            sup[subset] += weight
    found: dict[tuple[int, int], tuple[int, int]] = {}
    fewest: dict[int, int] = {}  # by q + e: the fewest items that disclose something in it
    limits = {bit_of[e]: rho.as_integer_ratio() for e, rho in rho_of.items() if e in bit_of}
    for both, count in sup.items():
        size = both.bit_count() - 1
        if size == 0 or (m is not None and size > m):
            continue
        rest = both
        while rest:
            bit = rest & -rest
            rest ^= bit
            if bit in limits and count * limits[bit][1] > limits[bit][0] * sup[both ^ bit]:
                found[both ^ bit, bit] = (sup[both ^ bit], count)
                fewest[both] = size
    exposure = {"1": 0, "2": 0, "3": 0, "more": 0}
    for record, weight in weights.items():
        least = min((fewest[subset] for subset in _subsets(record) if subset in fewest), default=0)
        if least:
            exposure[str(least) if least <= 3 else "more"] += weight
    return names, found, exposure


def personal_fewest(
    original: Sequence[AbstractSet[str]],
    published: Sequence[AbstractSet[str]],
    sensitive_of: Sequence[AbstractSet[str]],
    rho_of: Mapping[str, Fraction],
    m: int | None = None,
) -> dict[int, int]:
    """`oracle.personal_people_at_risk` by counting: who is at risk, and the fewest items that lead to it."""
    names = sorted({item for record in (*original, *published) for item in record})
    bit_of = {name: 1 << k for k, name in enumerate(names)}
    sup: Counter[int] = Counter()
    for record, weight in Counter(frozenset(record) for record in published).items():
        for subset in _subsets(sum(bit_of[item] for item in record)):
            sup[subset] += weight
    fewest: dict[int, int] = {}
    for u, record in enumerate(original):
        minded = [(bit_of[e], *rho_of[e].as_integer_ratio()) for e in sensitive_of[u] if e in bit_of]
        for q in _subsets(sum(bit_of[item] for item in record)) if minded else ():
            size = q.bit_count()
            if q not in sup or size >= fewest.get(u, size + 1) or (m is not None and size > m):
                continue
            if any(not q & e and sup.get(q | e, 0) * den > num * sup[q] for e, num, den in minded):
                fewest[u] = size
    return dict(sorted(fewest.items()))


def _subsets(bits: int) -> Iterator[int]:
    """All non-empty subsets."""
    subset = bits
    while subset:
        yield subset
        subset = (subset - 1) & bits
