"""A function of more than 80 lines says in its docstring why it is long; a kernel takes no more than 12 arguments."""

from __future__ import annotations

import ast
from pathlib import Path

import sordino

ROOT = Path(sordino.__file__).parent
ROOMS = tuple(path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__")
LINES, ARGUMENTS = 80, 12


def test_long_functions_have_a_reason() -> None:
    long = []
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                lines = node.end_lineno - node.body[0].lineno + 1  # options of a command are no lines of it
                if lines > LINES and "Long: " not in (ast.get_docstring(node) or ""):
                    long.append(f"{path.relative_to(ROOT)}: {node.name} has {lines} lines")
    assert long == []


def test_kernels_take_few_arguments() -> None:
    """More become named tuples: positions of so many are mistaken for one another."""
    many, seen = [], 0
    for path in ROOT.glob("*/kernels/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and {ast.unparse(d) for d in node.decorator_list} & {
                "kernel",
                "inner",
            }:
                seen += 1
                if len(node.args.args) > ARGUMENTS:
                    many.append(f"{path.relative_to(ROOT)}: {node.name} takes {len(node.args.args)}")
    assert seen > 100
    assert many == []
