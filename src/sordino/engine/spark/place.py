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
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from sordino.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["KEEP", "MANIFEST", "PUBLISH", "README", "Held", "Place"]

PUBLISH, KEEP, MANIFEST, README = "publish", "keep", "manifest.json", "README.txt"
OPTIONS = {"compression": "snappy", "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}
ROWS = 100_000  # of a row group


class Held:
    """Frames that are kept in the cluster for as long as they are needed.

    Spark takes a kept frame for any later one that is made in the same way, also if files have changed since: so none
    may be left behind.
    """

    def __init__(self) -> None:
        self._frames: list[Any] = []

    def __call__(self, frame: Any) -> Any:
        """The frame, kept from now on."""
        self._frames.append(frame.persist())
        return self._frames[-1]

    def drop(self, frame: Any) -> None:
        """Let go of a frame that was kept."""
        self._frames = [kept for kept in self._frames if kept is not frame]
        frame.unpersist()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        while self._frames:
            self._frames.pop().unpersist()


class Place:
    """A folder by its address; without a session only if it is a folder of this machine.

    `alone`: it is the published part of a release by itself.
    """

    def __init__(self, uri: str | os.PathLike[str], session: Any = None) -> None:
        self.uri, self.session = os.fspath(uri).rstrip("/"), session
        self.alone = False
        parts = urlsplit(self.uri)
        self.local: Path | None = None
        if parts.scheme in ("", "file"):
            self.local = Path(unquote(parts.path) if parts.scheme else self.uri).absolute()
            self.uri = self.local.as_uri()
        elif session is None:
            raise InputError("a release that is not on this machine needs a session to be read", where=self.uri)

    def found(self) -> Place:
        """The same; if there is no release, but its published part by itself, as one hands it on, that."""
        if self.read_text(f"{PUBLISH}/{MANIFEST}") is None:
            self.alone = True
            self.alone = self.read_text(f"{PUBLISH}/{MANIFEST}") is not None
        return self

    def _name(self, name: str) -> str:
        return name.removeprefix(f"{PUBLISH}/") if self.alone else name

    @property
    def publish(self) -> Path:
        """The published part, if it lies on this machine."""
        assert self.local is not None
        return self.local if self.alone else self.local / PUBLISH

    def at(self, name: str) -> str:
        """The address of what is called `name` there."""
        return f"{self.uri}/{self._name(name)}"

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
        self._make(path.parent, private=name.startswith(f"{KEEP}/"))
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)

    def read_text(self, name: str) -> str | None:
        """What was written so; None if there is nothing."""
        here = None if self.local is None else self.local / self._name(name)
        if here is not None and here.is_file():
            return here.read_text(encoding="utf-8", errors="replace")
        if self.session is None or (here is not None and not here.is_dir()):
            return None
        rows = self._listed(self.at(name), "part-*")
        return None if not rows else bytes(rows[0]["content"]).decode(errors="replace").removesuffix("\n")

    def write_frame(self, frame: DataFrame, name: str) -> None:
        """A folder of Parquet files, one a piece of the frame.

        On a file system tasks write them by themselves: Spark's writer lists the encodings of a column in an order that
        differs from one JVM to the next. A file appears whole, and a task that is tried again writes the same.
        """
        if self.local is None:
            frame.write.options(**OPTIONS).parquet(self.at(name))
            return
        self._make(self.local / name, private=name.startswith(f"{KEEP}/"))
        written = frame.mapInArrow(
            _writer(str(self.local / name), _bare(frame.limit(0).toArrow().schema)), "name string"
        )
        written.collect()

    def _make(self, folder: Path, *, private: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if private:
            assert self.local is not None
            (self.local / KEEP).chmod(0o700)

    def read_frame(self, name: str) -> Any:
        """What lies in a folder of Parquet files now."""
        self.session.catalog.refreshByPath(self.at(name))
        return self.session.read.parquet(self.at(name))

    def undeclared(self, files: Collection[str]) -> str | None:
        """Something in publish beside these files, README and manifest; only where this machine can look."""
        if self.local is None:
            return None
        publish = self.publish
        known = {README, MANIFEST, *files}
        known |= {str(parent) for name in files for parent in PurePosixPath(name).parents}
        found = (path.relative_to(publish).as_posix() for path in sorted(publish.rglob("*")))
        return next((name for name in found if name not in known), None)

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


def _bare(schema: Any) -> Any:
    """The schema without notes: Spark's own numbers of frames differ from one run to the next."""
    import pyarrow as pa

    return pa.schema([field.remove_metadata() for field in schema])


def _writer(folder: str, schema: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a task does to write its piece; that of the first piece is there in any case, so that there is a schema."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        held = [batch for batch in batches if batch.num_rows]
        if not held and context.partitionId():
            return
        table = pa.Table.from_batches(held, held[0].schema).cast(schema) if held else schema.empty_table()
        name = f"part-{context.partitionId():05d}.parquet"
        part = os.path.join(folder, f".{name}.{context.taskAttemptId()}")
        pq.write_table(table, part, row_group_size=ROWS)
        os.replace(part, os.path.join(folder, name))
        yield pa.RecordBatch.from_pydict({"name": [name]})

    return work
