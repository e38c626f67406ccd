"""What the commands do for policies about tables: one way for all kinds, with the pages of each kind.

Adding a kind: a module with the functions of `Pages`, and a line here.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from sordino.cli.asked import Shown
from sordino.cli.options import TableForm
from sordino.cli.page import Block, show
from sordino.cli.progress import Bar
from sordino.cli.reading import with_reading, with_reading_key
from sordino.cli.streams import say, write_whole
from sordino.errors import InputError, PolicyError
from sordino.kinds import verbs_of
from sordino.policy.answer import Answer
from sordino.policy.kinds import Policy

__all__ = ["PAGES", "Pages", "audit_table", "measure_table", "protect_table"]

PAGES: Mapping[str, str] = {
    "template": "sordino.cli.template_page",
    "diversity": "sordino.cli.diversity_page",
}


class Pages(Protocol):
    """What the module of a kind must have. `command(verb, *more)` is a command about the same data and policy."""

    def audit_page(self, result: Any, data: str, command: Any, *, top: int) -> Sequence[Block]:
        """Verdict, people at risk, findings, remarks, what next."""

    def protect_page(self, release: Any, data: str, out: Path) -> Sequence[Block]:
        """Before and after, what it cost, where the release is, what next."""

    def measure_page(self, cost: Any, before: str, after: str) -> Sequence[Block]:
        """What it cost."""


def pages_of(kind: str) -> Pages:
    """The pages of a kind."""
    return cast(Pages, importlib.import_module(PAGES[kind]))


def audit_table(
    form: TableForm, policy: Policy, file: Path | None, shown: Shown, *, jobs: int | None, allow_missing: bool
) -> Answer:
    """Audit a table, write and show the result."""
    missing = "accept" if allow_missing else "error"
    with Bar(wanted=not shown.quiet) as bar:
        bar("Reading", 0, 0)
        verbs = verbs_of(policy)
        table = verbs.read(form.data, **form.options())
        bar("Counting", 0, 0)
        try:
            result = verbs.audit(table, policy, top=shown.top, jobs=jobs, progress=bar, missing=missing)
        except PolicyError as error:
            raise _located(error, file) from None
        shown.write(result, table)
    page = pages_of(policy.kind).audit_page
    shown.show(result, lambda: page(result, form.data, _commands(form, file), top=shown.top), table)
    answer: Answer = result.answer
    return answer


def protect_table(
    form: TableForm,
    policy: Policy,
    file: Path | None,
    out: Path,
    *,
    method: str | None,
    seed: int | None,
    ids: str | None,
    force: bool,
    options: Mapping[str, object],
    jobs: int | None,
    allow_missing: bool,
    quiet: bool,
) -> None:
    """Protect a table, write the release and show what was done."""
    with Bar(wanted=not quiet) as bar:
        bar("Reading", 0, 0)
        verbs = verbs_of(policy)
        table = verbs.read(form.data, **form.options())
        bar("Preparing", 0, 0)
        try:
            release = verbs.protect(
                table,
                policy,
                method=method,
                seed=seed,
                jobs=jobs,
                progress=bar,
                ids=ids,
                missing="accept" if allow_missing else "error",
                options=options,
            )
        except PolicyError as error:
            raise _located(error, file) from None
        release.write(out, force, jobs=jobs, progress=bar)
    if not quiet:
        show(with_reading(pages_of(policy.kind).protect_page(release, form.data, out), table))


def measure_table(
    form: TableForm,
    after: str,
    policy: Policy | None,
    kind: str,
    *,
    json_file: Path | None,
    to_stdout: bool,
    jobs: int | None,
    errors: bool = False,
    allow_missing: bool = False,
) -> None:
    """Compare a table before and after, write and show what it cost."""
    from sordino.kinds import verbs_for_measure

    with Bar() as bar:
        bar("Reading", 0, 0)
        verbs = verbs_for_measure(form.data, after, policy)
        before = verbs.read(form.data, **form.options())
        more: dict[str, object] = {"errors": True} if errors else {}
        if kind == "template":
            more["missing"] = "accept" if allow_missing else "error"
        try:
            cost = verbs.measure(before, after, policy, jobs=jobs, progress=bar, **more)
        except PolicyError as error:
            raise _located(error, None) from None
        document = with_reading_key(cost.to_dict(), before)
        if json_file is not None:
            write_whole(json_file, _json(document, ascii_only=False))
    if to_stdout:
        say(_json(document, ascii_only=True).decode())
    else:
        show(with_reading(pages_of(kind).measure_page(cost, form.data, after), before))


def _located(error: PolicyError, file: Path | None) -> InputError:
    """The same error with the place and, where values lack, the next step."""
    lacking = any("does not occur" in problem for problem in error.problems)
    hint = "If values have vanished on purpose, add --allow-missing." if lacking else None
    where = None if file is None else str(file)
    return InputError(str(error), where=where, hint=hint, suggestions=error.suggestions)


def _json(content: Mapping[str, Any], *, ascii_only: bool) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=ascii_only) + "\n").encode()


def _commands(form: TableForm, file: Path | None) -> Any:
    import shlex

    def command(verb: str, *more: str) -> str:
        policy = [] if file is None else ["--policy", str(file)]
        data = form.data
        if verb == "protect" and (form.group is not None or Path(form.data).is_dir()):
            data = form.original or "ORIGINAL"  # what is grouped cannot be grouped again
        return shlex.join(["sordino", verb, data, *policy, *form.words(), *more])

    return command
