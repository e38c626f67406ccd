"""The report for everybody: told from the manifest and from what is seen in the published data, and nothing else.

It has to say what follows from these, or a publisher could write into it whatever he likes. So the verifier writes it
again and compares every word. Pictures are drawn by a library whose versions differ in every line, so they are cut out
before: of them it is looked at what they are made of, and their words, which must be labels, titles and numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sordino.errors import InputError
from sordino.release.pictures import PICTURE, is_drawing
from sordino.release.wording import texts_of
from sordino.report.documents import Promise, Seen, shareable_page
from sordino.report.page import render
from sordino.verify.manifest import REPORT, Manifest
from sordino.words.blocks import Block, Chart, Page, Sides

__all__ = ["check_report", "promise_of", "public_report"]

HERE = "<svg></svg>"  # where a picture was
LONGEST = 30  # characters of a label in a picture


def public_report(manifest: Manifest, seen: Seen, hashes: Mapping[str, str]) -> str:
    """The report; hashes: name -> sha256 of the files beside it."""
    return render(_page(manifest, seen, hashes))


def promise_of(manifest: Manifest) -> Promise:
    """What the release promises, in sentences."""
    texts = texts_of(manifest)
    return Promise(texts.guaranteed(), texts.not_guaranteed())


def check_report(content: bytes, manifest: Manifest, seen: Seen, hashes: Mapping[str, str]) -> None:
    """An InputError if the words of the report are not those that follow from the manifest and the data."""
    page = _page(manifest, seen, hashes)
    charts = [chart for section in page.sections for chart in _charts(section.blocks)]
    try:
        text = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        text = ""  # no text at all, and so none that follows
    if PICTURE.sub(HERE, text) not in (render(page, _cut_out), render(page, plain=True)):
        raise InputError(f"{REPORT} says something else than what follows from the data and the policy")
    known = {word for chart in charts for word in _words(chart)}
    for picture in PICTURE.findall(text):
        wrong = is_drawing(picture, known)
        if wrong is not None:
            raise InputError(f"a picture in {REPORT} {wrong}")


def _page(manifest: Manifest, seen: Seen, hashes: Mapping[str, str]) -> Page:
    about = texts_of(manifest).about()
    made = {"method": manifest.method, "sordino": manifest.version}
    return shareable_page(manifest.file, about, seen, promise_of(manifest), made, hashes)


def _cut_out(chart: Chart, name: str) -> str | None:
    del name
    return HERE if chart.kind == "lines" or chart.labels else None


def _charts(blocks: tuple[Block, ...]) -> Iterator[Chart]:
    for block in blocks:
        if isinstance(block, Chart):
            yield block
        elif isinstance(block, Sides):
            yield from _charts((*block.left[1], *block.right[1]))


def _words(chart: Chart) -> Iterator[str]:
    yield from (chart.title.strip(), chart.summary.strip(), chart.axis.strip(), chart.x_axis.strip())
    yield from (series.name.strip() for series in chart.series)
    for label in chart.labels:
        yield (label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}\u2026").strip()
