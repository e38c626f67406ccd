"""`sordino report`: an audit as one page to read, print and keep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Item,
    Knowledge,
    Layout,
    Policy,
    Record,
    Rho,
    Sensitive,
    about_baskets,
    policy_of,
    resolve,
)
from sordino.cli.progress import Bar
from sordino.cli.streams import check_targets, say, write_whole
from sordino.errors import InputError

if TYPE_CHECKING:
    from sordino.policy.inference import InferencePolicy


def report(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="The records, as for audit; or the JSON that an audit wrote.",
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
        typer.Option(metavar="SECONDS", min=0, help="Stop counting people after this time.", show_default=False),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one a core.", show_default=False)
    ] = None,
    allow_missing: AllowMissing = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say where the report is.")] = False,
) -> None:
    """Write what can be inferred from a file as one HTML page: self-contained, to read offline, print and keep.

    The page stays in the house: it names what can be inferred.

    Exit code 0: written. 2: bad input or usage.
    """
    stated = policy is not None or sensitive is not None or rho is not None or knowledge is not None or adaptive
    names = sensitive[1:] if sensitive is not None and sensitive.startswith("@") else None
    check_targets({"--out": out}, [None if source == "-" else source, policy, names])
    audited = _audit_json(source)
    if audited is not None:
        from sordino.report.documents import Source, audit_report

        required = about_baskets(policy_of(policy, sensitive, rho, knowledge, adaptive), "report") if stated else None
        page = audit_report(audited, Source.of(source), required)
    else:
        required = about_baskets(policy_of(policy, sensitive, rho, knowledge, adaptive), "report")
        page = _of_data(
            source, required, policy, (layout, record, item), allow_missing, top=top, time_limit=time_limit, jobs=jobs
        )
    write_whole(out, page.encode())
    if not quiet:
        say(f"The report is in {out}\n")


def _audit_json(source: str) -> dict[str, Any] | None:
    """The result of an audit, if the file holds one."""
    if not source.endswith(".json") or not Path(source).is_file():
        return None
    try:
        content = json.loads(Path(source).read_bytes())
    except (ValueError, OSError, RecursionError):
        return None  # then it may be data in lines of JSON
    if not isinstance(content, dict) or "exposure_by_knowledge" not in content:
        return None
    wanted = ("holds", "records", "items", "sensitive_items", "findings", "exact", "people_at_risk", "frequent_items")
    if any(key not in content for key in wanted):
        raise InputError("this is not the whole result of an audit", where=source, hint="Write it with: sordino audit")
    return content


def _of_data(
    source: str,
    required: InferencePolicy,
    file: Path | None,
    form: tuple[str | None, str | None, str | None],
    allow_missing: bool,
    *,
    top: int,
    time_limit: float | None,
    jobs: int | None,
) -> str:
    """The report of an audit that is made now."""
    layout, record, item = form
    with Bar() as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets

        baskets = read_baskets(source, layout=layout, record=record, item=item)
        resolved = resolve(required, baskets, file, allow_missing)
        bar("Preparing", 0, 0)
        from sordino.audit.inference import audit_baskets
        from sordino.report.documents import Source, audit_report

        result = audit_baskets(baskets, resolved, top=top, time_limit=time_limit, jobs=jobs, progress=bar)
        about = Source.of(baskets.origin.path, baskets.origin.sha256, baskets.fingerprint)
        return audit_report(result.to_dict(), about, required)
