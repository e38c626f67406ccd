"""`sordino measure`: options, exit codes, and the JSON names that pipelines rely on."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import sordino
from cli.shell import Run, needs_terminal, on_terminal


@pytest.fixture
def after(tmp_path: Path) -> Path:
    """The shop with x gone from its first record: as safe as the policy wants it."""
    path = tmp_path / "after.csv"
    path.write_text("a\na,x\na\nb,y\nb\n\n")
    return path


def test_the_page(run: Run, shop: Path, after: Path, policy: Path) -> None:
    pytest.importorskip("fim")
    done = run("measure", shop, after, "--policy", policy)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "1 of 8 entries (12.5%) were deleted."
    assert "6 records, 1 of them changed and 0 emptied; 4 items, 0 of them vanished." in done.out
    words = [line.split() for line in lines]
    assert ["sensitive", "100%", "of", "what", "was", "deleted"] in words
    assert ["x", "2", "1", "1", "50.0%"] in words  # before, after, deleted
    assert ["2", "3", "2", "1", "16.7%"] in words  # three pairs, one of which lost an item
    # x -> a and y -> b; what points to x or y is sensitive, and not counted
    assert [">=", "70.0%", "2", "2", "2", "0", "0", "1.000"] in words
    assert "Non-sensitive rules that hold for at least 1 of 6 records of at most 5 items" in done.out


def test_json_has_the_promised_names(run: Run, shop: Path, after: Path, tmp_path: Path) -> None:
    pytest.importorskip("fim")
    out = tmp_path / "cost.json"
    done = run("measure", shop, after, "--sensitive", "x,y", "--rho", "0.5", "--json", out)
    assert done.code == 0
    cost = json.loads(out.read_text())
    assert {"records": 6, "occurrences": 8, "left": 7, "ns": 0.125, "remarks": []}.items() <= cost.items()
    # one alibi is there for everybody's x (record 3) and y (record 5), seen one by one; but some rule fails
    assert (cost["lower_bound"], cost["lower_bound_deletions"]) == (0.125, 1)
    assert set(cost) == {
        "read_as",
        "read_because",
        "doubts",
        "records",
        "occurrences",
        "left",
        "ns",
        "kl",
        "symmetric_kl",
        "ns_times_kl",
        "ns_over_jaccard",
        "lower_bound",
        "lower_bound_deletions",
        "rules",
        "loss",
        "anonymity",
        "remarks",
    }
    assert [change["confidence"] for change in cost["rules"]["changes"]] == ["3/10", "7/10"]
    assert cost["loss"]["by_item"][2] == {"item": "x", "original": 2, "left": 1, "share": 0.5}


def test_json_to_standard_output_is_all_there_is(run: Run, shop: Path, after: Path) -> None:
    done = run("measure", shop, after, "--no-rules", "--no-bound", "--json", "-", "--sensitive", "x", "--rho", "1/2")
    assert (done.code, done.err) == (0, "")
    cost = json.loads(done.out)
    assert (cost["rules"], cost["lower_bound"], cost["loss"]["sensitive_deleted"]) == (None, None, 1)


def test_without_a_policy(run: Run, shop: Path, after: Path) -> None:
    done = run("measure", shop, after, "--no-rules", "--top", "0")
    assert done.code == 0
    assert not any(word in done.out for word in ("sensitive", "at least", "Items that lost most", "rules"))


def test_standard_input(run: Run, shop: Path, after: Path) -> None:
    done = run("measure", "-", after, "--no-rules", stdin=shop.read_bytes())
    assert done.out.startswith("1 of 8 entries")
    assert "standard input -> " in done.out
    assert run("measure", "-", "-").code == 2


def test_a_release_folder_brings_its_policy(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    released = sordino.protect(shop, sordino.read_policy(policy), ids="renumber")
    folder = released.write(tmp_path / "release")
    for source in (folder, folder / "publish"):
        done = run("measure", shop, source, "--no-rules", "--json", "-")
        assert done.code == 0, done.err
        cost = json.loads(done.out)
        assert cost["ns"] == released.deletions / 8
        assert cost["loss"]["sensitive_occurrences"] == 3
        assert cost["lower_bound"] is not None
    assert (cost.pop("doubts"), cost.pop("read_because")[:5]) == ([], "Why: ")
    assert cost.pop("read_as").startswith("Read as baskets: one line is one person; 6 records")
    assert sordino.measure(shop, folder, rules=False).to_dict() == cost


def test_a_long_table_in_a_release_is_read_as_its_manifest_says(run: Run, policy: Path, tmp_path: Path) -> None:
    source = tmp_path / "long.csv"
    source.write_text("who,what\n7,a\n7,x\n5,a\n3,b\n3,y\n1,b\n")
    data = sordino.read_baskets(source, record="who", item="what")
    folder = sordino.protect(data, sordino.read_policy(policy)).write(tmp_path / "release")
    done = run("measure", source, folder, "--record", "who", "--item", "what", "--no-rules", "--json", "-")
    assert done.code == 0, done.err
    assert json.loads(done.out)["records"] == 4


@pytest.mark.parametrize("name", ["empty", "release"])
def test_a_folder_that_is_no_release(run: Run, shop: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    (folder / "publish").mkdir(parents=True)
    if name == "release":
        (folder / "publish" / "manifest.json").write_text("{}")
    done = run("measure", shop, folder)
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert str(folder) in done.err
    assert "bug" not in done.err


def test_other_records_are_refused_with_advice_and_without_contents(run: Run, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("b\na,x\na\nb,y\nb\n\n")
    done = run("measure", shop, other)
    assert (done.code, done.out) == (2, "")
    assert "1 record has items after that are not there before (the first is record 1)" in done.err
    assert "--unpaired" in done.err
    done = run("measure", shop, other, "--unpaired")
    assert done.code == 0
    assert done.out.startswith("8 entries before, 7 after.")
    assert "not paired" in done.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--rho", "0.5"), "--sensitive is missing"),
        (("--sensitive", "z", "--rho", "0.5"), "occurs in no record"),
        (("--sensitive", "x", "--rho", "2"), "not between 0 and 1"),
        (("--layout", "wide"), "no layout"),
    ],
)
def test_bad_usage_exits_2(run: Run, shop: Path, after: Path, arguments: tuple[str, ...], told: str) -> None:
    done = run("measure", shop, after, *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_an_input_is_never_overwritten(run: Run, shop: Path, after: Path) -> None:
    content = after.read_bytes()
    assert run("measure", shop, after, "--json", after).code == 2
    assert after.read_bytes() == content


def test_rising_thresholds_have_a_bound(run: Run, tmp_path: Path) -> None:
    path, policy = tmp_path / "x.csv", tmp_path / "policy.toml"
    path.write_text("a,b,x\na,b\n")
    policy.write_text('kind = "inference"\n[sensitive]\nitems = ["x"]\n[threshold]\nrho = "0.5"\nadaptive = "-0.1"\n')
    done = run("measure", path, path, "--policy", policy, "--no-rules")
    assert "There is no lower bound" not in done.out  # 0.45 now, and never more
    assert "Less was deleted than any safe version takes" in done.out
    assert done.out.startswith("Nothing was deleted.")


def test_without_the_library_for_rules(run: Run, shop: Path, after: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fim", None)
    done = run("measure", shop, after)
    assert done.code == 0
    assert "pip install 'sordino[rules]'" in done.out


@needs_terminal
def test_on_a_terminal_it_is_a_table(shop: Path, after: Path) -> None:
    code, out = on_terminal("-m", "sordino", "measure", shop, after, "--no-rules")
    assert code == 0
    assert "\x1b[" in out
    assert "━" in out or "─" in out
