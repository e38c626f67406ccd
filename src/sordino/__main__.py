"""`python -m sordino` is the command `sordino`: this is where both begin.

Loading a command takes a moment, and Ctrl-C may come before there is anything to undo. So the first thing is to see to
it that it ends the program in a word; the commands see to themselves.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from types import FrameType

__all__ = ["run"]

# Python looks for circles of objects whenever 700 more are alive than died. Loading libraries makes hundreds of
# thousands that stay, and looking through all of them again and again would take a tenth of a short command.
CIRCLES = 50_000
INTERRUPTED, TERMINATED = 130, 143


def run() -> int:
    """Run the command that the shell stated; the exit code."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else whoever started us decides
    ours = usual and threading.current_thread() is threading.main_thread()
    gc.set_threshold(CIRCLES, *gc.get_threshold()[1:])
    try:
        if ours:
            signal.signal(signal.SIGINT, _leave)
        from sordino.cli import main

        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main()
        if ours:  # all is done and told
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:  # between two of these lines
        code = INTERRUPTED
    if code in (INTERRUPTED, TERMINATED):
        # The work may not have ended, and must not go on. And if Ctrl-C came in code that is made from text (as that of
        # named tuples), Python would end itself by a signal.
        sys.stderr.flush()
        os._exit(code)
    return code


def _leave(number: int, frame: FrameType | None) -> None:
    """Leave at once: an exception would come out of whatever module is being loaded, as whatever it makes of it."""
    del number, frame
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(run())
