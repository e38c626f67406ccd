"""Baskets without their sensitive items, which are told by group of records.

The entries of the manifest are those of the shape "inference". Beside the data lies groups.json.gz (see `groups_file`),
which is also the proof: in each group, of n records of which c have e, c/n <= rho_e is checked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sordino.data.baskets import Baskets
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.verify.asked import Asked
from sordino.verify.groups_file import GROUPS, read_permuted
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.verdict import Verdict

__all__ = ["ONLY_SO_FAR", "PermutedManifest"]

ONLY_SO_FAR = (
    "against someone who knows only non-sensitive items the stated policy holds; what someone could infer who knows a "
    "sensitive item of the person was not checked, and permuted data promise nothing about it"
)


@dataclass(frozen=True, kw_only=True)
class PermutedManifest(InferenceManifest):
    """What the manifest of permuted baskets says."""

    shape: ClassVar[str] = "permuted"

    def needed(self) -> frozenset[str]:
        """Data and groups."""
        return frozenset({self.file, GROUPS})

    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, Baskets]:
        """Check every group."""
        baskets, notes = self.checked_data(publish, asked)
        policy = self.demands(asked)
        data = read_permuted(publish, baskets, checked=True)
        secret = frozenset(policy.sensitive)
        if not secret.isdisjoint(baskets.names):
            raise InputError("a record of the data holds a sensitive item")
        if not all(secret.issuperset(told) for told in data.held):
            raise InputError(f"{GROUPS} tells of an item that is not sensitive in the policy")
        total = data.supports()
        thresholds = policy.thresholds_of(total, len(baskets))
        self.check_thresholds(thresholds)
        size = Counter(data.group.tolist())
        for g, told in enumerate(data.held):
            for name, count in told.items():
                if count > thresholds[name] * size[g]:
                    raise InputError(f"in group {g}, {count:,} of {size[g]:,} records have '{name}', which is too many")
        gone = len(secret - total.keys())
        if gone:
            what = "1 sensitive item of the policy is" if gone == 1 else f"{gone:,} sensitive items of the policy are"
            notes = (f"{what} in no group, so nothing can be inferred about it", *notes)
        answer, reason = Answer.HOLDS, "proved"
        if asked.policy is not None:  # its own promise goes no further, and says so; a stated policy does
            answer, reason = Answer.NOT_CHECKED, ONLY_SO_FAR
        return Verdict(answer, reason, len(total), 0, sum(map(len, data.held)), 0.0, notes), baskets

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        items = f"{verdict.items:,} sensitive item{'' if verdict.items == 1 else 's'}"
        return (
            "who knows only non-sensitive items cannot infer a sensitive one above its threshold.",
            f"{self.count()}, {items}. Nothing is promised against someone who knows a sensitive item of the person.",
            f"{self.read_as()} All {verdict.searched:,} numbers of sensitive items in groups were checked. It took "
            f"{verdict.seconds:.1f} s.",
        )
