"""`sordino verify`: is this release, or this file, safe? Shown by its proof, without trusting what made either."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    ChoicesFile,
    Item,
    Knowledge,
    Layout,
    OriginalData,
    Policy,
    Record,
    Rho,
    Sensitive,
    about_baskets,
    located,
    policy_of,
    with_choices,
)
from sordino.cli.progress import Bar
from sordino.cli.ways import COLUMNS, POLICY, Way, take, way
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from sordino.policy.inference import InferencePolicy
    from sordino.policy.kinds import Policy as AnyPolicy

NOT_MISSING = "what has vanished from a release is nothing to complain of"
NOT_CHOSEN = "this release promises nothing about what single persons chose; sordino audit DIR --choices FILE looks"
NOT_ORIGINAL = "this release is checked by what is published alone"
OF_ORIGINAL = "a release folder knows its own form; with --original DATA it would say how these data lie"

FILE = way(
    "a file of records and its proof",
    *POLICY,
    *COLUMNS,
    "proof",
    "allow_missing",
    choices="there are no proofs for personal choices",
    original="a proof is about the records at hand",
)
FOLDER = way(
    "a release folder",
    *POLICY,
    "proof",  # then it is taken for a file
    allow_missing=NOT_MISSING,
    choices=NOT_CHOSEN,
    original=NOT_ORIGINAL,
    **dict.fromkeys(COLUMNS, "a release folder knows its own form"),
)
PROMISED_FOLDER = FOLDER.without(**dict.fromkeys(COLUMNS, OF_ORIGINAL)).plus("choices", "original")
ORIGINAL_FOLDER = PROMISED_FOLDER.plus(*COLUMNS)
TABLE_FOLDER = FOLDER.without(*POLICY[1:], about="a release folder of a table")


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
    allow_missing: AllowMissing = False,
) -> None:
    """Check a release folder, or the proof of a safe file, with code that shares nothing with the audit.

    A release folder needs no more than its name; with a policy, the release must also be about that policy. What is
    promised to people who chose for themselves is checked if their choices are given (--choices, or in the policy), and
    exactly if the records before protection are given, too (--original).

    Exit code 0: all is as it should be, so the policy holds. 1: it is not; the reason is printed. 2: bad input or
    usage. 3: nothing wrong was found, but what is promised was not checked; what would be needed is printed.
    """
    if proof is None:
        if data == "-" or Path(data).is_file():
            raise InputError(
                "to verify a file of records, --proof is needed", hint="A release folder needs no options."
            )
        stated = any(value is not None for value in (policy, sensitive, rho, knowledge)) or adaptive
        take(context, _way(data, original is not None))
        required_of_it = policy_of(policy, sensitive, rho, knowledge, adaptive) if stated else None
        if choices is not None:
            required_of_it = with_choices(_stated_or_own(data, required_of_it), choices)
        _verify_release(data, required_of_it, original, {"layout": layout, "record": record, "item": item})
    else:
        take(context, FILE)
        required = about_baskets(policy_of(policy, sensitive, rho, knowledge, adaptive), "verify --proof")
        if required.personal or required.assurance is not None:
            raise InputError(
                "there are no proofs for personal choices or sampled assurance",
                hint="Verify the release folder, with --original DATA.",
            )
        _verify_file(data, proof, required, policy, layout, record, item, allow_missing)


def _way(folder: str, original: bool) -> Way:
    """The way of a release folder, by its shape; of one that cannot be read any, because it is not valid anyway."""
    from sordino.release.check import published_part, read_manifest
    from sordino.release.shapes import find_shape

    publish = published_part(folder)
    try:
        manifest = read_manifest(publish)
        asks = hasattr(find_shape(manifest.shape), "verify_given")
    except InputError:
        return ORIGINAL_FOLDER
    if manifest.policy.kind != "inference":
        return TABLE_FOLDER
    return (ORIGINAL_FOLDER if original else PROMISED_FOLDER) if asks else FOLDER


def _stated_or_own(folder: str, stated: AnyPolicy | None) -> InferencePolicy:
    """The policy that choices are to be added to: the stated one, or what the release says in public."""
    from dataclasses import replace

    from sordino.release.check import published_part, read_manifest

    policy = about_baskets(read_manifest(published_part(folder)).policy if stated is None else stated, "--choices")
    return replace(policy, per_record=None) if stated is None else policy


def _verify_release(
    folder: str, required: AnyPolicy | None, original: str | None, form: Mapping[str, str | None]
) -> None:
    with Bar() as bar:
        bar("Checking the release", 0, 0)
        from sordino.release.check import verify_folder

        records = None
        if original is not None:
            from sordino.data.read import read_baskets

            records = read_baskets(original, **form)
        verdict = verify_folder(folder, required, records)

    from sordino.cli.page import Headline, Lines, clean, show

    if verdict.answer is Answer.FAILS:
        show([Headline(f"The release is NOT valid: {clean(verdict.reason)}.", good=False)])
        raise typer.Exit(verdict.answer.exit_code)
    holding, *lines = map(clean, verdict.sentences())
    if verdict.answer is Answer.NOT_CHECKED:
        show([Headline(f"NOT CHECKED: {holding}", good=None), Lines(tuple(lines))])
        raise typer.Exit(verdict.answer.exit_code)
    if required is None:
        lines.append("The policy is the release's own, in its manifest.json. To insist on yours, add --policy FILE.")
    show([Headline(f"The release is valid: {holding}", good=True), Lines(tuple(lines))])


def _verify_file(
    data: str,
    proof: Path,
    required: InferencePolicy,
    policy: Path | None,
    layout: str | None,
    record: str | None,
    item: str | None,
    allow_missing: bool,
) -> None:
    if not proof.is_file():
        raise InputError("there is no such proof", where=str(proof), hint="Make one: sordino audit ... --proof FILE")
    with Bar() as bar:
        bar("Reading", 0, 0)
        import sordino
        from sordino.data.read import read_baskets

        baskets = read_baskets(data, layout=layout, record=record, item=item)
        bar("Checking the proof", 0, 0)
        try:
            verdict = sordino.verify(baskets, required, proof, missing="accept" if allow_missing else "error")
        except PolicyError as error:
            raise located(error, policy, allow_missing) from None

    from sordino.cli.page import Headline, Lines, count, show
    from sordino.words.claims import against, known_part

    if not verdict.holds:
        show([Headline(f"The proof is NOT valid: {verdict.reason}.", good=False)])
        raise typer.Exit(1)
    known = known_part({"knowledge": required.knowledge})
    show(
        [
            Headline(
                f"The proof is valid{against({'knowledge': required.knowledge})}: no sensitive item can be inferred "
                "above its threshold.",
                good=True,
            ),
            Lines(
                (
                    f"{count(len(baskets), 'record')}, {count(verdict.items, 'sensitive item')}, "
                    f"against someone who knows {known} of a record.",
                    f"Entries (equal records taken once): {verdict.served:,} shown by alibis, {verdict.searched:,} by "
                    f"our own search. It took {verdict.seconds:.1f} s.",
                )
            ),
        ]
    )
