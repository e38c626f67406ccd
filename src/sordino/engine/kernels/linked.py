"""Functions that only kernels call need no machine code of their own.

Numba makes a whole library of every function: it links in what the function calls, optimizes all of it and turns it
into machine code, though what is called from kernels only is linked into each of them, and optimized there once more.
Here such a function stays as it was lowered, to be linked. So it is compiled once, with the kernel, which is all that
runs. It is not kept on disk either: the kernel is, and holds it.
"""

from __future__ import annotations

from typing import Any

from numba.core import typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import _dynfunc  # type: ignore[attr-defined]

__all__ = ["LinkedLowering"]


class Linked(JITCodeLibrary):
    """A library to be linked into others: nothing in it is optimized as a whole, and nothing can be called."""

    def finalize(self) -> None:
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No such function, as Numba says it."""
        del name
        self._ensure_finalized()
        return 0


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(typed_passes.NativeLowering):
    """Numba's lowering, into such a library."""

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.targetctx = state.targetctx.subtarget(get_executable=_placeholder)
        return bool(super().run_pass(state))


def _placeholder(library: Any, described: Any, environment: Any) -> Any:
    """What stands for the function where Numba asks for it by name; it cannot be called."""
    library._ensure_finalized()
    name = described.qualname.split(".")[-1]
    return _dynfunc.make_function(described.lookup_module(), name, "only kernels call it", 0, environment, (library,))
