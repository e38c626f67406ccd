"""A case in sordino's terms: its data, its policy, the release and its folder, each made when first asked for."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import sordino
from fuzz import forms, table_forms
from fuzz.case import BasketCase, Case, DiversityCase, TemplateCase
from sordino.policy.assurance import Assurance
from sordino.policy.choices import Choices

__all__ = ["Made", "MadeBaskets", "MadeDiversity", "MadeTemplate", "made_of"]


class Made(ABC):
    """What all kinds share. Files lie in `home`, which is the case's own."""

    def __init__(self, case: Any, home: Path) -> None:
        self.case, self.home = case, home
        self.refused = False  # whether there is no release, and rightly so

    @cached_property
    def rng(self) -> np.random.Generator:
        """For what is drawn while checking."""
        return np.random.default_rng(self.case.lot)

    @property
    @abstractmethod
    def data(self) -> Any: ...

    @property
    @abstractmethod
    def policy(self) -> Any: ...

    def protect(self, jobs: int = 1, data: Any = None) -> Any:
        """A release of the data of the case, or of others; the same every time."""
        case = self.case
        return sordino.protect(
            self.data if data is None else data,
            self.policy,
            method=case.method,
            seed=case.lot,
            jobs=jobs,
            missing="accept",
            **self.how,
            **self.options,
        )

    def audit(self, data: Any = None, **more: Any) -> Any:
        """What sordino says about the data of the case, or about others."""
        given = {"jobs": 1, "missing": "accept", **more}
        return sordino.audit(self.data if data is None else data, self.policy, **given)

    @property
    def how(self) -> dict[str, Any]:
        return {}

    @property
    def options(self) -> Mapping[str, Any]:
        return self.case.options

    @cached_property
    def release(self) -> Any:
        return self.protect()

    @cached_property
    def folder(self) -> Path:
        return Path(self.release.write(self.home / "out", jobs=1))

    @property
    @abstractmethod
    def policy_file(self) -> Path:
        """The policy as a file, with all that it names beside it."""


class MadeBaskets(Made):
    case: BasketCase

    @cached_property
    def source(self) -> Any:
        return forms.source(self.case, self.home)

    @cached_property
    def data(self) -> sordino.Baskets:
        stated = forms.FORMS[self.case.form].stated
        return sordino.read_baskets(self.source, **stated)

    @cached_property
    def records(self) -> list[frozenset[str]]:
        return [frozenset(record) for record in self.case.records]

    @cached_property
    def policy(self) -> sordino.InferencePolicy:
        case = self.case
        return sordino.InferencePolicy(
            case.sensitive,
            case.rho,
            rho_of=case.rho_of,
            adaptive=case.adaptive,
            knowledge=case.knowledge,
            per_record=self._choices("choices", case.own),
            except_for=self._choices("exceptions", case.less),
            assurance=None if case.assurance is None else Assurance(*case.assurance),
        )

    @property
    def how(self) -> dict[str, Any]:
        return {"ids": self.case.ids_as}

    def _choices(self, name: str, held: tuple[tuple[str, ...], ...] | None) -> Any:
        case = self.case
        if held is None:
            return None
        keys = case.ids or tuple(map(str, range(len(held))))
        chosen: dict[Any, list[str]] = {key: list(items) for key, items in zip(keys, held, strict=True) if items}
        if case.strangers:
            chosen |= {"nobody": ["i0"], "99999": ["nothing"]}
        pairs = [(key, item) for key, items in chosen.items() for item in items]
        if case.choices_as == "pairs":
            return pairs
        if case.choices_as == "matrix" and case.ids is None and not case.strangers:
            names = sorted({item for _, item in pairs})
            matrix = np.array([[name in items for items in held] for name in names], dtype=np.bool_)
            return Choices.of_matrix(matrix.reshape(len(names), len(held)), names)
        if case.choices_as in ("csv", "parquet") and pairs:
            return self._choices_file(name, pairs)
        return chosen

    def _choices_file(self, name: str, pairs: list[tuple[str, str]]) -> str:
        import csv

        import pyarrow as pa
        from pyarrow import parquet

        path = self.home / f"{name}.{self.case.choices_as}"
        if self.case.choices_as == "csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([("record", "item"), *pairs])
        else:
            columns = {"record": [key for key, _ in pairs], "item": [item for _, item in pairs]}
            parquet.write_table(pa.table(columns), path)
        return str(path)

    @property
    def policy_file(self) -> Path:
        from pyarrow import parquet

        from sordino.policy.file import write_policy

        folder = self.home / "policy"
        folder.mkdir(exist_ok=True)
        for name, choices in (("choices", self.policy.per_record), ("exceptions", self.policy.except_for)):
            if choices is not None:
                parquet.write_table(choices.to_arrow(), folder / f"{name}.parquet")
        path = folder / "policy.toml"
        path.write_text(write_policy(self.policy), encoding="utf-8")
        return path


class MadeTable(Made):
    """What the two kinds about tables share."""

    case: TemplateCase | DiversityCase

    @cached_property
    def source(self) -> Any:
        return table_forms.source(self.case, self.home)

    @cached_property
    def data(self) -> sordino.Table:
        return sordino.read_table(self.source)

    @cached_property
    def rows(self) -> list[dict[str, str | None]]:
        """The cells as texts."""
        return table_forms.texts(self.case.columns, self.case.rows)

    @cached_property
    def trees(self) -> dict[str, dict[str, tuple[str, ...]]]:
        return {name: dict(paths) for name, paths in self.case.trees.items()}

    def _files(self) -> tuple[Path, dict[str, str]]:
        """A folder with the hierarchies in it, and their names by column."""
        folder = self.home / "policy"
        folder.mkdir(exist_ok=True)
        names = {}
        for column, paths in self.trees.items():
            names[column] = f"{column}.json"
            nested: dict[str, Any] = {}
            for value, above in paths.items():
                place = nested
                for group in reversed(above):
                    place = place.setdefault(group, {})
                place[value] = {}
            (folder / names[column]).write_text(json.dumps(nested), encoding="utf-8")
        return folder, names


class MadeTemplate(MadeTable):
    case: TemplateCase

    @property
    def how(self) -> dict[str, Any]:
        return {"ids": self.case.ids_as}

    @cached_property
    def policy(self) -> sordino.TemplatePolicy:
        case = self.case
        return sordino.TemplatePolicy(
            [
                sordino.Template(t["given"], t["sensitive"], t.get("values", ()), t["at_most"], rarest=t.get("rarest"))
                for t in case.templates
            ],
            class_column=case.class_column,
            bins=case.bins,
            hierarchies=self.trees,
            symbol=case.symbol,
        )

    @property
    def policy_file(self) -> Path:
        from sordino.policy.template_file import write

        folder, names = self._files()
        path = folder / "policy.toml"
        path.write_text(write(self.policy, names), encoding="utf-8")
        return path


class MadeDiversity(MadeTable):
    case: DiversityCase

    @cached_property
    def policy(self) -> sordino.DiversityPolicy:
        case = self.case
        return sordino.DiversityPolicy(
            case.sensitive,
            case.quasi,
            case.l,
            mined=case.mined,
            min_expectation=case.min_expectation,
            max_conditions=case.max_conditions,
            min_confidence=case.min_confidence,
            rules=[sordino.NegativeRule(conditions, value) for conditions, value in case.rules],
            hierarchies=self.trees,
            fuzzy=None if case.fuzzy else (),
        )

    @property
    def policy_file(self) -> Path:
        from sordino.policy.diversity_file import write

        folder, names = self._files()
        rules = folder / "rules.json" if self.case.rules else None
        if rules is not None:
            stated = [{"if": dict(conditions), "not": value} for conditions, value in self.case.rules]
            rules.write_text(json.dumps(stated), encoding="utf-8")
        path = folder / "policy.toml"
        path.write_text(write(self.policy, names, None if rules is None else rules.name), encoding="utf-8")
        return path


def made_of(case: Case, home: Path) -> Made:
    """The case in sordino's terms."""
    kinds = {"inference": MadeBaskets, "template": MadeTemplate, "diversity": MadeDiversity}
    return kinds[case.kind](case, home)
