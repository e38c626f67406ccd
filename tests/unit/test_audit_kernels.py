"""Kernels of the audit that only other kernels or one audit use: small cases, answers by hand."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import sordino
from doors import door
from sordino.audit import examination
from sordino.audit.examination import Examination
from sordino.audit.kernels.absences import FOUND, NONE, Answers, most_beside, search_absences
from sordino.audit.kernels.closed import shrunk
from sordino.audit.kernels.masks import PLACE
from sordino.audit.kernels.personal_long import MARK, VERDICT, explore, people_sharing, records_sharing
from sordino.audit.kernels.personal_pass import single_items
from sordino.audit.kernels.sampled import check_adversaries
from sordino.audit.kernels.twins import find_twins
from sordino.audit.twins import twin_excess
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.protect.personal_workspace import PersonalWorkspace

DOWN = np.zeros(1, dtype=np.uint8)
EVERYONE = np.empty(0, dtype=np.bool_)


def examined(records: list[str], sensitive: str, rho: str) -> Examination:
    baskets = Baskets.from_sets([set(record) for record in records])
    return Examination(baskets, sordino.InferencePolicy(list(sensitive), rho).resolve(baskets), jobs=1, watch=Watch())


def absences(exam: Examination, most: int) -> tuple[int, list[bool], set[str]]:
    """The answer about the first occurrence of something sensitive: what must be known, and what must be absent."""
    index, place = exam.index, exam.occurrences[:1]
    answers = Answers(np.zeros(1, np.uint8), np.zeros((1, 3), np.bool_), np.full((1, 2), -1, np.int64))
    excess = twin_excess(index, exam.policy)
    with np.errstate(over="ignore"):
        search_absences(
            place, exam.owner, most, 4, 1000, index, most_beside(index, DOWN), excess, exam.num, exam.den, answers, DOWN
        )  # fmt: skip
    named = {exam.baskets.names[index.code[x]] for x in answers.absent[0] if x >= 0}
    return int(answers.result[0]), answers.parts[0].tolist(), named


def test_how_few_absences_suffice() -> None:
    one = examined(["ae", "ab"], "e", "1/2")
    found, known, absent = absences(one, 1)
    assert (found, absent, sum(known)) == (FOUND, {"b"}, 1)
    two = examined(["ae", "ab", "ac"], "e", "1/2")
    assert absences(two, 1)[0] == NONE
    assert absences(two, 2)[::2] == (FOUND, {"b", "c"})
    assert absences(examined(["ae", "a"], "e", "1/2"), 2)[0] == NONE


def test_what_occurs_beside_an_item_most_often() -> None:
    index = examined(["ab", "ab", "ac", "d"], "a", "1/2").index
    names = "abcd"
    most = {names[index.code[x]]: int(n) for x, n in enumerate(most_beside(index, DOWN))}
    assert most == {"a": 2, "b": 2, "c": 1, "d": 0}


def test_twins_are_equal_but_for_one_item() -> None:
    index = examined(["abe", "ab", "ae", "b"], "e", "1/2").index
    with np.errstate(over="ignore"):
        twin = find_twins(index.ptr, index.items, np.ones(len(index.items), np.bool_), np.full(16, -1, np.int32))
    spelled = ["".join(sorted("abe"[index.code[x]] for x in index.items[a:b]))
               for a, b in zip(index.ptr[:-1], index.ptr[1:], strict=True)]  # fmt: skip
    found = {
        (spelled[c], "abe"[index.code[index.items[k]]]): spelled[twin[k]] if twin[k] >= 0 else None
        for c in range(index.classes)
        for k in range(index.ptr[c], index.ptr[c + 1])
    }
    assert found == {
        ("abe", "a"): None, ("abe", "b"): "ae", ("abe", "e"): "ab", ("ab", "a"): "b", ("ab", "b"): None,
        ("ae", "a"): None, ("ae", "e"): None, ("b", "b"): None,
    }  # fmt: skip


def test_what_is_shared_shrinks() -> None:
    kept = np.array([7, 1, 3, 5, 8], dtype=np.int32)
    assert (
        door(shrunk)(kept, np.int64(1), np.int64(4), np.array([0, 1, 2, 5, 8], np.int32), np.int64(0), np.int64(5)) == 3
    )
    assert kept[:3].tolist() == [7, 1, 5]


def test_words_change_no_mark() -> None:
    """The places of bits in a word; and a search by words marks what a search by tables marks."""
    assert [int(PLACE[2**bit % 67]) for bit in range(64)] == list(range(64))
    rng = np.random.default_rng(4)
    records = ["".join(x for x in "abcdefgh" if rng.random() < 0.5) for _ in range(30)]
    exam = examined(records, "abc", "0.6")
    marks = []
    for few_sets in (0, 10**9):
        with mock.patch.object(examination, "FEW_SETS", few_sets):
            risk = np.zeros(len(exam.index.items), dtype=np.uint8)
            exam.search(risk, exam.occurrences, 1, 3, 9, phase="test")
            marks.append(risk.tolist())
    assert marks[0] == marks[1]
    assert 9 in marks[0]


@pytest.fixture
def work() -> PersonalWorkspace:
    """Only the first person finds something sensitive: e."""
    baskets = Baskets.from_sets([set("abce"), set("ab"), set("c"), set("ce")])
    policy = sordino.InferencePolicy([], "1/2", per_record={0: {"e"}}).resolve(baskets, missing="accept")
    return PersonalWorkspace(baskets, policy, jobs=1, watch=Watch())


def test_who_shares_two_items_with_a_record(work: PersonalWorkspace) -> None:
    room = work.rooms[0]
    others = records_sharing(work.store, 0, room.scratch, room.place, DOWN)
    shared = {int(v): int(others.ptr[j + 1] - others.ptr[j]) for j, v in enumerate(others.record)}
    assert shared == {0: 4, 1: 2, 3: 2}
    people = people_sharing(work.store, work.people.owners, 0, EVERYONE, room.scratch, room.place, DOWN)
    assert len(people.record) == 1  # whoever finds nothing sensitive is no class of owners
    nobody = np.zeros(1, dtype=np.bool_)
    assert len(people_sharing(work.store, work.people.owners, 0, nobody, room.scratch, room.place, DOWN).record) == 0
    gone, sets, risk = np.zeros(4, np.bool_), np.zeros((0, 0), np.uint64), np.zeros(4, np.uint8)
    found = explore(work.store, work.people.owners, 0, 3, VERDICT, others, people, gone, sets, risk, DOWN)
    assert found == 1
    assert explore(work.store, work.people.owners, 0, 3, MARK, others, people, gone, sets, risk, DOWN) > 1
    assert risk.tolist() == [1, 0, 0, 0]  # c -> e is 2 of 3


def test_single_items_that_disclose(work: PersonalWorkspace) -> None:
    found = np.zeros((5, 3), dtype=np.int64)
    risk = np.zeros(4, dtype=np.uint8)
    roots = np.flatnonzero(work.store.support > 0)
    assert single_items(work.store, work.people.owners, roots, risk, True, found, DOWN) == 1
    names = [work.baskets.names[code] for code in work.people.code]
    assert (names[found[0, 0]], names[found[0, 1]], int(found[0, 2])) == ("c", "e", 2)  # of 3
    assert risk.tolist() == [1, 0, 0, 0]


def test_sampled_adversaries(work: PersonalWorkspace) -> None:
    """c -> e is 2 of 3, a -> e 1 of 2; nobody else than the first person minds."""
    rank = {work.baskets.names[code]: r for r, code in enumerate(work.people.code)}
    owners = work.people.owners
    users = np.array([0, 0, 3], dtype=np.int64)
    known = np.array([[rank["a"]], [rank["c"]], [rank["c"]]], dtype=np.int64)
    unsafe = np.zeros(3, dtype=np.bool_)
    check_adversaries(work.store, work.sig, owners.row, owners.chose, users, known, unsafe, DOWN)
    assert unsafe.tolist() == [False, True, False]
