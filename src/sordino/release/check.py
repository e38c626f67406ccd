"""Checking a release folder: its files against the manifest, its data and proof against the policy.

Like the shapes, which do the last step, this shares no code with the audit or the methods.

What a checksum can and cannot do: whoever rewrites *all* of a folder consistently, with other data, a weaker policy
and a valid proof of that, has made another release, and it is what the manifest says it is. So read the policy, or
state the one that you expect: then the release must be about exactly that.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from sordino.data.baskets import Baskets
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.kinds import Policy
from sordino.release.manifest import MANIFEST, README, REPORT, Manifest, describe, parse
from sordino.release.shapes import find_shape
from sordino.release.verdict import Verdict

__all__ = ["PUBLISH", "ReleaseVerdict", "published_part", "read_manifest", "takes_original", "verify_folder"]

PUBLISH = "publish"


@dataclass(frozen=True)
class ReleaseVerdict(Verdict):
    """What was found about a release folder; `manifest` is None if it could not be read."""

    manifest: Manifest | None = None

    def sentences(self) -> tuple[str, ...]:
        """A verdict that holds, in words: the first sentence says what holds, the others how we know."""
        return () if self.manifest is None else find_shape(self.manifest.shape).found(self.manifest, self)


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


def takes_original(folder: str | os.PathLike[str]) -> bool:
    """Whether the original records are of use in checking this release; also if it cannot be read, and is refused."""
    try:
        return hasattr(find_shape(read_manifest(published_part(folder)).shape), "verify_given")
    except InputError:
        return True


def verify_folder(
    folder: str | os.PathLike[str], policy: Policy | None = None, original: Baskets | None = None
) -> ReleaseVerdict:
    """Whether a release folder (or the `publish` part of one) is whole, and its policy is shown to hold.

    If a policy is stated, the release must be about that policy. Any difference gives a verdict that does not hold,
    with the reason; only a folder that is no release raises. A promise about what single persons chose is checked if
    the policy is stated with the choices, and against the original records if these are given.
    """
    started = time.perf_counter()
    publish = published_part(folder)
    manifest: Manifest | None = None
    try:
        manifest = read_manifest(publish)
        shape = find_shape(manifest.shape)
        _check_files(publish, manifest, shape.files(manifest))
        if policy is not None and not shape.same(policy, manifest.policy):
            raise InputError("the release is about another policy")
        given = getattr(shape, "verify_given", None)
        if given is not None:
            verdict = given(publish, manifest, policy, original)
        else:  # against the stated policy: it may name items that the manifest does not, and the data must not hold
            verdict = shape.verify(publish, manifest if policy is None else replace(manifest, policy=policy))
    except PolicyError as error:
        verdict = Verdict(Answer.FAILS, error.problems[0], 0, 0, 0, 0.0)
    except InputError as error:
        verdict = Verdict(Answer.FAILS, error.what, 0, 0, 0, 0.0)
    return ReleaseVerdict(
        verdict.answer,
        verdict.reason,
        verdict.items,
        verdict.served,
        verdict.searched,
        time.perf_counter() - started,
        manifest,
    )


def read_manifest(publish: Path) -> Manifest:
    """The manifest of a published folder."""
    path = publish / MANIFEST
    if not path.is_file():
        raise InputError(f"{MANIFEST} is missing")
    return parse(_content(path))


def _check_files(publish: Path, manifest: Manifest, needed: frozenset[str]) -> None:
    """The folder holds exactly the files of the manifest, with the same content."""
    if manifest.files.keys() != needed | {README, REPORT}:
        raise InputError(f"{MANIFEST} does not list {', '.join(sorted(needed))}, {README} and {REPORT}")
    if Path(manifest.file).name != manifest.file or not manifest.file.startswith("data."):
        raise InputError(f"{MANIFEST} names a data file that cannot be one")
    there = {entry.name: entry for entry in os.scandir(publish)}
    extra = sorted(there.keys() - manifest.files.keys() - {MANIFEST})
    if extra:
        raise InputError(f"there is something that does not belong to the release: {ascii(extra[0])[1:-1]}")
    if not there[MANIFEST].is_file(follow_symlinks=False):
        raise InputError(f"{MANIFEST} is not a regular file")
    for name, entry in manifest.files.items():
        if name not in there:
            raise InputError(f"{name} is missing")
        if not there[name].is_file(follow_symlinks=False):
            raise InputError(f"{name} is not a regular file")
        if describe(_content(publish / name)) != entry:
            raise InputError(f"{name} was changed: it is not the file that the manifest describes")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path.name} cannot be read ({error.strerror})") from None
