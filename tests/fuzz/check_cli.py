"""The commands say what Python says, by their exit codes and as JSON."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from fuzz import forms
from fuzz.check_folder import demanded, expected
from fuzz.finding import demand
from fuzz.made import Made, MadeBaskets, MadeTemplate
from fuzz.truth_baskets import is_refused
from sordino.cli import main

__all__ = ["check", "check_process"]


def check(made: Made) -> None:
    if not _has_commands(made) or (made.refused and isinstance(made, MadeBaskets) and is_refused(made.case)):
        return
    _audit(made)
    if "protect" in made.case.steps and not made.refused:
        _protect(made)


def check_process(made: Made) -> None:
    """The same audit in a process of its own."""
    if not _has_commands(made) or made.refused:
        return
    command = [sys.executable, "-m", "sordino", *map(str, _audit_words(made))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wanted = made.audit().answer.exit_code
    demand(done.returncode == wanted, f"the exit code of a process is {done.returncode}, not {wanted}: {done.stderr}")


def _has_commands(made: Made) -> bool:
    """Whether the data lie in a file, and the policy can be written to one: an empty one cannot."""
    case = made.case
    if isinstance(made, MadeBaskets):
        return isinstance(made.source, Path) and bool(case.sensitive) and (any(case.own or ()) or case.own is None)
    return isinstance(made.source, Path) or str(made.source).startswith("duckdb:")


def _form_words(made: Made) -> list[str]:
    """How the data lie in their file."""
    if not isinstance(made, MadeBaskets):
        return []
    stated = forms.FORMS[made.case.form].stated
    return [word for name, value in stated.items() for word in (f"--{name}", value)]


def _audit_words(made: Made, *more: object) -> list[object]:
    return ["audit", made.source, "--policy", made.policy_file, "--allow-missing", *_form_words(made), "-q", *more]


def _audit(made: Made) -> None:
    target = made.home / "result.json"
    if made.refused and not isinstance(made, MadeBaskets | MadeTemplate):
        return
    result = made.audit(top=10)
    code, told = _run(*_audit_words(made, "--json", target, "--jobs", 1))
    wanted = result.answer.exit_code
    demand(code == wanted, f"audit: exit code {code}, not {wanted}: {told}", "unsafe" if code == 0 else "mismatch")
    said = json.loads(target.read_text(encoding="utf-8"))
    expected = json.loads(json.dumps(result.to_dict()))
    for key in expected.keys() - {"seconds"}:
        demand(said[key] == expected[key], f"audit: another '{key}' on the command line")


def _protect(made: Made) -> None:
    case, out = made.case, made.home / "by command"
    words: list[object] = ["protect", made.source, "--policy", made.policy_file, "--allow-missing", "--out", out]
    words += ["--method", case.method, "--seed", case.lot, "--jobs", 1, "-q", *_form_words(made)]
    for name, value in made.how.items():
        words += [f"--{name}", value]
    for name, value in case.options.items():
        if name == "hierarchy":
            value = made.home / "hierarchy.json"
            value.write_text(json.dumps(case.options[name]), encoding="utf-8")
        words += ["--option", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    code, told = _run(*words)
    demand(code == 0, f"protect: exit code {code}: {told}", "refused")
    if case.method != "exact":  # how far its solver comes is up to the clock, unless it ends with a proof
        _same_files(made, out / "publish")
    _verify(made, out)


def _same_files(made: Made, publish: Path) -> None:
    """What is published by the command is what is published by Python."""
    for path in sorted((made.folder / "publish").iterdir()):
        other = publish / path.name
        demand(other.is_file() and other.read_bytes() == path.read_bytes(), f"protect: another {path.suffix} file")


def _verify(made: Made, out: Path) -> None:
    without, with_all = expected(made)
    code, told = _run("verify", out)
    wanted = {answer.exit_code for answer in without}
    demand(code in wanted, f"verify: exit code {code}, not {wanted}: {told}", "unsafe" if code == 0 else "refused")
    more: list[Any] = []
    if demanded(made):
        more = ["--original", made.source, *_form_words(made)]
    code, told = _run("verify", out, "--policy", made.policy_file, *more)
    wanted = {answer.exit_code for answer in with_all}
    demand(code in wanted, f"verify with policy: exit code {code}: {told}", "refused")


def _run(*words: object) -> tuple[int, str]:
    """The exit code of a command in this process, and what it wrote to standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, err.getvalue().strip()
