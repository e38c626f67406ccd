"""The methods there are. Adding one: a file in this room with a `protect` function, and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import InputError, did_you_mean
from sordino.policy.inference import ResolvedInference

__all__ = ["METHODS", "Method", "Protector", "find_method"]


class Protector(Protocol):
    """What the `protect` function of a method's module must be.

    It returns baskets with the same records in the same order and the same names, in which the policy holds; a
    suppressor may only have deleted items. All randomness comes from `seed`; the result must not depend on `jobs`. It
    tells progress through `watch.tell(phase, done, of)`.
    """

    def __call__(
        self, baskets: Baskets, policy: ResolvedInference, *, seed: int, jobs: int, watch: Watch, **options: Any
    ) -> Baskets: ...


@dataclass(frozen=True)
class Method:
    """A way to protect: where it lives, what it does in a line, and the options it takes (name -> what it is)."""

    name: str
    module: str
    summary: str
    options: Mapping[str, str] = field(default_factory=dict)

    def load(self) -> Protector:
        return cast(Protector, importlib.import_module(self.module).protect)


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("mine", "sordino.protect.mine", "delete as little as possible, keep the associations (the default)"),
        Method("dist", "sordino.protect.dist", "delete so that the distribution of items stays as it was"),
        Method(
            "jia",
            "sordino.protect.jia",
            "partial suppression as published by Jia et al. (2014): buffered enumeration, divide and conquer",
            {
                "heuristic": "mine or dist",
                "b_max": "antecedents in the buffer (default 1000000)",
                "t_max": "cost above which a part is split (default 500)",
            },
        ),
        Method(
            "global",
            "sordino.protect.global_",
            "delete whole item types, as SuppressControl of Cao et al. (2010)",
        ),
    )
}


def find_method(name: str) -> Method:
    """The method of this name, or an error that lists what there is."""
    if name not in METHODS:
        known = ", ".join(METHODS)
        raise InputError(f"unknown method '{name}'.{did_you_mean(name, METHODS)}", hint=f"Methods: {known}")
    return METHODS[name]
