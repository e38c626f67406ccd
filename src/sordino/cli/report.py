"""`sordino report`: an audit as one page to read, print and keep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.commands import way_of
from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Delimiter,
    Item,
    Jobs,
    Json,
    Knowledge,
    Layout,
    Null,
    Policy,
    Query,
    Record,
    Rho,
    Sensitive,
    TableName,
)
from sordino.cli.progress import Bar
from sordino.cli.streams import check_targets, write_whole
from sordino.cli.ways import COLUMNS, POLICY, TABLE, take, way
from sordino.errors import InputError
from sordino.policy.answer import Answer

RETOLD = "the report of a release is told again as it was made; another policy: sordino audit DIR --policy FILE"
MADE = "the audit is made already, and does not say by which policy or from which file"
FOLDER = way("a release folder", "out", "json_", "quiet", **dict.fromkeys(POLICY, RETOLD))
AUDIT = way("the JSON of an audit", "out", "json_", "quiet", **dict.fromkeys((*POLICY, *COLUMNS, *TABLE), MADE))


def report(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="The data, as for audit; or the JSON of an audit; or a release folder, whose report is told again.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The HTML file to write.", show_default=False)],
    policy: Policy = None,
    sensitive: Sensitive = None,
    rho: Rho = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many findings to show.")] = 10,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", min=0, help="Stop after this time; the page says what stayed open.", show_default=False
        ),
    ] = None,
    jobs: Jobs = None,
    allow_missing: AllowMissing = False,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    json_: Json = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say where the report is.")] = False,
) -> None:
    """Write what can be inferred from a file as one HTML page: self-contained, to read offline, print and keep.

    The page stays in the house: it names what can be inferred.

    Exit code 0: written, whatever the page says. 2: bad input or usage.
    """
    asked, shown = Asked.of(locals()), Shown(json_, quiet)
    check_targets({"--out": out, "--json": shown.file}, asked.files())
    if source != "-" and "data" not in asked.places and not Path(source).exists():
        raise InputError("there is no such file or release folder", where=asked.data)
    read, told = "", None
    audited = None if asked.folder or asked.places else _audit_json(source)
    if asked.folder:
        take(context, FOLDER)
        from sordino.release.house_report import report_again

        page = report_again(source)
    elif audited is not None:
        take(context, AUDIT)
        from sordino.report.documents import Source, audit_report

        page = audit_report(audited, Source.of(source))
    else:
        page, read, told = _of_data(context, asked, top, jobs)
    write_whole(out, page.encode())
    about = "release" if asked.folder else "data" if audited is None else "audit"
    shown.tell({"report": str(out), "about": about, "audit": told or audited}, f"{read}The report is in {out}\n")


def _of_data(context: typer.Context, asked: Asked, top: int, jobs: int | None) -> tuple[str, str, Any]:
    """The report of an audit that is made now, how the data were read, and the audit."""
    required, kind = asked.judged()
    take(context, way_of(kind, "report", asked, required))
    with Bar() as bar, asked.located():
        bar("Reading", 0, 0)
        from sordino.cli.reading import reading_line
        from sordino.kinds import verbs
        from sordino.report.documents import Source, audit_report

        held = verbs.read(asked.source, required, kind, verb="report", **asked.belonging())
        judged = verbs.named(required, held, asked.missing)
        bar("Preparing", 0, 0)
        result = verbs.audit(
            held, judged, top=top, time_limit=asked.time_limit, jobs=jobs, progress=bar, missing=asked.missing
        )
        data = held.data
        about = Source.of(data.origin.path, data.origin.sha256, data.fingerprint)
        told = result.to_dict()
        return audit_report(told, about, judged), f"{reading_line(data)}\n", told


def _audit_json(source: str) -> dict[str, Any] | None:
    """The result of an audit, if the file holds one."""
    if not source.endswith(".json") or not Path(source).is_file():
        return None
    try:
        content = json.loads(Path(source).read_bytes())
    except (ValueError, OSError, RecursionError):
        return None  # then it may be data in lines of JSON
    if not isinstance(content, dict) or "holds" not in content or "seconds" not in content:
        return None
    common = ("records", "findings", "people_at_risk", "remarks")
    more = ("exposure_by_knowledge", "items", "sensitive_items", "exact", "frequent_items")
    if any(key not in content for key in (common if "kind" in content else (*common, *more))):
        raise InputError("this is not the whole result of an audit", where=source, hint="Write it with: sordino audit")
    if _contradicts_itself(content):
        raise InputError("this result of an audit contradicts itself: was it changed by hand?", where=source)
    return content


def _contradicts_itself(audit: dict[str, Any]) -> bool:
    """Whether the answer is not what follows from what was found and what stayed open."""
    holds, still_open = audit["holds"], bool(audit.get("unchecked"))
    # A policy may fail without findings and people: by a sample, for one.
    failed = bool(audit["findings"] or audit["people_at_risk"]) or (not holds and not still_open)
    answer = Answer.FAILS if failed else Answer.NOT_CHECKED if still_open else Answer.HOLDS
    return holds is not (answer is Answer.HOLDS) or audit.get("answer", answer) != answer
