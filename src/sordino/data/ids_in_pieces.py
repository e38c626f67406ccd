"""Record ids that come in pieces and are not kept: what must be refused of them is found all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from sordino.data.sources.coded import as_seen

__all__ = ["IdsInPieces"]


class IdsInPieces:
    """Distinct ids, a piece at a time: how many look like others, and which expected names are among them.

    Of ids that look alike all but one are *odd*: they have blanks around them, or another Unicode form than the usual.
    Odd ones are few, and are kept as they look. Of the others 64 bits each are kept, against which those are held in
    the end: none that looks like another is missed. If two agree in these bits by chance, data are refused that are
    good; of a million odd ids and ten million others that is one case in a million.
    """

    def __init__(self, wanted: Collection[str]) -> None:
        self._wanted = frozenset(wanted)
        self._met: set[str] = set()
        self._odd: Counter[str] = Counter()
        self._plain: list[npt.NDArray[np.int64]] = []

    def add(self, ids: Sequence[str]) -> None:
        self._met.update(self._wanted.intersection(ids))
        seen = [(name, as_seen(name)) for name in ids]
        self._odd.update(look for name, look in seen if name != look)
        plain = (hash(name) for name, look in seen if name == look)
        self._plain.append(np.fromiter(plain, dtype=np.int64))

    def alike(self) -> int:
        """How many ids are others, but for blanks around them and their Unicode form."""
        if not self._odd:
            return 0
        looks = np.array([hash(look) for look in self._odd], dtype=np.int64)
        twice = np.isin(looks, np.concatenate(self._plain))
        return sum(self._odd.values()) - len(self._odd) + int(twice.sum())

    def expected(self) -> tuple[str, ...] | None:
        """The expected names among the ids."""
        return tuple(sorted(self._met)) or None
