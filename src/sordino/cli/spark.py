"""`--engine spark`: audit and protect where the records are in a cluster, and verify what was made there."""

from __future__ import annotations

import contextlib
import re
import shlex
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from sordino.cli.asked import Asked, Shown
from sordino.cli.options import policy_of
from sordino.cli.page import Points, clean
from sordino.cli.ways import POLICY, take, way
from sordino.errors import InputError, did_you_mean

__all__ = ["ENGINES", "audit_on_spark", "is_made_there", "is_spark", "protect_on_spark", "verify_from_spark"]

ENGINES = ("local", "spark")
COMMON = (*POLICY, "record", "item", "json_", "quiet", "allow_missing", "engine", "master")
ABOUT = "records in a cluster (--engine spark)"
OPTIONS = ("mode", "groups", "only_sensitive")


def is_spark(engine: str | None) -> bool:
    """Whether the cluster is asked for; an InputError if there is no such engine."""
    if engine is not None and engine not in ENGINES:
        raise InputError(
            f"there is no engine '{engine}'.{did_you_mean(engine, ENGINES)}", hint=f"Possible: {', '.join(ENGINES)}."
        )
    return engine == "spark"


def audit_on_spark(context: typer.Context, asked: Asked, shown: Shown, master: str | None, top: int) -> None:
    """`sordino audit --engine spark`: DATA is a Parquet folder, by its address, or a table that the session knows."""
    take(context, way(ABOUT, *COMMON, "top"))
    required = _required(asked)
    with asked.located(), _session(master) as session:
        import sordino.spark

        frame, columns = _frame(session, asked, required)
        result = sordino.spark.audit(frame, required, **columns, top=top, missing=asked.missing)
        shown.write(result)
    from sordino.cli.told import audit_page

    shown.show(result, lambda: audit_page(result, asked.data, asked.again(top, None), required))
    raise typer.Exit(result.answer.exit_code)


def protect_on_spark(
    context: typer.Context,
    asked: Asked,
    shown: Shown,
    master: str | None,
    out: Path,
    options: dict[str, Any],
    **chosen: Any,
) -> None:
    """`sordino protect --engine spark`: the same DATA; DIR is a folder that the cluster can write to."""
    required = _required(asked)
    records = required.kind == "inference"
    take(
        context, way(ABOUT, *COMMON, "out", "seed", "method", "option", *(("parts",) if records else ("then_maximal",)))
    )
    unknown = [name for name in options if name not in (*OPTIONS, "parts")] if records else []
    if unknown:
        raise InputError(
            f"'{unknown[0]}' is no option here.{did_you_mean(unknown[0], OPTIONS)}",
            hint=f"Possible: {', '.join(OPTIONS)}.",
        )
    given = {name: value for name, value in {**options, **chosen}.items() if value is not None}
    target = _address(out)
    with asked.located(), _session(master) as session:
        import sordino.spark
        from sordino.engine.spark.place import Place

        Place(target, session).check_free()
        frame, columns = _frame(session, asked, required)
        release = sordino.spark.protect(frame, required, **columns, missing=asked.missing, **given)
        release.write(target)
        shown.write(release)
    shown.show(release, lambda: [_told(release, target)])


def _told(release: Any, target: str) -> Points:
    local = "://" not in target or target.startswith("file:")
    check = shlex.join(["sordino", "verify", target])
    there = f'in Python, with a session: sordino.spark.verify("{clean(target)}", session=spark)'
    return Points(
        (
            release.summary(),
            f"What may leave the house is in {clean(target)}/publish; {clean(target)}/keep must stay.",
            f"Check it: {check if local else there}",
        )
    )


def is_made_there(folder: str) -> bool:
    """Whether a release in a folder of this machine was made in a cluster."""
    for place in (Path(folder) / "publish", Path(folder)):
        with contextlib.suppress(OSError, UnicodeDecodeError), open(place / "manifest.json", encoding="utf-8") as file:
            return '"format": "sordino-spark' in file.read(200)
    return False


def verify_from_spark(context: typer.Context, asked: Asked, shown: Shown) -> Any:
    """`sordino verify` of such a release, on this machine; its verdict."""
    take(context, way("releases of a cluster", *POLICY, "json_"))
    import sordino.spark

    verdict = sordino.spark.verify(asked.data, asked.required())
    shown.write(verdict)
    return verdict


def _required(asked: Asked) -> Any:
    if asked.policy is None and asked.sensitive is None:
        raise InputError("there is no policy", hint="Give --policy FILE, or --sensitive NAMES and --rho NUMBER.")
    return policy_of(asked.policy, asked.sensitive, asked.rho, asked.knowledge, asked.adaptive)


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    """A session on this cluster, or on the one that the environment names; what Spark warns of is not ours to say."""
    from sordino.engine.spark.session import open_session

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session, ours = open_session(master)
        try:
            yield session
        finally:
            if ours:
                session.stop()


def _frame(session: Any, asked: Asked, required: Any) -> tuple[Any, dict[str, Any]]:
    """The DataFrame that DATA names, and which of its columns are what."""
    from sordino.engine.spark.session import open_frame

    if required.kind != "inference" and asked.item is not None:
        raise InputError("--item is for records of items, and the policy is about a table", hint="Leave it out.")
    frame = open_frame(session, asked.data)
    columns: dict[str, Any] = {"items": asked.item} if asked.item is not None else {}
    return frame, columns if asked.record is None else {**columns, "record": asked.record}


def _address(out: Path) -> str:
    """DIR as it was written: an address has two slashes, of which a path keeps one."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+):/(?!/)", r"\1://", str(out))
