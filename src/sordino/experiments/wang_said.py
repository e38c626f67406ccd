"""What WANG says of the errors of trees, as checks on our rows: labels are the templates, and what it is trained on."""

from __future__ import annotations

from sordino.experiments.declared import Rows, Shape, below

__all__ = [
    "SUPPRESSION",
    "later_ones_are",
    "least_and_most",
    "more_need_not_cost",
    "most_for_top4",
    "narrow",
    "quick_enough",
    "rising_removal",
    "steady",
    "stricter_need_not_cost",
    "top1_is_no_loss",
    "within",
]

SUPPRESSION = Shape(
    "The release predicts better than a table without the sensitive columns (RE above SE).",
    below("release", "removed", "error", 1),
)


def rising_removal(rows: Rows) -> bool | None:
    """Whether RE grows from Top1 to Top4."""
    line = [rows.value("error", f"Top{n}", "removed") for n in (1, 2, 3, 4)]
    there = [value for value in line if value is not None]
    return there == sorted(there) if len(there) > 1 else None


def gains(rows: Rows) -> dict[str, float]:
    """RE - SE by templates."""
    found = {f"Top{n}": rows.value("error", f"Top{n}", "removed - release") for n in (1, 2, 3, 4)}
    return {name: gain for name, gain in found.items() if gain is not None}


def least_and_most(rows: Rows) -> bool | None:
    """Whether RE - SE is least for Top1 and most for Top4."""
    found = gains(rows)
    return found["Top1"] == min(found.values()) and found["Top4"] == max(found.values()) if len(found) == 4 else None


def most_for_top4(rows: Rows) -> bool | None:
    found = gains(rows)
    return found["Top4"] == max(found.values()) if len(found) == 4 else None


def steady(rows: Rows) -> bool | None:
    """Whether SE, over all templates and thresholds, has a deviation below 0.6 points."""
    deviation = rows.value("error", "all", "deviation of release")
    return None if deviation is None else deviation < 0.006


def errors_by_limit(rows: Rows) -> dict[int, dict[float, float]]:
    """SE by the number of sensitive attributes and by threshold."""
    found: dict[int, dict[float, float]] = {}
    for row in rows.of("error").rows:
        top, _, limit = row.labels[0], *row.labels[1].partition("release, h = ")[1:]
        if limit and row.ours is not None:
            found.setdefault(int(top.removeprefix("Top")), {})[float(limit)] = row.ours
    return found


def more_need_not_cost(rows: Rows) -> bool | None:
    """Whether somewhere one more sensitive attribute, at the same threshold, does not raise the error."""
    found = errors_by_limit(rows)
    pairs = [(found[n][h], found[n + 1][h]) for n in found if n + 1 in found for h in found[n] if h in found[n + 1]]
    return any(more <= fewer for fewer, more in pairs) if pairs else None


def stricter_need_not_cost(rows: Rows) -> bool | None:
    """Whether somewhere a lower threshold, for the same attributes, does not raise the error."""
    steps = [
        (of[low], of[high])
        for of in errors_by_limit(rows).values()
        for low, high in zip(sorted(of), sorted(of)[1:], strict=False)
    ]
    return any(low <= high for low, high in steps) if steps else None


def narrow(points: float) -> Shape:
    def check(rows: Rows) -> bool | None:
        least, largest = (rows.value("error", end, "release") for end in ("least", "largest"))
        return None if least is None or largest is None else largest - least <= points / 100

    return Shape(f"The errors of the releases lie within {points} points.", check)


def quick_enough(most: float) -> Shape:
    """The paper's bound on the time of one suppression."""

    def check(rows: Rows) -> bool | None:
        taken = rows.value("seconds", "slowest")
        return None if taken is None else taken <= most

    return Shape(f"Suppressing takes at most {most:g} seconds.", check)


def within(points: float) -> Shape:
    """The paper's bound on what suppression costs the tree."""

    def check(rows: Rows) -> bool | None:
        gaps = []
        for group in rows.of("error").groups(1):
            error = {row.labels[1]: row.ours for row in group.rows}
            before, after = error.get("original"), error.get("release")
            if before is not None and after is not None:
                gaps.append(after - before)
        return all(gap <= points / 100 for gap in gaps) if gaps else None

    return Shape(f"Suppression costs the tree at most {points} points.", check)


def top1_is_no_loss(rows: Rows) -> bool | None:
    found = [rows.value("error", "Top1", what) for what in ("removed", "release")]
    if found[0] is None or found[1] is None:
        return None
    return found[0] <= found[1] + 0.005


def later_ones_are(rows: Rows) -> bool | None:
    return SUPPRESSION.check(Rows([row for row in rows.rows if row.labels[0] != "Top1"]))
