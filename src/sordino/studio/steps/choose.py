"""Choose: methods and thresholds side by side, the recommended choice and why."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from nicegui import ui

import sordino
from sordino.policy.threshold import read_rational, show_rational
from sordino.studio.commands import command_of
from sordino.studio.prepared import Prepared, prepare_page
from sordino.studio.session import CHANGED, Session
from sordino.studio.shown import SAME, command, show
from sordino.studio.stated import state_content
from sordino.studio.steps.publish import methods_of
from sordino.studio.steps.risk import not_ready
from sordino.studio.tab import Tab
from sordino.words.comparison import comparison_page

__all__ = ["build", "read_percents"]

LEAD = (
    "Runs several methods at several thresholds on your data, and tells what each would cost. This takes longer than "
    "one run; you can cancel it, and you can leave it out."
)


def build(tab: Tab) -> None:
    session = tab.session
    if not_ready(tab):
        return
    ui.label(LEAD).classes("lead")
    kind = session.policy.kind
    with ui.column().classes("panel"):
        offered = methods_of(kind)
        methods = ui.select(offered, value=list(offered)[:2], multiple=True, label="Methods").props("use-chips")
        methods.mark("methods")
        what = "Values that must stay possible" if kind == "diversity" else "Thresholds, in percent"
        listed = ui.input(what, value=", ".join(_usual(session))).mark("thresholds")

        def go() -> None:
            wanted = read_percents(str(listed.value), kind)
            listed.error = None if wanted else "Write numbers, with commas between them."
            methods.error = None if methods.value else "Choose a method."
            if wanted and methods.value:
                start(session, list(methods.value), wanted)

        ui.button("Compare", icon="balance", on_click=go).props("no-caps").classes("self-start").mark("compare")
    ui.label(SAME)

    def line() -> str:
        option = "--l" if kind == "diversity" else "--rho"
        stated = ",".join(read_percents(str(listed.value), kind) or ["..."])
        return command_of(session, "compare", option, stated, "--methods", ",".join(methods.value) or "...")

    shown = command(line())
    for one in (methods, listed):
        one.on_value_change(lambda _: shown.set(line()))
    if session.compared is not None:
        show(session.compared)
        chosen = session.comparison.recommended
        if chosen is not None:
            method, at = chosen.method.partition(":")[0], session.comparison.scale.at(chosen.threshold)
            with tab.onward_row():
                ui.button(f"Take '{method}' at {at}", icon="arrow_forward", on_click=lambda: take(tab)).props("no-caps")
                ui.button("or publish as it is", on_click=lambda: tab.go("publish")).props("no-caps flat")
            return
    tab.onward("protect and publish", "publish")


def take(tab: Tab) -> None:
    """Go on with what is recommended: the method, and a policy of that threshold."""
    session = tab.session
    chosen, own, policy = session.comparison.recommended, session.comparison.own, session.policy
    session.method = chosen.method.partition(":")[0]
    if chosen.threshold != own:
        content = copy.deepcopy(session.content)
        if policy.kind == "inference":
            content["threshold"] = {**content.get("threshold", {}), "rho": show_rational(chosen.threshold)}
        elif policy.kind == "diversity":
            content["l"] = int(chosen.threshold)
        else:
            at_most = show_rational(chosen.threshold)
            content["template"] = [{**entry, "at_most": at_most} for entry in content["template"]]
        state_content(session, content)
    session.changed()
    tab.go("publish")


def start(session: Session, methods: list[str], thresholds: list[str]) -> None:
    """Compare, and keep the result."""
    opened, policy = session.opened, session.policy
    assert opened is not None
    field = "l" if policy.kind == "diversity" else "at_most" if policy.kind == "template" else "rho"
    named: dict[str, Any] = {field: thresholds}

    def work(progress: Any) -> tuple[Any, Prepared]:
        compared = sordino.compare(opened.data, policy, methods=methods, progress=progress, **named)
        page = comparison_page(compared, command=_command(session), stated=True)
        return compared, prepare_page(page, unfolded=("frontier",))

    def then(got: tuple[Any, Prepared]) -> None:
        session.comparison, session.compared = got

    session.start("choose", "Compare", work, then, late=lambda _: f"{CHANGED} Compare again.")


def _command(session: Session) -> Callable[..., str]:
    """Commands about the same data and policy; the threshold stands in the policy."""

    def made(verb: str, *more: str, at: str = "") -> str:
        del at
        return command_of(session, verb, *more)

    return made


def _usual(session: Session) -> list[str]:
    """The policy's own threshold and two stricter ones, as they are typed."""
    policy = session.policy
    if policy.kind == "diversity":
        return [str(policy.l), str(policy.l + 1)]
    own = policy.rho if policy.kind == "inference" else min(template.at_most for template in policy.templates)
    return [show_rational(own * part * 100) for part in (Fraction(1), Fraction(3, 4), Fraction(1, 2))]


def read_percents(text: str, kind: str) -> list[str] | None:
    """Thresholds as the public face takes them; None if one is no number."""
    try:
        numbers = [read_rational(part.strip().rstrip("%").strip()) for part in text.split(",") if part.strip()]
    except ValueError:
        return None
    if kind == "diversity":
        return [str(int(number)) for number in numbers if number == int(number) and number >= 2] or None
    return [show_rational(number / 100) for number in numbers if 0 < number < 100] or None
