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
from typing import Any, ClassVar, Self

from sordino.data.baskets import Baskets, Origin
from sordino.data.read import read_like
from sordino.data.sources.columns import is_item_name, is_record_name
from sordino.data.sources.csv_long import has_long_header
from sordino.data.sources.delimiters import delimiter_name
from sordino.data.write import file_name
from sordino.errors import InputError
from sordino.policy.inference import InferencePolicy, ResolvedInference
from sordino.policy.kinds import Policy
from sordino.policy.promise import adversary, allowed
from sordino.policy.threshold import read_rational, show_rational
from sordino.verify.asked import Asked
from sordino.verify.bounded import LeftOpenError
from sordino.verify.contents import check_records, checked_bytes
from sordino.verify.in_parts import verify_file
from sordino.verify.manifest import IDS, MANIFEST, Manifest, whole_list, whole_text
from sordino.verify.verdict import Verdict

__all__ = ["PROOF", "InferenceManifest", "demanded", "difference", "written_as"]

PROOF = "proof.json.gz"
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
    takes: ClassVar[frozenset[str]] = frozenset({"layout", "record", "item", "delimiter"})

    ids: str
    form: Origin  # how to read the data
    policy: InferencePolicy
    thresholds: Mapping[str, Fraction] | None  # of an adaptive policy, on the published data

    def document(self) -> dict[str, Any]:
        """Ids, form of the data, policy and thresholds."""
        form = self.form
        return {
            "ids": self.ids,
            "data": {
                "file": self.file,
                "format": form.format,
                "layout": form.layout,
                "record": form.record,
                "item": form.item,
                "delimiter": form.delimiter if form.format == "csv" else None,
            },
            "policy": _state(self.policy),
            "thresholds": None
            if self.thresholds is None
            else {name: show_rational(rho) for name, rho in sorted(self.thresholds.items())},
        }

    @classmethod
    def read(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> Self:
        return cls(**cls.entries(document, common))

    @classmethod
    def entries(cls, document: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
        """What the manifest is made of."""
        data, thresholds = document["data"], document["thresholds"]
        form = Origin(
            format=whole_text(data["format"]),
            layout=whole_text(data["layout"]),
            record=None if data["record"] is None else whole_text(data["record"]),
            item=None if data["item"] is None else whole_text(data["item"]),
            delimiter="," if data["delimiter"] is None else whole_text(data["delimiter"]),
        )
        ids = whole_text(document["ids"])
        if ids not in IDS or form.format not in ABOUT_FORMAT or len(form.delimiter) != 1:
            raise ValueError
        if common["file"].removesuffix(".gz") != file_name(form):
            raise ValueError
        policy, told = cls.read_policy(document["policy"]), None
        if thresholds is not None:
            told = {whole_text(name): read_rational(whole_text(rho)) for name, rho in thresholds.items()}
        return {**common, "ids": ids, "form": form, "policy": policy, "thresholds": told}

    @classmethod
    def read_policy(cls, stated: Mapping[str, Any]) -> InferencePolicy:
        """The policy from its entry."""
        return InferencePolicy(
            map(whole_text, whole_list(stated["sensitive"])),
            whole_text(stated["rho"]),
            rho_of=dict(stated["per_item"]),
            adaptive=stated["adaptive"],
            knowledge=stated["knowledge"],
        )

    def needed(self) -> frozenset[str]:
        """The data and the proof."""
        return frozenset({self.file, PROOF})

    def different(self, stated: Policy) -> str | None:
        """In what the release is about another policy than the stated one, whatever the order they are written in.

        That the data hold no other item of the stated policy shows when they are verified against that.
        """
        if not isinstance(stated, InferencePolicy):
            return "its kind"
        if stated.personal:
            return "it honours no choices of single persons"
        return difference(demanded(stated).only(self.policy.sensitive), self.policy)

    def judge(self, publish: Path, asked: Asked) -> tuple[Verdict, Baskets]:
        """Check the proof against the data, or whatever else shows that they are safe."""
        baskets, notes = self.checked_data(publish, asked)
        policy = self.demands(asked)
        table, item_of = self.told_apart(publish, baskets, policy)
        resolved = policy.resolve(baskets, missing="accept")  # suppression may have removed an item wholly
        self.check_thresholds(resolved.thresholds)
        verdict = self.shown(publish, table, resolved, item_of)
        notes = (*_absent(policy, baskets), *notes)
        return replace(verdict, items=len(resolved.thresholds), notes=notes), baskets

    def demands(self, asked: Asked) -> InferencePolicy:
        """What must hold."""
        return self.policy if asked.policy is None else demanded(asked.policy)

    def told_apart(
        self, publish: Path, baskets: Baskets, policy: InferencePolicy
    ) -> tuple[Baskets, Mapping[str, str] | None]:
        """The table of which safety is shown, and the item behind each name in it; None: each is its own."""
        del publish, policy
        return baskets, None

    def shown(
        self, publish: Path, table: Baskets, resolved: ResolvedInference, item_of: Mapping[str, str] | None
    ) -> Verdict:
        """Whether the proof shows that the table is safe."""
        thresholds = named(resolved.comparison, item_of)
        return verify_file(table, thresholds, resolved.knowledge, publish / PROOF, bare=True)

    def check_thresholds(self, thresholds: Mapping[str, Fraction]) -> None:
        """An InputError unless the manifest states the thresholds of an adaptive policy as they follow from the
        data."""
        if self.thresholds != (None if self.policy.adaptive is False else thresholds):
            raise InputError("the thresholds in the manifest are not those that follow from the data")

    def read_data(self, publish: Path) -> Baskets:
        """The published records."""
        baskets = read_like(publish / self.file, self.form)
        if len(baskets) != self.records:
            raise InputError("the number of records is not that of the manifest")
        return baskets

    def checked_data(self, publish: Path, asked: Asked) -> tuple[Baskets, tuple[str, ...]]:
        """The published records, once they are known to be in the form of the manifest and nothing else is with them.

        Also what there is to be said about it. LeftOpenError if they look as if they were in another form: whoever
        verifies has to say that the form is right.
        """
        form, path = self.form, publish / self.file
        asked.agrees(layout=form.layout, record=form.record, item=form.item, delimiter=form.delimiter)
        content = checked_bytes(path)
        if form.layout == "baskets" and "layout" not in asked.form and _is_headed(content, form.delimiter):
            raise LeftOpenError(
                f"the first line of {self.file} looks like a header, but {MANIFEST} takes it for a record; if it is "
                "one, say so: --layout baskets"
            )
        sure = form.record is None or form.item is None or {"record", "item"} <= asked.form.keys()
        if not sure and is_item_name(form.record or "") and is_record_name(form.item or ""):
            raise LeftOpenError(
                f"{MANIFEST} takes the column '{form.record}' for the record and '{form.item}' for the item; if that "
                f"is right, say so: --record '{form.record}' --item '{form.item}'"
            )
        baskets = self.read_data(publish)
        left = check_records(path, content, baskets)
        numbers = map(str, range(1, len(baskets) + 1))
        if self.ids != "keep" and baskets.ids is not None and baskets.ids != tuple(numbers):
            raise InputError(f"the record ids are not the new numbers that {MANIFEST} speaks of")
        policy = self.policy if asked.policy is None else asked.policy
        telling = {name for name in policy.sensitive if not name.isdecimal()}  # plain numbers meet by chance
        if self.ids == "keep" and baskets.ids is not None and not telling.isdisjoint(baskets.ids):
            raise InputError("a record is called like a sensitive item")
        return baskets, (left,) if left else ()

    def found(self, verdict: Verdict) -> tuple[str, ...]:
        return (
            "no sensitive item can be inferred above its threshold.",
            self.size(verdict),
            f"{self.read_as()} The proof was checked against them. Entries (equal records taken once): "
            f"{verdict.served:,} shown by alibis, {verdict.searched:,} by our own search. It took "
            f"{verdict.seconds:.1f} s.",
        )

    def size(self, verdict: Verdict) -> str:
        """How much was checked, and against whom it holds."""
        items = f"{verdict.items:,} sensitive item{'' if verdict.items == 1 else 's'}"
        return (
            f"{self.count()}, {items if verdict.items else 'no sensitive item is left'}; someone who knows "
            f"{adversary(self.policy)} cannot infer one with more than {allowed(self.policy)} confidence."
        )

    def count(self) -> str:
        """How many records there are."""
        return f"{self.records:,} record{'' if self.records == 1 else 's'}"

    def read_as(self) -> str:
        """How the data were read."""
        form = self.form
        columns = (
            "" if form.record is None or form.item is None else f" ('{form.record}' names it, '{form.item}' the item)"
        )
        return f"The data were read as {written_as(form)}{columns}."


def _state(policy: InferencePolicy) -> dict[str, object]:
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
    if stated.adaptive_on != "release":
        return "its thresholds, which are those of the original; those of the release are in its keep/policy.toml"
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


def named(thresholds: Mapping[str, Fraction], item_of: Mapping[str, str] | None) -> Mapping[str, Fraction]:
    """The thresholds by the names in a table, `item_of` being the items behind these."""
    if item_of is None:
        return thresholds
    return {name: thresholds[item] for name, item in item_of.items() if item in thresholds}


def _absent(policy: InferencePolicy, baskets: Baskets) -> tuple[str, ...]:
    """What is to be said about sensitive items of the policy that no record holds."""
    counts = dict(zip(baskets.names, baskets.supports.tolist(), strict=True))
    gone = sum(1 for name in policy.sensitive if not counts.get(name))
    if not gone:
        return ()
    what = "1 sensitive item of the policy occurs" if gone == 1 else f"{gone:,} sensitive items of the policy occur"
    return (f"{what} in no record, so nothing can be inferred about it",)


def _is_headed(content: bytes, delimiter: str) -> bool:
    try:
        return has_long_header(content, "", delimiter)
    except InputError:
        return True
    except UnicodeDecodeError:  # no text at all: the reader will say so
        return False


def written_as(form: Origin) -> str:
    """The form of the data in words."""
    return ABOUT_FORMAT[form.format] + ABOUT_LAYOUT.get(form.layout, "").format(delimiter_name(form.delimiter))
