"""Checking a release together with the earlier ones that it continues: each by itself, that they are the ones, and that
nothing can be inferred from all of them together.

Which rows belong to the same person is told by
the `keep` parts of the folders, and by nothing that is published; without them only the rest is checked. The proof of
the joint records, keep/joint.json.gz, has a proof (verify/proof.py) for each of their tables (data/joint.py).
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.joint import Joint, JointTable, join, link
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import floor_fraction
from sordino.verify.folder import ReleaseVerdict, Words, published_part, verify_folder
from sordino.verify.linked import check_links, read_linked
from sordino.verify.manifest import MANIFEST
from sordino.verify.proof import load_proof, verify_baskets
from sordino.verify.shapes.sequel import SequelManifest, valid_alone

__all__ = ["JOINT", "check_joint", "verify_chain"]

JOINT = "joint.json.gz"
FORMAT = "sordino-joint/1"
TOGETHER = "proved, together"
ALONE = "each release is valid by itself, but not checked together"
OTHERS = "the joint proof is about other releases"


def verify_chain(
    folder: str | os.PathLike[str],
    previous: Sequence[str | os.PathLike[str]],
    words: Words,
    policy: Policy | None = None,
) -> ReleaseVerdict:
    """Whether a release is valid by itself and together with the earlier ones, the oldest first."""
    started = time.perf_counter()
    verdict = verify_folder(folder, words, policy)
    if not valid_alone(verdict):
        return verdict
    answer, reason = _chain(Path(folder), [Path(old) for old in previous], words, verdict, policy)
    return replace(verdict, answer=answer, reason=reason, seconds=time.perf_counter() - started)


def _chain(
    folder: Path, previous: Sequence[Path], words: Words, verdict: ReleaseVerdict, policy: Policy | None
) -> tuple[Answer, str]:
    manifest = verdict.manifest
    if not isinstance(manifest, SequelManifest):
        return Answer.FAILS, "by itself it is, but it claims nothing together with earlier releases"
    for number, old in enumerate(previous, 1):
        found = verify_folder(old, words)
        if not valid_alone(found):
            return found.answer, f"earlier release {number} is not valid: {found.reason}"
    hashes = tuple(hashlib.sha256((published_part(old) / MANIFEST).read_bytes()).hexdigest() for old in previous)
    if hashes != manifest.previous:
        return Answer.FAILS, "the earlier releases are not those that the manifest names, or not in that order"
    try:
        releases = [read_linked(each) for each in (*previous, folder)]
        check_links([release.people for release in releases])
        joint = join([release.baskets for release in releases], link([release.people for release in releases]))
        proofs = _proofs(folder / "keep" / JOINT)
    except InputError as error:
        return Answer.NOT_CHECKED, f"{ALONE}: {error.what}"
    stated = policy if isinstance(policy, InferencePolicy) else releases[-1].policy
    if stated is None or (policy is None and not releases[-1].whole):
        # A published policy does not name what only earlier releases show.
        return Answer.NOT_CHECKED, f"{ALONE}: keep/policy.toml is not there, or about something else; state the policy"
    answer, reason = check_joint(joint, stated, proofs)
    if answer is Answer.NOT_CHECKED:
        return answer, f"{ALONE}: {reason}"
    return (answer, reason) if reason else (answer, TOGETHER)


def check_joint(joint: Joint, policy: InferencePolicy, proofs: Sequence[Mapping[str, Any]]) -> tuple[Answer, str]:
    """Whether the proofs show that nothing can be inferred from joint records; and what is wrong, or nothing."""
    number = 0
    for number, table in enumerate(joint.tables(policy.sensitive), 1):
        if number > len(proofs):
            return Answer.FAILS, OTHERS
        verdict = verify_baskets(table.baskets, _thresholds(joint, policy, table), None, proofs[number - 1])
        if not verdict.holds:
            return verdict.answer, f"together: {verdict.reason}"
    return (Answer.HOLDS, "") if number == len(proofs) else (Answer.FAILS, OTHERS)


def _thresholds(joint: Joint, policy: InferencePolicy, table: JointTable) -> dict[str, Any]:
    names = [table.baskets.names[code] for code in np.flatnonzero(table.sensitive).tolist()]
    real = {name: joint.names[int(joint.name[int(name)])] for name in names}
    people = max(joint.people, 1)
    return {name: floor_fraction(policy.rho_of.get(real[name], policy.rho), people) for name in names}


def _proofs(path: Path) -> Sequence[Mapping[str, Any]]:
    content = load_proof(path)
    proofs = content.get("tables") if content.get("format") == FORMAT else None
    if not isinstance(proofs, list) or not all(isinstance(proof, dict) for proof in proofs):
        raise InputError(f"keep/{JOINT} cannot be read")
    return proofs
