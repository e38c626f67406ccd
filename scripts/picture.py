"""Makes the pictures of README and docs: `make picture`. Those in docs/images/*.svg have the same bytes every time;
docs/images/report.png, the top of a report, is made only where there is a Chromium."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import sordino
from adversaries import absence, releases
from sordino.report.charts import draw
from sordino.sample import path

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
METHODS = ("mine", "dist", "global", "lgps")
THRESHOLDS = ("0.2", "0.3", "0.4", "0.5", "0.7")
FONT = "font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif; background: white"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


def frontier() -> str:
    """Loss by threshold on the bundled sample, as SVG."""
    policy = sordino.read_policy(path("pharmacy_policy.toml"))
    found = sordino.compare(path("pharmacy.csv"), policy, methods=METHODS, rho=THRESHOLDS)
    svg = draw(found.frontier_chart(), "frontier")
    assert svg is not None, "pip install 'sordino[report]'"
    return svg.replace('style="', f'width="720" style="{FONT}; ', 1) + "\n"


def screenshot(browser: str, target: Path) -> None:
    """The top of the report of the sample's release."""
    policy = sordino.read_policy(path("pharmacy_policy.toml"))
    with tempfile.TemporaryDirectory() as folder:
        out = sordino.protect(path("pharmacy.csv"), policy).write(Path(folder) / "release")
        page = (out / "keep" / "report.html").as_uri()
        profile = f"--user-data-dir={folder}/profile"
        size = ("--window-size=1180,880", "--hide-scrollbars")
        subprocess.run(
            [browser, *FLAGS, profile, *size, f"--screenshot={target}", page], check=True, capture_output=True
        )


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name, made in {"frontier": frontier, "absence": absence, "releases": releases}.items():
        (IMAGES / f"{name}.svg").write_text(made(), encoding="utf-8")
        print(IMAGES / f"{name}.svg")
    browser = shutil.which("chromium")
    if browser is not None:
        screenshot(browser, IMAGES / "report.png")
        print(IMAGES / "report.png")
