"""Charts as SVG text, drawn by Matplotlib: no script, no network, sharp in print, the same bytes every time.

Why not Plotly: its library alone is 4.8 MB in every page, its charts are a script's work (nothing to see without it,
poor in print), and a screen reader finds hundreds of unnamed shapes. A steward's report needs to be read, printed and
kept for years, not zoomed.

Readable without colour: series differ in lightness and in hatching or marks, and every bar bears its number. Text
stays text. Matplotlib is optional; without it `draw` returns None, and the page shows its tables alone.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sordino.words.blocks import Chart

__all__ = ["can_draw", "draw", "load_early"]

WIDTH = 7.2  # inches; the page scales it
LONGEST = 30  # characters of a label
COLOURS = ("#12436d", "#f2a65a", "#3d8b7d", "#a285d1", "#801650", "#6b7785")  # dark, light, middle, ...: also in grey
GONE = "#b3261e"  # what was taken away
HATCHES = ("", "////", "--", "xx", "||", "++")
MARKS = ("o", "s", "^", "D", "v", "P")
STYLES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 3)))
RC: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#55606b",
    "axes.labelcolor": "#2b3640",
    "xtick.color": "#55606b",
    "ytick.color": "#2b3640",
    "hatch.linewidth": 0.8,
    "axes.axisbelow": True,
    "grid.color": "#d9dee3",
    "grid.linewidth": 0.7,
}


def can_draw() -> bool:
    """Whether Matplotlib is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def load_early() -> None:
    """Load Matplotlib on a thread of its own, for whoever draws later; kernels do not wait for it."""

    def load() -> None:
        with contextlib.suppress(ImportError, AttributeError), _without_lists_of_properties():
            import matplotlib.backends.backend_svg
            import matplotlib.figure  # noqa: F401

    threading.Thread(target=load, name="sordino charts").start()  # no daemon: a library is not left half loaded


@contextlib.contextmanager
def _without_lists_of_properties() -> Iterator[None]:
    """Matplotlib loads without the lists of properties in its docstrings, which take a third of that time.

    Only for commands, which nobody asks for such help.
    """
    from matplotlib import artist

    library: Any = artist
    usual = library.kwdoc
    library.kwdoc = lambda _: ""
    try:
        yield
    finally:
        library.kwdoc = usual


def draw(chart: Chart, name: str) -> str | None:
    """The chart as an SVG element whose ids begin with `name`; None without Matplotlib, or if nothing is in it."""
    try:
        import matplotlib
    except ImportError:
        return None
    if chart.kind != "lines" and not chart.labels:  # of a file in which no item is left, for one
        return None
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells when it builds its font cache
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    chart = replace(chart, series=tuple(series for series in chart.series if series.drawn))
    with warnings.catch_warnings(), matplotlib.rc_context({**RC, "svg.hashsalt": name}):
        warnings.simplefilter("ignore")  # a font lacks some letter; the reader's font will have it
        height = _height(chart)
        figure = Figure(figsize=(WIDTH, height))
        FigureCanvasSVG(figure)
        # Room for the labels by their length: measuring text would tie the bytes to the fonts of this machine.
        wide = 0.85 if chart.kind == "lines" else 0.2 + 0.075 * max(map(len, map(_short, chart.labels)), default=0)
        legend = _legend(chart)
        left, bottom = wide / WIDTH, 0.5 / height
        axes = figure.add_axes((left, bottom, 0.985 - left, 1 - bottom - legend / height))
        if chart.kind == "lines":
            _lines(axes, chart)
        else:
            _bars(axes, chart)
        if _named(chart) > 1:
            place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (left - 0.01, 1.0), "borderaxespad": 0.0}
            figure.legend(**place, ncols=_columns(chart), frameon=False, fontsize=9)
        out = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=nothing, transparent=True)
    return _embedded(out.getvalue(), chart, name)


def look_of(k: int) -> tuple[str, Any, str, str]:
    """Colour, line, mark and hatching of series k; no two of the first 36 have colour and line alike."""
    return COLOURS[k % 6], STYLES[(k + k // 6) % 6], MARKS[(k + 2 * (k // 6)) % 6], HATCHES[(k + k // 6) % 6]


def _named(chart: Chart) -> int:
    return len(chart.series) + bool(chart.marks)


def _columns(chart: Chart) -> int:
    """How many entries of the legend fit beside each other."""
    longest = max(len(series.name) for series in chart.series)
    return max(1, min(5, int(75 / (longest + 7))))


def _legend(chart: Chart) -> float:
    """The height of the legend."""
    return 0.08 if _named(chart) < 2 else 0.12 + 0.2 * -(-_named(chart) // _columns(chart))


def _height(chart: Chart) -> float:
    if chart.kind == "lines":
        return 3.2 + _legend(chart)
    rows = len(chart.labels) * (len(chart.series) if chart.kind == "bars" else 1)
    return 0.5 + _legend(chart) + 0.24 * rows + 0.10 * len(chart.labels)


def _bars(axes: Any, chart: Chart) -> None:
    """Horizontal bars, the first label on top; each bar with its number."""
    groups = len(chart.labels)
    many = len(chart.series) if chart.kind == "bars" else 1
    thick = 0.8 / many
    base = [0.0] * groups
    for k, series in enumerate(chart.series):
        values = [0.0 if v is None else v for v in series.values]
        offset = (k - (many - 1) / 2) * thick if chart.kind == "bars" else 0.0
        places = [row + offset for row in range(groups)]
        colour, _, _, hatch = look_of(k)
        look = {"color": colour, "hatch": hatch, "edgecolor": "white" if k % 6 == 0 else "#2b3640"}
        if series.gone:
            look = {"color": GONE, "hatch": "xx", "edgecolor": "white"}
        drawn = axes.barh(places, values, thick * 0.92, left=base, label=series.name, linewidth=0.5, **look)
        if chart.kind == "bars":
            texts = ["" if v is None else chart.number(v) for v in series.values]
            axes.bar_label(drawn, texts, padding=3, fontsize=8.5, color="#2b3640")
        else:
            base = [b + v for b, v in zip(base, values, strict=True)]
    axes.set_yticks(range(groups), [_short(label) for label in chart.labels])
    axes.set_ylim(groups - 0.45, -0.55)
    top = max([*base, *(v for s in chart.series for v in s.values if v is not None)], default=0.0)
    axes.set_xlim(0, top * 1.14 if top > 0 else 1)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.xaxis.set_major_formatter(lambda value, _: _tick(chart, value))
    axes.set_xlabel(chart.axis)


def _lines(axes: Any, chart: Chart) -> None:
    assert chart.x is not None
    for k, series in enumerate(chart.series):
        pairs = [(x, y) for x, y in zip(chart.x, series.values, strict=True) if y is not None]
        axes.plot(
            [x for x, _ in pairs],
            [y for _, y in pairs],
            color=look_of(k)[0] if k % 6 != 1 else "#c8741f",
            linestyle=look_of(k)[1],
            marker=look_of(k)[2],
            markersize=5,
            linewidth=1.6,
            label=series.name,
        )
    for k, (x, y, what) in enumerate(chart.marks):
        look = {"facecolors": "none", "edgecolors": "#b3261e", "linewidths": 2, "s": 170, "zorder": 5}
        axes.scatter([x], [y], label=what if k == 0 else None, **look)
    if chart.log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: _tick(chart, value))
    axes.set_xticks(list(chart.x), list(chart.labels))
    axes.grid(axis="y")
    axes.set_xlabel(chart.x_axis)
    axes.set_ylabel(chart.axis)


def _tick(chart: Chart, value: float) -> str:
    if chart.percent:
        return f"{value:.0%}" if abs(value * 100 - round(value * 100)) < 1e-9 else f"{value:.1%}"
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _embedded(svg: str, chart: Chart, name: str) -> str:
    """The SVG element alone, with ids of its own, named for screen readers by the page around it."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]*;", "font-family: inherit;", svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", svg)
    svg = re.sub(r'\b(id=")', rf"\1{name}-", svg)
    svg = re.sub(r"(url\(#)", rf"\1{name}-", svg)
    svg = re.sub(r'((?:xlink:)?href="#)', rf"\1{name}-", svg)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert size is not None
    ratio = f'style="aspect-ratio: {size.group(1)} / {size.group(2)}"'
    svg = svg.replace(size.group(0), ratio, 1)
    labelled = f'<svg role="img" aria-labelledby="{name}-t {name}-d"'
    inside = f'<title id="{name}-t">{_escape(chart.title)}</title>\n<desc id="{name}-d">{_escape(chart.summary)}</desc>'
    head_end = svg.index(">") + 1
    return labelled + svg[len("<svg") : head_end] + "\n" + inside + svg[head_end:].rstrip()


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
