"""What a crowd policy means by the verbs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sordino.data.read_table import read_table
from sordino.data.table import Table
from sordino.engine.local import Watch
from sordino.kinds import Source
from sordino.policy.answer import Answer
from sordino.protect.registry import Method
from toy.policy import CrowdPolicy


def crowds(table: Table, places: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The combination of every row."""
    return list(zip(*(table.columns[place].codes.tolist() for place in places), strict=True))


@dataclass(frozen=True)
class CrowdResult:
    records: int
    people_at_risk: int
    findings: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def answer(self) -> Answer:
        return Answer.FAILS if self.people_at_risk else Answer.HOLDS

    @property
    def holds(self) -> bool:
        return self.answer is Answer.HOLDS

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "crowd",
            "holds": self.holds,
            "answer": str(self.answer),
            "records": self.records,
            "people_at_risk": self.people_at_risk,
            "findings": [],
            "remarks": [],
            "unchecked": [],
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class CrowdCost:
    gone: int

    def to_dict(self) -> dict[str, Any]:
        return {"gone": self.gone}

    def summary(self) -> str:
        return f"{self.gone} rows are gone."


@dataclass(frozen=True)
class CrowdRelease:
    data: Table
    audit_before: CrowdResult
    audit_after: CrowdResult
    method: str
    utility: CrowdCost
    options: Mapping[str, Any] = field(default_factory=dict)

    def write(self, folder: Path, force: bool = False, **more: Any) -> Path:
        del force, more
        Path(folder).mkdir()
        columns = [(column.name, column.texts, column.codes.tolist()) for column in self.data.columns]
        rows = [",".join(name for name, _, _ in columns)]
        rows += [",".join(texts[codes[row]] for _, texts, codes in columns) for row in range(len(self.data))]
        (Path(folder) / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        return Path(folder)

    def summary(self) -> str:
        return self.utility.summary()


def read(data: object, policy: CrowdPolicy | None = None, *, delimiter: str | None = None) -> Source:
    del policy
    return Source(read_table(data, delimiter=delimiter))


def audit(source: Source, policy: CrowdPolicy, *, top: int, missing: str, **limits: Any) -> CrowdResult:
    del top, limits
    found = Counter(crowds(source.data, policy.resolve(source.data, missing)))
    return CrowdResult(len(source.data), sum(size for size in found.values() if size < policy.k))


def protect(
    source: Source, policy: CrowdPolicy, *, method: Method, options: Mapping[str, Any], seed: int | None, **how: Any
) -> CrowdRelease:
    limits = {"top": 0, "missing": how["missing"]}
    before = audit(source, policy, **limits)
    load: Any = method.load()
    kept = load(source.data, policy, seed=seed or 0, jobs=1, watch=Watch(how["progress"]), **options)
    after = audit(Source(kept), policy, **limits)
    assert after.holds
    return CrowdRelease(kept, before, after, method.name, CrowdCost(len(source.data) - len(kept)), options)


def measure(source: Source, after: object, policy: CrowdPolicy | None, **how: Any) -> CrowdCost:
    del policy, how
    return CrowdCost(len(source.data) - len(read_table(after)))


def prove(source: Source, policy: CrowdPolicy, **how: Any) -> bytes:
    del how
    return json.dumps({"data": source.data.fingerprint, "k": policy.k}).encode()
