"""The question of the audit, put to general rule miners: which (q -> e), |q| <= 2, e sensitive, exceed rho?

Each miner starts from the records in its natural form: lists of items, or a sparse frame, made outside its timing.
Equal records are not merged for it beforehand, as they are not for us: where merging helps, it is part of the work. Its
rules are then checked with exact integers, and the people they concern are counted with NumPy, over the records as
matrices of codes, made beforehand too. Supports are asked for as 1/2 a record, which is "at least one" whatever the
rounding.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sordino.data.baskets import Baskets

__all__ = ["MINERS", "PYFIM_CALLS", "Question", "Rules", "count_people", "mine_sets", "prepare_sets", "rules_of_pyfim"]

MOST = 3  # items of a rule: two known, one inferred
I64 = npt.NDArray[np.int64]
Sets = list[tuple[tuple[int, ...], int]]  # item sets of one to three codes with their supports


@dataclass(frozen=True, eq=False)
class Question:
    """The records as codes, which codes are sensitive, and the records by length for counting people."""

    records: list[tuple[int, ...]]
    sensitive: npt.NDArray[np.bool_]
    by_length: list[I64]  # the records of one length, a row each

    @property
    def width(self) -> int:
        return len(self.sensitive)

    @classmethod
    def of(cls, baskets: Baskets, sensitive: Iterable[str]) -> Question:
        flat, bounds = baskets.items.tolist(), baskets.indptr.tolist()
        records = [tuple(flat[bounds[u] : bounds[u + 1]]) for u in range(len(baskets))]
        mask = np.zeros(len(baskets.names), dtype=np.bool_)
        mask[[baskets.code_of[name] for name in sensitive]] = True
        by_length = []
        for length in range(2, int(baskets.lengths.max(initial=0)) + 1):
            starts = baskets.indptr[:-1][baskets.lengths == length]
            by_length.append(baskets.items[starts[:, None] + np.arange(length)].astype(np.int64))
        return cls(records, mask, by_length)


@dataclass(frozen=True, eq=False)
class Rules:
    """Disclosing rules: rows of `one` are (known, inferred), rows of `two` (lower known, higher known, inferred)."""

    one: I64
    two: I64

    def __len__(self) -> int:
        return len(self.one) + len(self.two)

    def digest(self) -> str:
        """The same for the same set of rules, in whatever order."""
        both = hashlib.sha256()
        for rules in (self.one, self.two):
            both.update(np.ascontiguousarray(rules[np.lexsort(rules.T)]).tobytes())
        return both.hexdigest()[:16]


def count_people(question: Question, rules: Rules) -> dict[str, int]:
    """How many people hold all items of some rule: in total, and by the fewest items that one must know."""
    width = np.int64(question.width)
    pairs = np.sort(rules.one, axis=1)
    pairs = np.unique(pairs[:, 0] * width + pairs[:, 1])
    triples = np.sort(rules.two, axis=1)
    triples = np.unique((triples[:, 0] * width + triples[:, 1]) * width + triples[:, 2])
    by_one = by_two = 0
    for rows in question.by_length:
        exposed = np.zeros(len(rows), dtype=np.bool_)
        for i, j in combinations(range(rows.shape[1]), 2):
            exposed |= _among(pairs, rows[:, i] * width + rows[:, j])
        by_one += int(exposed.sum())
        rows = rows[~exposed]
        exposed = np.zeros(len(rows), dtype=np.bool_)
        for i, j, k in combinations(range(rows.shape[1]), 3):
            exposed |= _among(triples, (rows[:, i] * width + rows[:, j]) * width + rows[:, k])
        by_two += int(exposed.sum())
    return {"people": by_one + by_two, "1": by_one, "2": by_two}


def _among(known: I64, codes: I64) -> npt.NDArray[np.bool_]:
    """Which codes are in `known` (ascending)."""
    if len(known) == 0:
        return np.zeros(len(codes), dtype=np.bool_)
    at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.equal(known[at], codes, dtype=np.bool_)


def rules_of_sets(question: Question, sets: Sets, rho: Fraction) -> Rules:
    """The disclosing rules among item sets with their supports, all subsets included, by integer arithmetic."""
    width = np.int64(question.width)
    single = np.zeros(question.width, dtype=np.int64)
    for items, support in sets:
        if len(items) == 1:
            single[items[0]] = support
    pairs, pair_support = _columns(sets, 2)
    triples, triple_support = _columns(sets, 3)
    codes = pairs[:, 0] * width + pairs[:, 1]
    order = np.argsort(codes)
    codes, by_code = codes[order], pair_support[order]
    one, two = [], []
    for e in range(2):
        q, head = pairs[:, 1 - e], pairs[:, e]
        found = question.sensitive[head] & (pair_support * rho.denominator > rho.numerator * single[q])
        one.append(np.column_stack((q[found], head[found])))
    for e in range(3):
        low, high = (triples[:, k] for k in range(3) if k != e)
        head = triples[:, e]
        known = by_code[np.searchsorted(codes, low * width + high)] if len(codes) else low
        found = question.sensitive[head] & (triple_support * rho.denominator > rho.numerator * known)
        two.append(np.column_stack((low[found], high[found], head[found])))
    return Rules(np.concatenate(one), np.concatenate(two))


def _columns(sets: Sets, size: int) -> tuple[I64, I64]:
    """The sets of one size, a row each with ascending codes, and their supports."""
    some = [entry for entry in sets if len(entry[0]) == size]
    flat = np.fromiter(chain.from_iterable(items for items, _ in some), dtype=np.int64, count=size * len(some))
    return np.sort(flat.reshape(-1, size), axis=1), np.fromiter((s for _, s in some), dtype=np.int64, count=len(some))


# --- pyfim: compiled (C). Rule mode, with sensitive items only as heads; or item sets, and the check above. -----------


def _appearance(question: Question) -> dict[int | None, str]:
    codes = np.flatnonzero(question.sensitive).tolist()
    return {None: "body", **dict.fromkeys(codes, "both")}


Records = list[tuple[int, ...]] | dict[tuple[int, ...], int]
Call = Callable[[Question, Records, Fraction], Rules]


def _pyfim_rules(method: str, **options: Any) -> Call:
    def run(question: Question, records: Records, rho: Fraction) -> Rules:
        import fim

        # pyfim compares floats and takes "at least": asked for a little less, then decided exactly.
        found = getattr(fim, method)(
            records, supp=-1, conf=100 * float(rho) * (1 - 1e-9), zmin=2, zmax=MOST, report="ab",
            appear=_appearance(question), **options,
        )  # fmt: skip
        num, den = rho.numerator, rho.denominator
        over = [(head, body) for head, body, both, known in found if both * den > num * known]
        one = [(body[0], head) for head, body in over if len(body) == 1]
        two = [(*sorted(body), head) for head, body in over if len(body) == 2]
        return Rules(np.array(one, dtype=np.int64).reshape(-1, 2), np.array(two, dtype=np.int64).reshape(-1, 3))

    return run


def _pyfim_sets(method: str, **options: Any) -> Call:
    def run(question: Question, records: Records, rho: Fraction) -> Rules:
        import fim

        sets = getattr(fim, method)(records, target="s", supp=-1, zmax=MOST, report="a", **options)
        return rules_of_sets(question, sets, rho)

    return run


# Those that were fastest on some file, of all methods and variants tried. eclat's rule mode on bit vectors (algo "b")
# is left out: it misses rules.
PYFIM_CALLS: dict[str, Call] = {
    "apriori, rules": _pyfim_rules("apriori", target="r"),
    "fpgrowth c, rules": _pyfim_rules("fpgrowth", target="r", algo="c"),
    "fpgrowth t, rules": _pyfim_rules("fpgrowth", target="r", algo="t"),
    "fpgrowth s, sets": _pyfim_sets("fpgrowth", algo="s"),
    "fpgrowth c, sets": _pyfim_sets("fpgrowth", algo="c"),
    "fpgrowth d, sets": _pyfim_sets("fpgrowth", algo="d"),
    "eclat a, sets": _pyfim_sets("eclat", algo="a"),
    "eclat o, sets": _pyfim_sets("eclat", algo="o"),
}


def rules_of_pyfim(call: str, merged: bool, question: Question, rho: Fraction) -> Rules:
    """The rules by one call, on the list of records; or on distinct ones with counts, merged within the call."""
    return PYFIM_CALLS[call](question, dict(Counter(question.records)) if merged else question.records, rho)


# --- mlxtend and efficient-apriori: item sets once for all rho, then the check above. ---------------------------------


def _mlxtend_frame(question: Question) -> Any:
    import pandas as pd
    from scipy.sparse import csr_matrix

    lengths = [len(record) for record in question.records]
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    items = np.fromiter(chain.from_iterable(question.records), dtype=np.int64)
    ones = np.ones(len(items), dtype=np.bool_)
    matrix = csr_matrix((ones, items, indptr), shape=(len(lengths), question.width))
    return pd.DataFrame.sparse.from_spmatrix(matrix)


def _mlxtend_sets(frame: Any, records: int) -> Sets:
    from mlxtend.frequent_patterns import fpgrowth  # apriori and hmine take 2 to 20 times as long here

    found = fpgrowth(frame, min_support=0.5 / records, max_len=MOST)
    supports = np.rint(found["support"].to_numpy() * records).astype(np.int64).tolist()
    return [(tuple(items), support) for items, support in zip(found["itemsets"], supports, strict=True)]


def _efficient_sets(data: Any, records: int) -> Sets:
    from efficient_apriori import itemsets_from_transactions

    found, _ = itemsets_from_transactions(data, min_support=0.5 / records, max_length=MOST)
    return list(_entries(found))


def _entries(found: dict[int, dict[tuple[int, ...], int]]) -> Iterator[tuple[tuple[int, ...], int]]:
    for of_size in found.values():
        yield from of_size.items()


MINERS = {"pyfim": "fim", "efficient-apriori": "efficient_apriori", "mlxtend": "mlxtend"}  # and the module of each


def prepare_sets(miner: str, question: Question) -> Any:
    """The data as the miner likes it."""
    return _mlxtend_frame(question) if miner == "mlxtend" else question.records


def mine_sets(miner: str, data: Any, records: int) -> Sets:
    """All item sets of at most three items that occur."""
    return _mlxtend_sets(data, records) if miner == "mlxtend" else _efficient_sets(data, records)
