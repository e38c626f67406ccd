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

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.inference import audit_baskets
from sordino.audit.joint import JointAudit, audit_joint, check_joint_policy, exposed_people
from sordino.data.baskets import Baskets, Int64, vocabulary_order
from sordino.data.joint import join, link
from sordino.engine.local import Progress, Watch, thread_count
from sordino.errors import InputError, InternalError, did_you_mean
from sordino.policy.inference import InferencePolicy
from sordino.protect.registry import Method
from sordino.release.linked import Linked, check_links, check_names, people_of
from sordino.release.numbering import run_seed
from sordino.release.protect import check_request, make_release
from sordino.release.result import Release

__all__ = ["LEAVERS", "SequelRelease", "protect_sequel"]

LEAVERS = ("report", "keep")

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SequelRelease(Release):
    """A release that goes together with earlier ones: `joint` is the audit of all of them.

    previous: the earlier ones, oldest first; people: who the records of `data` are; left: how many people of the last
    release are not in this one.
    """

    joint: JointAudit | None = None
    previous: tuple[Linked, ...] = ()
    people: tuple[Hashable, ...] = ()
    left: int = 0

    @property
    def together(self) -> bool:
        """Whether nothing can be inferred from all releases together."""
        return self.joint is not None and self.joint.holds

    @property
    def remarks(self) -> tuple[str, ...]:
        """Besides those of any release, what can be inferred from all of them together, and the ways out."""
        assert self.joint is not None
        told = [*super().remarks, self.joint.verdict(), *self.joint.remarks]
        if self.left and not self.together:
            who = "1 person" if self.left == 1 else f"{self.left:,} people"
            told.append(
                f"{who} of an earlier release left. What is out about them cannot be taken back, and no deletion in "
                "this release changes what all show together. Ways out: publish their old rows once more "
                '(leavers="keep"; --leavers keep), or see to it that nobody can link the rows of the releases.'
            )
        return tuple(told)

    @property
    def weaker(self) -> str:
        """If something can be inferred from all releases together, that."""
        return "" if self.together else "nothing is promised against someone who has earlier releases, too."

    def summary(self) -> str:
        """Before and after, and all releases together."""
        assert self.joint is not None
        return f"{super().summary()} {self.joint.verdict()}"

    def write(
        self,
        folder: str | os.PathLike[str],
        force: bool = False,
        *,
        jobs: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Path:
        """Write the release to a new folder; see Release.write. The joint audit is repeated on what was written."""
        from sordino.release.folder import write_folder
        from sordino.release.sequel_parts import sequel_parts

        return write_folder(
            folder,
            lambda stage: sequel_parts(self, stage, jobs=jobs, progress=progress),
            sources=(self.data.origin.path, *(str(p.folder) for p in self.previous if p.folder is not None)),
            force=force,
            progress=progress,
        )


def protect_sequel(
    baskets: Baskets,
    policy: InferencePolicy,
    previous: Sequence[Linked],
    *,
    method: str = "mine",
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str = "shuffle",
    missing: str = "error",
    leavers: str = "report",
    options: Mapping[str, Any] | None = None,
) -> SequelRelease:
    """A release of `baskets` in which `policy` holds, and which shows of people in `previous` ones what is out."""
    options = dict(options or {})
    chosen = check_request(method, options, seed=seed, jobs=jobs, ids=ids)
    check_joint_policy(policy)
    if chosen.form != "suppress":
        raise InputError(f"the method '{method}' cannot continue an earlier release", hint="Use mine or dist.")
    if leavers not in LEAVERS:
        raise InputError(
            f"those who left cannot be treated as '{leavers}'.{did_you_mean(leavers, LEAVERS)}",
            hint=f"Possible: {', '.join(LEAVERS)}.",
        )
    if len(baskets) == 0:
        raise InputError("there are no records")
    seed, threads, watch = run_seed(seed), thread_count(jobs), Watch(progress)
    if missing == "error":
        check_names(policy, [baskets, *(release.baskets for release in previous)])
    check_links([*(release.people for release in previous), people_of(baskets)])
    left = _gone(previous, people_of(baskets))
    if leavers == "keep" and left:
        baskets, left = _with_rows(baskets, previous, left), []
    people = people_of(baskets)
    resolved = policy.resolve(baskets, missing="accept")
    before = audit_baskets(baskets, resolved, jobs=threads, progress=progress)
    work = _Work(baskets, policy, tuple(previous), chosen, options, seed, threads, watch)
    kept = work.run()
    after = audit_baskets(kept, policy.resolve(kept, missing="accept"), jobs=threads, progress=progress)
    if not after.holds:
        raise InternalError(f"the result of the method '{method}' fails the audit; nothing is published")
    release = make_release(
        baskets, kept, policy, (before, after), (resolved.thresholds, after_thresholds(policy, kept)), method=method,
        seed=seed, ids=ids, options=options, jobs=threads, progress=progress,
    )  # fmt: skip
    joint = work.joint(kept)
    plain = {field.name: getattr(release, field.name) for field in fields(Release)}
    return SequelRelease(**plain, joint=joint, previous=tuple(previous), people=people, left=len(left))


def after_thresholds(policy: InferencePolicy, kept: Baskets) -> Mapping[str, Any]:
    """The thresholds of what is published."""
    return policy.resolve(kept, missing="accept").thresholds


class _Work:
    """The records of a further release, being made."""

    def __init__(
        self,
        baskets: Baskets,
        policy: InferencePolicy,
        previous: tuple[Linked, ...],
        method: Method,
        options: Mapping[str, Any],
        seed: int,
        jobs: int,
        watch: Watch,
    ) -> None:
        self.baskets, self.policy, self.previous = baskets, policy, previous
        self.method, self.options, self.seed, self.jobs, self.watch = method, options, seed, jobs, watch
        self.people = people_of(baskets)
        self.width = max(len(baskets.names), 1)
        owner = np.repeat(np.arange(len(baskets), dtype=np.int64), baskets.lengths)
        self.keys: Int64 = owner * self.width + baskets.items
        self.owner = owner

    def run(self) -> Baskets:
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
        if audit_baskets(kept, resolved, jobs=self.jobs, progress=self.watch.progress, top=0).holds:
            return kept
        # Who left took alibis along: by itself the release must be safe all the same.
        return self._protected(kept)

    def joint(self, kept: Baskets) -> JointAudit:
        return audit_joint(
            [*(release.baskets for release in self.previous), kept],
            [*(release.people for release in self.previous), self.people],
            self.policy,
            jobs=self.jobs,
            progress=self.watch.progress,
        )

    def _published_before(self) -> tuple[Bools, Bools]:
        """Which occurrences the last release that holds the person shows of her; and who is in any."""
        place = {person: u for u, person in enumerate(self.people)}
        known = np.zeros(len(self.baskets), dtype=np.bool_)
        keys: list[Int64] = []
        for release in reversed(self.previous):
            rows = np.array([place.get(person, -1) for person in release.people], dtype=np.int64)
            rows = np.where((rows >= 0) & ~known[rows], rows, -1)
            code = _codes(release.baskets, self.baskets)[release.baskets.items]
            row = np.repeat(rows, release.baskets.lengths)
            both = (row >= 0) & (code >= 0)
            keys.append(row[both] * self.width + code[both])
            known[rows[rows >= 0]] = True
        return np.isin(self.keys, np.concatenate(keys)), known

    def _deleted_before(self) -> Bools:
        """Which occurrences were there before, and were deleted: to show them now would be news."""
        place = {person: u for u, person in enumerate(self.people)}
        code_of = self.baskets.code_of
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
        table = Baskets.from_pairs(number[self.owner[mine]], self.baskets.items[mine], self.baskets.names, len(rows))
        resolved = self.policy.resolve(table, missing="accept")
        if not audit_baskets(table, resolved, jobs=self.jobs, progress=self.watch.progress, top=0).holds:
            table = self._protected(table)
        owner = rows[np.repeat(np.arange(len(rows)), table.lengths)]
        return mine & np.isin(self.keys, owner * self.width + table.items)

    def _disclosing(self, kept: Baskets, added: Bools) -> Bools:
        """Which additions have to go: that can be inferred, or that help to infer something else of the person."""
        releases = [*(release.baskets for release in self.previous), kept]
        rows = link([*(release.people for release in self.previous), self.people])
        exposed = exposed_people(join(releases, rows), self.policy, self.watch, self.jobs)
        drop = np.zeros(len(self.keys), dtype=np.bool_)
        code_of, here = self.baskets.code_of, rows[-1]
        wanted = [(int(here[person]), code_of.get(name, -1)) for person, name in exposed if here[person] >= 0]
        if not wanted:
            return drop
        row, code = np.array(wanted, dtype=np.int64).T
        itself = np.isin(self.keys, row * self.width + np.where(code >= 0, code, 0)) & added
        drop |= itself
        told = np.isin(row * self.width + code, self.keys[itself])
        others = np.zeros(len(self.baskets), dtype=np.bool_)
        others[row[~told]] = True
        return drop | (added & others[self.owner])

    def _protected(self, table: Baskets) -> Baskets:
        resolved = self.policy.resolve(table, missing="accept")
        return self.method.load()(table, resolved, seed=self.seed, jobs=self.jobs, watch=self.watch, **self.options)

    def _table(self, kept: Bools) -> Baskets:
        baskets = self.baskets
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
