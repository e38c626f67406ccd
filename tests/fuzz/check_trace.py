"""What was deleted leaves no trace in what is published: no name, and no byte that depends on it."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import sordino
from fuzz import forms
from fuzz.check_folder import data_file
from fuzz.finding import demand
from fuzz.made import Made, MadeBaskets

__all__ = ["check"]

PLAIN = re.compile(r"i[0-9]+")  # names that occur in no other word that is published


def check(made: Made) -> None:
    if isinstance(made, MadeBaskets):
        _no_name(made)
        if getattr(made.release, "coarse", None) is None and (made.case.ids_as == "keep" or not made.policy.personal):
            _again(made)  # who chose is known by name, and names may be new


def _no_name(made: MadeBaskets) -> None:
    """No name of an item that is gone; one that a hierarchy of the user's own names may be told."""
    held = {item for record in made.records for item in record}
    left = {item for record in made.release.data for item in record}
    grouped = getattr(made.release, "coarse", None)
    told = str(made.case.options.get("hierarchy", ""))
    if hasattr(grouped, "held"):
        left |= {item for group in grouped.held for item in group}
    elif grouped is not None:  # what a wider item stands for is known
        left |= _under(grouped, left)
    gone = {item for item in held - left if PLAIN.fullmatch(item) and f"'{item}'" not in told}
    for path in sorted((made.folder / "publish").iterdir()):
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("latin-1")
        words = set(re.findall(r"\bi[0-9]+\b", text))
        demand(words.isdisjoint(gone), f"a name that was deleted everywhere is published in {path.name}", "unsafe")


def _under(grouped: Any, shown: set[str]) -> set[str]:
    """The leaves under the nodes that are shown."""
    tree = grouped.hierarchy
    nodes = [v for v, label in enumerate(grouped.labels) if label in shown]
    return {tree.names[leaf] for v in nodes for leaf in tree.leaves_under(v)}


def _again(made: MadeBaskets) -> None:
    """A release of what was released is the same, byte for byte: nothing in it came from what was deleted."""
    path = data_file(made.folder / "publish")
    stated = _form(made, path)
    data = sordino.read_baskets(path, **stated)
    release = made.protect(data=data)
    demand(release.unchanged, "what was released is changed when it is protected again")
    again = Path(release.write(made.home / "released again", jobs=1))
    for one in sorted((made.folder / "publish").iterdir()):
        other = again / "publish" / one.name
        same = other.is_file() and other.read_bytes() == one.read_bytes()
        demand(same, f"publish depends on what was deleted: {one.name}", "unsafe")


def _form(made: MadeBaskets, path: Path) -> dict[str, str]:
    """How the published file is to be read."""
    form = forms.FORMS[made.case.form]
    return form.stated if form.suffix and path.name.endswith(form.suffix) else {"layout": "list"}
