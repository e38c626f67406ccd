"""The two reports of a release: one tells the house everything, the other tells everybody nothing that was deleted."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

import sordino
from sordino import sample
from sordino.report.documents import Promise, Source, release_report

pytestmark = pytest.mark.charts
MARKER = "zqxmarker"


def leaking() -> list[set[str]]:
    """A shop in which a marked item, and a marked antecedent that occurs once, must go."""
    return [
        {"bread", f"{MARKER}-pills"},
        {"bread", f"{MARKER}-pills"},
        {"milk", f"{MARKER}-cream"},
        {"milk"},
        {"milk"},
        {"bread", "milk"},
        {"tea"},
        {"tea", f"{MARKER}-once"},
    ]


SECRET = [f"{MARKER}-pills", f"{MARKER}-cream", f"{MARKER}-once"]


@pytest.mark.parametrize("method", ["mine", "dist", "jia", "global"])
def test_a_marker_in_what_was_suppressed_is_found_nowhere_in_publish(method: str, tmp_path: Path) -> None:
    """Everything sensitive is marked; what is left of it in the data may be published, and what is gone nowhere."""
    policy = sordino.InferencePolicy(SECRET, "0.2")
    release = sordino.protect(leaking(), policy, method=method)
    gone = set(SECRET) - {item for record in release.data for item in record}
    assert gone, "the test must suppress something wholly"
    out = release.write(tmp_path / "out")
    for path in (out / "publish").iterdir():
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8", "replace")
        for item in gone:
            assert item not in text, path.name
    kept = (out / "keep" / "report.html").read_text()
    assert all(item in kept for item in gone), "in the house it is told"


def test_an_id_or_a_harmless_item_that_was_deleted_is_found_nowhere_in_publish(tmp_path: Path) -> None:
    source = tmp_path / "long.csv"
    rows = [f"{MARKER}{u},{item}" for u, record in enumerate(leaking()) for item in sorted(record)]
    source.write_text("\n".join(["customer,item", *rows]) + "\n")
    policy = sordino.InferencePolicy([f"{MARKER}-pills"], "0.2")
    out = sordino.protect(source, policy).write(tmp_path / "out")
    for path in (out / "publish").iterdir():
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        assert f"{MARKER}0" not in text
        assert str(tmp_path) not in text, "the place of the data is nobody's business"


def test_the_house_is_told_what_was_and_what_it_cost(tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(SECRET, "0.2")
    release = sordino.protect(leaking(), policy)
    out = release.write(tmp_path / "out")
    page = (out / "keep" / "report.html").read_text()
    loss = release.utility.loss
    assert loss is not None
    assert f"{loss.deleted:,} of {loss.occurrences:,} entries (30.8%) were deleted" in page
    assert "Do not publish it." in page
    manifest = json.loads((out / "publish" / "manifest.json").read_text())
    for name, entry in manifest["files"].items():
        assert entry["sha256"] in page, name
    for sentence in (*manifest["guaranteed"], *manifest["not_guaranteed"]):
        assert sentence.replace("'", "&#x27;") in page
        assert sentence.replace("'", "&#x27;") in (out / "publish" / "report.html").read_text()


def test_a_release_does_not_need_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = sordino.protect(leaking(), sordino.InferencePolicy(SECRET, "0.2")).write(tmp_path / "out")
    assert sordino.verify(out).holds
    assert "pip install &#x27;sordino[report]&#x27;" in (out / "keep" / "report.html").read_text()


def test_a_changed_report_is_a_changed_release(tmp_path: Path) -> None:
    out = sordino.protect(leaking(), sordino.InferencePolicy(SECRET, "0.2")).write(tmp_path / "out")
    page = out / "publish" / "report.html"
    page.write_text(page.read_text() + " ")
    verdict = sordino.verify(out)
    assert not verdict.holds
    assert "report.html was changed" in verdict.reason


def test_a_table_has_its_reports_too(tmp_path: Path) -> None:
    policy = sordino.read_policy(sample.path("patients_policy.toml"))
    release = sordino.protect(sample.path("patients.csv"), policy)
    out = release.write(tmp_path / "out")
    house, everybody = ((out / part / "report.html").read_text() for part in ("keep", "publish"))
    before = release.audit_before
    assert f"SAFE now: {before.people_at_risk:,} of {before.records:,} people" in house
    assert f"{release.utility.cells.suppressed:,} of {release.utility.cells.cells:,} cells" in house
    assert "Someone who knows" in house
    assert "at risk" not in everybody
    assert release._repr_html_().count("<svg") >= 2
    assert before._repr_html_().count("<svg") == 2


def test_groups_have_their_reports_too(tmp_path: Path) -> None:
    policy = sordino.DiversityPolicy("diagnosis", ["sex", "age", "region", "occupation"], 3)
    release = sordino.protect(sample.path("patients.csv"), policy)
    out = release.write(tmp_path / "out")
    house, everybody = ((out / part / "report.html").read_text() for part in ("keep", "publish"))
    before = release.audit_before
    assert "SAFE now: everybody has at least 3 possible values" in house
    assert "Privacy report: patients.csv" in house
    assert "groups" in everybody
    assert "at risk" not in everybody
    assert "<svg" in before._repr_html_()
    assert "<svg" in release._repr_html_()


def test_generalized_and_permuted_baskets_have_their_reports_too(tmp_path: Path) -> None:
    policy = sordino.InferencePolicy(SECRET[:1], "1/2")
    for method in ("lgps", "cahd"):
        out = sordino.protect(leaking(), policy, method=method).write(tmp_path / method)
        house = (out / "keep" / "report.html").read_text()
        assert "SAFE now" in house
        assert f"protected by &#x27;{method}&#x27;" in house


def test_a_kind_without_words_of_its_own_is_told_plainly() -> None:
    before = {"kind": "new", "holds": False, "records": 5, "people_at_risk": 2, "findings": [{"sentence": "A b."}]}
    history = {"method": "m", "before": before, "after": {**before, "holds": True}, "utility": {"loss": {"share": 0.5}}}
    page = release_report(history, Source.of(None), None, Promise(("yes",), ("no",)), {"data.csv": "00"})
    for word in ("2 of 5 people, 40.0%, at risk", "A b.", "loss: share", "data.csv"):
        assert word in page
