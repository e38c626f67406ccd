"""Proofs beside baskets: checked without the code of the audit and the methods, which is not even loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sordino.data.read import read_baskets
from sordino.errors import InputError, PolicyError
from sordino.kinds.naming import expected_in
from sordino.kinds.source import Source
from sordino.policy.inference import InferencePolicy
from sordino.verify.in_parts import head_of, verify_file
from sordino.verify.proof import load_proof, verify_baskets
from sordino.verify.verdict import Verdict

__all__ = ["read", "verify"]


def read(
    data: object,
    policy: InferencePolicy,
    *,
    layout: str | None = None,
    record: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
) -> Source:
    """Baskets from whatever `read_baskets` takes."""
    form: dict[str, Any] = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
    form |= {} if missing is None else {"missing": missing}
    return Source(read_baskets(data, **form, expected=expected_in(policy)), form)


def verify(source: Source, policy: InferencePolicy, proof: Any, *, missing: str = "error") -> Verdict:
    """Whether a proof, or the file of one, shows that the policy holds for the baskets."""
    if policy.absent is not None:
        raise InputError(
            "a proof by alibis says nothing about knowledge of what people do not have",
            hint='A release folder under absent = "any" needs no proof: verify the folder.',
        )
    if policy.personal or policy.assurance is not None:
        raise InputError("there are no proofs for personal choices or sampled assurance; verify the release folder")
    policy.check_stated()
    baskets = source.data
    try:
        resolved = policy.resolve(baskets, missing=missing)
    except PolicyError:
        content = proof if isinstance(proof, Mapping) else head_of(proof) or load_proof(proof)
        if content.get("data") == baskets.fingerprint:
            raise
        # Other data than the proof is about: that, and not an item that they lack, is the first thing to say.
        resolved = policy.resolve(baskets, missing="accept")
    verify_one = verify_baskets if isinstance(proof, Mapping) else verify_file
    return verify_one(baskets, resolved.comparison, resolved.knowledge, proof)
