"""The audit of a large safe file, and its proof, a part at a time.

**Why.** If every part of the records is safe, so is the whole: supports add up, and sup(q + e) <= rho sup(q) in every
part gives the same for the sums. So the proofs of the parts, one after the other, are a proof of the whole. The
converse does not hold: a part may fail though the whole is safe. Then nothing is decided here, and the whole has to be
looked at.

**What it tells.** The parts are made of the records as they are published, by their rarest harmless item
(`released_parts`): equal records are in the same part, and who has the file can make the same parts. So a proof that
speaks of a part tells nothing that the file does not.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Examination
from sordino.audit.inference import nothing_found
from sordino.audit.inquiry import Inquiry
from sordino.audit.proof import proof_of
from sordino.audit.result import ABSENCE_UNKNOWN, AuditResult
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference

__all__ = ["ProvedParts", "audit_by_parts", "piece_of", "released_parts"]

BY_PARTS = (
    "The file was audited in {:,} parts, each of which is safe by itself; so is the whole, because counts add up."
)
PHASE = "parts of the file"
IN_PARTS = "sordino-proof/2"  # as verify/in_parts.py, which shares no code with this room, expects it

I64 = npt.NDArray[np.int64]


def released_parts(baskets: Baskets, sensitive: npt.NDArray[np.bool_], number: int) -> I64:
    """The part of every record, by its rarest harmless item: a function of these records alone, in whatever codes.

    Of equally rare items the one with the smallest hash counts. Who has nothing harmless is in part 0.
    """
    width = len(baskets.names)
    hashes = np.array([zlib.crc32(name.encode("utf-8", "surrogatepass")) for name in baskets.names], dtype=np.int64)
    order = np.lexsort((np.array(baskets.names, dtype=object), hashes, baskets.supports)) if width else np.empty(0, int)
    order = order[np.argsort(sensitive[order], kind="stable")]  # those that are sensitive last
    rank = np.empty(width, dtype=np.int32)
    rank[order] = np.arange(width, dtype=np.int32)
    rarest = np.full(len(baskets), width, dtype=np.int32)
    filled = np.flatnonzero(baskets.lengths)
    if len(filled):
        rarest[filled] = np.minimum.reduceat(rank[baskets.items], baskets.indptr[:-1][filled])
    lot = np.zeros(width + 1, dtype=np.int64)
    harmless = width - int(np.count_nonzero(sensitive))
    lot[:harmless] = hashes[order[:harmless]] % number
    return lot[rarest]


def piece_of(baskets: Baskets, records: I64) -> tuple[Baskets, I64]:
    """These records (ascending), in the same codes, and the places of their occurrences."""
    lengths = baskets.lengths[records]
    ptr = np.zeros(len(records) + 1, dtype=np.int64)
    np.cumsum(lengths, out=ptr[1:])
    places = np.repeat(baskets.indptr[:-1][records] - ptr[:-1], lengths) + np.arange(int(ptr[-1]))
    return Baskets(ptr, baskets.items[places], baskets.names), places


class ProvedParts:
    """The proofs of all parts, packed."""

    def __init__(self, number: int) -> None:
        self._packed: dict[int, bytes] = {}
        self._number = number

    def add(self, lot: int, piece: Baskets, policy: ResolvedInference, inquiry: Inquiry) -> None:
        """Takes what proves a part, from the audit that found it safe."""
        self._packed[lot] = zlib.compress(_json(proof_of(piece, policy, inquiry)), 1)

    def encoded(self, baskets: Baskets, policy: ResolvedInference) -> bytes:
        """The proof as a file: gzipped lines, as verify/in_parts.py describes them."""
        digest, sink = hashlib.sha256(), io.BytesIO()
        head = {
            "format": IN_PARTS,
            "data": baskets.fingerprint,
            "records": len(baskets),
            "knowledge": policy.knowledge,
            "parts": self._number,
        }
        with gzip.GzipFile(filename="", mode="wb", fileobj=sink, compresslevel=6, mtime=0) as file:
            for line in chain([_json(head)], self._lines(baskets, policy)):
                digest.update(line + b"\n")
                file.write(line + b"\n")
            file.write(_json({"sha256": digest.hexdigest()}) + b"\n")
        return sink.getvalue()

    def _lines(self, baskets: Baskets, policy: ResolvedInference) -> Iterator[bytes]:
        """The proof of each part; one that nobody is in has a proof, too."""
        for lot in range(self._number):
            if lot in self._packed:
                yield zlib.decompress(self._packed[lot])
            else:
                nobody = Baskets(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), baskets.names)
                yield _json(proof_of(nobody, policy, Inquiry(Examination(nobody, policy, jobs=1, watch=Watch()))))


def _json(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def audit_by_parts(
    baskets: Baskets, resolved: ResolvedInference, number: int, *, jobs: int, watch: Watch
) -> tuple[AuditResult, ProvedParts] | None:
    """The audit of records each part of which is safe by itself, and what proves it; None if one of them is not.

    Parts are worked on by threads, each part by one.
    """
    start = time.monotonic()
    part = released_parts(baskets, resolved.sensitive, number)
    proved, failed = ProvedParts(number), [False]
    watch.report(PHASE, 0, number)

    def work(worker: int, lot: int) -> None:
        del worker
        records = np.flatnonzero(part == lot)
        if not len(records) or failed[0]:
            return
        inner = Watch()  # what goes on within a part is not told
        inner.stop = watch.stop
        piece = piece_of(baskets, records)[0]
        inquiry = Inquiry(Examination(piece, resolved, jobs=1, watch=inner))
        inquiry.run(counting=False)
        if not inquiry.holds:
            failed[0] = True
            return
        proved.add(lot, piece, resolved, inquiry)
        found[lot] = inquiry.occurrences()

    found: dict[int, tuple[int, int]] = {}

    def after(done: int) -> None:
        watch.report(PHASE, done, number)

    run_chunks(work, range(number), min(jobs, number), after=after, watch=watch)
    if failed[0]:
        return None
    served = [sum(counts) for counts in zip((0, 0), *found.values(), strict=True)]
    common = nothing_found(baskets, resolved)
    items = int(np.count_nonzero(baskets.supports[resolved.sensitive]))
    result = replace(
        common,
        proved_items=items if not served[1] else 0,
        searched_items=0 if not served[1] else items,
        proved_occurrences=served[0],
        searched_occurrences=served[1],
        remarks=(*common.remarks, BY_PARTS.format(number), ABSENCE_UNKNOWN),
        seconds=time.monotonic() - start,
    )
    return result, proved
