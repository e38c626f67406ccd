"""Whether a class can still be predicted: base, suppression and removal error (Wang, Fung and Yu, 2005, section 5).

BE is the error on the original table, SE on the release, RE on the original without its sensitive columns (what one
would do without this tool). Each is the share of wrong answers on rows that the classifier has not seen. As in the
paper, the data is protected first and then divided into rows to learn from and rows to test with.

Two classifiers: a decision tree by entropy, in place of the paper's C4.5 (it splits in two instead of by all values,
and is pruned by the size of its leaves and by cost-complexity), and logistic regression. What both see are the columns
that the policy names, each value of a column as a yes or no; "no value" and suppressed cells are values like others.
Of a column with more than WIDEST values the rarer ones are one value.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.table import Table
from sordino.errors import InputError, MissingExtra
from sordino.policy.template import ResolvedTemplate

__all__ = ["CLASSIFIERS", "Errors", "measure_errors"]

CLASSIFIERS = ("tree", "logistic")
LEAF = 5  # rows in a leaf of the tree at least
PRUNING = 1e-4  # impurity that a split must be worth, per leaf it adds
STEPS = 200  # of the logistic regression
WIDEST = 200
MOST = 60_000  # rows used at most: more do not change an error by a tenth of a point

Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Errors:
    """The errors of one classifier, and the rows that it learned from and was tested with."""

    classifier: str
    base: float
    suppression: float
    removal: float
    learned: int
    tested: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "classifier": self.classifier,
            "base_error": self.base,
            "suppression_error": self.suppression,
            "removal_error": self.removal,
            "rows_learned": self.learned,
            "rows_tested": self.tested,
        }


def measure_errors(
    after: Table,
    policy: ResolvedTemplate,
    *,
    train: Bool | None = None,
    seed: int = 0,
    classifiers: Sequence[str] = CLASSIFIERS,
) -> tuple[Errors, ...]:
    """BE, SE and RE for the class of the policy, whose table is the original; needs scikit-learn.

    `train` marks the rows to learn from; without it, 70 % are drawn with the seed. Of a large table a sample is used.
    """
    before = policy.table
    if policy.class_column is None:
        raise InputError("errors can be measured only for a policy that names a class")
    if len(after) != len(before):
        raise InputError(f"the number of rows differs: {len(before):,} before, {len(after):,} after")
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(before.columns[policy.class_column].codes >= 0)
    if len(rows) > MOST:
        rows = np.sort(rng.choice(rows, MOST, replace=False))
    learn = rng.random(len(rows)) < 0.7 if train is None else train[rows]
    if not learn.any() or learn.all():
        raise InputError("there are too few rows to learn from and to test with")
    label = before.columns[policy.class_column].codes[rows]
    sensitive = {rule.sensitive for rule in policy.stated}
    named = sorted({place for rule in policy.stated for place in rule.given} | sensitive)
    named = [place for place in named if place != policy.class_column]
    rest = [place for place in named if place not in sensitive]
    found = []
    for name in classifiers:
        base, suppression, removal = (
            _error(name, _features(table, before, places, rows), label, learn)
            for table, places in ((before, named), (after, named), (before, rest))
        )
        found.append(Errors(name, base, suppression, removal, int(learn.sum()), int((~learn).sum())))
    return tuple(found)


def _features(table: Table, before: Table, places: Sequence[int], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """A column of zeros and ones for each value (that occurs in these rows) of each column."""
    columns = []
    for place in places:
        codes = table.column(before.columns[place].name).codes[rows]
        _, code, counts = np.unique(codes, return_inverse=True, return_counts=True)
        rank = np.empty(len(counts), dtype=np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        code = np.minimum(rank[code], WIDEST - 1)
        columns.append(np.eye(int(code.max(initial=0)) + 1, dtype=np.uint8)[code])
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(rows), 1), dtype=np.uint8)


def _error(name: str, features: npt.NDArray[np.uint8], label: npt.NDArray[np.int32], learn: Bool) -> float:
    """The share of the rows not learned from that the classifier gets wrong."""
    try:
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import LogisticRegression
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        raise MissingExtra("scikit-learn", "ml", "measuring classification errors") from None
    if name == "tree":
        model = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=LEAF, ccp_alpha=PRUNING, random_state=0)
    elif name == "logistic":
        model = LogisticRegression(max_iter=STEPS)
        features = csr_matrix(features, dtype=np.float64)
    else:
        raise InputError(f"there is no classifier '{name}'", hint=f"Classifiers: {', '.join(CLASSIFIERS)}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not quite converged does not show in the error
        model.fit(features[learn], label[learn])
    return float(np.mean(model.predict(features[~learn]) != label[~learn]))
