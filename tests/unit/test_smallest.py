"""kernels/smallest.py: counting all parts of a record finds what the search finds, and of the oracle's size."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings

import oracle
from sordino.audit import examination
from sordino.audit.examination import Examination
from sordino.audit.inquiry import Inquiry
from sordino.audit.kernels.smallest import smallest_antecedent
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from tables import Case, examples, small_tables


@given(small_tables())
@settings(max_examples=examples(60))
def test_counting_explains_as_the_search_does(case: Case) -> None:
    baskets = Baskets.from_sets(case.records)
    exam = Examination(baskets, case.policy.resolve(baskets, missing="accept"), jobs=1, watch=Watch())
    inquiry = Inquiry(exam)
    inquiry.run(counting=True)
    smallest: dict[str, int] = {}
    for found in oracle.disclosures(case.records, case.rho_of, case.rho_of, case.policy.knowledge):
        smallest[found.e] = min(smallest.get(found.e, 99), len(found.q))
    sizes: dict[str, int] = {}
    for place in np.flatnonzero(inquiry.risk).tolist():
        searched = exam.explain(place, 1)
        with mock.patch.object(examination, "MANY_CLASSES", 0):
            assert exam.explain(place, 1) == searched
        assert not exam._mask.any()
        name = baskets.names[exam.index.code[searched.item]]
        sizes[name] = min(sizes.get(name, 99), len(searched.antecedent))
    assert sizes == smallest


@pytest.mark.parametrize(("num", "den", "expected"), [(1, 2, (0b01, 3, 2)), (2, 3, (0b11, 1, 1)), (1, 1, (0,))])
def test_by_hand(num: int, den: int, expected: tuple[int, ...]) -> None:
    """Classes {0 1 2} {0 2} {0} {1}; asked about 2. 0 gives it away in 2 of 3 records, 0 and 1 in the only one."""
    ptr, post = np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 3, 0, 1], dtype=np.int32)
    known, mask = np.array([0, 1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    found = smallest_antecedent(known, 2, num, den, 1, ptr, post, np.ones(4, dtype=np.int64), mask)
    assert tuple(map(int, found))[: len(expected)] == expected
