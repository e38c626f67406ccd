"""`sordino audit DIR`: the audit of a release folder, by its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.options import TableForm, about_baskets, located
from sordino.cli.progress import Bar
from sordino.cli.ways import COLUMNS, take
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult
    from sordino.cli.page import Block
    from sordino.policy.choices import Choices
    from sordino.policy.inference import InferencePolicy
    from sordino.policy.kinds import Policy as AnyPolicy

__all__ = ["audit_release"]


def audit_release(
    context: typer.Context, asked: Asked, policy: AnyPolicy | None, form: TableForm, shown: Shown, *, jobs: int | None
) -> Answer:
    """Whether the release's own policy, or the stated one, holds for it."""
    from sordino.cli import audit as ways
    from sordino.verify.folder import published_part
    from sordino.verify.keep import house_policy
    from sordino.verify.manifest_file import read_manifest

    manifest = read_manifest(published_part(asked.data))
    kind = manifest.policy.kind
    if policy is not None and policy.kind != kind:
        raise InputError(
            f"the release is about a policy of kind '{kind}', and the policy stated is of kind '{policy.kind}'",
            where=asked.data,
        )
    if kind != "inference":
        from sordino.cli.tables import audit_table

        diversity = ways.DIVERSITY_FOLDER if form.original is None else ways.DIVERSITY_ORIGINAL
        take(context, ways.TEMPLATE_FOLDER if kind == "template" else diversity)
        required = policy or house_policy(asked.data, manifest)
        if not hasattr(required, "resolve"):
            raise InputError(
                "the folder states its policy without what it needs to judge by", where=asked.data, hint="Add --policy."
            )
        return audit_table(form, required, asked.policy, shown, jobs=jobs, allow_missing=asked.allow_missing)
    stated = None if policy is None else about_baskets(policy, "audit")
    choices = _choices(asked, stated)
    judged = stated or about_baskets(house_policy(asked.data, manifest), "audit")
    personal = judged.personal or choices is not None
    if manifest.shape in ("generalized", "generalized_absence"):
        take(context, ways.GENERALIZED_FOLDER)
    elif manifest.shape == "permuted":
        take(context, ways.PERMUTED_FOLDER)
    elif judged.assurance is not None:
        take(context, ways.SAMPLED_FOLDER if asked.original else ways.SAMPLED_FOLDER.without(*COLUMNS))
    else:
        folder = ways.ORIGINAL_FOLDER if asked.original else ways.PERSONAL_FOLDER
        # What can be laid beside other releases has gone another way; --with is for none that comes here.
        take(context, folder if personal else ways.FOLDER.without(with_=ways.PERSONAL.why_not["with_"]))
    result = _audited(asked, stated, choices, shown, jobs)
    shown.show(result, lambda: _page(asked, result, stated is not None))
    return result.answer


def _choices(asked: Asked, stated: InferencePolicy | None) -> Choices | None:
    """The choices that the user stated."""
    if asked.choices is None:
        return None
    if stated is not None and stated.per_record is not None:
        raise InputError("the policy names choices already", hint="Leave --choices out.")
    from sordino.policy.choices import read_choices

    return read_choices(asked.choices)


def _audited(
    asked: Asked, stated: InferencePolicy | None, choices: Choices | None, shown: Shown, jobs: int | None
) -> AuditResult:
    with Bar(wanted=not shown.quiet) as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets
        from sordino.release.audit_folder import audit_folder

        original = None
        if asked.original is not None:
            original = read_baskets(
                str(asked.original),
                layout=asked.layout,
                record=asked.record,
                item=asked.item,
                delimiter=asked.delimiter,
            )
        try:
            result = audit_folder(
                asked.data,
                stated,
                choices=choices,
                original=original,
                missing="accept" if asked.allow_missing else "error",
                top=shown.top,
                time_limit=asked.time_limit,
                jobs=jobs,
                progress=bar,
            )
        except PolicyError as error:
            raise located(error, asked.policy or asked.choices, asked.allow_missing) from None
        shown.write(result)
    return result


def _page(asked: Asked, result: AuditResult, stated: bool) -> Sequence[Block]:
    from sordino.cli.absence_page import known_items
    from sordino.cli.audit_page import headline
    from sordino.cli.page import Grid, Lines, Steps, clean, count
    from sordino.words.claims import stayed_open

    by = "the policy stated" if stated else "the policy of the release"
    page: list[Block] = [
        headline(result),
        Lines(
            (
                f"{clean(asked.data)}: {count(result.records, 'record')}, "
                f"{count(result.sensitive_items, 'sensitive item')} left; against {by}.",
                *result.remarks,
            )
        ),
    ]
    still_open = tuple(stayed_open(result.to_dict(), asked.time_limit))
    if still_open:
        page.append(Lines(still_open, "What stayed open"))
    if result.findings:
        rows = tuple(
            (known_items(f), clean(f.consequent), f"{f.with_consequent:,} of {f.support:,}") for f in result.findings
        )
        page.append(Grid("What can be inferred", ("known", "inferred", "records"), rows, (2,)))
    if result.answer is Answer.NOT_CHECKED and result.personal and asked.original is None:
        more: list[Any] = [] if asked.choices or asked.policy else ["--choices", "CHOICES"]
        page.append(
            Steps("What next", (("Audit with what is missing:", asked.command("audit", *more, "--original", "DATA")),))
        )
    return page
