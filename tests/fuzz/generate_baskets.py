"""Random baskets with inference policies: few items, so that records meet; all that a policy can say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fuzz.case import BasketCase
from fuzz.draw import RHO, chance, few, one_of, options_of, steps, tree, whole
from fuzz.forms import FORMS
from sordino.protect.registry import METHODS, methods_for

__all__ = ["OPTIONS", "basket_case"]

Sets = list[frozenset[int]]
OPTIONS: dict[str, tuple[Any, ...]] = {  # values worth trying of every option of a method for baskets
    "again": (0, 1, 2, 3),
    "improve": (0, 1, 12),
    "seconds": (0.01, 2),
    "part_size": (1, 2, 3, 5, 8),
    "parts": (1, 2, 3, 8),
    "heuristic": ("mine", "dist"),
    "algorithm": ("ours", "paper"),
    "b_max": (1, 3, 20, 1000),
    "t_max": (1, 2, 20, 500),
    "stopping": ("corrected", "paper"),
    "divide": ("best", "valid"),
    "suppressor": ("ours", "mine", "dist"),
    "patience": (0, 1, 2, 4),
    "reach": (1, 2, 3, 5),
    "only_sensitive": (True, False),
    "sweeps": (0, 1, 2, 8),
    "keep": (0, "0.3", "1/2", 1),
    "hierarchy": ("tree",),  # a random one; see below
}
ODD_NAMES = ("a b", 'q"q', "x,y", "ü", "i;j", "ALL", "*", "-1", "07", "x" * 40, "i'k", "nil", "??", "Ω 3", "<b>", "1.0")


def basket_case(rng: np.random.Generator, number: int) -> BasketCase:
    """Any case for an inference policy."""
    shape = one_of(rng, SHAPES)
    form = one_of(rng, tuple(FORMS))
    sets = shape(rng)
    if chance(rng, 0.3):
        sets += [frozenset()] * whole(rng, 1, 2)
    if chance(rng, 0.3):
        sets += [one_of(rng, sets) for _ in range(whole(rng, 1, 4))]
    order = rng.permutation(len(sets)).tolist()
    sets = [sets[k] for k in order]
    names = _names(rng, form, 1 + max((max(record, default=0) for record in sets), default=0))
    records = tuple(tuple(names[k] for k in sorted(record)) for record in sets)
    present = [names[k] for k in sorted(frozenset().union(*sets))]
    sensitive = _sensitive(rng, present)
    rho = one_of(rng, RHO)
    policy: dict[str, Any] = {"sensitive": tuple(sensitive), "rho": rho, **_thresholds(rng, sensitive, rho)}
    longest = max(map(len, records))
    if chance(rng, 0.35):
        policy["knowledge"] = one_of(rng, (1, 1, 2, 2, 3, 4, 5, 7))
    personal = longest <= 12 and len(records) <= 40 and chance(rng, 0.3)
    if personal:
        policy |= _choices(rng, present, len(records))
    elif longest <= 10 and len(records) <= 40 and chance(rng, 0.08):
        policy["assurance"] = (one_of(rng, ("0.1", "0.2", "0.05")), "0.000001", whole(rng, 1, 4))
    able = [name for name in methods_for("inference") if not personal or METHODS[name].personal or chance(rng, 0.15)]
    method = "naka-sampled" if "assurance" in policy and chance(rng, 0.5) else one_of(rng, able)
    options = options_of(rng, OPTIONS, tuple(METHODS[method].options))
    if personal:
        for name in ("only_sensitive", "parts"):
            options.pop(name, None)  # they are refused there
    if "hierarchy" in options:
        options["hierarchy"] = _nested(tree(rng, present)) if present else {"ALL": []}
    return BasketCase(
        number=number,
        lot=whole(rng, 0, 2**31),
        records=records,
        ids=_ids(rng, form, len(records)),
        method=method,
        options=options,
        form=form,
        steps=steps(rng),
        ids_as=one_of(rng, ("keep", "renumber", "shuffle")),
        **policy,
    )


# Shapes of tables: records as sets of numbers


def _tiny(rng: np.random.Generator) -> Sets:
    width = whole(rng, 1, 6)
    return [frozenset(few(rng, range(width))) for _ in range(whole(rng, 1, 6))]


def _small(rng: np.random.Generator) -> Sets:
    width = whole(rng, 2, 9)
    return [frozenset(few(rng, range(width), most=whole(rng, 1, 6))) for _ in range(whole(rng, 3, 16))]


def _quiet(rng: np.random.Generator) -> Sets:
    """Nearly safe: every record has copies that lack an item."""
    width = whole(rng, 3, 8)
    sets: Sets = []
    for _ in range(whole(rng, 1, 5)):
        record = frozenset(few(rng, range(width), least=2))
        sets += [record, *(record - {x} for x in record if chance(rng, 0.6) for _ in range(whole(rng, 1, 2)))]
    return sets


def _dense(rng: np.random.Generator) -> Sets:
    """Long records that differ in little."""
    width = whole(rng, 7, 14)
    base = frozenset(range(width))
    return [base - set(few(rng, range(width), most=3)) for _ in range(whole(rng, 2, 9))]


def _long(rng: np.random.Generator) -> Sets:
    """One or two records longer than all others."""
    width = whole(rng, 12, 16)
    sets = [frozenset(few(rng, range(width), least=width - 2)) for _ in range(whole(rng, 1, 2))]
    return sets + [frozenset(few(rng, range(width), most=6)) for _ in range(whole(rng, 2, 12))]


def _wide(rng: np.random.Generator) -> Sets:
    """Many items, some far more frequent than others; more than fit the bits of a machine word."""
    width = whole(rng, 20, 90)
    share = 1 / np.arange(1, width + 1)
    sets = []
    for _ in range(whole(rng, 20, 60)):
        size = whole(rng, 0, 6)
        sets.append(frozenset(rng.choice(width, size=size, replace=False, p=share / share.sum()).tolist()))
    return sets


def _hub(rng: np.random.Generator) -> Sets:
    """A frequent item beside rare ones: thresholds that adapt differ from item to item."""
    width = whole(rng, 3, 8)
    sets = []
    for _ in range(whole(rng, 5, 20)):
        record = set(few(rng, range(1, width), most=3))
        sets.append(frozenset(record | {0} if chance(rng, 0.8) else record))
    return sets


SHAPES: tuple[Callable[[np.random.Generator], Sets], ...] = (
    *(_tiny, _tiny, _small, _small, _small, _quiet, _quiet, _dense, _long, _wide, _hub),
)


# Names, ids, policies


def _names(rng: np.random.Generator, form: str, count: int) -> list[str]:
    """So many different item names that the form can hold."""
    allowed = FORMS[form].names
    style = one_of(rng, ("plain", "plain", "numbers", "odd"))
    if allowed == "numbers" or style == "numbers":
        return [str(k) for k in range(count)]
    names = [f"i{k}" for k in range(count)]
    if style == "odd":
        fitting = [name for name in ODD_NAMES if allowed != "plain" or " " not in name]
        for k, name in zip(few(rng, range(count), most=len(fitting)), rng.permutation(fitting).tolist(), strict=False):
            names[k] = name
    return names


def _ids(rng: np.random.Generator, form: str, count: int) -> tuple[str, ...] | None:
    with_ids = FORMS[form].ids
    if with_ids is False or (with_ids is None and chance(rng, 0.5)):
        return None
    style = one_of(rng, ("u{}", "{}", "0{}", "p q {}"))
    return tuple(style.format(k) for k in rng.permutation(count).tolist())


def _sensitive(rng: np.random.Generator, present: list[str]) -> list[str]:
    if not present:
        return ["nobody's"]  # a policy that names nothing is refused
    if chance(rng, 0.1):
        return list(present)
    return few(rng, present, least=1, most=one_of(rng, (1, 2, 3, len(present))))


def _thresholds(rng: np.random.Generator, sensitive: list[str], rho: str) -> dict[str, Any]:
    """Thresholds of single items, and adaptive ones: a factor never leads out of 0 to 1."""
    policy: dict[str, Any] = {}
    if sensitive and chance(rng, 0.2):
        policy["rho_of"] = {e: one_of(rng, RHO) for e in few(rng, sensitive, least=1)}
    if chance(rng, 0.2):
        factors = ("0.05", "0.2", "0.3") if rho not in ("9/10", "0.7", "0.99") else ("-0.05", "-0.2", "-0.3")
        policy["adaptive"] = one_of(
            rng,
            (True, True, one_of(rng, factors), {e: one_of(rng, (*factors, "0")) for e in few(rng, sensitive)}),
        )
    return policy


def _choices(rng: np.random.Generator, present: list[str], count: int) -> dict[str, Any]:
    """What people chose: few or all of them, many items or few; also what nobody has."""
    policy: dict[str, Any] = {}
    share = one_of(rng, (0.2, 0.6, 1.0))
    pool = [*present, "nobody's"] if chance(rng, 0.3) else present
    which = one_of(rng, ("own", "own", "less", "both", "alike"))
    if which == "alike":
        policy["own"] = (tuple(few(rng, pool, least=1)),) * count
    if which in ("own", "both"):
        policy["own"] = tuple(tuple(few(rng, pool)) if chance(rng, share) else () for _ in range(count))
    if which in ("less", "both"):
        policy["less"] = tuple(tuple(few(rng, pool)) if chance(rng, share) else () for _ in range(count))
    policy["strangers"] = chance(rng, 0.15)
    policy["choices_as"] = one_of(rng, ("mapping", "mapping", "pairs", "csv", "parquet", "matrix"))
    if which in ("own", "alike") and chance(rng, 0.5):
        policy["sensitive"] = ()
        policy["rho_of"], policy["adaptive"] = {}, False
    return policy


def _nested(paths: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """A hierarchy as nested dicts, from the groups above each value."""
    root: dict[str, Any] = {}
    for value, above in paths.items():
        place = root
        for group in reversed(above):
            place = place.setdefault(group, {})
        place[value] = {}
    return root
