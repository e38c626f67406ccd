"""What to mind, and what to do about it: sentences under a verdict, from the plain data of audits and costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sordino.words.text import clean, count, listed

__all__ = ["TITLE", "cautions_of", "release_cautions"]

Plain = Mapping[str, Any]

TITLE = "Look out"
NAMED = 5
COVERED = (
    'Protect also against those who know what people do not have: absent = "any" in the policy. Or read the file as a '
    "table, with a column for each attribute, under templates."
)


def cautions_of(audit: Plain) -> tuple[str, ...]:
    """What to mind about data that were audited, each with what to do."""
    return tuple(_said(audit.get("cautions", ())))


def release_cautions(before: Plain, cost: Plain) -> tuple[str, ...]:
    """The same of a release: also what has vanished from it."""
    return (*_said(before.get("cautions", ())), *_vanished(cost))


def _said(cautions: Iterable[Plain]) -> Iterator[str]:
    for caution in cautions:
        match caution["kind"]:
            case "one_each":
                yield _one_each(caution)
            case "exclude":
                yield _exclude(caution)
            case "one_length":
                yield (
                    f"Every record has {count(caution['length'], 'item')}: a record that shows fewer tells that, and "
                    f"how much, was deleted from it. {COVERED}"
                )
            case "names_alike":
                told = "; ".join(_quoted(names) for names in caution["names"])
                more = (
                    f" ({count(caution['of'], 'such group')} in all)" if caution["of"] > len(caution["names"]) else ""
                )
                yield (
                    f"Names differ in case or blanks only: {told}{more}. They count as different items, and to protect "
                    "one does not protect the other. Make them one name before, or name all of them in the policy."
                )
            case "not_persons":
                instead = caution["instead"]
                todo = (
                    "If a person can have several, put all of a person under one id before."
                    if instead is None
                    else f"If a person can have several, take the column of the person: --record {clean(instead)}"
                )
                yield (
                    f"Records are taken to be persons, but the column '{clean(caution['column'])}' seems to name "
                    f"events. {todo}"
                )


def _one_each(caution: Plain) -> str:
    first = caution["groups"][0]
    others = [item for item in first["items"] if item not in first["sensitive"]]
    more = caution["of"] - 1
    also = f" So it is with {count(more, 'more group')}." if more else ""
    tells = _quoted(first["sensitive"][:NAMED])
    shows = f"shows none of {_quoted(others[:NAMED])}" if others else "shows none of them"
    return (
        f"Every record has exactly one of {_quoted(first['items'][:NAMED])}"
        f"{' and others' if len(first['items']) > NAMED else ''}. Whoever {shows} after deletions can be known to have "
        f"had {tells}.{also} {COVERED}"
    )


def _exclude(caution: Plain) -> str:
    first, more = caution["found"][0], caution["of"] - 1
    also = f" So it is with {count(more, 'more pair')}." if more else ""
    return (
        f"No record has both {_quoted(first['pairs'])}, though by chance about {first['by_chance']:,} would: they seem "
        f"to exclude each other. Who knows that one of them applies to everybody of a sort can tell, where neither is "
        f"shown, that the sensitive one was deleted.{also} {COVERED}"
    )


def _vanished(cost: Plain) -> Iterator[str]:
    """Items that are deleted wholly."""
    loss = cost.get("loss")
    if not loss or not loss.get("vanished_items"):
        return
    names = [n["item"] for n in sorted(loss["by_item"], key=lambda n: (-n["original"], n["item"])) if _gone(n)]
    told = _quoted(names[:NAMED])
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    yield (
        f"{count(len(names), 'item')} vanished from the file completely: {told}{more}. Who knows that such things "
        "exist sees that they are missing. If they matter, allow more about them: [threshold.per_item] in the policy, "
        "or a higher rho; or assume that less is known: [knowledge] items."
    )


def _gone(item: Plain) -> bool:
    return bool(item["original"] > 0 and item["left"] == 0)


def _quoted(names: Iterable[str]) -> str:
    return listed([f"'{clean(name)}'" for name in names])
