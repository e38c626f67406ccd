"""The commands under absent = "any": what they say, what they refuse; and what every other audit says of absence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sordino
from cli.shell import Run
from sordino.report.documents import Source, audit_report

POLICY = 'kind = "inference"\n[sensitive]\nitems = ["x"]\n[threshold]\nrho = "1/2"\n'
ABSENT = POLICY + '[knowledge]\nabsent = "any"\n'
MILK = "bread,x\nbread,milk\nbread,milk,eggs\n"  # whoever knows that there was no milk knows all


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    path.write_text(MILK)
    return path


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "absent.toml"
    path.write_text(ABSENT)
    return path


def test_an_audit_says_what_must_be_absent(run: Run, shop: Path, policy: Path) -> None:
    done = run("audit", shop, "--layout", "baskets", "--policy", policy)
    assert done.code == 1
    assert done.out.startswith("NOT SAFE: 1 of 3 people (33.3%) is at risk.")
    assert "bread + no milk" in done.out
    assert "and whatever is not in it," in done.out
    rows = [line.split() for line in done.out.splitlines()]
    assert ["none", "0", "0%"] in rows
    assert ["1", "item", "1", "33.3%"] in rows
    assert "By twins: 1 item." in done.out


def test_every_other_audit_tells_of_it_in_a_line(run: Run, shop: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.toml"
    plain.write_text(POLICY)
    done = run("audit", shop, "--layout", "baskets", "--policy", plain)
    assert done.code == 0
    assert "one item that a person lacks would put at least 1 person at risk" in done.out
    shop.write_text("bread,x\nbread,x\nbread\nmilk,x\nmilk,eggs\n")
    done = run("audit", shop, "--layout", "baskets", "--policy", plain)
    assert done.code == 1
    assert "one item that a person lacks would put at least 1 more person at risk" in done.out
    shop.write_text("bread,x\nbread\n")
    done = run("audit", shop, "--layout", "baskets", "--policy", plain)
    assert "would expose nobody more" in done.out


def test_the_result_as_json(run: Run, shop: Path, policy: Path) -> None:
    done = run("audit", shop, "--layout", "baskets", "--policy", policy, "--json", "-")
    result = json.loads(done.out)
    assert (result["absent"], result["exposure_by_absence"]) == ("any", {"0": 0, "1": 1, "2": 0, "more": 0})
    assert result["findings"][0]["absent"] == ["milk"]
    assert result["answer"] == "fails"


def test_protect_takes_twins_and_verify_counts(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("protect", shop, "--layout", "baskets", "--policy", policy, "--out", out)
    assert (done.code, done.err) == (0, "")
    assert "Method: twins." in done.out
    assert "known to be absent" in done.out
    assert not (out / "publish" / "proof.json.gz").exists()
    verified = run("verify", out)
    assert verified.code == 0
    assert "whatever is known of a person's other items" in verified.out
    assert run("verify", out, "--policy", policy).code == 0
    house = (out / "keep" / "report.html").read_text()
    assert "by how few absences someone must know" in house
    assert "knows that there is no milk" in house
    again = run("audit", out, "--policy", policy)
    assert again.code == 0


def test_other_methods_are_refused(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    done = run("protect", shop, "--layout", "baskets", "--policy", policy, "--out", tmp_path / "o", "--method", "mine")
    assert done.code == 2
    assert "twins" in done.err
    assert not (tmp_path / "o").exists()


def test_there_is_no_proof_to_write(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    done = run("audit", shop, "--layout", "baskets", "--policy", policy, "--proof", tmp_path / "proof.json.gz")
    assert done.code == 2
    assert "there are no proofs for" in done.err


def test_compare_shows_the_price_of_the_promise(run: Run, policy: Path, tmp_path: Path) -> None:
    shop = tmp_path / "shop.csv"
    shop.write_text("bread,x\nbread,milk\nbread,milk,eggs\nbread\nmilk,x\nmilk\nmilk,eggs\neggs,x\n")
    found = sordino.compare(shop, policy)
    cells = {cell.method: cell for cell in found.cells}
    assert list(cells) == ["twins", "mine", "dist"]
    assert cells["twins"].weaker == ""
    assert "does not have" in cells["mine"].weaker
    loss = {name: cell.loss for name, cell in cells.items()}
    assert loss["twins"] is not None
    assert loss["mine"] is not None
    assert loss["twins"] > loss["mine"]
    done = run("compare", shop, "--layout", "baskets", "--policy", policy)
    assert "weaker guarantee" in done.out


@pytest.mark.parametrize("limit", [0.0, 1e-9])
def test_no_time_is_no_answer(shop: Path, policy: Path, limit: float) -> None:
    result = sordino.audit(shop, policy, time_limit=limit)
    assert not result.holds
    assert result.unchecked


def test_a_report_of_an_audit(policy: Path) -> None:
    records = [{"bread", "x"}, {"bread", "milk"}, {"bread", "eggs"}]
    result = sordino.audit(records, sordino.read_policy(policy))
    page = audit_report(result.to_dict(), Source("shop.csv"), sordino.read_policy(policy))
    assert "there is no eggs and no milk" in page
    assert "by how few absences someone must know" in page
    assert "0 with none; 0 with 1 item; 1 with 2 items" in page
    assert "compared with their twins" in page
    assert "By twins: 1 item." in page
    assert result._repr_html_()
