"""sordino: publish data about people, and prove that what must stay quiet cannot be inferred from it.

Verbs: `audit`, `verify`. Data: `read_baskets`, `Baskets`. Requirements: `InferencePolicy`, `read_policy`.
Everything heavy is imported when it is first used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

# The rooms `audit` and `protect` share their names with verbs. Loading the (empty) packages before the functions
# are defined leaves the verbs as attributes of sordino, and the rooms importable as ever.
import sordino.audit

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult, Finding
    from sordino.data.baskets import Baskets
    from sordino.data.read import read_baskets
    from sordino.errors import SordinoError
    from sordino.policy.file import read_policy
    from sordino.policy.inference import InferencePolicy

__version__ = "0.1.0"
__all__ = [
    "AuditResult",
    "Baskets",
    "Finding",
    "InferencePolicy",
    "SordinoError",
    "audit",
    "read_baskets",
    "read_policy",
]

_LAZY = {
    "AuditResult": "sordino.audit.result",
    "Baskets": "sordino.data.baskets",
    "Finding": "sordino.audit.result",
    "InferencePolicy": "sordino.policy.inference",
    "SordinoError": "sordino.errors",
    "read_baskets": "sordino.data.read",
    "read_policy": "sordino.policy.file",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'sordino' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def audit(  # type: ignore[no-redef]
    data: object,
    policy: InferencePolicy,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    missing: str = "error",
) -> AuditResult:
    """What can be inferred from `data`, about how many people, by whom.

    `data` is whatever `read_baskets` takes: a path, a frame, a sparse matrix, a list of sets, or Baskets.
    """
    from sordino.audit.inference import audit_baskets
    from sordino.data.read import read_baskets

    return audit_baskets(
        read_baskets(data), policy, top=top, time_limit=time_limit, jobs=jobs, progress=progress, missing=missing
    )
