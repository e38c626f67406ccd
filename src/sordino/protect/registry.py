"""The methods there are. Adding one: a file in this room with a `protect` function, and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.data.generalized import Generalized
from sordino.data.permuted import Permuted
from sordino.data.table import Table
from sordino.engine.local import Watch
from sordino.errors import InputError, did_you_mean
from sordino.knowledge.exclusion import Exclusion
from sordino.policy.diversity import ResolvedDiversity
from sordino.policy.inference import ResolvedInference
from sordino.policy.template import ResolvedTemplate
from sordino.protect.ending import on_own_thread

__all__ = [
    "METHODS",
    "GroupProtector",
    "Method",
    "Protector",
    "TableProtector",
    "find_method",
    "is_true",
    "methods_for",
]


class Protector(Protocol):
    """What the `protect` function of a method's module must be.

    It returns baskets with the same records in the same order and the same names, in which the policy holds; a
    suppressor may only have deleted items. All randomness comes from `seed`; the result must not depend on `jobs`. It
    reports progress through `watch.report(phase, done, of)`. Kernels are called through `watch.call` or
    `run_chunks(..., watch=watch)`, and look at `watch.stop` at least every half second; other long loops call
    `raise_if_stopped` (see ending.py).
    """

    def __call__(
        self, baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
    ) -> Baskets: ...


class GroupingProtector(Protocol):
    """The same for a method that generalizes or permutes."""

    def __call__(
        self, baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
    ) -> Generalized | Permuted: ...


class TableProtector(Protocol):
    """The same for tables: as many rows and columns in the same order, in which the policy holds."""

    def __call__(
        self, table: Table, policy: ResolvedTemplate, *, seed: int, jobs: int, watch: Watch, **options: Any
    ) -> Table: ...


class GroupProtector(Protocol):
    """The same for diversity policies: the group of every row, counted from 0; what the rules exclude is given.

    All randomness comes from `rng`, which follows from the seed and from the data.
    """

    def __call__(
        self,
        policy: ResolvedDiversity,
        exclusion: Exclusion,
        *,
        rng: np.random.Generator,
        watch: Watch,
        **options: Any,
    ) -> npt.NDArray[np.int64]: ...


@dataclass(frozen=True)
class Method:
    """A way to protect: where it lives, what it does in a line, and the options it takes (name -> what it is).

    `kinds` are the kinds of policy that it can make hold; `personal` says that people may choose for themselves,
    `absent` that it also protects against knowledge of what people do not have. `form`
    says what it makes of baskets: "suppress" deletes items, "generalize" also shows them as wider ones, "permute" tells
    sensitive items by group of records.
    """

    name: str
    module: str
    summary: str
    options: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ("inference",)
    personal: bool = False
    absent: bool = False
    form: str = "suppress"

    def _protect(self) -> Callable[..., Any]:
        return on_own_thread(importlib.import_module(self.module).protect, self.name)

    def load(self) -> Protector:
        return cast(Protector, self._protect())

    def load_grouping(self) -> GroupingProtector:
        """The same for a method that does not suppress only."""
        return cast(GroupingProtector, self._protect())

    def load_table(self) -> TableProtector:
        """The same for a method of a kind of policy on tables."""
        return cast(TableProtector, self._protect())

    def load_groups(self) -> GroupProtector:
        """The same for a method that groups people."""
        return cast(GroupProtector, self._protect())


ONLY_SENSITIVE = {"only_sensitive": "true: nothing but sensitive items is deleted (default false)"}
IMPROVE = {"improve": "sweeps in which all records look for something better to show (default 0)"}
WHOLE_OR_PARTS = {"parts": "into how many parts large files are divided first (default: 1 below a million records)"}
PARTS = {"part_size": "personal choices: records beyond which a table is first worked on in parts (default 500000)"}

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "mine",
            "sordino.protect.mine",
            "delete as little as possible, keep the associations (the default)",
            {
                "again": "how often records that lost something get another chance (default 1)",
                **IMPROVE,
                **ONLY_SENSITIVE,
                **WHOLE_OR_PARTS,
                **PARTS,
            },
            personal=True,
        ),
        Method(
            "dist",
            "sordino.protect.dist",
            "delete so that the distribution of items stays as it was",
            {
                "keep": "a dial from 0 (delete least, as mine) to 1 (keep the shares, the default)",
                **IMPROVE,
                **ONLY_SENSITIVE,
                **WHOLE_OR_PARTS,
                **PARTS,
            },
            personal=True,
        ),
        Method(
            "exact",
            "sordino.protect.exact",
            "delete least of all, as a solver proves; for small tables of short records",
            {"seconds": "how long the solver may look (default 60)", **ONLY_SENSITIVE},
        ),
        Method(
            "twins",
            "sordino.protect.twins",
            'delete so that everybody has equals but for each sensitive item (the default with absent = "any")',
            {
                **IMPROVE,
                **ONLY_SENSITIVE,
                "sweeps": "how often records that lost something may move to a better place (default 8)",
            },
            absent=True,
        ),
        Method(
            "jia",
            "sordino.protect.jia",
            "partial suppression as published by Jia et al. (2014): buffered enumeration, divide and conquer",
            {
                "heuristic": "mine or dist",
                "algorithm": "ours (the default): one record at a time; paper: a buffer, and the best of all triples",
                "b_max": "antecedents in the buffer (default 1000000)",
                "t_max": "cost above which a part is split (default 500)",
            },
        ),
        Method(
            "naka",
            "sordino.protect.naka",
            "personal suppression as published by Nakagawa et al. (2018), exact",
            personal=True,
        ),
        Method(
            "naka-sampled",
            "sordino.protect.naka_sampled",
            "the same for sampled adversaries; for policies with a sampled assurance",
            {"stopping": "corrected (the default), or paper: the first clean round ends it"},
            personal=True,
        ),
        Method(
            "global",
            "sordino.protect.global_",
            "delete whole item types, as SuppressControl of Cao et al. (2010)",
        ),
        Method(
            "lgps",
            "sordino.protect.lgps",
            "show items as wider ones where that loses less than deleting them (Chen et al., 2017)",
            {
                "hierarchy": "a hierarchy of the items: a file, or one made in Python (default: built by names)",
                "divide": "best, or valid: groups are divided wherever the paper would",
                "suppressor": "ours (the default), or the paper's, which is that of Jia et al.: mine or dist",
                "patience": "refusals in a row after which a group stays as it is (default 4, or 1 if it is large)",
            },
            absent=True,
            form="generalize",
        ),
        Method(
            "tdcontrol",
            "sordino.protect.tdcontrol",
            "generalize from the top down, and delete whole item types (TDControl of Cao et al., 2010)",
            {
                "hierarchy": "a hierarchy of the items: a file, or one made in Python (default: built by names)",
                "patience": "refusals in a row after which the method ends (default 4)",
            },
            absent=True,
            form="generalize",
        ),
        Method(
            "cahd",
            "sordino.protect.cahd",
            "tell sensitive items by group of similar records (Ghinita et al., 2008); protects only against those who "
            "know non-sensitive items",
            {"reach": "candidates on each side, in sizes of the group (default 3)"},
            form="permute",
        ),
        Method(
            "disclosure",
            "sordino.protect.disclosure",
            "show as many values as the templates allow, the most useful for the class first (Wang et al., 2005)",
            {"then_maximal": "go on with every value that is still allowed, the most frequent first"},
            kinds=("template",),
        ),
        Method(
            "disclosure-local",
            "sordino.protect.disclosure_local",
            "show as much as the templates allow, row group by row group (keeps most cells)",
            kinds=("template",),
        ),
        Method(
            "injector",
            "sordino.protect.injector",
            "group people so that everybody may have l values, whatever the rules exclude (Li and Li, 2008)",
            {
                "form": "permuted (one file) or tables (quasi-identifiers, and values of each group)",
                "algorithm": "ours (the default), or paper: the grouping of Li and Li's Fig. 2, line by line",
                "alike": "yes or no: put people with similar quasi-identifiers together (default yes)",
                "choice": "largest (the default), or nit: a value that keeps few others out joins a group",
            },
            kinds=("diversity",),
        ),
        Method(
            "anatomy",
            "sordino.protect.anatomy",
            "group people with l different values, without regard to rules (Xiao and Tao, 2006); a baseline",
            {"form": "permuted (one file) or tables (quasi-identifiers, and values of each group)"},
            kinds=("diversity",),
        ),
    )
}


def is_true(value: object, name: str) -> bool:
    """What an option says that is on or off; an InputError if it says neither."""
    known = {"true": True, "yes": True, "false": False, "no": False}
    answer = known.get(str(value).lower())
    if answer is None:
        raise InputError(f"{name} must be true or false")
    return answer


def methods_for(kind: str) -> tuple[str, ...]:
    """The names of the methods for a kind of policy."""
    return tuple(name for name, method in METHODS.items() if kind in method.kinds)


def find_method(name: str, kind: str | None = None) -> Method:
    """The method of this name (for this kind of policy, if one is given), or an error that lists what there is."""
    known = tuple(METHODS) if kind is None else methods_for(kind)
    if name in known:
        return METHODS[name]
    hint = f"Methods: {', '.join(known)}"
    if name in METHODS:
        made = " or ".join(METHODS[name].kinds)
        raise InputError(f"the method '{name}' is for policies of kind {made}, not {kind}", hint=hint)
    raise InputError(f"unknown method '{name}'.{did_you_mean(name, known)}", hint=hint)
