"""A second chance for some records, among others that stay as they are: what putting back does in one of many groups.

Guarantee: none. A group does not see all records, and others change theirs at the same time; whoever puts the groups
together audits the whole, and takes back what does not hold.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.protect.kernels.common.begin import delete_places
from sordino.protect.workspace import Workspace

__all__ = ["Retry"]


class Retry(Workspace):
    """The records as they were, of which some occurrences are deleted."""

    def retried(self, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which occurrences are there afterwards; `kept` are there before. Who lost nothing stays as he is."""
        graph = self.ledger
        owner = np.repeat(self.record, np.diff(graph.ptr)).astype(np.int64)
        keys = owner * max(len(self.baskets.names), 1) + self.code[graph.items]
        out = ~kept[np.searchsorted(self._keys, keys)]
        row = np.repeat(np.arange(len(graph.length)), np.diff(graph.ptr))
        lossy = np.flatnonzero(np.bincount(row[out], minlength=len(graph.length)))
        self.watch.call(delete_places, graph, lossy, out)
        self._second_chance()
        self.table()
        return np.where(np.repeat(self.baskets.lengths > 1, self.baskets.lengths), self._kept, kept)
