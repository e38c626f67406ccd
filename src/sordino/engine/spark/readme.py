"""README.txt of a release that was made in a cluster: what it is, what is guaranteed, what is not, how to check it."""

from __future__ import annotations

import textwrap

from sordino.engine.spark.manifest import SparkManifest, promised
from sordino.engine.spark.place import PUBLISH, README, Place
from sordino.errors import InputError
from sordino.policy.promise import not_guaranteed

__all__ = ["check_readme", "readme"]

WIDTH = 100


def readme(manifest: SparkManifest, item: str) -> str:
    """The text, from what the manifest says and nothing else."""
    people = "1 person" if manifest.records == 1 else f"{manifest.records:,} people"
    alibis = manifest.policy.absent is None
    proof = " and checks the proof in proof/ against the policy" if alibis else " and counts equal records"
    parts = [
        "A protected data set\n====================\n",
        _filled(
            f"The Parquet files in data/ hold records of {people}: `record` is a new number, `{item}` the items. "
            "Before they were published, items were deleted wherever they would have allowed someone to infer a "
            "sensitive item; nothing was added or invented. Records are in random order."
        ),
        _filled(f"It was made by sordino {manifest.version} on Apache Spark (method: {manifest.method})."),
        "What is guaranteed\n------------------\n",
        *(_filled(sentence, "- ") for sentence in promised(manifest.policy)),
        _filled(
            "The sensitive items that the data still hold, and their thresholds, are listed in manifest.json, under "
            '"policy". They were chosen by whoever published this folder.'
        ),
        "What is not guaranteed\n----------------------\n",
        *(_filled(sentence, "- ") for sentence in not_guaranteed(manifest.policy)),
        "How to check it\n---------------\n",
        _filled(
            "You need not trust whoever made this folder. In Python, with a Spark session or, if the data fit into "
            "the memory of one machine, without one:"
        ),
        "    import sordino.spark\n    print(sordino.spark.verify(FOLDER, session=spark))\n",
        _filled(f"It compares the checksums{proof}, by a part of sordino that shares no code with what made them."),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def check_readme(place: Place, manifest: SparkManifest, item: str) -> None:
    """An InputError if the README says anything else than what follows from the manifest."""
    if place.read_text(f"{PUBLISH}/{README}") not in (text := readme(manifest, item), text.removesuffix("\n")):
        raise InputError(f"{README} is missing, or says something else than what follows from the manifest")


def _filled(text: str, before: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=before, subsequent_indent=" " * len(before)) + "\n"
