"""How quickly sordino is there: `import sordino` in 0.15 s, `sordino --help` in 0.5 s (asserted with room to spare)."""

from __future__ import annotations

import os

from cli.shell import Spawn

HEAVY = ("numba", "numpy", "pyarrow", "duckdb", "pandas", "polars", "scipy")


def test_import_is_light_and_quick(spawn: Spawn) -> None:
    script = (
        "import sys, time\nstart = time.process_time()\nimport sordino\nprint(time.process_time() - start)\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    times = []
    for _ in range(5):
        seconds, loaded = spawn("-c", script).stdout.splitlines()
        assert loaded == "[]"
        times.append(float(seconds))
    assert min(times) < 0.15


def test_help_is_light_and_quick(spawn: Spawn) -> None:
    script = (
        "import sys\nfrom sordino.cli import main\ncode = main(['--help'])\n"
        f"print([name for name in ('rich', *{HEAVY}) if name in sys.modules])\nsys.exit(code)"
    )
    done = spawn("-c", script)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[]")
    times = []
    for _ in range(3):
        start = os.times()
        assert spawn("-m", "sordino", "--help").returncode == 0
        end = os.times()
        times.append(end.children_user + end.children_system - start.children_user - start.children_system)
    assert min(times) < 1.0  # of the processor: others may be at work


def test_only_the_command_that_is_asked_for_is_loaded(spawn: Spawn) -> None:
    script = (
        "import sys\nfrom sordino.cli import COMMANDS, main\nmain(sys.argv[1:])\n"
        "print([name for name in COMMANDS if f'sordino.cli.{name}' in sys.modules])"
    )
    assert spawn("-c", script, "sample").stdout.splitlines()[-1] == "['sample']"
    assert spawn("-c", script, "schema", "--help").stdout.splitlines()[-1] == "['schema']"
    wrong = spawn("-c", script, "smaple")
    assert "'sample'" in wrong.stdout.splitlines()[-1]  # all of them, to say which one may be meant
    assert "smaple" in wrong.stderr
