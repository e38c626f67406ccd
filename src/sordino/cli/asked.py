"""What the user asked for, and where the answer is to go: one request, whatever the command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sordino.cli.options import policy_of, with_what_is_not_there
from sordino.cli.streams import say, write_whole
from sordino.data.databases.address import Address, address_of, shown_uri, target_of
from sordino.errors import InputError, PolicyError

if TYPE_CHECKING:
    from sordino.kinds import Kind
    from sordino.policy.kinds import Policy
    from sordino.verify.manifest import Manifest
    from sordino.words import steps
    from sordino.words.blocks import Block, Page

__all__ = ["Asked", "Shown"]

NO_POLICY = (
    "Give --policy FILE, or --sensitive NAMES and --rho NUMBER. To write a policy for your file: sordino init FILE"
)
NAMES = {"with_": "previous", "before": "data", "source": "data"}  # parameters that go by another name here
LACKING = re.compile(r"\boccurs? in no record|does not occur|the choices name")


@dataclass(frozen=True)
class Asked:
    """Which data and which policy the user named, what belongs to them, and how they lie in their files."""

    data: str
    policy: Path | None = None
    sensitive: str | None = None
    rho: str | None = None
    knowledge: int | None = None
    adaptive: bool = False
    layout: str | None = None
    record: str | None = None
    item: str | None = None
    allow_missing: bool = False
    choices: Path | None = None
    original: Path | str | None = None
    time_limit: float | None = None
    in_parts: int | None = None
    delimiter: str | None = None
    null: Sequence[str] | None = None
    group: str | None = None
    values: Path | None = None
    previous: Sequence[Path] | None = None
    after: str | None = None  # what the data are compared with
    query: str | None = None
    table: str | None = None
    to: str | None = None
    to_table: str | None = None
    places: Mapping[str, Address] = field(default_factory=dict, repr=False)  # databases, by whose they are

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Asked:
        """The request in the parameters of a command. Addresses of databases are shown without their passwords."""
        known = {entry.name for entry in fields(cls)} - {"places"}
        renamed = {NAMES.get(name, name): value for name, value in given.items()}
        asked = cls(**{name: value for name, value in renamed.items() if name in known})
        places = _databases(asked)
        shown = {name: shown_uri(getattr(asked, name)) for name in places}
        return replace(asked, places=places, **shown) if places else asked  # type: ignore[arg-type]

    @property
    def target(self) -> Address | None:
        """The table that published data are to be put into. If the data come from no database, --table names it."""
        return self.places.get("to")

    @property
    def source(self) -> str | Address:
        """The data as the readers take them."""
        if "data" in self.places:
            return self.places["data"]
        stated = (self.query, self.table)
        if stated == (None, None) or "after" in self.places or ("to" in self.places and self.to_table is None):
            return self.data
        return address_of(self.data, *stated) or self.data  # which says why it has none

    @property
    def source_after(self) -> str | Address | None:
        """What the data are compared with, as the readers take it."""
        return self.places.get("after", self.after)

    @property
    def folder(self) -> str | None:
        """The release folder that this is about, if it is one."""
        place = self.data if self.after is None else self.after
        if place == "-" or not Path(place).is_dir():
            return None
        from sordino.data.sources.parts import is_parts

        return None if is_parts(place) else place

    @property
    def missing(self) -> str:
        """What becomes of names that occur nowhere, as the verbs take it."""
        return "accept" if self.allow_missing else "error"

    def files(self) -> list[str]:
        """The files that the command reads, which it must not write."""
        names = self.sensitive[1:] if self.sensitive is not None and self.sensitive.startswith("@") else None
        held = {"data": self.data, "after": self.after}
        data, after = (self.places[name].file if name in self.places else text for name, text in held.items())
        named = (data, after, self.policy, names, self.values, self.choices, self.original)
        return [str(one) for one in (*named, *(self.previous or ())) if one not in (None, "-")]

    def manifest(self) -> Manifest:
        """The manifest of the release folder."""
        from sordino.verify.folder import published_part
        from sordino.verify.manifest_file import read_manifest

        assert self.folder is not None
        return read_manifest(published_part(self.folder))

    def required(self) -> Policy | None:
        """The policy that the options state; None if they state none."""
        stated = (self.policy, self.sensitive, self.rho, self.knowledge)
        if not self.adaptive and all(value is None for value in stated):
            return None
        try:
            return policy_of(self.policy, self.sensitive, self.rho, self.knowledge, self.adaptive)
        except PolicyError as error:
            raise with_what_is_not_there(
                error, self.source, self.form("layout", "record", "item", "delimiter")
            ) from None

    def judged(self, *, always: bool = True) -> tuple[Any, Kind]:
        """The policy that is stated, and the kind that this is about; without a policy, as the release says.

        always: there must be a policy, unless a release has its own.
        """
        from sordino.kinds import kind_of

        policy = self.required()
        if policy is None and always and self.folder is None:
            raise InputError("there is no policy", hint=NO_POLICY)
        return policy, kind_of(policy, folder=self.folder)

    def form(self, *names: str) -> dict[str, Any]:
        """How the data lie in their files, as the readers take it: all of it, or the entries of these names."""
        null = None if self.null is None else tuple(self.null)
        stated: dict[str, Any] = {"layout": self.layout, "record": self.record, "item": self.item, "missing": null}
        stated |= {"delimiter": self.delimiter, "group": self.group}
        return {name: value for name, value in stated.items() if value is not None and (not names or name in names)}

    def belonging(self) -> dict[str, Any]:
        """All that belongs to the data, as `kinds.verbs.read` takes it."""
        places = {"values": self.values, "original": self.original, "choices": self.choices}
        named = {name: str(place) for name, place in places.items() if place is not None}
        return {**self.form(), **named, "previous": [str(one) for one in self.previous] if self.previous else None}

    @contextmanager
    def located(self) -> Iterator[None]:
        """What is wrong with the policy is told with the place and, where names lack, the next step."""
        try:
            yield
        except PolicyError as error:
            lacking = not self.allow_missing and LACKING.search(str(error))
            hint = "If items, values, or people who chose, are missing on purpose, add --allow-missing."
            place = self.policy or self.choices
            raise InputError(
                str(error),
                where=None if place is None else str(place),
                hint=hint if lacking else None,
                suggestions=error.suggestions,
            ) from None

    def words(self) -> list[str]:
        """How the data lie in their file, as the command line takes it."""
        words = []
        for option in ("table", "query", "layout", "record", "item", "delimiter"):
            value = getattr(self, option)
            words += [] if value is None else [f"--{option}", str(value)]
        for text in self.null or ():
            words += ["--null", text]
        return words

    def command(self, verb: str, *more: str) -> str:
        """A command about the same data and policy, ready for a shell."""
        data = self.data
        if verb == "protect" and (self.group is not None or self.folder is not None):
            data = shown_uri(str(self.original or "ORIGINAL"))  # what is released cannot be released again
        words = ["sordino", verb, data]
        stated = ["policy", "sensitive", "rho", "knowledge", "choices"]
        stated += ["group", "values", "original"] if verb == "audit" else []  # others do not take these
        for option in stated:
            value = getattr(self, option)
            words += [] if value is None else [f"--{option}", shown_uri(str(value))]
        words += self.words()
        words += ["--time-limit", f"{self.time_limit:g}"] if verb == "audit" and self.time_limit is not None else []
        words += ["--parts", str(self.in_parts)] if verb == "audit" and self.in_parts is not None else []
        words += ["--adaptive"] if self.adaptive else []
        words += ["--allow-missing"] if self.allow_missing else []
        return shlex.join([*words, *more])

    def again(self, top: int | None = None, proof: Path | None = None, notes: tuple[str, ...] = ()) -> steps.Asked:
        """The same for whoever says what to do next; the same audit with ten times the time, if that was limited."""
        from sordino.words.steps import Asked as Again

        limit = self.time_limit
        longer = replace(self, time_limit=None if limit is None else max(10 * limit, 60.0)).command("audit")
        return Again(self.command, longer, top, limit, None if proof is None else str(proof), notes)


def _databases(asked: Asked) -> dict[str, Address]:
    """The databases among the data. A table or query that is stated belongs to the one that does not name its own."""
    held = {"data": asked.data, "after": asked.after}
    found = {name: address_of(text) for name, text in held.items() if text not in (None, "-")}
    places = {name: place for name, place in found.items() if place is not None}
    if asked.to is not None:
        own = asked.table if not places and asked.to_table is None else None
        places["to"] = target_of(asked.to, asked.to_table or own)
        if own is not None:
            return places
    elif asked.to_table is not None:
        raise InputError("--to-table names a table of a database, and none is stated", hint="Add --to ADDRESS.")
    if (asked.query is None and asked.table is None) or not places.keys() - {"to"}:
        return places
    bare = [name for name, place in places.items() if name != "to" and place.table is None and place.query is None]
    if len(bare) > 1:
        raise InputError(
            "--table and --query are about one database, and here are two",
            hint="Say it in the addresses: postgresql://HOST/NAME?table=NAME, duckdb:FILE?table=NAME.",
        )
    named = bare[0] if bare else next(name for name in places if name != "to")
    place = address_of(held[named], asked.query, asked.table)
    assert place is not None
    return {**places, named: place}


@dataclass(frozen=True)
class Told:
    """Plain data, as results have it."""

    plain: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return dict(self.plain)


@dataclass(frozen=True)
class Shown:
    """Where a result goes: as JSON to a file or to standard output ("-"), as a page to the terminal, or nowhere."""

    json: str | None
    quiet: bool = False

    @property
    def file(self) -> Path | None:
        return None if self.json in (None, "-") else Path(str(self.json))

    def write(self, result: Any, data: Any = None) -> None:
        """The file, if one is wanted; with how the data were read, if they are given."""
        if self.file is not None:
            text = json.dumps(_document(result, data), indent=2, ensure_ascii=False)
            write_whole(self.file, f"{text}\n".encode())

    def tell(self, plain: Mapping[str, Any], page: Callable[[], Page | Sequence[Block]] | str) -> None:
        """What a command did that has no result of its own: as plain data, or as a page or a text."""
        result = Told(plain)
        self.write(result)
        if isinstance(page, str) and self.json != "-":
            say("" if self.quiet else page)
        else:
            self.show(result, list if isinstance(page, str) else page)

    def show(
        self, result: Any, page: Callable[[], Page | Sequence[Block]], data: Any = None, last: Sequence[Block] = ()
    ) -> None:
        """The page, or the JSON, or nothing, with how the data were read, if they are given, and `last`."""
        if self.json == "-":
            say(json.dumps(_document(result, data), indent=2) + "\n")
        elif not self.quiet:
            from sordino.cli.page import show
            from sordino.cli.reading import with_reading

            told = page() if data is None else with_reading(page(), data)
            show(told)
            if last:
                show(last)


def _document(result: Any, data: Any) -> dict[str, Any]:
    from sordino.cli.reading import with_reading_key

    plain: dict[str, Any] = result.to_dict()
    return plain if data is None else with_reading_key(plain, data)
