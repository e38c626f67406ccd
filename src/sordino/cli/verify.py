"""`sordino verify`: is this release, or this file, safe? Shown by its proof, without trusting who made either."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.commands import page_of, way_of
from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    ChoicesFile,
    Delimiter,
    Item,
    Json,
    Knowledge,
    Layout,
    Null,
    OriginalData,
    Policy,
    Query,
    Record,
    Rho,
    Sensitive,
)
from sordino.cli.progress import Bar
from sordino.cli.spark import is_made_there, verify_from_spark
from sordino.cli.streams import check_targets
from sordino.cli.ways import BASKETS, COLUMNS, DATABASE, POLICY, TABLE, Way, take, way
from sordino.data.databases.address import Address, target_of
from sordino.errors import InputError
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from sordino.verify.verdict import Verdict as ProofVerdict

FILE = way(
    "a file of records and its proof",
    *POLICY,
    *BASKETS,
    *DATABASE,
    "proof",
    "json_",
    "allow_missing",
    key="what is signed is a release folder",
    choices="there are no proofs for personal choices",
    original="a proof is about the records at hand",
    database="what is compared with a table is a release folder",
)


def verify(
    context: typer.Context,
    data: Annotated[
        str,
        typer.Argument(
            metavar="DIR|DATA",
            help="A release folder, or its 'publish' part; or, with --proof, a file of records ('-': standard input).",
            show_default=False,
        ),
    ],
    proof: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The proof that 'sordino audit --proof' wrote.", show_default=False),
    ] = None,
    policy: Policy = None,
    sensitive: Sensitive = None,
    rho: Rho = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    choices: ChoicesFile = None,
    original: OriginalData = None,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    delimiter: Delimiter = None,
    null: Null = None,
    allow_missing: AllowMissing = False,
    key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="The publisher's public key (minisign), or its file.", show_default=False),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of a release folder: a database whose table (--table) must hold just the published data.",
            show_default=False,
        ),
    ] = None,
    query: Query = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="The table in the --database; or, if DATA is a database, the one of the records.",
            show_default=False,
        ),
    ] = None,
    with_: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="DIR",
            help="An earlier release that this one continues; can be repeated, the oldest first. All are checked, and "
            "that nothing can be inferred from them together, which needs their keep parts.",
            show_default=False,
        ),
    ] = None,
    json_: Json = None,
) -> None:
    """Check a release folder, or the proof of a safe file, without the code of the audit and the methods.

    It shares with the rest of sordino how files are read and written, and what a policy means. A release folder needs
    no more than its name; with a policy, the release must also be about that policy, and what it demands is taken from
    it alone. Promises about the data before protection are checked if these are given (--original): to people who chose
    for themselves (--choices, or in the policy), sampled ones, and those about rules that the original data teach.
    --layout, --record, --item, --delimiter and --null say how the data lie in their file, before and after. With --key
    the manifest must be signed by that key. With --database and --table, a table must hold just what is published.

    Exit code 0: all is as it should be, so the policy holds. 1: it is not; the reason is printed. 2: bad input or
    usage. 3: nothing wrong was found, but not all that is promised was checked; what would be needed is printed.
    """
    asked, shown = Asked.of(locals()), Shown(json_)
    check_targets({"--json": shown.file}, (*asked.files(), *([] if proof is None else [str(proof)])))
    if proof is not None:
        if with_:
            raise InputError("--proof and --with cannot be combined", hint="A chain is made of release folders.")
        take(context, FILE)
        _verify_file(asked, proof, shown)
        return
    if data == "-" or "data" in asked.places or Path(data).is_file():
        raise InputError("to verify a file of records, --proof is needed", hint="A release folder needs no options.")
    if is_made_there(data):
        found = verify_from_spark(context, asked, shown)
        if json_ == "-":
            shown.show(found, list)
            raise typer.Exit(found.answer.exit_code)
        _show(found, own=asked.policy is None and asked.sensitive is None)
        return
    take(context, _way(asked))
    copy = _copy(database, table)
    required = asked.required()
    with Bar() as bar:
        bar("Checking the release", 0, 0)
        from sordino.kinds import verbs

        form = asked.form()
        form["missing_texts"] = form.pop("missing", None)
        places = asked.belonging()
        verdict: Any = verbs.verify(
            data, required, original=original, choices=choices, previous=places["previous"], key=key,
            database=copy, **form,
        )  # fmt: skip
    shown.write(verdict)
    if json_ == "-":
        shown.show(verdict, list)
        raise typer.Exit(verdict.answer.exit_code)
    _show(verdict, own=required is None)


def _copy(database: str | None, table: str | None) -> Address | None:
    """The table that must hold the published data, if one is stated."""
    if database is None:
        if table is not None:
            raise InputError("--table names a table of a database, and none is stated", hint="Add --database ADDRESS.")
        return None
    return target_of(database, table)


def _way(asked: Asked) -> Way:
    """The way of a release folder, by its kind and shape."""
    from sordino.kinds import kind_of
    from sordino.verify.folder import published_part

    published_part(asked.data)  # or this is none
    try:
        asked.manifest()
    except InputError:  # it is not valid anyway, whatever is stated
        return way(
            "a release folder",
            *POLICY,
            *COLUMNS,
            *TABLE,
            "key",
            "database",
            "table",
            "proof",
            "choices",
            "original",
            "json_",
        )
    return way_of(kind_of(folder=asked.folder), "verify", asked, None)


def _show(verdict: Any, *, own: bool) -> None:
    """Tell the verdict of a folder. own: what is demanded is the release's own policy."""
    from sordino.cli.page import show
    from sordino.words.verified import verified_blocks

    show(list(verified_blocks(verdict.answer, verdict.sentences(), own=own)))
    if verdict.answer is not Answer.HOLDS:
        raise typer.Exit(verdict.answer.exit_code)


def _verify_file(asked: Asked, proof: Path, shown: Shown) -> None:
    from sordino.kinds import verbs

    required, kind = asked.judged()
    kind.load_proofs()  # or there are none
    if not proof.is_file():
        raise InputError("there is no such proof", where=str(proof), hint="Make one: sordino audit ... --proof FILE")
    with Bar() as bar, asked.located():
        bar("Reading", 0, 0)
        source = verbs.read(asked.source, required, kind, verb="verify", **asked.belonging())
        required = verbs.named(required, source, asked.missing)
        bar("Checking the proof", 0, 0)
        verdict: ProofVerdict = verbs.verify(source, required, proof, missing=asked.missing)

    from sordino.cli.page import Verdict, show
    from sordino.cli.reading import with_reading

    shown.write(verdict, source.data)
    if shown.json == "-":
        shown.show(verdict, list, source.data)
        raise typer.Exit(verdict.answer.exit_code)
    if verdict.holds:
        show(with_reading(page_of(kind, "proof")(verdict, source, required), source.data))
        return
    failed = verdict.answer is Answer.FAILS
    head = f"{'The proof is NOT valid' if failed else 'NOT CHECKED'}: {verdict.reason}."
    show(with_reading([Verdict(head, good=False if failed else None)], source.data))
    raise typer.Exit(verdict.answer.exit_code)
