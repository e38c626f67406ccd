"""Personal choices: the least possible loss of small pieces of a file, beside what `mine` loses and the bound says.

    python benchmarks/personal_optimum.py [--pieces N] [--records N] [--shortest N] [--longest N] [--rho R]
                                          [--improve N]

A piece is records of one file that hold one of a few items, drawn with a seed; each person minds each item with
probability 40 % (*personalized*). The optimum is proved by a solver (utility/exact.py); what was not proved in time is
left out, and counted. "fixed" are the same pieces with 40 % of the items sensitive for all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.common import FILES, data_folder

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets
    from sordino.policy.inference import InferencePolicy

SHARE = 0.4


def piece_of(baskets: Baskets, seed: int, records: int, longest: int, shortest: int = 2) -> Baskets:
    """Records of `shortest` to `longest` items that hold one of a few items."""
    import numpy as np

    from sordino.data.baskets import Baskets

    rng = np.random.default_rng([seed, 79])
    sets = [record for record in baskets if shortest <= len(record) <= longest]
    names = np.array(baskets.names)[rng.permutation(len(baskets.names))].tolist()
    chosen: dict[int, None] = {}
    for name in names:
        if len(chosen) >= records:
            break
        holders = [k for k, record in enumerate(sets) if name in record]
        if len(holders) >= 10:
            chosen.update(dict.fromkeys(holders))
    return Baskets.from_sets(sets[k] for k in list(chosen)[:records])


def policies(piece: Baskets, seed: int, rho: str) -> dict[str, InferencePolicy]:
    """The policy of the two settings."""
    import numpy as np

    from sordino.policy.choices import Choices
    from sordino.policy.inference import InferencePolicy

    rng = np.random.default_rng([seed, 80])
    width = len(piece.names)
    fixed = [name for name, chosen in zip(piece.names, rng.random(width) < SHARE, strict=True) if chosen]
    own = Choices.of_matrix(rng.random((width, len(piece))) < SHARE, piece.names)
    return {"fixed": InferencePolicy(fixed, rho), "personalized": InferencePolicy([], rho, per_record=own)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", default="BMS-WebView-2")
    parser.add_argument("--pieces", type=int, default=12)
    parser.add_argument("--records", type=int, default=60)
    parser.add_argument("--longest", type=int, default=6)
    parser.add_argument("--shortest", type=int, default=2)
    parser.add_argument("--rho", default="0.5")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--improve", type=int, default=200, help="sweeps of `mine`, improved")
    parser.add_argument("--no-mine", action="store_true", help="only optimum and bound")
    options = parser.parse_args()
    import sordino
    from sordino.engine.local import Watch
    from sordino.protect.registry import find_method
    from sordino.utility.bound import least_loss
    from sordino.utility.exact import solve

    baskets = sordino.read_baskets(data_folder() / FILES[options.file])
    sums = {setting: [0, 0, 0, 0, 0, 0] for setting in ("fixed", "personalized")}
    for seed in range(options.pieces):
        piece = piece_of(baskets, seed, options.records, options.longest, options.shortest)
        for setting, policy in policies(piece, seed, options.rho).items():
            terms = policy.resolve(piece, missing="accept")
            found = solve(piece, terms, seconds=options.seconds)
            if not found.proved:
                sums[setting][5] += 1
                continue
            lost = []
            for more in () if options.no_mine else ({}, {"improve": options.improve}):
                made = find_method("mine").load()(piece, terms, seed=1, jobs=1, watch=Watch(), **more)
                lost.append(piece.occurrences - made.occurrences)
            mine, improved = lost or (0, 0)
            least = least_loss(piece, terms, jobs=1)
            numbers = (piece.occurrences, found.deletions, mine, improved, least.deletions)
            sums[setting] = [a + b for a, b in zip(sums[setting], (*numbers, 0), strict=True)]
            print(seed, setting, *numbers, flush=True)
    print("| setting | entries | optimum | mine | improved | bound | pieces not proved |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for setting, (entries, best, mine, improved, bound, open_) in sums.items():
        shown = " | ".join(f"{x:,} ({x / max(entries, 1):.1%})" for x in (best, mine, improved, bound))
        print(f"| {setting} | {entries:,} | {shown} | {open_} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
