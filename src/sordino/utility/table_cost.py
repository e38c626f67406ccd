"""What a change of a table cost, in all measures at once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import Table
from sordino.errors import InputError
from sordino.policy.template import ResolvedTemplate
from sordino.utility.cells import Cells, measure_cells
from sordino.utility.classifiers import Errors, measure_errors
from sordino.utility.granularity import Granularity, measure_granularity
from sordino.utility.table_anonymity import TableAnonymity, table_anonymity
from sordino.words.template import sentences

__all__ = ["TableCost", "measure_table_cost"]


@dataclass(frozen=True)
class TableCost:
    """All measures of one change of the masking columns. `errors` is empty if they were not asked for."""

    cells: Cells
    granularity: Granularity
    errors: tuple[Errors, ...]
    seconds: float
    anonymity: tuple[TableAnonymity, TableAnonymity] | None = None  # before and after

    def to_dict(self) -> dict[str, Any]:
        return {
            "cells": self.cells.to_dict(),
            "granularity": self.granularity.to_dict(),
            "errors": [one.to_dict() for one in self.errors],
            "anonymity": None
            if self.anonymity is None
            else {"before": self.anonymity[0].to_dict(), "after": self.anonymity[1].to_dict()},
            "seconds": self.seconds,
        }

    def summary(self) -> str:
        """The cost in plain words."""
        return " ".join(sentences(self.to_dict()))

    def __str__(self) -> str:
        from sordino.report.notebook import cost_text

        return cost_text(self.to_dict(), "template")

    def _repr_html_(self) -> str:
        from sordino.report.notebook import cost_html

        return cost_html(self.to_dict(), "template")


def measure_table_cost(
    after: Table,
    policy: ResolvedTemplate,
    *,
    errors: bool = False,
    train: npt.NDArray[np.bool_] | None = None,
    seed: int = 0,
) -> TableCost:
    """What `after` lost against the table of the policy; on request also for the prediction of its class."""
    start = time.monotonic()
    before = policy.table
    absent = [before.names[place] for place in policy.masking if before.names[place] not in after.names]
    if absent:
        raise InputError(f"the column '{absent[0]}' is missing after")
    return TableCost(
        cells=measure_cells(before, after, policy.masking, policy.symbol),
        granularity=measure_granularity(before, after, policy.masking, policy.hierarchies, policy.symbol),
        errors=measure_errors(after, policy, train=train, seed=seed) if errors else (),
        seconds=time.monotonic() - start,
        anonymity=_anonymity(before, after, policy),
    )


def _anonymity(before: Table, after: Table, policy: ResolvedTemplate) -> tuple[TableAnonymity, TableAnonymity] | None:
    """Both sides: who knows the columns that the policy lets be known; None if what is sensitive is gone."""
    secret = sorted({template.sensitive for template in policy.policy.templates})
    known = sorted({name for template in policy.policy.templates for name in template.given}.difference(secret))
    if not all(name in after.names for name in (*known, *secret)):
        return None
    return table_anonymity(before, known, secret), table_anonymity(after, known, secret)
