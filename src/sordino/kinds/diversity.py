"""The verbs for diversity policies: tables, and grouped tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sordino.audit.diversity import audit_groups
from sordino.audit.diversity_result import DiversityResult
from sordino.data.grouped import Grouped, read_groups
from sordino.data.grouped_file import open_groups
from sordino.data.read_counted import has_many, read_counted, read_many
from sordino.data.read_table import read_table
from sordino.data.table import MISSING, Table
from sordino.engine.local import Watch
from sordino.errors import InputError, PolicyError
from sordino.kinds.source import Source, is_folder
from sordino.knowledge.assumed import Knowledge, assumed
from sordino.policy.diversity import DiversityPolicy, ResolvedDiversity
from sordino.policy.rules import NegativeRule
from sordino.protect.registry import Method
from sordino.release.diversity.parts import audit_published
from sordino.release.diversity.protect import by_quasi, protect_groups
from sordino.release.diversity.result import DiversityRelease
from sordino.release.numbering import SHUFFLE
from sordino.utility.diversity import DiversityCost, measure_groups, paired_shares
from sordino.verify.folder import published_part
from sordino.verify.keep import house_policy
from sordino.verify.knowledge_file import read_knowledge
from sordino.verify.manifest_file import read_manifest
from sordino.verify.shapes.diversity import NOT_MINED, DiversityManifest, StatedDiversity

__all__ = ["audit", "measure", "protect", "read"]

Progress = Callable[[str, int, int], None]

CONDITIONS, ROWS = 3, 200_000  # up to which an audit looks what more conditions would find; beyond, it takes long
NO_ORIGINAL = "original data are of use only under a policy about someone who knows the rules that they teach (mined)"


def read(
    data: object,
    policy: DiversityPolicy | None = None,
    *,
    group: str | None = None,
    values: object = None,
    original: object = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    may_spill: bool | None = None,
    method: str | None = None,
) -> Source:
    """A table from whatever `read_table` takes; a grouped one if `group` names the column of its groups.

    `values` is the table (group, value, count) of a grouping in two tables, `original` the table from which a grouping
    was made. A release folder of ours is read as what it is. Where only an audit follows (`may_spill`), equal rows of a
    large source are counted before they are read; of one with many rows, also where a `method` follows.
    """
    stated = {"delimiter": delimiter, "missing": missing}
    form: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
    if is_folder(data):
        if group is not None or values is not None or (form and original is None):
            raise InputError("a release folder knows its own form, its groups and their values")
        grouped, manifest = _published(str(data), in_pieces=bool(may_spill))
        if original is not None:
            grouped = replace(grouped, original=_original(original, manifest, form))
        return Source(grouped, folder=str(data), own=house_policy(str(data), manifest))
    if group is not None:
        return Source(read_groups(data, group, values, original, **form), form)
    if values is not None or (original is not None and not isinstance(data, Grouped)):
        raise InputError(
            "values and original are for grouped tables", hint="Name the column of the groups: --group COLUMN"
        )
    if isinstance(data, Grouped):
        return Source(data if original is None else replace(data, original=read_table(original, **form)), form)
    counted = None
    if (may_spill or method is not None) and policy is not None and delimiter is None:
        reader = read_counted if may_spill else read_many
        counted = reader(data, (*policy.quasi, policy.sensitive), MISSING if missing is None else missing)
    return Source(counted or read_table(data, **form), form)


def audit(
    source: Source,
    policy: DiversityPolicy | None,
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
    watch, required = Watch(progress), policy or source.own
    if not isinstance(required, DiversityPolicy):
        raise InputError(
            "the folder states its policy without what it needs to judge by", where=source.folder, hint="Add --policy."
        )
    if isinstance(source.data, Grouped):
        return _audit_grouped(source.data, required, top=top, jobs=jobs, watch=watch, missing=missing)
    resolved = required.resolve(source.data, missing=missing)
    knowledge = assumed(resolved, jobs=jobs, watch=watch)
    found = audit_groups(
        resolved,
        knowledge,
        by_quasi(resolved),
        top=top,
        jobs=jobs,
        watch=watch,
        grouping="people with equal quasi-identifiers",
    )
    if resolved.people > ROWS:
        return found
    best, told = watch.aside(lambda: _largest(resolved, knowledge, watch))
    if not told:
        told = watch.aside(lambda: _with_more_conditions(resolved, knowledge, jobs, watch))
    return replace(found, remarks=(*found.remarks, *told), largest_l=best)


def _largest(resolved: ResolvedDiversity, known: Knowledge, watch: Watch) -> tuple[int, tuple[str, ...]]:
    """The largest l that can be had by any grouping, and if the policy asks for more, what can be done about it."""
    from sordino.protect.injector import DOUBTFUL, WHAT_HELPS, largest_l

    best = largest_l(resolved.value, known.exclusion, watch.stop, resolved.weight)
    wanted = resolved.policy.l
    if best >= wanted:
        return best, ()
    helps = WHAT_HELPS if resolved.policy.min_confidence == 1 else f"{WHAT_HELPS} {DOUBTFUL}"
    return best, (
        f"However people are grouped, l = {wanted} cannot be had under these rules; {max(best, 1)} at most. {helps}",
    )


def _with_more_conditions(
    resolved: ResolvedDiversity, known: Knowledge, jobs: int | None, watch: Watch
) -> tuple[str, ...]:
    """What an adversary who combines more attributes would know, and how far the policy could follow."""
    from sordino.protect.injector import largest_l

    policy = resolved.policy
    few, most = policy.max_conditions, min(len(policy.quasi), CONDITIONS)
    if not policy.mined or few is None or few >= most:
        return ()
    told, feasible = [], few
    for conditions in range(few + 1, most + 1):
        watch.report(f"rules of {conditions} conditions", 0, 0)
        further = replace(resolved, policy=replace(policy, max_conditions=conditions))
        knowledge = assumed(further, jobs=jobs, watch=watch)
        best = largest_l(resolved.value, knowledge.exclusion, watch.stop, resolved.weight)
        told.append(f"up to {conditions} conditions, {len(knowledge.rules):,} rules and l = {best} at most")
        if best < policy.l:
            break
        feasible = conditions
    could = f"The largest max_conditions under which l = {policy.l} can be had is {feasible}"
    beyond = "" if feasible < most else " (of those that were tried)" if most < len(policy.quasi) else ""
    return (
        f"The policy assumes rules of {few} condition{'' if few == 1 else 's'} ({len(known.rules):,} rules). An "
        f"adversary who combines more knows more: {'; '.join(told)}. {could}{beyond}.",
    )


def _audit_grouped(
    grouped: Grouped, policy: DiversityPolicy, *, top: int, jobs: int | None, watch: Watch, missing: str
) -> DiversityResult:
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
    source: Source,
    policy: DiversityPolicy,
    *,
    method: Method,
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
    if isinstance(source.data, Grouped):
        raise InputError("the table is grouped already")
    return protect_groups(
        source.data, policy, method, seed=seed, jobs=jobs, progress=progress, missing=missing, options=options
    )


def measure(
    source: Source,
    after: object,
    policy: DiversityPolicy | None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> DiversityCost:
    """What it cost to get from a table to a grouping of it."""
    del jobs
    own: DiversityPolicy | StatedDiversity | None = policy
    if isinstance(after, Grouped):
        grouped = after
    elif is_folder(after):
        grouped, manifest = _published(str(after))
        own = own or manifest.policy
    else:
        raise InputError("what to compare with must be a release folder, or a grouped table (read_groups)")
    if own is None:
        raise PolicyError(["a grouped table needs a policy that names its columns"])
    Watch(progress).report("measuring", 0, 0)
    plain = DiversityPolicy(own.sensitive, own.quasi, own.l, mined=False)
    resolved = plain.resolve(source.data)
    published = plain.resolve(grouped.joined(own.sensitive))
    return measure_groups(resolved, paired_shares(resolved, published, grouped.groups()[0]))


def _original(original: object, manifest: DiversityManifest, form: Mapping[str, Any]) -> Table:
    """The table before protection; counted, if it has many rows."""
    named = (*manifest.policy.quasi, manifest.policy.sensitive)
    counted = None if "delimiter" in form else read_many(original, named, form.get("missing", MISSING))
    return counted or read_table(original, **form)


def _published(folder: str, *, in_pieces: bool = False) -> tuple[Grouped, DiversityManifest]:
    """The data of a release folder with the rules that it states, and its manifest. Nothing is verified here.

    in_pieces: of many people, they need not be held.
    """
    publish = published_part(folder)
    manifest = read_manifest(publish)
    if not isinstance(manifest, DiversityManifest) or Path(manifest.file).name != manifest.file:
        raise InputError("this is a release of another kind", where=folder)
    policy, data = manifest.policy, publish / manifest.file
    held = None if manifest.values is None else publish / manifest.values
    _, rules = read_knowledge(publish)
    known = tuple(NegativeRule(conditions, value) for conditions, value in rules)
    grouped: Grouped
    if in_pieces and has_many(data):
        grouped = open_groups(data, manifest.group, policy.quasi, policy.sensitive, held, manifest.missing)
    else:
        delimiter = manifest.delimiter if ".csv" in manifest.file else None
        grouped = read_groups(data, manifest.group, held, delimiter=delimiter, missing=manifest.missing)
    return replace(grouped, rules=known), manifest
