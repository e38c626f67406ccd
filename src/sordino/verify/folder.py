"""Checking a release folder: its files against the manifest, its data and proof against the policy, its words against
both.

This and the shapes, which check the data, share with the rest of the program how files are read and written (`data`),
what a policy means (`policy`) and how texts and reports are worded; none of the code of the audit or of the methods.

**Whose word counts.** Nothing in the folder is believed: checksums can be made anew. What the policy demands is taken
from the policy that whoever verifies states. If none is stated, it is that of the manifest, and the verdict says so:
who rewrites *all* of a folder consistently, with other data and a weaker policy, has made another release, and it is
what its manifest says. What cannot be known from the folder (the choices of people, the original records, what an
adversary could learn from these) must be stated, or the answer is "not checked". The `keep` part is not looked at, but
for keep/records.parquet, which can help to find something and never to find that nothing is there.

**Nothing else.** There is no file, entry, column or field that is not described, and every text is the one that
follows from the manifest. The sentences may change from version to version; a release of another version, in other
words, is "not checked" in this respect. Pictures in the report are the one thing that is not compared.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sordino.data.sources.delimiters import checked_delimiter
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.kinds import Policy
from sordino.release.asked import FORM, Asked
from sordino.release.bounded import LeftOpenError, digest, read_bytes
from sordino.release.check_page import PAGE, check_page
from sordino.release.manifest import MANIFEST, README, REPORT, Manifest, in_our_words, parse
from sordino.release.public import check_report
from sordino.release.readme import readme
from sordino.release.shapes import find_shape
from sordino.release.signature import SIGNATURE, check_signature, read_key
from sordino.release.verdict import Verdict
from sordino.report.documents import Seen
from sordino.version import VERSION

__all__ = ["PUBLISH", "ReleaseVerdict", "published_part", "read_manifest", "verify_folder"]

PUBLISH = "publish"
TEXT = 1 << 28  # bytes of a file that is text for people, or the manifest
LARGEST = 1 << 36  # bytes of any file: more is not even compared with its checksum
PICTURES = f"the pictures in {REPORT} were not compared with the data; its words and numbers were"


@dataclass(frozen=True)
class ReleaseVerdict(Verdict):
    """What was found about a release folder; `manifest` is None if it could not be read."""

    manifest: Manifest | None = None

    stated: bool = False  # whether the policy was stated, and not that of the manifest

    def sentences(self) -> tuple[str, ...]:
        """The verdict in words: the first sentence says what holds, or why not; the others how we know."""
        if self.manifest is None or self.answer is Answer.FAILS:
            return (f"{self.reason}.",)
        told: tuple[str, ...] = (f"{self.reason}.",)
        if self.answer is Answer.HOLDS:
            told = find_shape(self.manifest.shape).found(self.manifest, self)
        whose = (
            "The policy is the one that was stated."
            if self.stated
            else f"The policy is the release's own, in its {MANIFEST}: whoever published it chose what is demanded."
        )
        return (*told, whose, *(f"Note: {note}." for note in self.notes))


def published_part(folder: str | os.PathLike[str]) -> Path:
    """The folder of the published files: `folder` itself, or `publish` in it; an InputError if it is neither."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError("there is no such folder", where=str(path))
    if (path / PUBLISH).is_dir():
        return path / PUBLISH
    if not any((path / name).exists() for name in (MANIFEST, "proof.json.gz")):
        raise InputError(
            "this is not a release folder", where=str(path), hint="A release is made by: sordino protect ... --out DIR"
        )
    return path


def verify_folder(
    folder: str | os.PathLike[str],
    policy: Policy | None = None,
    original: object = None,
    *,
    key: str | None = None,
    **form: Any,
) -> ReleaseVerdict:
    """Whether a release folder (or the `publish` part of one) is whole, says what is so, and keeps what it promises.

    If a policy is stated, the release must be about that policy, and what it demands is checked. Any difference gives a
    verdict that fails, with the reason; what could not be looked at gives "not checked". Only a folder that is no
    release raises, and what is stated wrongly. `original`: the data before protection, for promises about these; `key`:
    the public key (of minisign, or its file) that the manifest must be signed by;
    `form` (layout, record, item, delimiter, missing): how data lie in a file, where that is not found, or has to be
    confirmed.
    """
    started = time.perf_counter()
    publish = published_part(folder)
    asked = Asked(policy, original, _form(form))
    signer = None if key is None else read_key(key)
    manifest: Manifest | None = None
    try:
        manifest = read_manifest(publish)
        shape = find_shape(manifest.shape)
    except LeftOpenError as limit:
        return _verdict(_failed(limit, Answer.NOT_CHECKED), None, asked, started)
    except InputError as error:
        return _verdict(_failed(error), None, asked, started)
    asked.check(manifest.shape, shape.TAKES)
    if original is not None:
        asked = replace(asked, original=shape.read_original(original, asked))
    try:
        signed = check_signature(publish, signer)
        verdict = _check(publish, manifest, asked)
        verdict = replace(verdict, notes=(*verdict.notes, signed)) if signed else verdict
    except LeftOpenError as limit:
        verdict = _failed(limit, Answer.NOT_CHECKED)
    except InputError as error:
        verdict = _failed(error)
    except PolicyError as error:
        verdict = Verdict(Answer.FAILS, error.problems[0], 0, 0, 0, 0.0)
    return _verdict(verdict, manifest, asked, started)


def _check(publish: Path, manifest: Manifest, asked: Asked) -> Verdict:
    shape = find_shape(manifest.shape)
    _check_files(publish, manifest, shape.files(manifest))
    if asked.policy is not None:
        other = shape.different(asked.policy, manifest.policy)
        if other is not None:
            raise InputError(
                f"the release is about another policy than the one stated; they differ in {other}. Whether it "
                "satisfies yours all the same, only an audit of it can tell"
            )
    page = check_page(publish, manifest.version)
    verdict, seen = shape.verify(publish, manifest, asked)
    if verdict.answer is Answer.FAILS:
        return verdict
    open_ = [page] if page else []
    try:
        _check_words(publish, manifest, seen)
        verdict = replace(verdict, notes=(*verdict.notes, PICTURES))
    except InputError as error:
        if manifest.version == VERSION:
            raise
        other = f"it was made by sordino {manifest.version}, whose words sordino {VERSION} does not know"
        open_.append(f"{error.what}; {other}")
    if not open_:
        return verdict
    reasons = [verdict.reason, *open_] if verdict.answer is Answer.NOT_CHECKED else open_
    return replace(verdict, answer=Answer.NOT_CHECKED, reason="; ".join(reasons))


def _check_words(publish: Path, manifest: Manifest, seen: Seen) -> None:
    """The texts say what follows from the policy and the data, and nothing else."""
    if not in_our_words(manifest, read_bytes(publish / MANIFEST, TEXT)):
        raise InputError(f"{MANIFEST} promises something in other words than follow from its policy")
    if read_bytes(publish / README, TEXT) != readme(manifest).encode("utf-8", "surrogatepass"):
        raise InputError(f"{README} says something else than what follows from the manifest")
    hashes = {name: entry.sha256 for name, entry in manifest.files.items() if name != REPORT}
    check_report(read_bytes(publish / REPORT, TEXT), manifest, seen, hashes)


def _form(stated: Mapping[str, Any]) -> dict[str, Any]:
    wrong = stated.keys() - set(FORM)
    if wrong:
        raise InputError(
            f"'{min(wrong)}' says nothing about how data lie in a file", hint=f"Possible: {', '.join(FORM)}"
        )
    form = {name: value for name, value in stated.items() if value is not None}
    return {**form, "delimiter": checked_delimiter(form["delimiter"])} if "delimiter" in form else form


def _failed(error: InputError, answer: Answer = Answer.FAILS) -> Verdict:
    return Verdict(answer, error.what, 0, 0, 0, 0.0)


def _verdict(verdict: Verdict, manifest: Manifest | None, asked: Asked, started: float) -> ReleaseVerdict:
    return ReleaseVerdict(
        verdict.answer,
        verdict.reason,
        verdict.items,
        verdict.served,
        verdict.searched,
        time.perf_counter() - started,
        verdict.notes,
        manifest,
        asked.policy is not None,
    )


def read_manifest(publish: Path) -> Manifest:
    """The manifest of a published folder."""
    path = publish / MANIFEST
    if not path.is_file():
        raise InputError(f"{MANIFEST} is missing")
    return parse(read_bytes(path, TEXT))


def _check_files(publish: Path, manifest: Manifest, needed: frozenset[str]) -> None:
    """The folder holds exactly the files of the manifest, with the same content."""
    if manifest.files.keys() != needed | {README, REPORT, PAGE}:
        raise InputError(f"{MANIFEST} does not list {', '.join(sorted(needed))}, {README}, {REPORT} and {PAGE}")
    if Path(manifest.file).name != manifest.file or not manifest.file.startswith("data."):
        raise InputError(f"{MANIFEST} names a data file that cannot be one")
    there = {entry.name: entry for entry in os.scandir(publish)}
    extra = sorted(there.keys() - manifest.files.keys() - {MANIFEST, SIGNATURE})
    if extra:
        raise InputError(f"there is something that does not belong to the release: {ascii(extra[0])[1:-1]}")
    if not there[MANIFEST].is_file(follow_symlinks=False):
        raise InputError(f"{MANIFEST} is not a regular file")
    for name, entry in manifest.files.items():
        if name not in there:
            raise InputError(f"{name} is missing")
        if not there[name].is_file(follow_symlinks=False):
            raise InputError(f"{name} is not a regular file")
        if entry.bytes > LARGEST:
            raise LeftOpenError(f"{name} is said to be larger than can be checked")
        if digest(publish / name, entry.bytes) != entry.sha256:
            raise InputError(f"{name} was changed: it is not the file that the manifest describes")
