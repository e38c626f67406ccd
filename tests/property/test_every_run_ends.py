"""Every method, with every option, on many small tables: the run ends, and the oracle finds nothing.

The runs are in a process that is killed if one does not end. SORDINO_ENDINGS is the number of tables (900, which
SORDINO_EXAMPLES scales), and
SORDINO_ENDINGS_SEED another sequence of them; `python -m endings.watchdog` does the same and prints what it finds.
"""

from __future__ import annotations

import os

from endings import baskets, tables
from endings.watchdog import Watchdog, findings
from endings.worker import FIRST_KNOWN, HANGS, case_of
from sordino.protect.registry import METHODS
from tables import examples

NUMBER = int(os.environ.get("SORDINO_ENDINGS", examples(900)))
SEED = int(os.environ.get("SORDINO_ENDINGS_SEED", "0"))
SECONDS = 60.0  # that a table of a few records may take, on a machine that does much else


def test_every_option_of_every_method_is_tried() -> None:
    tried = {name: set(options) for name, options in (*baskets.OPTIONS.items(), *tables.OPTIONS.items())}
    assert tried == {name: set(method.options) for name, method in METHODS.items()}


def test_every_run_ends_and_is_safe() -> None:
    known = range(FIRST_KNOWN, FIRST_KNOWN - len(baskets.KNOWN), -1)
    wrong = [f"case {n}: {what}\n  {case_of(SEED, n)}" for n, what in findings([*known, *range(NUMBER)], SEED, SECONDS)]
    assert not wrong, "\n".join(wrong)


def test_a_run_without_end_is_killed_and_the_next_one_goes_on() -> None:
    dog = Watchdog(0, seconds=2.0)
    try:
        assert dog.ask(HANGS) == "the run does not end"
        assert dog.process is None
        dog.seconds = SECONDS
        assert dog.ask(FIRST_KNOWN) is None
    finally:
        dog.end()
