"""Partial suppression as published by Jia et al. (2014): Algorithms 1 to 3, heuristics Mine and Dist (model.md 1.3).

**Guarantee.** In every part no qid of at most m items is unsafe: sup(q + e) * den <= sup(q) * num. The sums over the
parts keep that, so the union is safe. A part is left only after a pass over all its records that deleted nothing.

**What is looked at.** A rule q -> e with sup(q + e) > 0 is met in the records that hold q + e. So it is enough to look,
in each record, at its own sensitive items. Records of one item, and those without a sensitive one, generate no qids;
nor does a record of which no item was deleted anywhere since the last look at it. Supports are exact counts over the
part at all times. So a qid can be sanitized as it is generated, and what has vanished from the record is not generated:
the paper's buffer need only hold the qids of one record. If a record has more than b_max of them, those beyond are
searched for as in the audit (model.md 1.2, points 1 and 2), which leaves out safe ones only. The same search ends the
enumeration of a long record once none of its qids is unsafe.

**Where the paper leaves a choice.**

* Line 3 of Algorithm 2 picks one unsafe qid q, lines 6 and 8 choose d and e for it. d is in q or is e: N_s has no
  meaning for another. Ties: fewer deletions, then the first e, then e itself before the items of q.
* Qids are picked in the order in which they are generated. A record of at most SHORT items generates its largest first:
  that gives the paper's Table 1(c) and (d) whatever records are drawn. A longer one begins with the smallest.
* T and T0 are the part, now and at first. T(t) is the share of t among the occurrences in T. The paper's footnote
  divides by |T|, elsewhere the number of records; but then T(t) > T0(t), on which the heuristic is built, could
  never be (and the divergence would be that of Mine).
* Algorithm 3 halves a part by taking every other record, so that both halves are alike. Cutting a file in the middle
  ends in thousands of parts of one record where long records lie together (Retail: 3,358 parts instead of 53).

**`algorithm=paper`** is Algorithms 1 and 2 line by line. The buffer is filled with all qids of record after record
until it holds b_max; every step then takes the best of all triples (d, q, e) with q in the buffer, e any sensitive item
of the part and d in q + {e}, and updates the supports; passes over the records go on until one finds nothing unsafe.
What the paper leaves open: supports are counted over the whole part, not over the records in the buffer alone, since a
qid is safe or not in T; ties go to fewer deletions, the qid generated first, the first e, e itself. A record that has
more than b_max qids cannot be generated as printed; `kernels/jia/printed.py` says what is done with it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError, did_you_mean
from sordino.policy.inference import ResolvedInference
from sordino.protect.kernels.jia.antecedents import suppress_part
from sordino.protect.kernels.jia.part import Part
from sordino.protect.kernels.jia.printed import suppress_as_printed
from sordino.protect.partial import left_of_parts, occurrences

__all__ = ["protect"]

HEURISTICS = ("mine", "dist")
ALGORITHMS = ("ours", "paper")
SHORT = 12  # a record of so many items is counted in a table of its subsets, 2^12 numbers
MOST_EXPONENT = 900.0  # of 2, beyond which a float may be too small

Int64 = npt.NDArray[np.int64]


def protect(
    baskets: Baskets,
    policy: ResolvedInference,
    *,
    seed: int,
    jobs: int,
    watch: Watch,
    heuristic: str = "mine",
    algorithm: str = "ours",
    b_max: int = 1_000_000,
    t_max: float = 500,
) -> Baskets:
    """The baskets without the occurrences that the paper's algorithm deletes; the policy holds in them."""
    if heuristic not in HEURISTICS:
        raise InputError(f"unknown heuristic '{heuristic}'.{did_you_mean(heuristic, HEURISTICS)}", hint="mine or dist")
    if algorithm not in ALGORITHMS:
        raise InputError(f"unknown algorithm '{algorithm}'.{did_you_mean(algorithm, ALGORITHMS)}", hint="ours or paper")
    if b_max < 1 or t_max <= 0:
        raise InputError("b_max and t_max must be positive")
    parts = split(baskets, t_max)
    dist = heuristic == "dist"

    def suppress(part: Part, most: int, rng: np.random.Generator) -> int:
        if algorithm == "paper":
            return int(suppress_as_printed(part, most, b_max, dist, rng))
        return int(suppress_part(part, most, min(SHORT, int(math.log2(b_max + 1))), b_max, dist, rng))

    watch.report("parts", 0, len(parts))
    keep = left_of_parts(
        baskets,
        policy,
        parts,
        suppress,
        seed=seed,
        jobs=jobs,
        watch=watch,
        after=lambda done: watch.report("parts", done, len(parts)),
    )
    indptr = np.concatenate([[0], np.cumsum(keep)])[baskets.indptr]
    return Baskets(indptr, baskets.items[keep], baskets.names, baskets.ids, baskets.repeated, baskets.origin)


def split(baskets: Baskets, t_max: float) -> list[Int64]:
    """Algorithm 3: the records of each part, none of which costs more than t_max (or is a single record)."""
    parts: list[Int64] = []
    waiting = [np.arange(len(baskets), dtype=np.int64)]
    while waiting:  # halves are shorter than the whole
        rows = waiting.pop()
        if len(rows) > 1 and cost(baskets, rows) > t_max:
            waiting += [rows[1::2], rows[::2]]
        elif len(rows):
            parts.append(rows)
    return parts


def cost(baskets: Baskets, rows: Int64) -> float:
    """|T| * 2^(N / |T|) / |D(T)|, the paper's estimate (6); without end where it is beyond all numbers."""
    items = baskets.items[occurrences(baskets, rows)]
    domain = np.count_nonzero(np.bincount(items, minlength=len(baskets.names)))
    exponent = len(items) / len(rows)
    if exponent > MOST_EXPONENT:
        return math.inf
    return float(len(rows) * 2.0**exponent / domain) if domain else 0.0
