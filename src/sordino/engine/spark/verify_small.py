"""A release that was made in a cluster, verified on one machine that can hold it: by the verifier of local releases."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from sordino.data.baskets import Baskets
from sordino.engine.spark.manifest import SparkManifest
from sordino.engine.spark.place import Place
from sordino.engine.spark.readme import check_readme
from sordino.engine.spark.verify import read_manifest
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.inference import InferencePolicy
from sordino.verify.classes import classes_of
from sordino.verify.proof import FORMAT, verify_baskets
from sordino.verify.shapes.absence import count_twins
from sordino.verify.verdict import Verdict

__all__ = ["verify_small"]


def verify_small(place: Place, policy: InferencePolicy | None = None) -> Verdict:
    """Whether a release in a folder of this machine is whole and keeps what it promises, or what the policy demands."""
    start = time.monotonic()
    try:
        manifest = read_manifest(place)
        return _judged(place, manifest, manifest.policy if policy is None else policy)
    except InputError as error:
        reason = error.what
    except PolicyError as error:
        reason = str(error)
    return Verdict(Answer.FAILS, reason, 0, 0, 0, time.monotonic() - start)


def _judged(place: Place, manifest: SparkManifest, policy: InferencePolicy) -> Verdict:
    publish = place.publish
    if policy.personal or policy.assurance is not None:
        raise InputError("the policy is about something else than what such a release can show")
    policy.check_stated()
    stray = place.undeclared(manifest.files)
    if stray is not None:
        raise InputError(f"{stray} is not in the manifest")
    _check_files(publish, manifest)
    baskets, item = _records(publish, manifest)
    check_readme(place, manifest, item)
    resolved = policy.resolve(baskets, missing="accept")
    if policy.absent is not None or manifest.policy.absent is not None:
        pairs, wrong = count_twins(baskets, resolved.comparison)
        answer = Answer.FAILS if wrong else Answer.HOLDS
        return Verdict(answer, wrong or "counted", len(resolved.comparison), pairs, 0, 0.0)
    proof = _proof(
        publish, baskets, {name: f"{r.numerator}/{r.denominator}" for name, r in resolved.comparison.items()}
    )
    proof |= {"knowledge": resolved.knowledge}
    text = json.dumps(proof, separators=(",", ":")).encode()
    return verify_baskets(
        baskets, resolved.comparison, resolved.knowledge, {**proof, "sha256": hashlib.sha256(text).hexdigest()}
    )


def _check_files(publish: Path, manifest: SparkManifest) -> None:
    there = {
        str(path.relative_to(publish)) for folder in ("data", "proof") for path in (publish / folder).glob("*.parquet")
    }
    for name in sorted(manifest.files.keys() - there):
        raise InputError(f"{name} is missing")
    for name in sorted(there - manifest.files.keys()):
        raise InputError(f"{name} is not in the manifest")
    for name, (size, sha) in sorted(manifest.files.items()):
        with open(publish / name, "rb") as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == sha
        if not same or (publish / name).stat().st_size != size:
            raise InputError(f"{name} was changed: its checksum is not that of the manifest")


def _table(publish: Path, folder: str) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = [pq.read_table(path) for path in sorted((publish / folder).glob("*.parquet"))]
    if not tables:
        raise InputError(f"there is nothing in {folder}")
    return pa.concat_tables(tables)


def _records(publish: Path, manifest: SparkManifest) -> tuple[Baskets, str]:
    """The records, and how their column is called."""
    table = _table(publish, "data").sort_by("record")
    columns = [name for name in table.column_names if name != "record"]
    if len(columns) != 1 or table.num_rows != manifest.records:
        raise InputError("the data are not what the manifest speaks of")
    if table.column("record").to_pylist() != list(range(1, manifest.records + 1)):
        raise InputError("records are not numbered from 1 on, or two have the same number")
    listed = table.column(columns[0]).to_pylist()
    if any(held is None or None in held or len(set(held)) < len(held) for held in listed):
        raise InputError("a record holds an item twice, or none where it should")
    return Baskets.from_sets(listed), columns[0]


def _proof(publish: Path, baskets: Baskets, rho: dict[str, str]) -> dict[str, Any]:
    """The rows of the proof, as a proof of local releases has them: there records count from 0."""
    table = _table(publish, "proof")
    if table.column_names != ["item", "record", "alibi", "units"]:
        raise InputError("the proof has other columns than it should")
    entries: dict[str, Any] = {}
    for row in table.to_pylist():
        entry = entries.setdefault(
            row["item"], {"rho": rho.get(row["item"]), "record": [], "alibi": [], "units": [], "open": []}
        )
        if row["alibi"] is None:
            entry["open"].append(row["record"] - 1)
            continue
        for name, value in (("record", row["record"] - 1), ("alibi", row["alibi"] - 1), ("units", row["units"])):
            entry[name].append(value)
    fingerprint = classes_of(baskets).fingerprint
    return {"format": FORMAT, "data": fingerprint, "records": len(baskets), "knowledge": None, "items": entries}
