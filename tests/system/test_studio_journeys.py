"""The studio as somebody uses it who reads and clicks, in a real browser: from opening data to a verified download.

The pictures are kept in out/studio, to be looked at.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import re
import time
import zipfile
from pathlib import Path

import pytest

import sordino
from browser import browser_path
from studio import Studio, Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
PICTURES = Path(__file__).parents[2] / "out" / "studio"


def downloaded(visit: Visit, studio: Studio, folder: Path) -> Path:
    """What the link to the package gives to whoever holds the cookie of the tab."""
    address = visit.tab.ask("document.querySelector('a[download]').getAttribute('href')")
    cookies = visit.tab.call("Network.getCookies")["cookies"]
    assert [(c["httpOnly"], c["sameSite"]) for c in cookies] == [(True, "Strict")]
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)) as connection:
        connection.request("GET", address, headers={"Cookie": f"{cookies[0]['name']}={cookies[0]['value']}"})
        answer = connection.getresponse()
        assert answer.status == 200
        content = answer.read()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert not [name for name in archive.namelist() if "keep" in name]
        archive.extractall(folder)
    (inside,) = folder.iterdir()
    return inside


def published(visit: Visit) -> None:
    """From the risk to the release."""
    visit.step("Publish")
    visit.click("Protect and publish", "button")
    visit.until("The release is valid")
    visit.picture("published")


def nothing_elsewhere(visit: Visit, studio: Studio) -> None:
    """The page asked nobody else, and complained of nothing, its content policy included."""
    hosts = {re.sub(r"^(\w+://[^/]+).*", r"\1", url) for url in visit.tab.requests() if not url.startswith("data:")}
    assert hosts == {f"http://127.0.0.1:{studio.port}"}
    assert visit.tab.complaints() == []


def test_baskets_from_the_sample_to_a_verified_download(tmp_path: Path) -> None:
    begun = time.monotonic()
    with started(tmp_path) as studio, visited(studio, PICTURES / "baskets", height=1600) as visit:
        visit.click("customers of a pharmacy")
        visit.until("What was read", "5,000", "one line is one person")
        visit.picture("read")
        visit.click("Next: say what must stay quiet", "button")
        visit.until("22 items of 120 marked as sensitive", "of 10 people who fit")
        visit.picture("quiet")
        visit.click("Next: see the risk", "button")
        visit.until("NOT SAFE: 1,288 of 5,000 people (25.8%) are at risk.")
        visit.picture("risk")
        visit.choose("The person has", "test strips")
        visit.until("220 people fit, of 5,000. You would be 69.1% sure: insulin pens. The policy forbids that.")
        visit.picture("adversary")
        published(visit)
        assert "sordino protect pharmacy.csv --policy policy.toml --out" in visit.text()
        release = downloaded(visit, studio, tmp_path / "received")
        verdict = sordino.verify(release)
        assert verdict.holds, verdict.reason
        assert sordino.audit(str(release)).holds
        visit.step("The risk")
        visit.choose("The person has", "test strips")
        visit.wait_for(lambda: visit.text().count("people fit, of 5,000") == 2, "for both sides")
        assert "Nothing can be inferred that the policy forbids." in visit.text()
        visit.picture("adversary-after")
        # Findings sort by their head, also by a key, which says how.
        heads = "[...document.querySelectorAll('th')].filter((one) => one.getClientRects().length && {})"
        confidence = heads.format("one.innerText.includes('confidence')") + "[0]"
        ends = []
        for sorting in ("ascending", "descending"):
            visit.tab.ask(f"{confidence}.querySelector('button').focus()")
            for kind in ("keyDown", "keyUp"):
                visit.tab.call(
                    "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r"
                )
            visit.wait_for(
                lambda sorting=sorting: visit.tab.ask(f"{confidence}.getAttribute('aria-sort')") == sorting, sorting
            )
            cells = f"[...{confidence}.closest('table').querySelectorAll('tbody tr')].map((one) => one.innerText)"
            seen = [float(re.findall(r"= ([0-9.]+)%", row)[0]) for row in visit.tab.ask(cells)]
            assert seen == sorted(seen, reverse=sorting == "descending")
            ends.append(seen[0])
        assert ends[0] < ends[1]
        visit.step("Earlier runs")
        visit.until("pharmacy-release", "valid")
        visit.picture("earlier")
        nothing_elsewhere(visit, studio)
    assert (tmp_path / "releases" / "pharmacy-release" / "keep" / "report.html").is_file()
    took = time.monotonic() - begun
    print(f"the journey took {took:.0f} s")
    assert took < 180, "a newcomer, who also reads, should need three minutes"


def test_a_table_under_templates(tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio, PICTURES / "templates", height=1600) as visit:
        visit.click("patients of a hospital")
        visit.until("What was read", "diagnosis")
        visit.click("Next: say what must stay quiet", "button")
        visit.until("Rule 1", "Rule 2", "The policy is complete")
        visit.picture("quiet")
        visit.click("Next: see the risk", "button")
        visit.until("NOT SAFE")
        visit.picture("risk")
        published(visit)
        release = downloaded(visit, studio, tmp_path / "received")
        assert sordino.verify(release).holds
        nothing_elsewhere(visit, studio)


def test_a_table_under_diversity_stated_in_the_form(tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio, PICTURES / "diversity", height=1600) as visit:
        visit.click("patients of a hospital")
        visit.until("What was read")
        visit.click("Next: say what must stay quiet", "button")
        visit.click("Everybody must keep several possible values")
        visit.choose("Sensitive column", "diagnosis")
        visit.until("Say which columns somebody may know.")
        visit.choose("Known columns", "sex", "region", "education")
        visit.until("The policy is complete")
        text = visit.tab.ask("document.querySelector('textarea').value")
        assert 'kind = "diversity"' in text
        assert 'sensitive = "diagnosis"' in text
        assert "l = 3" in text
        visit.picture("quiet")
        visit.click("Next: see the risk", "button")
        visit.until("SAFE")
        visit.picture("risk")
        published(visit)
        release = downloaded(visit, studio, tmp_path / "received")
        assert sordino.verify(release).answer is not sordino.Answer.FAILS
        nothing_elsewhere(visit, studio)


def test_the_text_and_the_form_follow_each_other(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text("bread,milk,wine\nbread,milk\nwine,milk\nbread,wine\n" * 20)
    with started(tmp_path) as studio, visited(studio, PICTURES / "following") as visit:
        visit.until("Your file")
        visit.upload(tmp_path / "shop.csv")
        visit.until("What was read: shop.csv")
        visit.click("Next: say what must stay quiet", "button")
        visit.until("0 items of 3 marked as sensitive")
        visit.until("wine")
        row = "[...document.querySelectorAll('tr')].find((one) => one.innerText.includes('wine'))"
        visit.tab.ask(f"{row}.querySelector('.q-checkbox').click()")
        visit.until("1 item of 3 marked as sensitive")
        text = "document.querySelector('textarea').value"
        visit.wait_for(lambda: '"wine"' in visit.tab.ask(text), "for the text to follow")
        visit.write(
            "policy.toml", 'kind = "inference"\n[sensitive]\nitems = ["wine", "milk"]\n[threshold]\nrho = "0.3"\n'
        )
        visit.until("2 items of 3 marked as sensitive", "more than 30% sure")
        visit.write("policy.toml", 'kind = "inference"\n[sensitive]\nitems = ["whine"]\n[threshold]\nrho = "7"\n')
        visit.until("Line 5: rho: 7 is not between 0 and 1")
        marked = "[...document.querySelectorAll('.numbers .wrong')].map((one) => one.innerText)"
        visit.wait_for(lambda: visit.tab.ask(marked) == ["5"], "for the line to be marked")
        beside = """(() => { const text = document.querySelector('.toml textarea');
            const style = getComputedStyle(text), number = document.querySelector('.numbers .wrong');
            return number.getBoundingClientRect().top - text.getBoundingClientRect().top
                - parseFloat(style.paddingTop) - 4 * parseFloat(style.lineHeight) })()"""
        assert abs(visit.tab.ask(beside)) < 4, "the mark stands beside its line"
        visit.picture("problems")
        assert "The policy is complete" not in visit.text()
