"""Sensitive items by pattern or by group of a hierarchy: names by the original data, and no word of it published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sordino
from sordino.errors import PolicyError
from sordino.policy.patterns import PatternPolicy, matching

# Whoever has pills and water has one of two hiv tests; the rest says nothing.
RECORDS = [
    *([{"water", "pills", "HIV test"}] * 3),
    *([{"water", "pills", "hiv drug"}] * 2),
    *([{"water"}] * 4),
    *([{"bread", "wine"}] * 5),
    {"bread", "hiv drug"},
]
TREE = "item,group,all\nHIV test,tests,everything\nhiv drug,drugs,everything\npills,drugs,everything\n" + (
    "water,food,everything\nbread,food,everything\nwine,food,everything\n"
)


@pytest.fixture
def policy(tmp_path: Path) -> Any:
    (tmp_path / "tree.csv").write_text(TREE)

    def write(sensitive: str, more: str = "") -> Path:
        path = tmp_path / "policy.toml"
        path.write_text(f'[sensitive]\n{sensitive}\n[threshold]\nrho = "0.5"\n{more}')
        return path

    return write


def test_matching() -> None:
    names = ["hiv", "HIV test", "anti hiv", "h[v", "hxv", "a.b"]
    assert matching("hiv*", names) == ["hiv", "HIV test"]
    assert matching("H?V", names) == ["hiv", "h[v", "hxv"]
    assert matching("a.b", names) == ["a.b"]
    assert matching("h[[]v", names) == ["h[v"]
    assert matching("*", names) == names


@pytest.mark.parametrize(
    ("sensitive", "names"),
    [
        ('patterns = ["hiv*"]', {"HIV test", "hiv drug"}),
        ('items = ["wine"]\npatterns = ["hiv *"]', {"wine", "HIV test", "hiv drug"}),
        ('nodes = ["drugs"]\nhierarchy = "tree.csv"', {"hiv drug", "pills"}),
        ('nodes = ["drugs", "tests"]\nhierarchy = "tree.csv"', {"hiv drug", "pills", "HIV test"}),
        ('nodes = ["HIV test"]\nhierarchy = "tree.csv"\npatterns = ["w?ne"]', {"HIV test", "wine"}),
    ],
)  # fmt: skip
def test_the_same_as_by_name(policy: Any, sensitive: str, names: set[str]) -> None:
    stated = sordino.read_policy(policy(sensitive))
    assert isinstance(stated, PatternPolicy)
    by_name = sordino.InferencePolicy(sorted(names), "0.5")
    baskets = sordino.read_baskets(RECORDS)
    told, plain = sordino.audit(baskets, stated), sordino.audit(baskets, by_name)
    assert told.to_dict()["people_at_risk"] == plain.to_dict()["people_at_risk"] > 0
    assert set(stated.named(baskets.names).sensitive) == names


def test_thresholds_of_items_that_a_pattern_finds(policy: Any) -> None:
    stated = sordino.read_policy(policy('patterns = ["hiv*"]', 'per_item = { "hiv drug" = "0.9" }'))
    found = stated.named(["hiv drug", "hiv test"])  # type: ignore[attr-defined]
    assert str(found.rho_of["hiv drug"]) == "9/10"
    with pytest.raises(PolicyError, match="'water' has a threshold but is not sensitive"):
        sordino.audit(RECORDS, policy('patterns = ["hiv*"]', 'per_item = { water = "0.9" }'))


@pytest.mark.parametrize(
    ("sensitive", "said"),
    [
        ('patterns = ["hvi*"]', "the pattern 'hvi\\*' matches no item"),
        ('patterns = ["hiv*", "x*"]', "the pattern 'x\\*' matches no item"),
        ('nodes = ["drags"]\nhierarchy = "tree.csv"', "the hierarchy has no group 'drags'"),
        ('nodes = ["drugs"]', "nodes need the hierarchy"),
        ('items = ["wine"]\nhierarchy = "tree.csv"', "hierarchy is for nodes, and there are none"),
        ('nodes = ["drugs"]\nhierarchy = "tee.csv"', "there is no such file"),
        ("patterns = []", "names no item at all"),
        ('patterns = "hiv*"', "patterns must be a list of texts"),
        ("nodes = [1]", "nodes must be a list of texts"),
    ],
)
def test_what_stands_for_nothing_is_a_problem(policy: Any, sensitive: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        sordino.audit(RECORDS, policy(sensitive))


def test_a_pattern_that_may_match_nothing(policy: Any) -> None:
    path = policy('patterns = ["hiv*", "x*"]')
    assert not sordino.audit(RECORDS, path, missing="accept").holds


def test_every_verb(policy: Any, tmp_path: Path) -> None:
    path = policy('patterns = ["hiv*"]')
    release = sordino.protect(RECORDS, path, seed=1)
    out = tmp_path / "out"
    release.write(out)
    assert sordino.verify(out).holds
    assert sordino.verify(out, path).holds
    assert sordino.audit(out, path).holds
    assert sordino.measure(RECORDS, out, path).to_dict()
    assert sordino.compare(RECORDS, path, methods=["global"]).cells
    other = policy('patterns = ["w*"]')
    assert not sordino.verify(out, other).holds
    assert not sordino.verify(out, policy('patterns = ["nothing*"]')).holds


def test_nothing_of_it_is_published(policy: Any, tmp_path: Path) -> None:
    """An item that is gone from the release is named nowhere in it, nor is the pattern that it was found by."""
    records = [*([{"water", "hivzebra"}] * 5), *([{"wine", "hivdrug"}] * 1), *([{"wine"}] * 9)]
    out = tmp_path / "out"
    sordino.protect(records, policy('patterns = ["hivz*", "hivd*"]'), method="global", seed=1).write(out)
    published = b"".join(path.read_bytes() for path in sorted((out / "publish").iterdir()))
    for word in (b"hivzebra", b"hivz", b"patterns"):
        assert word not in published.replace(b"patterns of", b"")
    assert "hivzebra" in (out / "keep" / "policy.toml").read_text()
    assert sordino.verify(out).holds
    path = policy('patterns = ["hivz*", "hivd*"]')
    assert sordino.verify(out, path).holds
    assert sordino.verify(out / "publish", path).holds  # what has vanished is nothing to complain of


def test_items_that_no_group_can_stand_for_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A name that the hierarchy spells otherwise would be left out of its group in silence."""
    (tmp_path / "tree.csv").write_text("item,group\nhivv,drugs\npills,drugs\nwine,food\n", encoding="utf-8")
    (tmp_path / "p.toml").write_text(
        '[sensitive]\nnodes = ["drugs"]\nhierarchy = "tree.csv"\n[threshold]\nrho = "0.5"\n', encoding="utf-8"
    )
    records = [{"hiv", "wine"}, {"pills", "wine"}, {"wine"}]
    sordino.audit(records, sordino.read_policy(tmp_path / "p.toml"))
    assert "1 item of the data is not in the hierarchy: no group stands for them." in caplog.text
    caplog.clear()
    sordino.audit([{"pills", "wine"}, {"wine"}], sordino.read_policy(tmp_path / "p.toml"))
    assert "hierarchy" not in caplog.text
