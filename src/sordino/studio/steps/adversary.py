"""Play the adversary: pick what you know about somebody, and see what the file would tell you, before and after."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from nicegui import ui

from sordino.errors import SordinoError
from sordino.studio.guess import Guess, guess_group, guess_items, guess_value, rule_limits, showing
from sordino.studio.session import Session
from sordino.studio.shown import title
from sordino.studio.tab import Tab
from sordino.words.text import clean, count, percent

__all__ = ["build"]

OFFERED = 1000  # items, or values of a column, to pick from
SHOWN = 8  # guesses
LEAD = "Pick what you know about somebody, and see what the file would tell you."
TRIED = 3  # findings that are offered to try
OTHERWISE = "This form of release shows items in another way; the audit says what can be inferred."


def build(tab: Tab) -> None:
    ui.label(LEAD).classes("lead")
    opened = tab.session.opened
    assert opened is not None
    if opened.table:
        _Columns(tab)
    else:
        _Items(tab)


class _Game(ABC):
    """What is picked, and what follows: left from the file as it is, right from the release, if there is one."""

    def __init__(self, tab: Tab) -> None:
        assert tab.session.opened is not None
        self.session: Session = tab.session
        self.data: Any = tab.session.opened.data
        self.policy = tab.session.named
        released = self.session.released
        self.release: Any = None if released is None else released.release
        self.prepare()
        with ui.column().classes("panel"):
            self._offer_to_try()
            self.pick()
            self.answer = ui.element("div").classes("halves").props('role="status" aria-live="polite"')
        self.tell()

    @abstractmethod
    def prepare(self) -> None:
        """Look up once what stays the same."""

    @abstractmethod
    def pick(self) -> None:
        """The fields in which is said what is known."""

    @abstractmethod
    def picked_nothing(self) -> bool:
        """Whether nothing is known yet."""

    @abstractmethod
    def guess(self, *, after: bool) -> Guess | None:
        """What the data tell about whoever fits; None if that cannot be counted here."""

    @abstractmethod
    def limits(self, *, after: bool) -> Mapping[str, Fraction]:
        """How sure one may become of each, for whoever knows what is picked."""

    @abstractmethod
    def beyond(self) -> str:
        """Why the policy says nothing about somebody who knows what is picked; nothing if it does."""

    @abstractmethod
    def tries(self) -> list[tuple[str, Any]]:
        """Of what the audit found, what can be picked with one click: its name, and what `try_out` takes."""

    @abstractmethod
    def try_out(self, finding: Any) -> None:
        """Pick what somebody must know for a finding."""

    def _offer_to_try(self) -> None:
        offered = list(dict(self.tries()).items())[:TRIED]
        if not offered:
            return
        with ui.row().classes("items-center"):
            ui.label("What the audit found:")
            for name, finding in offered:
                ui.button(f"Try: {name}", on_click=lambda finding=finding: self.try_out(finding)).props(
                    "no-caps outline dense"
                )

    def tell(self) -> None:
        self.answer.clear()
        with self.answer:
            self._side("The file as it is", after=False)
            if self.release is not None:
                self._side("After protection", after=True)
            else:
                with ui.column():
                    title("After protection")
                    ui.label("Publish first; then the release is asked the same.").classes("lead")

    def _side(self, head: str, *, after: bool) -> None:
        guess = self.guess(after=after)
        with ui.column().classes("room"):
            title(head)
            if guess is None:
                ui.label(OTHERWISE)
                return
            limits = {} if self.beyond() or self.picked_nothing() else self.limits(after=after)
            ui.label(self._told(guess, limits)).mark("told")
            ui.html(_meters(guess, limits), sanitize=False).classes("w-full")

    def _told(self, guess: Guess, limits: Mapping[str, Fraction]) -> str:
        if self.picked_nothing():
            return f"You know nothing yet: all {guess.of:,} people fit."
        if not guess.fitting:
            return f"Nobody of {guess.of:,} fits: the file tells you nothing."
        fits = f"{count(guess.fitting, 'person fits', 'people fit')}, of {guess.of:,}."
        if guess.hidden:
            some = "All of them" if guess.hidden == guess.fitting else f"{guess.hidden:,} of them"
            fits += f" {some} may be the one only because some of what you know is hidden."
        sure = (
            f" You would be {percent(guess.surest())} sure: {clean(guess.likely[0][0])}."
            if guess.likely and guess.likely[0][1]
            else ""
        )
        if self.beyond():
            return f"{fits}{sure} {self.beyond()}"
        over = [(name, number) for name, number in guess.likely if _is_over(name, number, guess, limits)]
        if over:
            name, number = over[0]
            return (
                f"{fits} You would be {percent(number / guess.fitting)} sure: {clean(name)}. The policy forbids that."
            )
        if not limits:
            return f"{fits}{sure} The policy says nothing about that."
        return f"{fits} Nothing can be inferred that the policy forbids."


def _is_over(name: str, number: Fraction, guess: Guess, limits: Mapping[str, Fraction]) -> bool:
    return name in limits and bool(guess.fitting) and number > limits[name] * guess.fitting


def _meters(guess: Guess, limits: Mapping[str, Fraction]) -> str:
    rows = []
    for name, number in guess.likely[:SHOWN]:
        share = number / guess.fitting if guess.fitting else Fraction(0)
        limit = limits.get(name)
        over = " over" if _is_over(name, number, guess, limits) else ""
        line = "" if limit is None else f'<div class="limit" style="left:{float(limit):.1%}"></div>'
        figure = f"{percent(share)}" + (", too sure" if over else "")
        rows.append(
            f'<div class="name">{html.escape(clean(name))}</div><div class="track">'
            f'<div class="fill{over}" style="width:{float(share):.1%}"></div>{line}</div>'
            f'<div class="figure">{figure}</div>'
        )
    return f'<div class="meter">{"".join(rows)}</div>'


class _Items(_Game):
    def prepare(self) -> None:
        self.before = self._thresholds(self.data)
        self.after: Mapping[str, Fraction] = self.before
        self.seen: Any = None if self.release is None else self.release.data
        if self.seen is not None and self.session.released is not None and not hasattr(self.seen, "indptr"):
            self.seen = self.session.released.leaves
        if self.seen is not None and self.policy.adaptive_on == "release":
            self.after = self._thresholds(self.seen)

    def _thresholds(self, data: Any) -> Mapping[str, Fraction]:
        try:
            found: Mapping[str, Fraction] = self.policy.resolve(data, missing="accept").thresholds
        except SordinoError:
            return {}
        return found

    def pick(self) -> None:
        data, offered = self.data, self._offered()
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

    def tries(self) -> list[tuple[str, Any]]:
        found = () if self.session.audit is None else self.session.audit.findings
        known = {*self.data.names} if len(self.data.names) <= OFFERED else set(self._offered())
        fit = [one for one in found if {*one.antecedent, *one.absent} <= known]
        return [(clean(_known_items(one)), one) for one in fit]

    def try_out(self, finding: Any) -> None:
        self.absent.set_value(list(finding.absent))
        self.present.set_value(list(finding.antecedent))

    def picked_nothing(self) -> bool:
        return not self.present.value and not self.absent.value

    def guess(self, *, after: bool) -> Guess | None:
        data = self.seen if after else self.data
        wider = after and self.seen is not self.release.data  # what is shown by a wider name may not be lacking
        if data is None or (wider and self.absent.value):
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
        if self.absent.value and not known:
            return "The policy is about somebody who knows at least one item that the person has."
        if policy.personal or policy.assurance is not None:
            return "Under this policy it depends on the person; the audit tells."
        return ""

    def limits(self, *, after: bool) -> Mapping[str, Fraction]:
        return self.after if after else self.before

    def _offered(self) -> dict[str, str]:
        data = self.data
        order = sorted(range(len(data.names)), key=lambda code: -int(data.supports[code]))[:OFFERED]
        return {data.names[k]: f"{clean(data.names[k])} ({int(data.supports[k]):,})" for k in order}


def _known_items(finding: Any) -> str:
    absent = f" and not {' + '.join(finding.absent)}" if finding.absent else ""
    return " + ".join(finding.antecedent) + absent


class _Columns(_Game):
    def prepare(self) -> None:
        self.known: dict[str, str] = {}
        self.selects: dict[str, Any] = {}
        policy = self.policy
        self.wanted = [policy.sensitive] if policy.kind == "diversity" else []
        if policy.kind == "template":
            self.wanted = list(dict.fromkeys(template.sensitive for template in policy.templates))
            # As the policy sees the table: numbers in ranges, if it says so.
            self.data, self.rules = self._resolved(self.data)
        self.sensitive = self.wanted[0]
        self.seen: Any = None if self.release is None else self.release.data
        if self.seen is not None and policy.kind == "template":
            self.seen, self.rules_after = self._resolved(self.seen)

    def _resolved(self, table: Any) -> tuple[Any, Any]:
        found = self.policy.resolve(table, missing="accept")
        return found.table, found.stated

    def pick(self) -> None:
        if len(self.wanted) > 1:
            ui.select(
                {name: clean(name) for name in self.wanted}, label="What you want to learn", value=self.sensitive,
                on_change=lambda e: self.turn(str(e.value)),
            ).mark("wanted")  # fmt: skip
        else:
            ui.label(f"What you want to learn: {clean(self.sensitive)}")
        self.fields = ui.element("div").classes("choices")
        self.offer()

    def tries(self) -> list[tuple[str, Any]]:
        found = [] if self.policy.kind != "template" or self.session.audit is None else self.session.audit.findings
        fit = [one for one in found if one.sensitive == self.sensitive]
        return [(", ".join(clean(f"{name}: {text}") for name, text in one.known.items()), one) for one in fit]

    def try_out(self, finding: Any) -> None:
        self.turn(finding.sensitive)
        for name, text in finding.known.items():
            self.selects[name].set_value(text)

    def turn(self, sensitive: str) -> None:
        """Another column is to be learnt."""
        self.sensitive, self.known = sensitive, {}
        self.fields.clear()
        self.offer()
        self.tell()

    def offer(self) -> None:
        policy = self.policy
        columns = list(policy.quasi) if policy.kind == "diversity" else []
        if policy.kind == "template":
            about = [template for template in policy.templates if template.sensitive == self.sensitive]
            columns = list(dict.fromkeys(name for template in about for name in template.given))
        with self.fields:
            for name in columns:
                column = self.data.column(name)
                pairs = sorted(zip(column.texts, column.counts.tolist(), strict=True), key=lambda pair: -pair[1])
                offered = {text: f"{clean(text)} ({n:,})" for text, n in pairs[:OFFERED] if n}
                self.selects[name] = ui.select(
                    offered, label=clean(name), clearable=True, with_input=True,
                    on_change=lambda e, name=name: self.picked(name, e.value),
                ).mark(f"known-{name}")  # fmt: skip

    def picked(self, name: str, text: str | None) -> None:
        if text is None:
            self.known.pop(name, None)
        else:
            self.known[name] = text
        self.tell()

    def picked_nothing(self) -> bool:
        return not self.known

    def guess(self, *, after: bool) -> Guess | None:
        if not after:
            return guess_value(self.data, self.known, self.sensitive)
        if self.policy.kind == "diversity":
            return guess_group(self.seen, self.known, self.sensitive, self.release.group)
        trees = self.policy.hierarchies
        wider = {name: showing(text, self.policy.symbol, trees.get(name)) for name, text in self.known.items()}
        return guess_value(self.seen, self.known, self.sensitive, wider)

    def beyond(self) -> str:
        if self.policy.kind == "diversity":
            rules = " What rules exclude is not taken away here; the audit does it." if self.policy.mined else ""
            return f"The policy demands that at least {self.policy.l} values stay possible for everybody.{rules}"
        about = [set(t.given) for t in self.policy.templates if t.sensitive == self.sensitive]
        if not any(set(self.known) <= given for given in about):
            return "No rule of the policy is about somebody who knows all these columns."
        return ""

    def limits(self, *, after: bool) -> Mapping[str, Fraction]:
        """What the templates say about each value, for whoever knows no more than they speak of."""
        table, rules = (self.seen, self.rules_after) if after else (self.data, self.rules)
        return rule_limits(table, rules, self.sensitive, self.known)
