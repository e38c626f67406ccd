"""What a picture in a report may be made of: shapes, known words, numbers.

Pictures are drawn by a library whose versions differ in every line, so they cannot be drawn again and compared. They
are read strictly instead: elements and attributes of a drawing, each with values of the kind it takes, and words that
are labels of the chart. Nothing that runs, fetches, or puts words on the page by other means gets through. That lines
may be drawn wrong, or as letters, is for the note that pictures were not compared.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection

__all__ = ["PICTURE", "is_drawing"]

PICTURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
TAG = re.compile(r"<[^<>]*>")
ELEMENT = re.compile(r"<(/?)(\w+)((?:\s+[\w:-]+=\"[^\"<>]*\")*)\s*/?>")
ATTRIBUTE = re.compile(r"\s+([\w:-]+)=\"([^\"<>]*)\"")
XML = re.compile(r"<\?xml version=\"1\.0\"[\w\s=\".-]*\?>")
STYLE = re.compile(r"<style type=\"text/css\">\s*\*\{stroke-linejoin: round; stroke-linecap: butt\}\s*</style>")
WORD = re.compile(r"[-+\u22120-9.,%e\u2026]*")

ELEMENTS = frozenset(
    ["svg", "g", "path", "use", "defs", "clipPath", "rect", "pattern", "text", "tspan", "title", "desc"]
)
_ID = r"[a-z]+-\d+-(?:[A-Za-z0-9.]+_\d+|[a-z][0-9a-f]{10}|[td])"
_NUMBER = r"-?[0-9.]+(?:e[-+]?\d+)?"
_NUMBERS = r"[-0-9.,e\s]*"
_TURNED = rf"(?:(?:translate|rotate|scale|matrix)\({_NUMBERS}\)\s*)*"
ATTRIBUTES = {
    name: re.compile(pattern)
    for names, pattern in (
        ("id", _ID),
        ("aria-labelledby", rf"{_ID} {_ID}"),
        ("x y width height", _NUMBER),
        ("viewBox", _NUMBERS),
        ("d", r"[MLHVCSQTAZmlhvcsqtaz0-9.,e\s+-]*"),
        ("transform patternTransform", _TURNED),
        ("clip-path", rf"url\(#{_ID}\)"),
        ("href xlink:href", rf"#{_ID}"),
        ("role", "img"),
        ("version", r"[\d.]+"),
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("xmlns:xlink", "http://www.w3.org/1999/xlink"),
        ("patternUnits", "userSpaceOnUse"),
    )
    for name in names.split()
}
LOOKS = {
    name: re.compile(pattern)
    for names, pattern in (
        ("fill stroke", rf"none|#[0-9a-f]{{3,8}}|url\(#{_ID}\)"),
        ("opacity fill-opacity stroke-opacity stroke-width stroke-miterlimit stroke-dashoffset", _NUMBER),
        ("stroke-dasharray", rf"none|{_NUMBERS}"),
        ("stroke-linecap stroke-linejoin", "butt|round|square|miter|bevel"),
        ("fill-rule", "evenodd|nonzero"),
        ("font-family", "inherit"),
        ("font-size", rf"{_NUMBER}px"),
        ("font-weight", r"\d+|bold|normal"),
        ("text-anchor", "start|middle|end"),
        ("aspect-ratio", rf"{_NUMBER} / {_NUMBER}"),
    )
    for name in names.split()
}


def is_drawing(picture: str, known: Collection[str]) -> str | None:
    """What is wrong with a picture whose words may be the known ones and numbers; None if nothing is."""
    bare = STYLE.sub("", picture)
    if not all(_is_drawn(tag) for tag in TAG.findall(bare)):
        return "holds more than a drawing"
    words = (html.unescape(word).strip() for word in TAG.split(bare))
    if not all(word in known or WORD.fullmatch(word) for word in words):
        return "says something that does not follow from the data"
    return None


def _is_drawn(tag: str) -> bool:
    if XML.fullmatch(tag):
        return True
    found = ELEMENT.fullmatch(tag)
    if found is None or found[2] not in ELEMENTS:
        return False
    return all(_is_fitting(name, value) for name, value in ATTRIBUTE.findall(found[3]))


def _is_fitting(name: str, value: str) -> bool:
    if name == "style":
        looks = [part.partition(":") for part in value.split(";") if part.strip()]
        return all(_matches(LOOKS, key.strip(), what.strip()) for key, _, what in looks)
    return _matches(ATTRIBUTES, name, value)


def _matches(known: dict[str, re.Pattern[str]], name: str, value: str) -> bool:
    return name in known and known[name].fullmatch(value) is not None
