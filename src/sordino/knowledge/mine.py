"""All negative rules that a table teaches: X => not s (LI, section IV; model.md 2.2).

X is a conjunction of nodes, at most one for each attribute. A rule is found if

- it is **expected** not to hold by chance: of as many people as fit X, drawn at random, somebody would have s with a
  probability of at least `min_expectation`, that is (1 - P(s))^support(X) <= 1 - min_expectation; and
- it **holds**: at most 1 - `min_confidence` of the people who fit X have s; by default nobody.

Everything is compared in whole numbers. The support that a value s demands is the least number of units for which the
first line is true; it is a quotient of logarithms, computed to 60 digits.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sordino.data.nodes import Nodes
from sordino.data.table import weighted
from sordino.engine.local import Flag, Watch, raise_if_stopped, run_chunks, thread_count
from sordino.engine.sorted import order_of
from sordino.errors import InputError
from sordino.knowledge.classes import row_classes
from sordino.policy.rules import CodedRules, NegativeRule
from sordino.policy.threshold import floor_fraction

__all__ = ["demanded_support", "mine_codes"]

ROOM = 1 << 61
UNITS = (2520, 360, 60, 12, 4, 2)  # parts of a share; as fine as the sums allow
Codes = npt.NDArray[np.integer]


def demanded_support(share: Fraction, min_expectation: Fraction, units: int = 1) -> int:
    """The least support, in units of 1/units of a person, that makes a rule about a value of this share expected.

    That is the least k with (1 - share)^(k / units) <= 1 - min_expectation.
    """
    if share >= 1:
        return 1
    with decimal.localcontext() as context:
        context.prec = 80
        rest = 1 - min_expectation
        quotient = (Decimal(rest.numerator) / rest.denominator).ln() / (
            Decimal(share.denominator - share.numerator) / share.denominator
        ).ln()
        wanted = quotient * units
        nearest = wanted.to_integral_value()
        if abs(wanted - nearest) < Decimal("1e-40"):  # equal but for the rounding of the logarithms
            return max(1, int(nearest))
        return max(1, int(wanted.to_integral_value(rounding=decimal.ROUND_CEILING)))


def mine_codes(
    columns: Sequence[Codes],
    nodes: Sequence[Nodes],
    sensitive: Codes,
    names: Sequence[str],
    *,
    min_expectation: Fraction,
    min_confidence: Fraction = Fraction(1),
    everything: bool = False,
    longest: int | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
    weight: npt.NDArray[np.int64] | None = None,
) -> CodedRules:
    """The rules about the sensitive codes (`names` by code) in the columns, one `Nodes` a column.

    Unless `everything` is wanted, rules that a more general rule implies are left out. `longest` bounds the number of
    conditions. `weight` tells how many rows each stands for. In the order: excluded value, number of conditions,
    support falling, conditions.
    """
    if not len(sensitive) or not columns:
        return CodedRules()
    watch, threads = watch or Watch(), thread_count(jobs)
    return watch.aside(
        lambda: _mine(
            columns,
            nodes,
            sensitive,
            names,
            min_expectation=min_expectation,
            min_confidence=min_confidence,
            everything=everything,
            longest=longest,
            jobs=threads,
            watch=watch,
            weight=weight,
        )
    )


def _mine(
    columns: Sequence[Codes],
    nodes: Sequence[Nodes],
    sensitive: Codes,
    names: Sequence[str],
    *,
    min_expectation: Fraction,
    min_confidence: Fraction,
    everything: bool,
    longest: int | None,
    jobs: int,
    watch: Watch,
    weight: npt.NDArray[np.int64] | None,
) -> CodedRules:
    from sordino.knowledge.kernels.negative import NodeTables, find_rules

    rows = len(sensitive) if weight is None else int(weight.sum())
    sizes = [part.values for part in nodes]
    first, class_of, count = row_classes([*columns, sensitive], [*sizes, len(names)], watch.stop)
    if weight is not None:
        count = weighted(class_of, weight, len(first))
    doubt = floor_fraction(1 - min_confidence, 10_000) if min_confidence < 1 else Fraction(0)
    blurred = [part.fuzzy is not None for part in nodes]
    unit = _unit(rows, sum(blurred), doubt.denominator)
    whole = unit ** sum(blurred)
    occurs = weighted(np.asarray(sensitive), weight, len(names)).tolist()
    never = rows * whole + 1
    need = np.array(
        [demanded_support(Fraction(c, rows), min_expectation, whole) if c else never for c in occurs], dtype=object
    )
    need = np.minimum(need, never).astype(np.int64)
    attr_ptr = np.concatenate([[0], np.cumsum([len(part) for part in nodes])]).astype(np.int64)
    members = [
        part.members(v, unit if blur else 1)
        for part, blur in zip(nodes, blurred, strict=True)
        for v in range(len(part))
    ]
    node_ptr = np.concatenate([[0], np.cumsum([len(held) for held, _ in members])]).astype(np.int64)
    matrix = np.stack([np.asarray(column)[first] for column in columns]).astype(np.int32)
    arguments = (
        np.ascontiguousarray(matrix),
        np.asarray(sensitive)[first].astype(np.int32),
        count * whole,
        NodeTables(
            attr_ptr,
            node_ptr,
            np.concatenate([held for held, _ in members]).astype(np.int32),
            np.concatenate([share for _, share in members]).astype(np.int64),
            np.array([unit if blur else 1 for blur in blurred], dtype=np.int64),
        ),
        need,
        doubt.numerator,
        doubt.denominator,
        len(columns) if longest is None else longest,
        everything,
    )
    stop = watch.stop
    roots = int(attr_ptr[-1])
    parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None] = [None] * roots

    def work(_: int, root: int) -> None:
        facts, chosen, found = find_rules(*arguments, root, root + 1, stop)
        parts[root] = facts[:found], chosen[:found]

    run_chunks(work, range(roots), jobs, after=lambda done: watch.report("mining rules", done, roots), watch=watch)
    facts = np.concatenate([part[0] for part in parts if part is not None])
    chosen = np.concatenate([part[1] for part in parts if part is not None])
    if not everything:
        kept = ~watch.call(_implied, facts, chosen, nodes, attr_ptr, stop)
        facts, chosen = facts[kept], chosen[kept]
    return _rules(facts, chosen, nodes, names, occurs, rows, whole, stop)


def _unit(rows: int, blurred: int, denominator: int) -> int:
    if not blurred:
        return 1
    for unit in UNITS:
        if rows * unit**blurred * denominator < ROOM:
            return unit
    raise InputError(f"{blurred} fuzzy attributes are too many", hint="Name fewer of them as fuzzy.")


def _implied(
    facts: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int32],
    nodes: Sequence[Nodes],
    attr_ptr: npt.NDArray[np.int64],
    stop: Flag,
) -> npt.NDArray[np.bool_]:
    from sordino.knowledge.kernels.negative import implied

    above = np.concatenate(
        [np.where(part.parent < 0, -1, part.parent + start) for part, start in zip(nodes, attr_ptr, strict=False)]
    ).astype(np.int32)
    code = np.random.default_rng(0).integers(1 << 62, size=len(above))  # only spreads the entries of a table
    dropped = np.zeros(len(facts), dtype=np.bool_)
    for s in np.unique(facts[:, 0]):
        mine = np.flatnonzero(facts[:, 0] == s)
        table = np.full(1 << (2 * len(mine)).bit_length(), -1, dtype=np.int64)
        dropped[mine] = implied(chosen[mine], facts[mine, 3].copy(), above, code, table, stop)
    return dropped


def _rules(
    facts: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int32],
    nodes: Sequence[Nodes],
    names: Sequence[str],
    occurs: Sequence[int],
    rows: int,
    whole: int,
    stop: Flag,
) -> CodedRules:
    owner = [(j, v) for j, part in enumerate(nodes) for v in range(len(part))]
    label = [(part.attribute, text) for part in nodes for text in part.labels]
    order = order_of(*chosen.T[::-1], -facts[:, 1], facts[:, 3], facts[:, 0], stop=stop)
    rules, conditions = [], []
    for k in order.tolist():
        raise_if_stopped(stop)
        s, support, with_s, length = map(int, facts[k])
        people = Fraction(support, whole)
        conditions.append(tuple(owner[v] for v in chosen[k, :length].tolist()))
        rules.append(
            NegativeRule(
                tuple(label[v] for v in chosen[k, :length].tolist()),
                names[s],
                people,
                Fraction(with_s, whole),
                -math.expm1(float(people) * math.log1p(-occurs[s] / rows)) if occurs[s] < rows else 1.0,
            )
        )
    return CodedRules(tuple(conditions), tuple(facts[order, 0].tolist()), tuple(rules))
