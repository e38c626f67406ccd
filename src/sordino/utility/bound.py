"""How little can be lost? A bound for everything that only deletes (docs/notes/bound.md).

*Guarantee.* No release that is made by deleting occurrences and satisfies the policy has fewer deletions than
`least_loss` says.

*Argument.* Let W be what is kept of a record R. If W has z >= 1 sensitive items and is more than one item, then for
each sensitive e of W, W - e is known to somebody, and conf(W - e -> e) <= rho_e takes at least ceil(1/rho_e) - 1
records of the release with W - e and without e, alibis. They are different records for different e, since an alibi for
e has the others; none of them is R; and their originals contain W - e too, that is, z - 1 sensitive items of R and
|W| - z of its others. So |W| is at most what enough other original records allow, or |N| (nothing sensitive is kept),
or 1. This counts for records of any length. Of those of up to 15 items every part is tried: W itself must find its
alibis, and so must every part inside it (kernels/possible.py).

*Thresholds by item.* Then z kept sensitive items need at least what the z least demanding
sensitive items of this record need; z * (ceil(1/rho) - 1) is the case of one threshold.

*Limited knowledge.* Who knows m items asks only about parts of m + 1 items. A larger one can be kept only if all of
these inside it can; so there is a bound for records of up to 15 items, and longer ones count as if nothing were lost.

*Adaptive thresholds* are read anew on the release. Deletion makes items rarer, so they fall there, and those of the
original give a bound as well; with a negative factor they rise, at most to that of an item that one record shows.

*Knowledge of what people lack.* Who is safe against it is safe against less, so all of this holds. Moreover, whoever
shows z sensitive items has a whole cube of people around who show some of them and all the rest (kernels/cubes.py).

*Tiny tables* are also searched for single rules that fail: q -> e takes ceil(sup(q + e) - rho sup(q)) deletions, since
each deletion concerns one record, and lowers this by 1 at most. So it is with n(W + e) - rho (n(W + e) + n(W)), where
absence may be known, and that is looked at in every table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sordino.audit.index import RecordIndex, index_records
from sordino.audit.twins import twin_excess
from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch, run_chunks, thread_count
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference
from sordino.policy.threshold import floor_fraction
from sordino.utility.personal_bound import personally_kept

__all__ = ["QUICK", "THOROUGH", "LowerBound", "least_loss", "steps_of"]

QUICK, THOROUGH = "quick", "thorough"  # how closely the least possible loss is looked for
STEPS = 150  # of prices (thorough.py), if thoroughly

I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
EFFORT = 400_000  # postings that may be read to try the parts of one record
TINY = 1_000  # occurrences of a table in which all rules are looked at
PARTS = 50_000  # of its records, in sum
CHUNK = 1024  # classes of records that a thread takes at a time


@dataclass(frozen=True)
class LowerBound:
    """Every safe release by deletion has at least so many deletions."""

    deletions: int
    occurrences: int

    @property
    def share(self) -> Fraction:
        """As a share of the occurrences."""
        return Fraction(self.deletions, max(self.occurrences, 1))


def least_loss(
    before: Baskets,
    policy: ResolvedInference,
    *,
    steps: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> LowerBound:
    """How many deletions every release that satisfies the policy has at least; closer with steps (thorough.py)."""
    if not policy.sensitive.any():
        return LowerBound(0, before.occurrences)
    now, policy = policy, _at_most(before, policy)
    longest = int(before.lengths.max(initial=0))
    known = longest if policy.knowledge is None else min(policy.knowledge, longest)
    watch = watch or Watch(progress)
    index = watch.call(index_records, before, watch.stop)
    demand = alibis_needed(policy, len(before))[index.code]
    jobs = max(1, min(thread_count(jobs), -(-index.classes // CHUNK)))
    if policy.personal is not None:
        kept = personally_kept(index, policy.personal, demand, known, jobs=jobs, watch=watch)
    else:
        kept = _kept(index, policy, demand, known, jobs, watch)
    least = int(((np.diff(index.ptr) - kept) * index.weight).sum())
    if steps and policy.personal is None:
        from sordino.utility.thorough import most_shown

        shown = most_shown(index, policy, demand, known, kept, steps=steps, jobs=jobs, watch=watch)
        least = max(least, before.occurrences - shown)
    least = max(least, _worst_rule(before, policy), _worst_twins(index, policy))
    if not least and now is not policy:  # what is not safe as it is loses something
        least = min(1, max(_worst_rule(before, now), _worst_twins(index, now)))
    return LowerBound(least, before.occurrences)


def _kept(index: RecordIndex, policy: ResolvedInference, demand: I64, known: int, jobs: int, watch: Watch) -> I64:
    """By class, how many items of a record can be kept at most. By rank: what is sensitive, the alibis it needs."""
    from sordino.utility.kernels.around import make_room
    from sordino.utility.kernels.cubes import Odds, kept_with_twins
    from sordino.utility.kernels.kept import most_kept
    from sordino.utility.kernels.possible import Asked, exact_kept

    sensitive, twins = policy.sensitive[index.code], policy.policy.absent is not None
    odds = Odds(policy.num[index.code], policy.den[index.code], int(index.weight.sum()) + 1)
    lengths = np.diff(index.ptr)
    longest = int(lengths.max(initial=0))
    by_length = np.searchsorted(lengths, np.arange(longest + 2)).astype(np.int64)
    kept = np.zeros(index.classes, dtype=np.int64)
    room = [(np.full(index.classes, -1, np.int32), np.empty((index.classes, 3), np.int64)) for _ in range(jobs)]
    parts = [make_room(index.classes) for _ in range(jobs)]
    asked, stop = Asked(sensitive, demand, known, EFFORT), watch.stop
    counted = known >= longest - 1

    def work(worker: int, lo: int) -> None:
        hi = min(lo + CHUNK, index.classes)
        if counted:
            most_kept(lo, hi, index, by_length, sensitive, demand, *room[worker], kept, stop)
        else:  # of this count, records without anything sensitive keep all; others may
            kept[lo:hi] = lengths[lo:hi]
        exact_kept(lo, hi, index, by_length, asked, counted, parts[worker], kept, stop)
        if twins:
            kept_with_twins(lo, hi, index, by_length, asked, odds, parts[worker], kept, stop)

    chunks = range(0, index.classes, CHUNK)[::-1]  # long records first: they take longest
    report = partial(watch.report, "the least possible loss", of=len(chunks))
    run_chunks(work, chunks, jobs, after=report, watch=watch)
    return kept


def steps_of(bound: bool | str) -> int:
    """How many steps of prices are meant; an InputError if `bound` is none of quick, thorough, True, False."""
    if isinstance(bound, bool) or bound == QUICK:
        return 0
    if bound != THOROUGH:
        raise InputError(f"bound cannot be '{bound}'", hint='Possible: "quick", "thorough".')
    return STEPS


def _worst_twins(index: RecordIndex, policy: ResolvedInference) -> int:
    """The deletions that the worst pair of a set with and without a sensitive item takes, if absence may be known."""
    if policy.policy.absent is None:
        return 0
    den = policy.den[index.code][index.items]
    return int((-(-twin_excess(index, policy) // den)).max(initial=0))


def _worst_rule(before: Baskets, policy: ResolvedInference) -> int:
    """The deletions that the worst rule takes in a tiny table; 0 in a larger one, which is not searched."""
    most = before.occurrences if policy.knowledge is None else policy.knowledge
    if before.occurrences > TINY or int((2.0 ** np.minimum(before.lengths, 60)).sum()) > PARTS:
        return 0
    support: Counter[tuple[int, ...]] = Counter()
    minded: dict[tuple[int, ...], set[int]] = {}  # by part, what somebody minds who has it; if people chose themselves
    chosen = None
    if policy.personal is not None:
        chosen = np.stack([policy.personal.chosen_by(code) for code in range(len(before.names))])
    for u in range(len(before)):
        record = before.items[before.indptr[u] : before.indptr[u + 1]].tolist()
        parts = [part for size in range(1, len(record) + 1) for part in combinations(record, size)]
        support.update(parts)
        if chosen is not None:
            own = set(np.flatnonzero(chosen[:, u]).tolist())
            for part in parts:
                minded.setdefault(part, set()).update(own)
    worst = 0
    for part, count in support.items():
        for k, e in enumerate(part):
            rest = part[:k] + part[k + 1 :]
            asked = policy.sensitive[e] if chosen is None else e in minded.get(rest, ())
            if asked and 2 <= len(part) <= most + 1:
                over = int(policy.den[e]) * count - int(policy.num[e]) * support[rest]
                worst = max(worst, -(-over // int(policy.den[e])))
    return worst


def alibis_needed(policy: ResolvedInference, records: int) -> npt.NDArray[np.int64]:
    """By code: how many records without a sensitive item a single one with it needs, ceil(1/rho) - 1; else 0.

    The policy's comparison fraction is 0 if rho is below any confidence there can be: then no number is enough.
    """
    never = policy.num == 0
    needed = -(-policy.den // np.where(never, 1, policy.num)) - 1
    return np.where(policy.sensitive, np.where(never, records, np.minimum(needed, records)), 0).astype(np.int64)


def _at_most(before: Baskets, policy: ResolvedInference) -> ResolvedInference:
    """The policy with thresholds that those of no release exceed.

    With a factor below 0 they rise as items become rarer; at least one record shows an item, else it needs none.
    """
    adaptive, records = policy.policy.adaptive, max(len(before), 1)
    if isinstance(adaptive, bool) or policy.policy.adaptive_on == "original":
        return policy
    num, den = policy.num.copy(), policy.den.copy()
    changed = False
    for name in policy.thresholds:
        factor = adaptive.get(name, Fraction(0)) if isinstance(adaptive, Mapping) else adaptive
        if factor < 0 and name not in policy.policy.rho_of:
            highest = floor_fraction(policy.policy.rho + factor / records, records)
            code = before.code_of[name]
            num[code], den[code], changed = highest.numerator, highest.denominator, True
    return replace(policy, num=num, den=den) if changed else policy
