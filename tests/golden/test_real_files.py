"""The audit of a real file against a count in plain Python; the files lie in $SORDINO_DATA (see conftest)."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

import sordino


class WebView(NamedTuple):
    records: list[tuple[str, ...]]  # of at most 5 items, sorted
    sensitive: frozenset[str]
    sup: Counter[tuple[str, ...]]  # of all sets of at most 3 items


@cache
def load(path: Path) -> WebView:
    if not path.is_file():
        pytest.skip(f"{path.name} is not among the real files")
    with gzip.open(path, "rt", encoding="ascii") as lines:
        records = [tuple(sorted(set(line.split()))) for line in lines]
    assert len(records) == 59_602
    items = sorted({item for record in records for item in record})
    sensitive = frozenset(random.Random(20_10).sample(items, round(0.4 * len(items))))
    short = [record for record in records if len(record) <= 5]
    sup = Counter(q for record in short for size in (1, 2, 3) for q in combinations(record, size))
    return WebView(short, sensitive, sup)


@pytest.fixture
def webview(data_folder: Path) -> WebView:
    return load(data_folder / "BMS-WebView-1.dat.gz")


def fewest_known(webview: WebView, record: tuple[str, ...], most: int) -> int:
    """How few items of the record expose a sensitive one of it above 7/10; 0 if none of at most `most`."""
    for size in range(1, most + 1):
        for both in combinations(record, size + 1):
            for e in webview.sensitive.intersection(both):
                q = tuple(item for item in both if item != e)
                if 10 * webview.sup[both] > 7 * webview.sup[q]:
                    return size
    return 0


def policy_of(webview: WebView, knowledge: int | None) -> sordino.InferencePolicy:
    present = {item for record in webview.records for item in record}
    return sordino.InferencePolicy(sorted(webview.sensitive & present), "0.7", knowledge=knowledge)


@pytest.mark.parametrize("knowledge", [1, 2])
def test_webview_exposure(webview: WebView, knowledge: int) -> None:
    expected = Counter(fewest_known(webview, record, knowledge) for record in webview.records)
    result = sordino.audit(webview.records, policy_of(webview, knowledge), top=25)
    assert result.records == len(webview.records)
    assert expected[1] > 0
    assert result.exposure_by_knowledge == {"1": expected[1], "2": expected[2], "3": 0, "more": 0}
    assert result.people_at_risk == expected[1] + expected[2]
    assert not result.holds
    rules = [{*f.antecedent, f.consequent} for f in result.findings]
    covered = sum(any(rule.issubset(record) for rule in rules) for record in webview.records)
    assert covered == result.people_at_risk if len(rules) < 25 else covered <= result.people_at_risk
    for finding in result.findings:
        assert webview.sup[finding.antecedent] == finding.support
        assert webview.sup[tuple(sorted((*finding.antecedent, finding.consequent)))] == finding.with_consequent
        assert 10 * finding.with_consequent > 7 * finding.support
        assert finding.consequent in webview.sensitive
        assert len(finding.antecedent) <= knowledge


def must_be_honest(cut: sordino.AuditResult, full: sordino.AuditResult) -> None:
    """What an audit that was cut short says is so, and it says what it did not look at."""
    assert not full.holds
    assert not cut.holds
    assert cut.unchecked
    assert not cut.complete
    assert cut.answer == ("fails" if cut.people_at_risk else "not checked")
    assert ("at least" if cut.people_at_risk else "NOT CHECKED") in cut.verdict()
    assert bool(cut.findings) == bool(cut.people_at_risk)
    assert cut.people_at_risk <= full.people_at_risk
    for key, count in cut.exposure_by_knowledge.items():
        assert count == full.exposure_by_knowledge[key] if cut.exact[key] else count <= full.exposure_by_knowledge[key]


def test_webview_with_unlimited_knowledge_and_without_time(webview: WebView) -> None:
    """One and two known items expose the same people whatever more somebody knows; a cut audit never claims more."""
    policy = policy_of(webview, None)
    full = sordino.audit(webview.records, policy)
    two = sordino.audit(webview.records, policy_of(webview, 2))
    assert full.complete
    assert {k: full.exposure_by_knowledge[k] for k in "12"} == {k: two.exposure_by_knowledge[k] for k in "12"}
    assert sum(full.exposure_by_knowledge.values()) == full.people_at_risk
    cut = sordino.audit(webview.records, policy, time_limit=0)
    must_be_honest(cut, full)
    assert cut.people_at_risk == 0  # nothing was looked at


def test_webview_whole_and_cut_short(data_folder: Path) -> None:
    """The whole file, of records of up to 267 items: whenever the time is over, what is told is so."""
    baskets = sordino.read_baskets(data_folder / "BMS-WebView-1.dat.gz")
    sensitive = random.Random(20_10).sample(sorted(baskets.names), round(0.4 * len(baskets.names)))
    policy = sordino.InferencePolicy(sensitive, "0.7")
    full = sordino.audit(baskets, policy)
    assert full.complete
    told = 0
    for limit in (0.05, 0.2, 0.4, 0.8):
        cut = sordino.audit(baskets, policy, time_limit=limit)
        assert cut.seconds < limit + 2
        if not cut.complete:
            must_be_honest(cut, full)
            told += cut.people_at_risk > 0
    assert told
