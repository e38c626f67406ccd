"""What a release in groups puts into its folder: data, groups and, of generalized data, hierarchy and proof."""

from __future__ import annotations

from sordino.audit.generalization import tagged_policy
from sordino.audit.proof import encode_proof, make_proof
from sordino.data.generalized import Generalized
from sordino.data.read import read_baskets
from sordino.data.write import encoded, file_name, written_form
from sordino.engine.local import Progress, Watch
from sordino.errors import InputError, InternalError
from sordino.policy.inference import InferencePolicy
from sordino.release.basket_parts import history_of, kept_files, seen_of, stated_form
from sordino.release.check import PUBLISH
from sordino.release.folder import Parts
from sordino.release.grouped import GroupedRelease, audit_grouped
from sordino.release.groups_file import (
    GROUPS,
    HIERARCHY,
    encode_groups,
    encode_hierarchy,
    read_generalized,
    read_permuted,
)
from sordino.release.shapes.generalized import GeneralizedManifest
from sordino.release.shapes.inference import PROOF
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
        files[HIERARCHY] = encode_hierarchy(data.hierarchy)
    for file, content in files.items():
        stage.write(f"{PUBLISH}/{file}", content)
    publish = stage.new / PUBLISH
    try:
        baskets = read_baskets(publish / name, layout=form.layout, record=form.record, item=form.item)
        grouped = (
            read_generalized(publish, baskets, policy.sensitive)
            if isinstance(data, Generalized)
            else read_permuted(publish, baskets)
        )
    except InputError as error:
        raise InternalError(f"the written files cannot be read back: {error.what}") from None
    if baskets.fingerprint != release.published.fingerprint:
        raise InternalError("the written file reads back as other records")
    audit = audit_grouped(grouped, policy, jobs=jobs, progress=progress)
    if not audit.holds:
        raise InternalError("the audit of the written files finds that the policy does not hold")
    if isinstance(grouped, Generalized):
        watch.tell("proving", 0, 0)
        public = _published_policy(grouped, policy)
        resolved = public.resolve(baskets, missing="accept")
        tagged = grouped.tagged()
        files[PROOF] = encode_proof(make_proof(tagged, tagged_policy(tagged, resolved), jobs=jobs, progress=progress))
        thresholds = resolved.thresholds
    else:
        public = policy.only(grouped.supports())
        thresholds = public.thresholds_of(grouped.supports(), len(baskets))
    made = GeneralizedManifest if isinstance(data, Generalized) else PermutedManifest
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
    return Parts(manifest, files, kept, seen_of(baskets), policy=policy, form=stated_form(form))


def _published_policy(data: Generalized, policy: InferencePolicy) -> InferencePolicy:
    """The policy as far as the data hold its items: a name that is gone would tell that somebody had it.

    Labels of nodes differ from all sensitive names; if one does from a name that is gone, all are published, or nobody
    could read the labels.
    """
    public = policy.only(data.baskets.names)
    return public if data.hierarchy.labels_beside(public.sensitive) == data.labels else policy
