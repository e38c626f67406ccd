"""The requirement on set-valued data: nobody may infer a sensitive item above its threshold (model.md 1.1)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import compress
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.totals import Totals
from sordino.errors import InputError, PolicyError, did_you_mean, problem_with
from sordino.policy.assurance import Assurance
from sordino.policy.choices import EVERYBODY, NOBODY, Choices, PersonalChoices, read_choices, resolve_choices
from sordino.policy.text import read_name_list
from sordino.policy.threshold import Rational, floor_fraction, read_rational, read_threshold, show_rational

__all__ = ["InferencePolicy", "ResolvedInference", "absent_items"]

ADAPTIVE_FROM = Fraction(2, 5)  # the default adaptive rule: rho + max(0, F - 2/5), at most 19/20
ADAPTIVE_CAP = Fraction(19, 20)
ADAPTIVE_ON = ("release", "original")
MOST_KNOWN = 1_000_000


@dataclass(frozen=True)
class InferencePolicy:
    """Which items are sensitive, how surely they may be inferred, and how much an adversary knows.

    sensitive: names of the items, or the Path of a file with one a line; rho: the common threshold; rho_of: thresholds
    of single items; adaptive: True for the default rule, or the factor eps (one for all, or item -> eps) of rho_e = rho
    + eps_e F(e); adaptive_on: whose frequencies F these are, "release" (as everybody can count there) or "original"
    (fixed when a release is made, and stated in it one by one); knowledge: the most items of a record that an adversary
    knows, None for any number; absent: "any" if he may also know any items that a person does NOT have, None if he
    knows of none. Numbers are exact: "0.3", "1/3", "30%".

    per_record: what single persons find sensitive besides; except_for: what of it all they do not. Both name records by
    id, or by position from 0 where the data have no ids: a mapping record -> items, pairs, a frame, or the path of a
    CSV or Parquet file with a record and an item column. An adversary then knows items of a person's *original* record.
    assurance: be sure of most adversaries only, by sampling (see policy/assurance.py), instead of all.
    """

    kind: ClassVar[str] = "inference"
    file: ClassVar[str] = "sordino.policy.inference_file"

    sensitive: tuple[str, ...]
    rho: Fraction = Fraction(1, 2)
    rho_of: Mapping[str, Fraction] = field(default_factory=dict)
    adaptive: bool | Fraction | Mapping[str, Fraction] = False
    knowledge: int | None = None
    absent: str | None = None
    per_record: Choices | None = field(default=None, repr=False)
    except_for: Choices | None = field(default=None, repr=False)
    assurance: Assurance | None = None
    adaptive_on: str = "release"

    def __init__(
        self,
        sensitive: Iterable[object] | os.PathLike[str] = (),
        rho: Rational = "0.5",
        *,
        rho_of: Mapping[str, Rational] | None = None,
        adaptive: bool | Rational | Mapping[str, Rational] = False,
        knowledge: int | None = None,
        absent: str | None = None,
        per_record: object = None,
        except_for: object = None,
        assurance: Assurance | None = None,
        adaptive_on: str = "release",
    ) -> None:
        problems: list[str] = []
        own_choices = _read_choices(problems, "per_record", per_record)
        exceptions = _read_choices(problems, "except_for", except_for)
        if isinstance(sensitive, str):
            sensitive = [sensitive]
        elif isinstance(sensitive, os.PathLike):
            sensitive = _read_names(problems, sensitive)
        if not isinstance(sensitive, Iterable):
            problems.append("sensitive must be names of items")
            sensitive = ()
        names = tuple(dict.fromkeys(map(str, sensitive)))
        common = _read(problems, "rho", rho)
        if rho_of is not None and not isinstance(rho_of, Mapping):
            problems.append("rho_of must be a mapping from items to thresholds")
            rho_of = None
        own = {
            str(item): _read(problems, f"the threshold of '{item}'", value) for item, value in (rho_of or {}).items()
        }
        for item in own:
            if item not in names and own_choices is None:
                problems.append(f"'{item}' has a threshold but is not sensitive.{did_you_mean(item, names)}")
        rule: bool | Fraction | Mapping[str, Fraction]
        if isinstance(adaptive, bool):
            rule = adaptive
        elif isinstance(adaptive, Mapping):
            for item in adaptive:
                if str(item) not in names and own_choices is None:
                    near = did_you_mean(str(item), names)
                    problems.append(f"'{item}' has an adaptive factor but is not sensitive.{near}")
            rule = {str(i): _read_factor(problems, f"the adaptive factor of '{i}'", v) for i, v in adaptive.items()}
        else:
            rule = _read_factor(problems, "the adaptive factor", adaptive)
        if adaptive_on not in ADAPTIVE_ON:
            problems.append('adaptive_on must be "release" or "original"')
        elif adaptive_on == "original" and rule is False:
            problems.append('adaptive_on = "original" says whose frequencies decide, but no threshold is adaptive')
        if knowledge is not None and (isinstance(knowledge, bool) or not isinstance(knowledge, int) or knowledge < 1):
            problems.append("knowledge must be a whole number of items, 1 or more (leave it out for unlimited)")
        elif knowledge is not None and knowledge > MOST_KNOWN:
            problems.append(f"knowledge can be {MOST_KNOWN:,} items at most (leave it out for unlimited)")
        if absent is not None:
            limits = {
                "choices of single persons": own_choices is not None or exceptions is not None,
                "a limited number of known items": knowledge is not None,
                "a sampled assurance": assurance is not None,
            }
            problems += _absence_problems(absent, [what for what, stated in limits.items() if stated])
        if problems:
            raise PolicyError(problems, sensitive=names)
        for name, value in (
            ("sensitive", names),
            ("rho", common),
            ("rho_of", own),
            ("adaptive", rule),
            ("knowledge", knowledge),
            ("absent", absent),
            ("per_record", own_choices),
            ("except_for", exceptions),
            ("assurance", assurance),
            ("adaptive_on", adaptive_on),
        ):
            object.__setattr__(self, name, value)

    @property
    def personal(self) -> bool:
        """Whether people chose for themselves."""
        return self.per_record is not None or self.except_for is not None

    def with_choices(self, choices: Choices | str | os.PathLike[str] | None) -> InferencePolicy:
        """The policy with these choices of single persons, if there are any; an InputError if it has some already."""
        if choices is None:
            return self
        if self.per_record is not None:
            raise InputError("the policy names choices already", hint="Leave --choices out.")
        return replace(self, per_record=choices if isinstance(choices, Choices) else read_choices(choices))

    def for_everybody(self) -> InferencePolicy:
        """The policy in which whatever anybody finds sensitive is so for all: where it holds, this one does.

        A rule that nobody may use against anyone is used against nobody. The opposite is not so: it demands more.
        """
        if not self.personal:
            return self
        chosen = () if self.per_record is None else self.per_record.items
        names = tuple(dict.fromkeys((*self.sensitive, *chosen)))
        rule = self.adaptive
        if isinstance(rule, Mapping):
            rule = {item: factor for item, factor in rule.items() if item in names}
        own = {item: rho for item, rho in self.rho_of.items() if item in names}
        return replace(self, sensitive=names, rho_of=own, adaptive=rule, per_record=None, except_for=None)

    def only(self, items: Iterable[str]) -> InferencePolicy:
        """The policy as far as these items go. For data that hold no other items it demands the same."""
        here = frozenset(items)
        rule = self.adaptive
        if isinstance(rule, Mapping):
            rule = {item: factor for item, factor in rule.items() if item in here}
        return replace(
            self,
            sensitive=tuple(name for name in self.sensitive if name in here),
            rho_of={item: rho for item, rho in self.rho_of.items() if item in here},
            adaptive=rule,
        )

    def resolve(self, baskets: Baskets | Totals, *, missing: str = "error") -> ResolvedInference:
        """The policy in the codes of `baskets`, with the threshold of every sensitive item.

        Sensitive items that occur nowhere are a problem (a typing error is a missed disclosure), and so are choices of
        records that are not there, unless missing="accept", as for a release from which an item has vanished.
        """
        if missing not in ("error", "accept"):
            raise InputError(f"missing cannot be '{missing}'", hint='Possible: "error", "accept".')
        problems: list[str] = []
        remarks: list[str] = []
        code_of, supports = baskets.code_of, baskets.supports
        codes = np.array([code_of.get(name, -1) for name in self.sensitive], dtype=np.int64)
        occurring = codes >= 0
        occurring[occurring] = supports[codes[occurring]] > 0
        here, absent = list(self.sensitive), []
        if not occurring.all():
            absent = [name for name, there in zip(here, occurring.tolist(), strict=True) if not there]
            here, codes = list(compress(here, occurring.tolist())), codes[occurring]
        if absent and missing == "error":
            problems += absent_items(self.sensitive, baskets)
        elif absent:
            what = "1 sensitive item occurs" if len(absent) == 1 else f"{len(absent):,} sensitive items occur"
            remarks.append(f"{what} in no record, so there is nothing to infer.")
        if not self.sensitive and not self.personal:
            remarks.append("The policy names nothing as sensitive, so there was nothing to look for.")
        personal: PersonalChoices | None = None
        if self.personal:
            if isinstance(baskets, Totals):
                raise InputError("choices of single persons need the records, not only their totals")
            common = np.zeros(len(baskets.names), dtype=np.bool_)
            common[codes] = True
            personal, noted = resolve_choices(baskets, common, self.per_record, self.except_for)
            remarks += noted.remarks
            problems += noted.wrong
            problems += noted.lacking if missing == "error" else []
            codes = np.flatnonzero(personal.row != NOBODY)
            here = [baskets.names[code] for code in codes]
            if not (personal.row >= 0).any():  # all chose the same: the common model, and nothing else
                personal = None
        records = max(len(baskets), 1)
        mask = np.zeros(len(baskets.names), dtype=np.bool_)
        num = np.ones(len(baskets.names), dtype=np.int64)
        den = np.ones(len(baskets.names), dtype=np.int64)
        thresholds: dict[str, Fraction] = {}
        comparison: dict[str, Fraction] = {}
        capped = 0
        if self.adaptive is False:  # one threshold for nearly all: found once, and written over where it differs
            exact = floor_fraction(self.rho, records)
            mask[codes], num[codes], den[codes] = True, exact.numerator, exact.denominator
            thresholds, comparison = dict.fromkeys(here, self.rho), dict.fromkeys(here, exact)
        for name in here if self.adaptive is not False else [name for name in here if name in self.rho_of]:
            code = code_of[name]
            rho, cut = self._threshold(name, Fraction(int(supports[code]), records))
            capped += cut
            if not 0 < rho < 1:
                problems.append(f"the adaptive threshold of '{name}' is {show_rational(rho)}, not between 0 and 1")
                continue
            thresholds[name] = rho
            comparison[name] = exact = floor_fraction(rho, records)
            mask[code], num[code], den[code] = True, exact.numerator, exact.denominator
        if capped:
            what = "1 frequent item" if capped == 1 else f"{capped} frequent items"
            remarks.append(f"The adaptive threshold of {what} was capped at 0.95.")
        if self.adaptive_on == "original":
            remarks.append("Thresholds follow from the frequencies in these data, which are taken to be the original.")
        if problems:
            raise PolicyError(problems)
        return ResolvedInference(self, mask, num, den, thresholds, comparison, tuple(remarks), personal)

    def stated_on(self, original: Baskets, *, missing: str = "error") -> InferencePolicy:
        """The policy with every threshold stated, if they are to be those of the original; else the policy itself.

        Whoever has the stated policy can check it without the original. What it tells is, up to the rule, how frequent
        sensitive items were there.
        """
        if self.adaptive_on == "release":
            return self
        found = self.resolve(original, missing=missing).thresholds
        return replace(self, rho_of={**self.rho_of, **found}, adaptive=False, adaptive_on="release")

    def check_stated(self) -> None:
        """An InputError if the thresholds are those of an original that is not at hand."""
        if self.adaptive_on == "original":
            raise InputError(
                'the policy takes its thresholds from the original (adaptive_on = "original"), so what is published '
                "does not tell them",
                hint="Leave the policy out: the release states them one by one. They are in its keep/policy.toml, too.",
            )

    def thresholds_of(self, supports: Mapping[str, int], records: int) -> dict[str, Fraction]:
        """The threshold of every sensitive item that occurs, where only their numbers are known."""
        here = [name for name in self.sensitive if supports.get(name, 0)]
        found = {name: self._threshold(name, Fraction(supports[name], records))[0] for name in here}
        wrong = [name for name, rho in found.items() if not 0 < rho < 1]
        if wrong:
            raise PolicyError(f"the adaptive threshold of '{name}' is not between 0 and 1" for name in wrong)
        return found

    def _threshold(self, name: str, frequency: Fraction) -> tuple[Fraction, bool]:
        """The threshold of an item of this frequency, and whether the default rule's cap lowered it."""
        if name in self.rho_of:
            return self.rho_of[name], False
        if self.adaptive is True:
            rho = self.rho + max(Fraction(0), frequency - ADAPTIVE_FROM)
            return min(rho, ADAPTIVE_CAP), rho > ADAPTIVE_CAP
        if self.adaptive is False:
            return self.rho, False
        factor = self.adaptive.get(name, Fraction(0)) if isinstance(self.adaptive, Mapping) else self.adaptive
        return self.rho + factor * frequency, False


@dataclass(frozen=True, eq=False)
class ResolvedInference:
    """An inference policy in the item codes of one data set.

    For a sensitive code e, `num[e] / den[e]` is compared with confidences: it is the largest fraction that counts of
    these records can reach without exceeding the threshold (see floor_fraction), so the comparison is exact.
    `comparison` holds the same fractions by name. `sensitive` marks what somebody finds sensitive; `personal` says who,
    and is None if all do. `original` are the records of which an adversary knows items, if they are not the records at
    hand; only a personal policy needs them.
    """

    policy: InferencePolicy
    sensitive: npt.NDArray[np.bool_]
    num: npt.NDArray[np.int64]
    den: npt.NDArray[np.int64]
    thresholds: Mapping[str, Fraction]
    comparison: Mapping[str, Fraction]
    remarks: tuple[str, ...] = ()
    personal: PersonalChoices | None = None
    original: Baskets | None = field(default=None, repr=False)

    @property
    def knowledge(self) -> int | None:
        """The most items that an adversary knows; a sampled assurance reaches no farther than it says."""
        known, assurance = self.policy.knowledge, self.policy.assurance
        if assurance is None:
            return known
        return assurance.max_knowledge if known is None else min(known, assurance.max_knowledge)

    def personal_choices(self, records: int) -> PersonalChoices:
        """Who finds what sensitive, also if that is the same for all."""
        if self.personal is not None:
            return self.personal
        row = np.where(self.sensitive, EVERYBODY, NOBODY).astype(np.int64)
        return PersonalChoices(row, np.zeros((0, (records + 63) // 64), dtype=np.uint64), records)

    def sensitive_occurrences(self, baskets: Baskets) -> npt.NDArray[np.bool_]:
        """Which occurrences (record, item) are sensitive for the person whose record it is."""
        if self.personal is not None:
            return self.personal.occurrences(baskets)
        return self.sensitive[baskets.items]


def absent_items(sensitive: Sequence[str], baskets: Baskets | Totals) -> list[str]:
    """What is wrong with sensitive items that occur in no record."""
    known = {name for name, support in zip(baskets.names, baskets.supports.tolist(), strict=True) if support}
    absent = [name for name in sensitive if name not in known]
    words = sorted(known) if absent else []
    problems: list[str] = [
        problem_with(name, f"sensitive item '{name}' occurs in no record.", words) for name in absent[:5]
    ]
    if len(absent) > 5:
        problems.append(f"so it is with {len(absent) - 5:,} more of {len(sensitive):,} sensitive items")
    return problems


def _absence_problems(absent: object, beside: list[str]) -> list[str]:
    """What is wrong with knowledge of absence, and with what is stated beside it."""
    if absent != "any":
        return [
            'absent must be "any" (any number of items that a person lacks); leave it out if nobody knows what people '
            "lack"
        ]
    return [f'absent = "any" does not work together with {what} yet; leave one of the two out' for what in beside]


def _read_choices(problems: list[str], what: str, source: object) -> Choices | None:
    try:
        return None if source is None else read_choices(source)
    except InputError as error:
        problems.append(f"{what}: {error}")
        return None


def _read_names(problems: list[str], file: os.PathLike[str]) -> list[str]:
    try:
        return read_name_list(os.fspath(file))
    except InputError as error:
        problems.append(f"sensitive: {error}")
        return []


def _read(problems: list[str], what: str, value: Rational) -> Fraction:
    try:
        return read_threshold(value)
    except ValueError as error:
        problems.append(f"{what}: {error}")
        return Fraction(1, 2)


def _read_factor(problems: list[str], what: str, value: Rational) -> Fraction:
    try:
        return read_rational(value)
    except ValueError as error:
        problems.append(f"{what}: {error}")
        return Fraction(0)
