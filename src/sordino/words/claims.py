"""What a result allows to be said: the answer, about whom, against whom, and how it was established.

One fact has one wording, here, whoever shows it. A result is the plain data of an audit (`to_dict`). Every sentence is
entailed by what was checked; `tests/unit/test_claims.py` goes through the states that a result can be in:

- **holds, fails, not checked**: only what was looked at holds;
- **complete** or cut short by a time limit: only then was every combination examined, and is every count exact;
- **sampled**: nothing is said about all adversaries, nor about any single person;
- **personal**: what a person minds cannot be inferred of that person; others' choices are no matter;
- **limited**: by how many items somebody knows, or (permuted data) to those who know non-sensitive items only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sordino.policy.answer import Answer
from sordino.words import absence
from sordino.words.kinds import has_words
from sordino.words.text import count, listed, share

__all__ = [
    "NON_SENSITIVE",
    "OPEN",
    "SIZES",
    "against",
    "answer_of",
    "at_least",
    "complete",
    "examined",
    "known_part",
    "released",
    "reply",
    "settled",
    "stayed_open",
    "verdict",
]

Plain = Mapping[str, Any]

NON_SENSITIVE = "only non-sensitive items"  # what is known by those against whom permuted data protect
SIZES = {"1": "1 item", "2": "2 items", "3": "3 items", "more": "more items"}
OPEN = "NOT CHECKED: nothing was found that the policy forbids, but not all that it demands was looked at."


def answer_of(audit: Plain) -> Answer:
    """Holds, fails or not checked."""
    if "answer" in audit:
        return Answer(audit["answer"])
    return Answer.HOLDS if audit["holds"] else Answer.FAILS  # results that were written before there were three


def complete(audit: Plain) -> bool:
    """Whether everything was looked at and every count is exact: no sample, no time limit that cut it short."""
    return audit.get("sampling") is None and not audit.get("unchecked") and all(audit.get("exact", {}).values())


def known_part(audit: Plain) -> str:
    """How much of a record somebody knows against whom the audit judges: "any part", "at most 2 items"."""
    if audit.get("reach"):
        return str(audit["reach"])
    known = audit.get("knowledge")
    return "any part" if known is None else f"at most {count(known, 'item')}"


def at_least(audit: Plain) -> str:
    """What stands before the number of people at risk, if that is a lower bound."""
    return "" if audit.get("exact", {}).get("people_at_risk", True) else "at least "


def settled(audit: Plain) -> bool:
    """Whether the counts for one to three known items are exact."""
    return all(audit.get("exact", {}).get(size, True) for size in ("1", "2", "3"))


def verdict(audit: Plain) -> str:
    """The answer in one line: SAFE, NOT SAFE or NOT CHECKED, and as far as it goes."""
    answer = answer_of(audit)
    if answer is Answer.NOT_CHECKED:
        return OPEN
    if audit.get("sampling") is not None:
        return _sampled(audit, answer)
    if audit.get("kind") == "diversity":
        return _diverse(audit, answer)
    if not _is_known(audit):
        fails = f"NOT SAFE: the policy does not hold{_broken(audit)}."
        return fails if answer is Answer.FAILS else "SAFE: the policy holds."
    if answer is Answer.FAILS:
        return f"NOT SAFE: {_at_risk(audit, 'is', 'are')} at risk."
    if audit.get("kind") == "template":
        return "SAFE: no sensitive value can be inferred above its threshold."
    if audit.get("personal"):
        return f"SAFE{against(audit)}: what a person minds cannot be inferred of that person above its threshold."
    return f"SAFE{against(audit)}: no sensitive item can be inferred above its threshold."


def reply(audit: Plain, *, now: bool = True) -> str:
    """The reply to the question whether somebody who knows that part of a record can infer something sensitive."""
    can, is_ = ("can", "is") if now else ("could", "was")
    answer = answer_of(audit)
    if answer is Answer.NOT_CHECKED:
        return f"The answer {is_} not found: not everything was looked at."
    if audit.get("sampling") is not None:
        return f"The answer {is_} known for those only who were drawn at random: none of them {can}."
    return "The answer: no, and that is exact."


def released(
    before: Plain, after: Plain, *, kept: str = "nothing had to be deleted", joint: Plain | None = None
) -> str:
    """What protecting came to, in one line; `kept`: what is told of data that were safe before; `joint`: the audit
    together with earlier releases, if there are any."""
    if joint is not None:
        alone = released(before, after, kept=kept)
        if answer_of(joint) is Answer.HOLDS:
            return f"{alone} It is so together with the earlier releases, too."
        if answer_of(joint) is Answer.NOT_CHECKED:
            return f"NOT CHECKED together with the earlier releases. By itself: {alone}"
        return (
            f"NOT SAFE together with the earlier releases: {_at_risk(joint, 'is', 'are')} at risk. By itself: {alone}"
        )
    answer = answer_of(after)
    if answer is not Answer.HOLDS:
        return OPEN if answer is Answer.NOT_CHECKED else "NOT SAFE: what is published does not satisfy the policy."
    if after.get("sampling") is not None:
        was = " as it was" if answer_of(before) is Answer.HOLDS else " now"
        return f"SAFE{was}, as far as a sample tells: none of the adversaries drawn can infer anything sensitive."
    limit = against(after)
    if after.get("kind") == "diversity":
        return f"SAFE now: everybody has at least {after['matching_l_diversity']} possible values{_of_rules(after)}."
    if answer_of(before) is Answer.HOLDS:
        return f"SAFE as it was{limit}: {kept}."
    if not _is_known(after):
        return f"SAFE now{limit}: before, the policy did not hold{_broken(before)}; now it does."
    if before.get("sampling") is not None:
        return f"SAFE now{limit}. Before, some of the adversaries drawn at random could infer something sensitive."
    if after.get("reach"):
        return f"SAFE now{limit}; {_at_risk(before, 'was', 'were')} at risk before."
    return f"SAFE now{limit}: {_at_risk(before, 'was', 'were')} at risk before, nobody is now."


def _is_known(audit: Plain) -> bool:
    """Whether it is known what a result of this kind says of single people."""
    return has_words(audit.get("kind"))


def _broken(audit: Plain) -> str:
    """What may be said of any kind."""
    if "people_at_risk" not in audit or "records" not in audit:
        return ""
    people, records = audit["people_at_risk"], audit["records"]
    return f" ({people:,} of {count(records, 'person', 'people')}, {share(people, records)}, at risk)"


def against(audit: Plain) -> str:
    """ " against someone who knows at most 2 items of a record"; nothing if any part may be known."""
    if audit.get("joint"):
        return f" against someone who has all {audit['joint']['releases']} releases and links their rows"
    if audit.get("absent"):
        return absence.AGAINST
    known = known_part(audit)
    return "" if known == "any part" else f" against someone who knows {known} of a record"


def _at_risk(audit: Plain, one: str, many: str) -> str:
    people, records = audit["people_at_risk"], audit["records"]
    verb = one if people == 1 else many
    return f"{at_least(audit)}{people:,} of {count(records, 'person', 'people')} ({share(people, records)}) {verb}"


def _diverse(audit: Plain, answer: Answer) -> str:
    if answer is Answer.HOLDS:
        return f"SAFE: everybody has at least {audit['matching_l_diversity']} possible values{_of_rules(audit)}."
    return f"NOT SAFE: {_at_risk(audit, 'has', 'have')} fewer than {audit['l']} possible values{_of_rules(audit)}."


def _of_rules(audit: Plain) -> str:
    return f" for someone who knows the {count(audit['rules'], 'rule')}" if audit.get("rules") else ""


def _sampled(audit: Plain, answer: Answer) -> str:
    drawn, unsafe = (sum(audit["sampling"][key].values()) for key in ("drawn", "unsafe"))
    who = f"of {drawn:,} people who know {_up_to(audit)} of somebody, drawn at random,"
    if answer is Answer.FAILS:
        return f"NOT SAFE: {who} {unsafe:,} can infer something sensitive."
    return f"SAFE as far as a sample tells: {who} none can infer anything sensitive."


def _up_to(audit: Plain) -> str:
    return known_part(audit).replace("at most", "up to")


def examined(audit: Plain) -> Iterator[str]:
    """How the answer was established, in sentences."""
    if audit.get("sampling") is not None:
        yield from _drawn(audit["sampling"])
        return
    if audit.get("absent"):
        yield from absence.compared(audit)
        return
    if audit.get("reach"):
        yield "By group: in each of them, the share of the people who may have the item was counted."
        return
    if audit.get("personal"):
        yield (
            "People chose for themselves what is sensitive. Someone at risk is a person of whom something she chose "
            "can be inferred, whether she has it or would only be suspected of it."
        )
    proved, searched = audit["proved_items"], audit["searched_items"]
    if proved:
        yield (
            f"By alibis: {count(proved, 'item')}. Whoever has one of them is matched by enough other people with the "
            "same things beside it, but without it."
        )
    if searched:
        how = (
            "Every combination of known items that could give one of them away was examined or ruled out."
            if complete(audit)
            else "Combinations of known items that could give one of them away were examined, but not all of them."
        )
        yield f"By search: {count(searched, 'item')}. {how}"
    alone = audit["sensitive_items"] - proved - searched
    if alone > 0 and not audit.get("unchecked"):
        yield f"Without effort: {count(alone, 'item')}, never recorded together with anything one could know."


def _drawn(sampling: Plain) -> Iterator[str]:
    yield "By sampling: this is no proof, and says nothing about any single person."
    for size, drawn in sampling["drawn"].items():
        unsafe, proven = sampling["unsafe"][size], sampling["proven_epsilon"].get(size)
        tells = "nobody has so many" if not drawn else f"{unsafe:,} of {drawn:,} drawn can infer something"
        claim = "" if proven is None else f"; less than {proven:.3%} of all can"
        yield f"{count(int(size), 'item')} known: {tells}{claim}."


def stayed_open(audit: Plain, time_limit: float | None = None) -> Iterator[str]:
    """What was not looked at, and which counts are lower bounds; nothing if the result is complete."""
    yield from audit.get("unchecked", ())
    if audit.get("sampling") is not None:
        yield "Answer and counts are about a sample of adversaries: the people at risk are a lower bound."
        return
    exact = audit.get("exact", {})
    if all(exact.values()) or answer_of(audit) is not Answer.FAILS:
        return
    if audit.get("absent"):
        yield absence.LIMITS
        return
    if not audit.get("unchecked"):  # which says itself why
        limit = "the time limit" if time_limit is None else f"the time limit of {time_limit:g} s"
        yield f"Counting stopped at {limit}."
    done = [size for size in ("1", "2", "3") if exact.get(size, True)]
    sure = ["that the policy does not hold", "every finding that is shown"]
    if done:
        sure.append(f"the people at risk by {listed([SIZES[size] for size in done])}")
    yield f"Exact: {listed(sure)}."
    left = [SIZES[size] for size in ("1", "2", "3") if size not in done] or [SIZES["more"]]
    yield f"Lower bounds: the people at risk in all and those by {listed(left)}."
    if not settled(audit):
        yield "Not settled: how many items must be known about the people in that row; at risk they are."
    yield "More telling findings may exist."
