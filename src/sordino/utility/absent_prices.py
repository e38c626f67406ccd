"""The thorough bound where somebody also knows what people lack (docs/notes/bound.md).

*Argument.* That of thorough.py, with the rules of equals: wherever m records are published as just W + e, enough are
published as just W. Who shows W is paid, and pays, for W alone. So a record serves only one other set, and what longer
records can do is no guess: each shows one of the sets that matter, if it has it, or as much as it can and nothing that
matters.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sordino.utility.kernels.equals import Others, choose_one, refuse_larger, settle_equals, sizes_of_nodes
from sordino.utility.kernels.lattice import Nodes, Units, nodes_inside
from sordino.utility.thorough import Prices, pointers, with_prices

__all__ = ["PricesOfEquals"]

I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class PricesOfEquals(Prices):
    """The same, but only who shows just a set counts for it."""

    inside = False
    choose = staticmethod(choose_one)

    def _find_parts(self, units: Units) -> None:
        super()._find_parts(units)
        refuse_larger(units, self.table.kept)

    def _add_others(self, unknown: Bools, nodes: Nodes, able: I64) -> None:
        """All classes that are no units: each may show just one of the nodes that it holds."""
        del unknown
        table, index, watch = self.table, self.table.index, self.watch
        self.size = np.zeros(len(able), dtype=np.int64)
        watch.call(sizes_of_nodes, self.units, self.node, self.size)
        other = np.ones(index.classes, dtype=np.bool_)
        other[self.units.of] = False
        rows = index.items[np.repeat(other, table.lengths)]
        begin, inner = watch.call(nodes_inside, nodes, index.width, pointers(table.lengths[other]), rows, watch.stop)
        self.others = Others(table.kept[other], index.weight[other], begin, inner)
        self._keep(self.size[inner] <= np.repeat(self.others.most, np.diff(begin)))
        np.add.at(able, self.others.list, np.repeat(self.others.weight, np.diff(self.others.begin)))
        self.always = 0

    def _keep(self, chosen: Bools) -> None:
        """Only these of the nodes inside other classes."""
        before = pointers(chosen.astype(np.int64))
        self.others = self.others._replace(begin=before[self.others.begin], list=self.others.list[chosen])

    def _forget_what_has_no_price(self) -> None:
        self._keep(with_prices(self.market, len(self.free))[self.others.list])

    def _settle(self, value: I64, chosen: I64) -> int:
        total = self.watch.call(
            settle_equals, self.units, self.node, self.table.index.weight, self.others, self.size, self.gain, self.pay,
            self.counts.has, value, chosen, self.watch.stop,
        )  # fmt: skip
        self.counts.alibi[:] = self.counts.has
        return int(total)
