"""Releases in groups: the folder, its second audit, the independent check, and tampering."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import sordino
from forging import reseal
from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.hierarchy import Hierarchy
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.release.coarsened.result import CoarsenedRelease
from sordino.verify.manifest import MANIFEST

TREE = {"ALL": {"A": ["a", "b"], "B": ["c", "d"], "x": ["e", "f"]}}
POLICY = sordino.InferencePolicy(["x", "y"], "0.5")


def table() -> list[set[str]]:
    rng = np.random.default_rng(1)
    return [
        {"abcdef"[k] for k in rng.choice(6, size=rng.integers(1, 4), replace=False)}
        | ({"x"} if rng.random() < 0.4 else set())
        | ({"y"} if rng.random() < 0.2 else set())
        for _ in range(120)
    ]


def options_of(method: str) -> dict[str, Any]:
    if method == "lgps":
        return {"hierarchy": TREE, "divide": "valid"}
    return {} if method == "cahd" else {"hierarchy": TREE}


METHODS = ("lgps", "tdcontrol", "cahd")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One release of each method, in shuffled order."""
    found = {}
    for method in METHODS:
        release = sordino.protect(table(), POLICY, method=method, jobs=1, ids="shuffle", **options_of(method))
        found[method] = release.write(tmp_path_factory.mktemp(method) / "out")
    return found


@pytest.mark.parametrize("method", METHODS)
def test_the_folder_is_whole_and_stands_up(folders: dict[str, Path], method: str) -> None:
    folder = folders[method]
    names = {path.name for path in (folder / "publish").iterdir()}
    assert {"manifest.json", "README.txt", "groups.json.gz", "data.jsonl"} <= names
    assert ("hierarchy.json" in names) == ("proof.json.gz" in names) == (method != "cahd")
    verdict, told = sordino.verify(folder, POLICY), sordino.audit(folder, POLICY)
    if method == "cahd":  # the policy is also about those who know sensitive items
        assert (verdict.answer, told.answer) == (Answer.NOT_CHECKED, Answer.NOT_CHECKED)
        assert "knows only non-sensitive items" in verdict.reason
    else:
        assert (verdict.holds, verdict.reason, told.holds) == (True, "proved", True)
    assert sordino.verify(folder / "publish").holds
    assert not sordino.verify(folder, sordino.InferencePolicy(["x", "y"], "0.4")).holds
    if method != "tdcontrol":  # which has nothing sensitive left here
        assert not sordino.audit(folder, sordino.InferencePolicy(["x", "y"], "0.01")).holds


def test_what_cahd_does_not_promise_is_told_first(folders: dict[str, Path]) -> None:
    text = " ".join((folders["cahd"] / "publish" / "README.txt").read_text().split())
    assert "NON-SENSITIVE" in text
    promise, limits = text.split("What is not guaranteed")
    assert "knows any part of a person's record" not in promise
    assert "Against someone who knows a SENSITIVE item of a person nothing is promised" in limits[:140]
    stated = json.loads((folders["cahd"] / "publish" / MANIFEST).read_text())
    assert stated["shape"] == "permuted"
    assert "NON-SENSITIVE" in stated["guaranteed"][0]
    assert sordino.audit(folders["cahd"], POLICY).remarks


@pytest.mark.parametrize("method", METHODS)
def test_changes_lead_back_to_the_original(folders: dict[str, Path], method: str) -> None:
    """The published records, their groups and the change log give the input back."""
    folder = folders[method]
    records = [set(json.loads(line)) for line in (folder / "publish" / "data.jsonl").read_text().splitlines()]
    changes = pq.read_table(folder / "keep" / "changes.parquet").to_pylist()
    place = {row["record"]: row["published"] for row in pq.read_table(folder / "keep" / "records.parquet").to_pylist()}
    for u, original in enumerate(table()):
        mine = {row["from"]: row["to"] for row in changes if row["record"] == u}
        assert all(row["published"] == place[u] for row in changes if row["record"] == u)
        shown = {mine.get(item, item) for item in original}
        shown = {to for to in shown if to is not None and not to.startswith("group ")}
        assert records[place[u] - 1] == shown


@pytest.mark.parametrize("method", METHODS)
def test_measuring_a_folder(method: str, tmp_path: Path) -> None:
    release = sordino.protect(table(), POLICY, method=method, jobs=1, **options_of(method))
    folder = release.write(tmp_path / "out")
    cost = sordino.measure(table(), folder)
    assert cost.to_dict() == release.utility.to_dict()
    assert (cost.ncp is None) == (method == "cahd")


def test_reading_back_gives_the_same_groups(folders: dict[str, Path]) -> None:
    from sordino.release.reading import read_folder

    data, policy = read_folder(folders["lgps"])
    assert isinstance(data, Generalized)
    assert policy == POLICY
    assert data.groups > 1
    assert [int(data.group.tolist().index(g)) for g in range(data.groups)] == sorted(
        data.group.tolist().index(g) for g in range(data.groups)
    )
    # The sensitive x and the node x are told apart.
    assert "x@1" in data.labels
    assert isinstance(data.hierarchy, Hierarchy)


# Tampering: files are rewritten with fitting checksums, so that only the content can give it away


def rewritten(folder: Path, target: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    publish = target / "publish"
    shutil.copytree(folder / "publish", publish)
    files = {path.name: path.read_bytes() for path in publish.iterdir()}
    change(files)
    for name, content in files.items():
        (publish / name).write_bytes(content)
    reseal(publish)
    return publish


def edit_groups(files: dict[str, bytes], edit: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(gzip.decompress(files["groups.json.gz"]))
    edit(document)
    files["groups.json.gz"] = gzip.compress(
        json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode(), mtime=0
    )


def set_key(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.__setitem__(key, value)


def more_secrets(document: dict[str, Any]) -> None:
    sizes = [document["group"].count(g) for g in range(len(document["held"]))]
    document["held"][0]["x"] = sizes[0]


def data_line(text: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        lines = files["data.jsonl"].splitlines()
        lines[0] = text
        files["data.jsonl"] = b"\n".join(lines) + b"\n"

    return change


TAMPERED: dict[str, tuple[str, Callable[[dict[str, bytes]], None], str]] = {
    "a-node-of-another-cut": ("lgps", data_line(b'["ALL"]'), "shows something that its group does not"),
    "an-unknown-item": ("lgps", data_line(b'["zzz"]'), "shows something that its group does not"),
    "a-sensitive-item-more": ("lgps", data_line(b'["x","y"]'), "proof is about other data|no alibi|too few"),
    "one-group-for-all": (
        "lgps",
        lambda files: edit_groups(files, lambda d: d.update(group=[0] * 120)),
        "more than the groups",
    ),
    "no-cut": ("lgps", lambda files: edit_groups(files, lambda d: d["opened"].__setitem__(0, ["A"])), "make no cut"),
    "an-unknown-node": (
        "lgps",
        lambda files: edit_groups(files, lambda d: d["opened"].__setitem__(0, ["Q"])),
        "does not have",
    ),
    "a-group-that-is-not-there": (
        "lgps",
        lambda files: edit_groups(files, lambda d: d["group"].__setitem__(0, 10_000)),
        "not described",
    ),
    "groups-for-other-records": ("cahd", lambda files: edit_groups(files, lambda d: d["group"].pop()), "each record"),
    "no-groups": ("cahd", lambda files: edit_groups(files, set_key("held", 3)), "no list 'held'"),
    "another-format": ("cahd", lambda files: edit_groups(files, set_key("format", "x")), "not of the format"),
    "damaged": ("cahd", lambda files: files.update({"groups.json.gz": b"\x1f\x8b\x08\0\0\0\0\0\0\0xx"}), "damaged"),
    "too-many-in-a-group": (
        "cahd",
        lambda files: edit_groups(files, more_secrets),
        "too many|holds more than the groups",
    ),
    "a-sensitive-item-in-a-record": ("cahd", data_line(b'["x"]'), "holds a sensitive item"),
    "not-sensitive": (
        "cahd",
        lambda files: edit_groups(files, lambda d: d["held"].__setitem__(0, {"a": 1})),
        "not sensitive",
    ),
    "nonsense-counts": (
        "cahd",
        lambda files: edit_groups(files, lambda d: d["held"].__setitem__(0, {"x": -1})),
        "how many",
    ),
    "a-sensitive-leaf": (
        "tdcontrol",
        lambda files: files.update(
            {"hierarchy.json": json.dumps({"ALL": ["a", "b", "c", "d", "e", "f", "y"]}).encode()}
        ),
        "sensitive item|does not have|more than a hierarchy",
    ),
    "no-tree": ("tdcontrol", lambda files: files.update({"hierarchy.json": b"{"}), "hierarchy.json cannot be read"),
}


UNFITTING = [case for case, (method, _, _) in TAMPERED.items() if method == "lgps" and case != "a-sensitive-item-more"]


@pytest.mark.parametrize("case", UNFITTING)
def test_an_audit_takes_no_files_that_do_not_fit_together(folders: dict[str, Path], tmp_path: Path, case: str) -> None:
    """Records under groups that do not show them so: whoever reads the groups sees another table than the records."""
    _, change, reason = TAMPERED[case]
    with pytest.raises(InputError, match=reason):
        sordino.audit(rewritten(folders["lgps"], tmp_path / "new", change), POLICY)


@pytest.mark.parametrize("case", TAMPERED)
def test_tampering_shows(folders: dict[str, Path], tmp_path: Path, case: str) -> None:
    method, change, reason = TAMPERED[case]
    verdict = sordino.verify(rewritten(folders[method], tmp_path / "new", change))
    assert not verdict.holds
    import re

    assert re.search(reason, verdict.reason), verdict.reason


def test_nothing_is_written_if_the_result_is_not_safe(tmp_path: Path) -> None:
    """Whatever went wrong before: the second audit, from the bytes, sees it."""
    release = sordino.protect(table(), POLICY, method="tdcontrol", jobs=1, hierarchy=TREE)
    assert isinstance(release, CoarsenedRelease)
    assert isinstance(release.coarse, Generalized)
    from dataclasses import replace

    raw = Baskets.from_sets([record | {"x"} for record in release.data])
    broken = replace(release, data=raw, coarse=replace(release.coarse, baskets=raw))
    with pytest.raises(sordino.SordinoError, match="audit of the written files"):
        broken.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_policy_that_calls_a_generalized_item_sensitive(folders: dict[str, Path]) -> None:
    with pytest.raises(InputError, match="calls sensitive"):
        sordino.audit(folders["lgps"], sordino.InferencePolicy(["a"], "0.5"))


@pytest.mark.parametrize("method", METHODS)
def test_words(method: str) -> None:
    release = sordino.protect(table(), POLICY, method=method, jobs=1, **options_of(method))
    assert "were at risk before" in release.summary()
    assert ("only non-sensitive items" in release.summary()) == (method == "cahd")
    assert method in repr(release)
    assert "<table" in release._repr_html_()


def test_compare_knows_wider_items_and_weaker_promises() -> None:
    comparison = sordino.compare(table(), POLICY, methods=["mine", "lgps", "cahd"])
    cells = {cell.method: cell for cell in comparison.cells}
    assert "sensitive item" in cells["cahd"].weaker
    assert cells["mine"].weaker == cells["lgps"].weaker == ""
    assert comparison.recommended is not None
    assert comparison.recommended.method != "cahd"
    release = sordino.protect(table(), POLICY, method="lgps", jobs=1)
    assert cells["lgps"].loss == float(release.utility.ncp.share)


def test_names_that_the_form_cannot_hold_are_refused_before_the_work(tmp_path: Path) -> None:
    path = tmp_path / "data.dat"
    path.write_text("a x\na x\nb\n")
    with pytest.raises(InputError, match=r"blanks.*'all of it'"):
        sordino.protect(path, sordino.InferencePolicy(["x"], "0.5"), method="lgps", hierarchy={"all of it": ["a", "b"]})
    release = sordino.protect(path, sordino.InferencePolicy(["x"], "0.5"), method="lgps", hierarchy={"all": ["a", "b"]})
    assert sordino.verify(release.write(tmp_path / "out")).holds


@pytest.mark.parametrize("method", METHODS)
def test_everything_may_be_sensitive(tmp_path: Path, method: str) -> None:
    """Then nothing can be shown wider, and the open part of cahd is empty, as are the charts about it."""
    table = [{"x", "y"}, {"x"}, {"y"}, {"x", "y"}]
    release = sordino.protect(table, sordino.InferencePolicy(["x", "y"], "0.6"), method=method)
    release.write(tmp_path / "out")
    assert sordino.verify(tmp_path / "out").holds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("node", ["dairy", "y"])
def test_a_sensitive_item_that_is_gone_is_not_published(tmp_path: Path, method: str, node: str) -> None:
    """Nor named: that would tell that somebody had it. A node of its name is called otherwise, for whoever knows it."""
    table = [{"milk", "x", "y"}, *({"milk", "rice"} for _ in range(9)), {"rice", "x"}, {"milk", "x"}]
    policy = sordino.InferencePolicy(["x", "y"], "0.4", rho_of={"y": "1/100"})
    tree = {"ALL": {node: ["milk", "cheese"], "grain": ["rice", "wheat"]}}
    options = {} if method == "cahd" else {"hierarchy": tree}
    release = sordino.protect(table, policy, method=method, **options)
    release.write(tmp_path / "out")
    stated = json.loads((tmp_path / "out" / "publish" / MANIFEST).read_text())["policy"]["sensitive"]
    held = release.published.names if method != "cahd" else tuple(release.published_groups.supports())
    assert "y" not in held
    assert set(stated) == {"x"} & set(held)
    assert sordino.verify(tmp_path / "out").holds
    assert sordino.verify(tmp_path / "out", policy).answer == ("not checked" if method == "cahd" else "holds")
    other = sordino.InferencePolicy(["x", "y"], "0.3", rho_of={"y": "1/100"})
    assert not sordino.verify(tmp_path / "out", other).holds
    assert '"y"' in (tmp_path / "out" / "keep" / "policy.toml").read_text()


@pytest.mark.parametrize("method", ["lgps", "tdcontrol"])
def test_a_sensitive_item_that_is_named_like_the_root(method: str, tmp_path: Path) -> None:
    """Where nothing but sensitive items is there, the hierarchy is a bare root, which must not be taken for an item."""
    policy = sordino.InferencePolicy(["ALL", "x"], "0.5")
    out = sordino.protect([{"ALL", "x"}], policy, method=method, seed=1).write(tmp_path / "out")
    assert sordino.verify(out, policy).holds
