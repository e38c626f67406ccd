"""The compiler of kernels leaves out what no kernel needs, and nothing else."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba.core.event import Event, Listener, install_listener
from numba.core.runtime import _nrt_python, rtsys

from sordino.engine.kernels.arrays import OURS
from sordino.engine.kernels.compiled import inner, kernel
from sordino.engine.kernels.counts import WithoutCounts, _needs_none
from sordino.engine.kernels.linked import LinkedLowering
from sordino.engine.kernels.pipeline import TRIED, InnerCompiler, KernelCompiler

off = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def test_this_numba_was_tried() -> None:
    """With another one kernels are compiled as Numba does, which takes longer: see whether pipeline.py still fits."""
    assert TRIED, numba.__version__


@inner
def _half(values):  # type: ignore[no-untyped-def]
    return values[: len(values) // 2]


@inner
def _twice(values):  # type: ignore[no-untyped-def]
    made = np.empty(2 * len(values), dtype=np.int64)
    for k in range(len(values)):
        made[2 * k] = made[2 * k + 1] = values[k]
    return made


@inner
def _sum(pair):  # type: ignore[no-untyped-def]
    whole = np.int64(0)
    for values in pair:
        part = values[1:]
        for k in range(len(part)):
            whole += part[k]
    return whole


@kernel
def sum_of_halves(values, rounds):  # type: ignore[no-untyped-def]
    """Makes an array in each round, and gives up the one before."""
    whole = np.int64(0)
    for _ in range(rounds):
        values = _half(_twice(_twice(values)))
        whole += _sum((values, values))
        values = _half(values)
    return whole


def expected(values: list[int], rounds: int) -> int:
    whole = 0
    for _ in range(rounds):
        values = [v for v in values for _ in range(4)]
        values = values[: len(values) // 2]
        whole += 2 * sum(values[1:])
        values = values[: len(values) // 2]
    return whole


def test_arrays_that_kernels_make_are_counted_and_freed() -> None:
    values = list(range(1000))
    found = sum_of_halves(np.array(values), 50)
    assert found == expected(values, 50)
    if not numba.config.DISABLE_JIT:
        _nrt_python.memsys_enable_stats()
        try:
            before = rtsys.get_allocation_stats()
            sum_of_halves(np.array(values), 50)
            after = rtsys.get_allocation_stats()
        finally:
            _nrt_python.memsys_disable_stats()
        assert after.alloc - before.alloc >= 100
        assert after.alloc - before.alloc == after.free - before.free


SORTS = {
    "a view of an argument": ("lambda a: a[1:][0]", True),
    "a number": ("lambda a: a[0] + len(a)", True),
    "a tuple of views": ("lambda a: (a[:2], a[2:])[1][0]", True),
    "an array is returned": ("lambda a: a", False),
    "a view is returned": ("lambda a: a[1:]", False),
    "an array is made": ("lambda a: np.zeros(3)[0]", False),
    "an operator makes one": ("lambda a: (a + a)[0]", False),
    "an index makes one": ("lambda a: a[a > 0][0]", False),
    "a copy": ("lambda a: a.copy()[0]", False),
}


@off
@pytest.mark.parametrize("which", SORTS)
def test_counts_are_left_out_only_where_nobody_makes_an_array(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, without = SORTS[which]
    seen = []

    def look(self: WithoutCounts, state: object) -> bool:
        del self
        seen.append(_needs_none(state))
        return False

    monkeypatch.setattr(WithoutCounts, "run_pass", look)
    function = eval(text, {"np": np})
    compiled = numba.njit(function, pipeline_class=KernelCompiler)
    assert np.array_equal(compiled(np.arange(1, 5)), function(np.arange(1, 5)))
    assert seen == [without]


def _new_arrays(n, like):  # type: ignore[no-untyped-def]
    plain = np.zeros(n, dtype=np.int64)
    table = np.empty((2, n), dtype=np.uint8)
    same = np.zeros(n, dtype=like.dtype)
    marks = np.zeros((n, n), dtype=np.bool_)
    for k in range(n):
        plain[k] += k
        table[0, k], table[1, k] = k, 2 * k
        same[k] += like[k]
        marks[k, n - 1 - k] = True
    return plain, table, same, marks


@off
def test_new_arrays_are_made_without_a_function_of_numba() -> None:
    names: list[str] = []

    class Compiled(Listener):
        def on_start(self, event: Event) -> None:
            names.append(event.data["dispatcher"].py_func.__qualname__)

        def on_end(self, event: Event) -> None:
            pass

    compiled = numba.njit(_new_arrays, pipeline_class=KernelCompiler)
    like = np.array([0.5, 1.5, -2.0], dtype=np.float32)
    with install_listener("numba:compile", Compiled()):  # type: ignore[no-untyped-call]
        made = compiled(3, like)
    for mine, theirs in zip(made, _new_arrays(3, like), strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.flags["C_CONTIGUOUS"]
        assert mine.tolist() == theirs.tolist()
    assert set(OURS) <= set(_new_arrays.__code__.co_names)
    assert "_new_arrays" in names
    assert not [name for name in names if name.startswith("ol_")]
    with pytest.raises(ValueError, match="negative dimensions"):
        compiled(-1, like)


@off
def test_what_only_kernels_call_has_no_machine_code_and_is_not_kept() -> None:
    assert InnerCompiler.lowering is LinkedLowering
    sum_of_halves(np.arange(4), 1)
    if _sum.signatures:  # else the kernel was kept from a run before
        [compiled] = _sum.overloads.values()
        assert compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0
    assert type(_sum._cache).__name__ == "NullCache"


@off
def test_the_collector_is_as_it_was() -> None:
    seen = []

    @numba.njit(pipeline_class=KernelCompiler)
    def wrong(a):  # type: ignore[no-untyped-def]
        return a.nothing_of_this_name

    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            with pytest.raises(numba.TypingError):
                wrong(np.arange(3))
            seen.append(gc.isenabled())
        finally:
            gc.enable()
    assert seen == [True, False]


OTHER = """
import numba, json
numba.version_info = numba.version_info._replace(short=(9, 9))
from sordino.engine.kernels import pipeline
assert not pipeline.TRIED
import sordino
audit = sordino.audit([{"a", "b"}, {"a"}, {"b", "c"}], sordino.InferencePolicy(["b"], "0.4"))
from sordino.audit.kernels.search import search
print(json.dumps([str(audit.answer), search._compiler.pipeline_class.__name__]))
"""


@pytest.mark.slow
def test_with_another_numba_kernels_are_compiled_as_it_does() -> None:
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", OTHER],
        env=os.environ | {"NUMBA_DISABLE_JIT": "0", "NUMBA_OPT": "0"},
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert json.loads(run.stdout) == ["fails", "Compiler"]
