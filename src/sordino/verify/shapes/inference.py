"""Baskets from which items were deleted, under an inference policy; with alibis as proof.

Its entries of the manifest:

    "ids": "shuffle", "data": {"file": "data.csv", "format": "csv", "layout": "baskets", "record": null, "item": null,
             "delimiter": ","},
    "policy": {"kind": "inference", "sensitive": [..], "rho": "0.5", "per_item": {}, "adaptive": false,
               "knowledge": null},
    "thresholds": null

The policy names only the sensitive items that the published data still hold: to name others would tell that somebody
had them. For these data it demands the same. `thresholds` lists what an adaptive policy comes to on the published data,
which anyone can compute from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_like
from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.data.sources.csv_long import has_long_header
from sordino.data.sources.delimiters import delimiter_name
from sordino.data.write import file_name
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy
from sordino.policy.kinds import Policy
from sordino.policy.threshold import read_rational, show_rational
from sordino.release.asked import Asked
from sordino.release.basket_seen import seen_of
from sordino.release.bounded import LeftOpenError
from sordino.release.contents import check_records, checked_bytes
from sordino.release.manifest import MANIFEST, Manifest, whole_text
from sordino.release.statement import OURS, adversary, allowed, guaranteed, not_guaranteed
from sordino.release.verdict import Verdict
from sordino.release.verify import verify_baskets
from sordino.report.documents import Seen

__all__ = [
    "PROOF",
    "TAKES",
    "InferenceManifest",
    "about",
    "about_check",
    "about_policy",
    "absent",
    "check_thresholds",
    "checked_data",
    "demanded",
    "difference",
    "different",
    "document",
    "files",
    "found",
    "guaranteed",
    "not_guaranteed",
    "read",
    "read_as",
    "read_data",
    "same",
    "state",
    "verify",
]

TAKES = frozenset({"layout", "record", "item", "delimiter"})

PROOF = "proof.json.gz"
ABOUT_IDS = {
    "keep": "Records are in the order of the source; record ids, if there are any, are its own.",
    "renumber": "Records are in the order of the source; record ids, if there are any, are new numbers.",
    "shuffle": "Records are in random order; record ids, if there are any, are new numbers.",
}
ABOUT_FORMAT = {
    "fimi": "text, one record a line, its items apart by blanks",
    "csv": "CSV text",
    "parquet": "Parquet",
    "jsonl": "JSON lines",
}
ABOUT_LAYOUT = {
    "baskets": ", one record a line, its items apart by {}",
    "long": ", one row for each item of a record",
    "list": ", each record a list of items",
}


@dataclass(frozen=True, kw_only=True)
class InferenceManifest(Manifest):
    """What the manifest of protected baskets says."""

    shape: ClassVar[str] = "inference"

    ids: str
    form: Origin  # how to read the data
    policy: InferencePolicy
    thresholds: Mapping[str, Fraction] | None  # of an adaptive policy, on the published data


def document(manifest: InferenceManifest) -> dict[str, Any]:
    """Ids, form of the data, policy and thresholds."""
    form = manifest.form
    return {
        "ids": manifest.ids,
        "data": {
            "file": manifest.file,
            "format": form.format,
            "layout": form.layout,
            "record": form.record,
            "item": form.item,
            "delimiter": form.delimiter if form.format == "csv" else None,
        },
        "policy": state(manifest.policy),
        "thresholds": None
        if manifest.thresholds is None
        else {name: show_rational(rho) for name, rho in sorted(manifest.thresholds.items())},
    }


def read(document: Mapping[str, Any], common: Mapping[str, Any]) -> InferenceManifest:
    """The manifest from its entries."""
    data, policy, thresholds = document["data"], document["policy"], document["thresholds"]
    sensitive = policy["sensitive"]
    if not isinstance(sensitive, list):
        raise TypeError
    form = Origin(
        format=whole_text(data["format"]),
        layout=whole_text(data["layout"]),
        record=None if data["record"] is None else whole_text(data["record"]),
        item=None if data["item"] is None else whole_text(data["item"]),
        delimiter="," if data["delimiter"] is None else whole_text(data["delimiter"]),
    )
    ids = whole_text(document["ids"])
    if ids not in ABOUT_IDS or form.format not in ABOUT_FORMAT or len(form.delimiter) != 1:
        raise ValueError
    if common["file"].removesuffix(".gz") != file_name(form):
        raise ValueError
    return InferenceManifest(
        **common,
        ids=ids,
        form=form,
        policy=InferencePolicy(
            map(whole_text, sensitive),
            whole_text(policy["rho"]),
            rho_of=dict(policy["per_item"]),
            adaptive=policy["adaptive"],
            knowledge=policy["knowledge"],
        ),
        thresholds=None
        if thresholds is None
        else {whole_text(name): read_rational(whole_text(rho)) for name, rho in thresholds.items()},
    )


def state(policy: InferencePolicy) -> dict[str, object]:
    """The policy as plain data, in the terms in which it was written."""
    rule: object
    if isinstance(policy.adaptive, Mapping):
        rule = {item: show_rational(factor) for item, factor in policy.adaptive.items()}
    elif isinstance(policy.adaptive, bool):
        rule = policy.adaptive
    else:
        rule = show_rational(policy.adaptive)
    return {
        "kind": "inference",
        "sensitive": list(policy.sensitive),
        "rho": show_rational(policy.rho),
        "per_item": {item: show_rational(rho) for item, rho in policy.rho_of.items()},
        "adaptive": rule,
        "knowledge": policy.knowledge,
    }


def about(manifest: InferenceManifest) -> tuple[str, ...]:
    """What the data are, and what was done to them."""
    form = manifest.form
    people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
    return (
        f"{manifest.file} holds records of {people}: {_written(form)}. Before it was published, items were deleted "
        "wherever they would have allowed someone to infer a sensitive item; nothing was added or invented. "
        f"{ABOUT_IDS.get(manifest.ids, '')}",
    )


def about_policy(manifest: InferenceManifest) -> str:
    """Where to find what is protected."""
    del manifest
    return (
        f"The sensitive items that the data still hold, and their thresholds, are listed in {MANIFEST}, under "
        '"policy". They were chosen by whoever published this folder.'
    )


def about_check(manifest: InferenceManifest) -> tuple[str, str, str]:
    """Why one need not trust, what verifying does, and what it then says of the promise."""
    del manifest
    return (
        f"You need not trust whoever made this folder: the proof can be checked by a part of sordino {OURS}. In this "
        "folder, run",
        f"It compares every file with its checksum in {MANIFEST}, reads the data, and checks {PROOF} against the "
        "policy.",
        "what is guaranteed was found to be true",
    )


def files(manifest: InferenceManifest) -> frozenset[str]:
    """The data and the proof."""
    return frozenset({manifest.file, PROOF})


def same(stated: Policy, published: Policy) -> bool:
    """Whether the release is about the stated policy."""
    return different(stated, published) is None


def different(stated: Policy, published: Policy) -> str | None:
    """In what the release is about another policy than the stated one, whatever the order they are written in.

    That the data hold no other item of the stated policy shows when they are verified against that.
    """
    if not (isinstance(stated, InferencePolicy) and isinstance(published, InferencePolicy)):
        return "its kind"
    if stated.personal:
        return "it honours no choices of single persons"
    return difference(demanded(stated).only(published.sensitive), published)


def demanded(policy: InferencePolicy) -> InferencePolicy:
    """What the policy demands if no adversary is left to chance: what is sampled otherwise is demanded of everybody."""
    if policy.assurance is None:
        return policy
    most = policy.assurance.max_knowledge
    known = most if policy.knowledge is None else min(most, policy.knowledge)
    return replace(policy, assurance=None, knowledge=known)


def difference(stated: InferencePolicy, published: InferencePolicy) -> str | None:
    """In what two policies, as far as they are about everybody, demand something else."""
    if frozenset(stated.sensitive) != frozenset(published.sensitive):
        return "the sensitive items"
    if stated.rho != published.rho:
        return f"the threshold: {show_rational(published.rho)}, not {show_rational(stated.rho)}"
    if (stated.rho_of, stated.adaptive) != (published.rho_of, published.adaptive):
        return "the thresholds of single items"
    if stated.knowledge != published.knowledge:
        known = ["any number" if k is None else f"{k:,}" for k in (published.knowledge, stated.knowledge)]
        return f"how many items may be known: {known[0]}, not {known[1]}"
    if stated.absent != published.absent:
        return "whether somebody may know what a person does not have"
    return None


def verify(publish: Path, manifest: InferenceManifest, asked: Asked) -> tuple[Verdict, Seen]:
    """Check the proof against the data."""
    baskets, note = checked_data(publish, manifest, asked)
    policy = manifest.policy if asked.policy is None else demanded(asked.policy)
    resolved = policy.resolve(baskets, missing="accept")  # suppression may have removed an item wholly
    check_thresholds(manifest, resolved.thresholds)
    verdict = verify_baskets(baskets, resolved.comparison, resolved.knowledge, publish / PROOF, bare=True)
    notes = (*absent(policy, baskets), *note)
    return replace(verdict, items=len(resolved.thresholds), notes=notes), seen_of(baskets)


def absent(policy: InferencePolicy, baskets: Baskets) -> tuple[str, ...]:
    """What is to be said about sensitive items of the policy that no record holds."""
    counts = dict(zip(baskets.names, baskets.supports.tolist(), strict=True))
    gone = sum(1 for name in policy.sensitive if not counts.get(name))
    if not gone:
        return ()
    what = "1 sensitive item of the policy occurs" if gone == 1 else f"{gone:,} sensitive items of the policy occur"
    return (f"{what} in no record, so nothing can be inferred about it",)


def check_thresholds(manifest: InferenceManifest, thresholds: Mapping[str, Fraction]) -> None:
    """An InputError unless the manifest states the thresholds of an adaptive policy as they follow from the data."""
    if manifest.thresholds != (None if manifest.policy.adaptive is False else thresholds):
        raise InputError("the thresholds in the manifest are not those that follow from the data")


def read_data(publish: Path, manifest: InferenceManifest) -> Baskets:
    """The published records."""
    baskets = read_like(publish / manifest.file, manifest.form)
    if len(baskets) != manifest.records:
        raise InputError("the number of records is not that of the manifest")
    return baskets


def checked_data(publish: Path, manifest: InferenceManifest, asked: Asked) -> tuple[Baskets, tuple[str, ...]]:
    """The published records, once they are known to be in the form of the manifest and nothing else is with them.

    Also what there is to be said about it. LeftOpenError if they look as if they were in another form: whoever verifies
    has to say that the form is right.
    """
    form, path = manifest.form, publish / manifest.file
    asked.agrees(layout=form.layout, record=form.record, item=form.item, delimiter=form.delimiter)
    content = checked_bytes(path)
    if form.layout == "baskets" and "layout" not in asked.form and _is_headed(content, form.delimiter):
        raise LeftOpenError(
            f"the first line of {manifest.file} looks like a header, but {MANIFEST} takes it for a record; if it is "
            "one, say so: --layout baskets"
        )
    named = form.record is not None and form.item is not None and not {"record", "item"} <= asked.form.keys()
    if named and is_item_name(form.record or "") and is_record_name(form.item or ""):
        raise LeftOpenError(
            f"{MANIFEST} takes the column '{form.record}' for the record and '{form.item}' for the item; if that is "
            f"right, say so: --record '{form.record}' --item '{form.item}'"
        )
    baskets = read_data(publish, manifest)
    left = check_records(path, content, baskets)
    numbers = map(str, range(1, len(baskets) + 1))
    if manifest.ids != "keep" and baskets.ids is not None and baskets.ids != tuple(numbers):
        raise InputError(f"the record ids are not the new numbers that {MANIFEST} speaks of")
    policy = manifest.policy if asked.policy is None else asked.policy
    telling = {name for name in policy.sensitive if not name.isdecimal()}  # plain numbers meet by chance
    if manifest.ids == "keep" and baskets.ids is not None and not telling.isdisjoint(baskets.ids):
        raise InputError("a record is called like a sensitive item")
    return baskets, (left,) if left else ()


def _is_headed(content: bytes, delimiter: str) -> bool:
    try:
        return has_long_header(content, "", delimiter)
    except InputError:
        return True
    except UnicodeDecodeError:  # no text at all: the reader will say so
        return False


def found(manifest: InferenceManifest, verdict: Verdict) -> tuple[str, ...]:
    """A verdict that holds, in sentences."""
    records = f"{manifest.records:,} record{'' if manifest.records == 1 else 's'}"
    items = f"{verdict.items:,} sensitive item{'' if verdict.items == 1 else 's'}"
    items = items if verdict.items else "no sensitive item is left"
    return (
        "no sensitive item can be inferred above its threshold.",
        f"{records}, {items}; someone who knows {adversary(manifest.policy)} cannot infer one with more than "
        f"{allowed(manifest.policy)} confidence.",
        f"{read_as(manifest)} The proof was checked against them. Entries (equal records taken once): "
        f"{verdict.served:,} shown by alibis, {verdict.searched:,} by our own search. It took {verdict.seconds:.1f} s.",
    )


def read_as(manifest: InferenceManifest) -> str:
    """How the data were read."""
    form = manifest.form
    columns = "" if form.record is None or form.item is None else f" ('{form.record}' names it, '{form.item}' the item)"
    return f"The data were read as {_written(form)}{columns}."


def _written(form: Origin) -> str:
    return ABOUT_FORMAT[form.format] + ABOUT_LAYOUT.get(form.layout, "").format(delimiter_name(form.delimiter))
