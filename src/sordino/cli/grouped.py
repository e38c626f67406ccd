"""The list of commands, by what one wants to do."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["GROUPS", "GroupedCommands"]

GROUPS = (
    ("Publish safely", ("inspect", "init", "audit", "protect", "verify", "sign")),
    ("Choose and report", ("compare", "measure", "report", "rules", "hierarchy")),
    ("Try and research", ("demo", "sample", "experiment", "datasets")),
    ("This machine", ("warm",)),
)


class GroupedCommands(TyperGroup):
    """Help that lists commands under titles; one that no title names stands under the last one."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        there = {name: command for name, command in self.commands.items() if not command.hidden}
        named = {name for _, names in GROUPS for name in names}
        width = formatter.width - 6 - max(map(len, there), default=0)
        for title, names in GROUPS:
            shown = [name for name in names if name in there]
            if title == GROUPS[-1][0]:
                shown += [name for name in there if name not in named]
            if shown:
                with formatter.section(title):
                    formatter.write_dl([(name, there[name].get_short_help_str(width)) for name in shown])
        del ctx
