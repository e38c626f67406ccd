"""Compiling is most of what a first run waits for: no kernel is compiled twice, and each has a test."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sordino

ROOT = Path(sordino.__file__).parent
TESTS = Path(__file__).parents[1]

RUN = """
import collections, json
from pathlib import Path
from numba.core import event
seen = collections.defaultdict(set)
class Compiled(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        seen[function.__module__ + "." + function.__name__].add(str(event.data["args"]))
    def on_end(self, event):
        pass
event.register("numba:compile", Compiled())
import pytest

import sordino
files = Path(sordino.__file__).parent / "sample" / "files"
data = sordino.read_baskets(files / "pharmacy.csv", layout="baskets")
policy = sordino.read_policy(files / "pharmacy_policy.toml")
sordino.protect(data, policy, seed=1, jobs=2)
print(json.dumps({name: sorted(found) for name, found in seen.items()}))
"""
# for arrays of two types, each of which some kernel needs; and the search with or without words
SEVERAL = {
    "sordino.audit.kernels.growth.grown",
    "sordino.audit.kernels.search.search",
    "sordino.engine.kernels.sorting.sort_part",
}


@pytest.mark.slow
def test_a_first_protection_compiles_no_kernel_twice(tmp_path: Path) -> None:
    """A second signature is a number that is not known to be an int64, or an array of another layout."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_OPT": "0", "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    compiled = {name: found for name, found in json.loads(run.stdout).items() if ".kernels." in name}
    own = {name: found for name, found in compiled.items() if name.startswith("sordino.") and "<lambda>" not in name}
    assert len(own) > 40
    assert {name: found for name, found in own.items() if len(found) > 1 and name not in SEVERAL} == {}


NO_PRODUCTS = """
import sys, sordino
from sordino.audit.kernels.classes import group_equal
import numpy as np, numba
sordino.audit([{"a", "b"}, {"a"}], sordino.InferencePolicy(["b"], "0.9"))
assert "scipy.linalg" not in sys.modules, "an audit waits for what it does not need"
@numba.njit
def product(a):
    return a @ a
assert product(np.ones((2, 2))).tolist() == [[2.0, 2.0], [2.0, 2.0]]
assert "scipy.linalg" in sys.modules
"""


def test_products_of_matrices_are_imported_by_who_asks_for_them() -> None:
    pytest.importorskip("scipy")
    jit = {"NUMBA_DISABLE_JIT": "0"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", NO_PRODUCTS], env=os.environ | jit, timeout=300, check=True)


def test_every_kernel_file_has_a_test_that_names_it() -> None:
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py") if path != Path(__file__)]
    for path in sorted(ROOT.glob("*/kernels/**/*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        room, name = module.rsplit(".", 1)
        if name == "__init__":
            continue
        ways = (f"sordino.{module} import", f"sordino.{room} import {name}")
        assert any(way in text for text in texts for way in ways), module


def test_no_kernel_copies_into_a_slice() -> None:
    """For `a[:n] = b[:n]` Numba compiles what makes the text of an error, for a second or more; a loop does it, too."""
    found = []
    for path in sorted(ROOT.glob("*/kernels/**/*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or not {"inner", "kernel"} & {
                each.id for each in function.decorator_list if isinstance(each, ast.Name)
            }:
                continue
            for step in ast.walk(function):
                if not isinstance(step, ast.Assign) or isinstance(step.value, ast.Constant):
                    continue
                sliced = [t for t in step.targets if isinstance(t, ast.Subscript) and isinstance(t.slice, ast.Slice)]
                found += [f"{path.name}:{target.lineno}" for target in sliced]
    assert found == []
