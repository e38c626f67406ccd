"""A made-up table for diversity: who has which disease depends on sex and age, without exception."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

QUASI = ["Age", "Sex", "Town"]
TREE = {
    "name": "*",
    "children": [
        {"name": "young", "children": [{"name": str(age)} for age in range(20, 40)]},
        {"name": "old", "children": [{"name": str(age)} for age in range(40, 60)]},
    ],
}


def people(count: int = 240, seed: int = 0) -> list[dict[str, object]]:
    """No man has "ovarian", no woman "prostate", nobody young "cataract"."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        sex, age = str(rng.choice(["F", "M"])), int(rng.integers(20, 60))
        choices = ["flu", "cold", "asthma", "migraine", "ovarian" if sex == "F" else "prostate"]
        choices += ["cataract"] if age >= 40 else []
        rows.append(
            {
                "Name": f"n{len(rows)}",
                "Age": age,
                "Sex": sex,
                "Town": str(rng.choice(["Aa", "Bb", "Cc"])),
                "Disease": str(rng.choice(choices)),
            }
        )
    return rows


def write_people(folder: Path, *, l: int = 3, more: str = "") -> tuple[Path, Path]:  # noqa: E741
    """The table and a policy about it, as files."""
    data, policy = folder / "people.csv", folder / "policy.toml"
    rows = people()
    lines = [",".join(rows[0]), *(",".join(str(cell) for cell in row.values()) for row in rows)]
    data.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "age.json").write_text(json.dumps(TREE), encoding="utf-8")
    policy.write_text(
        f'kind = "diversity"\nsensitive = "Disease"\nquasi = ["Age", "Sex", "Town"]\nl = {l}\n'
        f'[knowledge]\nmined = true\nmin_expectation = 0.9\n{more}\n[hierarchies]\nAge = "age.json"\n',
        encoding="utf-8",
    )
    return data, policy
