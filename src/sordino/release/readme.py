"""README.txt of a release: what it is, what is guaranteed, what is not, how to check it; for whoever receives it."""

from __future__ import annotations

import textwrap

from sordino.release.wording import texts_of
from sordino.verify.manifest import PAGE, Manifest

__all__ = ["readme"]

WIDTH = 100
WORD = (
    "What was done to the data before, by which method, and how they were put in order, is the publisher's word: "
    "nothing in this folder can prove it."
)
WITHOUT_INSTALLING = (
    f"Without installing anything: open {PAGE} in a browser and drop the files of this folder on it. It checks the "
    "same, in code of its own, and sends nothing anywhere. The page is the same in every release of this version; the "
    "documentation of sordino states its sha256."
)


def readme(manifest: Manifest) -> str:
    """The text, from what the manifest says and nothing else."""
    texts = texts_of(manifest)
    why, how = texts.how_to_check()
    parts = [
        _title("A protected data set", "="),
        *map(_paragraph, texts.about()),
        _paragraph(f"It was made by sordino {manifest.version} (method: {manifest.method})."),
        _title("What is guaranteed"),
        *(_point(sentence) for sentence in texts.guaranteed()),
        "",
        _paragraph(texts.about_policy()),
        _title("What is not guaranteed"),
        *(_point(sentence) for sentence in texts.not_guaranteed()),
        "",
        _title("How to check it"),
        _paragraph(why),
        "    pip install sordino\n    sordino verify .\n",
        _paragraph(how),
        _paragraph(_codes(texts.proved)),
        _paragraph(WITHOUT_INSTALLING),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _codes(proved: str) -> str:
    """What the exit codes of `sordino verify` mean; `proved`: what 0 tells of the promise."""
    return (
        "Exit code 0 means: every file is the one that manifest.json describes, the data hold nothing beside what is "
        "described above, this text and the words of report.html (not its pictures) follow from the policy and the "
        f"data, and {proved}. Exit code 1: something of this is not so. Exit code 3: something could not be checked, "
        f"and is named. {WORD}"
    )


def _title(text: str, line: str = "-") -> str:
    return f"{text}\n{line * len(text)}\n"


def _paragraph(text: str) -> str:
    return textwrap.fill(text.strip(), WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def _point(text: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
