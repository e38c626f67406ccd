"""The audit of generalized or permuted baskets."""

from __future__ import annotations

from sordino.audit.generalization import audit_generalized
from sordino.audit.permutation import audit_permuted
from sordino.audit.result import AuditResult
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.engine.local import Progress
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy

__all__ = ["audit_coarsened"]


def audit_coarsened(
    data: Generalized | Permuted,
    policy: InferencePolicy,
    *,
    by_group: bool = False,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """The audit that belongs to the data: at leaf knowledge, or of groups. With `by_group` every group must be safe by
    itself, as permuted ones always must."""
    if isinstance(data, Permuted):
        if policy.absent is not None:
            raise InputError(
                "permuted data cannot be audited against knowledge of what people do not have yet",
                hint='Leave absent = "any" out of the policy, or protect with the method twins.',
            )
        return audit_permuted(data, policy, top=top, time_limit=time_limit)
    return audit_generalized(
        data, policy, by_group=by_group, top=top, time_limit=time_limit, jobs=jobs, progress=progress
    )
