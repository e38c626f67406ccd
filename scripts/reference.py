"""Writes the pages of the reference from the code: `python scripts/reference.py` (part of `make docs`).

reference/cli.md from the commands themselves, reference/policy.md from the keys that the reader of policies knows,
reference/methods.md from the registry and the methods' own docstrings, reference/python.md from the docstrings of the
public names; and a manual page, out/sordino.1, from the commands.
"""

from __future__ import annotations

import ast
import enum
import importlib
import importlib.util
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main

import sordino
from sordino.cli import app
from sordino.kinds import KINDS
from sordino.protect.registry import METHODS

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Made by scripts/reference.py; do not edit. -->\n\n"


def cli_page() -> str:
    """Every command with its arguments and options."""
    lines = [
        "# Command line\n",
        "Exit codes everywhere: 0 the policy holds, or done; 1 the policy does not hold; 2 bad input or usage; 3 not "
        "(fully) checked.\n",
    ]
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        if command.hidden:  # an old name of another one
            continue
        if hasattr(command, "commands"):
            lines += [f"## sordino {name}\n", f"{command.help}\n"]
            for inner, leaf in command.commands.items():
                lines += _command(f"sordino {name} {inner}", leaf, "###")
        else:
            lines += _command(f"sordino {name}", command, "##")
    return NOTE + "\n".join(lines)


def _command(path: str, command: Any, level: str) -> Iterator[str]:
    arguments = " ".join(_name(p) for p in command.params if p.param_type_name == "argument")
    yield f"{level} {path}\n"
    yield f"```\n{path} {arguments} [OPTIONS]\n```\n".replace("  ", " ")
    yield f"{inspect.cleandoc(command.help or '')}\n"
    shown = [p for p in command.params if p.name != "help" and not getattr(p, "hidden", False)]
    if shown:
        yield "| | meaning | default |\n| --- | --- | --- |"
        for parameter in shown:
            default = _default(parameter)
            help_ = " ".join((getattr(parameter, "help", "") or "").split()).replace("|", "\\|")
            yield f"| `{_name(parameter)}` | {help_} | {default} |"
        yield ""


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    value = "" if parameter.is_flag else f" {parameter.metavar or ''}".rstrip()
    return f"{', '.join(parameter.opts)}{value}"


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if parameter.default in (None, False) or callable(parameter.default):
        return ""
    return f"`{parameter.default}`"


def methods_page() -> str:
    """Every method with its options, and what its own file says about it."""
    lines = ["# Methods and their options\n", "What to choose when, and from which paper: [Methods](../methods.md).\n"]
    for method in METHODS.values():
        lines += [f"## {method.name}\n", f"{method.summary}.\n".replace("..", ".")]
        if method.options:
            lines += ["| option | meaning |", "| --- | --- |"]
            lines += [f"| `{name}` | {what} |" for name, what in method.options.items()]
            lines.append("")
        spec = importlib.util.find_spec(method.module)
        assert spec is not None
        assert spec.origin is not None
        said = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
        lines.append(f"{said}\n")
    return NOTE + "\n".join(lines)


def policy_page() -> str:
    """policy.toml of every kind: what its reader says of it, and every key that it knows."""
    lines = [
        "# policy.toml\n",
        'What must hold, as a file for version control. Numbers may be exact texts: "0.3", "1/3", "30%". Files that a '
        "policy names lie beside it. Unknown keys, unknown names and impossible thresholds are all reported at once.\n",
    ]
    for kind, record in KINDS.items():
        reader = importlib.import_module(record.load_policy().file)
        title, _, text = (inspect.getdoc(reader) or "").partition("\n")
        lines += [f'## kind = "{kind}"\n', f"{title}\n"]
        toml, rest = _split_toml(text)
        lines += [f"```toml\n{toml}\n```\n"] if toml else []
        lines += [f"{rest}\n"] if rest else []
        lines += ["| where | keys |", "| --- | --- |"]
        lines += [f"| {where} | {', '.join(f'`{key}`' for key in keys)} |" for where, keys in _keys(reader)]
        lines.append("")
    return NOTE + "\n".join(lines)


def _split_toml(text: str) -> tuple[str, str]:
    """The example in a docstring, and the prose after it."""
    lines = textwrap.dedent(text).strip("\n").split("\n")
    prose = next((k for k, line in enumerate(lines) if re.match(r"\s*[A-Z]\w* [^=]", line)), len(lines))
    return textwrap.dedent("\n".join(lines[:prose])).strip(), "\n".join(lines[prose:]).strip()


def _keys(reader: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every list of keys that a reader checks against, with the section it is for."""
    for name, value in vars(reader).items():
        if name.strip("_").endswith("KEYS"):
            if isinstance(value, Mapping):
                yield from ((f"`[{section}]`" if section else "top", keys) for section, keys in value.items())
            else:
                section = name.strip("_").removesuffix("KEYS").strip("_").lower()
                yield (f"`[{section}]`" if section else "top"), value


def pages() -> dict[str, str]:
    """Every page: its name -> its text."""
    found = {"cli.md": cli_page(), "policy.md": policy_page(), "methods.md": methods_page()}
    return {**found, "python.md": python_page()}


def python_page() -> str:
    """Every public name with its signature and docstring; of classes, what they have besides."""
    lines = [
        "# Python\n",
        "What `import sordino` offers. Everything else may change in any version. `print(result)` shows the page that "
        "the command line shows; `result.to_dict()` is plain data; the logger `sordino` tells at level INFO what is "
        "done, without anything from the data.\n",
    ]
    names = sordino.__all__
    functions = [name for name in names if inspect.isfunction(getattr(sordino, name))]
    for name in functions:
        function = inspect.unwrap(getattr(sordino, name))
        call = f"```python\n{_signature(name, function)}\n```\n"
        lines += [f"## sordino.{name}\n", call, f"{inspect.getdoc(function)}\n"]
    for name in (name for name in names if name not in functions):
        lines += _class(name, getattr(sordino, name))
    return NOTE + "\n".join(lines)


def _signature(name: str, function: Any) -> str:
    parts, bare = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not bare:
            parts.append("*")
            bare = True
        mark = {parameter.VAR_KEYWORD: "**", parameter.VAR_POSITIONAL: "*"}.get(parameter.kind, "")
        bare |= parameter.kind is parameter.VAR_POSITIONAL
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parts.append(f"{mark}{parameter.name}{default if len(default) < 40 else '=...'}")
    return "\n    ".join(textwrap.wrap(f"{name}({', '.join(parts)})", 100))


def _class(name: str, cls: Any) -> Iterator[str]:
    yield f"## sordino.{name}\n"
    if not issubclass(cls, BaseException) and not issubclass(cls, enum.Enum):
        yield f"```python\n{_signature(name, cls)}\n```\n"
    yield f"{inspect.getdoc(cls) or ''}\n"
    if issubclass(cls, BaseException):
        return
    members = {key: value for base in reversed(cls.__mro__) for key, value in vars(base).items()}
    for key, member in sorted(members.items()):
        held = getattr(member, "func", None) or getattr(member, "fget", None) or getattr(member, "__func__", member)
        if key.startswith("_") or not inspect.isfunction(held) or not held.__module__.startswith("sordino"):
            continue
        call = f"{key}" if held is not member and not isinstance(member, classmethod) else _signature(key, held)
        first = (inspect.getdoc(held) or "").split("\n\n")[0].replace("\n", " ")
        yield f"- `{' '.join(call.split())}`{': ' + first if first else ''}"
    yield ""


def manual_page() -> str:
    """man sordino: the commands with their options, in roff."""
    root: Any = typer.main.get_command(app)
    lines = [f'.TH SORDINO 1 "" "sordino {sordino.__version__}"', ".SH NAME", f"sordino \\- {_roff(root.help)}"]
    lines += [".SH SYNOPSIS", ".B sordino", "COMMAND [OPTIONS] ...", ".SH COMMANDS"]
    for name, command in root.commands.items():
        if command.hidden:
            continue
        inner = getattr(command, "commands", None)
        leaves = {name: command} if inner is None else {f"{name} {key}": leaf for key, leaf in inner.items()}
        for path, leaf in leaves.items():
            arguments = " ".join(_name(p) for p in leaf.params if p.param_type_name == "argument")
            lines += [f".SS sordino {path} {_roff(arguments)}".rstrip(), _roff(inspect.cleandoc(leaf.help or ""))]
            for parameter in leaf.params:
                if parameter.param_type_name == "option" and parameter.name != "help":
                    lines += [".TP", f".B {_roff(_name(parameter))}", _roff(getattr(parameter, "help", "") or "")]
    lines += [".SH EXIT STATUS", _roff(root.epilog or "")]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """Text in which nothing is a command of roff."""
    flat = text.replace("\\", "\\e").replace("-", "\\-")
    lines = (line for line in flat.splitlines() if line.strip())
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def main() -> None:
    folder = DOCS / "reference"
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name}: {len(text.splitlines())} lines")
    manual = DOCS.parent / "out" / "sordino.1"
    manual.parent.mkdir(exist_ok=True)
    manual.write_text(manual_page(), encoding="utf-8")
    print(f"out/{manual.name}")


if __name__ == "__main__":
    main()
