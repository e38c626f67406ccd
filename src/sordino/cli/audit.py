"""`sordino audit`: what can be inferred from this file, about how many people, by whom?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.commands import page_of, way_of
from sordino.cli.expect import expect
from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    ChoicesFile,
    Data,
    Delimiter,
    Engine,
    Group,
    Item,
    Jobs,
    Json,
    Knowledge,
    Layout,
    Master,
    Null,
    Original,
    Policy,
    Query,
    Quiet,
    Record,
    Rho,
    Sensitive,
    TableName,
    Values,
)
from sordino.cli.progress import AUDIT, Bar
from sordino.cli.spark import audit_on_spark, is_spark
from sordino.cli.streams import check_targets, write_whole
from sordino.cli.ways import take
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.warming.helped import helped


def audit(
    context: typer.Context,
    data: Data,
    policy: Policy = None,
    sensitive: Sensitive = None,
    rho: Rho = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    choices: ChoicesFile = None,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    json_: Json = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many findings to show.")] = 10,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Stop so long after the data were read. The output says what stayed open: if nothing forbidden was "
            "found until then, "
            "the answer is NOT CHECKED (exit code 3); else counts are lower bounds.",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = None,
    in_parts: Annotated[
        int | None,
        typer.Option(
            "--parts",
            metavar="N",
            min=1,
            help="Audit the records in N groups, one at a time, which takes less memory: the counts are the same. "
            "Parquet and databases are then read in pieces. Default: in one; of Parquet with a million rows or more, "
            "in as many as keep each of them small.",
            show_default=False,
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="If the policy holds, write a proof for 'sordino verify'.", show_default=False
        ),
    ] = None,
    allow_missing: AllowMissing = False,
    delimiter: Delimiter = None,
    null: Null = None,
    query: Query = None,
    table: TableName = None,
    group: Group = None,
    values: Values = None,
    original: Original = None,
    with_: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="DIR",
            help="An earlier release of the same people, with its keep part; can be repeated, the oldest first. Then "
            "the audit is about what can be inferred from all of them together.",
            show_default=False,
        ),
    ] = None,
    engine: Engine = None,
    master: Master = None,
    quiet: Quiet = False,
) -> None:
    """What can be inferred from this file, about how many people, by whom?

    Of a release folder, its own policy is checked, or the one that is stated. What is promised to people who chose for
    themselves needs their choices (in its keep part, or --choices, or in the policy) and the records before protection
    (--original).

    Exit code 0: the policy holds. 1: it does not. 2: bad input or usage. 3: not (fully) checked; the output says what
    stayed open.
    """
    asked, shown = Asked.of(locals()), Shown(json_, quiet)
    check_targets({"--json": shown.file, "--proof": proof}, asked.files())
    if is_spark(engine):
        audit_on_spark(context, asked, shown, master, top)
    required, kind = asked.judged()
    take(context, way_of(kind, "audit", asked, required))
    if proof is not None and (in_parts or 1) > 1:
        raise InputError("a proof is made from the whole, not in parts", hint="Leave out --parts or --proof.")
    with Bar(wanted=not quiet, steps=AUDIT) as bar, asked.located(), helped("audit", kind.name, required, jobs=jobs):
        bar("Reading", 0, 0)
        from sordino.kinds import verbs

        belonging = asked.belonging()
        if in_parts is not None:
            belonging["parts"] = in_parts
        belonging["may_spill"] = proof is None  # a proof is made from the whole
        source = verbs.read(asked.source, required, kind, verb="audit", **belonging)
        required = verbs.named(required, source, asked.missing)
        bar("step: audit", 0, 0)
        bar("Preparing", 0, 0)
        bar.tell_compiling()
        if not quiet:
            expect(source.data, required, time_limit, "audit")
        result = verbs.audit(
            source, required, top=top, time_limit=time_limit, jobs=jobs, progress=bar, missing=asked.missing
        )
        if proof is not None and result.holds:
            write_whole(proof, verbs.prove(source, required, jobs=jobs, progress=bar, missing=asked.missing))
        shown.write(result, source.data)
    if proof is not None and not result.holds and not quiet:
        why = "the policy does not hold" if result.answer is Answer.FAILS else "not everything was looked at"
        typer.echo(f"No proof was written to {proof}: there is none, because {why}.", err=True)
    shown.show(
        result, lambda: page_of(kind, "audit")(result, source, asked, required, top=top, proof=proof), source.data
    )
    raise typer.Exit(result.answer.exit_code)
