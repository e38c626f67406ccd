"""Checking a release together with the earlier ones that it continues: each by itself, that they are the ones, and that
nothing can be inferred from all of them together.

Part of the independent verifier: it imports neither audit nor methods. Which rows belong to the same person is told by
the `keep` parts of the folders, and by nothing that is published; without them only the rest is checked. The proof of
the joint records, keep/joint.json.gz, has a proof (release/verify.py) for each of their tables (data/joint.py).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import time
import zlib
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
from sordino.release.check import ReleaseVerdict, published_part, verify_folder
from sordino.release.linked import check_links, read_linked
from sordino.release.manifest import MANIFEST
from sordino.release.shapes.sequel import TOGETHER, SequelManifest
from sordino.release.verify import verify_baskets

__all__ = ["JOINT", "check_joint", "verify_chain"]

JOINT = "joint.json.gz"
FORMAT = "sordino-joint/1"


def verify_chain(
    folder: str | os.PathLike[str], previous: Sequence[str | os.PathLike[str]], policy: Policy | None = None
) -> ReleaseVerdict:
    """Whether a release is valid by itself and together with the earlier ones, the oldest first."""
    started = time.perf_counter()
    verdict = verify_folder(folder, policy)
    if not verdict.holds:
        return verdict
    answer, reason = _chain(Path(folder), [Path(old) for old in previous], verdict, policy)
    return replace(verdict, answer=answer, reason=reason, seconds=time.perf_counter() - started)


def _chain(
    folder: Path, previous: Sequence[Path], verdict: ReleaseVerdict, policy: Policy | None
) -> tuple[Answer, str]:
    manifest = verdict.manifest
    if not isinstance(manifest, SequelManifest):
        return Answer.FAILS, "the release claims nothing about earlier ones"
    for number, old in enumerate(previous, 1):
        found = verify_folder(old)
        if not found.holds:
            return found.answer, f"earlier release {number} is not valid: {found.reason}"
    hashes = tuple(hashlib.sha256((published_part(old) / MANIFEST).read_bytes()).hexdigest() for old in previous)
    if hashes != manifest.previous:
        return Answer.FAILS, "the earlier releases are not those that the manifest names, or not in that order"
    try:
        releases = [read_linked(each) for each in (*previous, folder)]
        check_links([release.people for release in releases])
        proofs = _proofs(folder / "keep" / JOINT)
    except InputError as error:
        return Answer.NOT_CHECKED, f"each release is valid by itself, but not checked together: {error.what}"
    stated = policy if isinstance(policy, InferencePolicy) else releases[-1].policy
    assert stated is not None
    joint = join([release.baskets for release in releases], link([release.people for release in releases]))
    reason = check_joint(joint, stated, proofs)
    return (Answer.FAILS, reason) if reason else (Answer.HOLDS, f"{verdict.reason}, {TOGETHER}")


def check_joint(joint: Joint, policy: InferencePolicy, proofs: Sequence[Mapping[str, Any]]) -> str:
    """What is wrong with the proofs that nothing can be inferred from joint records; nothing if they show it."""
    tables = list(joint.tables(policy.sensitive))
    if len(tables) != len(proofs):
        return "the joint proof is about other releases"
    for table, proof in zip(tables, proofs, strict=True):
        verdict = verify_baskets(table.baskets, _thresholds(joint, policy, table), None, proof)
        if not verdict.holds:
            return f"together: {verdict.reason}"
    return ""


def _thresholds(joint: Joint, policy: InferencePolicy, table: JointTable) -> dict[str, Any]:
    names = [table.baskets.names[code] for code in np.flatnonzero(table.sensitive).tolist()]
    real = {name: joint.names[int(joint.name[int(name)])] for name in names}
    people = max(joint.people, 1)
    return {name: floor_fraction(policy.rho_of.get(real[name], policy.rho), people) for name in names}


def _proofs(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
        proofs = content["tables"]
        if content["format"] != FORMAT or not all(isinstance(proof, dict) for proof in proofs):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError, EOFError, zlib.error, RecursionError):
        raise InputError(f"keep/{JOINT} cannot be read") from None
    return list(proofs)
