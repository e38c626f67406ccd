"""A real Spark cluster for tests: a master and two workers as processes of their own, on loopback, gone afterwards.

It starts from the pip package alone, when the first test asks for it. Processes of one test run (pytest-xdist) share it
by a folder: who comes first starts it, who leaves last stops it.
"""

from __future__ import annotations

import fcntl
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Cluster", "descendants", "missing", "new_session", "running_cluster"]

SOURCE = Path(__file__).parents[1] / "src"
WORKERS = 2
PATIENCE = 180  # seconds until a master or a worker must have answered, on a machine that does much else


def missing() -> str | None:
    """What a cluster lacks here, in words; None: nothing."""
    if importlib.util.find_spec("pyspark") is None:
        return "no pyspark (pip install 'sordino[spark]')"
    return None if shutil.which("java") else "no Java (apt-get install default-jre-headless)"


class Cluster:
    """The processes of a cluster, by what lies in its folder."""

    def __init__(self, folder: Path, cores: int = 2) -> None:
        self.folder, self.cores = folder, cores

    @property
    def state(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "state.json").read_text()))

    @property
    def master(self) -> str:
        return str(self.state["master"])

    def start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        address = f"spark://127.0.0.1:{port}"
        words = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        pid = self._run("master.Master", words, "master.log", "I have been elected leader")
        self._keep({"master": address, "pids": {"master": pid}})
        for number in range(WORKERS):
            self.start_worker(number)

    def start_worker(self, number: int) -> None:
        words = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", str(self.cores)]
        words += ["--memory", "3g"]
        words += ["--work-dir", str(self.folder / f"worker-{number}"), self.master]
        log = f"worker-{number}.log"
        pid = self._run("worker.Worker", words, log, "Successfully registered with master")
        state = self.state
        self._keep({**state, "pids": {**state["pids"], f"worker-{number}": pid}})

    def busiest(self) -> int:
        """The worker that runs most processes: Spark may have given all executors to one."""
        return max(range(WORKERS), key=lambda number: len(descendants(self.state["pids"][f"worker-{number}"])))

    def kill_worker(self, number: int) -> int:
        """Kill a worker with all it runs, as a power failure would; how many processes that were."""
        top = self.state["pids"][f"worker-{number}"]
        family = [top, *descendants(top)]
        for pid in family:
            _end(pid, signal.SIGKILL)
        return len(family)

    def stop(self) -> None:
        for pid in self.state["pids"].values():
            for one in (pid, *descendants(pid)):
                _end(one, signal.SIGKILL)

    def _keep(self, state: dict[str, Any]) -> None:
        (self.folder / "state.json").write_text(json.dumps(state))

    def _run(self, what: str, words: list[str], log: str, ready: str) -> int:
        import pyspark

        home = Path(pyspark.__file__).parent
        path = self.folder / log
        path.unlink(missing_ok=True)
        program = str(home / "bin" / "spark-class")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        # Not subprocess: who stops it may be another process than who started it.
        pid = os.posix_spawn(
            program, [program, f"org.apache.spark.deploy.{what}", *words],
            environment() | {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}, setsid=True,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(path), flags, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not path.exists() or ready not in path.read_text(errors="replace"):
            ended = os.waitpid(pid, os.WNOHANG)[0]
            assert not ended, path.read_text(errors="replace")
            assert time.monotonic() < end, path.read_text(errors="replace")
            time.sleep(0.1)
        return pid


def environment() -> dict[str, str]:
    """What Spark's processes need to know: the Python of the tests, this sordino, and nothing but loopback."""
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": f"{SOURCE}:{Path(__file__).parent}",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
        "OMP_NUM_THREADS": "1",
    }


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and theirs."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
    return [each for child in map(int, found) for each in (child, *descendants(child))]


def _end(pid: int, how: signal.Signals) -> None:
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        return


@contextmanager
def running_cluster(shared: Path, cores: int = 2) -> Iterator[Cluster]:
    """The cluster of this test run, whose processes all know the folder `shared`; workers have so many cores each."""
    folder = shared / "spark"
    folder.mkdir(exist_ok=True)
    users = folder / "users"
    cluster = Cluster(folder, cores)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        count = int(users.read_text()) if users.exists() else 0
        if count == 0:
            cluster.start()
        users.write_text(str(count + 1))
        fcntl.flock(lock, fcntl.LOCK_UN)
        try:
            yield cluster
        finally:
            fcntl.flock(lock, fcntl.LOCK_EX)
            count = int(users.read_text()) - 1
            users.write_text(str(count))
            if count == 0:
                cluster.stop()


def new_session(
    master: str, folder: Path, cores: int = 2, *, memory: str = "640m", more: Mapping[str, str] | None = None
) -> Any:
    """A session with executors of one core; without pages, and with few tasks."""
    os.environ |= {k: v for k, v in environment().items() if k.startswith(("PYSPARK", "SPARK_LOCAL"))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(master).appName("sordino tests")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "3",
            "spark.default.parallelism": "2",
            "spark.executor.memory": memory,
            "spark.executor.cores": "1",
            "spark.cores.max": str(cores),
            "spark.log.level": "ERROR",
            "spark.shuffle.io.retryWait": "200ms",  # who was killed does not come back
            "spark.shuffle.io.maxRetries": "1",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            **(more or {}),
        }.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()
