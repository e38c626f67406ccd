"""What a release of generalized or permuted baskets puts into its folder: data, groups and, of generalized data,
hierarchy and proof.

The hierarchy in publish/ names only items that are still shown (see `told_tree`); the one that the user brought, as far
as it is not sensitive, is in keep/.
"""

from __future__ import annotations

from dataclasses import replace

from sordino.audit.generalization import tagged_policy
from sordino.audit.proof import encode_proof, make_proof
from sordino.data.generalized import Generalized
from sordino.data.write_hierarchy import encoded_hierarchy
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.release.baskets.parts import parts_of, write_records
from sordino.release.coarsened.audit import audit_coarsened
from sordino.release.coarsened.result import CoarsenedRelease
from sordino.release.folder import Parts
from sordino.release.staging import Staging
from sordino.verify.groups_file import GROUPS, HIERARCHY, encode_groups, read_generalized, read_permuted
from sordino.verify.manifest import PUBLISH
from sordino.verify.shapes.generalized import GeneralizedAbsenceManifest, GeneralizedManifest
from sordino.verify.shapes.inference import PROOF, InferenceManifest
from sordino.verify.shapes.permuted import PermutedManifest

__all__ = ["coarsened_parts"]


def coarsened_parts(release: CoarsenedRelease, stage: Staging, jobs: int | None, progress: Progress | None) -> Parts:
    """Write data, groups and hierarchy, read them back, audit and prove."""
    policy, data = release.policy, release.published_groups
    written = write_records(release, stage)
    files = {GROUPS: encode_groups(data)}
    if isinstance(data, Generalized):
        files[HIERARCHY] = encoded_hierarchy(data.hierarchy, HIERARCHY)
    for file, content in files.items():
        stage.write(f"{PUBLISH}/{file}", content)
    publish, baskets = stage.new / PUBLISH, written.baskets
    try:
        coarse = (
            read_generalized(publish, baskets, policy.sensitive)
            if isinstance(data, Generalized)
            else read_permuted(publish, baskets)
        )
    except InputError as error:
        raise InternalError(f"the written files cannot be read back: {error.what}") from None
    audit = audit_coarsened(coarse, policy, by_group=True, jobs=jobs, progress=progress)
    if not audit.holds:
        raise InternalError("the audit of the written files finds that the policy does not hold")
    made: type[InferenceManifest] = PermutedManifest
    if isinstance(coarse, Generalized):
        made = GeneralizedAbsenceManifest
        public = policy.only(baskets.names)
        resolved = public.resolve(baskets, missing="accept")
        if policy.absent is None:  # else whoever doubts it counts
            made = GeneralizedManifest
            Watch(progress).report("proving", 0, 0)
            tagged = coarse.tagged()
            proof = make_proof(tagged, tagged_policy(tagged, resolved), jobs=jobs, progress=progress)
            files[PROOF] = encode_proof(proof)
        thresholds = resolved.thresholds
    else:
        public = policy.only(coarse.supports())
        thresholds = public.thresholds_of(coarse.supports(), len(baskets))
    parts = parts_of(release, written, made, public, thresholds, audit, files)
    if not isinstance(coarse, Generalized):
        return replace(parts, checked=False)  # permuted data promise less than the policy: that much is checked
    if release.brought and isinstance(release.coarse, Generalized):
        whole = encoded_hierarchy(release.coarse.hierarchy, HIERARCHY)
        return replace(parts, kept={**parts.kept, HIERARCHY: whole})
    return parts
