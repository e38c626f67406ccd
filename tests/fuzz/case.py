"""A fuzzing case as plain data: made from a seed, stored as JSON, replayed, and shrunk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

__all__ = ["BasketCase", "Case", "DiversityCase", "TemplateCase", "from_json", "to_json"]

Cell = str | int | None


@dataclass(frozen=True, kw_only=True)
class Case:
    """What every case has. `steps` are the dearer checks to run; the cheap ones always do."""

    kind: ClassVar[str]

    number: int = 0
    lot: int = 0  # for all that is drawn while checking, and the seed of the protection
    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    form: str = "list"
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class BasketCase(Case):
    """Baskets and an inference policy. own[u] and less[u]: what person u minds besides, and does not mind after all."""

    kind: ClassVar[str] = "inference"

    records: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...] | None = None
    sensitive: tuple[str, ...] = ()
    rho: str = "1/2"
    rho_of: Mapping[str, str] = field(default_factory=dict)
    adaptive: bool | str | Mapping[str, str] = False
    knowledge: int | None = None
    own: tuple[tuple[str, ...], ...] | None = None
    less: tuple[tuple[str, ...], ...] | None = None
    strangers: bool = False  # the choices also name records and items that there are not
    choices_as: str = "mapping"
    assurance: tuple[str, str, int] | None = None
    ids_as: str = "keep"


@dataclass(frozen=True, kw_only=True)
class TemplateCase(Case):
    """A table and templates: mappings with given, sensitive, at_most, and values or rarest."""

    kind: ClassVar[str] = "template"

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    templates: tuple[Mapping[str, Any], ...]
    class_column: str | None = None
    bins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trees: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # column -> value -> its groups
    symbol: str = "*"
    ids_as: str = "keep"


@dataclass(frozen=True, kw_only=True)
class DiversityCase(Case):
    """A table and a diversity policy. rules: pairs of conditions (column -> value or group) and what they exclude."""

    kind: ClassVar[str] = "diversity"

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sensitive: str
    quasi: tuple[str, ...]
    l: int = 2  # noqa: E741 - the name of the literature
    mined: bool = False
    min_expectation: str = "0.9"
    max_conditions: int | None = 1
    min_confidence: str = "1"
    rules: tuple[tuple[Mapping[str, str], str], ...] = ()
    trees: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    fuzzy: bool = False  # numeric columns with a tree count as fuzzy


KINDS: Mapping[str, type[Case]] = {cls.kind: cls for cls in (BasketCase, TemplateCase, DiversityCase)}


def to_json(case: Case) -> dict[str, Any]:
    """The case as plain data."""
    return {"kind": case.kind, **asdict(case)}


def from_json(content: Mapping[str, Any]) -> Case:
    """The case that `to_json` wrote, also after a way through a file."""
    fields = {name: _frozen(value) for name, value in content.items() if name != "kind"}
    return KINDS[content["kind"]](**fields)


def _frozen(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return {key: _frozen(inner) for key, inner in value.items()} if isinstance(value, dict) else value
