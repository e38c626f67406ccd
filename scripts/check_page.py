"""Assembles the page that checks releases in a browser, from web/check, and writes down its sha256.

    python scripts/check_page.py            # writes the page, the table of known pages and the documentation
    python scripts/check_page.py --check    # only says whether they are up to date; exit code 1 if not

The page is one file with one script and one style, which its Content-Security-Policy names by their hashes. So that the
page can recognise itself in a folder, its script knows the sha256 of the page without the script (`FRAME`); that, the
version and the look of reports are the only things that are put into it.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from sordino.report.style import STYLE  # noqa: E402 - the path above comes first
from sordino.version import VERSION  # noqa: E402

SOURCE = ROOT / "web" / "check"
PAGE = ROOT / "src" / "sordino" / "release" / "check.html"
KNOWN = ROOT / "src" / "sordino" / "release" / "check_page.py"
DOCS = ROOT / "docs" / "notes" / "verifier.md"


def assembled() -> str:
    """The page."""
    style = (SOURCE / "style.css").read_text(encoding="utf-8")
    frame = (SOURCE / "page.html").read_text(encoding="utf-8")
    frame = frame.replace("@@VERSION@@", VERSION)
    frame = frame.replace("@@STYLE_HASH@@", _source("\n" + style)).replace("@@STYLE@@", style)
    bare = frame.replace("script-src @@SCRIPT_HASH@@", "script-src").replace("@@SCRIPT@@", "")
    script = _script(hashlib.sha256(bare.encode()).hexdigest())
    if "</script" in script or "<!--" in script:
        raise SystemExit("the script holds something that would end it")
    return frame.replace("@@SCRIPT_HASH@@", _source("\n" + script)).replace("@@SCRIPT@@", script)


def _script(frame: str) -> str:
    constants = {
        "VERSION": VERSION,
        "REPORT_STYLE": hashlib.sha256(STYLE.encode()).hexdigest(),
        "FRAME": frame,
    }
    head = ['"use strict";', *(f'const {name} = "{value}";' for name, value in constants.items()), ""]
    parts = [path.read_text(encoding="utf-8") for path in sorted(SOURCE.glob("*.js"))]
    return "\n".join([*head, *parts])


def _source(text: str) -> str:
    """How a Content-Security-Policy names a script or a style of this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def recorded(page: str) -> dict[Path, str]:
    """Every file that follows from the page: path -> content."""
    digest = hashlib.sha256(page.encode()).hexdigest()
    files = {PAGE: page}
    line = re.compile(rf'("{re.escape(VERSION)}": ")[0-9a-f]{{64}}(")')
    files[KNOWN] = line.sub(rf"\g<1>{digest}\g<2>", KNOWN.read_text(encoding="utf-8"))
    row = re.compile(rf"(\| {re.escape(VERSION)} \| `)[0-9a-f]{{64}}(` \|)")
    if DOCS.exists():
        files[DOCS] = row.sub(rf"\g<1>{digest}\g<2>", DOCS.read_text(encoding="utf-8"))
    return files


def main() -> int:
    stale = [
        path
        for path, content in recorded(assembled()).items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what scripts/check_page.py makes")
        return 1 if stale else 0
    for path, content in recorded(assembled()).items():
        path.write_text(content, encoding="utf-8")
    print(hashlib.sha256(PAGE.read_bytes()).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit(main())
