"""Draws docs/images/frontier.svg, the picture of the README: `make picture`. The same bytes every time."""

from __future__ import annotations

from pathlib import Path

import sordino
from sordino.report.charts import draw
from sordino.sample import path

METHODS = ("mine", "dist", "global")
THRESHOLDS = ("0.2", "0.3", "0.4", "0.5", "0.7")
FONT = "font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif; background: white"


def picture() -> str:
    """Loss by threshold on the bundled sample, as SVG."""
    policy = sordino.read_policy(path("pharmacy_policy.toml"))
    found = sordino.compare(path("pharmacy.csv"), policy, methods=METHODS, rho=THRESHOLDS)
    svg = draw(found.frontier_chart(), "frontier")
    assert svg is not None, "pip install 'sordino[report]'"
    return svg.replace('style="', f'width="720" style="{FONT}; ', 1) + "\n"


if __name__ == "__main__":
    target = Path(__file__).resolve().parent.parent / "docs" / "images" / "frontier.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(picture(), encoding="utf-8")
    print(target)
