"""docs/benchmarks.md with its charts, from benchmarks/page.md and what the benchmarks wrote (benchmarks/results/*.md).

    python scripts/benchmarks_page.py            # writes the page and the charts
    python scripts/benchmarks_page.py --check    # says whether the page is up to date; exit code 1 if not

The benchmarks write their tables with --markdown FILE. Such a file is kept whole in benchmarks/results; the page shows
of it what is read. In page.md a line in double braces stands for that, its parts divided by bars:

    {{ table | suppress | Suppression: whole files | rho = 0.7 | file, method, loss %, protect s }}
    {{ chart | suppress | Suppression: whole files | rho = 0.7 | loss % by method over file }}

The file, the beginning of the table's title, which rows (several conditions by "and", or "all"), and which columns; of
a chart, what is drawn, by which column bars are told apart, and which columns label them. Several are joined by "+".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sordino.compare.store import write_atomically
from sordino.report.charts import draw
from sordino.words.blocks import Chart, Series

ROOT = Path(__file__).resolve().parent.parent
SOURCE, RESULTS = ROOT / "benchmarks" / "page.md", ROOT / "benchmarks" / "results"
PAGE, IMAGES = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "images" / "benchmarks"
FONT = "font-family: system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif; background: white"
MARK = re.compile(r"\{\{ (.*) \}\}")
Cells = list[list[str]]


def find_table(name: str, title: str) -> tuple[list[str], list[str], Cells]:
    """Heads, alignments and rows of the table whose title begins so."""
    lines = (RESULTS / f"{name}.md").read_text(encoding="utf-8").splitlines()
    start = next(
        (k for k, line in enumerate(lines) if line.startswith("#") and line.lstrip("# ").startswith(title)), None
    )
    if start is None:
        raise SystemExit(f"benchmarks/results/{name}.md has no table '{title}'")
    found: Cells = []
    for line in lines[start + 1 :]:
        if line.startswith("|"):
            found.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif found or line.startswith("#"):
            break
    if len(found) < 3:
        raise SystemExit(f"'{title}' in benchmarks/results/{name}.md has no rows")
    return found[0], found[1], found[2:]


def chosen(heads: list[str], rows: Cells, where: str) -> Cells:
    """The rows of which all conditions hold; a condition that holds of none is an error."""
    for condition in [] if where == "all" else where.split(" and "):
        column, _, wanted = (part.strip() for part in condition.partition("="))
        rows = [row for row in rows if row[heads.index(column)] == wanted]
        if not rows:
            raise SystemExit(f"no row has {condition}")
    return rows


def as_table(name: str, title: str, where: str, columns: str) -> Iterator[str]:
    heads, lines, rows = find_table(name, title)
    places = range(len(heads)) if columns == "all" else [heads.index(part.strip()) for part in columns.split(", ")]
    kept = chosen(heads, rows, where)
    yield "| " + " | ".join(heads[k] for k in places) + " |"
    yield "| " + " | ".join(lines[k] for k in places) + " |"
    yield from ("| " + " | ".join(row[k] for k in places) + " |" for row in kept)
    more = f"; these are {len(kept)} of {len(rows)} rows" if len(kept) < len(rows) else ""
    yield from ("", f"All of it: `benchmarks/results/{name}.md`{more}.")


def as_chart(name: str, title: str, where: str, what: str, wanted: dict[str, str]) -> Iterator[str]:
    heads, _, rows = find_table(name, title)
    value, _, rest = what.partition(" by ")
    by, _, over = rest.partition(" over ")
    places = [heads.index(part.strip()) for part in over.split("+")]
    groups = [heads.index(part.strip()) for part in by.split("+")]
    kept = chosen(heads, rows, where)
    labels = list(dict.fromkeys(", ".join(row[k] for k in places) for row in kept))
    names = list(dict.fromkeys(", ".join(row[k] for k in groups) for row in kept))
    cells = {
        (", ".join(row[k] for k in groups), ", ".join(row[k] for k in places)): number(row[heads.index(value)])
        for row in kept
    }
    percent = any("%" in row[heads.index(value)] for row in kept)
    chart = Chart(
        f"{title}: {value}" + ("" if where == "all" else f" ({where})"),
        "",
        tuple(labels),
        tuple(Series(each, tuple(cells.get((each, label)) for label in labels)) for each in names),
        axis=value + (" (percent)" if percent else ""),
        x_axis=over,
        decimals=2,
    )
    file = re.sub(r"[^a-z0-9]+", "-", f"{name} {title} {value} {where}".lower()).strip("-")[:80]
    svg = draw(chart, file)
    if svg is None:
        raise SystemExit("Charts need Matplotlib: pip install 'sordino[report]'")
    wanted[f"{file}.svg"] = svg.replace('style="', f'width="720" style="{FONT}; ', 1) + "\n"
    yield from (f"![{chart.title}](images/benchmarks/{file}.svg)", "", f"All numbers: `benchmarks/results/{name}.md`.")


def number(cell: str) -> float | None:
    """The first number of a cell; None if it begins otherwise, as "> 100 s" does."""
    found = re.match(r"-?[0-9][0-9,]*\.?[0-9]*", cell)
    return float(found[0].replace(",", "")) if found else None


def made() -> tuple[str, dict[str, str]]:
    """The page, and its charts by file."""
    wanted: dict[str, str] = {}
    lines = ["<!-- Made by `python scripts/benchmarks_page.py` from benchmarks/page.md: do not edit. -->"]
    for line in SOURCE.read_text(encoding="utf-8").splitlines():
        mark = MARK.fullmatch(line)
        if mark is None:
            lines.append(line)
            continue
        form, name, title, where, what = (part.strip() for part in mark[1].split(" | "))
        lines += as_table(name, title, where, what) if form == "table" else as_chart(name, title, where, what, wanted)
    return "\n".join(lines) + "\n", wanted


def main(arguments: list[str]) -> int:
    page, charts = made()
    if "--check" in arguments:
        fresh = PAGE.read_text(encoding="utf-8") == page
        fresh = fresh and sorted(file.name for file in IMAGES.iterdir()) == sorted(charts)
        print("The page is up to date." if fresh else "The page is out of date: python scripts/benchmarks_page.py")
        return 0 if fresh else 1
    IMAGES.mkdir(parents=True, exist_ok=True)
    for old in IMAGES.glob("*.svg"):
        if old.name not in charts:
            old.unlink()
    for name, text in charts.items():
        write_atomically(IMAGES / name, text.encode())
    write_atomically(PAGE, page.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
