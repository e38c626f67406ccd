"""A session for the command line, and the DataFrame that a word names."""

from __future__ import annotations

import os
import re
from typing import Any

from sordino.errors import InputError, MissingExtra

__all__ = ["open_frame", "open_session"]


def open_session(master: str | None) -> tuple[Any, bool]:
    """The session that is there already, or a new one on this master; and whether it is new."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark", "working on a cluster") from None
    running = SparkSession.getActiveSession()
    if running is not None:
        return running, False
    builder = SparkSession.builder.appName("sordino")
    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    for name, value in quiet.items():
        builder = builder.config(name, value)
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    try:
        return builder.getOrCreate(), True
    except Exception as error:  # Spark has many ways to say no, and each has pages of Java behind it
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(
            f"no session with Spark could be opened ({said})",
            hint="Is the address of --master right, and is Java there? Try: pyspark --master URL",
        ) from None


def open_frame(session: Any, name: str) -> Any:
    """Parquet files by their folder or address, or a table that the session knows."""
    from pyspark.errors import PySparkException

    stored = re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name) is not None or os.path.exists(name)
    try:
        if stored:
            return session.read.parquet(os.path.abspath(name) if os.path.exists(name) else name)
        return session.table(name)
    except PySparkException:
        raise InputError(
            "there are no Parquet files there that Spark can read"
            if stored
            else "there is no such folder, and no table of this name that the session knows",
            where=name,
        ) from None
