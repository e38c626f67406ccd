"""The pictures of the two stronger adversaries, absence.svg and releases.svg: `make picture` writes them.

What they show is computed: every sentence below a panel is what the audit says of the records in it. The same bytes
every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from html import escape

import sordino
from sordino.data.baskets import Baskets

__all__ = ["absence", "releases"]

SECRET = "insulin"
HALF = "1/2"
PLAIN, BAD, GOOD, GONE = "#2b6cb0", "#c53030", "#2f855a", "#767676"
WIDTH, ROW, TOP = 220, 44, 52


@dataclass(frozen=True)
class Panel:
    """Records below a title, each solid or ruled out (dashed), and what follows from those that are left."""

    title: str
    records: tuple[tuple[str, bool], ...]
    follows: str
    colour: str


def absence() -> str:
    """One absent item gives a person away; with a twin it does not."""
    table = [{"bread", SECRET}, {"bread", "milk"}, {"bread", "milk", "eggs"}]
    twins = [{"bread", SECRET}, {"bread"}, {"bread", "milk"}]
    assert sordino.audit(table, sordino.InferencePolicy([SECRET], HALF)).holds
    strict = sordino.InferencePolicy([SECRET], HALF, absent="any")
    (finding,) = sordino.audit(table, strict).findings
    assert sordino.audit(twins, strict).holds
    return _drawn(
        "absence",
        "One absent item gives a person away",
        (
            _panel("knows: bread", table, {"bread"}, set(), PLAIN),
            _panel("knows: bread, no milk", table, set(finding.antecedent), set(finding.absent), BAD),
            _panel("the same, with a twin", twins, set(finding.antecedent), set(finding.absent), GOOD),
        ),
    )


def releases() -> str:
    """Two releases, each safe by itself, disclose together; one that continues the first does not."""
    policy = sordino.InferencePolicy([SECRET], HALF)
    people = ["Ann", "Bea"]
    first = Baskets.from_sets([{"bread"}, {"milk"}], ids=people)
    alone = Baskets.from_sets([{SECRET}, {"milk"}], ids=people)
    now = Baskets.from_sets([{"bread", SECRET}, {"milk"}], ids=people)
    for release in (first, alone):
        assert sordino.audit(release, policy, missing="accept").holds
    together = sordino.audit(alone, policy, previous=first)
    (finding,) = together.findings
    continued = sordino.protect(now, policy, previous=first, seed=0)
    assert continued.together
    sure = f"together: {_share(finding.with_consequent, finding.support)}"
    return _drawn(
        "releases",
        "Two safe releases disclose together",
        (
            Panel("release 1", _shown(first), "safe by itself", PLAIN),
            Panel("release 2, by itself", _shown(alone), sure, BAD),
            Panel("release 2, continued", _shown(continued.data, people), "together: nothing to infer", GOOD),
        ),
    )


def _panel(title: str, table: list[set[str]], present: set[str], absent: set[str], colour: str) -> Panel:
    left = [record for record in table if present <= record and not absent & record]
    records = tuple((", ".join(sorted(record)), record in left) for record in table)
    return Panel(title, records, f"{SECRET}: {_share(sum(SECRET in r for r in left), len(left))}", colour)


def _shown(release: Baskets, people: list[str] | None = None) -> tuple[tuple[str, bool], ...]:
    names = people or list(release.ids or ())
    return tuple((f"{name}: {', '.join(sorted(record))}", True) for name, record in zip(names, release, strict=True))


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}, " + ("certain" if part == whole else f"{float(Fraction(part, whole)):.0%}")


def _drawn(name: str, title: str, panels: tuple[Panel, ...]) -> str:
    most = max(len(panel.records) for panel in panels)
    height = TOP + ROW * most + 50
    told = " ".join(
        f"{panel.title}: {'; '.join(text if left else f'({text})' for text, left in panel.records)}: {panel.follows}."
        for panel in panels
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-t {name}-d" width="720" '
        f'viewBox="0 0 720 {height + 20}" font-family="sans-serif" font-size="14" style="background: white">',
        f'<title id="{name}-t">{escape(title)}</title>',
        f'<desc id="{name}-d">{escape(told)}</desc>',
    ]
    for number, panel in enumerate(panels):
        x = 10 + number * (WIDTH + 20)
        lines.append(
            f'<rect x="{x}" y="10" width="{WIDTH}" height="{height}" rx="8" fill="none" stroke="{panel.colour}"/>'
            f'<text x="{x + 14}" y="36" font-weight="bold" fill="{panel.colour}">{escape(panel.title)}</text>'
        )
        for row, (text, left) in enumerate(panel.records):
            y = TOP + ROW * row
            box = f'fill="{panel.colour}"' if left else f'fill="none" stroke="{GONE}" stroke-dasharray="4 3"'
            lines.append(
                f'<rect x="{x + 14}" y="{y}" width="{WIDTH - 28}" height="34" rx="5" {box}/>'
                f'<text x="{x + 24}" y="{y + 22}" fill="{"#fff" if left else GONE}">{escape(text)}</text>'
            )
        lines.append(f'<text x="{x + 14}" y="{height - 8}" fill="{panel.colour}">{escape(panel.follows)}</text>')
    return "\n".join([*lines, "</svg>", ""])
