"""`sordino warm`: compile everything now, so that no later run has to wait for it."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from sordino.cli.asked import Shown
from sordino.cli.options import Json
from sordino.cli.streams import check_targets
from sordino.warming.tasks import FIRST, TASKS, run

__all__ = ["warm"]


def warm(
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Processes; one per core unless stated.", show_default=False)
    ] = None,
    json_: Json = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Compile all kernels and keep them: once per machine or image, so that first runs are as quick as later ones."""
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from sordino.cli.progress import Bar
    from sordino.engine.kernels.cache import cache_folder
    from sordino.engine.local import thread_count

    shown = Shown(json_, quiet)
    check_targets({"--json": shown.file}, [])
    started = time.monotonic()
    with Bar(wanted=not quiet) as bar, ProcessPoolExecutor(thread_count(jobs), mp_context=get_context("spawn")) as pool:
        done = 0
        bar("compiling", 0, len(TASKS))
        for names in (FIRST, tuple(name for name in TASKS if name not in FIRST)):
            for task in as_completed([pool.submit(run, name) for name in names]):
                task.result()
                done += 1
                bar("compiling", done, len(TASKS))
    seconds = time.monotonic() - started
    plain = {"cache": str(cache_folder()), "tasks": len(TASKS), "seconds": round(seconds, 3)}
    shown.tell(plain, f"Compiled in {seconds:.0f} s, and kept in {cache_folder()}.\n")
