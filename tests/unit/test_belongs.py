"""Keys of policies that stand where they do not belong are answered with where they do."""

from __future__ import annotations

from pathlib import Path

import pytest

import sordino
from sordino.errors import PolicyError
from sordino.policy.belongs import with_home


def test_what_is_like_a_key_of_its_own_is_not_sent_elsewhere() -> None:
    others = {"other": {"": ("kidn",), "[more]": ("kidn",)}}
    assert with_home("unknown key 'kidn'. Did you mean 'kind'?", others) == "unknown key 'kidn'. Did you mean 'kind'?"
    told = with_home("template 2: unknown key 'kidn'.", others)
    assert told == "template 2: unknown key 'kidn'. It belongs to policies of kind 'other' or of kind 'other' ([more])."
    assert with_home("unknown key 'x' in [more].", others) == "unknown key 'x' in [more]."


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
