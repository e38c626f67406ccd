"""Ctrl-C in every method, while its kernels are at work: heard within two seconds, and no thread goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from endings.interrupted import WORKS
from sordino.protect.registry import METHODS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")]

TESTS = Path(__file__).parents[1]
SOON = 2.0  # seconds
BUSY = 1.0  # more, for a machine that has other things to do


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """What one process says that interrupted all of them, one after another."""
    path = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS)])
    run = subprocess.run(
        [sys.executable, "-m", "endings.interrupted"],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        timeout=1800,
        check=True,
    )
    return {line["name"]: line for line in map(json.loads, run.stdout.splitlines())}


def test_every_method_is_interrupted() -> None:
    assert {name.partition(",")[0] for name in WORKS} == set(METHODS)


@pytest.mark.parametrize("name", WORKS)
def test_ctrl_c_is_heard(name: str, told: dict[str, Any]) -> None:
    seconds = told[name]
    assert seconds["raised"] is not None, "it ended before the signal came"
    assert seconds["raised"] < SOON + BUSY
    assert seconds["ended"] is not None, "a thread of it goes on"
    assert seconds["worked"] < SOON
    assert seconds["ended"] < SOON + BUSY
