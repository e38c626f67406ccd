"""Whatever is done to a folder: the verifier says "holds" only of what the oracle says it of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import sordino
from fuzz import forge_baskets, forge_tables
from fuzz.check_folder import audited, demanded, is_permuted
from fuzz.draw import one_of, whole
from fuzz.finding import demand
from fuzz.forge import copied
from fuzz.made import Made, MadeBaskets, MadeTemplate
from sordino.errors import InputError, InternalError, SordinoError
from sordino.policy.answer import Answer

__all__ = ["check"]

FORGERIES = 3  # of each release


def check(made: Made) -> None:
    _damage(made)
    ways = _forgeries(made)
    for name in made.rng.choice(list(ways), size=min(FORGERIES, len(ways)), replace=False).tolist():
        publish = copied(made.folder, "forged")
        ways[name](made, publish)
        _judged(made, publish, name)


def _forgeries(made: Made) -> Mapping[str, Callable[[Any, Path], None]]:
    if isinstance(made, MadeBaskets):
        return forge_baskets.FORGERIES
    return forge_tables.TEMPLATES if isinstance(made, MadeTemplate) else forge_tables.DIVERSITY


def _judged(made: Made, publish: Path, name: str) -> None:
    """No verdict "holds" that is not true, about the stated policy nor about the folder's own."""
    told = sordino.verify(publish.parent, made.policy, **demanded(made))
    if told.answer is Answer.HOLDS or (told.answer is Answer.NOT_CHECKED and is_permuted(made)):
        demand(_may_hold(made, publish, own=False) is not False, f"forged ({name}), and verified as stated", "unsafe")
    alone = sordino.verify(publish.parent)
    if alone.answer is Answer.HOLDS:
        demand(_may_hold(made, publish, own=True) is not False, f"forged ({name}), and verified as its own", "unsafe")

    try:
        result = audited(made, publish.parent)
    except SordinoError as error:
        demand(not isinstance(error, InternalError), f"forged ({name}), and the audit breaks: {error}", "internal")
        return
    if result is not None and result.answer is Answer.HOLDS:
        demand(_may_hold(made, publish, own=False) is not False, f"forged ({name}), and audited as safe", "unsafe")


def _may_hold(made: Any, publish: Path, *, own: bool) -> bool | None:
    if isinstance(made, MadeBaskets):
        if own:
            return forge_baskets.own_policy_may_hold(made, publish)
        return forge_baskets.stated_policy_may_hold(made, publish)
    if isinstance(made, MadeTemplate):
        return forge_tables.template_may_hold(made, publish, own=own)
    return forge_tables.diversity_may_hold(made, publish, own=own)


# Damage that needs no thought


def _damage(made: Made) -> None:
    """A byte, a piece, a file less or more: none of it passes."""
    publish = copied(made.folder, "damaged")
    name = one_of(made.rng, sorted(path.name for path in publish.iterdir()))
    path = publish / name
    raw = bytearray(path.read_bytes())
    way = one_of(made.rng, ("flip", "flip", "flip", "cut", "gone", "more", "swap"))
    if way == "flip":
        raw[whole(made.rng, 0, len(raw) - 1)] ^= 1 << whole(made.rng, 0, 7)
        path.write_bytes(raw)
    elif way == "cut":
        path.write_bytes(raw[: whole(made.rng, 0, len(raw) - 1)])
    elif way == "gone":
        path.unlink()
    elif way == "more":
        (publish / "notes.txt").write_text("x", encoding="utf-8")
    else:
        other = publish / one_of(made.rng, sorted(p.name for p in publish.iterdir() if p != path))
        path.write_bytes(other.read_bytes())
        other.write_bytes(raw)
    try:
        verdict = sordino.verify(publish, made.policy, **demanded(made))
    except InputError:
        demand(way == "gone" and name == "manifest.json", f"damaged ({way} {name}): refused to look")
        return
    demand(verdict.answer is Answer.FAILS, f"damaged ({way} {name}): {verdict.answer}", "unsafe")
