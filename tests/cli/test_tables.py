"""Tables on the command line: the same commands, exit codes and manners as for baskets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sordino
from bank import BANK, COLUMNS
from cli.shell import Run, Spawn

POLICY = """kind = "template"
class = "Rating"
[[template]]
given = ["Job", "Country"]
value = { Bankruptcy = "Discharged" }
at_most = "0.75"
"""


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.csv"
    path.write_text("\n".join([",".join(COLUMNS), *(",".join(row.values()) for row in BANK)]) + "\n")
    return path


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "template.toml"
    path.write_text(POLICY)
    return path


def test_audit(run: Run, bank: Path, template: Path, tmp_path: Path) -> None:
    told = run("audit", bank, "--policy", template, "--json", tmp_path / "a.json")
    assert told.code == 1
    assert told.out.startswith("NOT SAFE: 4 of 24 people (16.7%) are at risk.\n")
    assert "Job = Trader + Country = UK  Bankruptcy = Discharged  4 of 5 = 80.0%" in told.out
    assert f"sordino protect {bank} --policy {template} --out release" in told.out
    written = json.loads((tmp_path / "a.json").read_text())
    assert (written["kind"], written["holds"], written["people_at_risk"]) == ("template", False, 4)
    assert written["templates"][0]["above"] == {"10": 2, "30": 1, "50": 1, "70": 1, "90": 0}
    printed = run("audit", bank, "--policy", template, "--json", "-")
    assert {**json.loads(printed.out), "seconds": 0} == {**written, "seconds": 0}
    quiet = run("audit", bank, "--policy", template, "--quiet")
    assert (quiet.code, quiet.out) == (1, "")


@pytest.mark.parametrize("ids", [None, "shuffle", "renumber", "keep"])
def test_ids_of_tables(run: Run, bank: Path, template: Path, tmp_path: Path, ids: str | None) -> None:
    out = tmp_path / "out"
    more = () if ids is None else ("--ids", ids)
    assert run("protect", bank, "--policy", template, "--out", out, "--seed", 3, *more).code == 0
    before, after = (path.read_text().splitlines()[1:] for path in (bank, out / "publish" / "data.csv"))
    ends = [[line.split(",")[2:] for line in lines] for lines in (before, after)]
    assert sorted(ends[0]) == sorted(ends[1])
    shuffled = ids in (None, "shuffle")
    assert (ends[0] != ends[1]) == shuffled
    assert (out / "keep" / "records.parquet").exists() == shuffled
    words = " ".join((out / "publish" / "README.txt").read_text().split())
    assert ("Rows are in random order" in words) == shuffled
    assert run("verify", out, "--policy", template).code == 0
    cost = json.loads(run("measure", bank, out, "--policy", template, "--json", "-").out)
    assert cost["cells"] == json.loads((out / "keep" / "audit.json").read_text())["utility"]["cells"]


def test_audit_of_what_is_safe(run: Run, bank: Path, template: Path) -> None:
    template.write_text(POLICY.replace("0.75", "0.8"))
    told = run("audit", bank, "--policy", template)
    assert told.code == 0
    assert told.out.startswith("SAFE: no sensitive value can be inferred above its threshold.\n")


def test_audit_says_what_can_never_hold_and_what_is_implied(run: Run, bank: Path, template: Path) -> None:
    second = POLICY[POLICY.index("[[") :].replace('"Job", "Country"', '"Job"').replace("0.75", "0.8")
    template.write_text(POLICY.replace("0.75", "0.2") + second)
    told = run("audit", bank, "--policy", template)
    assert "Template 1 can never hold, whatever is suppressed; it could with at_most = 5/24 or more." in told.out
    assert "Template 2 follows from the others." in told.out
    failed = run("protect", bank, "--policy", template, "--out", bank.parent / "out")
    assert (failed.code, failed.out) == (2, "")
    assert "at_most must be 5/24 or more" in failed.err
    assert not (bank.parent / "out").exists()


def test_the_way_from_data_to_a_verified_release(run: Run, bank: Path, template: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = run("protect", bank, "--policy", template, "--out", out)
    assert f"Read the report: {out}/keep/report.html" in told.out.replace("\n    ", " ")
    assert (out / "keep" / "report.html").exists()
    assert told.code == 0, told.err
    assert told.out.startswith("SAFE now: 4 of 24 people (16.7%) were at risk before, nobody is now.\n")
    verified = run("verify", out)
    assert verified.code == 0
    assert verified.out.startswith("The release is valid: no sensitive value can be inferred above its threshold.\n")
    assert run("verify", out, "--policy", template).code == 0
    assert run("audit", out / "publish" / "data.csv", "--policy", template).code == 0
    measured = run("measure", bank, out)
    assert measured.code == 0
    assert "of the cells are kept" in measured.out
    assert json.loads(run("measure", bank, out, "--json", "-").out)["cells"]["cells"] == 48
    again = run("protect", bank, "--policy", template, "--out", out)
    assert again.code == 2
    assert "already there" in again.err
    assert run("protect", bank, "--policy", template, "--out", out, "--force", "--quiet").out == ""
    with open(out / "publish" / "data.csv", "a") as file:
        file.write("Cook,US,No,Current,Bad\n")
    broken = run("verify", out)
    assert broken.code == 1
    assert (
        broken.out
        == "The release is NOT valid: data.csv was changed: it is not the file that the manifest describes.\n"
    )


def test_options_of_methods(run: Run, bank: Path, template: Path, tmp_path: Path) -> None:
    command = ("protect", bank, "--policy", template, "--quiet")
    assert run(*command, "--out", tmp_path / "a", "--option", "then-maximal=true").code == 0
    history = json.loads((tmp_path / "a" / "keep" / "audit.json").read_text())
    assert history["options"] == {"then_maximal": True}
    assert "not of the form NAME=VALUE" in run(*command, "--out", tmp_path / "b", "-o", "x").err
    assert "no option 'speed'" in run(*command, "--out", tmp_path / "b", "-o", "speed=9").err
    assert "for policies of kind inference" in run(*command, "--out", tmp_path / "b", "--method", "mine").err


def test_then_maximal_goes_on_where_the_class_is_known(run: Run, bank: Path, template: Path, tmp_path: Path) -> None:
    """Once only one rating is left behind the symbol, nothing more is shown; unless one asks for it."""
    template.write_text(POLICY.replace("0.75", "0.7"))
    command = ("protect", bank, "--policy", template, "--quiet")
    assert run(*command, "--out", tmp_path / "a").code == 0
    assert run(*command, "--out", tmp_path / "b", "--then-maximal").code == 0
    some, more = (sordino.read_table(tmp_path / name / "publish" / "data.csv") for name in "ab")
    assert "Trader" not in some.column("Job").texts
    assert {"Trader", "Clerk"} <= set(more.column("Job").texts)  # 4 of 6 traders, whatever their country
    assert json.loads((tmp_path / "b" / "keep" / "audit.json").read_text())["options"] == {"then_maximal": True}
    refused = run(*command, "--out", tmp_path / "c", "--method", "disclosure-local", "--then-maximal")
    assert refused.code == 2
    assert "then_maximal" in refused.err


def test_standard_input_and_reading_options(run: Run, bank: Path, template: Path) -> None:
    text = bank.read_text().replace(",", "|").replace("Never", "none")
    command = ("audit", "-", "--policy", template, "--delimiter", "|", "--null", "none", "--null", "")
    told = run(*command, stdin=text.encode())
    assert told.code == 1
    assert "standard input: 24 rows" in told.out
    assert "--delimiter '|' --null none --null ''" in told.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--layout", "long"], "--layout is for files of baskets"),
        (["--record", "Job", "--item", "Child"], "--record and --item are of no use here"),
        (["--time-limit", "3"], "--time-limit is for baskets"),
        (["--sensitive", "a"], "--policy cannot be combined with --sensitive"),
    ],
    ids=["layout", "columns", "time", "sensitive"],
)
def test_options_that_are_for_baskets(run: Run, bank: Path, template: Path, arguments: list[str], message: str) -> None:
    told = run("audit", bank, "--policy", template, *arguments)
    assert (told.code, told.out) == (2, "")
    assert message in told.err


def test_commands_that_know_only_baskets(run: Run, bank: Path, template: Path, tmp_path: Path) -> None:
    told = run("verify", bank, "--policy", template, "--proof", tmp_path / "p")
    assert told.code == 2
    assert "only baskets have proofs beside them" in told.err


HOSTILE = {
    "no such file": (None, "there is no such file"),
    "empty": (b"", "the file is empty"),
    "ragged": (b"Job,Country,Bankruptcy,Rating\nCook,US,secret\n", "4 fields, this row has 3"),
    "no such column": (b"Jop,Country,Bankruptcy,Rating\nsecret,US,Discharged,Good\n", "Did you mean 'Jop'"),
    "no such value": (b"Job,Country,Bankruptcy,Rating\nsecret,US,discharged,Good\n", "does not occur in the column"),
    "binary": (b"\x00\x01\x02", "binary content"),
    "Parquet": (b"PAR1secret", "Parquet"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("command", ["audit", "protect"])
def test_hostile_input_is_one_clear_error(run: Run, template: Path, tmp_path: Path, name: str, command: str) -> None:
    content, message = HOSTILE[name]
    path = tmp_path / "hostile.csv"
    if content is not None:
        path = tmp_path / ("hostile.parquet" if content.startswith(b"PAR1") else "hostile.csv")
        path.write_bytes(content)
    out = ("--out", tmp_path / "out") if command == "protect" else ()
    told = run(command, path, "--policy", template, *out)
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("Error: ")
    assert message in told.err
    assert "secret" not in told.err
    assert "Traceback" not in told.err


def test_a_policy_with_many_problems(run: Run, bank: Path, template: Path) -> None:
    template.write_text(POLICY.replace("Job", "Jop").replace("Discharged", "Discharge").replace("Rating", "Ratng"))
    told = run("audit", bank, "--policy", template)
    assert told.code == 2
    for part in ("'Jop'. Did you mean 'Job'?", "'Ratng'. Did you mean 'Rating'?", "'Discharge' does not occur"):
        assert part in told.err
    assert "Discharged" not in told.err  # a value of the data, not a column
    assert str(template) in told.err


def test_a_database_as_source(run: Run, bank: Path, template: Path, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "bank.db")) as base:
        base.execute(f"CREATE TABLE people AS SELECT * FROM read_csv('{bank}')")
    source = f"duckdb:{tmp_path}/bank.db?table=people"
    assert run("audit", source, "--policy", template).out.startswith("NOT SAFE: 4 of 24 people")
    out = tmp_path / "out"
    assert run("protect", source, "--policy", template, "--out", out, "--quiet").code == 0
    assert (out / "publish" / "data.parquet").is_file()
    assert run("verify", out).code == 0
    for wrong in (f"duckdb:{tmp_path}/none.db?table=people", f"duckdb:{tmp_path}/bank.db?table=nobody", "duckdb:x"):
        told = run("audit", wrong, "--policy", template)
        assert (told.code, told.out) == (2, "")
        assert told.err.startswith("Error: ")


def test_in_a_new_process(spawn: Spawn, bank: Path, template: Path) -> None:
    told = spawn("-m", "sordino", "audit", bank, "--policy", template)
    assert (told.returncode, told.stderr) == (1, "")


def test_all_problems_at_once_also_columns_that_are_not_there(run: Run, bank: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(
        'kind = "template"\nclass = "Ratin"\n[[template]]\ngiven = ["Job", "Contry"]\n'
        'value = { Bankrupty = "Discharged" }\nat_most = 2\n'
    )
    told = run("audit", bank, "--policy", wrong).err
    assert "4 problems" in told
    for part in ("2 is not between 0 and 1", "mean 'Rating'", "mean 'Country'", "mean 'Bankruptcy'"):
        assert part in told
    wrong.write_text('kind = "diversity"\nsensitive = "Bankrupty"\nquasi = ["Job", "Contry"]\nl = 1\n')
    told = run("protect", bank, "--policy", wrong, "--out", tmp_path / "o").err
    assert "3 problems" in told
    assert "mean 'Country'" in told


def test_numbers_are_judged_as_the_file_shows_them(tmp_path: Path, run: Run) -> None:
    """In one range nobody could be told apart; but the file has the ages."""
    data, policy = tmp_path / "t.csv", tmp_path / "t.toml"
    data.write_text("age,dx\n1,HIV\n2,HIV\n11,flu\n12,flu\n13,flu\n25,flu\n", encoding="utf-8")
    policy.write_text(
        'kind = "template"\n[[template]]\ngiven = ["age"]\nvalue = { dx = "HIV" }\nat_most = "0.5"\n'
        "[bins]\nage = { width = 100 }\n",
        encoding="utf-8",
    )
    done = run("audit", str(data), "--policy", str(policy))
    assert done.code == 1, done.out
    assert "In the ranges of the policy" in " ".join(done.out.split())
    assert run("protect", str(data), "--policy", str(policy), "--out", str(tmp_path / "out")).code == 0
    assert run("audit", str(tmp_path / "out"), "--policy", str(policy)).code == 0


def test_a_value_like_the_symbol(tmp_path: Path, run: Run) -> None:
    data, policy = tmp_path / "t.csv", tmp_path / "t.toml"
    data.write_text("age,job,dx\n1,*,HIV\n2,a,HIV\n2,a,flu\n1,*,flu\n3,b,flu\n3,b,flu\n", encoding="utf-8")
    policy.write_text(
        'kind = "template"\n[[template]]\ngiven = ["age", "job"]\nvalue = { dx = "HIV" }\nat_most = "0.4"\n',
        encoding="utf-8",
    )
    for method in ("disclosure", "disclosure-local"):
        done = run("protect", str(data), "--policy", str(policy), "--method", method, "--out", str(tmp_path / method))
        assert done.code == 0, done.err
        assert run("verify", str(tmp_path / method), "--policy", str(policy)).code == 0
