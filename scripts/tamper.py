"""Changes honest releases by chance, and compares what `sordino verify` and check.html say of each, in a real browser.

    python scripts/tamper.py [--folders N] [--seed N] [--keep DIR] [--base NAME]

Prints every folder of which they do not say the same, word for word, and keeps it in DIR. Exit code 1 if there is one.
The same seed makes the same folders.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from browser import browser_path  # noqa: E402 - the paths above come first
from page import opened_page  # noqa: E402
from sordino.errors import SordinoError  # noqa: E402
from sordino.report import page as report_page  # noqa: E402
from tampering import bases, difference, in_parquet, tampered  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="DIR", default=ROOT / "out" / "tampered")
    parser.add_argument("--base", help="only this release")
    options = parser.parse_args(arguments)
    if browser_path() is None:
        print("No Chromium: install one, or name it in SORDINO_BROWSER.")
        return 2
    report_page.can_draw = lambda: False
    started, found, answers = time.perf_counter(), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder, opened_page(Path(folder)) as page:
        all_ = bases() | in_parquet(Path(folder))
        known = {name: path for name, path in all_.items() if options.base in (None, name)}
        if not known:
            parser.error(f"--base: one of {', '.join(all_)}")
        for number in range(options.folders):
            name = list(known)[number % len(known)]
            target = Path(folder) / f"{name}-{options.seed}-{number}"
            done = tampered(known[name], target, f"{options.seed}-{number}")
            try:
                other = difference(target, page)
            except SordinoError:
                other = None  # no release at all, which is no verdict
            except Exception as error:
                other = f"{type(error).__name__}: {error}"
            if other is not None:
                found += 1
                options.keep.mkdir(parents=True, exist_ok=True)
                target.rename(options.keep / target.name)
                print(f"{target.name}: {done}\n{other}\n", flush=True)
            else:
                answers[page.last] += 1
                for path in target.iterdir():
                    path.unlink()
                target.rmdir()
    told = ", ".join(f"{count} {answer}" for answer, count in answers.most_common())
    print(f"{options.folders} folders in {time.perf_counter() - started:.0f} s, {found} differences ({told})")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
