"""`sordino audit`: every option, exit codes, and the JSON names that pipelines rely on."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cli.shell import SHOP, Run, needs_terminal, on_terminal
from sordino import sample

BY_HAND = {
    "holds": False,
    "records": 6,
    "items": 4,
    "people_at_risk": 2,
    "exposure_by_knowledge": {"1": 2, "2": 0, "3": 0, "more": 0},
    "findings": [
        {
            "antecedent": ["a"],
            "absent": [],
            "consequent": "x",
            "support": 3,
            "with_consequent": 2,
            "confidence": pytest.approx(2 / 3),
            "people": 2,
        }
    ],
}


def test_a_broken_policy_exits_1_and_says_who_infers_what(run: Run, shop: Path, policy: Path) -> None:
    done = run("audit", shop, "--policy", policy)
    assert done.code == 1
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0] == "NOT SAFE: 2 of 6 people (33.3%) are at risk."
    assert ["a", "x", "2", "of", "3", "=", "66.7%", "2"] in [line.split() for line in lines]
    assert ["1", "item", "2", "33.3%"] in [line.split() for line in lines]
    assert lines[-1].split() == ["sordino", "protect", str(shop), "--policy", str(policy), "--out", "release"]


def test_a_policy_that_holds_exits_0(run: Run, shop: Path) -> None:
    done = run("audit", shop, "--sensitive", "x,y", "--rho", "2/3")  # at the threshold is not above it
    assert done.code == 0
    assert done.out.startswith("SAFE: no sensitive item can be inferred above its threshold.\n")
    assert "66.7%" in done.out
    assert "sordino verify" in done.out


def test_json_has_the_promised_names(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    assert run("audit", shop, "--policy", policy, "--json", out).code == 1
    result = json.loads(out.read_text())
    assert {name: result[name] for name in BY_HAND} == BY_HAND
    assert list(result["findings"][0]) == list(BY_HAND["findings"][0])  # type: ignore[index]
    assert result["proved_items"] + result["searched_items"] == 2
    assert result["seconds"] >= 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit.json", "policy.toml", "shop.csv"]


def test_json_to_standard_output_is_all_there_is(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    done = run("audit", shop, "--policy", policy, "--json", "-", "--proof", tmp_path / "p.gz")
    assert done.code == 1
    assert json.loads(done.out)["people_at_risk"] == 2
    assert "No proof was written" in done.err


def test_json_replaces_a_file_through_a_link(run: Run, shop: Path, policy: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    run("audit", shop, "--policy", policy, "--json", link)
    assert link.is_symlink()
    assert json.loads(real.read_text())["records"] == 6


def test_quiet_prints_nothing(run: Run, shop: Path, policy: Path) -> None:
    done = run("audit", shop, "--policy", policy, "--quiet")
    assert (done.code, done.out, done.err) == (1, "", "")


def test_sensitive_items_from_a_file(run: Run, shop: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("x\n\n y \n")
    done = run("audit", shop, "--sensitive", f"@{names}", "--rho", "50%", "--json", "-")
    assert json.loads(done.out)["sensitive_items"] == 2


@pytest.mark.parametrize("arguments", [("--knowledge", "1"), ("--jobs", "1"), ("--time-limit", "60"), ("--adaptive",)])
def test_options_that_do_not_change_this_answer(run: Run, shop: Path, arguments: tuple[str, ...]) -> None:
    done = run("audit", shop, "--sensitive", "x", "--rho", "0.5", "--json", "-", *arguments)
    assert (done.code, json.loads(done.out)["people_at_risk"]) == (1, 2)


def test_knowledge_limits_what_is_asked(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"  # only both a and b give x away
    data.write_text("a,b,x\na,c\nb,c\na\nb\n")
    options = ("--sensitive", "x", "--rho", "0.5")
    assert run("audit", data, *options, "--knowledge", "1").code == 0
    limited = run("audit", data, *options, "--knowledge", "2")
    assert limited.code == 1
    assert ["2", "items", "1", "20.0%"] in [line.split() for line in limited.out.splitlines()]
    assert "more items" not in limited.out
    assert "at most 2 items of a person's record" in limited.out


def test_adaptive_raises_the_threshold_of_frequent_items(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"  # F(x) = 0.8: threshold 0.3 + 0.4 = 0.7; conf(a -> x) = 2/3
    data.write_text("a,x\na,x\na\n" + "x\n" * 6 + "b\n")
    options = ("--sensitive", "x", "--rho", "0.3")
    assert run("audit", data, *options).code == 1
    done = run("audit", data, *options, "--adaptive")
    assert done.code == 0
    assert "Everyone can guess 'x': 80.0% of all people have it, and its threshold is 70%." in done.out


def test_top_bounds_the_findings(run: Run) -> None:
    pharmacy, required = sample.path("pharmacy.csv"), sample.path("pharmacy_policy.toml")
    done = run("audit", pharmacy, "--policy", required, "--json", "-", "--top", "3")
    assert len(json.loads(done.out)["findings"]) == 3
    none = run("audit", pharmacy, "--policy", required, "--top", "0")
    assert none.code == 1
    assert "the findings about most people first" not in none.out


def test_a_time_limit_that_leaves_all_open_is_not_an_answer(run: Run) -> None:
    pharmacy, required = sample.path("pharmacy.csv"), sample.path("pharmacy_policy.toml")
    options = ("--policy", required, "--time-limit", "0")
    told = run("audit", pharmacy, *options, "--json", "-")
    assert told.code == 3
    bounded = json.loads(told.out)
    assert (bounded["answer"], bounded["holds"], bounded["people_at_risk"]) == ("not checked", False, 0)
    assert bounded["unchecked"]
    assert not any(bounded["exact"].values())
    done = run("audit", pharmacy, *options)
    assert done.code == 3
    assert done.out.startswith("NOT CHECKED")
    assert "What stayed open" in done.out
    assert "SAFE:" not in done.out
    enough = run("audit", pharmacy, "--policy", required, "--time-limit", "600")
    assert enough.code == 1
    assert "What stayed open" not in enough.out


def test_standard_input_and_gzip(run: Run, policy: Path) -> None:
    plain = run("audit", "-", "--policy", policy, stdin=SHOP.encode())
    assert "standard input: 6 records" in plain.out
    zipped = run("audit", "-", "--policy", policy, "--json", "-", stdin=gzip.compress(SHOP.encode()))
    assert json.loads(zipped.out)["people_at_risk"] == 2


def test_layout_and_columns(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "long.csv"
    data.write_text("what,who\na,1\nx,1\na,2\nx,2\na,3\n")
    options = ("--sensitive", "x", "--rho", "0.5", "--json", "-")
    done = run("audit", data, *options, "--layout", "long", "--record", "who", "--item", "what")
    assert json.loads(done.out)["records"] == 3
    fimi = tmp_path / "records.txt"
    fimi.write_text("a x\na x\na\n")
    assert json.loads(run("audit", fimi, *options, "--layout", "fimi").out)["people_at_risk"] == 2


def test_repeated_items_are_remarked(run: Run, tmp_path: Path, policy: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("a,a,x\na\nb,y\nb\n")
    assert "1 item was repeated within its record; it counts once." in run("audit", data, "--policy", policy).out


def test_missing_items_are_a_problem_unless_allowed(run: Run, shop: Path) -> None:
    options = ("--sensitive", "x,zzz", "--rho", "0.9")
    refused = run("audit", shop, *options)
    assert refused.code == 2
    assert "'zzz' occurs in no record" in refused.err
    assert "--allow-missing" in refused.err
    allowed = run("audit", shop, *options, "--allow-missing")
    assert allowed.code == 0
    assert "1 sensitive item occurs in no record" in allowed.out


def test_names_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("a\x1b[31m[bold],x\na\x1b[31m[bold],x\nb\n")
    done = run("audit", data, "--sensitive", "x", "--rho", "0.5")
    assert "\x1b" not in done.out
    assert "a\\x1b[31m[bold]" in done.out


def test_piped_output_is_plain_and_never_wrapped(run: Run, tmp_path: Path) -> None:
    long = "w" * 200
    data = tmp_path / "d.csv"
    data.write_text(f"{long},x\n{long},x\nb\n")
    done = run("audit", data, "--sensitive", "x", "--rho", "0.5")
    assert done.out.isascii()
    assert any(line.split() == [long, "x", "2", "of", "2", "=", "100%", "2"] for line in done.out.splitlines())


@needs_terminal
def test_on_a_terminal_it_is_a_table(shop: Path, policy: Path) -> None:
    code, text = on_terminal("-m", "sordino", "audit", shop, "--policy", policy)
    assert code == 1
    assert "NOT SAFE" in text
    assert "───" in text
