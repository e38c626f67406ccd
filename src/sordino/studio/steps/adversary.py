"""Play the adversary: pick what you know about somebody, and see what the file would tell you, before and after."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from nicegui import ui

from sordino.studio.board import Board
from sordino.studio.guess import Guess, guess_group, guess_items, guess_value
from sordino.studio.session import Session
from sordino.studio.shown import title
from sordino.words.text import clean, count, percent

__all__ = ["build"]

OFFERED = 1000  # items, or values of a column, to pick from
SHOWN = 8  # guesses
LEAD = "Pick what you happen to know about somebody. See at once what the file would tell you about that person."


def build(board: Board) -> None:
    ui.label(LEAD).classes("lead")
    opened = board.session.opened
    assert opened is not None
    if opened.table:
        _Columns(board)
    else:
        _Items(board)


class _Game(ABC):
    """What is picked, and what follows: left from the file as it is, right from the release, if there is one."""

    def __init__(self, board: Board) -> None:
        assert board.session.opened is not None
        self.session: Session = board.session
        self.data: Any = board.session.opened.data
        self.policy = board.session.policy
        with ui.column().classes("panel"):
            self.pick()
            self.answer = ui.element("div").classes("halves").props('role="status" aria-live="polite"')
        self.tell()

    @abstractmethod
    def pick(self) -> None:
        """The fields in which is said what is known."""

    @abstractmethod
    def guess(self, data: Any, *, after: bool) -> Guess | None:
        """What the data tell about whoever fits; None if they show items in another way."""

    @abstractmethod
    def limit(self, name: str) -> Fraction | None:
        """How sure one may become of it; None where the policy says nothing about somebody who knows that."""

    def beyond(self) -> str:
        """Why the policy says nothing about somebody who knows what is picked; nothing if it does."""
        return ""

    def tell(self) -> None:
        released = self.session.released
        self.answer.clear()
        with self.answer:
            self._side("The file as it is", self.guess(self.data, after=False))
            if released is not None and released.release is not None:
                self._side("After protection", self.guess(released.release.data, after=True))
            else:
                with ui.column():
                    title("After protection")
                    ui.label("Publish first; then the same question is asked of the release.").classes("lead")

    def _side(self, head: str, guess: Guess | None) -> None:
        with ui.column().classes("room"):
            title(head)
            if guess is None:
                ui.label("This form of release shows items in another way; the audit says what can be inferred.")
                return
            ui.label(self._told(guess)).mark("told")
            ui.html(self._meters(guess), sanitize=False).classes("w-full")

    def _told(self, guess: Guess) -> str:
        if not guess.fitting:
            return f"Nobody of {guess.of:,} fits: the file tells you nothing."
        if guess.fitting == guess.of:
            return f"You know nothing yet: all {guess.of:,} fit. This is how frequent it is among all."
        over = [name for name, number in guess.likely if self._over(name, number, guess)]
        fits = f"{count(guess.fitting, 'person fits', 'people fit')}, of {guess.of:,}."
        if self.beyond():
            surest = (
                f" You would be {percent(guess.surest())} sure: {clean(guess.likely[0][0])}." if guess.likely else ""
            )
            return f"{fits}{surest} {self.beyond()}"
        if not over:
            return f"{fits} Nothing can be inferred that the policy forbids."
        name, number = next((n, k) for n, k in guess.likely if n == over[0])
        return f"{fits} You would be {percent(number / guess.fitting)} sure: {clean(name)}. The policy forbids that."

    def _over(self, name: str, number: Fraction, guess: Guess) -> bool:
        limit = self.limit(name)
        return limit is not None and bool(guess.fitting) and number > limit * guess.fitting

    def _meters(self, guess: Guess) -> str:
        rows = []
        for name, number in guess.likely[:SHOWN]:
            share = number / guess.fitting if guess.fitting else Fraction(0)
            limit = self.limit(name)
            over = " over" if self._over(name, number, guess) else ""
            line = "" if limit is None else f'<div class="limit" style="left:{float(limit):.1%}"></div>'
            figure = f"{percent(share)}" + (", too sure" if over else "")
            rows.append(
                f'<div class="name">{html.escape(clean(name))}</div><div class="track">'
                f'<div class="fill{over}" style="width:{float(share):.1%}"></div>{line}</div>'
                f'<div class="figure">{figure}</div>'
            )
        return f'<div class="meter">{"".join(rows)}</div>'


class _Items(_Game):
    def pick(self) -> None:
        data = self.data
        order = sorted(range(len(data.names)), key=lambda code: -int(data.supports[code]))[:OFFERED]
        offered = {data.names[k]: f"{clean(data.names[k])} ({int(data.supports[k]):,})" for k in order}
        with ui.row().classes("w-full"):
            self.present = ui.select(
                offered, label="The person has", multiple=True, with_input=True, value=[],
                on_change=lambda _: self.tell(),
            ).props("use-chips").classes("grow").mark("present")  # fmt: skip
            self.absent = ui.select(
                offered, label="and does not have", multiple=True, with_input=True, value=[],
                on_change=lambda _: self.tell(),
            ).props("use-chips").classes("grow").mark("absent")  # fmt: skip
        if len(data.names) > OFFERED:
            ui.label(f"The {OFFERED:,} most frequent items are offered.").classes("lead")

    def guess(self, data: Any, *, after: bool) -> Guess | None:
        del after
        if not hasattr(data, "indptr"):
            return None
        known = set(self.present.value)
        wanted = [name for name in self.policy.sensitive if name not in known]
        return guess_items(data, self.present.value, self.absent.value, wanted)

    def beyond(self) -> str:
        policy, known = self.policy, len(self.present.value)
        if policy.knowledge is not None and known > policy.knowledge:
            return f"The policy reckons with somebody who knows at most {count(policy.knowledge, 'item')}."
        if self.absent.value and policy.absent is None:
            return "The policy does not reckon with somebody who knows what people do not have."
        if policy.personal or policy.assurance is not None:
            return "Under this policy it depends on the person; the audit tells."
        return "Thresholds depend on how frequent an item is; the audit tells." if policy.adaptive is not False else ""

    def limit(self, name: str) -> Fraction | None:
        return None if self.beyond() else Fraction(self.policy.rho_of.get(name, self.policy.rho))


class _Columns(_Game):
    def pick(self) -> None:
        self.known: dict[str, str] = {}
        policy = self.policy
        if policy.kind == "diversity":
            columns, self.sensitive = list(policy.quasi), policy.sensitive
        else:
            self.sensitive = policy.templates[0].sensitive
            about = [t for t in policy.templates if t.sensitive == self.sensitive]
            columns = list(dict.fromkeys(name for t in about for name in t.given))
        ui.label(f"What you want to learn: {clean(self.sensitive)}")
        with ui.element("div").classes("choices"):
            for name in columns:
                column = self.data.column(name)
                pairs = sorted(zip(column.texts, column.counts.tolist(), strict=True), key=lambda pair: -pair[1])
                offered = {text: f"{clean(text)} ({n:,})" for text, n in pairs[:OFFERED] if n}
                ui.select(
                    offered, label=clean(name), clearable=True, with_input=True,
                    on_change=lambda e, name=name: self.picked(name, e.value),
                ).mark(f"known-{name}")  # fmt: skip

    def picked(self, name: str, text: str | None) -> None:
        if text is None:
            self.known.pop(name, None)
        else:
            self.known[name] = text
        self.tell()

    def guess(self, data: Any, *, after: bool) -> Guess | None:
        released = self.session.released
        if after and self.policy.kind == "diversity" and released is not None:
            return guess_group(data, self.known, self.sensitive, released.release.group)
        return guess_value(data, self.known, self.sensitive)

    def beyond(self) -> str:
        if self.policy.kind == "diversity":
            return f"The policy demands that at least {self.policy.l} values stay possible for everybody."
        about = [set(t.given) for t in self.policy.templates if t.sensitive == self.sensitive]
        if not any(set(self.known) <= given for given in about):
            return "No rule of the policy is about somebody who knows all these columns."
        return ""

    def limit(self, name: str) -> Fraction | None:
        """What the templates say about a value, for whoever knows no more than they speak of."""
        if self.policy.kind == "diversity":
            return None
        stated = [
            template.at_most
            for template in self.policy.templates
            if template.sensitive == self.sensitive
            and (name in template.values or template.rarest == 1)
            and set(self.known) <= set(template.given)
        ]
        return min(stated, default=None)
