"""`sordino verify`: is this release, or this file, safe? Shown by its proof, without trusting who made either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    ChoicesFile,
    Delimiter,
    Item,
    Knowledge,
    Layout,
    Null,
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
from sordino.cli.reading import with_reading
from sordino.cli.ways import COLUMNS, POLICY, TABLE, Way, take, way
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sordino.policy.inference import InferencePolicy
    from sordino.policy.kinds import Policy as AnyPolicy

NOT_MISSING = "what has vanished from a release is nothing to complain of"
NOT_CHOSEN = "this release promises nothing about what single persons chose; sordino audit DIR --choices FILE looks"
NOT_ORIGINAL = "this release is checked by what is published alone"

FILE = way(
    "a file of records and its proof",
    *POLICY,
    *COLUMNS,
    "proof",
    "allow_missing",
    key="what is signed is a release folder",
    choices="there are no proofs for personal choices",
    original="a proof is about the records at hand",
)
FOLDER = way(
    "a release folder",
    *POLICY,
    *COLUMNS,  # as they are published, if that has to be confirmed
    "key",
    "proof",  # then it is taken for a file
    "with_",
    allow_missing=NOT_MISSING,
    choices=NOT_CHOSEN,
    original=NOT_ORIGINAL,
)
CHAIN = way("releases that continue each other", *POLICY, "with_", original=NOT_ORIGINAL, choices=NOT_CHOSEN)
PROMISED_FOLDER = FOLDER.without(with_="such a release cannot continue an earlier one").plus("choices", "original")
TABLE_FOLDER = way(
    "a release folder of a table", "policy", *TABLE, "key", "proof", allow_missing=NOT_MISSING, original=NOT_ORIGINAL
)
GROUPED_FOLDER = TABLE_FOLDER.plus("original")
WAYS = {"promised": PROMISED_FOLDER, "template": TABLE_FOLDER, "diversity": GROUPED_FOLDER}  # others: FOLDER


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
) -> None:
    """Check a release folder, or the proof of a safe file, without the code of the audit and the methods.

    It shares with the rest of sordino how files are read and written, and what a policy means. A release folder needs
    no more than its name; with a policy, the release must also be about that policy, and what it demands is taken from
    it alone. Promises about the data before protection are checked if these are given (--original): to people who chose
    for themselves (--choices, or in the policy), sampled ones, and those about rules that the original data teach.
    --layout, --record, --item, --delimiter and --null say how the data lie in their file, before and after. With --key
    the manifest must be signed by that key.

    Exit code 0: all is as it should be, so the policy holds. 1: it is not; the reason is printed. 2: bad input or
    usage. 3: nothing wrong was found, but not all that is promised was checked; what would be needed is printed.
    """
    if proof is None:
        if data == "-" or Path(data).is_file():
            raise InputError(
                "to verify a file of records, --proof is needed", hint="A release folder needs no options."
            )
        stated = any(value is not None for value in (policy, sensitive, rho, knowledge)) or adaptive
        own = _way(data)
        take(context, CHAIN if with_ and "with_" in own.uses else own)
        required_of_it = policy_of(policy, sensitive, rho, knowledge, adaptive) if stated else None
        if choices is not None:
            required_of_it = with_choices(_stated_or_own(data, required_of_it), choices)
        form: dict[str, object] = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
        form["missing"] = None if null is None else tuple(null)
        _verify_release(data, required_of_it, original, key, form, with_ or (), own=not stated)
    elif with_:
        raise InputError("--proof and --with cannot be combined", hint="A chain is made of release folders.")
    else:
        take(context, FILE)
        required = about_baskets(policy_of(policy, sensitive, rho, knowledge, adaptive), "verify --proof")
        if required.personal or required.assurance is not None:
            raise InputError(
                "there are no proofs for personal choices or sampled assurance",
                hint="Verify the release folder, with --original DATA.",
            )
        if required.absent is not None:
            raise InputError("there are no proofs for knowledge of absence", hint="Verify the release folder.")
        lies = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
        _verify_file(data, proof, required, policy, lies, allow_missing)


def _way(folder: str) -> Way:
    """The way of a release folder, by its shape; of one that cannot be read any, because it is not valid anyway."""
    from sordino.verify.folder import published_part
    from sordino.verify.manifest_file import read_manifest

    publish = published_part(folder)
    try:
        shape = read_manifest(publish).shape
    except InputError:
        return PROMISED_FOLDER.plus(*TABLE)
    return WAYS.get(shape, FOLDER)


def _stated_or_own(folder: str, stated: AnyPolicy | None) -> InferencePolicy:
    """The policy that choices are to be added to: the stated one, or what the release says in public."""
    from sordino.verify.folder import published_part
    from sordino.verify.manifest_file import read_manifest

    policy = about_baskets(read_manifest(published_part(folder)).policy if stated is None else stated, "--choices")
    return replace(policy, per_record=None) if stated is None else policy


def _verify_release(
    folder: str,
    required: AnyPolicy | None,
    original: str | None,
    key: str | None,
    form: Mapping[str, object],
    previous: Sequence[Path],
    *,
    own: bool,
) -> None:
    """Check a folder. own: what is demanded is the release's own policy, at the most with choices that were stated."""
    with Bar() as bar:
        bar("Checking the release", 0, 0)
        from sordino.release.check import verify_chain, verify_folder

        verdict = (
            verify_chain(folder, [str(old) for old in previous], required)
            if previous
            else verify_folder(folder, required, original, key=key, **form)
        )
    if own and required is not None:
        verdict = replace(verdict, stated=False, notes=("what people chose is as it was stated", *verdict.notes))

    from sordino.cli.page import Headline, Lines, clean, show
    from sordino.policy.answer import Answer

    first, *lines = map(clean, verdict.sentences())
    if verdict.answer is Answer.FAILS:
        show([Headline(f"The release is NOT valid: {first}", good=False)])
        raise typer.Exit(verdict.answer.exit_code)
    if own:
        lines.append("To insist on a policy of yours, add --policy FILE.")
    valid = verdict.answer is Answer.HOLDS
    head = f"The release is valid: {first}" if valid else f"NOT CHECKED: {first}"
    show([Headline(head, good=valid), Lines(tuple(lines))])
    if not valid:
        raise typer.Exit(verdict.answer.exit_code)


def _verify_file(
    data: str,
    proof: Path,
    required: InferencePolicy,
    policy: Path | None,
    form: dict[str, str | None],
    allow_missing: bool,
) -> None:
    if not proof.is_file():
        raise InputError("there is no such proof", where=str(proof), hint="Make one: sordino audit ... --proof FILE")
    with Bar() as bar:
        bar("Reading", 0, 0)
        import sordino
        from sordino.data.read import read_baskets

        baskets = read_baskets(data, **form, expected=required.sensitive)
        bar("Checking the proof", 0, 0)
        try:
            verdict = sordino.verify(baskets, required, proof, missing="accept" if allow_missing else "error")
        except PolicyError as error:
            raise located(error, policy, allow_missing) from None

    from sordino.cli.page import Headline, Lines, count, show
    from sordino.words.claims import known_part

    if not verdict.holds:
        failed = verdict.answer is Answer.FAILS
        headline = Headline(
            f"{'The proof is NOT valid' if failed else 'NOT CHECKED'}: {verdict.reason}.",
            good=False if failed else None,
        )
        show(with_reading([headline], baskets))
        raise typer.Exit(verdict.answer.exit_code)
    about = {"knowledge": required.knowledge}
    lines = (
        f"{count(len(baskets), 'record')}, {count(verdict.items, 'sensitive item')}, "
        f"against someone who knows {known_part(about)} of a record.",
        f"Entries (equal records taken once): {verdict.served:,} shown by alibis, {verdict.searched:,} by "
        f"our own search. It took {verdict.seconds:.1f} s.",
    )
    good = Headline("The proof is valid: no sensitive item can be inferred above its threshold.", good=True)
    show(with_reading([good, Lines(lines)], baskets))
