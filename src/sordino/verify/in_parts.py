"""A proof of many records, part by part: each part is proved by itself, as if it were all (proof.py).

**Why this suffices.** Every record is in one part. If sup(q + e) * den <= sup(q) * num holds in each part, it holds for
the sums, which are the supports in the whole. So neither the data nor the proof need be looked at all at once, and what
a proof leaves open is searched among the records of its part alone.

The file is gzipped lines of JSON, without blanks: a head, the proof of each part in their order, about the records of
the part in the order of the file, and the sha256 of all lines before:

    {"format":"sordino-proof/2","data":"<fingerprint>","records":5000000,"knowledge":null,"parts":83}
    {"format":"sordino-proof/1",..}
    ..
    {"sha256":".."}

**The part of a record** follows from the published records: it is that of its rarest harmless item, namely the CRC-32
of the item's name, in UTF-8, modulo the number of parts. Of equally rare items the one with the smallest CRC counts, of
these the first by name. Records with nothing harmless are in part 0. Any division would do for the argument; that it
is this one shows that it tells nothing that the records do not.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sordino.data.baskets import Baskets
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.verify.bounded import Effort, LeftOpenError, read_bytes, strict_json, unzipped_pieces
from sordino.verify.proof import STEPS, room_for, verify_baskets
from sordino.verify.verdict import Verdict

__all__ = ["IN_PARTS", "head_of", "verify_file"]

IN_PARTS = "sordino-proof/2"
HEAD = ("format", "data", "records", "knowledge", "parts")
MOST = 100_000  # parts
NAME = "the proof cannot be read"
SHORT = 1 << 12  # bytes of a head


def head_of(path: str | os.PathLike[str]) -> Mapping[str, Any] | None:
    """The head of a proof in parts; None if the file is none."""
    try:
        first = next(_lines(Path(path), 1 << 33, bare=False, most=SHORT), b"")
        head = strict_json(first, "")
    except (InputError, OSError):
        return None
    return head if isinstance(head, dict) and head.get("format") == IN_PARTS else None


def verify_file(
    baskets: Baskets,
    thresholds: Mapping[str, Fraction],
    knowledge: int | None,
    path: str | os.PathLike[str],
    *,
    bare: bool = False,
) -> Verdict:
    """Whether the proof in a file, in parts or whole, shows what `verify_baskets` says."""
    head = head_of(path)
    if head is None:
        return verify_baskets(baskets, thresholds, knowledge, path, bare=bare)
    started = time.perf_counter()
    try:
        verdict = _verify(baskets, thresholds, knowledge, head, Path(path), bare)
    except LeftOpenError as limit:
        verdict = Verdict(Answer.NOT_CHECKED, limit.what, len(thresholds), 0, 0, 0.0)
    except InputError as error:
        verdict = Verdict(Answer.FAILS, error.what, len(thresholds), 0, 0, 0.0)
    return replace(verdict, seconds=time.perf_counter() - started)


def _verify(
    baskets: Baskets,
    thresholds: Mapping[str, Fraction],
    knowledge: int | None,
    head: Mapping[str, Any],
    path: Path,
    bare: bool,
) -> Verdict:
    number = _check_head(head, baskets, knowledge)
    part = _part_of(baskets, thresholds, number)
    order = np.argsort(part, kind="stable")
    bounds = np.searchsorted(part[order], np.arange(number + 1))
    # A head and an empty proof for each part, besides what the rows take.
    room = room_for(baskets, thresholds) + (number + 1) * SHORT
    lines = _lines(path, room, bare=bare)
    effort = Effort(STEPS, "the search of what the proof leaves open")
    first = next(lines)
    _content(first, bare)
    seal = hashlib.sha256(first + b"\n")
    served = searched = 0
    for lot in range(number):
        line = next(lines, b"")
        seal.update(line + b"\n")
        content = _content(line, bare)
        piece = _records(baskets, order[bounds[lot] : bounds[lot + 1]])
        found = verify_baskets(piece, thresholds, knowledge, content, effort=effort)
        if not found.holds:
            return replace(found, reason=f"part {lot + 1} of {number}: {found.reason}")
        served, searched = served + found.served, searched + found.searched
    if _content(next(lines, b""), bare) != {"sha256": seal.hexdigest()}:
        raise InputError("the proof was changed: its own checksum does not fit")
    if next(lines, None) is not None:
        raise InputError("the proof says something that has no place in it")
    return Verdict(Answer.HOLDS, "proved", len(thresholds), served, searched, 0.0)


def _check_head(head: Mapping[str, Any], baskets: Baskets, knowledge: int | None) -> int:
    """The number of parts, if the proof is about these records and this policy."""
    if tuple(head) != HEAD:
        raise InputError("the proof is malformed: its head is not as it should be")
    if type(head["records"]) is not int or head["records"] != len(baskets):
        raise InputError("the proof is about another number of records")
    if head["data"] != baskets.fingerprint:
        raise InputError("the proof is about other data: its fingerprint is not that of the records")
    if type(head["knowledge"]) not in (int, type(None)) or head["knowledge"] != knowledge:
        raise InputError("the proof assumes another limit of knowledge than the policy")
    number = head["parts"]
    if type(number) is not int or not 1 <= number <= MOST:
        raise InputError("the proof is malformed: the number of its parts")
    return number


def _part_of(baskets: Baskets, sensitive: Collection[str], number: int) -> npt.NDArray[np.int32]:
    """The part of every record, as the head of this file says."""
    names, supports = baskets.names, baskets.supports.tolist()
    crc = {code: zlib.crc32(name.encode("utf-8", "surrogatepass")) for code, name in enumerate(names)}
    harmless = [code for code, name in enumerate(names) if name not in sensitive]
    harmless.sort(key=lambda code: (supports[code], crc[code], names[code]))
    nothing = len(harmless)
    rank = np.full(len(names), nothing, dtype=np.int32)
    rank[harmless] = np.arange(nothing, dtype=np.int32)
    rarest = np.full(len(baskets), nothing, dtype=np.int32)
    filled = np.flatnonzero(np.diff(baskets.indptr))
    if len(filled):
        rarest[filled] = np.minimum.reduceat(rank[baskets.items], baskets.indptr[:-1][filled])
    return np.array([*(crc[code] % number for code in harmless), 0], dtype=np.int32)[rarest]


def _records(baskets: Baskets, which: npt.NDArray[np.integer]) -> Baskets:
    """These records as a table of their own."""
    start, stop = baskets.indptr[which], baskets.indptr[which + 1]
    ptr = np.concatenate([[0], np.cumsum(stop - start)])
    items = baskets.items[np.repeat(start - ptr[:-1], stop - start) + np.arange(int(ptr[-1]))]
    return Baskets(ptr, items, baskets.names)


def _content(line: bytes, bare: bool) -> Mapping[str, Any]:
    try:
        content = strict_json(line, "")
    except InputError:
        raise InputError(f"{NAME}: it is not valid JSON") from None
    if not isinstance(content, dict):
        raise InputError(f"{NAME}: it is not a JSON object")
    if bare and line != json.dumps(content, separators=(",", ":")).encode():
        raise InputError("the proof is written in another way than it should be")
    return content


def _lines(path: Path, room: int, *, bare: bool, most: int | None = None) -> Iterator[bytes]:
    """The lines of a gzipped file; every one ends. Of a line of more than `most` bytes there is nothing."""
    rest: list[bytes] = []
    for piece in unzipped_pieces(read_bytes(path, room), NAME, room, bare=bare):
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest = []
        rest.append(last)
        if most is not None and sum(map(len, rest)) > most:
            return
    if any(rest):
        raise InputError(f"{NAME}: its last line has no end")
