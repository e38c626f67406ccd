"""`python -m sordino` is the command `sordino`."""

from __future__ import annotations

import sys

from sordino.cli import main

if __name__ == "__main__":
    sys.exit(main())
