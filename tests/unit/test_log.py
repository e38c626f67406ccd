"""The logger "sordino": what is done and what came out, and nothing from the data."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import sordino

SECRET = "zidovudine"
RECORDS = [{"anna", SECRET}, {"anna"}, {"ben", SECRET}, {"ben", "carl"}] * 2
POLICY = sordino.InferencePolicy([SECRET], "0.4")


def test_verbs_are_told_without_contents(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.INFO, logger="sordino"):
        sordino.audit(RECORDS, POLICY)
        release = sordino.protect(RECORDS, POLICY, seed=1)
        sordino.verify(release.write(tmp_path / "secret-name"))
        sordino.measure(RECORDS, RECORDS)
        sordino.compare(RECORDS, POLICY, methods=["mine"])
        sordino.rules([{"a": "anna", "b": SECRET}, {"a": "ben", "b": "x"}] * 9, sensitive="b", quasi=["a"])
        with pytest.raises(sordino.InputError):
            sordino.audit([5], POLICY)
    told = [record.getMessage() for record in caplog.records]
    assert [line.split()[0] for line in told if "begins" in line] == [
        *("audit", "protect", "write", "verify", "measure", "compare", "protect", "rules", "audit")
    ]
    assert any("people at risk 4, fails" in line for line in told)
    assert any("method mine" in line for line in told)
    assert any("ended after" in line and "InputError" in line for line in told)
    text = " ".join(told)
    assert not any(word in text for word in (SECRET, "anna", "ben", "carl", "secret-name"))
    assert {record.name for record in caplog.records} == {"sordino"}


def test_nothing_is_told_unasked(caplog: pytest.LogCaptureFixture) -> None:
    sordino.audit(RECORDS, POLICY)
    assert not caplog.records
