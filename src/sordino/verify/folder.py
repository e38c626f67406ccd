"""Checking a release folder: its files against the manifest, its data and proof against the policy, its words against
both.

This room shares with the rest of the program how files are read and written (`data`) and what a policy means
(`policy`); none of the code of the audit or of the methods. How texts and reports are worded it does not know: whoever
calls brings that along (`Words`), and it is only compared.

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
from typing import Any, Protocol

from sordino.data.sources.delimiters import checked_delimiter
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.kinds import Policy
from sordino.verify.asked import FORM, Asked
from sordino.verify.bounded import LeftOpenError, digest
from sordino.verify.manifest import MANIFEST, PAGE, PUBLISH, README, REPORT, Manifest
from sordino.verify.manifest_file import read_manifest
from sordino.verify.signature import SIGNATURE, check_signature, read_key
from sordino.verify.verdict import Verdict

__all__ = ["ReleaseVerdict", "Words", "published_part", "verify_folder"]

LARGEST = 1 << 36  # bytes of any file: more is not even compared with its checksum
PICTURES = f"the pictures in {REPORT} were not compared with the data; its words and numbers were"


class Words(Protocol):
    """What a version of the program writes for people."""

    version: str

    def check_page(self, publish: Path, version: str) -> str:
        """What stays open about the page that checks a release, of a folder that `version` made, or nothing.

        An InputError if it is not the page of any version.
        """

    def check_texts(self, publish: Path, manifest: Manifest, data: Any) -> None:
        """An InputError unless the texts say what follows from the manifest and the published data, and nothing else.

        `data` is what judging them has read."""


@dataclass(frozen=True)
class ReleaseVerdict(Verdict):
    """What was found about a release folder; `manifest` is None if it could not be read."""

    manifest: Manifest | None = None

    stated: bool = False  # whether the policy was stated, and not that of the manifest

    def sentences(self) -> tuple[str, ...]:
        """The verdict in words: the first sentence says what holds, or why not; the others how we know."""
        told: tuple[str, ...] = (self.reason if self.reason.endswith((".", "?")) else f"{self.reason}.",)
        if self.manifest is None or self.answer is Answer.FAILS:
            return told
        if self.answer is Answer.HOLDS:
            told = self.manifest.found(self)
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
    words: Words,
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
    the public key (of minisign, or its file) that the manifest must be signed by; `form` (layout, record, item,
    delimiter, missing): how data lie in a file, where that is not found, or has to be confirmed.
    """
    started = time.perf_counter()
    publish = published_part(folder)
    asked = Asked(policy, original, _form(form))
    signer = None if key is None else read_key(key)
    manifest: Manifest | None = None
    try:
        manifest = read_manifest(publish)
    except LeftOpenError as limit:
        return _verdict(_failed(limit, Answer.NOT_CHECKED), None, asked, started)
    except InputError as error:
        return _verdict(_failed(error), None, asked, started)
    asked.check(manifest.shape, manifest.takes)
    if original is not None:
        asked = replace(asked, original=manifest.read_original(original, asked))
    try:
        signed = check_signature(publish, signer)
        verdict = _check(publish, manifest, asked, words)
        verdict = replace(verdict, notes=(*verdict.notes, signed)) if signed else verdict
    except LeftOpenError as limit:
        verdict = _failed(limit, Answer.NOT_CHECKED)
    except InputError as error:
        verdict = _failed(error)
    except PolicyError as error:
        verdict = Verdict(Answer.FAILS, error.problems[0], 0, 0, 0, 0.0)
    return _verdict(verdict, manifest, asked, started)


def _check(publish: Path, manifest: Manifest, asked: Asked, words: Words) -> Verdict:
    _check_files(publish, manifest, manifest.needed())
    if asked.policy is not None:
        other = manifest.different(asked.policy)
        if other is not None:
            raise InputError(
                f"the release is about another policy than the one stated; they differ in {other}. Whether it "
                "satisfies yours all the same, only an audit of it can tell"
            )
    page = words.check_page(publish, manifest.version)
    verdict, data = manifest.judge(publish, asked)
    if verdict.answer is Answer.FAILS:
        return verdict
    open_ = [page] if page else []
    try:
        words.check_texts(publish, manifest, data)
        verdict = replace(verdict, notes=(*verdict.notes, PICTURES))
    except InputError as error:
        if manifest.version == words.version:
            raise
        other = f"it was made by sordino {manifest.version}, whose words sordino {words.version} does not know"
        open_.append(f"{error.what}; {other}")
    if not open_:
        return verdict
    reasons = [verdict.reason, *open_] if verdict.answer is Answer.NOT_CHECKED else open_
    return replace(verdict, answer=Answer.NOT_CHECKED, reason="; ".join(reasons))


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
