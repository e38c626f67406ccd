"""The independent verifier: checks the proof of a release against its data, without trusting what made either.

It shares no code with the audit and the methods, only the data as they were read (`data`) and the policy (`policy`). A
proof (docs/notes/model.md 1.2) is a gzipped JSON object:

    {"format": "sordino-proof/1", "data": "<fingerprint>", "records": 5000, "knowledge": null,
     "items": {"insulin": {"rho": "1/2", "record": [..], "alibi": [..], "units": [..], "open": [..]}},
     "sha256": ".."}

Equal records form a class, named by the index (from 0) of its first record. For an item e with rho = num/den, a class
of w records with e, and with something beside e, demands w * (den - num) units; a class of w records without e can give
w * num. Row k of the proof: class record[k] gets units[k] from its alibi, class alibi[k], which lacks e and has all
other items of record[k]. A class not in `open` gets exactly what it demands; one in `open` may get less.

**Why this suffices.** Take any non-empty q without e, and the classes that hold q and e. Suppose none of them is open.
Each is paid in full, and only by alibis, which hold q too and lack e. No alibi pays more than it has, so
sup(q + e) * (den - num) <= (sup(q) - sup(q + e)) * num; adding sup(q + e) * num to both sides, the confidence of q -> e
is at most num/den. If one of them is open, q is a part of it, and every part of an open class is examined here
(`opensearch`). If no class holds q and e, there is nothing to infer. So nothing that the proof claims is believed: it
only says where to look. The last entry is the sha256 of the rest, as JSON without blanks. It adds nothing to the
argument, but a proof that was changed into another one that also proves it should not pass for the one that was made.

A proof that is wrong in any way gives a verdict that does not hold, with a reason; it never raises. Reasons name items
of the policy and numbers of records (from 0, as in the proof), never what a record contains. A proof that is larger
than any that such data need, or leaves more open than can be searched, gives a verdict "not checked".

Of millions of records, a file holds a proof for each part of them (in_parts.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sordino.data.baskets import Baskets
from sordino.errors import InputError
from sordino.policy.answer import Answer
from sordino.verify.bounded import Effort, LeftOpenError, read_bytes, strict_json, unzipped
from sordino.verify.classes import Classes, classes_of
from sordino.verify.opensearch import OpenSearch, RecordBits
from sordino.verify.verdict import Verdict

__all__ = ["FORMAT", "STEPS", "Verdict", "load_proof", "room_for", "verify_baskets"]

FORMAT = "sordino-proof/1"
GZIP_MAGIC = b"\x1f\x8b"
HEAD = frozenset({"format", "data", "records", "knowledge", "items", "sha256"})
ENTRY = frozenset({"rho", "record", "alibi", "units", "open"})
SPARE, ROW, ROOM = 1 << 25, 64, 1 << 33  # bytes of a proof: to spare, for each row that may be needed, at the most
STEPS = 50_000_000_000  # for all searches of one proof together


class _RefusedError(Exception):
    """The proof does not show what it should; the text says why. Never leaves this module."""


def load_proof(path: str | os.PathLike[str], room: int = ROOM, *, bare: bool = False) -> Mapping[str, Any]:
    """The content of a proof file, gzipped or plain; an InputError if it is not a JSON object.

    LeftOpenError if it holds more than `room` bytes. bare: an InputError if the gzip data hold anything else.
    """
    problem = "the proof cannot be read"
    if not Path(path).is_file():
        raise InputError(f"{problem}: there is no such file")
    raw = read_bytes(Path(path), room)
    if bare or raw.startswith(GZIP_MAGIC):
        raw = unzipped(raw, problem, room, bare=bare)
    try:
        content = strict_json(raw, "")
    except InputError:
        raise InputError(f"{problem}: it is not valid JSON") from None
    if not isinstance(content, dict):
        raise InputError(f"{problem}: it is not a JSON object")
    if bare and raw != json.dumps(content, separators=(",", ":")).encode():
        raise InputError("the proof is written in another way than it should be")
    return content


def verify_baskets(
    baskets: Baskets,
    thresholds: Mapping[str, Fraction],
    knowledge: int | None,
    proof: Mapping[str, Any] | str | os.PathLike[str],
    *,
    bare: bool = False,
    effort: Effort | None = None,
) -> Verdict:
    """Whether the proof shows that no q of at most `knowledge` items (None: of any number) discloses a sensitive item.

    `thresholds` maps every sensitive item of the policy to its rho; `proof` is the content or the path of a proof file;
    bare: nothing but the proof may be in that; effort: what searching may cost, this proof and others.
    """
    started = time.perf_counter()
    served = searched = 0
    answer, reason = Answer.FAILS, ""
    try:
        _check_policy(thresholds, knowledge)
        content = proof if isinstance(proof, Mapping) else load_proof(proof, room_for(baskets, thresholds), bare=bare)
        table = classes_of(baskets)
        bits = RecordBits(table)
        effort = effort or Effort(STEPS, "the search of what the proof leaves open")
        entries = _entries(content, table, thresholds, knowledge)
        for item, rho in sorted(thresholds.items()):
            by_alibi, by_search = _check_item(item, rho, knowledge, entries.get(item), bits, effort)
            served += by_alibi
            searched += by_search
        _check_seal(content)
        answer, reason = Answer.HOLDS, "proved"
    except _RefusedError as refusal:
        reason = str(refusal)
    except LeftOpenError as limit:
        answer, reason = Answer.NOT_CHECKED, limit.what
    except InputError as error:
        reason = error.what
    return Verdict(answer, reason, len(thresholds), served, searched, time.perf_counter() - started)


def room_for(baskets: Baskets, thresholds: Mapping[str, Fraction]) -> int:
    """More bytes than a proof needs: each of its rows spends an alibi, or serves a class in full."""
    count = dict(zip(baskets.names, baskets.supports.tolist(), strict=True))
    rows: int = sum(
        count.get(item, 0) * (2 + rho.denominator // max(rho.numerator, 1)) for item, rho in thresholds.items()
    )
    return int(min(SPARE + ROW * rows + sum(map(len, thresholds)) * 6, ROOM))


def _check_policy(thresholds: Mapping[str, Fraction], knowledge: int | None) -> None:
    for item, rho in thresholds.items():
        if not 0 <= rho <= 1:
            raise _RefusedError(f"the policy's threshold for '{item}' is not between 0 and 1")
    if knowledge is not None and knowledge < 1:
        raise _RefusedError("the policy's limit of knowledge is below 1")


def _entries(
    content: Mapping[str, Any], table: Classes, thresholds: Mapping[str, Fraction], knowledge: int | None
) -> Mapping[str, Any]:
    """The entries of the proof, once its head fits the data and the policy."""
    if content.get("format") != FORMAT:
        raise _RefusedError(f"the proof is not of the format {FORMAT}")
    missing = [key for key in ("data", "records", "knowledge", "items") if key not in content]
    if missing:
        raise _RefusedError(f"the proof has no '{missing[0]}'")
    if not content.keys() <= HEAD:
        raise _RefusedError("the proof says something that has no place in it")
    if type(content["records"]) is not int or content["records"] != table.records:
        raise _RefusedError("the proof is about another number of records")
    if content["data"] != table.fingerprint:
        raise _RefusedError("the proof is about other data: its fingerprint is not that of the records")
    told = content["knowledge"]
    if type(told) not in (int, type(None)) or told != knowledge:
        raise _RefusedError("the proof assumes another limit of knowledge than the policy")
    entries = content["items"]
    if not isinstance(entries, Mapping):
        raise _RefusedError("the proof is malformed: its items are not an object")
    if not entries.keys() <= thresholds.keys():
        raise _RefusedError("the proof speaks of an item that is not sensitive in the policy")
    return entries


def _check_seal(content: Mapping[str, Any]) -> None:
    rest = {key: value for key, value in content.items() if key != "sha256"}
    try:
        text = json.dumps(rest, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):  # made in Python, and holds what no file can
        text = ""
    if content.get("sha256") != hashlib.sha256(text.encode()).hexdigest():
        raise _RefusedError("the proof was changed: its own checksum does not fit")


def _check_item(
    item: str, rho: Fraction, knowledge: int | None, entry: object, bits: RecordBits, effort: Effort
) -> tuple[int, int]:
    """How many classes were shown to be safe for the item, by alibis and by search; _RefusedError if one was not."""
    table = bits.table
    e = table.code_of.get(item)
    needy = [] if e is None else _needy(table, e)
    if entry is None and not needy:
        return 0, 0
    if entry is None:
        raise _RefusedError(f"the proof has no entry for '{item}'")
    if not isinstance(entry, Mapping):
        raise _RefusedError(f"the proof is malformed: the entry for '{item}' is not an object")
    if not entry.keys() <= ENTRY:
        raise _RefusedError(f"the entry for '{item}' in the proof says something that has no place in it")
    if entry.get("rho") != f"{rho.numerator}/{rho.denominator}":
        raise _RefusedError(f"the proof has another threshold for '{item}' than the policy")
    record, alibi, units, unserved = (_whole_numbers(entry, key, item) for key in ("record", "alibi", "units", "open"))
    if not len(record) == len(alibi) == len(units):
        raise _RefusedError(f"the proof is malformed: the columns for '{item}' differ in length")

    served = _named(record, table, item)
    givers = _named(alibi, table, item)
    open_classes = _named(unserved, table, item)
    if e is not None:
        _check_alibis(served, givers, e, table, item)
    demand = {c: int(table.weight[c]) * (rho.denominator - rho.numerator) for c in needy}
    got = _check_units(served, givers, units, demand, rho, table, item)
    _check_open(open_classes, demand, table, item)
    is_open = set(open_classes)
    for c in needy:
        if c not in is_open and got[c] != demand[c]:
            raise _RefusedError(f"record {table.first[c]} has too few alibis for '{item}', and is not listed as open")
    if e is not None and open_classes:
        _search(open_classes, OpenSearch(bits, e, rho, knowledge, effort), item)
    return len(needy) - len(is_open), len(is_open)


def _needy(table: Classes, e: int) -> list[int]:
    """The classes that have e and something beside it."""
    holders = table.holders(e)
    needy: list[int] = holders[table.lengths(holders) > 1].tolist()
    return needy


def _whole_numbers(entry: Mapping[str, Any], key: str, item: str) -> list[int]:
    column = entry.get(key)
    if not isinstance(column, list) or not set(map(type, column)) <= {int}:
        raise _RefusedError(f"the proof is malformed: '{key}' for '{item}' is not a list of whole numbers")
    return column


def _named(records: list[int], table: Classes, item: str) -> list[int]:
    """The classes that the records name."""
    if not records:
        return []
    if min(records) < 0 or max(records) >= table.records:
        raise _RefusedError(f"the proof for '{item}' names a record that does not exist")
    classes = table.class_named[records]
    if classes.min() < 0:
        stray = records[int(np.argmin(classes))]
        raise _RefusedError(f"the proof for '{item}' names record {stray}, which is not the first of its kind")
    named: list[int] = classes.tolist()
    return named


def _check_alibis(served: list[int], givers: list[int], e: int, table: Classes, item: str) -> None:
    """Every giver lacks e and has all the other items of the class it serves."""
    inner, outer = np.array(served, dtype=np.int64), np.array(givers, dtype=np.int64)
    guilty = table.contains(outer, e)
    row = int(np.argmax(guilty)) if guilty.any() else table.first_uncovered(inner, outer, e)
    if row is not None:
        raise _RefusedError(
            f"record {table.first[givers[row]]} is no alibi of record {table.first[served[row]]} for '{item}'"
        )


def _check_units(
    served: list[int],
    givers: list[int],
    units: list[int],
    demand: Mapping[int, int],
    rho: Fraction,
    table: Classes,
    item: str,
) -> Mapping[int, int]:
    """What each class got, once nobody gives more than it has or gets more than it demands."""
    if units and min(units) < 1:
        raise _RefusedError(f"the proof for '{item}' gives units below 1")
    got: defaultdict[int, int] = defaultdict(int)
    given: defaultdict[int, int] = defaultdict(int)
    for c, giver, count in zip(served, givers, units, strict=True):
        got[c] += count
        given[giver] += count
    for giver, count in given.items():
        if count > int(table.weight[giver]) * rho.numerator:
            raise _RefusedError(f"record {table.first[giver]} gives more units than it has for '{item}'")
    for c, count in got.items():
        if c not in demand:
            raise _RefusedError(f"record {table.first[c]} needs no alibi for '{item}'")
        if count > demand[c]:
            raise _RefusedError(f"record {table.first[c]} gets more units than it needs for '{item}'")
    return got


def _check_open(open_classes: list[int], demand: Iterable[int], table: Classes, item: str) -> None:
    if len(set(open_classes)) < len(open_classes):
        raise _RefusedError(f"the proof lists an open record for '{item}' twice")
    stray = set(open_classes).difference(demand)
    if stray:
        raise _RefusedError(f"record {table.first[min(stray)]} is listed as open for '{item}', but needs no alibi")


def _search(open_classes: list[int], search: OpenSearch, item: str) -> None:
    """Examine every part of every open class; a class inside one already examined has no parts of its own."""
    table = search.table
    examined: defaultdict[int, list[frozenset[int]]] = defaultdict(list)  # by each of their items
    for _, c in sorted((-len(table.items_of(c)), c) for c in open_classes):
        content = frozenset(table.items_of(c).tolist())
        among = min((examined[code] for code in content), key=len)  # a larger one is found by any item of this one
        if any(content <= larger for larger in among):
            continue
        if search.discloses(c):
            raise _RefusedError(f"part of record {table.first[c]} discloses '{item}' beyond its threshold")
        for code in content:
            examined[code].append(content)
