"""The verbs for diversity policies: tables, and grouped tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sordino.audit.diversity import audit_groups
from sordino.audit.diversity_result import DiversityResult
from sordino.data.grouped import Grouped, read_groups
from sordino.data.read_table import read_table
from sordino.data.table import Table
from sordino.engine.local import Watch
from sordino.errors import InputError, PolicyError
from sordino.knowledge.assumed import assumed
from sordino.policy.diversity import DiversityPolicy
from sordino.policy.rules import NegativeRule
from sordino.protect.registry import default_method
from sordino.release.diversity.parts import audit_published
from sordino.release.diversity.protect import by_quasi, protect_groups
from sordino.release.diversity.result import DiversityRelease
from sordino.release.numbering import SHUFFLE
from sordino.release.request import check_request
from sordino.utility.diversity import DiversityCost, measure_groups, paired_shares
from sordino.verify.folder import published_part
from sordino.verify.knowledge_file import read_knowledge
from sordino.verify.manifest_file import read_manifest
from sordino.verify.shapes.diversity import NOT_MINED, DiversityManifest, StatedDiversity

__all__ = ["audit", "measure", "protect", "read"]

Progress = Callable[[str, int, int], None]

NO_ORIGINAL = "original data are of use only under a policy about someone who knows the rules that they teach (mined)"


def read(
    data: object, *, group: str | None = None, values: object = None, original: object = None, **form: Any
) -> Table | Grouped:
    """A table from whatever `read_table` takes; a grouped one if `group` names the column of its groups.

    `values` is the table (group, value, count) of a grouping in two tables, `original` the table from which a grouping
    was made. A release folder of ours is read as what it is.
    """
    if isinstance(data, Grouped):
        return data
    if _is_folder(data):
        if group is not None or values is not None or (form and original is None):
            raise InputError("a release folder knows its own form, its groups and their values")
        return _read_release(str(data), None if original is None else read_table(original, **form))
    if group is None:
        if values is not None or original is not None:
            raise InputError(
                "values and original are for grouped tables", hint="Name the column of the groups: --group COLUMN"
            )
        return read_table(data, **form)
    return read_groups(data, group, values, original, **form)


def audit(
    data: object,
    policy: DiversityPolicy,
    *,
    top: int = 10,
    time_limit: float | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    missing: str = "error",
) -> DiversityResult:
    """How many values stay possible for whom.

    A plain table is judged as people meet it: those with equal quasi-identifiers are a group.
    """
    if time_limit is not None:
        raise InputError("a time limit is for baskets; the audit of a table always ends soon")
    watch = Watch(progress)
    if isinstance(data, Grouped) or _is_folder(data):
        return _audit_grouped(data, policy, top=top, jobs=jobs, watch=watch, missing=missing)
    resolved = policy.resolve(read_table(data), missing=missing)
    knowledge = assumed(resolved, jobs=jobs, watch=watch)
    return audit_groups(
        resolved,
        knowledge,
        by_quasi(resolved),
        top=top,
        jobs=jobs,
        watch=watch,
        grouping="people with equal quasi-identifiers",
    )


def _audit_grouped(
    data: object, policy: DiversityPolicy, *, top: int, jobs: int | None, watch: Watch, missing: str
) -> DiversityResult:
    grouped = data if isinstance(data, Grouped) else _read_release(str(data), None)
    rules = grouped.rules
    if grouped.original is not None:
        if not policy.mined:
            raise InputError(NO_ORIGINAL, hint="Leave the original data out.")
        grouped.check_original(grouped.original, policy.quasi, policy.sensitive)
        rules = assumed(policy.resolve(grouped.original, missing=missing), jobs=jobs, watch=watch).rules.source
    elif policy.mined and rules is None:
        raise PolicyError(
            [
                "rules cannot be mined from a table whose values are known by group only; name the original table "
                '(--original FILE), or state mined = false and, if there are any, rules = "rules.csv"'
            ]
        )
    policy.resolve(grouped.joined(policy.sensitive), missing=missing)  # problems of the given rules
    result = audit_published(grouped, policy, rules or (), top=top, jobs=jobs, watch=watch)
    if policy.mined and grouped.original is None and result.holds:
        return replace(result, holds=False, unchecked=(f"{NOT_MINED[0].upper()}{NOT_MINED[1:]}.",))
    return result


def protect(
    data: object,
    policy: DiversityPolicy,
    *,
    method: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    ids: str | None = None,
    missing: str = "error",
    options: Mapping[str, Any] | None = None,
) -> DiversityRelease:
    """A grouped table in which the policy holds."""
    if ids not in (None, SHUFFLE):
        raise InputError(
            f"ids cannot be '{ids}' here: the rows of a grouped table are always in random order",
            hint="Any other order would tell whose values those of a group are.",
        )
    if isinstance(data, Grouped):
        raise InputError("the table is grouped already")
    chosen = check_request(method or default_method("diversity"), options or {}, seed=seed, jobs=jobs, kind="diversity")
    return protect_groups(
        read_table(data),
        policy,
        chosen,
        seed=seed,
        jobs=jobs,
        progress=progress,
        missing=missing,
        options=options,
    )


def measure(
    before: object,
    after: object,
    policy: DiversityPolicy | None = None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> DiversityCost:
    """What it cost to get from a table to a grouping of it."""
    del jobs
    own: DiversityPolicy | StatedDiversity | None = policy
    if isinstance(after, Grouped):
        grouped = after
    elif _is_folder(after):
        manifest = _manifest(str(after))
        grouped = _read_release(str(after), None)
        own = own or manifest.policy
    else:
        raise InputError("what to compare with must be a release folder, or a grouped table (read_groups)")
    if own is None:
        raise PolicyError(["a grouped table needs a policy that names its columns"])
    Watch(progress).tell("measuring", 0, 0)
    plain = DiversityPolicy(own.sensitive, own.quasi, own.l, mined=False)
    resolved = plain.resolve(read_table(before))
    published = plain.resolve(grouped.joined(own.sensitive))
    return measure_groups(resolved, paired_shares(resolved, published, grouped.groups()[0]))


def _is_folder(data: object) -> bool:
    return isinstance(data, str | os.PathLike) and Path(data).is_dir()


def _manifest(folder: str) -> DiversityManifest:
    manifest = read_manifest(published_part(folder))
    if not isinstance(manifest, DiversityManifest):
        raise InputError("this is a release of another kind", where=folder)
    return manifest


def _read_release(folder: str, original: Table | None) -> Grouped:
    """The data of a release folder, and the rules that it states. Whether it is undamaged is for `verify` to say."""
    publish = published_part(folder)
    manifest = _manifest(folder)
    delimiter = manifest.delimiter if ".csv" in manifest.file else None
    form: dict[str, Any] = {"delimiter": delimiter, "missing": manifest.missing}
    held = None if manifest.values is None else publish / manifest.values
    _, rules = read_knowledge(publish)
    known = tuple(NegativeRule(conditions, value) for conditions, value in rules)
    grouped = read_groups(publish / manifest.file, manifest.group, held, **form)
    return replace(grouped, rules=known, original=original)
