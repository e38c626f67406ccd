"""README.txt of a release: what it is, what is guaranteed, what is not, how to check it; for whoever receives it."""

from __future__ import annotations

import textwrap

from sordino.release.manifest import MANIFEST, PROOF, Manifest
from sordino.release.statement import guaranteed, not_guaranteed

__all__ = ["readme"]

WIDTH = 100
ABOUT_IDS = {
    "keep": "Record ids, if there are any, are those of the source.",
    "renumber": "Records are in the order of the source; record ids, if there are any, are new numbers.",
    "shuffle": "Records are in random order; record ids, if there are any, are new numbers.",
}
ABOUT_FORMAT = {
    "fimi": "text, one record a line, its items apart by blanks",
    "csv": "CSV text",
    "parquet": "Parquet",
    "jsonl": "JSON lines",
}
ABOUT_LAYOUT = {
    "baskets": ", one record a line, its items apart by commas",
    "long": ", one row for each item of a record",
    "list": ", each record a list of items",
}


def readme(manifest: Manifest) -> str:
    """The text, from what the manifest says and nothing else."""
    form = manifest.form
    people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
    about = ABOUT_FORMAT.get(form.format, form.format) + ABOUT_LAYOUT.get(form.layout, "")
    parts = [
        _title("A protected data set", "="),
        _paragraph(
            f"{manifest.file} holds records of {people}: {about}. Before it was published, items were deleted wherever "
            "they would have allowed someone to infer a sensitive item; nothing was added or invented. "
            f"{ABOUT_IDS.get(manifest.ids, '')}"
        ),
        _paragraph(f"It was made by sordino {manifest.version} (method: {manifest.method})."),
        _title("What is guaranteed"),
        *(_point(sentence) for sentence in guaranteed(manifest.policy)),
        "",
        _paragraph(
            f'The sensitive items and their thresholds are listed in {MANIFEST}, under "policy". They were chosen by '
            "whoever published this folder."
        ),
        _title("What is not guaranteed"),
        *(_point(sentence) for sentence in not_guaranteed(manifest.policy)),
        "",
        _title("How to check it"),
        _paragraph(
            "You need not trust whoever made this folder, nor the program that made it: the proof can be checked by an "
            "independent part of sordino, which shares no code with the rest. In this folder, run"
        ),
        "    pip install sordino\n    sordino verify .\n",
        _paragraph(
            f"It compares every file with its checksum in {MANIFEST}, reads the data, and checks {PROOF} against the "
            "policy. Exit code 0 means that everything above was found to be true."
        ),
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
