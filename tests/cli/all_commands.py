"""Every command that there is, by its words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

import sordino.cli


def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, by its words."""
    for name, command in group.commands.items():
        words = f"{path} {name}".strip()
        if hasattr(command, "commands"):
            yield from commands(command, words)
        elif not command.hidden:  # an old name of another one
            yield words, command


COMMANDS = dict(commands(typer.main.get_command(sordino.cli.app)))
