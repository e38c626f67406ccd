"""NAKA: personalized rho-uncertainty and its sampled relaxation (2018). Its tables and figures.

Four settings: *fixed* (a share of the items for all), *personalized* (a share for each), *personalized+* (a share of
the items, and each user flips each with 1 % noise), *fixed+* (the union of those for everyone, as one had to before).
Algorithm 1 is `naka`, Algorithm 2 is `naka-sampled`; `dist` is ours, exact, at any record length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sordino.data.baskets import Baskets
from sordino.experiments.declared import Experiment, Row, Shape, below, falling, rising
from sordino.experiments.setup import Setup, cut, known, mean, sampled_records, short_records
from sordino.policy.assurance import Assurance
from sordino.policy.choices import Choices
from sordino.policy.inference import InferencePolicy

__all__ = ["EXPERIMENTS"]

WV1, WV2, POS = "BMS-WebView-1", "BMS-WebView-2", "BMS-POS part (275k)"
FILES = (WV1, WV2, POS)
LONGEST, NOISE = 5, 0.01
QUICK_RECORDS = 120
PRINTED = {WV1: (54_737, 472, 1.7), WV2: (58_044, 3_207, 2.2), POS: (306_982, 1_177, 2.7)}


def _table3(setup: Setup) -> list[Row]:
    rows = []
    for name, baskets in setup.baskets(FILES):
        short = short_records(baskets, LONGEST)
        ours = (len(short), short.distinct_items, short.occurrences / max(len(short), 1))
        paper = PRINTED.get(name, (None,) * 3)
        for measure, mine, theirs in zip(("records", "items", "average"), ours, paper, strict=True):
            rows.append(Row((name,), measure, float(mine), None if theirs is None else float(theirs)))
    return rows


def policy(
    baskets: Baskets, setting: str, rho: str, percent: int, draw: int, assurance: Assurance | None = None
) -> InferencePolicy:
    """The policy of one of the four settings; the same draw for settings that belong together."""
    random = np.random.default_rng(1_000 + draw)
    items, records = len(baskets.names), len(baskets)
    if setting == "personalized":
        chosen = random.random((items, records)) < percent / 100
        return InferencePolicy([], rho, per_record=Choices.of_matrix(chosen, baskets.names), assurance=assurance)
    wanted = max(1, round(items * percent / 100))
    tends = np.zeros(items, dtype=np.bool_)
    tends[random.choice(items, size=wanted, replace=False)] = True
    if setting == "fixed":
        return InferencePolicy([baskets.names[k] for k in np.flatnonzero(tends)], rho, assurance=assurance)
    chosen = tends[:, None] ^ (random.random((items, records)) < NOISE)
    if setting == "personalized+":
        return InferencePolicy([], rho, per_record=Choices.of_matrix(chosen, baskets.names), assurance=assurance)
    union = np.flatnonzero(chosen.any(axis=1))
    return InferencePolicy([baskets.names[k] for k in union], rho, assurance=assurance)


def _pieces(setup: Setup, names: Sequence[str], short: bool, draw: int) -> list[tuple[str, Baskets]]:
    """A tenth of the records, drawn; in the quick version the first few."""
    found = []
    for name, baskets in setup.baskets(names):
        part = short_records(baskets, LONGEST) if short else baskets
        found.append((name, cut(part, QUICK_RECORDS) if setup.quick else sampled_records(part, 0.1, draw)))
    return found


def _cells(
    setup: Setup,
    names: Sequence[str],
    methods: Sequence[str],
    settings: Sequence[str],
    measures: Sequence[str],
    *,
    rho: str = "0.5",
    percent: int = 40,
    assurance: Assurance | None = None,
    label: str | None = None,
    draws: int = 10,
) -> list[Row]:
    found: dict[tuple[str, ...], list[dict[str, float]]] = {}
    for draw in setup.draws(draws):
        for name, baskets in _pieces(setup, names, assurance is None, draw):
            for setting in settings:
                for method in known(methods):
                    asked = policy(baskets, setting, rho, percent, draw, assurance)
                    cell = setup.protect(f"{name}, {setting}", baskets, asked, method, seed=draw)
                    found.setdefault((label or name, setting, method), []).append(cell)
    rows = []
    for labels, cells in found.items():
        for measure in measures:
            ours, spread = mean([cell.get(measure) for cell in cells])
            rows.append(Row(labels, measure, ours, None, spread))
    return rows


ONE, TWO = ("naka", "dist"), ("naka-sampled", "dist")
PLAIN, PLUS = ("fixed", "personalized"), ("personalized+", "fixed+")


def _sure(m: int = 5, epsilon: str = "0.05") -> Assurance:
    return Assurance(epsilon, epsilon, m)


def _figure1(setup: Setup) -> list[Row]:
    return _cells(setup, FILES, ONE, PLAIN, ("loss", "kl"))


def _figure2(setup: Setup) -> list[Row]:
    return _cells(setup, FILES, TWO, PLAIN, ("loss", "kl"), assurance=_quick_sure(setup))


def _quick_sure(setup: Setup, m: int = 5, epsilon: str = "0.05") -> Assurance:
    return _sure(min(m, 2), "0.2") if setup.quick else _sure(m, epsilon)


def _figure3(setup: Setup) -> list[Row]:
    rows = []
    for rho in setup.pick(("0.1", "0.3", "0.5", "0.7", "0.9"), ("0.3", "0.7")):
        found = _cells(setup, (WV2,), ONE, PLUS, ("loss", "jaccard 30%", "seconds"), rho=rho, percent=10, label=rho)
        rows += _distance(found)
    return rows


def _figure4(setup: Setup) -> list[Row]:
    rows = []
    for share in setup.pick((10, 20, 30, 40), (10, 40)):
        measures = ("loss", "jaccard 30%", "seconds")
        rows += _distance(_cells(setup, (WV2,), ONE, PLUS, measures, percent=share, label=f"{share} %"))
    return rows


def _distance(rows: list[Row]) -> list[Row]:
    """Rules as the paper shows them: 1 - Jaccard."""
    return [
        Row(r.labels, "rules lost", None if r.ours is None else 1 - r.ours, None, r.spread)
        if r.measure.startswith("jaccard")
        else r
        for r in rows
    ]


def _figure5(setup: Setup) -> list[Row]:
    rows = []
    for rho in setup.pick(("0.1", "0.3", "0.5", "0.7", "0.9"), ("0.3", "0.7")):
        sure = _quick_sure(setup)
        rows += _cells(setup, (WV2,), TWO, PLUS, ("loss", "seconds"), rho=rho, percent=10, assurance=sure, label=rho)
    return rows


def _figure6(setup: Setup) -> list[Row]:
    rows = []
    for share in setup.pick((10, 20, 30, 40), (10, 40)):
        sure = _quick_sure(setup)
        rows += _cells(setup, (WV2,), TWO, PLUS, ("loss", "seconds"), percent=share, assurance=sure, label=f"{share} %")
    return rows


def _figure7(setup: Setup) -> list[Row]:
    rows = []
    for m in setup.pick((1, 2, 3, 4, 5), (1, 2)):
        sure = _quick_sure(setup, m)
        rows += _cells(setup, (WV2,), TWO, PLUS, ("loss", "seconds"), percent=10, assurance=sure, label=str(m))
    return rows


def _figure8(setup: Setup) -> list[Row]:
    rows = []
    for epsilon in setup.pick(("0.01", "0.02", "0.05", "0.1"), ("0.2", "0.3")):
        sure = Assurance(epsilon, epsilon, 2 if setup.quick else 5)
        rows += _cells(setup, (WV2,), TWO, PLUS, ("loss", "seconds"), percent=10, assurance=sure, label=epsilon)
    return rows


BETTER = Shape("Personal choices lose less than the union for everyone.", below("personalized+", "fixed+", "loss", 1))
LOOSER = Shape("A larger rho loses less.", falling("loss", 0))
COLUMNS = ("setting", "method")
TENTH = {"records": "a random tenth"}


def _declare(number: str, title: str, first: str, measures: dict[str, str], run: object, *shape: Shape) -> Experiment:
    sampled = number in ("2", "5", "6", "7", "8")
    more = (
        {"assurance": "m = 5, epsilon = delta = 0.05, unless varied"} if sampled else {"records of": "at most 5 items"}
    )
    return Experiment(
        f"naka-fig{number}",
        "NAKA",
        f"Figure {number}",
        title,
        FILES if number in ("1", "2") else (WV2,),
        (first, *COLUMNS),
        measures,
        run,  # type: ignore[arg-type]
        TWO if sampled else ONE,
        {"rho": "0.5, unless varied", **TENTH, **more},
        10,
        shape,
    )


LOSS = {"loss": "percent", "seconds": "seconds"}
RULES = {"loss": "percent", "rules lost": "percent", "seconds": "seconds"}

EXPERIMENTS = (
    Experiment(
        "naka-table3",
        "NAKA",
        "Table 3",
        "The data sets, cut to records of at most 5 items",
        FILES,
        ("data",),
        {"records": "count", "items": "count", "average": "number"},
        _table3,
        note="POS is only in part here.",
    ),
    _declare(
        "1",
        "Algorithm 1: fixed and personalized",
        "data",
        {"loss": "percent", "kl": "number"},
        _figure1,
        Shape("Personalized loses more than fixed.", below("fixed", "personalized", "loss", 1)),
    ),
    _declare("2", "Algorithm 2: fixed and personalized", "data", {"loss": "percent", "kl": "number"}, _figure2),
    _declare(
        "3",
        "Algorithm 1 while varying rho",
        "rho",
        RULES,
        _figure3,
        BETTER,
        Shape("A larger rho loses less.", falling("loss", 0)),
    ),
    _declare(
        "4",
        "Algorithm 1 while varying the share of sensitive items",
        "sensitive",
        RULES,
        _figure4,
        BETTER,
        Shape("More sensitive items lose more.", rising("loss", 0)),
    ),
    _declare(
        "5",
        "Algorithm 2 while varying rho",
        "rho",
        LOSS,
        _figure5,
        BETTER,
        Shape("A larger rho loses less.", falling("loss", 0)),
    ),
    _declare(
        "6",
        "Algorithm 2 while varying the share of sensitive items",
        "sensitive",
        LOSS,
        _figure6,
        BETTER,
        Shape("More sensitive items lose more.", rising("loss", 0)),
    ),
    _declare("7", "Algorithm 2 while varying m", "m", LOSS, _figure7, BETTER),
    _declare("8", "Algorithm 2 while varying epsilon = delta", "epsilon", LOSS, _figure8, BETTER),
)
