"""`sordino audit`: what can be inferred from this file, about how many people, by whom?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    ChoicesFile,
    Data,
    Delimiter,
    Group,
    Item,
    Knowledge,
    Layout,
    Null,
    Original,
    Policy,
    Record,
    Rho,
    Sensitive,
    TableForm,
    Values,
    about_baskets,
    all_at_once,
    no_basket_options,
    no_group_options,
    policy_of,
    resolve,
    with_choices,
)
from sordino.cli.progress import Bar
from sordino.cli.reading import with_reading, with_reading_key
from sordino.cli.streams import check_targets, say, write_whole
from sordino.errors import InputError


def audit(
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
    json_: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the result as JSON; '-' is standard output.", show_default=False
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many findings to show.")] = 10,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            help="Stop counting people after this time. The verdict is exact all the same; the output says which "
            "counts are lower bounds.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one a core.", show_default=False)
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
    group: Group = None,
    values: Values = None,
    original: Original = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report; the exit code tells.")] = False,
) -> None:
    """What can be inferred from this file, about how many people, by whom?

    Exit code 0: the policy holds. 1: it does not. 2: bad input or usage.
    """
    to_stdout = json_ == "-"
    json_file = None if json_ is None or to_stdout else Path(json_)
    source = None if data == "-" else data
    names = sensitive[1:] if sensitive is not None and sensitive.startswith("@") else None
    check_targets({"--json": json_file, "--proof": proof}, [source, policy, names, values, choices, original])
    given = any(value is not None for value in (policy, sensitive, rho, knowledge)) or adaptive
    with all_at_once(data, layout, record, item, delimiter):
        named = policy_of(policy, sensitive, rho, knowledge, adaptive) if given else None
    if source is not None and Path(source).is_dir() and (named is None or named.kind != "diversity"):
        if any(value is not None for value in (layout, record, item, delimiter, proof)):
            raise InputError("a release folder knows its own form, and has its own proof")
        from sordino.cli.audit_release import audit_release

        own = None if named is None else about_baskets(named, "audit")
        holds = audit_release(
            source, own, json_file=json_file, to_stdout=to_stdout, top=top, time_limit=time_limit, jobs=jobs,
            quiet=quiet,
        )  # fmt: skip
        raise typer.Exit(0 if holds else 1)
    stated = named or policy_of(policy, sensitive, rho, knowledge, adaptive)
    no_group_options(stated.kind, group=group, values=values, original=None if stated.kind == "inference" else original)
    if stated.kind != "inference":
        no_basket_options(stated.kind, layout=layout, record=record, item=item, proof=proof, choices=choices)
        from sordino.cli.tables import audit_table

        form = TableForm(
            data,
            delimiter,
            None if null is None else tuple(null),
            group,
            None if values is None else str(values),
            None if original is None else str(original),
        )
        holds = audit_table(
            form,
            stated,
            policy,
            json_file=json_file,
            to_stdout=to_stdout,
            top=top,
            time_limit=time_limit,
            jobs=jobs,
            allow_missing=allow_missing,
            quiet=quiet,
        )
        raise typer.Exit(0 if holds else 1)
    required = with_choices(about_baskets(stated, "audit"), choices)
    if proof is not None and (required.personal or required.assurance is not None or required.absent is not None):
        raise InputError(
            "there are no proofs for personal choices, sampled assurance or known absence", hint="Leave --proof out."
        )

    with Bar(wanted=not quiet) as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets

        lies: dict[str, Any] = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
        read = baskets = read_baskets(data, **lies, expected=required.sensitive)
        before = None
        if original is not None:
            from sordino.data.aligned import align

            before = read_baskets(str(original), **lies)
            baskets = align(baskets, before)
        resolved = resolve(required, baskets, policy, allow_missing)
        bar("Preparing", 0, 0)
        from sordino.audit.inference import audit_baskets

        result = audit_baskets(
            baskets, resolved, top=top, time_limit=time_limit, jobs=jobs, progress=bar, original=before
        )
        if proof is not None and result.holds:
            from sordino.audit.proof import make_proof, write_proof

            shown = make_proof(baskets, resolved, jobs=jobs, progress=bar)
            try:
                write_proof(shown, proof)
            except OSError as error:
                raise InputError(f"cannot be written ({error.strerror})", where=str(proof)) from None
        document = with_reading_key(result.to_dict(), read)
        if json_file is not None:
            text = json.dumps(document, indent=2, ensure_ascii=False)
            write_whole(json_file, f"{text}\n".encode())

    if proof is not None and not result.holds and not quiet:
        typer.echo(f"No proof was written to {proof}: there is none, because the policy does not hold.", err=True)
    if to_stdout:
        say(json.dumps(document, indent=2) + "\n")
    elif not quiet:
        from sordino.cli.audit_page import Asked, audit_page
        from sordino.cli.page import show

        asked = Asked(
            data, policy, sensitive, rho, knowledge, adaptive, layout, record, item, allow_missing, choices, delimiter
        )
        page = audit_page(
            result, resolved, asked, top=top, repeated=baskets.repeated, time_limit=time_limit, proof=proof
        )
        show(with_reading(page, read))
    raise typer.Exit(0 if result.holds else 1)
