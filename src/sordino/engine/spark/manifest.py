"""What the manifest of a release says that was made in a cluster.

    {"sordino": "0.1.0", "format": "sordino-spark/1", "method": "mine", "records": 5000000, "item_type": "string",
     "policy": {"kind": "inference", "sensitive": [..], "rho": "0.5", "per_item": {}, "adaptive": false,
                "knowledge": null, "absent": null},
     "files": {"data/part-00000-....parquet": {"bytes": 1234, "sha256": ".."}, ..},
     "guaranteed": [..], "not_guaranteed": [..]}

The policy names only sensitive items that the published data still hold. Thresholds of an adaptive policy follow from
the data, and whoever verifies computes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sordino.errors import InputError, PolicyError
from sordino.policy.inference import InferencePolicy
from sordino.policy.promise import guaranteed, not_guaranteed
from sordino.policy.threshold import show_rational

__all__ = ["FORMAT", "SparkManifest", "promised"]

FORMAT = "sordino-spark/1"


def promised(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published files, in sentences."""
    first, meaning, _ = guaranteed(policy)
    if policy.absent is None:
        return first, meaning, "This is exact, without rounding or sampling, for every person; proof/ is the evidence."
    return (
        f"{first} It makes no difference what is known about the person's other items: that some are present, that "
        "some are absent, or any combination of both.",
        "Confidence means: among all records that agree with what that someone knows, the share of those that also "
        "hold the sensitive item.",
        "This is exact, without rounding or sampling, for every person. The files are their own proof: whoever doubts "
        "it counts equal records.",
    )


@dataclass(frozen=True)
class SparkManifest:
    """The entries of a manifest; `files` are sizes and checksums by name."""

    version: str
    method: str
    records: int
    item_type: str
    policy: InferencePolicy
    files: Mapping[str, tuple[int, str]]

    def text(self) -> str:
        """The manifest as it is written."""
        policy, rule = self.policy, self.policy.adaptive
        shown = {name: show_rational(f) for name, f in rule.items()} if isinstance(rule, Mapping) else rule
        document = {
            "sordino": self.version,
            "format": FORMAT,
            "method": self.method,
            "records": self.records,
            "item_type": self.item_type,
            "policy": {
                "kind": "inference",
                "sensitive": list(policy.sensitive),
                "rho": show_rational(policy.rho),
                "per_item": {name: show_rational(rho) for name, rho in policy.rho_of.items()},
                "adaptive": show_rational(shown) if isinstance(shown, Fraction) else shown,
                "knowledge": policy.knowledge,
                "absent": policy.absent,
            },
            "files": {name: {"bytes": size, "sha256": sha} for name, (size, sha) in sorted(self.files.items())},
            "guaranteed": list(promised(policy)),
            "not_guaranteed": list(not_guaranteed(policy)),
        }
        return json.dumps(document, indent=1, ensure_ascii=True) + "\n"

    @classmethod
    def read(cls, text: str) -> SparkManifest:
        """The manifest from its text; an InputError if it is none, or says something in other words than we would."""
        try:
            document: dict[str, Any] = json.loads(text)
            if document["format"] != FORMAT:
                raise InputError(f"the manifest is not of the format {FORMAT}")
            told = document["policy"]
            policy = InferencePolicy(
                told["sensitive"],
                told["rho"],
                rho_of=told["per_item"],
                adaptive=told["adaptive"],
                knowledge=told["knowledge"],
                absent=told["absent"],
            )
            files = {name: (int(entry["bytes"]), str(entry["sha256"])) for name, entry in document["files"].items()}
            found = cls(
                str(document["sordino"]), str(document["method"]), int(document["records"]),
                str(document["item_type"]), policy, files,
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError, PolicyError, RecursionError):
            raise InputError("the manifest cannot be read") from None
        if found.text().split() != text.split():
            raise InputError("the manifest says something else than what follows from its policy")
        return found
