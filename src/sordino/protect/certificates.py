"""Certificates of safety that outlast a round: an item with alibis for all its records stays safe for a while.

Guarantee: the items not in `lacking` are safe in the table under examination. For, once every record R with item e has
its alibis (model.md 1.2, point 3), deletions elsewhere do no harm: R without some item is still contained in its
alibis, R without e needs none, and a record that lacks e never gets it. Only an alibi that loses an item may fail. So
the items of which no alibi has lost anything need not be looked at again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Alibis, Examination

__all__ = ["Certificates"]

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


class Certificates:
    """The items proved safe so far, with their alibis, as classes of the round in which they were found."""

    def __init__(self, record: I32, seen: int = 0) -> None:
        self.record = record  # the number of a ledger's record in the baskets
        self.rounds: list[tuple[I32, int, dict[int, I32]]] = []  # class of each record, how many, alibis of items
        self.seen = seen  # deletions that have been taken into account

    def withdraw(self, gone: npt.NDArray[np.int32]) -> None:
        """Forgets what relied on records that have lost something; `gone` lists these, in the order of deletion."""
        records = self.record[gone[self.seen :]]
        self.seen = len(gone)
        for class_of, classes, alibis in self.rounds:
            changed = np.zeros(classes + 1, dtype=np.bool_)  # one more, for records of no class
            changed[class_of[records]] = True
            for code in [code for code, alibi in alibis.items() if changed[alibi].any()]:
                del alibis[code]

    def lacking(self, exam: Examination, ranks: I64) -> dict[int, Alibis]:
        """The alibis of those of the given items that have not enough, in the terms of `exam`; others are kept."""
        held = {code for _, _, alibis in self.rounds for code in alibis}
        codes = exam.index.code[ranks].tolist()
        found = exam.alibis(ranks[[code not in held for code in codes]])
        served = {int(exam.index.code[rank]): a.alibi for rank, a in found.items() if not len(a.unserved)}
        self.rounds.append((exam.index.class_of, exam.index.classes, served))
        return {rank: a for rank, a in found.items() if len(a.unserved)}
