"""Writing a release folder: stage, read back, audit, prove, verify; and only then put it in place.

    OUT/publish/   data.<as the input>, README.txt, report.html, check.html, manifest.json and, where there is one, a
                   proof: all that leaves
    OUT/keep/      changes.parquet, audit.json, policy.toml, another report.html and more: stays, because it would
                   disclose what was changed

What is particular to a shape (SHAPES) comes as its `Parts`: whatever these hold for `publish/` is computed from the
bytes of the published data file and from the policy, which is the user's own text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch
from sordino.errors import InternalError
from sordino.policy.answer import Answer
from sordino.policy.kinds import Policy
from sordino.release.check import manifest_bytes, verify_folder
from sordino.release.check_page import page_bytes
from sordino.release.house_report import HISTORY, house_report
from sordino.release.public import public_report
from sordino.release.readme import readme
from sordino.release.staging import Staging, check_target, staged
from sordino.release.wording import texts_of
from sordino.verify.manifest import KEEP, MANIFEST, PAGE, PUBLISH, README, REPORT, Manifest, describe
from sordino.verify.shapes.sequel import valid_alone
from sordino.version import VERSION

__all__ = ["Parts", "source_name", "timeless", "write_folder"]


@dataclass(frozen=True)
class Parts:
    """What a shape puts into its folder: the manifest, as yet without its list of files, and files by name.

    `published` includes the data file, which may be in the staging folder already, and is the path of the file there if
    it is too large to be held. `data` is what was read from it, for
    the report for everybody. `kept` has audit.json, the history of the release; the report for the house is told from
    it. `policy` is the policy as it was written, if the manifest says less; the verifier checks the folder against it,
    and against the `original` records, if it is `checked`; else it checks what can be checked in public. `form`: how
    the data lie in their file, where the user said so.
    """

    manifest: Manifest
    published: Mapping[str, bytes | Path]
    kept: Mapping[str, bytes]
    data: Any = None
    policy: Policy | None = None
    original: Baskets | None = None
    checked: bool = True
    form: Mapping[str, Any] = field(default_factory=dict)


def write_folder(
    folder: str | os.PathLike[str],
    make: Callable[[Staging], Parts],
    *,
    sources: tuple[str | None, ...] = (),
    force: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write a release, and return where it is. It is there whole, audited and verified, or nothing has changed.

    `make` writes the data file, reads it back, audits what it read, and hands over the rest; it raises if anything is
    not as it should be. `sources` are files that the folder must not replace.
    """
    watch = Watch(progress)
    target = check_target(folder, force=force, sources=sources)
    watch.step("write")
    watch.report("writing", 0, 0)
    with staged(target) as stage:
        parts = make(stage)
        watch.step("pages")
        parts = replace(parts, manifest=replace(parts.manifest, version=VERSION))
        published = _published(parts)
        hashes = {name: describe(content).sha256 for name, content in published.items()}
        policy = parts.policy or parts.manifest.policy
        page = house_report(json.loads(parts.kept[HISTORY]), parts.manifest, policy, hashes)
        kept = {**parts.kept, REPORT: page.encode("utf-8", "surrogatepass")}
        for part, files in ((PUBLISH, published), (KEEP, kept)):
            for name, content in files.items():
                if isinstance(content, bytes) and not (stage.new / part / name).exists():
                    stage.write(f"{part}/{name}", content)
        watch.step("verify")
        watch.report("verifying", 0, 0)
        verdict = verify_folder(stage.new, parts.policy if parts.checked else None, parts.original, **parts.form)
        if verdict.answer is Answer.FAILS or (parts.checked and not valid_alone(verdict)):
            raise InternalError(f"the independent verifier refuses the release: {verdict.reason}")
        stage.place(force=force)
    return target


def _published(parts: Parts) -> dict[str, bytes | Path]:
    """All files to publish: those of the shape, README, report, manifest, and the page that checks them."""
    manifest = parts.manifest
    text = readme(manifest).encode("utf-8", "surrogatepass")
    published: dict[str, bytes | Path] = {**parts.published, README: text, PAGE: page_bytes()}
    hashes = {name: describe(content).sha256 for name, content in published.items()}
    published[REPORT] = public_report(manifest, texts_of(manifest).seen(parts.data), hashes).encode(
        "utf-8", "surrogatepass"
    )
    entries = {name: describe(content) for name, content in published.items()}
    published[MANIFEST] = manifest_bytes(replace(manifest, files=entries))
    return published


def source_name(path: str | None) -> str | None:
    """The name of the input without its folder, which is nobody's business; None for data made in Python."""
    return None if path is None else Path(path).name


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the time it took, so that the same run writes the same bytes."""
    return {key: value for key, value in result.items() if key != "seconds"}
