"""A function of more than 80 lines says in its docstring why it is long."""

from __future__ import annotations

import ast
from pathlib import Path

import sordino

ROOT = Path(sordino.__file__).parent
ROOMS = tuple(path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__")
LINES = 80


def test_long_functions_have_a_reason() -> None:
    long = []
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                lines = node.end_lineno - node.body[0].lineno + 1  # options of a command are no lines of it
                if lines > LINES and "Long: " not in (ast.get_docstring(node) or ""):
                    long.append(f"{path.relative_to(ROOT)}: {node.name} has {lines} lines")
    assert long == []
