"""README.txt of a release: what it is, what is guaranteed, what is not, how to check it; for whoever receives it."""

from __future__ import annotations

import textwrap

from sordino.release.check_page import PAGE
from sordino.release.manifest import Manifest
from sordino.release.shapes import find_shape
from sordino.release.statement import codes

__all__ = ["readme"]

WIDTH = 100
WITHOUT_INSTALLING = (
    f"Without installing anything: open {PAGE} in a browser and drop the files of this folder on it. It checks the "
    "same, in code of its own, and sends nothing anywhere. The page is the same in every release of this version; the "
    "documentation of sordino states its sha256."
)


def readme(manifest: Manifest) -> str:
    """The text, from what the manifest says and nothing else."""
    shape = find_shape(manifest.shape)
    why, how, proved = shape.about_check(manifest)
    parts = [
        _title("A protected data set", "="),
        *map(_paragraph, shape.about(manifest)),
        _paragraph(f"It was made by sordino {manifest.version} (method: {manifest.method})."),
        _title("What is guaranteed"),
        *(_point(sentence) for sentence in shape.guaranteed(manifest.policy)),
        "",
        _paragraph(shape.about_policy(manifest)),
        _title("What is not guaranteed"),
        *(_point(sentence) for sentence in shape.not_guaranteed(manifest.policy)),
        "",
        _title("How to check it"),
        _paragraph(why),
        "    pip install sordino\n    sordino verify .\n",
        _paragraph(how),
        _paragraph(codes(proved)),
        _paragraph(WITHOUT_INSTALLING),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _title(text: str, line: str = "-") -> str:
    return f"{text}\n{line * len(text)}\n"


def _paragraph(text: str) -> str:
    return textwrap.fill(text.strip(), WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def _point(text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
