"""The same tests with the kernels as plain Python: what holds may not be a gift of the compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SUITES = {
    "audit": ("property/test_audit_oracle.py", "0.06", "not sample"),
    "absence": ("property/test_absence_oracle.py", "0.03", "not threads"),
    "twins": ("methods/test_twins.py", "0.03", "known or predicate or room or parts or harmless"),
    "kernels": ("unit/test_kernels.py", "0.05", "not more_room"),
    "sets": ("unit/test_few_known.py", "0.1", ""),
    "bound": ("unit/test_utility_bound.py", "0.2", ""),
    "personal": ("property/test_personal.py", "0.02", ""),
    "suppression": ("golden/test_suppression.py", "1", ""),
    "tables": ("methods/test_table_suite.py", "0.05", "random or safe or threads or spare"),
    "templates": ("property/test_template_audit.py", "0.1", ""),
    "disclosure": ("golden/test_disclosure.py", "1", ""),
    "diversity": ("property/test_diversity_oracle.py", "0.1", ""),
    "global": ("methods/test_global.py", "1", ""),
    "groups": ("methods/test_generalization.py", "0.05", "not threads"),
    "permutation": ("methods/test_cahd.py", "0.1", ""),
    "answers": ("golden/test_known_answers.py", "1", "not denominators and not 1000"),
}


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_without_the_compiler(suite: str) -> None:
    file, scale, which = SUITES[suite]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", str(TESTS / file), "-k", which, "-p", "no:xdist", "-p", "no:cacheprovider"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "SORDINO_EXAMPLES": scale},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
