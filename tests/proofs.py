"""Proofs made by a slow greedy maker of our own, so that maker and checker share no code; and tables to prove."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

import oracle
from sordino.data.baskets import Baskets
from sordino.verify.proof import Verdict, verify_baskets
from tables import examples

Records = Sequence[AbstractSet[str]]
Rho = Mapping[str, Fraction]
Proof = dict[str, Any]

ITEMS = "abcdef"
SENSITIVE = "def"


def make_proof(records: Records, rho_of: Rho, m: int | None = None) -> Proof:
    """A proof whose alibis are assigned greedily, longest record first, shortest alibi first; the rest is open."""
    first: dict[frozenset[str], int] = {}
    weight: dict[frozenset[str], int] = {}
    for u, record in enumerate(map(frozenset, records)):
        first.setdefault(record, u)
        weight[record] = weight.get(record, 0) + 1
    items: dict[str, Any] = {}
    for e, rho in rho_of.items():
        entry: dict[str, Any] = {"rho": f"{rho.numerator}/{rho.denominator}"}
        entry |= {"record": [], "alibi": [], "units": [], "open": []}
        free = {r: w * rho.numerator for r, w in weight.items() if e not in r}
        for needy in sorted((r for r in weight if e in r and len(r) > 1), key=lambda r: (-len(r), first[r])):
            demand = weight[needy] * (rho.denominator - rho.numerator)
            for alibi in sorted((r for r in free if needy - {e} <= r), key=lambda r: (len(r), first[r])):
                units = min(demand, free[alibi])
                if units:
                    free[alibi] -= units
                    demand -= units
                    entry["record"].append(first[needy])
                    entry["alibi"].append(first[alibi])
                    entry["units"].append(units)
            if demand:
                entry["open"].append(first[needy])
        items[e] = entry
    fingerprint = Baskets.from_sets(records).fingerprint
    return {
        "format": "sordino-proof/1",
        "data": fingerprint,
        "records": len(records),
        "knowledge": m,
        "items": items,
    }


def sealed(proof: Mapping[str, Any]) -> Proof:
    """The proof with the checksum that fits it, whatever was done to it before."""
    rest = {key: value for key, value in proof.items() if key != "sha256"}
    text = json.dumps(rest, separators=(",", ":"))
    return {**rest, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def verify(records: Records, rho_of: Rho, proof: object, m: int | None = None) -> Verdict:
    """What is said about a proof that may be wrong in any way but in its checksum."""
    proof = sealed(proof) if isinstance(proof, Mapping) else proof
    return verify_baskets(Baskets.from_sets(records), rho_of, m, proof)  # type: ignore[arg-type]


def made_safe(records: Records, rho_of: Rho, m: int | None) -> list[frozenset[str]]:
    """The records with sensitive items deleted, one by one, until the oracle has no objection."""
    safe = [frozenset(record) for record in records]
    while found := oracle.disclosures(safe, rho_of, rho_of, m):
        q, e, _, _ = found[0]
        guilty = next(u for u, record in enumerate(safe) if q | {e} <= record)
        safe[guilty] -= {e}
    return safe


# Many repeats of few items, so that alibis exist and most tables are neither trivially safe nor hopeless.
records_strategy = st.lists(
    st.tuples(st.frozensets(st.sampled_from(ITEMS)), st.integers(1, 3)).map(lambda pair: [pair[0]] * pair[1]),
    max_size=8,
).map(lambda groups: [record for group in groups for record in group])
rho_strategy = st.fixed_dictionaries(
    {e: st.sampled_from(["1/10", "1/4", "1/3", "1/2", "3/5", "2/3", "7/10", "9/10"]).map(Fraction) for e in SENSITIVE}
)
knowledge_strategy = st.none() | st.integers(1, 4)
thorough = settings(max_examples=examples(300), deadline=None)

HALF = {"e": Fraction(1, 2), "s": Fraction(2, 3)}
SAFE = [
    {"a", "b", "e"},  # 0, served by 1
    {"a", "b", "c"},
    {"a", "e"},  # 2 and 3: one class
    {"e", "a"},
    {"a", "c"},  # 4 and 5: the alibis of 2
    {"a", "c"},
    {"x", "y", "s"},  # 6, served by 7, which has one unit more to give
    {"x", "y"},
    {"u", "v", "e"},  # 8, open, though 11 would do as its alibi
    {"u"},
    {"v"},
    {"u", "v"},
    {"b"},
    {"e"},  # 13 needs nothing
]


def proof_by_hand() -> Proof:
    return {
        "format": "sordino-proof/1",
        "data": Baskets.from_sets(SAFE).fingerprint,
        "records": 14,
        "knowledge": None,
        "items": {
            "e": {"rho": "1/2", "record": [0, 2], "alibi": [1, 4], "units": [1, 2], "open": [8]},
            "s": {"rho": "2/3", "record": [6], "alibi": [7], "units": [1], "open": []},
        },
    }
