"""Cases of baskets: a small table, a policy with all that a policy may say, a method, its options; and their judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import judge
import oracle
import sordino
from endings.draw import Lots
from sordino.data.hierarchy import Hierarchy, hierarchy_of
from sordino.policy.assurance import Assurance
from sordino.protect.registry import METHODS, methods_for

__all__ = ["KNOWN", "OPTIONS", "BasketCase", "basket_case", "judge_baskets"]

RHOS = ("0.3", "1/2", "0.5", "0.7", "1/3", "2/3", "0.07", "0.9", "0.999")
FACTORS = ("0.1", "1/2", "1/3", "-0.1")
LONG = 10  # items of a record of which the oracle tries all parts
OPTIONS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {  # every option of every method; None: leave it out
    "mine": {
        "again": (None, 0, 1, 2, 3, 5, 9),
        "improve": (None, None, 1, 3, 12),
        "part_size": (None, 1, 2, 3, 6),
        "only_sensitive": (None, True),
        "parts": (None, None, 1, 2, 5),
    },
    "exact": {"seconds": (None, 0.001), "only_sensitive": (None, True)},
    "dist": {
        "keep": (None, None, 0, "0.3", "1/2", 1),
        "improve": (None, None, 1, 3, 12),
        "part_size": (None, 1, 2, 3, 6),
        "only_sensitive": (None, True),
        "parts": (None, None, 1, 2, 5),
    },
    "twins": {"only_sensitive": (None, True), "sweeps": (None, 0, 1, 3), "improve": (None, None, 1, 12)},
    "jia": {
        "heuristic": (None, "mine", "dist"),
        "algorithm": (None, "ours", "paper"),
        "b_max": (None, 1, 2, 3, 40),
        "t_max": (None, 0.1, 1, 4.0, 60),
    },
    "naka": {},
    "naka-sampled": {"stopping": (None, "corrected", "paper")},
    "global": {},
    "lgps": {
        "hierarchy": (None, "drawn"),
        "divide": (None, "best", "valid"),
        "suppressor": (None, "ours", "mine", "dist"),
        "patience": (None, 0, 1, 50),
    },
    "tdcontrol": {"hierarchy": (None, "drawn"), "patience": (None, 0, 1, 50)},
    "cahd": {"reach": (None, 1, 2, 9, 1_000_000)},
}


@dataclass(frozen=True)
class BasketCase:
    records: list[frozenset[str]]
    policy: sordino.InferencePolicy
    method: str
    options: dict[str, Any]
    seed: int
    jobs: int
    choices: list[frozenset[str]] | None = field(default=None)  # of each person, if people choose

    def __str__(self) -> str:
        options = {k: v if not isinstance(v, Hierarchy) else "..." for k, v in self.options.items()}
        table = [sorted(record) for record in self.records]
        return f"{self.method} {options} seed={self.seed} jobs={self.jobs}\n  {self.policy}\n  {table}"


def basket_case(lots: Lots) -> BasketCase:
    """Any table and policy, and a method that may be asked for it."""
    records = _records(lots)
    items = sorted(set().union(*records)) or ["a"]
    sensitive = items if lots.chance(0.3) else lots.some(items, lots.one((0.2, 0.4, 0.7))) or items[:1]
    rho = lots.one(RHOS)
    more: dict[str, Any] = {}
    if lots.chance(0.3):
        more["rho_of"] = {e: lots.one(RHOS) for e in lots.some(sensitive, 0.5)}
    if lots.chance(0.25):
        more["adaptive"] = lots.one(
            (True, True, "0.1", "1/2", {e: lots.one(FACTORS) for e in lots.some(sensitive, 0.6)})
        )
    longest = max(map(len, records))
    if lots.chance(0.35) or longest > LONG:
        more["knowledge"] = lots.number(1, 3 if longest > LONG else 5)
    method = lots.one(methods_for("inference"))
    choices = None
    if METHODS[method].personal and lots.chance(0.5):
        choices = _choices(lots, records, [*items, "nobody's"], sensitive, more)
    if lots.chance(0.4 if method == "naka-sampled" else 0.04):
        epsilon, delta = lots.one((("0.1", "0.1"), ("0.05", "0.05"), ("0.3", "0.2")))
        more["assurance"] = Assurance(epsilon, delta, lots.number(1, 4))
    try:
        policy = sordino.InferencePolicy(sensitive, rho, **more)
        policy.resolve(sordino.read_baskets(records), missing="accept")
    except sordino.SordinoError:  # a threshold that is not between 0 and 1
        more.pop("adaptive", None)
        policy = sordino.InferencePolicy(sensitive, rho, **more)
    options = {name: value for name, some in OPTIONS[method].items() if (value := lots.one(some)) is not None}
    if choices is not None:  # the two do not go together yet
        options.pop("only_sensitive", None)
        options.pop("parts", None)
    if "hierarchy" in options:
        options["hierarchy"] = _hierarchy(lots, [item for item in items if item not in set(sensitive)])
    return BasketCase(records, policy, method, options, lots.number(0, 5), lots.one((1, 1, 2, 3)), choices)


def _records(lots: Lots) -> list[frozenset[str]]:
    """Few items, so that records meet: at random, near copies of each other, or longer than a table of all parts."""
    kind = lots.one(("plain", "plain", "copies", "copies", "many", "long"))
    width = lots.number(1, 8) if kind != "long" else 16
    items = [f"i{k}" for k in range(width)]
    if kind == "plain":
        return [frozenset(lots.some(items, lots.one((0.3, 0.6, 0.9)))) for _ in range(lots.number(1, 12))]
    if kind == "many":
        return [frozenset(lots.some(items, lots.one((0.2, 0.4)))) for _ in range(lots.number(20, 60))]
    patterns = [frozenset(lots.some(items, 0.9 if kind == "long" else 0.8))]
    for _ in range(lots.number(1, 6)):
        change = frozenset(lots.some(items, 2 / width))
        patterns.append(lots.one(patterns) ^ change if lots.chance(0.5) else lots.one(patterns) - change)
    return [pattern for pattern in patterns for _ in range(lots.one((1, 1, 1, 2, 3, 7)))]


def _choices(
    lots: Lots, records: list[frozenset[str]], items: list[str], sensitive: list[str], more: dict[str, Any]
) -> list[frozenset[str]]:
    """What each person minds; `more` gets the terms of the policy that say so."""
    common = [frozenset(sensitive)] * len(records)
    if lots.chance(0.3):
        excepted = {u: lots.some(sensitive, 0.5) for u in range(len(records)) if lots.chance(0.5)}
        more["except_for"] = excepted
        return [own - frozenset(excepted.get(u, ())) for u, own in enumerate(common)]
    wished = {u: lots.some(items, lots.one((0.1, 0.4, 0.9))) for u in range(len(records)) if lots.chance(0.8)}
    more["per_record"] = wished
    return [own | frozenset(wished.get(u, ())) for u, own in enumerate(common)]


def _hierarchy(lots: Lots, items: list[str]) -> Hierarchy:
    names, parent = ["ALL"], [-1]
    inner = [0]
    for k in range(lots.number(0, 3) if items else 0):
        names.append(f"N{k}")
        parent.append(lots.one(inner))
        inner.append(len(names) - 1)
    for k, item in enumerate(items):
        names.append(item)
        parent.append(inner[-1 - k] if k < len(inner) else lots.one(inner))
    bare = [k for k in inner[1:] if k not in parent]
    if bare:  # an inner node without a leaf would be one itself
        return hierarchy_of(["ALL", *items], [-1] + [0] * len(items))
    return hierarchy_of(names, parent)


def judge_baskets(case: BasketCase) -> str | None:
    """What is wrong with the release, by the oracle; None if nothing is."""
    release = sordino.protect(
        case.records, case.policy, method=case.method, seed=case.seed, jobs=case.jobs, ids="keep", missing="accept",
        **case.options,
    )  # fmt: skip
    if not judge.allowed_change(case.records, case.policy.sensitive, release):
        return "the release is not what its form allows"
    if not release.audit_after.holds:
        return "the audit does not hold"
    if case.policy.assurance is not None:
        return None  # a promise about samples, which the audit has judged
    rho_of, knowledge = _thresholds(case, release), case.policy.knowledge
    if case.choices is not None:
        after = [frozenset(record) for record in release.data]
        fine = oracle.personal_holds(case.records, after, case.choices, rho_of, knowledge)
    else:
        fine = judge.safe(release, case.policy.sensitive, rho_of, knowledge)
    return None if fine else "the oracle finds a disclosure"


def _thresholds(case: BasketCase, release: Any) -> dict[str, Fraction]:
    """As they follow from the published records."""
    policy = case.policy
    minded = {*policy.sensitive, *(set().union(*case.choices) if case.choices else ())}
    others = minded - set(policy.rho_of)
    if policy.adaptive is False:
        rho_of = dict.fromkeys(others, policy.rho)
    else:
        eps: Any = None if policy.adaptive is True else policy.adaptive
        rho_of = oracle.adaptive_rho(judge.counted(release), policy.rho, eps, others)
    return rho_of | dict(policy.rho_of)


def _known(records: str, sensitive: str, **options: Any) -> BasketCase:
    table = [frozenset(word) for word in records.split()]
    return BasketCase(table, sordino.InferencePolicy(list(sensitive), "0.5"), "mine", options, 0, 1)


KNOWN = (  # runs that did not end: a record that grew by a second chance was never looked at again
    _known("abcde ade abde", "bce"),
    _known("abcde ade abde", "bce", again=3),
)
