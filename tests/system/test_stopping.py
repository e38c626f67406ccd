"""Long work ends soon after its time is over, or after Ctrl-C: whatever kernel it is in at that moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import large
import sordino
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.policy.answer import Answer
from sordino.policy.assurance import Assurance

TESTS = Path(__file__).parents[1]
SOON = 2.0  # seconds


@pytest.fixture(scope="module")
def chess() -> Baskets:
    small = large.chess_like(40, 8)  # so that kernels are compiled before any clock runs
    own = {u: [large.winner(small)] for u in range(0, 40, 2)}
    for knowledge in (None, 2, 3):
        for sensitive, choices in (([large.winner(small)], None), ([], own)):
            policy = sordino.InferencePolicy(sensitive, "0.6", per_record=choices, knowledge=knowledge)
            audit_baskets(small, policy)
    return large.chess_like()


def must_stop(baskets: Baskets, policy: sordino.InferencePolicy, limit: float) -> sordino.AuditResult:
    started = time.monotonic()
    result = audit_baskets(baskets, policy, time_limit=limit)
    assert time.monotonic() - started < limit + SOON
    assert not result.holds
    assert result.unchecked
    assert not result.complete
    assert result.answer is (Answer.FAILS if result.people_at_risk else Answer.NOT_CHECKED)
    return result


@pytest.mark.parametrize("rho", ["0.9", "0.99"])
def test_long_records_that_share_nearly_everything(chess: Baskets, rho: str) -> None:
    """Some disclosures show at once; how many more there are would take minutes."""
    result = must_stop(chess, sordino.InferencePolicy([large.winner(chess)], rho), 1)
    assert result.people_at_risk > 0
    assert result.findings
    assert result.unchecked[-1].endswith("known items was not all examined.")


def test_long_records_and_personal_choices(chess: Baskets) -> None:
    own = {u: [large.winner(chess)] for u in range(0, len(chess), 2)}
    must_stop(chess, sordino.InferencePolicy([], "0.99", per_record=own), 1)


@pytest.mark.parametrize("limit", [0, 0.3, 1])
def test_a_million_records_with_everything_sensitive(chess: Baskets, limit: float) -> None:
    del chess  # the kernels are compiled
    table = large.many_records()
    must_stop(table, large.everything_sensitive(table), limit)
    if limit == 1:
        must_stop(table, large.everything_sensitive(table, knowledge=3), limit)
        assurance = Assurance("0.001", "0.001", max_knowledge=5)
        must_stop(table, large.everything_sensitive(table, assurance=assurance), limit)


@pytest.mark.parametrize("work", large.WORK)
def test_ctrl_c_is_heard(work: str) -> None:
    with subprocess.Popen(
        [sys.executable, str(TESTS / "large.py"), work],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            assert process.stdout.readline() == "interrupted\n"
            assert time.monotonic() - sent < SOON
        finally:
            process.kill()
