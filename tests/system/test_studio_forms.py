"""The forms of the studio in a real browser: text and form in step, whole or not; problems where they are.

And wrong guesses of a reader corrected by a click; an adversary who knows what is absent; tabs and users apart.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser import browser_path
from studio import Visit, started, visited

pytest.importorskip("nicegui")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browser_path() is None, reason="no Chromium (apt-get install chromium)"),
]
PICTURES = Path(__file__).parents[2] / "out" / "studio"
SHOP = "bread,milk,wine\nbread,milk\nwine,milk\nbread,wine\n" * 20
TEXT = "document.querySelector('textarea').value"
# What stands at a field of the form: below a slider or a table, or in the message of a field.
MARKS = """[...document.querySelectorAll('.problem, .q-field__messages')]
    .filter((one) => one.getClientRects().length && one.innerText.trim()).map((one) => one.innerText.trim())"""


def opened(visit: Visit, path: Path) -> None:
    visit.until("Your file")
    visit.upload(path)
    visit.until(f"What was read: {path.name}")
    visit.step("What must stay quiet")
    visit.until("policy.toml")


def says(visit: Visit, *words: str) -> None:
    visit.wait_for(lambda: all(word in visit.tab.ask(TEXT) for word in words), f"for the text to say {words}")


def marked(visit: Visit, words: str) -> None:
    visit.wait_for(lambda: any(words in one for one in visit.tab.ask(MARKS)), f"for a field to say '{words}'")


def slid(visit: Visit, name: str, steps: int) -> None:
    """A slider moved by keys."""
    slider = f"document.querySelector({json.dumps(f'input[type=range][aria-label*={json.dumps(name)}]')})"
    visit.wait_for(lambda: visit.tab.ask(f"{slider} !== null"), f"for the slider {name}")
    visit.tab.ask(f"{slider}.focus()")
    for _ in range(abs(steps)):
        visit.tab.press(*(("ArrowRight", 39) if steps > 0 else ("ArrowLeft", 37)))


def test_limits_of_single_and_of_frequent_items(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(SHOP)
    with started(tmp_path) as studio, visited(studio, PICTURES / "limits", height=1800) as visit:
        opened(visit, tmp_path / "shop.csv")
        visit.until("0 items of 3 marked")
        for name in ("wine", "milk"):  # by the name that a screen reader says
            visit.click(name, "[role=checkbox]")
            says(visit, f'"{name}"')
        slid(visit, "How sure is too sure, in percent", -10)
        says(visit, 'rho = "0.4"')
        visit.until("of 10 people who fit what somebody knows, at most 4 may have")
        visit.unfold("Finer")
        visit.click("A limit of its own for one item", "button")
        says(visit, "[threshold.per_item]", 'wine = "0.4"')
        slid(visit, "wine: how sure", 15)
        says(visit, 'wine = "0.55"')
        visit.choose("By how frequent", "more the more frequent an item is")
        says(visit, 'adaptive = "0.5"')
        # 60 of 80 have milk: 0.4 + 0.5 * 3/4 = 0.775; wine keeps its own.
        visit.until("In these data: from 55% (wine) to 77.5% (milk).")
        visit.choose("How frequent it is", "in the original")
        says(visit, 'adaptive_on = "original"')
        visit.until("The policy is complete")
        visit.picture("limits")
        visit.click("Remove the limit of wine", "button")
        visit.wait_for(lambda: "per_item" not in visit.tab.ask(TEXT), "for the limit to go")
        visit.write(
            "policy.toml",
            '[sensitive]\nitems = ["wine"]\n[threshold]\nrho = "0.5"\nper_item = { beer = "0.3" }\n'
            "[knowledge]\nitems = 0\n",
        )
        marked(visit, "'beer' has a threshold but is not sensitive")
        marked(visit, "knowledge must be a whole number of items")
        visit.picture("marked")
        visit.write("policy.toml", '[sensitive]\npatterns = ["w*"]\n[threshold]\nrho = "0.5"\n')
        visit.until("1 item of 3 marked as sensitive", "The policy is complete")
        visit.step("The risk")
        visit.click("Audit", "button")
        visit.until("NOT SAFE")


def test_half_a_policy_is_in_the_text_and_its_problems_at_the_fields(tmp_path: Path) -> None:
    with started(tmp_path) as studio, visited(studio, PICTURES / "half", height=1800) as visit:
        visit.click("patients of a hospital")
        visit.until("What was read")
        visit.step("What must stay quiet")
        visit.until("Rule 2")
        visit.click("Another rule", "button")
        says(visit, "given = []")
        marked(visit, "Say which columns somebody may know.")
        marked(visit, "Say which column must stay quiet.")
        assert "The policy is complete" not in visit.text()
        visit.picture("a-third-rule")
        visit.step("The risk")  # what is half said is not audited
        visit.until("First say what must stay quiet.")
        visit.step("What must stay quiet")
        visit.until("Rule 3")
        visit.click("Everybody must keep several possible values", "[role=radio]")
        says(visit, 'kind = "diversity"')
        visit.choose("Sensitive column", "diagnosis")
        says(visit, 'sensitive = "diagnosis"')
        marked(visit, "Say which columns somebody may know.")
        visit.click("Certain values must not be inferred", "[role=radio]")
        says(visit, 'kind = "template"', "given = []", '"HIV"')
        visit.click("Remove rule 3", "button")
        visit.until("The policy is complete")
        visit.write("policy.toml", visit.tab.ask(TEXT).replace('"HIV"', '"HIV+"').replace('"region"', '"regoin"'))
        marked(visit, "there is no column 'regoin'")
        marked(visit, "'HIV+' does not occur in the column 'diagnosis'")
        visit.picture("wrong-names")


def test_wrong_guesses_are_corrected_by_a_click(tmp_path: Path) -> None:
    lines = [f"{visit},{visit % 25},{item}" for visit in range(100) for item in ("bread", f"thing{visit % 7}")]
    (tmp_path / "visits.csv").write_text("\n".join(["visit_id,customer_id,product", *lines]) + "\n")
    (tmp_path / "odd.csv").write_text("a|b;c\nb|c;d\na|d;c\n")
    with started(tmp_path) as studio, visited(studio, PICTURES / "guesses", height=1800) as visit:
        visit.until("Your file")
        visit.upload(tmp_path / "visits.csv")
        visit.until("What was read: visits.csv", "200 rows")
        visit.click("Not right? Read it otherwise", "[role=button], .q-item")
        visit.picture("otherwise")
        visit.click("No: a row is one item, and one value of 'customer_id' is one person (25 people)", "button")
        visit.until("25 records", "sordino inspect visits.csv --layout long --record customer_id --item product")
        visit.picture("by-customer")
        visit.click("Not right? Read it otherwise", "[role=button], .q-item")
        visit.click("A table: each row is a person", "[role=radio]")
        visit.click("Read again", "button")
        visit.until("200")
        visit.step("What must stay quiet")
        visit.until("Rule 1")
        visit.step("Open")
        visit.until("Choose data about people")
        visit.upload(tmp_path / "odd.csv")
        visit.until("What was read: odd.csv")
        visit.click("Not right? Read it otherwise", "[role=button], .q-item")
        visit.click("Baskets: each person has a set of items", "[role=radio]")
        visit.choose("How baskets lie in the file", "a person a line")
        visit.choose("Fields are apart by", "a bar |")
        visit.click("Read again", "button")
        visit.until("--layout baskets --delimiter '|'", "b;c")


def test_the_adversary_knows_what_is_absent_before_and_after(tmp_path: Path) -> None:
    """By hand: 20 of 80 have milk and no bread, and all of them have wine."""
    (tmp_path / "shop.csv").write_text(SHOP)
    with started(tmp_path) as studio, visited(studio, PICTURES / "absent", height=2400) as visit:
        opened(visit, tmp_path / "shop.csv")
        visit.write(
            "policy.toml", '[sensitive]\nitems = ["wine"]\n[threshold]\nrho = "0.7"\n[knowledge]\nabsent = "any"\n'
        )
        visit.until("The policy is complete")
        visit.step("The risk")
        visit.unfold("Play the adversary")
        visit.choose("and does not have", "bread")
        visit.until("The policy is about somebody who knows at least one item that the person has.")
        visit.choose("The person has", "milk")
        visit.until("20 people fit, of 80. You would be 100% sure: wine. The policy forbids that.")
        visit.step("Publish")
        visit.click("Protect and publish", "button")
        visit.until("The release is valid")
        visit.step("The risk")
        visit.choose("The person has", "milk")
        visit.choose("and does not have", "bread")
        visit.until("20 people fit, of 80. You would be 100% sure: wine. The policy forbids that.")
        answers = "[...document.querySelectorAll('.halves > *')].map((one) => one.innerText)"
        after = visit.tab.ask(answers)[1]
        assert "After protection" in after
        assert "forbids that" not in after or "Nothing can be inferred" in after
        assert "too sure" not in after
        visit.picture("after")


def test_tabs_and_users_do_not_see_each_other(tmp_path: Path) -> None:
    (tmp_path / "shop.csv").write_text(SHOP.replace("wine", "secret-wine"))
    with started(tmp_path) as studio, visited(studio) as mine, visited(studio) as yours:
        opened(mine, tmp_path / "shop.csv")
        mine.until("secret-wine")
        own = mine.tab.ask("location.href")
        yours.until("Your file")
        assert "shop.csv" not in yours.text().replace("studio/shop.csv", "")
        yours.tab.call("Page.navigate", url=own)
        yours.wait_for(lambda: yours.tab.ask("location.pathname") != own.partition("/s/")[2], "to be led elsewhere")
        yours.until("Your file")
        assert yours.tab.ask("location.href") != own
        assert "secret-wine" not in yours.text()
        mine.tab.call("Page.navigate", url=studio.address.partition("?")[0])  # another tab of mine
        mine.until("Your file")
        assert "secret-wine" not in mine.text()
        mine.tab.call("Page.navigate", url=own)
        mine.until("secret-wine")
