"""What to mind beside the verdict: found where it is so, silent where it is not, and said with what to do."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import sordino
from sordino.audit.cautions import excluding, one_each
from sordino.cli.page import plain
from sordino.words.pages import Source, audit_page

POLICY = sordino.InferencePolicy(["won"], "0.9")


def chess(seed: int = 1, games: int = 60) -> list[set[str]]:
    """One value of each of five attributes; "won" or "lost" is one of them."""
    draw = random.Random(seed)
    return [{draw.choice(["won", "lost"]), *(f"a{k}={draw.randint(0, 2)}" for k in range(4))} for _ in range(games)]


def kinds(result: sordino.AuditResult) -> list[str]:
    return [caution["kind"] for caution in result.cautions]


def test_attributes_are_found_and_nothing_else() -> None:
    """By hand: the attributes are the groups of items of which every record holds exactly one."""
    records = chess()
    names = sorted(set().union(*records))
    expected = {
        group
        for size in range(2, 5)
        for group in combinations(names, size)
        if all(len(record.intersection(group)) == 1 for record in records)
    }
    found = one_each(sordino.read_baskets(records))
    assert {tuple(sorted(group)) for group in found} == expected
    assert ("lost", "won") in expected
    assert len(expected) == 5
    assert one_each(sordino.read_baskets([*records, {"a0=1", "won", "lost"}])) == [
        group for group in found if set(group) <= {"a0=0", "a0=1", "a0=2"}
    ], "a record that shows two of a group, or none, ends it"
    assert one_each(sordino.read_baskets(records[:10])) == [], "too few to mean anything"


def test_it_is_said_who_is_known_by_what_is_missing() -> None:
    result = sordino.audit(chess(), POLICY)
    assert kinds(result) == ["one_each"]
    (group,) = result.cautions[0]["groups"]
    assert group == {"items": ["lost", "won"], "sensitive": ["won"]}
    page = plain(audit_page(result.to_dict(), Source("games")))
    assert "Look out" in page
    assert "Whoever shows none of 'lost' after deletions can be known to have had 'won'." in page
    assert 'absent = "any"' in page
    covered = sordino.InferencePolicy(["won"], "0.9", absent="any")
    assert kinds(sordino.audit(chess(), covered)) == []


def test_records_all_of_one_length() -> None:
    draw = random.Random(2)
    records = [set(draw.sample(["won", "b", "c", "d", "e", "f"], 3)) for _ in range(80)]
    assert kinds(sordino.audit(records, POLICY)) == ["one_length"]
    assert kinds(sordino.audit([*records, {"b"}], POLICY)) == []


def test_names_alike_with_the_dangerous_ones_first() -> None:
    records = [{"won", "b"}, {"Won", "c"}, {"B", "c"}, {"d"}] * 3
    result = sordino.audit(records, POLICY)
    assert result.cautions == ({"kind": "names_alike", "names": [["Won", "won"], ["B", "b"]], "of": 2},)
    assert "'Won' and 'won'; 'B' and 'b'" in plain(audit_page(result.to_dict(), Source("games")))


@pytest.mark.parametrize(
    ("head", "record", "expected"),
    [
        ("InvoiceNo,item,customer", "InvoiceNo", {"column": "InvoiceNo", "instead": "customer"}),
        ("InvoiceNo,item,day", "InvoiceNo", {"column": "InvoiceNo", "instead": None}),
        ("customer,item,InvoiceNo", "customer", None),
        ("customer_order,item,day", "customer_order", None),
    ],
)
def test_ids_that_are_not_persons(tmp_path: Path, head: str, record: str, expected: dict[str, object] | None) -> None:
    file = tmp_path / "long.csv"
    file.write_text(f"{head}\n" + "".join(f"{k},{x},z\n" for k in range(4) for x in ("won", "b")))
    data = sordino.read_baskets(file, layout="long", record=record, item="item")
    result = sordino.audit(data, POLICY)
    assert result.cautions == (() if expected is None else ({"kind": "not_persons", **expected},))
    if expected and expected["instead"]:
        assert "--record customer" in plain(audit_page(result.to_dict(), Source("x")))


def test_a_release_says_what_vanished(tmp_path: Path) -> None:
    records = [{"rare", "won"}, *({"a"}, {"a", "b"}) * 5]  # one of the two must go
    release = sordino.protect(records, sordino.InferencePolicy(["won"], "0.4"), seed=1)
    published = {release.data.names[c] for c in release.data.items.tolist()}
    (gone,) = {"rare", "won", "a", "b"} - published
    release.write(tmp_path / "out")
    page = (tmp_path / "out" / "keep" / "report.html").read_text()
    assert "vanished from the file completely: &#x27;" + gone in page
    assert "[threshold.per_item]" in page
    assert "Look out" not in (tmp_path / "out" / "publish" / "report.html").read_text()


def ward(persons: int = 500) -> list[set[str]]:
    """Nobody is both pregnant and on warfarin, and most are neither; the rest is chance."""
    draw = random.Random(3)
    sorts = [{"pregnant"}, {"warfarin"}, set(), set()]
    return [{*draw.choice(sorts), *(f"d{k}" for k in range(6) if draw.random() < 0.5)} for _ in range(persons)]


def test_items_that_exclude_each_other_are_told_with_what_chance_would_give() -> None:
    records = ward()
    baskets = sordino.read_baskets(records)
    by_hand = len([r for r in records if "pregnant" in r]) * len([r for r in records if "warfarin" in r]) // 500
    assert by_hand >= 20
    result = sordino.audit(records, sordino.InferencePolicy(["warfarin"], "0.9"))
    assert result.cautions == (
        {"kind": "exclude", "found": [{"pairs": ["warfarin", "pregnant"], "by_chance": by_hand}], "of": 1},
    )
    page = plain(audit_page(result.to_dict(), Source("ward")))
    assert f"No record has both 'warfarin' and 'pregnant', though by chance about {by_hand} would" in page
    assert 'absent = "any"' in page
    assert kinds(sordino.audit(records, sordino.InferencePolicy(["warfarin"], "0.9", absent="any"))) == []
    together = sordino.read_baskets([*records, {"warfarin", "pregnant"}])
    assert excluding(together, np.array([name == "warfarin" for name in together.names])) == []
    few = sordino.read_baskets(records[:40])
    assert excluding(few, np.array([name == "warfarin" for name in few.names])) == [], "that may be chance"
    assert excluding(baskets, np.array([name == "d1" for name in baskets.names])) == []
