"""The command line: one file a command, and what is heavy is imported only by the command that needs it.

Of the commands only the one that is asked for is loaded; all of them for help, or if the name is not known.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from sordino import __version__
from sordino.cli.failures import tell_failure
from sordino.cli.grouped import GroupedCommands
from sordino.cli.interrupts import ENDED_BY, attend
from sordino.cli.once import StatedOnce
from sordino.cli.progress import close_bars
from sordino.cli.streams import close_quietly, prepare

__all__ = ["COMMANDS", "app_of", "main"]

INTERRUPTED, INTERRUPTED_WORD = ENDED_BY[signal.SIGINT]

# name -> what it is for, in a line; the command is the function of that name in the file of that name
COMMANDS: Mapping[str, str] = {
    "inspect": "How would this file be read, and why?",
    "init": "Write a policy.toml for this file, by asking or by options.",
    "audit": "What can be inferred from this file, about whom?",
    "protect": "Make a version of this file that is safe to publish.",
    "verify": "Check a release, or the proof that a file is safe.",
    "sign": "Sign a release, so that others know whose it is.",
    "rules": "Which rules do these data teach to whoever knows them?",
    "mine": "",
    "measure": "What did it cost? Compare a file before and after.",
    "compare": "Which method and threshold? Run several and rank them.",
    "studio": "See, try and publish on a page in your browser.",
    "report": "Write an audit as a page to read, print and keep.",
    "experiment": "Run the tables and figures of the papers.",
    "datasets": "List or fetch the public data sets of the papers.",
    "hierarchy": "Build or show a hierarchy of items.",
    "sample": "List or copy the bundled sample files.",
    "schema": "The JSON schema of policy.toml, for editors.",
    "warm": "Compile everything now, once per machine or image.",
    "demo": "See what sordino does, on a sample.",
}
OLD = {"mine": "rules"}  # names that still work, and the file that has the command
GROUPED = ("experiment", "datasets", "hierarchy")  # commands with commands of their own: `app` in the file


def app_of(names: Iterable[str]) -> typer.Typer:
    """The program with these commands; loading a command, and all that it can be told, takes a moment."""
    made = typer.Typer(
        help="Publish data about people, and prove that what must stay quiet cannot be inferred from it.",
        epilog="Exit codes: 0 the policy holds, or done; 1 the policy does not hold; 2 bad input or usage; 3 not "
        "(fully) checked. To see what sordino does: sordino demo",
        cls=GroupedCommands,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_common)
    for name in names:
        module: Any = importlib.import_module(f"sordino.cli.{OLD.get(name, name)}")
        if name in GROUPED:
            made.add_typer(module.app, name=name, short_help=COMMANDS[name])
        elif name in OLD:
            made.command(name, cls=StatedOnce, hidden=True)(getattr(module, name))
        else:
            made.command(name, cls=StatedOnce, short_help=COMMANDS[name])(getattr(module, name))
    return made


def __getattr__(name: str) -> Any:
    """`app`: the whole program, for help, completion and whoever looks at its commands."""
    if name != "app":
        raise AttributeError(f"module 'sordino.cli' has no attribute '{name}'")
    whole = globals()["app"] = app_of(COMMANDS)
    return whole


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sordino {__version__}")
        raise typer.Exit


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
    words = sys.argv[1:] if arguments is None else list(arguments)
    asked = words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS
    try:
        app_of(asked)(args=words, prog_name="sordino")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 2
    return 0
