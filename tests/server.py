"""A real PostgreSQL server for tests: in a temporary folder, as an unprivileged user, gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["SECRET", "Server", "programs", "running_server"]

SECRET = "S3cr@t/w?rd"  # with signs that have to be escaped in an address
QUICK = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


def programs() -> Path | None:
    """The folder of initdb and postgres: that of the newest version that Debian has put there, or by PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return None if initdb is None else Path(initdb).resolve().parent


class Server:
    """A server on 127.0.0.1 and on a socket in its folder. Its owner is "owner", and everybody has a password."""

    def __init__(self, folder: Path, bin_: Path) -> None:
        self.folder, self._bin = folder, bin_
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def _as(self) -> dict[str, Any]:
        return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

    def make(self) -> None:
        password = self.folder / "password"
        password.write_text(f"{SECRET}\n")
        if os.geteuid() == 0:
            for path in (self.folder, password):
                shutil.chown(path, "postgres", "postgres")
        words = ["-D", self.folder / "data", "-U", "owner", "-A", "scram-sha-256", "--pwfile", password, "-E", "UTF8"]
        subprocess.run(
            [self._bin / "initdb", *words, "--no-sync", "--locale=C"],
            check=True, capture_output=True, cwd=self.folder, env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
            **self._as(),
        )  # fmt: skip

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["-D", self.folder / "data", "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1", *QUICK]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [self._bin / "postgres", *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder,
                env={"LC_ALL": "C", "PATH": os.environ["PATH"]}, **self._as(),
            )  # fmt: skip
        for _ in range(300):
            try:
                self.sql("SELECT 1")
                return
            except Exception:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text())

    def kill(self) -> None:
        """Kill it, as a power failure would: nothing is said to anybody."""
        assert self._process is not None
        children = subprocess.run(
            ["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        for process in (self._process.pid, *map(int, children)):
            os.kill(process, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(timeout=30)

    def processor_time(self) -> float:
        """Seconds of processors that it and its ended connections took."""
        assert self._process is not None
        time.sleep(0.2)  # so that it knows of connections that ended
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def uri(self, user: str = "owner", password: str | None = SECRET, database: str = "postgres") -> str:
        """Its address, with a password or without."""
        who = quote(user, safe="") + ("" if password is None else f":{quote(password, safe='')}")
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}"

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """What the last of the statements returns, run by the owner; all are committed."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.uri(), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []


@contextmanager
def running_server() -> Iterator[Server]:
    """A server of its own; `programs` must have found them."""
    bin_ = programs()
    assert bin_ is not None
    folder = Path(tempfile.mkdtemp(prefix="sordino-pg-", dir="/tmp"))
    folder.chmod(0o755)
    server = Server(folder, bin_)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
