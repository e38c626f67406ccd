"""`--engine spark`: audit and protect where the records are in a cluster."""

from __future__ import annotations

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

__all__ = ["ENGINES", "audit_on_spark", "is_spark", "protect_on_spark"]

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

        frame, columns = _frame(session, asked)
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
    take(context, way(ABOUT, *COMMON, "out", "seed", "method", "parts", "option"))
    unknown = [name for name in options if name not in (*OPTIONS, "parts")]
    if unknown:
        raise InputError(
            f"'{unknown[0]}' is no option here.{did_you_mean(unknown[0], OPTIONS)}",
            hint=f"Possible: {', '.join(OPTIONS)}.",
        )
    given = {name: value for name, value in {**options, **chosen}.items() if value is not None}
    required = _required(asked)
    target = _address(out)
    with asked.located(), _session(master) as session:
        import sordino.spark
        from sordino.engine.spark.place import Place

        Place(target, session).check_free()
        frame, columns = _frame(session, asked)
        release = sordino.spark.protect(frame, required, **columns, missing=asked.missing, **given)
        release.write(target)
        shown.write(release)
    shown.show(release, lambda: [_told(release, target)])


def _told(release: Any, target: str) -> Points:
    check = shlex.quote(target)
    return Points(
        (
            f"{release.records:,} records are safe to publish: {release.deletions:,} of {release.occurrences_before:,} "
            f"occurrences were deleted ({release.loss:.1%}).",
            f"What may leave the house is in {clean(target)}/publish; {clean(target)}/keep must stay.",
            f"Check it: python -c 'import sordino.spark; print(sordino.spark.verify({check!r}))'",
        )
    )


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


def _frame(session: Any, asked: Asked) -> tuple[Any, dict[str, Any]]:
    """The DataFrame that DATA names, and which of its columns are what."""
    from sordino.engine.spark.session import open_frame

    frame = open_frame(session, asked.data)
    columns: dict[str, Any] = {"items": asked.item or "items"}
    return frame, columns if asked.record is None else {**columns, "record": asked.record}


def _address(out: Path) -> str:
    """DIR as it was written: an address has two slashes, of which a path keeps one."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+):/(?!/)", r"\1://", str(out))
