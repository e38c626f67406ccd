"""`sordino.protect` and what it returns: legal edits only, audited, with a change log that leads back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import deleter
import oracle
import sordino
from sordino.cli import main
from sordino.data.aligned import reordered
from sordino.data.baskets import Baskets
from sordino.errors import InputError, InternalError, PolicyError
from sordino.release.baskets.changes import find_deletions
from sordino.release.numbering import only_names_in_use, published_numbers

# a -> x is right for 2 of 3; b -> y for 1 of 2.
SHOP = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "y"}, {"b"}, set()]
POLICY = sordino.InferencePolicy(["x", "y"], "0.5")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    deleter.register(monkeypatch)


def test_a_release_by_hand() -> None:
    release = sordino.protect(SHOP, POLICY, method="deleter", ids="renumber")
    assert list(release.data) == [{"a"}, {"a"}, {"a"}, {"b"}, {"b"}, set()]
    assert isinstance(release.data, sordino.Baskets)
    assert release.data.names == ("a", "b")
    assert release.changes.to_pylist() == [
        {"record": 0, "published": 1, "item": "x", "from": "x", "to": None},
        {"record": 1, "published": 2, "item": "x", "from": "x", "to": None},
        {"record": 3, "published": 4, "item": "y", "from": "y", "to": None},
    ]
    assert (release.deletions, release.unchanged) == (3, False)
    assert (release.audit_before.people_at_risk, release.audit_after.holds) == (2, True)
    assert release.utility.ns == Fraction(3, 8)
    assert release.policy is POLICY
    assert repr(release) == "Release(6 records, method 'deleter', 3 of 8 occurrences deleted)"
    assert "2 of 6 people (33.3%) were at risk before, nobody is now. 3 of 8 entries (37.5%)" in release.summary()
    assert "2 of 6 people" in release._repr_html_()


def test_what_is_safe_is_not_touched() -> None:
    policy = sordino.InferencePolicy(["y"], "0.5")
    release = sordino.protect(SHOP, policy, method="deleter")
    assert list(release.data) == SHOP
    assert (release.unchanged, release.changes.num_rows) == (True, 0)
    assert release.summary().startswith("SAFE as it was: nothing had to be deleted.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "mime"}, r"unknown method 'mime'\. Did you mean 'mine'\?"),
        ({"method": "jia", "heuristics": "mine"}, r"no option 'heuristics'\. Did you mean 'heuristic'\?"),
        ({"method": "mine", "heuristic": "mine"}, r"'mine' has no option 'heuristic'.*\n.*belongs to: jia"),
        ({"ids": "suffle"}, r"Did you mean 'shuffle'\?"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"jobs": 0}, "jobs"),
    ],
)
def test_requests_that_make_no_sense(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sordino.protect(SHOP, POLICY, **arguments)


def test_items_that_are_nowhere() -> None:
    policy = sordino.InferencePolicy(["x", "zz"], "0.5")
    with pytest.raises(PolicyError, match="'zz' occurs in no record"):
        sordino.protect(SHOP, policy, method="deleter")
    assert sordino.protect(SHOP, policy, method="deleter", missing="accept").audit_after.holds


def test_no_records_at_all() -> None:
    with pytest.raises(InputError, match="no records"):
        sordino.protect([], POLICY)
    with pytest.raises(InputError, match="no records"):
        sordino.protect(Baskets.from_sets([]), POLICY)


# Promises that a method may break


def test_a_result_that_fails_the_audit_is_not_returned() -> None:
    with pytest.raises(InternalError, match="fails the audit"):
        sordino.protect([*SHOP, {"c", "x"}], POLICY, method="deleter", keep=2)
    with pytest.raises(InternalError, match="changed nothing"):
        sordino.protect(SHOP, POLICY, method="deleter", keep=99)


Edit = Callable[[Baskets], Baskets]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda b: Baskets.from_sets([*b, set()]), "number of records"),
        (lambda b: replace(b, names=("a", "c", "x", "y")), "names"),
        (lambda b: replace(b, ids=tuple("123456")), "ids"),
        (lambda b: replace(b, items=np.array([0, 2, 0, 2, 0, 1, 3, 7], np.int32)), "made up"),
        (lambda b: replace(b, items=np.array([0, 2, 0, 2, 0, 1, 3, -1], np.int32)), "made up"),
        (lambda b: replace(b, items=np.array([0, 2, 0, 2, 0, 1, 3, 3], np.int32)), "added"),
        (lambda b: replace(b, items=np.array([0, 2, 2, 0, 0, 1, 3, 1], np.int32)), "disordered"),
        (lambda b: replace(b, items=np.array([0, 0, 0, 2, 0, 1, 3, 1], np.int32)), "repeated"),
        (lambda b: replace(b, indptr=np.array([0, 2, 4, 3, 7, 8, 8])), "boundaries"),
        (lambda b: replace(b, indptr=np.array([0, 2, 4, 5, 7, 7, 8])), "added"),
    ],
)
def test_illegal_edits_are_found(edit: Edit, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Baskets.from_sets(SHOP)
    with pytest.raises(InternalError, match=message):
        find_deletions(before, edit(before))
    module = ModuleType("forger")
    module.protect = lambda baskets, *_, **__: edit(baskets)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "forger", module)
    deleter.register(monkeypatch, "forger", "forger")
    with pytest.raises(InternalError, match=message):
        sordino.protect(SHOP, POLICY, method="forger")


def test_deletions_by_hand() -> None:
    before = Baskets.from_sets([{"a", "b", "c"}, {"b"}, set(), {"c", "a"}])
    after = replace(before, indptr=np.array([0, 1, 1, 1, 3]), items=np.array([1, 0, 2], np.int32))
    gone = find_deletions(before, after)
    assert list(zip(gone.records.tolist(), gone.items.tolist(), strict=True)) == [(0, 0), (0, 2), (1, 1)]
    assert len(find_deletions(before, before)) == 0


# Adaptive thresholds


def test_adaptive_thresholds_are_those_of_the_published_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that deletes one occurrence too few for the thresholds that follow from its own result."""
    rounds = []

    def protect(baskets: Baskets, policy: Any, **_: Any) -> Baskets:
        """Deletes e from the first holder until the given thresholds hold."""
        rounds.append(dict(policy.thresholds))
        records = [set(record) for record in baskets]
        while not oracle.holds(records, policy.thresholds, policy.thresholds):
            next(record for record in records if "e" in record).discard("e")
        keep = [name in record for record, old in zip(records, baskets, strict=True) for name in sorted(old)]
        lengths = [len(record) for record in records]
        return replace(baskets, indptr=np.cumsum([0, *lengths]), items=baskets.items[np.array(keep)])

    monkeypatch.setitem(sys.modules, "greedy", SimpleNamespace(protect=protect))
    deleter.register(monkeypatch, "greedy", "greedy")
    # 19 of 20 have e beside q. rho = 0.3 + 0.6 F: on the original 0.87, and so on down to where both meet.
    table = [{"q", "e"}] * 19 + [{"q"}]
    policy = sordino.InferencePolicy(["e"], "0.3", adaptive="0.6")
    release = sordino.protect(table, policy, method="greedy")
    share = Fraction(sum("e" in record for record in release.data), 20)
    assert len(rounds) > 1
    assert rounds == sorted(rounds, key=lambda thresholds: -thresholds["e"])
    assert share <= Fraction(3, 10) + Fraction(6, 10) * share
    assert share == Fraction(3, 4)  # 0.3 / 0.4: the greedy method goes no further


# Order, ids, names


def test_ids_in_python() -> None:
    table = Baskets.from_sets(SHOP, ids=["p1", "p2", "p3", "p4", "p5", "p6"])
    kept = sordino.protect(table, POLICY, method="deleter", ids="keep")
    assert kept.data.ids == table.ids
    assert kept.numbers() is None
    renumbered = sordino.protect(table, POLICY, method="deleter", ids="renumber")
    assert renumbered.data.ids == ("1", "2", "3", "4", "5", "6")
    assert renumbered.changes["record"].to_pylist() == ["p1", "p2", "p4"]
    assert renumbered.numbers().to_pydict() == {"published": [1, 2, 3, 4, 5, 6], "record": list(table.ids or ())}
    shuffled = sordino.protect(table, POLICY, method="deleter", seed=3)
    assert shuffled.ids == "shuffle"
    assert list(shuffled.data) == list(kept.data)  # in the order of the input
    back = {row["published"]: row["record"] for row in shuffled.numbers().to_pylist()}
    named = dict(zip(table.ids or (), kept.data, strict=True))
    assert shuffled.published.ids == ("1", "2", "3", "4", "5", "6")
    assert list(shuffled.published) == [named[back[k]] for k in range(1, 7)]
    for row in shuffled.changes.to_pylist():
        assert back[row["published"]] == row["record"]


def test_a_shuffle_is_seeded_and_knows_nothing_of_the_order_of_the_source() -> None:
    """Whoever knows the seed can undo it, and finds an order that everybody can make."""

    def published(records: list[set[str]], seed: int) -> list[frozenset[str]]:
        table = Baskets.from_sets(records)
        return list(reordered(table, published_numbers(table, "shuffle", seed)))

    table = [{str(k), "all"} for k in range(30)] + [{"all"}] * 10
    first = published(table, 0)
    assert sorted(map(sorted, first)) == sorted(map(sorted, table))
    assert first not in (table, table[::-1])
    assert published(table, 1) != first
    for other in (table[::-1], table[7:] + table[:7], sorted(table, key=len)):
        assert published(other, 0) == first
    assert published(table[1:], 0) != [record for record in first if record != table[0]]  # nor are two releases alike


def test_without_a_seed_a_secret_one_is_drawn() -> None:
    table = [{str(k), "x"} if k % 3 else {str(k)} for k in range(40)]
    made = [sordino.protect(table, sordino.InferencePolicy(["x"], "0.5")) for _ in range(2)]
    assert made[0].seed != made[1].seed
    assert min(release.seed for release in made) > 2**64  # 128 bits: a smaller one comes once in 2^63 times
    assert list(made[0].published) != list(made[1].published)
    assert sorted(map(sorted, made[0].published)) == sorted(map(sorted, made[1].published))
    again = sordino.protect(table, sordino.InferencePolicy(["x"], "0.5"), seed=made[0].seed)
    assert list(again.published) == list(made[0].published)


def test_reordering_keeps_records_whole() -> None:
    table = Baskets.from_sets([{"a", "b"}, set(), {"c"}, {"a", "c", "d"}], ids="wxyz")
    again = reordered(table, np.array([3, 1, 4, 2]))
    assert list(again) == [set(), {"a", "c", "d"}, {"a", "b"}, {"c"}]
    assert again.ids == ("x", "z", "w", "y")


def test_a_name_that_vanished_leaves_no_trace_in_the_order() -> None:
    """With "b" gone all names are whole numbers, and 9 comes before 10."""
    table = Baskets.from_sets([{"10", "9"}, {"9", "b"}])
    assert table.names == ("10", "9", "b")
    gone = replace(table, indptr=np.array([0, 2, 3]), items=np.array([0, 1, 1], np.int32))
    clean = only_names_in_use(gone)
    assert clean.names == ("9", "10")
    assert list(clean) == [{"9", "10"}, {"9"}]
    assert clean.items.tolist() == [0, 1, 0]


def test_the_proof_takes_what_the_audit_of_the_written_bytes_found(tmp_path: Path, monkeypatch: Any) -> None:
    """Writing looks at the written records once: the proof is made of the alibis that their audit has found."""
    from sordino.audit import examination, proof

    policy = sordino.InferencePolicy(["x"], "0.5")
    release = sordino.protect([{"a", "b", "x"}, {"a", "b"}, {"a", "x"}, {"c"}] * 3, policy, seed=1)
    looked = []
    usual = examination.Examination.__init__
    monkeypatch.setattr(examination.Examination, "__init__", lambda *a, **k: (looked.append(1), usual(*a, **k))[1])
    out = release.write(tmp_path / "out")
    assert len(looked) == 1
    again = proof.make_proof(release.published, policy.resolve(release.published, missing="accept"))
    assert (out / "publish" / "proof.json.gz").read_bytes() == proof.encode_proof(again)


def test_what_is_written_at_once_is_audited_twice(tmp_path: Path, monkeypatch: Any) -> None:
    """Before, and as written; and a result that is not safe does not leave, whoever finds out."""
    from sordino.release.baskets import parts, protect

    looked: list[Any] = []
    for module in (parts, protect):
        usual = module.audit_baskets

        def counting(baskets: Any, *a: Any, usual: Any = usual, **k: Any) -> Any:
            looked.append(baskets)
            return usual(baskets, *a, **k)

        monkeypatch.setattr(module, "audit_baskets", counting)
    data = tmp_path / "shop.dat"
    data.write_text("a b x\na b\na x\nc\n" * 3)
    words = ["protect", str(data), "--sensitive", "x", "--rho", "0.5", "--seed", "1", "-q", "--out"]
    assert main([*words, str(tmp_path / "out")]) == 0
    assert len(looked) == 2
    release = sordino.protect(str(data), sordino.InferencePolicy(["x"], "0.5"), seed=1)
    assert release.audit_after.holds
    assert len(looked) == 4
    release.write(tmp_path / "again")
    for name in ("publish/data.dat", "keep/audit.json"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    monkeypatch.setattr(protect.METHODS["mine"].__class__, "load", lambda _: _without_one)
    assert main([*words, str(tmp_path / "bad")]) == 2
    assert not (tmp_path / "bad").exists()


def _without_one(baskets: Any, *more: Any, **given: Any) -> Any:
    """One occurrence less: a change, and far from enough."""
    del more, given
    return replace(baskets, indptr=np.array([0, *(baskets.indptr[1:] - 1)]), items=baskets.items[1:])
