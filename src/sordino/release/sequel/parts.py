"""What a release that continues earlier ones puts into its folder: that of any release of baskets, and the joint proof.

keep/joint.json.gz: {"format": "sordino-joint/1", "tables": [a proof, ..]}, for `sordino verify NEW --with OLD`.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from sordino.audit.joint import audit_joint, resolve_joint
from sordino.audit.proof import encode_proof, make_proof
from sordino.data.joint import join, link
from sordino.engine.local import Progress, Watch
from sordino.errors import InternalError
from sordino.policy.answer import Answer
from sordino.release.baskets.parts import basket_parts
from sordino.release.folder import Parts, timeless
from sordino.release.house_report import HISTORY
from sordino.release.sequel.result import SequelRelease
from sordino.release.staging import Staging
from sordino.verify.bounded import readable_json
from sordino.verify.chain import FORMAT, JOINT, check_joint
from sordino.verify.shapes.inference import InferenceManifest
from sordino.verify.shapes.sequel import SequelManifest

__all__ = ["sequel_parts"]


def sequel_parts(release: SequelRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Write the data, read them back, audit them alone and together with what was published before, and prove both."""
    parts = basket_parts(release, stage, jobs, progress)
    manifest = parts.manifest
    assert isinstance(manifest, InferenceManifest)
    order = np.argsort(release.number)
    releases = [*(each.baskets for each in release.previous), parts.data]
    people = [*(each.people for each in release.previous), tuple(release.people[u] for u in order.tolist())]
    joint = audit_joint(releases, people, release.policy, jobs=jobs, progress=progress)
    if joint.holds != release.together:
        raise InternalError("the joint audit of the written file finds something else than that of the result")
    history = {**json.loads(parts.kept[HISTORY]), "joint": timeless(joint.to_dict())}
    kept = {**parts.kept, HISTORY: readable_json(history)}
    hashes = tuple(each.sha256 for each in release.previous if each.sha256 is not None)
    if not joint.holds or len(hashes) < len(release.previous):  # then nothing is claimed about all of them
        return replace(parts, kept=kept)
    Watch(progress).report("proving", 0, 0)
    records = join(releases, link(people))
    proofs = [
        make_proof(table.baskets, resolve_joint(records, release.policy, table), jobs=jobs, progress=progress)
        for table in records.tables(release.policy.sensitive)
    ]
    answer, reason = check_joint(records, release.policy, proofs)
    if answer is not Answer.HOLDS:
        raise InternalError(f"the independent verifier refuses the joint proof: {reason}")
    kept[JOINT] = encode_proof({"format": FORMAT, "tables": proofs})
    return replace(parts, manifest=SequelManifest(**vars(manifest), previous=hashes), kept=kept)
