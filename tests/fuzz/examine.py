"""All checks of one case, in order; what they complain of."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sordino
from fuzz import (
    check_audit_baskets,
    check_bytes,
    check_cli,
    check_diversity,
    check_folder,
    check_protect_baskets,
    check_read,
    check_tamper,
    check_templates,
    check_trace,
)
from fuzz.case import Case
from fuzz.finding import Complaint, Finding
from fuzz.made import Made, made_of
from sordino.errors import InternalError, SordinoError

__all__ = ["examine"]

Check = Callable[[Any], None]
AUDITS: Mapping[str, tuple[tuple[str, str, Check], ...]] = {  # name, the step that asks for it (or none), the check
    "inference": (
        ("audit", "", check_audit_baskets.check),
        ("audit on two threads", "jobs", check_audit_baskets.check_jobs),
        ("audit with a time limit", "limit", check_audit_baskets.check_limit),
        ("protect", "protect", check_protect_baskets.check),
    ),
    "template": (
        ("audit", "", check_templates.audit),
        ("audit on two threads", "jobs", check_templates.audit_jobs),
        ("protect", "protect", check_templates.protect),
    ),
    "diversity": (
        ("audit", "", check_diversity.audit),
        ("audit on two threads", "jobs", check_diversity.audit_jobs),
        ("protect", "protect", check_diversity.protect),
    ),
}
FOLDERS: tuple[tuple[str, str, Check], ...] = (
    ("folder", "folder", check_folder.check),
    ("same bytes", "jobs", check_bytes.check),
    ("trace", "trace", check_trace.check),
    ("tamper", "tamper", check_tamper.check),
)
SHELL: tuple[tuple[str, str, Check], ...] = (
    ("command line", "cli", check_cli.check),
    ("a process of its own", "spawn", check_cli.check_process),
)


def examine(case: Case, home: Path) -> list[Finding]:
    """What is wrong with a case; files are written to `home`, an empty folder."""
    made = made_of(case, home)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return list(_complaints(made))


def _complaints(made: Made) -> Iterator[Finding]:
    steps = set(made.case.steps)
    found = _found("read", check_read.check, made)
    if found is not None:
        yield found
        if found.sort != "unsafe":
            return  # nothing after that would tell anything new
    released = True
    for name, step, check in (*AUDITS[made.case.kind], *FOLDERS, *SHELL):
        if (step and step not in steps) or (check in {c for _, _, c in FOLDERS} and (not released or made.refused)):
            continue
        found = _found(name, check, made)
        if found is not None:
            yield found
            released &= name not in ("protect", "folder")


def _found(name: str, check: Check, made: Made) -> Finding | None:
    try:
        check(made)
    except Complaint as complaint:
        return Finding(name, complaint.sort, complaint.what)
    except InternalError as error:
        return Finding(name, "internal", str(error), _place(error))
    except SordinoError as error:
        return Finding(name, "refused", f"{type(error).__name__}: {error}", _place(error))
    except Warning as warning:
        return Finding(name, "warning", f"{type(warning).__name__}: {warning}", _place(warning))
    except Exception as error:
        return Finding(name, "exception", f"{type(error).__name__}: {error}", _place(error))
    return None


def _place(error: BaseException) -> str:
    """File and line of the innermost frame that is sordino's, or else of the check."""
    home = Path(sordino.__file__).parent
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(home)] or frames
    last = ours[-1]
    return f"{Path(last.filename).name}:{last.name}"
