"""What the adversary of the studio is told is what one counts by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import sordino
from sordino.studio.guess import guess_group, guess_items, guess_value


def test_items_against_sets() -> None:
    draw = random.Random(3)
    records = [{str(draw.randrange(8)) for _ in range(draw.randrange(6))} for _ in range(60)]
    baskets = sordino.Baskets.from_sets(records)
    for _ in range(200):
        present = {str(draw.randrange(9)) for _ in range(draw.randrange(3))}
        absent = {str(draw.randrange(9)) for _ in range(draw.randrange(3))}
        guess = guess_items(baskets, present, absent, ["0", "1", "nowhere"])
        fits = [record for record in records if present <= record and not absent & record]
        assert guess.fitting == len(fits)
        assert guess.of == 60
        assert dict(guess.likely) == {name: sum(name in r for r in fits) for name in ("0", "1", "nowhere")}
        assert [n for _, n in guess.likely] == sorted((n for _, n in guess.likely), reverse=True)
    assert guess_items(baskets, ["nowhere"], [], ["0"]).surest() == 0


def test_values_of_a_table() -> None:
    table = sordino.read_table(
        [
            {"job": "cook", "town": "A", "ill": "flu"},
            {"job": "cook", "town": "B", "ill": "cold"},
            {"job": "cook", "town": "A", "ill": "flu"},
            {"job": "nurse", "town": "A", "ill": None},
        ]
    )
    guess = guess_value(table, {"job": "cook"}, "ill")
    assert (guess.fitting, guess.of) == (3, 4)
    assert dict(guess.likely) == {"flu": 2, "cold": 1}
    assert guess.surest() == Fraction(2, 3)
    assert guess_value(table, {"job": "cook", "town": "A"}, "ill").surest() == 1
    assert guess_value(table, {"job": "pilot"}, "ill").fitting == 0


def test_groups_spread_what_is_likely() -> None:
    table = sordino.read_table(
        [
            {"sex": "f", "ill": "flu", "group": "1"},
            {"sex": "m", "ill": "cold", "group": "1"},
            {"sex": "f", "ill": "flu", "group": "2"},
            {"sex": "m", "ill": "ulcer", "group": "2"},
        ]
    )
    guess = guess_group(table, {"sex": "f"}, "ill", "group")
    assert guess.fitting == 2
    assert dict(guess.likely) == {"flu": 1, "cold": Fraction(1, 2), "ulcer": Fraction(1, 2)}
