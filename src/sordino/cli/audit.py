"""`sordino audit`: what can be inferred from this file, about how many people, by whom?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sordino.cli.asked import Asked, Shown
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
    policy_of,
    resolve,
    with_choices,
)
from sordino.cli.progress import Bar
from sordino.cli.streams import check_targets, write_whole
from sordino.cli.ways import COLUMNS, POLICY, TABLE, Way, take, way
from sordino.policy.answer import Answer

if TYPE_CHECKING:
    from sordino.audit.result import AuditResult
    from sordino.cli.page import Block
    from sordino.policy.inference import InferencePolicy, ResolvedInference
    from sordino.policy.kinds import Policy as AnyPolicy

SHOWN = ("json_", "top", "jobs", "quiet")  # what every audit uses
NOT_ORIGINAL = "people did not choose for themselves under this policy, so what is published decides alone"
NO_PROOF = "there are no proofs for personal choices or sampled assurance"
OWN_FORM = "a release folder knows its own form"

BASKETS = way(
    "baskets", *POLICY, *COLUMNS, *SHOWN, "choices", "time_limit", "proof", "allow_missing", "with_",
    original=NOT_ORIGINAL,
)  # fmt: skip
PERSONAL = BASKETS.without(
    about="baskets of people who chose for themselves",
    proof=NO_PROOF,
    with_="several releases cannot be judged together under personal choices or sampled assurance yet",
).plus("original")
ABSENT = BASKETS.without(
    about="baskets under knowledge of absence",
    choices="choices of single persons do not work together with knowledge of absence yet",
    proof="there are no proofs for knowledge of absence: whoever has a safe file can count",
    with_="several releases cannot be judged together under knowledge of absence yet",
)
SAMPLED = PERSONAL.without(about="baskets under a sampled assurance", top="a sample has no findings")
TEMPLATE = way("a table under templates", "policy", *TABLE, *SHOWN, "allow_missing")
NOT_GROUPED = "name the column of the groups, too: --group COLUMN"
DIVERSITY = way(
    "a table that is not grouped",
    "policy",
    *TABLE,
    *SHOWN,
    "allow_missing",
    "group",
    values=NOT_GROUPED,
    original=NOT_GROUPED,
)
GROUPED = DIVERSITY.plus("values", "original")
FOLDER = way("a release folder of baskets", *POLICY, *SHOWN, "time_limit", "choices", "allow_missing", "with_",
    proof=OWN_FORM, original=NOT_ORIGINAL, **dict.fromkeys(COLUMNS, OWN_FORM))  # fmt: skip
PERSONAL_FOLDER = FOLDER.without(with_=PERSONAL.why_not["with_"]).plus("original")
ORIGINAL_FOLDER = PERSONAL_FOLDER.plus(*COLUMNS)  # they say how the original lies in its file
SAMPLED_FOLDER = ORIGINAL_FOLDER.without("top")
GENERALIZED_FOLDER = FOLDER.without(
    "choices",
    about="a release folder of generalized baskets",
    with_="a release in groups cannot be laid beside another one yet",
)
PERMUTED_FOLDER = GENERALIZED_FOLDER.without(
    about="a release folder of permuted baskets",
    knowledge="permuted data are judged against whoever knows any number of items, but non-sensitive ones only",
)
ROWS = "rows are matched as they are published"
JOINT = way(
    "several releases together", *POLICY, *SHOWN, "with_", "time_limit", "allow_missing", original=ROWS,
    choices="choices of single persons do not go together with --with yet",
    **dict.fromkeys(COLUMNS, OWN_FORM),
)  # fmt: skip
JOINT_FILE = JOINT.plus(*COLUMNS)
TEMPLATE_FOLDER = way("a release folder of a table under templates", "policy", *SHOWN, "allow_missing")
DIVERSITY_FOLDER = way("a release folder of a grouped table", "policy", *SHOWN, "allow_missing", "original")
DIVERSITY_ORIGINAL = DIVERSITY_FOLDER.plus(*TABLE)


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
            help="Stop after this time. The output says what stayed open: if nothing forbidden was found until then, "
            "the answer is NOT CHECKED (exit code 3); else counts are lower bounds.",
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
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no report; the exit code tells.")] = False,
) -> None:
    """What can be inferred from this file, about how many people, by whom?

    Of a release folder, its own policy is checked, or the one that is stated. What is promised to people who chose for
    themselves needs their choices (in its keep part, or --choices, or in the policy) and the records before protection
    (--original).

    Exit code 0: the policy holds. 1: it does not. 2: bad input or usage. 3: not (fully) checked; the output says what
    stayed open.
    """
    to_stdout = json_ == "-"
    json_file = None if json_ is None or to_stdout else Path(json_)
    source = None if data == "-" else data
    names = sensitive[1:] if sensitive is not None and sensitive.startswith("@") else None
    check_targets({"--json": json_file, "--proof": proof}, [source, policy, names, values, choices, original])
    given = any(value is not None for value in (policy, sensitive, rho, knowledge)) or adaptive
    folder = source is not None and Path(source).is_dir()
    with all_at_once(data, layout, record, item, delimiter):
        named = policy_of(policy, sensitive, rho, knowledge, adaptive) if given or not folder else None
    asked = Asked(
        data, policy, sensitive, rho, knowledge, adaptive, layout, record, item, allow_missing, choices, original,
        time_limit, delimiter,
    )  # fmt: skip
    shown = Shown(json_file, to_stdout, top, quiet)
    if with_ and _able_to_join(named, source if folder else None):
        take(context, JOINT if folder else JOINT_FILE)
        from sordino.cli.joint import audit_together

        raise typer.Exit(audit_together(asked, with_, named, shown, jobs=jobs).exit_code)
    if folder:
        from sordino.cli.audit_release import audit_release

        before_it = None if original is None else str(original)
        form = TableForm(data, delimiter, None if null is None else tuple(null), original=before_it)
        answer = audit_release(context, asked, named, form, shown, jobs=jobs)
        raise typer.Exit(answer.exit_code)
    assert named is not None
    if named.kind != "inference":
        grouped = named.kind == "diversity" and group is not None
        take(context, GROUPED if grouped else DIVERSITY if named.kind == "diversity" else TEMPLATE)
        from sordino.cli.tables import audit_table

        form = TableForm(
            data,
            delimiter,
            None if null is None else tuple(null),
            group,
            None if values is None else str(values),
            None if original is None else str(original),
        )
        answer = audit_table(form, named, policy, shown, jobs=jobs, allow_missing=allow_missing)
        raise typer.Exit(answer.exit_code)
    stated = about_baskets(named, "audit")
    take(context, way_of(stated, choices))
    required = with_choices(stated, choices)

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
            from sordino.audit.proof import encode_proof, make_proof

            write_whole(proof, encode_proof(make_proof(baskets, resolved, jobs=jobs, progress=bar)))
        shown.write(result, read)

    if proof is not None and not result.holds and not quiet:
        why = "the policy does not hold" if result.answer is Answer.FAILS else "not everything was looked at"
        typer.echo(f"No proof was written to {proof}: there is none, because {why}.", err=True)
    shown.show(result, lambda: _page(result, resolved, asked, top, baskets.repeated, proof), read)
    raise typer.Exit(result.answer.exit_code)


def _able_to_join(policy: AnyPolicy | None, folder: str | None) -> bool:
    """Whether such data can be laid beside earlier releases; if not, their own way refuses --with."""
    if folder is None:
        assert policy is not None
        return policy.kind == "inference" and way_of(about_baskets(policy, "audit"), None) is BASKETS
    from sordino.verify.folder import published_part
    from sordino.verify.linked import SHAPES
    from sordino.verify.manifest_file import read_manifest

    return read_manifest(published_part(folder)).shape in SHAPES


def way_of(policy: InferencePolicy, choices: Path | None) -> Way:
    """The way of baskets under this policy."""
    if policy.assurance is not None:
        return SAMPLED
    if policy.absent is not None:
        return ABSENT
    return PERSONAL if policy.personal or choices is not None else BASKETS


def _page(
    result: AuditResult, resolved: ResolvedInference, asked: Asked, top: int, repeated: int, proof: Path | None
) -> Sequence[Block]:
    from sordino.cli.audit_page import audit_page

    return audit_page(result, resolved, asked, top=top, repeated=repeated, proof=proof)
