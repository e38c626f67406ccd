"""What the adversary of the studio is told is what one counts by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import sordino
from sordino.studio.guess import guess_group, guess_items, guess_value, rule_limits, showing


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


JOBS = {
    "name": "ANY",
    "children": [{"name": "trade", "children": [{"name": "cook"}, {"name": "smith"}]}, {"name": "nurse"}],
}


def test_hidden_and_wider_values_fit_too() -> None:
    """By hand: who is a cook is shown as one (1 row), as a trade (2 rows) or not at all (1 row); a nurse is no cook."""
    cells = [("cook", "flu"), ("trade", "flu"), ("trade", "cold"), ("*", "cold"), ("nurse", "flu")]
    table = sordino.read_table([{"job": job, "ill": ill} for job, ill in cells])
    wider = showing("cook", "*", sordino.read_hierarchy(JOBS))
    assert set(wider) == {"*", "trade", "ANY"}
    guess = guess_value(table, {"job": "cook"}, "ill", {"job": wider})
    assert (guess.fitting, guess.hidden) == (4, 3)
    assert dict(guess.likely) == {"flu": 2, "cold": 2}
    assert guess_value(table, {"job": "cook"}, "ill").hidden == 0
    assert showing("cook", "*", None) == ("*",)


def test_limits_are_those_of_the_rules_also_of_the_rarest() -> None:
    rows = [("cook", "A", "flu")] * 5 + [("nurse", "B", "cold")] * 3 + [("cook", "B", "ulcer")]
    table = sordino.read_table([{"job": j, "town": t, "ill": i} for j, t, i in rows])
    policy = sordino.TemplatePolicy(
        [
            sordino.Template(["job", "town"], "ill", ["flu"], "0.5"),
            sordino.Template(["job"], "ill", rarest="50%", at_most="0.25"),  # of three values the rarest one: ulcer
            sordino.Template(["job"], "ill", ["flu"], "0.75"),
        ]
    )
    rules = policy.resolve(table).stated
    tenth = {"flu": Fraction(1, 2), "ulcer": Fraction(1, 4)}
    assert rule_limits(table, rules, "ill", ["job"]) == tenth
    assert rule_limits(table, rules, "ill", ["job", "town"]) == {"flu": Fraction(1, 2)}
    assert rule_limits(table, rules, "ill", ["town"]) == {"flu": Fraction(1, 2)}
    assert rule_limits(table, rules, "town", ["job"]) == {}
