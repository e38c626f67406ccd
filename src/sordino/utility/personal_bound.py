"""How little can be lost where people chose for themselves (docs/notes/bound.md).

*Guarantee.* No release that is made by deleting and is safe against every adversary (u, q) has fewer deletions.

*Argument.* That of bound.py, with the rules that are asked about: q -> e, if somebody who has q in the original finds e
sensitive. Of a record of more than 15 items, pieces of up to 12 are looked at one by one: what is kept of a piece is
part of what is kept. And what somebody with this record minds is asked about whatever else is known of the record: so
the count of sizes (kernels/kept.py) holds with these items as the sensitive ones, against unlimited knowledge.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from sordino.audit.index import RecordIndex
from sordino.engine.local import Watch, run_chunks
from sordino.policy.choices import EVERYBODY, PersonalChoices
from sordino.utility.kernels.around import MOST, Minds, make_room

__all__ = ["personally_kept", "wishes_by_class"]

PIECE = 12  # items of a piece of a longer record, at most
EFFORT = 400_000  # postings that may be read to try the parts of one record
LITTLE = 2_000  # postings that may be read to try its parts of two items
CHUNK = 256  # units that a thread takes at a time

I64 = npt.NDArray[np.int64]


def personally_kept(
    index: RecordIndex, choices: PersonalChoices, demand: I64, known: int, *, jobs: int, watch: Watch
) -> I64:
    """By class, how many items of a record can be kept at most. By rank: the alibis that an item needs."""
    from sordino.utility.kernels.kept import most_kept
    from sordino.utility.kernels.personal_kept import Needs, Pieces, personal_kept

    lengths = np.diff(index.ptr)
    number = np.where(lengths > MOST, -(-lengths // PIECE), 1)
    of = np.repeat(np.arange(index.classes), number)
    which = np.arange(len(of)) - np.repeat(np.cumsum(number) - number, number)
    ends = index.ptr[of] + (which + 1) * lengths[of] // number[of]
    unit_ptr = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    by_length = np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)).astype(np.int64)
    row = choices.row[index.code]
    wish = wishes_by_class(choices, index)
    kept = np.zeros(len(of), dtype=np.int64)
    pieces, needs = Pieces(unit_ptr, index.items, of), Needs(demand, known, EFFORT, LITTLE)
    room = [(Minds(row, wish, np.empty(1 << MOST, np.int64)), make_room(index.classes)) for _ in range(jobs)]

    def work(worker: int, lo: int) -> None:
        hi = min(lo + CHUNK, len(of))
        personal_kept(lo, hi, pieces, index, by_length, needs, *room[worker], kept, watch.stop)

    long = np.flatnonzero(lengths > MOST) if known >= lengths.max(initial=0) - 1 else np.zeros(0, dtype=np.int64)
    by_size = lengths.copy()
    more_room = [
        (np.full(index.classes, -1, np.int32), np.empty((index.classes, 3), np.int64), np.zeros(index.width, np.bool_))
        for _ in range(jobs)
    ]

    def measure(worker: int, c: int) -> None:
        seen, alibis, own = more_room[worker]
        items = index.items[index.ptr[c] : index.ptr[c + 1]]
        own[items] = _minded(row[items], wish, c)
        most_kept(c, c + 1, index, by_length, own, demand, seen, alibis, by_size, watch.stop)
        own[items] = False

    chunks = range(0, len(of), CHUNK)[::-1]
    report = partial(watch.report, "the least possible loss", of=len(chunks))
    run_chunks(work, chunks, jobs, after=report, watch=watch)
    run_chunks(measure, long.tolist(), jobs, watch=watch)
    in_pieces = np.zeros(index.classes, dtype=np.int64)
    np.add.at(in_pieces, of, kept)
    return np.minimum(in_pieces, by_size)


def _minded(row: I64, wish: npt.NDArray[np.uint64], c: int) -> npt.NDArray[np.bool_]:
    """Which of the items with these rows somebody of class c finds sensitive."""
    said = (wish[np.maximum(row, 0), c >> 6] >> np.uint64(c & 63)) & np.uint64(1) != 0
    minded: npt.NDArray[np.bool_] = np.where(row >= 0, said, row == EVERYBODY)
    return minded


def wishes_by_class(choices: PersonalChoices, index: RecordIndex) -> npt.NDArray[np.uint64]:
    """Bits by class instead of record: whether somebody of the class chose the item of the row."""
    wish = np.zeros((max(len(choices.bits), 1), (index.classes + 63) // 64), dtype=np.uint64)
    there = np.flatnonzero(index.class_of >= 0)
    of = index.class_of[there].astype(np.int64)
    for k in range(len(choices.bits)):
        word = choices.bits[k, there >> 6]
        classes = of[(word >> (there & 63).astype(np.uint64)) & np.uint64(1) != 0]
        chosen = np.zeros(64 * wish.shape[1], dtype=np.bool_)
        chosen[classes] = True
        wish[k] = np.packbits(chosen, bitorder="little").view(np.uint64)
    return wish
