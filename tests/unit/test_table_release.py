"""The release of a table: what is in it, what must not be, that it counts, and that every tampering shows."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import sordino
from bank import BANK
from forging import reseal
from sordino.data.table import Column, Table
from sordino.errors import InputError, InternalError, Unsatisfiable
from sordino.kinds import KINDS
from sordino.protect import registry
from sordino.release import check
from sordino.release.templates.result import TableRelease
from sordino.sample import path
from sordino.verify import manifest_file
from sordino.verify.manifest import describe

POLICY = sordino.TemplatePolicy(
    [sordino.Template(["Job", "Country"], "Bankruptcy", "Discharged", "0.75")], class_column="Rating"
)
ROWS = [{**row, "Age": 20 + k} for k, row in enumerate(BANK)]


def blanket(table: Table, policy: Any, **_: Any) -> Table:
    """A method without finesse: everything that may be suppressed is."""
    for place in policy.masking:
        column = table.columns[place]
        table = table.with_column(column.replaced(np.full(len(table), len(column.values)), (policy.symbol,)))
    return table


@pytest.fixture(autouse=True)
def plain_method(monkeypatch: pytest.MonkeyPatch) -> None:
    method = registry.Method("blanket", "tests", "suppress all", kinds=("template",))
    monkeypatch.setattr(registry, "METHODS", {**registry.METHODS, "blanket": method})
    usual = registry.Method.load_table
    monkeypatch.setattr(registry.Method, "load_table", lambda m: blanket if m.name == "blanket" else usual(m))


def csv_file(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path = folder / "bank.csv"
    lines = [", ".join(rows[0]), *(", ".join("?" if v is None else str(v) for v in row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def protected(data: object, policy: sordino.TemplatePolicy = POLICY, **options: Any) -> TableRelease:
    release = sordino.protect(data, policy, method="blanket", **options)
    assert isinstance(release, TableRelease)
    return release


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return protected(csv_file(tmp_path), seed=1).write(tmp_path / "out")


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_is_in_the_folder(out: Path, tmp_path: Path) -> None:
    assert names(out) == [
        *("keep/audit.json", "keep/changes.parquet", "keep/policy.toml", "keep/records.parquet", "keep/report.html"),
        *(
            "publish/README.txt",
            "publish/check.html",
            "publish/data.csv",
            "publish/manifest.json",
            "publish/report.html",
        ),
    ]
    before = (tmp_path / "bank.csv").read_text().splitlines()
    after = (out / "publish" / "data.csv").read_text().splitlines()
    assert after[0] == before[0]
    hidden = [", ".join(["*", "*", *line.split(", ")[2:]]) for line in before[1:]]
    back = parquet.read_table(out / "keep" / "records.parquet").to_pydict()
    assert back["published"] == list(range(1, 25))
    assert after[1:] == [hidden[row] for row in back["record"]] != hidden
    changes = parquet.read_table(out / "keep" / "changes.parquet").to_pylist()
    assert len(changes) == 48
    first = back["record"].index(0) + 1
    assert changes[0] == {"row": 0, "published": first, "column": "Job", "from": "Cook", "to": "*"}
    assert {(c["row"], c["column"], c["from"]) for c in changes} == {
        (k, name, row[name]) for k, row in enumerate(ROWS) for name in ("Job", "Country")
    }
    assert sordino.read_policy(out / "keep" / "policy.toml") == POLICY
    history = json.loads((out / "keep" / "audit.json").read_text())
    assert (history["before"]["people_at_risk"], history["after"]["people_at_risk"]) == (4, 0)


def test_nothing_that_was_suppressed_is_published(out: Path) -> None:
    published = b"".join(path.read_bytes() for path in (out / "publish").iterdir())
    for word in (b"Trader", b"Clerk", b"Canada", b"Cook", b"France"):
        assert word not in published


def test_the_same_run_has_the_same_bytes(out: Path, tmp_path: Path) -> None:
    again = protected(tmp_path / "bank.csv", seed=1).write(tmp_path / "again")
    assert names(out) == names(again)
    for name in names(out):
        assert (out / name).read_bytes() == (again / name).read_bytes(), name


def test_it_verifies_and_states_its_policy(out: Path) -> None:
    verdict = sordino.verify(out)
    assert verdict.holds
    assert sordino.verify(out / "publish").holds
    assert sordino.verify(out, POLICY).holds
    other = sordino.TemplatePolicy([sordino.Template(["Job"], "Bankruptcy", "Discharged", "0.75")])
    assert "another policy" in sordino.verify(out, other).reason
    assert "another policy" in sordino.verify(out, sordino.InferencePolicy(["x"])).reason
    text = (out / "publish" / "README.txt").read_text()
    assert "Someone who knows Job and Country of a person cannot infer" in text
    assert "that Bankruptcy is Discharged with a confidence above 75%." in text.replace("\n  ", " ")


def test_the_verifier_finds_what_is_unsafe(tmp_path: Path) -> None:
    """A folder that is consistent in every checksum, but about data in which the policy does not hold."""
    out = protected(csv_file(tmp_path)).write(tmp_path / "out")
    publish = out / "publish"
    (publish / "data.csv").write_bytes((tmp_path / "bank.csv").read_bytes())
    reseal(publish)
    verdict = sordino.verify(out)
    assert not verdict.holds
    assert verdict.reason == "template 1 does not hold: 1 combination gives a sensitive value away"
    reseal(publish, lambda document: document["policy"]["templates"][0].update(at_most="0.8"))
    assert sordino.verify(out).holds
    assert not sordino.verify(out, POLICY).holds


TAMPERINGS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "data changed": (lambda p: (p / "data.csv").write_text("a,b\n1,2\n"), "data.csv was changed"),
    "data gone": (lambda p: (p / "data.csv").unlink(), "data.csv is missing"),
    "readme changed": (lambda p: (p / "README.txt").write_text("All is well."), "README.txt was changed"),
    "manifest gone": (lambda p: (p / "manifest.json").unlink(), "manifest.json is missing"),
    "manifest cut": (lambda p: (p / "manifest.json").write_text("{"), "not valid JSON"),
    "one more file": (lambda p: (p / "more.txt").write_text(""), "does not belong"),
}


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_every_tampering_shows(tampering: str, out: Path) -> None:
    change, reason = TAMPERINGS[tampering]
    change(out / "publish")
    verdict = sordino.verify(out)
    assert not verdict.holds
    assert reason in verdict.reason


@pytest.mark.parametrize("key", ["method", "records", "data", "policy", "absent", "files", "sordino"])
@pytest.mark.parametrize("value", [7, None, "x", [], {}, [[1]], [[1, "x"]]], ids=range(7))
def test_a_manifest_with_a_wrong_part(key: str, value: object, out: Path) -> None:
    """With a checksum that fits, so that it is the content that is looked at; it never raises."""
    path = out / "publish" / "manifest.json"
    document = json.loads(path.read_bytes())
    del document["sha256"]
    same = document[key] == value
    document[key] = value
    path.write_bytes(manifest_file.sealed(document))
    assert check.verify_folder(out).holds == same


def test_parquet_keeps_its_schema(tmp_path: Path) -> None:
    arrow = pa.Table.from_pylist(ROWS).append_column("flag", pa.array([k % 2 == 0 for k in range(24)]))
    parquet.write_table(arrow, tmp_path / "bank.parquet")
    policy = sordino.TemplatePolicy([sordino.Template(["Age"], "Bankruptcy", "Discharged", "0.5")])
    out = protected(tmp_path / "bank.parquet", policy, ids="keep").write(tmp_path / "out")
    published = parquet.read_table(out / "publish" / "data.parquet")
    assert published.schema.field("Age").type == pa.string()
    assert published.column("Age").to_pylist() == ["*"] * 24
    assert published.drop_columns(["Age"]).equals(arrow.drop_columns(["Age"]))
    assert sordino.verify(out).holds


def test_json_and_gzip(tmp_path: Path) -> None:
    lines = "".join(json.dumps({**row, "Age": row["Age"] if k % 3 else None}) + "\n" for k, row in enumerate(ROWS))
    (tmp_path / "bank.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    out = protected(tmp_path / "bank.jsonl.gz", ids="renumber").write(tmp_path / "out")
    assert names(out / "publish") == ["README.txt", "check.html", "data.jsonl.gz", "manifest.json", "report.html"]
    text = gzip.decompress((out / "publish" / "data.jsonl.gz").read_bytes()).decode()
    published = [json.loads(line) for line in text.splitlines()]
    assert published == [{**json.loads(line), "Job": "*", "Country": "*"} for line in lines.splitlines()]
    assert sordino.verify(out).holds


def test_rows_of_python_become_parquet(tmp_path: Path) -> None:
    out = protected(ROWS).write(tmp_path / "out")
    assert parquet.read_table(out / "publish" / "data.parquet").num_rows == 24
    assert sordino.verify(out).holds


def test_binned_columns_are_published_as_ranges(tmp_path: Path) -> None:
    """Whoever knows the number knows the range; so the number itself must not be published."""
    policy = sordino.TemplatePolicy(
        [sordino.Template(["Age"], "Bankruptcy", "Discharged", "0.6")], bins={"Age": {"quantile": 2}}
    )
    release = protected(csv_file(tmp_path), policy)
    assert release.audit_before.ranges == {"Age": ("under 32", "32 and over")}
    assert release.audit_before.holds  # no range is above, though single ages are
    assert release.changed == 24
    assert release.summary().startswith(
        "SAFE as it was: no template was broken; columns of the policy's bins show ranges."
    )
    out = release.write(tmp_path / "out")
    published = sordino.read_table(out / "publish" / "data.csv").column("Age")
    assert set(published.texts) == {"under 32", "32 and over"}
    assert sordino.verify(out).holds
    assert sordino.audit(out / "publish" / "data.csv", policy).holds
    # A folder that shows the numbers instead is refused, whatever its checksums say.
    publish = out / "publish"
    (publish / "data.csv").write_bytes((tmp_path / "bank.csv").read_bytes())
    stated = manifest_file.parse((publish / "manifest.json").read_bytes())
    files = {name: describe((publish / name).read_bytes()) for name in stated.files}
    (publish / "manifest.json").write_bytes(check.manifest_bytes(replace(stated, files=files)))
    assert "does not show ranges" in sordino.verify(out).reason


def test_hierarchies_are_kept_with_the_policy(tmp_path: Path) -> None:
    tree = {"*": {"office": ["Clerk", "Trader"], "other": {"care": ["Doctor"], "hand": ["Artist", "Cook"]}}}
    policy = sordino.TemplatePolicy(POLICY.templates, hierarchies={"Job": tree})
    out = sordino.protect(csv_file(tmp_path), policy).write(tmp_path / "out")
    assert "keep/hierarchy_1.csv" in names(out)
    kept = sordino.read_policy(out / "keep" / "policy.toml")
    assert isinstance(kept, sordino.TemplatePolicy)
    assert set(kept.hierarchies["Job"].leaf_of) == {"Clerk", "Trader", "Doctor", "Artist", "Cook"}
    assert sordino.verify(out, policy).holds
    shown = set(sordino.read_table(out / "publish" / "data.csv").column("Job").texts)
    assert shown - {"Clerk", "Trader", "Doctor", "Artist", "Cook"} - {"*"} <= {"office", "other", "care", "hand"}
    assert sordino.audit(out / "publish" / "data.csv", policy).holds


def test_what_holds_is_left_alone(tmp_path: Path) -> None:
    policy = sordino.TemplatePolicy([sordino.Template(["Job", "Country"], "Bankruptcy", "Discharged", "0.8")])
    release = protected(csv_file(tmp_path), policy, ids="keep")
    assert release.unchanged
    out = release.write(tmp_path / "out")
    assert (out / "publish" / "data.csv").read_bytes() == (tmp_path / "bank.csv").read_bytes()


def test_missing_cells_survive(tmp_path: Path) -> None:
    rows = [{**row, "Job": None if k in (1, 5) else row["Job"]} for k, row in enumerate(ROWS)]
    policy = sordino.TemplatePolicy([sordino.Template(["Country"], "Bankruptcy", "Discharged", "0.75")])
    out = protected(csv_file(tmp_path, rows), policy).write(tmp_path / "out")
    text = (out / "publish" / "data.csv").read_text()
    assert text.count("?") == 2
    assert sordino.verify(out).holds


def test_values_that_do_not_occur(tmp_path: Path) -> None:
    policy = sordino.TemplatePolicy([sordino.Template(["Job"], "Bankruptcy", ["Discharged", "Gone"], "0.75")])
    with pytest.raises(sordino.SordinoError, match="'Gone' does not occur"):
        protected(csv_file(tmp_path), policy)
    out = protected(csv_file(tmp_path), policy, missing="accept").write(tmp_path / "out")
    assert sordino.verify(out).holds
    assert json.loads((out / "publish" / "manifest.json").read_text())["absent"] == [[1, "Gone"]]
    path = out / "publish" / "manifest.json"
    document = json.loads(path.read_bytes())
    del document["sha256"]
    document["absent"] = []
    path.write_bytes(manifest_file.sealed(document))
    assert "which sensitive values occur" in sordino.verify(out).reason


def test_kinds_that_were_stated(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("code,job,state\n007,a,x\n042,a,y\n100,b,y\n007,b,x\n")
    table = sordino.read_table(path, kinds={"code": "integer"})
    policy = sordino.TemplatePolicy(
        [sordino.Template(["code", "job"], "state", "x", "0.5")], bins={"code": {"edges": [50]}}
    )
    out = protected(table, policy).write(tmp_path / "out")
    assert sordino.verify(out).holds
    other = sordino.TemplatePolicy([sordino.Template(["job"], "code", ["7"], "0.5")])
    assert protected(table, other).unchanged
    again = protected(table, other, ids="keep").write(tmp_path / "again")
    assert (again / "publish" / "data.csv").read_bytes() == path.read_bytes()
    told = sordino.verify(again)
    assert (told.answer, "'7'" in told.reason) == ("not checked", True)  # 007 may be the number, or a text
    assert sordino.verify(again, kinds={"code": "integer"}).holds


def test_what_can_never_hold() -> None:
    policy = sordino.TemplatePolicy([sordino.Template(["Job"], "Bankruptcy", "Discharged", "0.2")])
    with pytest.raises(Unsatisfiable, match=r"at_most must be 5/24 or more"):
        protected(ROWS, policy)


def test_requests_that_are_refused() -> None:
    with pytest.raises(InputError, match="for policies of kind inference"):
        sordino.protect(ROWS, POLICY, method="mine")
    with pytest.raises(InputError, match=r"unknown method 'disclosur'.*Did you mean 'disclosure'"):
        sordino.protect(ROWS, POLICY, method="disclosur")
    with pytest.raises(InputError, match="no option 'b_max'"):
        sordino.protect(ROWS, POLICY, method="blanket", b_max=3)
    with pytest.raises(InputError, match=r"treated as 'suffle'\. Did you mean 'shuffle'"):
        sordino.protect(ROWS, POLICY, ids="suffle")
    with pytest.raises(InputError, match="time limit is for baskets"):
        sordino.audit(ROWS, POLICY, time_limit=3)
    with pytest.raises(InputError, match="also stands for a missing value"):
        sordino.protect(ROWS, sordino.TemplatePolicy(POLICY.templates, symbol="?"))
    with pytest.raises(InputError, match="only baskets have proofs"):
        sordino.verify(ROWS, POLICY, {})
    with pytest.raises(sordino.SordinoError, match="this is no policy: dict"):
        sordino.audit(ROWS, {})  # type: ignore[call-overload]


@pytest.mark.parametrize("fault", ["a row less", "another column", "unsafe"])
def test_a_method_that_breaks_its_promise_publishes_nothing(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def bad(table: Table, policy: Any, **_: Any) -> Table:
        if fault == "a row less":
            return Table(tuple(column.replaced(column.codes[1:]) for column in table.columns), table.origin)
        if fault == "another column":
            return blanket(table, policy).with_column(Column.of_texts("Bankruptcy", ["Never"] * len(table)))
        return table

    monkeypatch.setattr(registry.Method, "load_table", lambda _: bad)
    with pytest.raises(InternalError):
        protected(ROWS)


def test_a_writer_that_writes_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sordino.release.templates import parts as template_parts

    release = protected(csv_file(tmp_path))
    monkeypatch.setattr(template_parts, "encoded_table", lambda _: b"a,b\n1,2\n")
    with pytest.raises(InternalError, match="reads back as another table"):
        release.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_measuring(out: Path, tmp_path: Path) -> None:
    for cost in (
        sordino.measure(tmp_path / "bank.csv", out),
        sordino.measure(tmp_path / "bank.csv", out / "publish" / "data.csv", POLICY),
    ):
        assert (cost.cells.cells, cost.cells.kept, cost.cells.suppressed) == (48, 0, 48)
    before = sordino.read_table(tmp_path / "bank.csv")
    with pytest.raises(InputError, match=r"another value of 'Child'.*\n.*random order"):  # rows of other people
        sordino.measure(before, out / "publish" / "data.csv")
    kept = protected(tmp_path / "bank.csv", ids="keep").write(tmp_path / "kept")
    plain = sordino.measure(before, kept / "publish" / "data.csv")
    assert (plain.cells.cells, plain.cells.kept) == (24 * 6, 24 * 4)


def test_shuffled_rows_are_measured_in_the_order_of_the_source(tmp_path: Path) -> None:
    release = sordino.protect(csv_file(tmp_path), POLICY, method="disclosure-local")
    out = release.write(tmp_path / "out")
    cost = sordino.measure(tmp_path / "bank.csv", out)
    assert cost.to_dict() | {"seconds": 0} == release.utility.to_dict() | {"seconds": 0}
    assert 0 < cost.cells.kept < cost.cells.cells
    (out / "keep" / "records.parquet").unlink()
    with pytest.raises(InputError, match=r"random order; keep/records\.parquet"):
        sordino.measure(tmp_path / "bank.csv", out)


def test_results_show_themselves() -> None:
    release = protected(ROWS)
    assert "4 of 24 people (16.7%) were at risk before" in release.summary()
    assert "blanket" in repr(release)
    assert "<table>" in release._repr_html_()
    audit = release.audit_before
    assert "80.0%" in audit._repr_html_()
    assert json.dumps(audit.to_dict())
    assert audit.verdict() == "NOT SAFE: 4 of 24 people (16.7%) are at risk."


def test_the_flow_uses_the_default_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "template", replace(KINDS["template"], method="blanket"))
    assert sordino.protect(ROWS, POLICY).method == "blanket"


def test_protect_says_what_deciding_by_group_would_keep() -> None:
    policy = sordino.read_policy(path("patients_policy.toml"))
    release = sordino.protect(path("patients.csv"), policy, seed=1)
    local = sordino.protect(path("patients.csv"), policy, method="disclosure-local", seed=1)
    (told,) = [remark for remark in release.audit_before.remarks if "disclosure-local" in remark]
    assert f"kept {float(release.utility.cells.share):.1%} of the cells" in told
    assert f"would keep {float(local.utility.cells.share):.1%}" in told
    assert not any("disclosure-local" in remark for remark in local.audit_before.remarks)


def test_two_zeros_stay_what_they_are(tmp_path: Path) -> None:
    """They are equal as numbers, and are shown as two values; whichever comes first in the file."""
    import pyarrow as pa

    rows = pa.table({"Pay": [0.0, -0.0, 1.5, -0.0] * 3, "Job": ["a", "b"] * 6, "Ill": ["x", "y", "y"] * 4})
    policy = sordino.TemplatePolicy([sordino.Template(["Job"], "Ill", ["x"], "0.5")])
    for seed in range(4):
        out = sordino.protect(rows, policy, seed=seed).write(tmp_path / f"out{seed}")
        assert sordino.verify(out).holds


def test_what_is_no_number_is_missing_where_numbers_become_texts(tmp_path: Path) -> None:
    """Written as the text "NaN" it would read back as a value."""
    nan = float("nan")
    rows = pa.table({"Pay": [nan, nan, 0.1, 0.1], "Job": ["a", "a", "b", "b"], "Ill": ["x", "y", "x", "y"]})
    policy = sordino.TemplatePolicy([sordino.Template(["Pay"], "Ill", ["x"], "0.5")])
    hidden = sordino.read_table(rows)
    pay = hidden.column("Pay")
    hidden = hidden.with_column(pay.replaced(np.where(pay.codes < 0, -1, len(pay.values)), ("*",)))
    sordino.protect(hidden, policy, seed=1).write(tmp_path / "out")
    shown = parquet.read_table(tmp_path / "out/publish/data.parquet").sort_by("Job").column("Pay")
    assert shown.to_pylist() == [None, None, "*", "*"]
    assert sordino.verify(tmp_path / "out").holds
