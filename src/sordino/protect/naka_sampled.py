"""`naka-sampled`: personal suppression for sampled adversaries (after Nakagawa et al., 2018, Algorithm 2).

The paper's SAMPLESUPPRESSOR, which is `stopping="paper"`: round after round, for each length up to m, n_S adversaries
are drawn and the table is made safe against each of them, until a whole round finds nothing to repair.

**Guarantee.** That of the policy's sampled assurance (policy/assurance.py), by a round of fresh adversaries all of whom
are safe. The paper judges each round at delta, though each is another chance to be clean by luck. By default the t-th
round that is judged draws as many as delta / (t (t + 1)) asks for. Under a policy without an assurance, which promises
safety from everybody, the samples only come first (epsilon = delta = 0.05, up to 5 items), and the exact method ends
the work.

**Beyond the paper** (not with `stopping="paper"`). A clean round of n asks for an unsafe share far below 1 / n, and a
table repaired by n adversaries at a time comes there slowly, if at all. How a table is repaired is free, as long as
the round that ends the work is honest. So
* what half of the people find sensitive is treated so for all, and made safe at once, without samples: everywhere,
  if all people chose the same; else at the leaves of records (model.md 1.2) and then against m known items, as far as
  the records that are left are short enough to try them all. In a LARGE table, what a fifth chose is enough;
* in a table that is not LARGE, if there are other items that a fifth chose, there is more to repair than samples would
  find in time: records are made safe one by one as `mine` does (10 % of BMS-WebView-2, 40 % for each person, rho 0.5:
  1 s and 51 % lost; by samples alone 20 s and 53 %, and the paper's way 58 %);
* then adversaries are drawn by the table (SWEEP), judged on all threads and repaired where it helps against many others
  (kernels/personal/repair_widely.py). On these nothing is judged: they tell when a round is worth drawing.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.sampled import draw_adversaries, unsafe_adversaries
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError, did_you_mean
from sordino.policy.assurance import STOPPING, Assurance, delta_of_round, sample_size
from sordino.policy.inference import ResolvedInference
from sordino.protect.ending import MustFall
from sordino.protect.personal_workspace import PersonalWorkspace
from sordino.protect.workspace import Workspace

__all__ = ["protect"]

I64 = npt.NDArray[np.int64]
DEFAULT = Assurance(Fraction(1, 20), Fraction(1, 20), 5)
LARGE = 100_000  # records
WIDELY, OFTEN = 2, 5  # an item that one of so many people finds sensitive
SWEEP = 4  # adversaries of a sweep at each length, by those of a round; or one for each record if that is more
WORTH = 0.5  # unsafe ones that may be expected in a round that is worth judging
TOGETHER = 1_000_000  # known items of adversaries that are drawn before they are judged
EFFORT = 6_000  # postings that may be scanned to look ahead for one record


def protect(
    baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
) -> Baskets:
    """Baskets that a round of sampled adversaries found safe."""
    stopping = str(options.get("stopping", "corrected"))
    if stopping not in STOPPING:
        raise InputError(f"unknown stopping '{stopping}'.{did_you_mean(stopping, STOPPING)}", hint="corrected or paper")
    only_drawn = stopping == "paper" and policy.policy.assurance is not None
    workspace = PersonalWorkspace(baskets, policy, jobs=jobs, watch=watch, only_drawn=only_drawn)
    work = _Rounds(workspace, seed, stopping)
    if stopping == "paper":
        while not work.printed_round_is_clean():  # a round that is not clean deletes something (checked there)
            pass
    elif not work.round_is_clean(repairing=False):  # a table that is safe already stays as it is
        table, worth_drawing = _widely_safe(baskets, policy, work.most, jobs=jobs, watch=watch)
        work.workspace.adopt(table)
        often, widely = (_sensitive_to(policy, len(baskets), one_of) for one_of in (OFTEN, WIDELY))
        if not worth_drawing and len(baskets) <= LARGE and (often & ~widely).any():
            work.workspace.clean_and_put_back(0.0)
            worth_drawing = True
        # A sweep that finds anything deletes something, as does a round.
        while not (worth_drawing and work.round_is_clean()):
            worth_drawing = work.sweep_once()
    if policy.policy.assurance is None:
        return work.workspace.finish(lambda: work.workspace.suppress(seed))
    return work.workspace.table()


class _Rounds:
    """One table and the rounds of adversaries that were drawn about it."""

    def __init__(self, workspace: PersonalWorkspace, seed: int, stopping: str) -> None:
        self.workspace, self.seed, self.stopping = workspace, seed, stopping
        self.assurance = workspace.policy.policy.assurance or DEFAULT
        known, most = workspace.policy.knowledge, self.assurance.max_knowledge
        self.most = most if known is None else min(most, known)
        self.round = self.sweep = 0

    def printed_round_is_clean(self) -> bool:
        """The next round as the paper has it: for each length adversaries are drawn, judged, and repaired one by one.

        Nobody is drawn because of what became of the others, so several lengths can be drawn before they are judged.
        """
        self.round += 1
        workspace, number = self.workspace, self._number(self.round)
        rng = np.random.default_rng([self.seed, 1, self.round])
        lots: list[tuple[I64, I64]] = []
        seeds: list[list[int]] = []
        found = cells = 0
        for size in range(1, self.most + 1):
            if not cells:
                workspace.watch.report(f"round {self.round} ({workspace.deleted:,} deleted)", size - 1, self.most)
            lots.append(draw_adversaries(workspace.people.original, workspace.people.rank, size, number, rng))
            seeds.append([self.seed, 1, self.round, size])
            cells += number * size
            if cells >= TOGETHER or size == self.most:
                found += int(workspace.repair_drawn(lots, seeds).sum())
                lots, seeds, cells = [], [], 0
        return not found

    def round_is_clean(self, *, repairing: bool = True) -> bool:
        """Draws the next round, and repairs what it finds; whether it was clean."""
        self.round += 1
        number = self._number(self.round)
        rng = np.random.default_rng([self.seed, 1, self.round])
        sizes = range(1, self.most + 1)
        return sum(self._look(size, number, rng, f"round {self.round}", repairing) for size in sizes) == 0

    def sweep_once(self) -> bool:
        """Draws many adversaries and repairs what they find; whether a round is worth drawing now."""
        self.sweep += 1
        number = self._number(self.round + 1)
        many = max(SWEEP * number, len(self.workspace.baskets))
        rng = np.random.default_rng([self.seed, 2, self.sweep])
        found = 0
        for size in range(self.most, 0, -1):  # who knows most infers most, and what he infers others do as well
            self.workspace.tidy()
            found += self._look(size, many, rng, f"sweep {self.sweep}", repairing=True)
        return found * number <= WORTH * many

    def _number(self, round_: int) -> int:
        return sample_size(self.assurance.epsilon, delta_of_round(self.assurance.delta, round_, self.stopping))

    def _look(self, size: int, number: int, rng: np.random.Generator, phase: str, repairing: bool) -> int:
        """Draws adversaries, and may make the table safe against them; returns how many could infer something."""
        workspace = self.workspace
        workspace.watch.report(f"{phase} ({workspace.deleted:,} deleted)", size - 1, self.most)
        users, known = draw_adversaries(workspace.people.original, workspace.people.rank, size, number, rng)
        unsafe = unsafe_adversaries(
            workspace.store, workspace.sig, workspace.people, users, known, workspace.jobs, workspace.watch
        )
        if not repairing or not unsafe.any():
            return int(unsafe.sum())
        falling = MustFall("repairing for sampled adversaries", -workspace.cut)
        workspace.repair_widely(users[unsafe], known[unsafe])
        falling.to(-workspace.cut)  # somebody inferred something, so something was deleted
        return int(unsafe.sum())


def _sensitive_to(policy: ResolvedInference, people: int, one_of: int) -> npt.NDArray[np.bool_]:
    """The items that one of so many people finds sensitive, by code."""
    found: npt.NDArray[np.bool_] = policy.sensitive & (policy.personal_choices(people).counts * one_of >= people)
    return found


def _widely_safe(
    baskets: Baskets, policy: ResolvedInference, most: int, *, jobs: int, watch: Watch
) -> tuple[Baskets, bool]:
    """The table made safe as if everybody found sensitive what many do; and whether nothing at all is left to find."""
    wide = _sensitive_to(policy, len(baskets), OFTEN if len(baskets) > LARGE else WIDELY)
    if not wide.any():
        return baskets, False
    limit = most if most <= 2 else None  # against more, what unlimited knowledge asks for is hardly more, and quicker
    as_if = replace(policy.policy, per_record=None, except_for=None, assurance=None, knowledge=limit)
    common = replace(policy, policy=as_if, personal=None, original=None, sensitive=wide)
    workspace = Workspace(baskets, common, jobs=jobs, watch=watch)
    alike = bool((wide == policy.sensitive).all())
    if policy.personal is None or limit is not None:
        return workspace.protect(even=0.0, effort=EFFORT), alike
    table, all_tried = workspace.nearly_finish(most, even=0.0, effort=EFFORT)
    return table, alike and all_tried
