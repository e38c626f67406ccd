"""What a release of a table promises and what it does not, in plain words. The texts follow from the policy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sordino.policy.promise import percent_exactly
from sordino.policy.template import Template, TemplatePolicy

__all__ = ["groups_guaranteed", "groups_not_guaranteed", "templates_guaranteed", "templates_not_guaranteed"]

SHOWN = 8  # templates told one by one


def templates_guaranteed(policy: TemplatePolicy, here: str, manifest: str) -> tuple[str, ...]:
    """What holds under templates; `here` is how the data are called, `manifest` where the policy is listed."""
    sentences = [_sentence(template, here) for template in policy.templates[:SHOWN]]
    them = f"the {_alone(here)}"
    rest = len(policy.templates) - SHOWN
    if rest > 0:
        sentences.append(f"So it is with {rest:,} more such statements, listed in {manifest}.")
    return (
        *sentences,
        f"Confidence means: among all rows of {here} that agree with what that someone knows, the share of "
        "those that have the sensitive value. A missing or suppressed cell, and a range or group shown in place "
        "of a value, counts as what it shows.",
        f"It holds as well for whoever knows only some of these columns, or knows the value itself where {them} "
        f"{'show' if here.startswith('these') else 'shows'} a range, a group or nothing.",
        f"This is exact, without rounding or sampling, for every person in {them}; counting {them} is the evidence.",
    )


def templates_not_guaranteed(policy: TemplatePolicy, here: str) -> tuple[str, ...]:
    """Where that ends."""
    alone = _alone(here)
    limits = [
        "Against someone who knows other columns than those named above, or more of them together than one "
        "statement names, nothing is promised.",
        "Plain frequencies stay visible: how many rows have a sensitive value can be counted by everyone.",
        "Values that the policy does not name as sensitive are not protected, nor is the fact of being in the "
        f"{alone}.",
        "Columns that no statement above names are not protected.",
        f"Other sources: linking {here} with other data about the same people, or with another release of the "
        f"same rows, may tell more than {here} alone.",
        "Knowing what a person's value is NOT, or why the method changed what it changed, is not covered.",
        f"Names, addresses and other identifiers must not be in the {alone} to begin with; nothing here removes them.",
    ]
    cut = [name for name, bins in policy.bins.items() if bins.by is None]
    if cut:
        limits.append(
            f"The edges of the ranges shown in {_listed(cut)} may follow from the distribution of the original numbers."
        )
    return tuple(limits)


def groups_guaranteed(stated: Mapping[str, Any], rules: str) -> tuple[str, ...]:
    """What holds under a diversity policy, by its statement; `rules` is the file that lists them."""
    size, what, known = stated["l"], stated["sensitive"], _listed(list(stated["quasi"]))
    return (
        f"Someone who knows {known} of everybody, who is in the data, in which group each person is, and all the "
        f"rules in {rules} still has at least {size} different possible values of {what} for every person "
        f"(matching {size}-diversity). A value is possible if the values of a group can be given to its people so "
        "that this person gets it and no rule is broken.",
        f"Without any rule, every group holds at least {size} different values of {what} (plain {size}-diversity).",
        f"This is exact, for every person in the data and for just the rules in {rules}; anyone can check it "
        "from the published files.",
    )


def groups_not_guaranteed(stated: Mapping[str, Any], rules: str) -> tuple[str, ...]:
    """Where that ends."""
    what, knowledge, known = stated["sensitive"], stated["knowledge"], _listed(list(stated["quasi"]))
    word = f"{rules} holds what the publisher stated; rules that the original data teach besides are not in it."
    if knowledge["mined"]:
        word = (
            f"That {rules} holds all the rules that the original data teach, as far as the policy asks for "
            "them, is the publisher's word: it cannot be checked without the original data."
        )
    return (
        f"Someone who knows more than the rules in {rules}, such as the {what} of some of the people, may rule out "
        "more.",
        word,
        "Possible does not mean equally likely: guesses from what is common among such people stay possible, and "
        f"how many people of a group have each {what} is public.",
        f"The share of each {what} among all people can be counted by everyone; so can {known}: these are "
        "published as they are, and being in the data is not hidden.",
        "Other sources: linking these data with another release of the same people may tell more than these data "
        "alone.",
        "Why the method put just these people into one group is not covered.",
    )


def _sentence(template: Template, here: str) -> str:
    if template.rarest is not None:
        which = (
            "any value" if template.rarest == 1 else f"one of the rarest {percent_exactly(template.rarest)} of values"
        )
        what = f"{which} of {template.sensitive}"
    elif len(template.values) == 1:
        what = f"that {template.sensitive} is {template.values[0]}"
    else:
        what = f"any of {len(template.values):,} values of {template.sensitive}"
    return (
        f"Someone who knows {_listed(list(template.given))} of a person cannot infer from {here} {what} with a "
        f"confidence above {percent_exactly(template.at_most)}."
    )


def _alone(here: str) -> str:
    """What the data are called, without "this" or "these"."""
    return here.removeprefix("these ").removeprefix("this ")


def _listed(words: Sequence[str]) -> str:
    """Words in a sentence: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
