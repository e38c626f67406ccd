"""Where a release lies: a folder that the cluster writes to, on a file system of this machine or in a store.

    URI/publish/   data/ and proof/ (Parquet), README.txt, manifest.json: all that leaves
    URI/keep/      changes/ and, if records have ids, records/ (Parquet), policy.toml, audit.json: stays

Spark puts the parts of a Parquet folder there when all its tasks are done. manifest.json lists them with their
checksums, and is written last: whatever breaks off before leaves no release, but a folder without a manifest, which no
verifier accepts. Nothing is ever replaced.

Small files are plain files where this machine can write them. Elsewhere Spark writes them, as a folder of that name
with one part in it, which is how Spark keeps files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sordino.errors import InputError

__all__ = ["KEEP", "MANIFEST", "PUBLISH", "Place"]

PUBLISH, KEEP, MANIFEST = "publish", "keep", "manifest.json"


class Place:
    """A folder by its address; without a session only if it is a folder of this machine."""

    def __init__(self, uri: str | os.PathLike[str], session: Any = None) -> None:
        self.uri, self.session = os.fspath(uri).rstrip("/"), session
        parts = urlsplit(self.uri)
        self.local: Path | None = None
        if parts.scheme in ("", "file"):
            self.local = Path(unquote(parts.path) if parts.scheme else self.uri).absolute()
            self.uri = self.local.as_uri()
        elif session is None:
            raise InputError("a release that is not on this machine needs a session to be read", where=self.uri)

    def at(self, name: str) -> str:
        """The address of what is called `name` there."""
        return f"{self.uri}/{name}"

    def check_free(self) -> None:
        """An InputError if there is something already."""
        if self.local is not None:
            there = self.local.exists() and any(self.local.iterdir()) if self.local.is_dir() else self.local.exists()
        else:
            there = self._listed(self.uri, "*") is not None
        if there:
            raise InputError(
                "there is something already; nothing was written", where=self.uri, hint="Choose another folder."
            )

    def write_text(self, name: str, text: str) -> None:
        """A small file, which is there whole or not at all."""
        if self.local is None:
            self.session.createDataFrame([(text,)], "value string").coalesce(1).write.text(self.at(name))
            return
        path = self.local / name
        private = name.startswith(f"{KEEP}/")
        path.parent.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        if private:
            part.chmod(0o600)
            path.parent.chmod(0o700)
        os.replace(part, path)

    def read_text(self, name: str) -> str | None:
        """What was written so; None if there is nothing."""
        if self.local is not None and (self.local / name).is_file():
            return (self.local / name).read_text(encoding="utf-8")
        if self.session is None or (self.local is not None and not (self.local / name).is_dir()):
            return None
        rows = self._listed(self.at(name), "part-*")
        return None if not rows else bytes(rows[0]["content"]).decode().removesuffix("\n")

    def tidy(self) -> None:
        """Remove the hidden checksums that Hadoop leaves beside files on a disk: the manifest has better ones."""
        if self.local is not None:
            for path in self.local.rglob(".*.crc"):
                path.unlink(missing_ok=True)

    def files(self, folders: tuple[str, ...]) -> dict[str, tuple[int, str]]:
        """Size and sha256 of every Parquet file in these folders of publish, by its name; found by the cluster."""
        from pyspark.sql import functions as F  # noqa: N812

        found: dict[str, tuple[int, str]] = {}
        for folder in folders:
            read = self._binary(self.at(f"{PUBLISH}/{folder}"), "*.parquet")
            for row in read.select("path", "length", F.sha2("content", 256).alias("sha")).collect():
                found[f"{folder}/{row['path'].rpartition('/')[2]}"] = (int(row["length"]), str(row["sha"]))
        return found

    def _binary(self, where: str, glob: str) -> Any:
        return self.session.read.format("binaryFile").option("pathGlobFilter", glob).load(where)

    def _listed(self, where: str, glob: str) -> list[Any] | None:
        """The files there, None if there is no such place."""
        from pyspark.errors import AnalysisException

        try:
            return list(self._binary(where, glob).limit(1).collect())
        except AnalysisException:
            return None
