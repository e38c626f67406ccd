"""Proofs of the toy: whose data they are about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sordino.kinds import Source
from sordino.policy.answer import Answer
from sordino.verify.verdict import Verdict
from toy.policy import CrowdPolicy
from toy.verbs import audit, read

__all__ = ["read", "verify"]


def verify(source: Source, policy: CrowdPolicy, proof: Any, *, missing: str) -> Verdict:
    stated = proof if isinstance(proof, Mapping) else json.loads(Path(proof).read_bytes())
    if stated["data"] != source.data.fingerprint:
        return Verdict(Answer.FAILS, "the proof is about other data", 0, 0, 0, 0.0)
    return Verdict(audit(source, policy, top=0, missing=missing).answer, "counted", 1, 0, 1, 0.0)
