"""What became of adaptive thresholds, in words: they follow from the published file, not from the original.

What is said here tells how frequent items were before: it is for the house, and not for `publish/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from sordino.policy.inference import InferencePolicy

__all__ = ["threshold_remarks"]


def threshold_remarks(
    policy: InferencePolicy, before: Mapping[str, Fraction], after: Mapping[str, Fraction]
) -> tuple[str, ...]:
    """Which thresholds are other ones now than those of the audit before, and why; nothing if none is."""
    if policy.adaptive is False:
        return ()
    moved = [(rho, after[item]) for item, rho in before.items() if item in after and after[item] != rho]
    gone = sum(item not in after for item in before)
    if not moved:
        return ()
    old, new = max(moved, key=lambda pair: (abs(pair[1] - pair[0]), pair))
    which = "its threshold" if len(before) == 1 else f"{len(moved):,} of {len(before):,} thresholds"
    most = "" if len(moved) == 1 else "the most "
    told = [
        "Adaptive thresholds follow from how frequent an item is in the published file, as everybody can count there: "
        "those of the original would tell how frequent it was, and nobody could verify them.",
        f"Deleting made items rarer, and so changed {which} ({most}from {_percent(old)} to {_percent(new)}); the "
        "release keeps the new ones.",
    ]
    if gone:
        told.append(f"{gone:,} sensitive item{'' if gone == 1 else 's'} vanished, so no threshold is needed there.")
    return tuple(told)


def _percent(share: Fraction) -> str:
    return f"{float(share):.2%}".replace(".00%", "%")
