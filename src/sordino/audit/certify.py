"""Which items are proved safe by alibis, and what is exposed of that which alibis leave open (model.md 1.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import EXPOSED, Alibis, Examination

__all__ = ["certify", "search_unserved", "unserved_places"]

I64 = npt.NDArray[np.int64]


def certify(exam: Examination, ranks: I64, most: int) -> tuple[dict[int, Alibis], I64]:
    """Alibis for those of the given items that are safe, and exposed occurrences of all that are not.

    Needs `exam.leaves()` before.
    """
    alibis = exam.alibis(ranks)
    exposed = search_unserved(exam, unserved_places(exam, alibis), most)
    unsafe = set(exam.index.items[exposed].tolist())
    return {rank: a for rank, a in alibis.items() if rank not in unsafe}, exposed


def unserved_places(exam: Examination, alibis: Mapping[int, Alibis]) -> I64:
    """The occurrences that the alibis leave open, ascending."""
    places = [exam.places(rank, a.unserved) for rank, a in alibis.items() if len(a.unserved)]
    return np.sort(np.concatenate(places)) if places else np.empty(0, dtype=np.int64)


def search_unserved(
    exam: Examination, places: I64, most: int, into: npt.NDArray[np.uint8] | None = None
) -> npt.NDArray[np.int64]:
    """What is exposed of that which alibis leave open: an antecedent that lies in no open record is served.

    Needs `exam.leaves()` before, at least for these places. It is marked in `into` as well, also what was found before
    the time was over.
    """
    if not len(places):
        return places
    risk = np.zeros(len(exam.index.items), dtype=np.uint8) if into is None else into
    exam.search(risk, places, 1, most, EXPOSED, phase="what alibis leave open")
    return np.flatnonzero(risk)
