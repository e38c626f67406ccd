"""A release folder: what is in it is the release; it is verified and audited again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import sordino
from fuzz import forms, table_forms
from fuzz.check_templates import rows_of
from fuzz.finding import demand
from fuzz.made import Made, MadeBaskets, MadeDiversity
from fuzz.truth_baskets import chosen
from sordino.data.permuted import Permuted
from sordino.policy.answer import Answer

__all__ = ["audited", "check", "data_file", "demanded", "expected", "is_permuted"]


def check(made: Made) -> None:
    folder = made.folder
    _read_back(made, folder / "publish")
    _verified(made, folder)
    _audited(made, folder)


def data_file(publish: Path) -> Path:
    """The file of the records or rows."""
    return publish / json.loads((publish / "manifest.json").read_bytes())["data"]["file"]


def demanded(made: Made) -> dict[str, Any]:
    """What a check of a release needs to be told beside its policy: the original, where the promise is about that."""
    if isinstance(made, MadeBaskets) and getattr(made.release, "coarse", None) is None:
        told = made.policy.personal or made.policy.assurance is not None
    else:
        told = isinstance(made, MadeDiversity) and made.case.mined
    return {"original": made.data} if told else {}


def expected(made: Made) -> tuple[set[Answer], set[Answer]]:
    """What may be said of an honest release: of the folder alone, and with the policy and what it needs."""
    if isinstance(made, MadeBaskets) and demanded(made):
        sampled = made.policy.assurance is not None  # a draw may bear nothing out
        return {Answer.NOT_CHECKED}, {Answer.HOLDS, Answer.NOT_CHECKED} if sampled else {Answer.HOLDS}
    return {Answer.HOLDS}, {Answer.NOT_CHECKED if is_permuted(made) else Answer.HOLDS}


def is_permuted(made: Made) -> bool:
    """Whether the release promises less than any stated policy demands: against those who know nothing sensitive."""
    return isinstance(getattr(made.release, "coarse", None), Permuted)


def _read_back(made: Made, publish: Path) -> None:
    """By readers of our own."""
    path = data_file(publish)
    if isinstance(made, MadeBaskets):
        records, ids = forms.load(path, made.case.form)
        published = made.release.published
        demand(records == list(published), "the published file holds other records than the release")
        if ids is not None and published.ids is not None:
            demand(ids == list(published.ids), "the published file holds other ids than the release")
        if made.case.ids_as == "keep":
            demand(published.ids == made.case.ids, "ids were to be kept")
        return
    rows = table_forms.load(path, made.case.form)
    after = rows_of(made.release.data)
    if isinstance(made, MadeDiversity):
        sensitive, group = made.case.sensitive, made.release.group
        if made.release.form == "tables":
            held = json.loads((publish / "manifest.json").read_bytes())["data"]["values"]
            spread = Counter()
            for row in table_forms.load(publish / held, made.case.form):
                rest = {name: cell for name, cell in row.items() if name not in (group, sensitive)}
                spread[row[group], row[sensitive]] += int(str(next(iter(rest.values()))))
            demand(spread == Counter((r[group], r[sensitive]) for r in after), "other values than the release's")
            after = [{name: cell for name, cell in row.items() if name != sensitive} for row in after]
    demand(_counted(rows) == _counted(after), "the published file holds other rows than the release")


def _counted(rows: list[dict[str, str | None]]) -> Counter[frozenset[tuple[str, str | None]]]:
    """The rows whatever their order: a table may be published shuffled."""
    return Counter(frozenset(row.items()) for row in rows)


def _verified(made: Made, folder: Path) -> None:
    policy, more = made.policy, demanded(made)
    without, with_all = expected(made)
    alone = sordino.verify(folder)
    demand(alone.answer in without, f"verify of an honest release says {alone.answer}: {alone.reason}", "refused")
    part = sordino.verify(folder / "publish")
    demand(part.answer is alone.answer, "verify says another thing about publish alone")
    told = sordino.verify(folder, policy, **more)
    demand(told.answer in with_all, f"verify with the policy says {told.answer}: {told.reason}", "refused")
    kept = sordino.read_policy(folder / "keep" / "policy.toml")
    again = sordino.verify(folder, kept, **more)
    demand(again.answer is told.answer, f"verify with keep/policy.toml says {again.answer}: {again.reason}", "refused")


def audited(made: Made, folder: Path) -> Any:
    """What the audit of a folder says; None where the folder is not judged by such a policy, or by a sample anew."""
    if not isinstance(made, MadeBaskets):
        return made.audit(folder)
    if made.policy.assurance is not None:
        return None  # another sample may well find what the promise allows
    if getattr(made.release, "coarse", None) is not None and made.policy.personal:
        return None  # groups are judged only by a policy that is the same for all
    return made.audit(folder, **demanded(made))


def _audited(made: Made, folder: Path) -> None:
    """Whatever is audited of a release holds, as far as it can be looked at."""
    result = audited(made, folder)
    open_ = is_permuted(made) or (isinstance(made, MadeDiversity) and made.case.mined)
    if isinstance(made, MadeBaskets) and made.policy.personal and not chosen(made.case):
        open_ = True  # choices of nobody are what is published of all choices
    if result is not None:
        wanted = Answer.NOT_CHECKED if open_ else Answer.HOLDS
        demand(result.answer is wanted, f"the audit of an honest folder says {result.answer}")
