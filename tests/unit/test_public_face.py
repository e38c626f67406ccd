"""What users may rely on: these names, and no others."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import sordino

NAMES = [
    "Answer",
    "Assurance",
    "AuditResult",
    "Background",
    "Baskets",
    "Comparison",
    "DiversityPolicy",
    "Finding",
    "Hierarchy",
    "InferencePolicy",
    "InputError",
    "NegativeRule",
    "PolicyError",
    "Release",
    "SordinoError",
    "Table",
    "Template",
    "TemplatePolicy",
    "Unsatisfiable",
    "Verdict",
    "audit",
    "build_hierarchy",
    "compare",
    "inspect",
    "measure",
    "protect",
    "read_baskets",
    "read_groups",
    "read_hierarchy",
    "read_policy",
    "read_table",
    "rules",
    "verify",
]


def test_the_public_names() -> None:
    assert sorted(sordino.__all__) == sorted(NAMES)
    assert dir(sordino) == sorted([*NAMES, "__version__"])
    for name in NAMES:
        assert getattr(sordino, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        sordino.nonsense  # type: ignore[attr-defined]  # noqa: B018


ROOMS = sorted({module.name for module in pkgutil.iter_modules(sordino.__path__)} & set(NAMES))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_does_not_replace_the_verb_of_its_name(room: str) -> None:
    inside = next(m.name for m in pkgutil.iter_modules(importlib.import_module(f"sordino.{room}").__path__))
    code = (
        f"import sordino.{room}.{inside}, sordino; from sordino import {room}\n"
        f"assert callable(sordino.{room}) and {room} is sordino.{room}\n"
        f"from sordino.{room} import {inside}\n"
        f"assert callable(sordino.{room})"
    )
    assert {"audit", "compare", "protect"} <= set(ROOMS)
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_old_name_of_rules_says_so() -> None:
    table = sordino.read_table([{"Sex": "m", "Ill": "flu"}, {"Sex": "f", "Ill": "cold"}])
    with pytest.warns(DeprecationWarning, match=r"sordino\.rules"):
        old = sordino.mine(table, sensitive="Ill", quasi=["Sex"])
    assert old.rules == sordino.rules(table, sensitive="Ill", quasi=["Sex"]).rules
