"""Which releases of baskets are made, audited and proved part by part, because all records at once do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sordino.audit.in_groups import needs_all
from sordino.data.baskets import Baskets
from sordino.policy.inference import InferencePolicy
from sordino.protect.parts import TOGETHER

__all__ = ["is_large"]


def is_large(baskets: Baskets, policy: InferencePolicy, options: Mapping[str, Any]) -> bool:
    """Whether there are more records than are put together in memory: then all is done part by part."""
    return len(baskets) > TOGETHER and int(str(options.get("parts", 1))) > 1 and needs_all(policy) is None
