"""Makes docs/images/studio.png, the picture of the studio in README: `make picture`. It needs a Chromium.

The studio is used as somebody would: the sample, its audit, a release, and the adversary before and after.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browser import browser_path  # noqa: E402
from studio import started, visited  # noqa: E402

TOP = "[...document.querySelectorAll('h2')].find((one) => one.innerText === 'Play the adversary')"


def picture() -> bytes:
    """What somebody who knows two things is told by the file, and by the release."""
    with (
        tempfile.TemporaryDirectory() as folder,
        started(Path(folder)) as studio,
        visited(studio, width=1180, height=840) as visit,
    ):
        visit.click("customers of a pharmacy")
        visit.until("What was read")
        visit.step("The risk")
        visit.click("Audit", "button")
        visit.until("NOT SAFE")
        visit.step("Publish")
        visit.click("Protect and publish", "button")
        visit.until("The release is valid")
        visit.step("The risk")
        visit.choose("The person has", "test strips", "pen needles")
        visit.wait_for(lambda: visit.text().count("fit, of 5,000") == 2, "for both sides")
        visit.tab.ask(f"{TOP}.scrollIntoView()")
        visit.wait_for(lambda: visit.tab.ask(f"{TOP}.getBoundingClientRect().top") > 0, "for the scrolling")
        return visit.tab.picture()


if __name__ == "__main__":
    if browser_path() is None:
        sys.exit("no Chromium: the picture of the studio stays as it is")
    (ROOT / "docs" / "images" / "studio.png").write_bytes(picture())
