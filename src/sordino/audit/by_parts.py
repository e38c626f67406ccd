"""The audit of a large safe file, and its proof, a part at a time.

**Why.** If every part of the records is safe, so is the whole: supports add up, and sup(q + e) <= rho sup(q) in every
part gives the same for the sums. The alibis that prove the parts, put together, prove the whole. The converse does not
hold: a part may fail though the whole is safe. Then nothing is decided here, and the whole has to be looked at.

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
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.audit.examination import Examination
from sordino.audit.inference import nothing_found
from sordino.audit.inquiry import Inquiry
from sordino.audit.proof import FORMAT
from sordino.audit.result import ABSENCE_UNKNOWN, AuditResult
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch, run_chunks
from sordino.policy.inference import ResolvedInference

__all__ = ["ProvedParts", "audit_by_parts", "piece_of", "released_parts"]

BY_PARTS = (
    "The file was audited in {:,} parts, each of which is safe by itself; so is the whole, because counts add up."
)
PHASE = "parts of the file"

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Rows = tuple[I32, ...]  # of a proof: record, alibi, units, open


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
    """The alibis of all parts, by the code of their item."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Rows]] = {}

    def add(self, inquiry: Inquiry, records: I64) -> None:
        """Takes what proves a part of which record k is record records[k] of the whole."""
        exam = inquiry.exam
        alibis = dict(inquiry.alibis)
        lacking = np.setdiff1d(inquiry.ranks, list(alibis))
        if len(lacking):
            exam.alibis(lacking, into=alibis)
        first = records[exam.index.first]
        for rank, found in alibis.items():
            whole = ~np.isin(found.served, found.unserved)
            rows = (first[found.served[whole]], first[found.alibi[whole]], found.units[whole], first[found.unserved])
            small = tuple(column.astype(np.int32) for column in rows)
            self._rows.setdefault(int(exam.index.code[rank]), []).append(small)

    def encoded(self, baskets: Baskets, policy: ResolvedInference) -> bytes:
        """The proof of the whole as a file (audit/proof.py): as gzipped JSON, made item by item."""
        digest = hashlib.sha256()
        sink = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=sink, compresslevel=6, mtime=0) as file:
            for text in self._texts(baskets, policy):
                digest.update(text)
                file.write(text)
            digest.update(b"}")
            file.write(b',"sha256":' + json.dumps(digest.hexdigest()).encode() + b"}")
        return sink.getvalue()

    def _texts(self, baskets: Baskets, policy: ResolvedInference) -> Iterator[bytes]:
        """The document without its seal, and without its last bracket."""
        head = {"format": FORMAT, "data": baskets.fingerprint, "records": len(baskets), "knowledge": policy.knowledge}
        yield _json(head)[:-1] + b',"items":{'
        for k, (name, code) in enumerate(sorted((baskets.names[code], code) for code in self._rows)):
            rows = [np.concatenate(column) for column in zip(*self._rows[code], strict=True)]
            order = np.argsort(rows[0], kind="stable")
            entry = {
                "rho": f"{policy.num[code]}/{policy.den[code]}",
                "record": rows[0][order].tolist(),
                "alibi": rows[1][order].tolist(),
                "units": rows[2][order].tolist(),
                "open": np.sort(rows[3]).tolist(),
            }
            yield (b"," if k else b"") + _json(name) + b":" + _json(entry)
        yield b"}"


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
    proved, failed = ProvedParts(), [False]
    served = [0, 0]
    watch.report(PHASE, 0, number)

    def work(worker: int, lot: int) -> None:
        del worker
        records = np.flatnonzero(part == lot)
        if not len(records) or failed[0]:
            return
        inner = Watch()  # what goes on within a part is not told
        inner.stop = watch.stop
        inquiry = Inquiry(Examination(piece_of(baskets, records)[0], resolved, jobs=1, watch=inner))
        inquiry.run(counting=False)
        if not inquiry.holds:
            failed[0] = True
            return
        found[lot] = (inquiry, records)

    found: dict[int, tuple[Inquiry, I64]] = {}

    def after(done: int) -> None:  # one at a time
        for lot in list(found):
            inquiry, records = found.pop(lot)
            proved.add(inquiry, records)
            for k, times in enumerate(inquiry.occurrences()):
                served[k] += times
        watch.report(PHASE, done, number)

    run_chunks(work, range(number), min(jobs, number), after=after, watch=watch)
    if failed[0]:
        return None
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
