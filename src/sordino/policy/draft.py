"""First drafts of policy.toml, from what somebody says is sensitive; and what may be, by how it is called.

A suggestion is a suggestion: what is sensitive is never decided by a list of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sordino.policy.patterns import matching
from sordino.policy.text import quote

__all__ = ["diversity_text", "inference_text", "may_be_sensitive", "people_as_share", "template_text"]

# Words of what the law of many countries calls special: health, sex life, beliefs, origin, unions, crimes, money.
WORDS = (
    "*hiv*", "*aids*", "*depress*", "*psych*", "*anxiety*", "*antidep*", "*schizo*", "*bipolar*", "*suicid*",
    "*pregnan*", "*contracept*", "*abort*", "*fertil*", "*viagra*", "*sildenafil*", "*condom*", "*cancer*",
    "*oncolog*", "*tumor*", "*tumour*", "*alcohol*", "*addict*", "*methadone*", "*drug abuse*", "*overdose*",
    "*diabet*", "*insulin*", "*epilep*", "*hepatit*", "*syphilis*", "*gonorr*", "*chlamyd*", "*dementia*",
    "*parkinson*", "*incontinen*", "*erect*", "*sexual*", "*gay*", "*lesbian*", "*transgender*", "*religio*",
    "*church*", "*mosque*", "*synagogue*", "*ethnic*", "*union member*", "*bankrupt*", "*debt*", "*insolven*",
    "*arrest*", "*convict*", "*prison*", "*sertraline*", "*fluoxetine*", "*citalopram*", "*lithium*",
    "*naltrexone*", "*antiretro*", "*prep *", "*opioid*", "*morphine*",
)  # fmt: skip
COLUMNS = (
    "*diagnos*", "*disease*", "*illness*", "*condition*", "*salary*", "*income*", "*wage*", "*religion*", "*ethnic*",
    "*race*", "*orientation*", "*party*", "*vote*", "*bankrupt*", "*debt*", "*crime*", "*offen?e*", "*drug*", "*medic*",
    "*treatment*", "*symptom*", "*hiv*", "*status*",
)  # fmt: skip
PEOPLE = re.compile(r"\s*([0-9]+)\s*(?:of|in|out of|/)\s*([0-9]+)\s*(?:people|persons)?\s*")
TEN = 10  # people, of whom a bare number is said


def may_be_sensitive(names: Iterable[str], words: Sequence[str] = WORDS) -> list[str]:
    """The names that contain one of the words, in their order; `COLUMNS` has those for columns."""
    held = list(names)
    found = {name for word in words for name in matching(word, held)}
    return [name for name in held if name in found]


def people_as_share(said: str) -> str:
    """A threshold as it is written, from people: "3 of 10" and a bare 3 (of ten) are 3/10; all else is left alone."""
    people = PEOPLE.fullmatch(said)
    if people:
        return f"{people[1]}/{people[2]}"
    bare = said.strip()
    return f"{bare}/{TEN}" if bare.isdecimal() and 0 < int(bare) < TEN else bare


def inference_text(
    *,
    items: Sequence[str] = (),
    patterns: Sequence[str] = (),
    nodes: Sequence[str] = (),
    hierarchy: str | None = None,
    rho: str,
    knowledge: int | None = None,
) -> str:
    """An inference policy."""
    lines = ['kind = "inference"', "", "[sensitive]"]
    if items or not (patterns or nodes):
        lines.append(f"items = {_list(items)}")
    lines += [f"patterns = {_list(patterns)}  # all items that are called so"] if patterns else []
    lines += [f"nodes = {_list(nodes)}  # all items of these groups"] if nodes else []
    lines += [f"hierarchy = {quote(hierarchy)}"] if nodes and hierarchy is not None else []
    lines += ["", "[threshold]", f"rho = {quote(rho)}  # the largest share of people who look alike that may have it"]
    if knowledge is not None:
        lines += ["", "[knowledge]", f"items = {knowledge}  # that somebody knows of a person already"]
    return "\n".join(lines) + "\n"


def template_text(
    sensitive: str,
    given: Sequence[str],
    at_most: str,
    *,
    values: Sequence[str] = (),
    bins: Mapping[str, str] | None = None,
) -> str:
    """A template policy: of the column, these values, or all of them."""
    lines = ['kind = "template"', "", "[[template]]", f"given = {_list(given)}  # what may be known of a person"]
    if values:
        lines.append(f"values = {{ {quote(sensitive)} = {_list(values)} }}")
    else:
        lines.append(f'rarest = {{ {quote(sensitive)} = "100%" }}  # all its values')
    lines.append(f"at_most = {quote(at_most)}  # the largest share of people who look alike that may have it")
    lines += _bins(bins, "what is known, and published, as ranges")
    return "\n".join(lines) + "\n"


def diversity_text(
    sensitive: str,
    quasi: Sequence[str],
    l: int,  # noqa: E741 - the name of the literature
    *,
    bins: Mapping[str, str] | None = None,
) -> str:
    """A diversity policy."""
    lines = [
        'kind = "diversity"',
        f"sensitive = {quote(sensitive)}",
        f"quasi = {_list(quasi)}  # what may be known of a person",
        f"l = {l}  # values, at least, that remain possible for everybody",
        "",
        "[knowledge]",
        "mined = true  # somebody knows what the data teach: which values some people never have",
        *_bins(bins, "ranges that somebody may think in; what is published stays as it is"),
    ]
    return "\n".join(lines) + "\n"


def _bins(bins: Mapping[str, str] | None, meaning: str) -> list[str]:
    """The section of ranges, if there is one."""
    return ["", f"[bins]  # {meaning}", *(f"{quote(name)} = {way}" for name, way in bins.items())] if bins else []


def _list(names: Sequence[str]) -> str:
    if len(names) <= 3:
        return f"[{', '.join(map(quote, names))}]"
    return "[\n" + "".join(f"  {quote(name)},\n" for name in names) + "]"
