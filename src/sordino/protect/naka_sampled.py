"""`naka-sampled`: personal suppression for sampled adversaries (Nakagawa et al., 2018, Algorithm 2, SAMPLESUPPRESSOR).

Round after round, for each length up to m, n_S adversaries are drawn and the table is made safe against each of them,
until a whole round finds nothing to repair.

**Guarantee.** That of the policy's sampled assurance (policy/assurance.py). The paper ends with the first clean round
at delta, though each round was another chance to be clean by luck: `stopping="paper"`. By default round t draws as many
as delta / (t (t + 1)) asks for. Under a policy without an assurance, which promises safety from everybody, the samples
only come first (epsilon = delta = 0.05, up to 5 items), and the exact method ends the work.

**Beyond the paper.** Where a sample finds the unsafe, more adversaries are drawn and repaired right away, on which
nothing is judged. Rounds are judged as before, on fresh samples, but there are far fewer of them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from sordino.audit.sampled import draw_adversaries, unsafe_adversaries
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError, did_you_mean
from sordino.policy.assurance import STOPPING, Assurance, delta_of_round, sample_size
from sordino.policy.inference import ResolvedInference
from sordino.protect.bench import PersonalBench

__all__ = ["protect"]

MORE = 40  # adversaries drawn beside, for each of the judged ones that could infer something
DEFAULT = Assurance(Fraction(1, 20), Fraction(1, 20), 5)


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets that a round of sampled adversaries found safe."""
    stopping = str(options.get("stopping", "corrected"))
    if stopping not in STOPPING:
        raise InputError(f"unknown stopping '{stopping}'.{did_you_mean(stopping, STOPPING)}", hint="corrected or paper")
    assurance = policy.policy.assurance or DEFAULT
    most = assurance.max_knowledge if policy.knowledge is None else min(assurance.max_knowledge, policy.knowledge)
    bench = PersonalBench(baskets, policy, jobs=jobs, watch=watch)
    original = bench.people.original
    round_ = 0
    clean = False
    while not clean:
        round_ += 1
        clean = True
        number = sample_size(assurance.epsilon, delta_of_round(assurance.delta, round_, stopping))
        rng = np.random.default_rng([seed, 1, round_])
        for size in range(1, most + 1):
            watch.tell(f"round {round_} ({bench.deleted:,} deleted)", size - 1, most)
            users, known = draw_adversaries(original, bench.people.rank, size, number, rng)
            unsafe = unsafe_adversaries(bench.shelf, bench.sig, bench.people, users, known, jobs)
            if unsafe.any():
                clean = False
                bench.repair(users[unsafe], known[unsafe], [seed, 1, round_, size])
                more = MORE * int(unsafe.sum()) + 4 * number  # on these nothing is judged: they only save rounds
                users, known = draw_adversaries(original, bench.people.rank, size, more, rng)
                unsafe = unsafe_adversaries(bench.shelf, bench.sig, bench.people, users, known, jobs)
                bench.repair(users[unsafe], known[unsafe], [seed, 2, round_, size])
    if policy.policy.assurance is None:
        return bench.finish(lambda: bench.suppress(seed))
    return bench.table()
