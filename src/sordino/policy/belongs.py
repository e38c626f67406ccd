"""Where a key of a policy belongs that its own kind does not know: to another kind."""

from __future__ import annotations

from collections.abc import Mapping

from sordino.errors import did_you_mean

__all__ = ["PLACES", "unknown_key"]

PLACES: Mapping[str, Mapping[str, tuple[str, ...]]] = {  # kind -> section, "" for the top of the file -> keys
    "inference": {
        "": ("sensitive", "threshold", "knowledge", "assurance"),
        "[sensitive]": ("items", "file", "patterns", "nodes", "hierarchy", "per_record", "except_for"),
        "[threshold]": ("rho", "per_item", "adaptive", "adaptive_on"),
        "[knowledge]": ("items", "absent"),
        "[assurance]": ("epsilon", "delta", "max_knowledge"),
    },
    "template": {
        "": ("class", "symbol", "template", "bins", "hierarchies"),
        "[[template]]": ("given", "sensitive", "value", "values", "rarest", "at_most"),
    },
    "diversity": {
        "": ("sensitive", "quasi", "l", "knowledge", "hierarchies", "bins"),
        "[knowledge]": ("mined", "min_expectation", "min_confidence", "max_conditions", "rules", "fuzzy"),
    },
}


def unknown_key(key: str, kind: str, here: str, known: tuple[str, ...]) -> str:
    """What to say of a key that no place of this kind of policy knows; `here`: where it stands (" in [knowledge]")."""
    near = did_you_mean(key, known)
    homes = [
        f"of kind '{other}'{f' ({place})' if place else ''}"
        for other, places in PLACES.items()
        if other != kind
        for place, keys in places.items()
        if key in keys
    ]
    belongs = f" It belongs to policies {' or '.join(homes)}." if homes and not near else ""
    return f"unknown key '{key}'{here}.{near}{belongs}"
