"""The command line: one file a command, and what is heavy is imported only by the command that needs it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from sordino import __version__
from sordino.cli import (
    audit,
    compare,
    datasets,
    demo,
    experiment,
    hierarchy,
    init,
    inspect,
    measure,
    protect,
    report,
    rules,
    sample,
    schema,
    sign,
    studio,
    verify,
    warm,
)
from sordino.cli.failures import tell_failure
from sordino.cli.grouped import GroupedCommands
from sordino.cli.interrupts import ENDED_BY, attend
from sordino.cli.once import StatedOnce
from sordino.cli.progress import close_bars
from sordino.cli.streams import close_quietly, prepare

__all__ = ["app", "main"]

INTERRUPTED, INTERRUPTED_WORD = ENDED_BY[signal.SIGINT]

app = typer.Typer(
    help="Publish data about people, and prove that what must stay quiet cannot be inferred from it.",
    epilog="Exit codes: 0 the policy holds, or done; 1 the policy does not hold; 2 bad input or usage; 3 not "
    "(fully) checked. To see what sordino does: sordino demo",
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add(name: str, command: Callable[..., None], short_help: str) -> None:
    app.command(name, cls=StatedOnce, short_help=short_help)(command)


_add("inspect", inspect.inspect, "How would this file be read, and why?")
_add("init", init.init, "Write a policy.toml for this file, by asking or by options.")
_add("audit", audit.audit, "What can be inferred from this file, about whom?")
_add("protect", protect.protect, "Make a version of this file that is safe to publish.")
_add("verify", verify.verify, "Check a release, or the proof that a file is safe.")
_add("sign", sign.sign, "Sign a release, so that others know whose it is.")
_add("rules", rules.rules, "Which rules do these data teach to whoever knows them?")
app.command("mine", cls=StatedOnce, hidden=True)(rules.mine)
_add("measure", measure.measure, "What did it cost? Compare a file before and after.")
_add("compare", compare.compare, "Which method and threshold? Run several and rank them.")
_add("studio", studio.studio, "See, try and publish on a page in your browser.")
_add("report", report.report, "Write an audit as a page to read, print and keep.")
app.add_typer(experiment.app, name="experiment", short_help="Run the tables and figures of the papers.")
app.add_typer(datasets.app, name="datasets", short_help="List or fetch the public data sets of the papers.")
app.add_typer(hierarchy.app, name="hierarchy", short_help="Build or show a hierarchy of items.")
_add("sample", sample.sample, "List or copy the bundled sample files.")
_add("schema", schema.schema, "The JSON schema of policy.toml, for editors.")
_add("warm", warm.warm, "Compile everything now, once per machine or image.")
_add("demo", demo.demo, "See what sordino does, on a sample.")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sordino {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    del version


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nothing but the code leaves here, whatever happens inside."""
    prepare()
    outcome = attend(lambda: _command(arguments), program=arguments is None)
    ended_by = ENDED_BY[signal.Signals(outcome.signals[0])] if outcome.signals else None
    if ended_by is not None and (outcome.result is None or outcome.result == INTERRUPTED):
        # Ctrl-C while a library is being loaded can come out as some other error of that library.
        code, said = ended_by
    elif outcome.error is None:
        code, said = outcome.result or 0, INTERRUPTED_WORD if outcome.result == INTERRUPTED else ""
    elif isinstance(outcome.error, KeyboardInterrupt):
        code, said = INTERRUPTED, INTERRUPTED_WORD
    elif isinstance(outcome.error, Exception):
        code, said = tell_failure(outcome.error), ""
    else:
        raise outcome.error
    if outcome.left:  # it may hold the streams, and wait for whoever reads them
        close_bars()
        os.write(2, f"{said}\n".encode())
        return code
    if said:
        print(said, file=sys.stderr)
    close_quietly()
    return code


def _command(arguments: Sequence[str] | None) -> int:
    try:
        app(args=None if arguments is None else list(arguments), prog_name="sordino")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 2
    return 0
