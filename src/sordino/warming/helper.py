"""A helper: `python -m sordino.warming.helper FOLDER NUMBER WORK`, started by a run that has to compile (helped.py).

It ends when its work is done, or as soon as whoever started it is gone: then its standard input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

__all__ = ["main", "work"]

# What takes longest and comes last, so that a helper begins with it; a name that is missing here costs time, no more.
LONGEST = frozenset({"search"})


def main(folder: str, number: str, asked: str) -> int:
    threading.Thread(target=_leave_with_the_run, daemon=True).start()
    from sordino.audit import few_absences
    from sordino.engine.kernels.sharing import Claims, share

    whole = json.loads(asked)
    everything = frozenset[str]()
    for part, only, few in (
        (whole | {"verb": "audit"}, LONGEST, few_absences.FEW_PLACES),
        (whole, everything, few_absences.FEW_PLACES),
        (whole | {"verb": "audit"}, everything, 0),  # last what only larger files ask a kernel for
    ):
        few_absences.FEW_PLACES = few
        share(Claims(Path(folder), number, lambda _: True, only))
        work(part)
    return 0


def work(asked: dict[str, Any]) -> None:
    """The work that is asked for, on made-up data; what cannot be met has been tried, and compiled, all the same."""
    import sordino
    from sordino.warming.tasks import made_up

    make = made_up(asked["kind"])
    if make is None:
        return
    data, policy = make(**asked["policy"])
    with contextlib.suppress(sordino.SordinoError):
        if asked["verb"] == "audit":
            sordino.audit(data, policy, jobs=1)
            return
        with tempfile.TemporaryDirectory(prefix="sordino-helper-") as out:
            method = {} if asked["method"] is None else {"method": asked["method"]}
            sordino.protect(data, policy, seed=1, jobs=1, **method).write(Path(out) / "out")


def _leave_with_the_run() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(0)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")  # plain Python tells of numbers that wrap around, as they are meant to
    sys.exit(main(*sys.argv[1:]))
