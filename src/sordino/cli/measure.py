"""`sordino measure`: what did it cost?"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sordino.cli.options import (
    Adaptive,
    AllowMissing,
    Delimiter,
    Item,
    Knowledge,
    Layout,
    Null,
    Policy,
    Record,
    Rho,
    Sensitive,
    TableForm,
    about_baskets,
    policy_of,
    resolve,
)
from sordino.cli.progress import Bar
from sordino.cli.reading import with_reading, with_reading_key
from sordino.cli.streams import check_targets, say, write_whole
from sordino.cli.ways import COLUMNS, POLICY, TABLE, Way, take, way
from sordino.errors import InputError

if TYPE_CHECKING:
    from sordino.policy.inference import ResolvedInference
    from sordino.policy.kinds import Policy as AnyPolicy
    from sordino.utility.cost import Cost


SHOWN = ("json_", "jobs")
BASKETS = way("baskets", *POLICY, *COLUMNS, *SHOWN, "top", "no_rules", "no_bound", "unpaired", "allow_missing")
NO_POLICY = BASKETS.without(
    about="baskets without a policy",
    allow_missing="no policy names anything",
    no_bound="without a policy none is computed",
)
GROUPED = BASKETS.without(
    about="a release of baskets in groups",
    no_bound="the least possible loss is known for deletions only",
    top="no items are listed",
    knowledge="of the policy only the sensitive items matter",
    adaptive="of the policy only the sensitive items matter",
)
TEMPLATE = way("a table under templates", "policy", *TABLE, *SHOWN, "errors", "allow_missing")
DIVERSITY = way("a grouped table", "policy", *TABLE, *SHOWN)


def measure(
    context: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The original records; '-' is standard input.", show_default=False)
    ],
    after: Annotated[
        str,
        typer.Argument(
            metavar="AFTER", help="The same records after, as a file or a release folder.", show_default=False
        ),
    ],
    policy: Policy = None,
    sensitive: Sensitive = None,
    rho: Rho = None,
    knowledge: Knowledge = None,
    adaptive: Adaptive = False,
    layout: Layout = None,
    record: Record = None,
    item: Item = None,
    json_: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the result as JSON; '-' is standard output.", show_default=False
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="How many items to show.")] = 10,
    no_rules: Annotated[bool, typer.Option("--no-rules", help="Do not compare association rules.")] = False,
    no_bound: Annotated[bool, typer.Option("--no-bound", help="Do not compute the least possible loss.")] = False,
    unpaired: Annotated[
        bool,
        typer.Option("--unpaired", help="Records after are in another order, or generalised: compare only totals."),
    ] = False,
    errors: Annotated[
        bool, typer.Option("--errors", help="Of a table: also the errors of predicting the class (scikit-learn).")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Threads. Default: one a core.", show_default=False)
    ] = None,
    allow_missing: AllowMissing = False,
    delimiter: Delimiter = None,
    null: Null = None,
) -> None:
    """What did it cost? Compares a file before and after it was protected.

    With a policy (a release folder has its own) also: which of the lost rules are not sensitive, and how little any
    safe version could have lost. Exit code 0: done. 2: bad input or usage.
    """
    to_stdout = json_ == "-"
    json_file = None if json_ is None or to_stdout else Path(json_)
    names = sensitive[1:] if sensitive is not None and sensitive.startswith("@") else None
    if before == after == "-":
        raise InputError("BEFORE and AFTER cannot both be standard input")
    sources = [source for source in (before, after) if source != "-"]
    check_targets({"--json": json_file}, [*sources, policy, names])
    stated = policy is not None or sensitive is not None or rho is not None or knowledge is not None or adaptive
    asked = policy_of(policy, sensitive, rho, knowledge, adaptive) if stated else None
    kind = kind_of(asked, after)
    if kind != "inference":
        take(context, TEMPLATE if kind == "template" else DIVERSITY)
        from sordino.cli.tables import measure_table

        form = TableForm(before, delimiter, None if null is None else tuple(null))
        measure_table(
            form, after, asked, kind, json_file=json_file, to_stdout=to_stdout, jobs=jobs, errors=errors,
            allow_missing=allow_missing,
        )  # fmt: skip
        return
    take(context, _way(asked, after))
    required = None if asked is None else about_baskets(asked, "measure")

    with Bar() as bar:
        bar("Reading", 0, 0)
        from sordino.data.read import read_baskets
        from sordino.release.reading import read_release_or_baskets

        lies = {"layout": layout, "record": record, "item": item, "delimiter": delimiter}
        old = read_baskets(before, **lies, expected=() if required is None else required.sensitive)
        from sordino.release.reading import coarsened_in

        grouped = coarsened_in(after, old)
        resolved: ResolvedInference | None
        cost: Cost
        if grouped is not None:
            from sordino.utility.coarsened_cost import measure_coarsened

            terms = resolved = resolve(required or grouped[1], old, policy, allow_missing)
            cost = measure_coarsened(old, grouped[0], terms, rules=not no_rules, paired=not unpaired, progress=bar)
        else:
            from sordino.utility.cost import measure_cost

            new, own = read_release_or_baskets(after, **lies, before=old)
            required = required or own
            resolved = None if required is None else resolve(required, old, policy, allow_missing)
            cost = measure_cost(
                old,
                new,
                policy=resolved,
                rules=not no_rules,
                bound=not no_bound,
                paired=not unpaired,
                jobs=jobs,
                progress=bar,
            )
        if json_file is not None:
            text = json.dumps(with_reading_key(cost.to_dict(), old), indent=2, ensure_ascii=False)
            write_whole(json_file, f"{text}\n".encode())

    if to_stdout:
        say(json.dumps(with_reading_key(cost.to_dict(), old), indent=2) + "\n")
        return
    from sordino.cli.measure_page import measure_page
    from sordino.cli.page import show

    show(with_reading(measure_page(cost, before, after, top=top, policy=resolved is not None), old))


def _way(policy: AnyPolicy | None, after: str) -> Way:
    """The way of baskets: in groups, with a policy or without."""
    if not Path(after).is_dir():
        return NO_POLICY if policy is None else BASKETS
    from sordino.verify.folder import published_part
    from sordino.verify.manifest_file import read_manifest

    with contextlib.suppress(InputError):  # whoever reads the folder will say what is wrong with it
        if read_manifest(published_part(after)).shape in ("generalized", "generalized_absence", "permuted"):
            return GROUPED
    return BASKETS


def kind_of(policy: AnyPolicy | None, after: str) -> str:
    """The kind of the policy that is stated, or of the release."""
    if policy is None and Path(after).is_dir():
        from sordino.verify.folder import published_part
        from sordino.verify.manifest_file import read_manifest

        with contextlib.suppress(InputError):  # whoever reads the folder will say what is wrong with it
            policy = read_manifest(published_part(after)).policy
    return "inference" if policy is None else policy.kind
