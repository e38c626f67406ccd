"""A long protect in the studio, watched to its end: the page answers all the time, tells how far it is, and can cancel.

How long it takes is up to PEOPLE (SORDINO_STUDIO_PEOPLE): docs/notes/studio.md tells of one that took a minute.
"""

from __future__ import annotations

import os
import random
import re
import time
from pathlib import Path

import pytest

import sordino
from browser import browser_path
from studio import Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
PICTURES = Path(__file__).parents[2] / "out" / "studio" / "long"
PEOPLE = int(os.environ.get("SORDINO_STUDIO_PEOPLE", "60000"))
ITEMS, EACH = 300, 20  # of which every third is sensitive: so dense that protecting takes its time
TURNS = (
    ("Open", "Choose data about people"),
    ("What must stay quiet", "marked as sensitive"),
    ("The risk", "Play the adversary"),
    ("Publish", "Name of the release"),
)


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dense")
    draw = random.Random(3)
    lines = (",".join(sorted({f"i{draw.randrange(ITEMS)}" for _ in range(EACH)})) for _ in range(PEOPLE))
    (folder / "clicks.csv").write_text("\n".join(lines) + "\n")
    return folder


def bar(visit: Visit) -> str:
    """What the page tells of the work; nothing if there is none."""
    shown = "document.querySelector('.bar')?.getClientRects().length ? document.querySelector('.bar').innerText : ''"
    return " ".join(str(visit.tab.ask(shown)).split())


def turned(visit: Visit, step: str, words: str) -> float:
    """How long it takes from a click until another step can be read."""
    begun = time.monotonic()
    visit.step(step)
    visit.wait_for(lambda: words in visit.text(), f"for {step}", 20)
    return time.monotonic() - begun


def test_a_long_protect_is_watched_to_its_end_and_cancelled_the_next_time(dense: Path) -> None:
    items = ", ".join(f'"i{k}"' for k in range(0, ITEMS, 3))
    with started(dense) as studio, visited(studio, PICTURES, height=1000) as visit:
        visit.until("A file of this folder")
        visit.choose("File", "clicks.csv")
        visit.click("Open", "button")
        visit.until("What was read: clicks.csv")
        visit.click("Next: say what must stay quiet", "button")
        visit.until("marked as sensitive")
        visit.write("policy.toml", f'[sensitive]\nitems = [{items}]\n[threshold]\nrho = "0.5"\n')
        visit.until("The policy is complete")
        visit.step("Publish")
        visit.click("Protect and publish", "button")
        begun = time.monotonic()
        turns: list[float] = []
        told: dict[str, float] = {}
        while "The release is valid" not in visit.text():
            turns += [turned(visit, *turn) for turn in TURNS]
            told.setdefault(re.sub(r" \(\d+ s\)", "", bar(visit)), time.monotonic() - begun)
            assert time.monotonic() - begun < 400, visit.text()
            if len(turns) == 4 * len(TURNS):
                visit.picture("under-way")
        took = time.monotonic() - begun
        visit.picture("published")
        print(f"protect took {took:.1f} s; {len(turns)} turns of the page, the slowest {max(turns):.2f} s, ", end="")
        print(f"the middle one {sorted(turns)[len(turns) // 2]:.2f} s; {len(told)} states were told:")
        print("\n".join(f"  {at:5.1f} s  {state}" for state, at in told.items()))
        assert max(turns) < 4
        assert len(turns) > 4 * len(TURNS), "it was too short to be watched"
        assert len({state for state in told if " of " in state}) > 2, "how far it is, is told"
        assert visit.tab.complaints() == []
        assert sordino.verify(dense / "releases" / "clicks-release").holds
        # The same again, cancelled in the middle of it.
        visit.click("Protect and publish", "button")
        end = time.monotonic() + took * 0.4
        while time.monotonic() < end:
            turned(visit, *TURNS[0])
            turned(visit, *TURNS[3])
        assert "Cancel" in bar(visit)
        begun = time.monotonic()
        visit.click("Cancel", "button")
        visit.wait_for(lambda: not bar(visit), "for the end", 10)
        cancelled = time.monotonic() - begun
        print(f"cancelled in {cancelled:.2f} s")
        assert cancelled < 2
        assert [path.name for path in (dense / "releases").iterdir()] == ["clicks-release"], "nothing half published"
        assert "bug" not in visit.text()
