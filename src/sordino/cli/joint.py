"""`sordino audit NEW --with OLD`: what can be inferred from several releases of the same people together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sordino.cli.asked import Asked, Shown
from sordino.cli.options import about_baskets, located
from sordino.cli.progress import Bar
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from sordino.audit.joint import JointAudit
    from sordino.cli.page import Block
    from sordino.policy.kinds import Policy as AnyPolicy

__all__ = ["audit_together"]


def audit_together(
    asked: Asked, previous: Sequence[Path], policy: AnyPolicy | None, shown: Shown, *, jobs: int | None
) -> Answer:
    """Whether the stated policy, or that of the newest release, holds for all releases together."""
    with Bar(wanted=not shown.quiet) as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets
        from sordino.kinds.inference import audit
        from sordino.verify.linked import policy_of_all, read_linked

        data: object = asked.data
        required = None if policy is None else about_baskets(policy, "audit --with")
        earlier = [read_linked(str(folder)) for folder in previous]
        if Path(asked.data).is_dir():
            data = newest = read_linked(asked.data)
            required = required or policy_of_all([*earlier, newest])
        else:
            data = read_baskets(
                asked.data, layout=asked.layout, record=asked.record, item=asked.item, delimiter=asked.delimiter
            )
        if required is None:
            raise InputError("there is no policy", hint="Give --policy FILE, or --sensitive NAMES and --rho NUMBER.")
        try:
            result = audit(
                data,
                required,
                previous=earlier,
                missing="accept" if asked.allow_missing or policy is None else "error",
                top=shown.top,
                time_limit=asked.time_limit,
                jobs=jobs,
                progress=bar,
            )
        except PolicyError as error:
            raise located(error, asked.policy, asked.allow_missing) from None
        shown.write(result)
    shown.show(result, lambda: _page(asked, len(previous), result))  # type: ignore[arg-type]
    return result.answer


def _page(asked: Asked, earlier: int, result: JointAudit) -> Sequence[Block]:
    from sordino.cli.audit_page import headline
    from sordino.cli.page import Grid, Lines, clean, count, percent
    from sordino.words.claims import stayed_open

    page: list[Block] = [
        headline(result),
        Lines(
            (
                f"{clean(asked.data)} and {count(earlier, 'earlier release')}: "
                f"{count(result.records, 'person', 'people')}.",
                "Question: can someone who has all of them, and links the rows of each person, infer a sensitive item "
                "that one of them shows?",
            )
        ),
        Lines(result.remarks, "Who is in which release (the last is the new one)"),
    ]
    still_open = tuple(stayed_open(result.to_dict(), asked.time_limit))
    if still_open:
        page.append(Lines(still_open, "What stayed open"))
    if result.findings:
        rows = tuple(
            (
                " + ".join(map(clean, finding.antecedent)),
                clean(finding.consequent),
                f"{finding.with_consequent:,} of {finding.support:,} = {percent(finding.confidence)}",
                f"{finding.people:,}",
            )
            for finding in result.findings
        )
        heads = ("knows", "infers", "confidence", "people")
        page.append(Grid("What can be inferred, the most telling first", heads, rows, (2, 3)))
    return page
