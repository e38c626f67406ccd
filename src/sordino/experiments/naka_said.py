"""What NAKA says of its figures, as checks on our rows: labels are the file or parameter, the setting, the method.

Sentences across two figures are checked on one: beside Algorithm 2 stand the rows of Algorithm 1 (BESIDE) that the
paper compares it with.
"""

from __future__ import annotations

from sordino.experiments.declared import Rows, Shape, below, claim, every, falling, flat, number, only, rising

__all__ = [
    "BESIDE",
    "LONGER",
    "PLAIN",
    "PLUS",
    "PRINTED_TWO",
    "better",
    "from_three_on",
    "gap_falls",
    "largest_in",
    "looser",
    "may_be_nearer",
    "more_lose_more",
    "more_than_short",
    "nearly_linear",
    "not_so_large",
    "not_so_much_more",
    "rules_kept",
    "slight",
    "smaller_difference",
]

PRINTED_TWO = "naka-sampled:stopping=paper"
BESIDE = "naka, records of at most 5"  # Algorithm 1, as in the figure beside which the paper puts this one
PLAIN, PLUS = ("fixed", "personalized"), ("personalized+", "fixed+")


def largest_in(data: str, measure: str) -> object:
    """Whether a measure is largest on these data, in every setting."""

    def check(rows: Rows) -> bool | None:
        groups = [{r.labels[0]: r.ours for r in g.rows if r.ours is not None} for g in rows.of(measure).groups(0)]
        groups = [group for group in groups if data in group and len(group) > 1]
        return all(group[data] == max(group.values()) for group in groups) if groups else None

    return check


def better(method: str) -> tuple[Shape, ...]:
    """Experiment 2: personal choices against their union for everyone, by the paper's algorithm and by ours."""
    less = below("personalized+", "fixed+", "loss", 1)
    return (
        Shape("Personal choices lose less than the union for everyone.", only(less, method)),
        Shape("Personal choices also take less time.", only(below("personalized+", "fixed+", "seconds", 1), method)),
        claim("By our exact method, too, personal choices lose less than the union.", only(less, "dist")),
    )


def rules_kept(method: str) -> tuple[Shape, ...]:
    return (
        Shape(
            "For the union the rules before and after are almost completely different (util_mining about 1).",
            every("rules lost", lambda lost: lost >= 0.9, method, "fixed+"),
        ),
        Shape(
            "Personal choices keep more rules than the union.",
            only(below("personalized+", "fixed+", "rules lost", 1), method),
        ),
    )


def looser(method: str) -> Shape:
    return Shape("A larger rho loses less.", only(falling("loss", 0), method))


def more_lose_more(method: str) -> tuple[Shape, ...]:
    return (
        Shape("More sensitive items lose more.", only(rising("loss", 0), method)),
        Shape("More sensitive items take more time.", only(rising("seconds", 0, slack=0.05), method, "personalized+")),
    )


def gap_falls(rows: Rows) -> bool | None:
    """Whether what Algorithm 1 loses more for the union is less for the largest share than for the smallest."""
    line: dict[float, dict[str, float]] = {}
    for row in rows.of("loss").rows:
        if row.labels[2] == "naka" and row.ours is not None:
            line.setdefault(number(row.labels[0]), {})[row.labels[1]] = row.ours
    gaps = [found["fixed+"] - found["personalized+"] for _, found in sorted(line.items()) if len(found) == len(PLUS)]
    return gaps[-1] < gaps[0] if len(gaps) > 1 else None


def slight(rows: Rows) -> bool | None:
    """Whether the KL of personal choices is within a fifth of that of fixed ones, as Algorithm 1 has it."""
    groups = rows.of("kl").groups(1)
    pairs = [{r.labels[1]: r.ours for r in g.rows if r.labels[2] == "naka" and r.ours is not None} for g in groups]
    there = [(pair["fixed"], pair["personalized"]) for pair in pairs if len(pair) == len(PLAIN)]
    return all(abs(a - b) <= 0.2 * max(a, b) for a, b in there) if there else None


def by_place(rows: Rows, method: str, measure: str = "loss") -> dict[str, dict[str, float]]:
    """What a method comes to, by file or parameter, and by setting."""
    found: dict[str, dict[str, float]] = {}
    for row in rows.of(measure).rows:
        if row.labels[2] == method and row.ours is not None:
            found.setdefault(row.labels[0], {})[row.labels[1]] = row.ours
    return found


def sums(rows: Rows) -> tuple[float, float] | None:
    """What Algorithm 2 as printed, and Algorithm 1 beside it, lose in all, wherever both were run."""
    two, one = by_place(rows, PRINTED_TWO), by_place(rows, BESIDE)
    both = [(place, setting) for place in two for setting in two[place] if setting in one.get(place, {})]
    return (sum(two[p][s] for p, s in both), sum(one[p][s] for p, s in both)) if both else None


def more_than_short(rows: Rows) -> bool | None:
    """Whether, as a whole, Algorithm 2 on whole records suppresses more than Algorithm 1 on short ones."""
    both = sums(rows)
    return None if both is None else both[0] > both[1]


def smaller_difference(rows: Rows) -> bool | None:
    """Whether fixed and personalized differ less than with Algorithm 1, on most of the files."""
    two, one = by_place(rows, PRINTED_TWO), by_place(rows, BESIDE)
    pairs = [(two[p], one[p]) for p in two if len(two[p]) == len(PLAIN) == len(one.get(p, {}))]
    less = [abs(a["personalized"] - a["fixed"]) < abs(b["personalized"] - b["fixed"]) for a, b in pairs]
    return 2 * sum(less) > len(less) if less else None


def may_be_nearer(rows: Rows) -> bool | None:
    """Whether the KL of personalized is below that of fixed on some file."""
    pairs = [f for f in by_place(rows, PRINTED_TWO, "kl").values() if len(f) == len(PLAIN)]
    return any(found["personalized"] < found["fixed"] for found in pairs) if pairs else None


def not_so_much_more(method: str) -> Shape:
    """The paper's summary of Experiment 1; how much is much is our reading."""

    def check(rows: Rows) -> bool | None:
        pairs = [found for found in by_place(rows, method).values() if len(found) == len(PLAIN)]
        return all(found["personalized"] <= 1.5 * found["fixed"] for found in pairs) if pairs else None

    return Shape("What personalized loses more than fixed is not so large (at most half as much again).", check)


def nearly_linear(rows: Rows) -> bool | None:
    """Whether times grow, and those between the smallest and the largest share lie within a fifth of the line."""
    line = sorted(
        (number(place), found["personalized+"])
        for place, found in by_place(rows, "naka", "seconds").items()
        if "personalized+" in found
    )
    if len(line) < 3:
        return None
    (x0, y0), (x1, y1) = line[0], line[-1]
    on_line = [(y, y0 + (y1 - y0) * (x - x0) / (x1 - x0)) for x, y in line[1:-1]]
    return y1 > 1.05 * y0 and all(abs(y - straight) <= 0.2 * straight for y, straight in on_line)


LONGER = "More is suppressed than where records have at most 5 items"


def not_so_large() -> Shape:
    return Shape(
        "With personal choices not so much is suppressed, all the same (less than a third).",
        every("loss", lambda lost: lost < 1 / 3, PRINTED_TWO, "personalized+"),
    )


def from_three_on(rows: Rows) -> bool | None:
    return flat("loss", 0)(Rows([row for row in rows.rows if int(row.labels[0]) >= 3]))
