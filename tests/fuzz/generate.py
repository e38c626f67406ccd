"""Cases from a seed: case k of a seed is always the same, whoever makes it and in whatever order."""

from __future__ import annotations

import numpy as np

from fuzz.case import Case
from fuzz.generate_baskets import basket_case
from fuzz.generate_diversity import diversity_case
from fuzz.generate_templates import template_case

__all__ = ["case_of"]

SHARES = (("inference", 0.6), ("template", 0.2), ("diversity", 0.2))


def case_of(seed: int, number: int, kind: str | None = None) -> Case:
    """Case `number` of a seed, of the kind that is its turn unless one is stated."""
    rng = np.random.default_rng([seed, number])
    if kind is None:
        kind = str(rng.choice([name for name, _ in SHARES], p=[share for _, share in SHARES]))
    make = {"inference": basket_case, "template": template_case, "diversity": diversity_case}[kind]
    return make(rng, number)
