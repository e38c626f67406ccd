"""mine, audit, protect, verify and measure on grouped tables, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from cli.shell import Run
from diseased import QUASI, people, write_people

MINE = ["--negative", "--sensitive", "Disease", "--quasi", ",".join(QUASI)]


def test_mine_writes_rules_that_a_policy_takes_back(tmp_path: Path, run: Run) -> None:
    data, policy = write_people(tmp_path)
    out = tmp_path / "rules.csv"
    done = run("rules", str(data), *MINE, "--hierarchy", f"Age={tmp_path / 'age.json'}", "--max-conditions", "1",
               "--out", str(out))  # fmt: skip
    assert done.code == 0, done.err
    assert "Nobody with Sex = M has ovarian." in done.out
    assert out.read_text(encoding="utf-8").splitlines()[0].endswith("not Disease,people,exceptions,expectation")
    policy.write_text(
        policy.read_text(encoding="utf-8").replace("mined = true", 'mined = false\nrules = "rules.csv"'),
        encoding="utf-8",
    )
    done = run("protect", str(data), "--policy", str(policy), "--out", str(tmp_path / "out"))
    assert done.code == 0, done.err
    known = json.loads((tmp_path / "out" / "publish" / "knowledge.json").read_text(encoding="utf-8"))
    assert len(known["rules"]) == len(out.read_text(encoding="utf-8").splitlines()) - 1
    out.write_text(out.read_text(encoding="utf-8").replace("ovarian", "ovarain"), encoding="utf-8")
    done = run("audit", str(data), "--policy", str(policy))
    assert done.code == 2
    assert "excludes 'ovarain', which nobody has." in done.err
    assert "ovarian'" not in done.err


def test_mine_as_json_and_its_mistakes(tmp_path: Path, run: Run) -> None:
    data, _ = write_people(tmp_path)
    done = run("rules", str(data), *MINE, "--json", "-", "--all", "--min-expectation", "0.95", "--fuzzy", "")
    assert done.code == 0, done.err
    content = json.loads(done.out)
    assert content["all"] is True
    assert content["rules"]
    for words, part in (
        (["--hierarchy", "Age"], "COLUMN=FILE"),
        (["--hierarchy", "Aeg=x.csv"], "Did you mean 'Age'"),
        (["--min-expectation", "2"], "not between 0 and 1"),
        (["--min-confidence", "x"], "not a number"),
        (["--out", str(tmp_path / "rules.txt")], ".csv or .json"),
        (["--out", str(data)], "people.csv"),
        (["--fuzzy", "Town"], "has no hierarchy"),
    ):
        done = run("rules", str(data), *MINE, *words)
        assert done.code == 2, words
        assert part in done.err, words
    done = run("rules", str(data), "--sensitive", "Illness", "--quasi", "Age")
    assert done.code == 2
    assert "no column 'Illness'" in done.err


def test_audit_protect_verify_measure(tmp_path: Path, run: Run) -> None:
    data, policy = write_people(tmp_path)
    done = run("audit", str(data), "--policy", str(policy))
    assert done.code == 1
    assert done.out.startswith("NOT SAFE: ")
    out = tmp_path / "out"
    done = run("protect", str(data), "--policy", str(policy), "--out", str(out), "--form", "tables", "-o", "alike=no")
    assert f"Read the report: {out}/keep/report.html" in done.out.replace("\n    ", " ")
    assert (out / "keep" / "report.html").exists()
    assert done.code == 0, done.err
    assert done.out.startswith("SAFE now: everybody has at least 3 possible values for someone who knows the 14 rules.")
    assert {path.name for path in (out / "publish").iterdir()} >= {
        "README.txt", "check.html", "data.csv", "knowledge.json", "manifest.json", "values.csv",
    }  # fmt: skip
    done = run("verify", str(out))
    assert done.code == 0, done.out
    assert "everybody has at least" in done.out
    done = run("verify", str(out), "--policy", str(policy))  # whether the published rules are all is not known
    assert done.code == 3, done.out
    assert done.out.startswith("NOT CHECKED: ")
    done = run("verify", str(out), "--policy", str(policy), "--original", str(data))
    assert done.code == 0, done.out + done.err
    done = run("audit", str(out), "--policy", str(policy), "--original", str(data), "--json", "-")
    assert done.code == 0
    assert json.loads(done.out)["matching_l_diversity"] >= 3
    done = run("measure", str(data), str(out))
    assert done.code == 0, done.err
    assert "groups of" in done.out
    again = run("protect", str(data), "--policy", str(policy), "--out", str(out))
    assert again.code == 2
    assert "--force" in again.err


def test_audit_of_two_foreign_tables(tmp_path: Path, run: Run) -> None:
    data, policy = write_people(tmp_path)
    rows = people()
    quasi, values = tmp_path / "qit.csv", tmp_path / "st.csv"
    quasi.write_text(
        "Age,Sex,Town,G\n" + "".join(f"{r['Age']},{r['Sex']},{r['Town']},{k % 30}\n" for k, r in enumerate(rows))
    )
    values.write_text("G,Disease\n" + "".join(f"{k % 30},{r['Disease']}\n" for k, r in enumerate(rows)))
    words = ["--policy", str(policy), "--group", "G", "--values", str(values)]
    done = run("audit", str(quasi), *words, "--original", str(data))
    assert done.code == 1
    assert "Once one knows that {Sex=" in done.out
    done = run("audit", str(quasi), *words)
    assert done.code == 2
    assert "--original" in done.err
    done = run("audit", str(quasi), "--policy", str(policy), "--values", str(values))
    assert done.code == 2
    assert "--group" in done.err
    done = run("audit", str(quasi), *words[:2], "--group", "H")
    assert done.code == 2
    assert "no column 'H'" in done.err


def test_no_cell_of_the_data_in_an_error(tmp_path: Path, run: Run) -> None:
    data, policy = write_people(tmp_path, l=7)
    done = run("protect", str(data), "--policy", str(policy), "--out", str(tmp_path / "out"))
    assert done.code == 2
    assert "largest l that can be had is" in done.err
    assert "migraine" not in done.err
    assert not (tmp_path / "out").exists()


def test_what_is_grouped_already_is_made_anew_from_the_original(tmp_path: Path, run: Run) -> None:
    data, policy = write_people(tmp_path)
    mined = policy.read_text(encoding="utf-8")
    policy.write_text(mined.replace("mined = true", "mined = false"), encoding="utf-8")
    head, *rows = data.read_text(encoding="utf-8").splitlines()
    grouped = tmp_path / "grouped.csv"
    grouped.write_text("\n".join([f"{head},G", *(f"{row},{k}" for k, row in enumerate(rows))]) + "\n", encoding="utf-8")
    told = run("audit", str(grouped), "--group", "G", "--policy", str(policy))
    assert told.code == 1
    assert "sordino protect ORIGINAL --policy" in told.out
    policy.write_text(mined, encoding="utf-8")
    told = run("audit", str(grouped), "--group", "G", "--original", str(data), "--policy", str(policy))
    assert f"sordino protect {data} --policy" in told.out


def test_the_old_name_of_rules_says_so_and_goes_on(tmp_path: Path, run: Run) -> None:
    data, _ = write_people(tmp_path)
    words = (str(data), "--sensitive", "Disease", "--quasi", "Sex", "--json", "-")
    new, old = run("rules", *words), run("mine", *words)
    assert "'sordino rules'" in old.err
    assert (old.code, json.loads(old.out)["rules"]) == (0, json.loads(new.out)["rules"])
    assert "mine" not in run("--help").out


def test_rules_says_what_a_policy_would_mine(tmp_path: Path, run: Run) -> None:
    data, _ = write_people(tmp_path)
    lower = (*MINE, "--min-expectation", "0.5")
    assert "max_conditions = 0" in run("rules", str(data), *lower).out
    assert "max_conditions" not in run("rules", str(data), *lower, "--max-conditions", "1").out


def test_rules_of_the_original_are_looked_for_in_it_or_said_to_be_open(tmp_path: Path, run: Run) -> None:
    """Not in a table of other people, which teaches other rules, and never in what the publisher chose to list."""
    data, policy = write_people(tmp_path)
    out = tmp_path / "out"
    assert run("protect", str(data), "--policy", str(policy), "--out", str(out), "--quiet").code == 0
    done = run("audit", str(out), "--policy", str(policy))
    assert (done.code, done.out[:12]) == (3, "NOT CHECKED:")
    assert "--original DATA" in done.out
    assert json.loads(run("audit", str(out), "--policy", str(policy), "--json", "-").out)["answer"] == "not checked"
    assert run("audit", str(out), "--policy", str(policy), "--original", str(data)).code == 0
    other = tmp_path / "other.csv"
    for old, new, what in (("flu", "cold", "values"), (",Aa,", ",Bb,", "people")):
        other.write_text(data.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        done = run("audit", str(out), "--policy", str(policy), "--original", str(other))
        assert (done.code, f"lacks 1 of their {what}" in done.err) == (2, True), done.err
        done = run("verify", str(out), "--policy", str(policy), "--original", str(other))
        assert (done.code, f"lacks 1 of their {what}" in done.out) == (1, True), done.out
    plain = tmp_path / "plain.toml"
    plain.write_text(policy.read_text(encoding="utf-8").replace("mined = true", "mined = false"), encoding="utf-8")
    done = run("audit", str(out), "--policy", str(plain), "--original", str(data))
    assert (done.code, "of use only" in done.err) == (2, True)
    done = run("verify", str(out), "--original", str(data))
    assert (done.code, "--original is of no use here" in done.err) == (2, True)
