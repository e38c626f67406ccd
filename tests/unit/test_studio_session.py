"""What comes of work: never a result about another policy, or other data, than those that are there."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

import sordino

pytest.importorskip("nicegui")

from sordino.studio import reading
from sordino.studio.places import Places
from sordino.studio.session import CHANGED, Session, Sessions, Shared
from sordino.studio.stated import state_text
from sordino.studio.steps import choose, publish, risk

SHOP = "bread,milk,wine\nbread,milk\nwine,milk\nbread,wine\n" * 20
POLICY = '[sensitive]\nitems = ["{}"]\n[threshold]\nrho = "{}"\n'


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session with baskets and a policy under which they are safe."""
    (tmp_path / "private").mkdir()
    (tmp_path / "shop.csv").write_text(SHOP)
    shared = Shared(Places((tmp_path,)), tmp_path / "releases", tmp_path / "private", 1 << 20)
    found = Sessions(shared).begin("me")
    found.take(reading.open_data(tmp_path / "shop.csv", "shop.csv", "shop.csv", None, {}))
    state_text(found, POLICY.format("wine", "0.9"))
    assert found.policy is not None
    assert not found.problems
    return found


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Audits, releases and comparisons are done, and handed over only when this is set."""
    free = threading.Event()
    for verb in ("audit", "protect", "compare"):
        done = getattr(sordino, verb)

        def later(*arguments: Any, done: Any = done, **named: Any) -> Any:
            result = done(*arguments, **named)
            assert free.wait(300)
            return result

        monkeypatch.setattr(sordino, verb, later)
    return free


def ended(session: Session) -> None:
    end = time.monotonic() + 300  # kernels may be compiled first
    while session.busy:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_audit_of_what_is_still_there_is_kept(session: Session, held: threading.Event) -> None:
    risk.start(session)
    held.set()
    ended(session)
    assert session.trouble is None
    assert session.audit.holds


def test_a_safe_audit_is_not_shown_of_a_policy_that_was_changed_meanwhile(
    session: Session, held: threading.Event
) -> None:
    risk.start(session)
    state_text(session, POLICY.format("wine", "0.1"))  # which does not hold
    held.set()
    ended(session)
    assert session.audit is None
    assert session.audited is None
    assert session.trouble == ("risk", f"{CHANGED} Audit again.")


def test_nor_of_a_policy_that_was_changed_and_has_problems_now(session: Session, held: threading.Event) -> None:
    risk.start(session)
    state_text(session, POLICY.format("beer", "0.1"))
    held.set()
    ended(session)
    assert session.audit is None


def test_a_comparison_is_not_shown_of_another_policy(session: Session, held: threading.Event) -> None:
    choose.start(session, ["mine"], ["0.9"])
    state_text(session, POLICY.format("milk", "0.9"))
    held.set()
    ended(session)
    assert session.comparison is None
    assert session.compared is None


def test_a_release_of_the_policy_before_is_told_as_such(session: Session, held: threading.Event) -> None:
    publish.start(session, None, "shuffle", "shop-release")
    state_text(session, POLICY.format("milk", "0.1"))
    held.set()
    ended(session)
    assert session.released is None, "it is not shown beside another policy as if it were about that"
    assert [run.name for run in session.runs] == ["shop-release"]
    assert session.trouble == ("publish", f"{CHANGED} The release 'shop-release' is among the earlier runs.")
    assert sordino.verify(session.shared.out / "shop-release").holds


def test_data_that_were_asked_for_are_opened_whatever_is_typed_meanwhile(session: Session, tmp_path: Path) -> None:
    free = threading.Event()

    def work(_: Any) -> Any:
        assert free.wait(300)
        return reading.open_data(tmp_path / "shop.csv", "again.csv", "again.csv", None, {})

    session.start("open", "Reading", work, session.take)
    state_text(session, POLICY.format("milk", "0.1"))
    free.set()
    ended(session)
    assert session.opened is not None
    assert session.opened.name == "again.csv"
    assert session.policy is None
