"""Keys of policies that stand where they do not belong are answered with where they do."""

from __future__ import annotations

from pathlib import Path

import pytest

import sordino
from sordino.errors import PolicyError
from sordino.policy import diversity_file, inference_file, template_file
from sordino.policy.belongs import PLACES


def test_the_places_are_those_that_the_readers_know() -> None:
    baskets = {f"[{name}]" if name else "": keys for name, keys in inference_file._KEYS.items()}
    known = {
        "inference": baskets,
        "template": {"": template_file.KEYS, "[[template]]": template_file.TEMPLATE_KEYS},
        "diversity": {"": diversity_file.KEYS, "[knowledge]": diversity_file.KNOWLEDGE_KEYS},
    }
    stated = {kind: {place: set(keys) for place, keys in places.items()} for kind, places in PLACES.items()}
    assert stated == {
        kind: {place: set(keys) - {"kind"} for place, keys in places.items()} for kind, places in known.items()
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'kind = "diversity"\nsensitive = "s"\nquasi = ["q"]\nl = 2\nrho = 0.3\n',
            "unknown key 'rho'. It belongs to policies of kind 'inference' ([threshold]).",
        ),
        (
            'kind = "template"\n[[template]]\ngiven = ["a"]\nvalue = { s = "x" }\nat_most = "1/2"\nfuzzy = 2\n',
            "unknown key 'fuzzy'. It belongs to policies of kind 'diversity' ([knowledge]).",
        ),
        (
            'kind = "inference"\nl = 3\n[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\n',
            "unknown key 'l'. It belongs to policies of kind 'diversity'.",
        ),
        (
            'kind = "inference"\n[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\nassurance = 1\n',
            "'assurance' does not belong in [threshold]: write it as a section [assurance]",
        ),
        (
            '[sensitive]\nitems = ["a"]\nkind = "inference"\n[threshold]\nrho = "0.5"\n',
            "'kind' does not belong in [sensitive]: write it at the top of the file",
        ),
    ],
)
def test_a_misplaced_key_is_told_where_it_belongs(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(text)
    with pytest.raises(PolicyError) as caught:
        sordino.read_policy(file)
    assert told in str(caught.value)
