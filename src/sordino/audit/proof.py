"""The proof of a safe file: the alibi assignment, in a form that anybody can check in one pass.

The document names a class of equal records by its first record. For every sensitive item it says which class vouches
for which, with how many units, and which classes the assignment leaves open; those the verifier searches itself. The
format is described, and checked, in verify/proof.py, which shares no code with this room.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from sordino.audit.examination import Alibis, Examination
from sordino.audit.inquiry import Inquiry
from sordino.data.baskets import Baskets
from sordino.engine.local import Progress, Watch, thread_count
from sordino.errors import InputError
from sordino.policy.inference import ResolvedInference

__all__ = ["FORMAT", "encode_proof", "make_proof", "proof_of", "write_proof"]

FORMAT = "sordino-proof/1"


def make_proof(
    baskets: Baskets,
    policy: ResolvedInference,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    inquiry: Inquiry | None = None,
) -> dict[str, Any]:
    """The proof that `baskets` satisfy `policy`; only meaningful if an audit says so.

    `inquiry` is what that audit kept of the same baskets and policy: the alibis that it found are taken from there.
    """
    if policy.policy.absent is not None:
        raise InputError(
            "alibis prove nothing about knowledge of what people do not have",
            hint="No proof is needed: whoever has the file can count. Run: sordino verify on the release folder.",
        )
    watch, threads = Watch(progress), thread_count(jobs)
    return watch.aside(lambda: _make(baskets, policy, threads, watch, inquiry))


def _make(
    baskets: Baskets, policy: ResolvedInference, jobs: int, watch: Watch, inquiry: Inquiry | None
) -> dict[str, Any]:
    if inquiry is None:
        inquiry = Inquiry(Examination(baskets, policy, jobs=jobs, watch=watch))
    return proof_of(baskets, policy, inquiry)


def proof_of(baskets: Baskets, policy: ResolvedInference, inquiry: Inquiry) -> dict[str, Any]:
    """The proof from what an audit of the baskets kept."""
    exam, alibis = inquiry.exam, dict(inquiry.alibis)
    lacking = np.setdiff1d(inquiry.ranks, list(alibis))
    if len(lacking):
        exam.alibis(lacking, into=alibis)
    by_name = sorted((baskets.names[exam.index.code[rank]], rank) for rank in alibis)
    document = {
        "format": FORMAT,
        "data": baskets.fingerprint,
        "records": len(baskets),
        "knowledge": policy.knowledge,
        "items": {name: _entry(exam, rank, alibis[rank]) for name, rank in by_name},
    }
    return {**document, "sha256": hashlib.sha256(_text(document)).hexdigest()}


def _entry(exam: Examination, rank: int, alibis: Alibis) -> dict[str, Any]:
    first = exam.index.first
    whole = ~np.isin(alibis.served, alibis.unserved)  # what an open class got in part proves nothing
    return {
        "rho": f"{exam.num[rank]}/{exam.den[rank]}",
        "record": first[alibis.served[whole]].tolist(),
        "alibi": first[alibis.alibi[whole]].tolist(),
        "units": alibis.units[whole].tolist(),
        "open": np.sort(first[alibis.unserved]).tolist(),
    }


def encode_proof(document: dict[str, Any]) -> bytes:
    """The document as gzipped JSON: the same document, the same bytes."""
    return gzip.compress(_text(document), compresslevel=6, mtime=0)


def _text(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def write_proof(document: dict[str, Any], path: str | Path) -> None:
    """Writes the proof; the file is there whole or not at all."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(encode_proof(document))
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):  # a disk that is read-only refuses even to look whether it is there
            part.unlink(missing_ok=True)
