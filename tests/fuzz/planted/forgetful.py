"""An audit that forgets the last record, and a verifier that accepts whatever it can read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sordino.data.baskets import Baskets
from sordino.kinds import inference
from sordino.policy.answer import Answer
from sordino.release import check

_audit, _verify = inference.audit_baskets, check.verify_folder


def _forgetful(baskets: Baskets, *given: Any, **more: Any) -> Any:
    fewer = replace(baskets, indptr=baskets.indptr[:-1], items=baskets.items[: baskets.indptr[-2]], ids=None)
    return replace(_audit(fewer, *given, **more), records=len(baskets))


def _believing(*given: Any, **more: Any) -> Any:
    return replace(_verify(*given, **more), answer=Answer.HOLDS)


inference.audit_baskets = _forgetful
check.verify_folder = _believing
