"""What a release in groups puts into its folder: data, groups and, of generalized data, hierarchy and proof.

The hierarchy in publish/ names only items that are still shown (see `told_tree`); the one that the user brought, as far
as it is not sensitive, is in keep/.
"""

from __future__ import annotations

from sordino.audit.generalization import tagged_policy
from sordino.audit.proof import encode_proof, make_proof
from sordino.data.generalized import Generalized
from sordino.data.read import read_like
from sordino.data.write import encoded, file_name, written_form
from sordino.data.write_hierarchy import encoded_hierarchy
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.release.basket_parts import history_of, kept_files, seen_of, stated_form
from sordino.release.check import PUBLISH
from sordino.release.folder import Parts
from sordino.release.grouped import GroupedRelease, audit_grouped
from sordino.release.groups_file import (
    GROUPS,
    HIERARCHY,
    encode_groups,
    read_generalized,
    read_permuted,
)
from sordino.release.shapes.generalized import GeneralizedManifest
from sordino.release.shapes.generalized_absence import GeneralizedAbsenceManifest
from sordino.release.shapes.inference import PROOF, InferenceManifest
from sordino.release.shapes.permuted import PermutedManifest
from sordino.release.staging import Staging

__all__ = ["grouped_parts"]


def grouped_parts(release: GroupedRelease, stage: Staging, *, jobs: int | None, progress: Progress | None) -> Parts:
    """Write data, groups and hierarchy, read them back, audit and prove."""
    watch = Watch(progress)
    policy, data = release.policy, release.published_groups
    name, form = file_name(release.published.origin), written_form(release.published, release.published.origin)
    files = {name: encoded(release.published, release.published.origin), GROUPS: encode_groups(data)}
    if isinstance(data, Generalized):
        files[HIERARCHY] = encoded_hierarchy(data.hierarchy, HIERARCHY)
    for file, content in files.items():
        stage.write(f"{PUBLISH}/{file}", content)
    publish = stage.new / PUBLISH
    try:
        baskets = read_like(publish / name, form)
        grouped = (
            read_generalized(publish, baskets, policy.sensitive)
            if isinstance(data, Generalized)
            else read_permuted(publish, baskets)
        )
    except InputError as error:
        raise InternalError(f"the written files cannot be read back: {error.what}") from None
    if baskets.fingerprint != release.published.fingerprint:
        raise InternalError("the written file reads back as other records")
    audit = audit_grouped(grouped, policy, by_group=True, jobs=jobs, progress=progress)
    if not audit.holds:
        raise InternalError("the audit of the written files finds that the policy does not hold")
    if isinstance(grouped, Generalized):
        public = policy.only(baskets.names)
        resolved = public.resolve(baskets, missing="accept")
        if policy.absent is None:  # else whoever doubts it counts
            watch.tell("proving", 0, 0)
            tagged = grouped.tagged()
            files[PROOF] = encode_proof(
                make_proof(tagged, tagged_policy(tagged, resolved), jobs=jobs, progress=progress)
            )
        thresholds = resolved.thresholds
    else:
        public = policy.only(grouped.supports())
        thresholds = public.thresholds_of(grouped.supports(), len(baskets))
    made: type[InferenceManifest] = PermutedManifest
    if isinstance(data, Generalized):
        made = GeneralizedManifest if policy.absent is None else GeneralizedAbsenceManifest
    manifest = made(
        method=release.method,
        records=len(baskets),
        ids=release.ids,
        file=name,
        form=form,
        policy=public,
        thresholds=None if policy.adaptive is False else thresholds,
    )
    kept = kept_files(release, history_of(release, audit))
    if release.brought and isinstance(release.grouped, Generalized):
        kept[HIERARCHY] = encoded_hierarchy(release.grouped.hierarchy, HIERARCHY)
    whole = isinstance(grouped, Generalized)  # permuted data promise less than the policy: that much is checked
    return Parts(manifest, files, kept, seen_of(baskets), policy=policy, checked=whole, form=stated_form(form))
