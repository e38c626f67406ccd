"""Comparing methods and thresholds: the numbers are those of protecting, nothing runs twice, choices have reasons."""

from __future__ import annotations

import csv
import html
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest

import sordino
from sordino.compare import inference, run
from sordino.compare.choice import Cell, frontier, ranked, recommend
from sordino.compare.inference import SCALE
from sordino.compare.store import Store
from sordino.errors import InputError

POLICY = sordino.InferencePolicy(["x", "y"], "1/2")
RECORDS = [{"a", "x"}, {"a", "x"}, {"a"}, {"b", "y", "x"}, {"b", "y"}, {"b", "c"}, {"c", "x"}, {"a", "b", "c", "y"}]


def cell(method: str, rho: str, loss: float, **more: object) -> Cell:
    return Cell(method, Fraction(rho), True, loss=loss, **more)  # type: ignore[arg-type]


def test_the_numbers_are_those_of_protecting() -> None:
    found = sordino.compare(RECORDS, POLICY, methods=["mine", "dist"], rho=["1/3", "1/2"])
    assert [(c.method, c.rho) for c in found.cells] == [
        ("mine", Fraction(1, 3)),
        ("mine", Fraction(1, 2)),
        ("dist", Fraction(1, 3)),
        ("dist", Fraction(1, 2)),
    ]
    for one in found.cells:
        policy = sordino.InferencePolicy(["x", "y"], one.rho)
        release = sordino.protect(RECORDS, policy, method=one.method)
        assert one.loss == float(release.utility.ns)
        assert one.symmetric_kl == release.utility.divergence.symmetric
        assert one.bound == float(release.utility.bound.share)  # type: ignore[union-attr]


def test_a_finished_run_is_never_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    real = run.measure

    def counted(*arguments: object) -> dict[str, object]:
        ran.append("run")
        if len(ran) == 3:
            raise KeyboardInterrupt
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run, "measure", counted)
    ask = {"methods": ["mine", "dist"], "rho": ["0.4", "0.5"], "out": tmp_path / "c"}
    with pytest.raises(KeyboardInterrupt):
        sordino.compare(RECORDS, POLICY, **ask)  # type: ignore[arg-type]
    found = sordino.compare(RECORDS, POLICY, **ask)  # type: ignore[arg-type]
    assert len(ran) == 5, "two were finished; the third was interrupted and ran again, and the fourth"
    assert sordino.compare(RECORDS, POLICY, **ask) == found  # type: ignore[arg-type]
    assert len(ran) == 5
    sordino.compare([*RECORDS, {"a"}], POLICY, **ask)  # type: ignore[arg-type]
    assert len(ran) == 9, "other data"
    sordino.compare(RECORDS, POLICY, fresh=True, **ask)  # type: ignore[arg-type]
    assert len(ran) == 13


def test_a_damaged_result_is_computed_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.result({"a": 1}, lambda: {"n": 1}) == {"n": 1}
    (only,) = tmp_path.iterdir()
    only.write_text("{")
    assert Store(tmp_path).result({"a": 1}, lambda: {"n": 2}) == {"n": 2}
    assert Store(tmp_path).result({"a": 1}, lambda: {"n": 3}) == {"n": 2}
    assert [path.name for path in tmp_path.iterdir()] == [only.name], "and nothing else lies there"


def test_the_files(tmp_path: Path) -> None:
    out = tmp_path / "c"
    found = sordino.compare(RECORDS, POLICY, methods=["mine", "dist"], rho=["0.4", "0.5"], out=out)
    content = json.loads((out / "comparison.json").read_text())
    rows = list(csv.DictReader(io.StringIO((out / "comparison.csv").read_text())))
    assert len(content["cells"]) == len(rows) == 4
    assert [row["method"] for row in rows] == [c["method"] for c in content["cells"]]
    assert content["recommended"]["method"] == found.recommended.method  # type: ignore[union-attr]
    page = (out / "comparison.html").read_text()
    assert "recommended" in page
    assert page.count("<svg") == 1
    assert "Take '" in html.unescape(found._repr_html_())


def test_the_best_has_the_least_loss_and_a_stricter_threshold_only_if_it_is_nearly_free() -> None:
    dear = [cell("m", "0.3", 0.30), cell("m", "0.5", 0.10), cell("d", "0.3", 0.35), cell("d", "0.5", 0.20)]
    choice = recommend(dear, Fraction(1, 2), "loss", SCALE)
    assert choice is not None
    assert (choice.method, choice.rho) == ("m", Fraction(1, 2))
    assert "is your policy's own" in choice.reason
    assert "At the threshold 0.3: 30.0% lost." in choice.reason
    cheap = [cell("m", "0.3", 0.12), cell("m", "0.5", 0.10), cell("m", "0.7", 0.01)]
    choice = recommend(cheap, Fraction(1, 2), "loss", SCALE)
    assert choice is not None
    assert choice.rho == Fraction(3, 10)
    assert "costs hardly more" in choice.reason


def test_never_looser_than_the_policy_and_never_weaker_if_there_is_another() -> None:
    assert recommend([cell("m", "0.7", 0.1)], Fraction(1, 2), "loss", SCALE) is None
    cells = [cell("weak", "0.5", 0.01, weaker="it is."), cell("m", "0.5", 0.1)]
    choice = recommend(cells, Fraction(1, 2), "loss", SCALE)
    assert choice is not None
    assert choice.method == "m"
    assert [c.method for c in ranked(cells, "loss", SCALE)] == ["m", "weak"]
    assert frontier(cells, SCALE) == {("m", Fraction(1, 2))}


def test_the_frontier_is_what_nobody_beats() -> None:
    cells = [cell("a", "0.3", 0.3), cell("b", "0.3", 0.2), cell("a", "0.5", 0.1), cell("b", "0.5", 0.2)]
    assert frontier(cells, SCALE) == {("b", Fraction(3, 10)), ("a", Fraction(1, 2))}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"methods": ["mind"]}, "Did you mean 'mine'?"),
        ({"methods": []}, "no method"),
        ({"methods": ["mine", "mine"]}, "named twice"),
        ({"methods": ["jia:heuristic"]}, "no option"),
        ({"methods": ["mine:heuristic=dist"]}, "belongs to: jia"),
        ({"rho": ["2"]}, "threshold"),
        ({"rho": []}, "no threshold"),
        ({"prefer": "los"}, "Did you mean 'loss'?"),
    ],
    ids=["method", "none", "twice", "option", "other", "rho", "no-rho", "prefer"],
)
def test_a_wrong_request_is_refused_at_once(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        sordino.compare(RECORDS, POLICY, **wrong)  # type: ignore[arg-type]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("")
    with pytest.raises(InputError, match="holds something else"):
        sordino.compare(RECORDS, POLICY, out=tmp_path)


def test_a_weaker_guarantee_is_marked_and_what_cannot_be_done_is_said() -> None:
    found = sordino.compare(RECORDS, sordino.InferencePolicy(["x", "y"], "2/3"), methods=["cahd", "mine"])
    cells = {cell.method: cell for cell in found.cells}
    assert not cells["mine"].weaker
    assert not cells["cahd"].done or cells["cahd"].weaker
    own = sordino.InferencePolicy(["x"], "1/2", per_record={0: ["a"], 2: ["a"]})
    found = sordino.compare(RECORDS, own, methods=["mine", "jia"])
    cells = {cell.method: cell for cell in found.cells}
    assert cells["mine"].done
    assert not cells["jia"].done, "it does not know of personal choices"
    assert cells["jia"].reason
    assert found.recommended is not None
    assert found.recommended.method == "mine"


def test_choices_of_persons_are_part_of_what_is_asked(tmp_path: Path) -> None:
    ask = {"methods": ["mine"], "out": tmp_path / "c"}
    plain = sordino.compare(RECORDS, POLICY, **ask)  # type: ignore[arg-type]
    own = sordino.InferencePolicy(["x", "y"], "1/2", per_record={0: ["a"], 2: ["a"]})
    other = sordino.InferencePolicy(["x", "y"], "1/2", per_record={5: ["b"]})
    keys = {inference.key(policy) for policy in (POLICY, own, other)}
    assert len(keys) == 3
    assert inference.key(own) == inference.key(
        sordino.InferencePolicy(["x", "y"], "1/2", per_record={0: ["a"], 2: ["a"]})
    )
    sordino.compare(RECORDS, own, **ask)  # type: ignore[arg-type]
    assert len(list((tmp_path / "c" / "cells").iterdir())) == 2, "it was not taken for the same"
    assert plain.cells[0].done


def test_the_policys_own_threshold_is_always_run() -> None:
    found = sordino.compare(RECORDS, POLICY, methods=["mine"], rho=["0.9"])
    assert [c.rho for c in found.cells] == [Fraction(1, 2), Fraction(9, 10)]
    assert found.recommended is not None
    assert found.recommended.rho == Fraction(1, 2)


def test_wider_items_without_a_real_hierarchy_are_never_recommended(tmp_path: Path) -> None:
    cells = [cell("lgps", "0.5", 0.01, aside="built", loss_is="NCP"), cell("mine", "0.5", 0.4, loss_is="deleted")]
    choice = recommend(cells, Fraction(1, 2), "loss", SCALE)
    assert choice is not None
    assert choice.method == "mine"
    assert "two things are compared" not in choice.reason, "it was not among what could be chosen"
    assert [c.method for c in ranked(cells, "loss", SCALE)] == ["mine", "lgps"]
    assert frontier(cells, SCALE) == {("mine", Fraction(1, 2))}
    assert recommend(cells[:1], Fraction(1, 2), "loss", SCALE) is None

    for method in ("lgps", "tdcontrol"):
        found = sordino.compare(RECORDS, POLICY, methods=[method])
        assert found.cells[0].done
        assert found.recommended is None
        page = html.unescape(found.page())
        assert "ran without a hierarchy that somebody made" in page
        assert f"{method}:hierarchy=FILE" in page
    tree = tmp_path / "tree.csv"
    tree.write_text("a;letters;*\nb;letters;*\nc;others;*\n")
    found = sordino.compare(RECORDS, POLICY, methods=[f"lgps:hierarchy={tree}"], out=tmp_path / "c")
    assert found.recommended is not None, "somebody made it"
    assert len(list((tmp_path / "c" / "cells").iterdir())) == 1
    tree.write_text("a;letters;*\nb;others;*\nc;others;*\n")
    sordino.compare(RECORDS, POLICY, methods=[f"lgps:hierarchy={tree}"], out=tmp_path / "c")
    assert len(list((tmp_path / "c" / "cells").iterdir())) == 2, "another hierarchy of the same name"


def test_what_is_deleted_stands_beside_what_is_shown_wider_and_that_they_differ_is_said() -> None:
    found = sordino.compare(RECORDS, POLICY, methods=["lgps", "mine"])
    lgps, mine = found.cells
    release = sordino.protect(RECORDS, POLICY, method="lgps")
    changes = release.changes.to_pylist()
    pairs = sum(map(len, RECORDS))
    assert lgps.deleted == sum(row["to"] is None for row in changes) / pairs
    assert lgps.wider == sum(row["to"] is not None for row in changes) / pairs
    assert (mine.wider, mine.deleted) == (0, mine.loss)
    assert {"deleted", "shown wider"} <= set(found.head)
    assert "What is lost is not the same for all" in html.unescape(found.page())
    assert "lgps (NCP)" in found.page(), "the picture says it, too"
    cells = [cell("lgps", "0.5", 0.01, loss_is="NCP"), cell("mine", "0.5", 0.4, loss_is="the share deleted")]
    choice = recommend(cells, Fraction(1, 2), "loss", SCALE)
    assert choice is not None
    assert "two things are compared" in choice.reason
    alike = recommend(cells[1:], Fraction(1, 2), "loss", SCALE)
    assert alike is not None
    assert "two things" not in alike.reason
