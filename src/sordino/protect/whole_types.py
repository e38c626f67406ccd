"""Global suppression: whole item types go, until nothing unsafe is left (SuppressControl, Cao et al. 2010;
model.md 1.3).

**Guarantee.** The loop ends only when an exact audit of the table without the deleted types finds nothing.

**Why it is quick.** Deleting a type changes no support of a set without it. So the unsafe rules of the original are all
there ever are, and the task is to hit each of them: to delete an item of it. The greedy criterion is the paper's, rules
removed per occurrence lost, level by level: first all unsafe rules of one known item, then all of two.

**Deviations.** Beyond two known items (or one, where records are extremely long) the rules of a whole file are too many
for anybody to enumerate. There the exact engine says which occurrences are still disclosed, and each of them
contributes one unsafe rule that cannot be shortened; these are hit by the same criterion, and the audit looks again. If
a level has more than MOST_RULES rules, they are hit in portions. Ties: more rules removed, then a sensitive type, then
the rarer. Once the greedy choice has cost more than deleting every sensitive type would, which is always safe, that is
done instead: the criterion likes rare types, and on sparse files it ends there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, Examination
from sordino.audit.inference import certify
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, raise_if_stopped, run_chunks
from sordino.policy.inference import ResolvedInference
from sordino.protect.ending import MustFall, silent
from sordino.protect.kernels.common.rules import hit_all, short_rules, shrink_leaves

__all__ = ["types_to_delete", "without_types"]

MOST_RULES = 8_000_000
LONGEST_RULE = 24  # items; a longer one that cannot be shortened costs its consequent
LONGEST_SHORTENED = 2_000  # items of a record whose rules are shortened; longer ones cost their consequent as well
MOST_STEPS = 100_000_000_000  # that a level of rules may take; else the next audit says what there is to delete
EXPLAINED = 300  # disclosures deeper than leaves that a round explains at most

Bools = npt.NDArray[np.bool_]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


def without_types(baskets: Baskets, gone: Bools) -> Baskets:
    """The baskets without all occurrences of the marked codes."""
    kept = ~gone[baskets.items]
    indptr = np.concatenate([[0], np.cumsum(kept)])[baskets.indptr]
    return Baskets(indptr, baskets.items[kept], baskets.names, baskets.ids, baskets.repeated, baskets.origin)


def types_to_delete(
    baskets: Baskets, policy: ResolvedInference, *, jobs: int, watch: Watch, price: I64 | None = None
) -> Bools:
    """The codes to delete so that the policy holds; `price` is what a code costs (default: its occurrences)."""
    price = np.maximum(baskets.supports if price is None else price, 1)
    gone = np.zeros(len(baskets.names), dtype=np.bool_)
    longest = int(baskets.lengths.max(initial=0))
    most = longest if policy.knowledge is None else policy.knowledge
    trivial = _beside_others(baskets, policy.sensitive)
    for level in (1, 2):
        steps = float((baskets.lengths.astype(np.float64) ** (level + 1)).sum())
        if level > min(most, longest - 1) or steps > MOST_STEPS:
            break
        watch.report(f"rules of {level} known ({int(gone.sum()):,} types deleted)", level - 1, 3)
        _hit_level(baskets, policy, level, price, gone, jobs, watch)
    falling = MustFall("deleting whole types")
    while True:
        falling.to(len(gone) - int(gone.sum()))  # what is still disclosed has an item that goes
        if int(price[gone].sum()) > int(price[trivial].sum()):
            return trivial
        left = without_types(baskets, gone)
        watch.report(f"auditing ({int(gone.sum()):,} types deleted)", 2, 3)
        exam = Examination(left, policy, jobs=jobs, watch=silent(watch))
        rules = _deeper_rules(exam, most, gone)
        if rules is None:
            return gone
        _hit(rules, exam, price, gone)


def _beside_others(baskets: Baskets, sensitive: Bools) -> Bools:
    """The sensitive codes that stand in some record beside another item: without them every policy holds."""
    inside = sensitive[baskets.items] & np.repeat(baskets.lengths > 1, baskets.lengths)
    return np.bincount(baskets.items[inside], minlength=len(baskets.names)) > 0


def _hit(rules: I32, exam: Examination, price: I64, gone: Bools) -> None:
    """Deletes the types that hit all rules, which are in ranks."""
    code = exam.index.code
    by_rank = gone[code]
    exam.watch.call(hit_all, rules, price[code], exam.policy.sensitive[code], by_rank, exam.watch.stop)
    gone[code] = by_rank


def _hit_level(
    baskets: Baskets, policy: ResolvedInference, level: int, price: I64, gone: Bools, jobs: int, watch: Watch
) -> None:
    exam = Examination(without_types(baskets, gone), policy, jobs=jobs, watch=watch)
    index = exam.index
    sensitive = policy.sensitive[index.code]
    room = min(MOST_RULES, 4096 + 16 * len(index.items))
    first = 0
    while first < index.width:  # on to the next item, or to more room, of which there is enough some day
        rules = np.empty((room, 3), dtype=np.int32)
        found, then = watch.call(
            short_rules, first, level == 2, index, sensitive, exam.num, exam.den, rules, watch.stop
        )
        if then == first:  # not even the rules of one item have room
            room *= 4
            continue
        first = then
        _hit(rules[:found], exam, price, gone)


def _deeper_rules(exam: Examination, most: int, gone: Bools) -> I32 | None:
    """Unsafe rules, one for each disclosed occurrence that was looked at; None if the policy holds."""
    index = exam.index
    disclosed = np.flatnonzero(exam.leaves())
    if len(disclosed):
        rules = np.full((len(disclosed), LONGEST_RULE), -1, dtype=np.int32)
        lengths = np.zeros(len(disclosed), dtype=np.int64)
        chunks = np.array_split(np.arange(len(disclosed)), min(64, len(disclosed)))

        def shrink(_: int, chunk: I64) -> None:
            lo, hi = int(chunk[0]), int(chunk[-1]) + 1
            with np.errstate(over="ignore"):
                shrink_leaves(
                    disclosed[lo:hi], exam.owner, index, exam.num, exam.den, LONGEST_SHORTENED, rules[lo:hi],
                    lengths[lo:hi], exam.watch.stop,
                )  # fmt: skip

        run_chunks(shrink, chunks, exam.jobs, watch=exam.watch)
        gone[index.code[index.items[disclosed[lengths == 0]]]] = True
        return np.unique(rules[lengths > 0], axis=0)
    beside = exam.occurrences[exam.lengths[exam.owner[exam.occurrences]] > 1]
    if exam.policy.knowledge is None or exam.policy.knowledge >= exam.longest - 1:
        _, exposed = certify(exam, exam.distinct(index.items[beside]), exam.longest)
    else:
        risk = np.zeros(len(index.items), dtype=np.uint8)
        exam.search(risk, beside, 1, most, EXPOSED, phase="what is left")
        exposed = np.flatnonzero(risk)
    if not len(exposed):
        return None
    leads = []
    for place in exposed[:: -(-len(exposed) // EXPLAINED)]:
        raise_if_stopped(exam.watch.stop)
        leads.append(exam.explain(int(place), 1))
    rows = sorted({(*sorted(lead.antecedent), lead.item) for lead in leads})
    rules = np.full((len(rows), max(map(len, rows))), -1, dtype=np.int32)
    for k, row in enumerate(rows):
        rules[k, : len(row)] = row
    return rules
