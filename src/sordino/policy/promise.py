"""What a release promises and what it does not, in plain words. The texts follow from the policy alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from sordino.policy.inference import InferencePolicy
from sordino.policy.threshold import show_rational

__all__ = [
    "adversary",
    "allowed",
    "guaranteed",
    "most_known",
    "not_guaranteed",
    "percent_exactly",
    "which",
]


def percent_exactly(share: Fraction) -> str:
    """A share in percent, or as a fraction where the percentage does not end."""
    text = show_rational(share * 100)
    return str(share) if "/" in text else f"{text}%"


def most_known(policy: InferencePolicy) -> int | None:
    """The most items of a person that somebody knows against whom something is promised; None for any number."""
    if policy.assurance is None:
        return policy.knowledge
    most = policy.assurance.max_knowledge  # a sampled assurance reaches no farther than it says
    return most if policy.knowledge is None else min(most, policy.knowledge)


def adversary(policy: InferencePolicy) -> str:
    """Against whom: how much of a record that person knows."""
    if policy.absent is not None:
        return "at least one item of a person's record, and anything else that is or is not in it,"
    known = most_known(policy)
    if known is None:
        return "any part of a person's record"
    return f"at most {known:,} item{'s' if known > 1 else ''} of a person's record"


def allowed(policy: InferencePolicy) -> str:
    """How sure one may at most become."""
    common = percent_exactly(policy.rho)
    rules = []
    if policy.rho_of:
        rules.append("items with a threshold of their own")
    if policy.adaptive is not False:
        rules.append("items whose threshold follows from how frequent they are in this file")
    if not rules:
        return common
    return f"the threshold of that item ({common}; other for {' and '.join(rules)}, see manifest.json)"


def which(policy: InferencePolicy) -> str:
    """What cannot be inferred."""
    count = len(policy.sensitive)
    if count == 0:
        return "any sensitive item (none is left in it)"
    return "the sensitive item" if count == 1 else f"any of the {count:,} sensitive items"


def guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """What holds for the published file."""
    return (
        f"Someone who knows {adversary(policy)} cannot infer from this file that the person also has {which(policy)} "
        f"with a confidence above {allowed(policy)}.",
        "Confidence means: among all records of this file that hold what that someone knows, the share of those that "
        "also hold the sensitive item.",
        "This is exact, without rounding or sampling, for every person in the file; proof.json.gz is the evidence.",
    )


def not_guaranteed(policy: InferencePolicy) -> tuple[str, ...]:
    """Where the guarantee ends."""
    return tuple(_limits(policy))


def _limits(policy: InferencePolicy) -> Iterator[str]:
    known = most_known(policy)
    if known is not None:
        yield f"Against someone who knows more than {known:,} of a person's items nothing is promised."
    yield "Plain frequencies stay visible: how many records hold a sensitive item can be counted by everyone."
    yield "Items that the policy does not name as sensitive are not protected, nor is the fact of being in the file."
    yield (
        "Other sources: linking this file with other data about the same people, or with another release of the same "
        "records, may tell more than this file alone."
    )
    if policy.absent is None:
        yield "Knowing what a person does NOT have, or why the method deleted what it deleted, is not covered."
    else:
        yield (
            "Knowledge that looks at the sensitive item itself is not covered, such as how many items a record holds; "
            "nor is knowing only what a person lacks, and nothing that the person has; nor why the method deleted what "
            "it deleted."
        )
    yield (
        "Names, addresses and other identifiers must not be in the file to begin with; nothing here removes them from "
        "item names or from record ids that were kept."
    )
    yield (
        "Only sensitive items that are left in the file are listed in the policy. Others may have been deleted wholly: "
        "that one is not there does not say that nobody has it."
    )
