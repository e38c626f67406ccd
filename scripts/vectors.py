"""Makes the test vectors for checkers of releases: small releases, honest and broken, and what is to be said of them.

    python scripts/vectors.py            # writes tests/vectors
    python scripts/vectors.py --check    # says whether they are still what sordino makes

Every vector is the `publish` part of a release, made from data that are made up. tests/vectors/verdicts.json says of
each whether it is honest, which answer is right, and with which reason; and which key of the publisher is known, if one
is. docs/notes/verifier.md says how they are checked.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from vectors_broken import BROKEN  # noqa: E402
from vectors_honest import honest  # noqa: E402

import sordino  # noqa: E402 - the paths above come first
from signing import Signer  # noqa: E402
from sordino.report import page  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
VERDICTS = "verdicts.json"
MINE, OTHER = Signer(bytes(range(32))), Signer(bytes(32))  # keys that everybody can know


def signed(publish: Path, target: Path) -> dict[str, dict[str, Any]]:
    """Vectors of signed manifests, and what is to be said of them by whoever knows the key `MINE`.

    The verdicts are stated here: to find them needs a library that need not be there.
    """
    said = {
        "signed": ("holds", "proved"),
        "signed-in-the-old-way": ("holds", "proved"),
        "not-signed": ("fails", "the manifest is not signed: there is no manifest.json.minisig"),
        "signed-by-somebody-else": ("fails", "the signature of the manifest is not by the key that was stated"),
        "signed-with-another-key": ("fails", "the manifest is signed with another key than the one that was stated"),
        "signed-with-a-note": ("fails", "manifest.json.minisig says something that has no place in it"),
        "a-comment-that-was-not-signed": ("fails", "the signature of the manifest is not by the key that was stated"),
    }
    for name in said:
        shutil.copytree(publish, target / name)
    manifest = (publish / "manifest.json").read_bytes()
    texts = {
        "signed": MINE.minisig(manifest),
        "signed-in-the-old-way": MINE.minisig(
            manifest, hashed=False, comment="timestamp:1700000000\tfile:manifest.json"
        ),
        "signed-by-somebody-else": OTHER.minisig(manifest),
        "signed-with-another-key": Signer(MINE.seed, b"another!").minisig(manifest),
        "signed-with-a-note": MINE.minisig(manifest, comment="Alice"),
        "a-comment-that-was-not-signed": MINE.minisig(manifest).replace(
            b"trusted comment: manifest.json\n", b"trusted comment: timestamp:1\tfile:manifest.json\n"
        ),
    }
    for name, text in texts.items():
        (target / name / "manifest.json.minisig").write_bytes(text)
    return {
        name: {"honest": answer == "holds", "key": MINE.line(), "answer": answer, "reason": reason}
        for name, (answer, reason) in said.items()
    }


def make(target: Path) -> None:
    """All vectors, and the verdicts on them."""
    page.can_draw = lambda: False  # pictures are not compared, and differ from library to library
    with tempfile.TemporaryDirectory() as folder:
        made = honest(Path(folder))
        verdicts = {}
        for name, publish in made.items():
            shutil.copytree(publish, target / name)
        for name, (of, change) in BROKEN.items():
            own = name.replace(" ", "-").replace(",", "").replace("'", "")
            shutil.copytree(made[of], target / own)
            change(target / own)
        of_signed = signed(made["inference"], target)
        for path in sorted(target.iterdir()):
            if path.name in of_signed:
                verdicts[path.name] = of_signed[path.name]
            else:
                verdict = sordino.verify(path)
                told = {"answer": str(verdict.answer), "reason": verdict.reason}
                verdicts[path.name] = {"honest": path.name in made, **told}
            shown = path / "check.html"
            if shown.exists() and shown.read_bytes() == (ROOT / "src/sordino/release/check.html").read_bytes():
                shown.unlink()  # the same in all of them, and in the package
    (target / VERDICTS).write_text(json.dumps(verdicts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "vectors"
        made.mkdir()
        make(made)
        if "--check" in sys.argv[1:]:
            stale = sorted(
                name
                for name in {*contents(made), *contents(VECTORS)}
                if contents(made).get(name) != contents(VECTORS).get(name)
            )
            print("\n".join(f"{name} is not what scripts/vectors.py makes" for name in stale))
            return 1 if stale else 0
        shutil.rmtree(VECTORS, ignore_errors=True)
        shutil.copytree(made, VECTORS)
    print(f"{len(json.loads((VECTORS / VERDICTS).read_text()))} vectors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
