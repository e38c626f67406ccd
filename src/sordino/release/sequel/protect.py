"""A further release of people of whom some were published before: what is out stays as it is.

**Why.** Two releases, each safe by itself, can disclose together: what one hides, the other may show, and whoever links
the rows has both. What was published cannot be taken back. So the rows of those who were in the last release stay as
they were published (as far as the new data still have their items). If nobody left, and the first release was safe,
these rows together say nothing new; newcomers are made safe by themselves, and people are only ever compared with those
who are in the same releases. So nothing is disclosed together either.

**Additions**, what somebody has now and had not then, are shown unless the joint audit finds that they disclose: then
the added sensitive item goes, or all that was added to the record. What was deleted then is not an addition. Taking all
additions away leaves what was out before, so this ends.

**Who left** is another matter: their rows are out, and without them those who stayed may be comparable to too few. No
deletion in the new release mends that. It is counted and told, and the release then claims nothing about both together;
with leavers="keep" the old rows of those who left are published again, as they were, so that there is nothing to tell.

The joint audit of what comes out has the last word, and it is repeated on the bytes that are written.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from sordino.audit.inference import audit_baskets
from sordino.audit.joint import JointAudit, audit_joint, check_joint_policy, exposed_people
from sordino.audit.result import AuditResult
from sordino.data.baskets import Baskets, Int64, vocabulary_order
from sordino.data.joint import join, link
from sordino.errors import InputError, did_you_mean
from sordino.policy.inference import InferencePolicy
from sordino.release.baskets.protect import BasketMaking
from sordino.release.request import How, Run, start
from sordino.release.sequel.parts import sequel_parts
from sordino.release.sequel.result import SequelRelease
from sordino.verify.keep import people_of
from sordino.verify.linked import Linked, check_links, check_names

__all__ = ["LEAVERS", "protect_sequel"]

LEAVERS = ("report", "keep")

Bools = npt.NDArray[np.bool_]


def protect_sequel(
    baskets: Baskets,
    policy: InferencePolicy,
    previous: Sequence[Linked],
    *,
    method: str = "mine",
    missing: str = "error",
    leavers: str = "report",
    **how: Unpack[How],
) -> SequelRelease:
    """A release of `baskets` in which `policy` holds, and which shows of people in `previous` ones what is out."""
    run = start(method, "inference", **how)
    check_joint_policy(policy)
    if run.method.form != "suppress":
        raise InputError(f"the method '{method}' cannot continue an earlier release", hint="Use mine or dist.")
    if leavers not in LEAVERS:
        raise InputError(
            f"those who left cannot be treated as '{leavers}'.{did_you_mean(leavers, LEAVERS)}",
            hint=f"Possible: {', '.join(LEAVERS)}.",
        )
    if len(baskets) == 0:
        raise InputError("there are no records")
    if missing == "error":
        check_names(policy, [baskets, *(release.baskets for release in previous)])
    check_links([*(release.people for release in previous), people_of(baskets)])
    left = _gone(previous, people_of(baskets))
    if leavers == "keep" and left:
        baskets, left = _with_rows(baskets, previous, left), []
    release: SequelRelease = _Making(baskets, policy, run, tuple(previous), len(left)).make()
    return release


class _Making(BasketMaking):
    """A further release in the making."""

    always = True

    def __init__(
        self, baskets: Baskets, policy: InferencePolicy, run: Run, previous: tuple[Linked, ...], left: int
    ) -> None:
        super().__init__(baskets, policy, run, missing="accept")
        self.previous, self.left = previous, left
        self.people = people_of(baskets)
        self.width = max(len(baskets.names), 1)
        self.owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
        self.keys: Int64 = self.owner * self.width + baskets.items

    def changed(self) -> tuple[Any, AuditResult]:
        kept = self._kept()
        resolved = self.policy.resolve(kept, missing="accept")
        after = audit_baskets(kept, resolved, jobs=self.run.jobs, progress=self.run.progress)
        if not after.holds:
            raise self.run.failed()
        self.thresholds = (self.resolved.thresholds, resolved.thresholds)
        return kept, after

    def release(self, kept: Baskets, before: AuditResult, after: AuditResult | None) -> SequelRelease:
        return SequelRelease(
            **self.entries(kept, before, after),
            joint=self._joint(kept),
            previous=self.previous,
            people=self.people,
            left=self.left,
            parts=sequel_parts,
        )

    def _kept(self) -> Baskets:
        out, known = self._published_before()
        added = known[self.owner] & ~out & ~self._deleted_before()
        newcomers = self._newcomers(~known)
        while True:
            kept = self._table(out | added | newcomers)
            if not added.any():
                break
            drop = self._disclosing(kept, added)
            if not drop.any():
                break
            added &= ~drop
        resolved = self.policy.resolve(kept, missing="accept")
        if audit_baskets(kept, resolved, jobs=self.run.jobs, progress=self.run.progress, top=0).holds:
            return kept
        # Who left took alibis along: by itself the release must be safe all the same.
        return self._protected(kept)

    def _joint(self, kept: Baskets) -> JointAudit:
        return audit_joint(
            [*(release.baskets for release in self.previous), kept],
            [*(release.people for release in self.previous), self.people],
            self.policy,
            jobs=self.run.jobs,
            progress=self.run.progress,
        )

    def _published_before(self) -> tuple[Bools, Bools]:
        """Which occurrences the last release that holds the person shows of her; and who is in any."""
        place = {person: u for u, person in enumerate(self.people)}
        known = np.zeros(len(self.data), dtype=np.bool_)
        keys: list[Int64] = []
        for release in reversed(self.previous):
            rows = np.array([place.get(person, -1) for person in release.people], dtype=np.int64)
            rows = np.where((rows >= 0) & ~known[rows], rows, -1)
            code = _codes(release.baskets, self.data)[release.baskets.items]
            row = np.repeat(rows, release.baskets.lengths)
            both = (row >= 0) & (code >= 0)
            keys.append(row[both] * self.width + code[both])
            known[rows[rows >= 0]] = True
        return np.isin(self.keys, np.concatenate(keys)), known

    def _deleted_before(self) -> Bools:
        """Which occurrences were there before, and were deleted: to show them now would be news."""
        place = {person: u for u, person in enumerate(self.people)}
        code_of = self.data.code_of
        gone = [
            place[person] * self.width + code_of[item]
            for release in self.previous
            for person, item in release.deleted()
            if person in place and item in code_of
        ]
        return np.isin(self.keys, np.array(gone, dtype=np.int64))

    def _newcomers(self, new: Bools) -> Bools:
        """Which occurrences of newcomers stay, once these are safe by themselves."""
        rows = np.flatnonzero(new)
        mine = new[self.owner]
        if not len(rows):
            return mine
        number = np.cumsum(new) - 1
        table = Baskets.from_pairs(number[self.owner[mine]], self.data.items[mine], self.data.names, len(rows))
        resolved = self.policy.resolve(table, missing="accept")
        if not audit_baskets(table, resolved, jobs=self.run.jobs, progress=self.run.progress, top=0).holds:
            table = self._protected(table)
        owner = rows[np.repeat(np.arange(len(rows)), table.lengths)]
        return mine & np.isin(self.keys, owner * self.width + table.items)

    def _disclosing(self, kept: Baskets, added: Bools) -> Bools:
        """Which additions have to go: that can be inferred, or that help to infer something else of the person."""
        releases = [*(release.baskets for release in self.previous), kept]
        rows = link([*(release.people for release in self.previous), self.people])
        exposed = exposed_people(join(releases, rows), self.policy, self.run.watch, self.run.jobs)
        drop = np.zeros(len(self.keys), dtype=np.bool_)
        code_of, here = self.data.code_of, rows[-1]
        wanted = [(int(here[person]), code_of.get(name, -1)) for person, name in exposed if here[person] >= 0]
        if not wanted:
            return drop
        row, code = np.array(wanted, dtype=np.int64).T
        itself = np.isin(self.keys, row * self.width + np.where(code >= 0, code, 0)) & added
        drop |= itself
        told = np.isin(row * self.width + code, self.keys[itself])
        others = np.zeros(len(self.data), dtype=np.bool_)
        others[row[~told]] = True
        return drop | (added & others[self.owner])

    def _protected(self, table: Baskets) -> Baskets:
        resolved = self.policy.resolve(table, missing="accept")
        run = self.run
        return run.method.load()(table, resolved, seed=run.seed, jobs=run.jobs, watch=run.watch, **run.options)

    def _table(self, kept: Bools) -> Baskets:
        baskets = self.data
        table = Baskets.from_pairs(
            self.owner[kept], baskets.items[kept], baskets.names, len(baskets), ids=baskets.ids, origin=baskets.origin
        )
        return replace(table, repeated=baskets.repeated)


def _gone(previous: Sequence[Linked], people: tuple[Hashable, ...]) -> list[tuple[int, int]]:
    """Who was in an earlier release and is in the new data no more: (release, row), of the last that holds each."""
    here, found = set(people), []
    for t in range(len(previous) - 1, -1, -1):
        for row, person in enumerate(previous[t].people):
            if person not in here:
                here.add(person)
                found.append((t, row))
    return found


def _with_rows(baskets: Baskets, previous: Sequence[Linked], rows: list[tuple[int, int]]) -> Baskets:
    """The new data with old published rows of people who left; ordered by row number where there are no ids."""
    if baskets.ids is None:
        rows = sorted(rows, key=lambda place: int(str(previous[place[0]].people[place[1]])))
    records = [previous[t].baskets.record(row) for t, row in rows]
    names = vocabulary_order(list({*baskets.names, *(name for record in records for name in record)}))
    code_of = {name: code for code, name in enumerate(names)}
    moved = np.array([code_of[name] for name in baskets.names], dtype=np.int64)
    owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
    more = [(len(baskets) + k, code_of[name]) for k, record in enumerate(records) for name in record]
    extra = np.array(more, dtype=np.int64).reshape(-1, 2)
    ids = baskets.ids
    if ids is not None:
        ids = (*ids, *(str(previous[t].people[row]) for t, row in rows))
    return Baskets.from_pairs(
        np.concatenate([owner, extra[:, 0]]),
        np.concatenate([moved[baskets.items], extra[:, 1]]),
        names,
        len(baskets) + len(rows),
        ids=ids,
        origin=baskets.origin,
    )


def _codes(release: Baskets, baskets: Baskets) -> Int64:
    """The codes in `baskets` of the names of a release; -1 if they have none."""
    return np.array([baskets.code_of.get(name, -1) for name in release.names], dtype=np.int64)
