"""`sordino warm`: compile everything now, so that no later run has to wait for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from sordino.cli.asked import Shown
from sordino.cli.options import Json
from sordino.cli.streams import check_targets

__all__ = ["TASKS", "warm"]

SECRET = "x"  # the sensitive item of the made-up records
FIRST = ("audit", "templates", "diversity")  # what the others need as well, so that nothing is compiled twice


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


def run(name: str) -> None:
    """Do one of the tasks, in a process of its own."""
    TASKS[name]()


def records() -> list[set[str]]:
    """Short and long records: what is quick for the one is not for the other, so there are kernels for both."""
    lengths = [1, 2, 3, 4, 5, 6, 8, 12, 18, 30] * 6
    found = [{f"i{(u * 7 + k * k) % 40}" for k in range(length)} for u, length in enumerate(lengths)]
    return [record | {SECRET} if u % 3 == 0 else record for u, record in enumerate(found)]


def rows() -> list[dict[str, str]]:
    return [
        {"age": str(20 + u % 7), "job": "abcd"[u % 4], "town": "xyz"[u * u % 3], "ill": "pqrstu"[u * 5 % 6]}
        for u in range(60)
    ]


def _policy(**more: Any) -> Any:
    from sordino import InferencePolicy

    return InferencePolicy([SECRET], "0.1", **more)


def _personal(**more: Any) -> Any:
    return _policy(per_record={u: [f"i{u}", f"i{u + 1}"] for u in range(20)}, **more)


def _sampled(**more: Any) -> Any:
    from sordino import Assurance

    return _policy(assurance=Assurance("0.2", "0.1", 3), **more)


def _audit() -> None:
    import sordino

    for knowledge in (None, 1, 2, 3, 8):
        sordino.audit(records(), _policy(knowledge=knowledge))
    sordino.audit(records(), _policy(absent="any"))


def _audit_personal() -> None:
    import sordino

    for knowledge in (None, 2):
        sordino.audit(records(), _personal(knowledge=knowledge))
    sordino.audit(records(), _sampled())


def _protect(method: str, policy: Callable[[], Any], **options: Any) -> Callable[[], None]:
    def task() -> None:
        import sordino

        sordino.protect(records(), policy(), method=method, seed=1, **options)

    return task


def _templates() -> None:
    import sordino
    from sordino import Template, TemplatePolicy

    policy = TemplatePolicy([Template(["age", "job", "town"], "ill", "p", "0.2")])
    for method in ("disclosure", "disclosure-local"):
        sordino.protect(rows(), policy, method=method, seed=1)


def _diversity() -> None:
    import sordino

    policy = sordino.DiversityPolicy("ill", ["age", "job", "town"], 2)
    for method in ("injector", "anatomy"):
        try:
            sordino.protect(rows(), policy, method=method, seed=1)
        except sordino.SordinoError:  # a method that cannot meet the policy has compiled what it needs all the same
            continue


def _absent() -> Any:
    return _policy(absent="any")


TASKS: Mapping[str, Callable[[], None]] = {
    "audit": _audit,
    "templates": _templates,
    "diversity": _diversity,
    "mine": _protect("mine", _policy),
    "mine, improved in parts": _protect("mine", _policy, improve=2, parts=2),
    "jia": _protect("jia", _policy),
    "audit, personal": _audit_personal,
    "mine, personal": _protect("mine", _personal, improve=2),
    "naka": _protect("naka", _personal),
    "twins": _protect("twins", _absent, improve=2),
    "dist": _protect("dist", _policy, improve=2),
    "naka-sampled": _protect("naka-sampled", _sampled),
    "cahd": _protect("cahd", _policy),
    "lgps": _protect("lgps", _policy),
    "tdcontrol": _protect("tdcontrol", _policy),
    "global": _protect("global", _policy),
}
