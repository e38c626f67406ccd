"""Releases to be forged, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sordino
from diseased import QUASI, TREE, people
from sordino import NegativeRule

SHOP = [{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}, {"b", "c"}]
POLICY = sordino.InferencePolicy(["x"], "0.5")
RULES = [NegativeRule({"Sex": "M"}, "ovarian"), NegativeRule({"Sex": "F"}, "prostate")]


def written(folder: Path, records: Any = None, policy: Any = POLICY, **options: Any) -> Path:
    """The published part of an honest release."""
    release = sordino.protect(SHOP if records is None else records, policy, seed=1, **options)
    return release.write(folder / "out") / "publish"


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def put(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def diverse(folder: Path, form: str = "permuted", **options: Any) -> tuple[Path, sordino.DiversityPolicy]:
    policy = sordino.DiversityPolicy("Disease", QUASI, 3, hierarchies={"Age": TREE}, **options)
    return written(folder, people(), policy, method="injector", form=form), policy
