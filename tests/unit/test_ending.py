"""How runs of methods end: what must fall does, errors say what to report, kernels that were stopped leave nothing."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee as expected_order

import sordino
from doors import door
from sordino.data.baskets import Baskets
from sordino.engine.local import Stopped, Watch
from sordino.errors import InternalError
from sordino.protect import jia
from sordino.protect.ending import MustFall, on_own_thread, silent
from sordino.protect.kernels.common import ledger
from sordino.protect.kernels.groups.order import reverse_cuthill_mckee
from sordino.protect.registry import METHODS
from sordino.protect.workspace import Workspace

TABLE = [{"a", "b", "secret"}, {"a", "secret"}, {"a", "b"}, {"b", "secret"}]


# What must fall


def test_a_measure_falls_or_the_loop_ends() -> None:
    falling = MustFall("a loop", 5)
    falling.to(4)
    falling.to(1)
    with pytest.raises(InternalError, match="a loop would never end"):
        falling.to(1)
    pairs = MustFall("another")
    for now in ((3, 9), (3, 8), (2, 100), (2, 99)):
        pairs.to(now)
    with pytest.raises(InternalError):
        pairs.to((2, 99))


def test_a_queue_that_forgets_a_record_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in a kernel ends in an error that says what to report, and quotes nothing of the data."""
    monkeypatch.setattr(sys.modules[Workspace.__module__], "suppress", lambda *_: -1)  # "nobody waits"
    baskets = Baskets.from_sets(TABLE)
    policy = sordino.InferencePolicy(["secret"], "0.3").resolve(baskets)
    with pytest.raises(InternalError) as error:
        METHODS["mine"].load()(baskets, policy, seed=7, jobs=1, watch=Watch(), again=0)
    said = str(error.value)
    assert "would never end" in said
    assert "method mine, 4 records with 9 occurrences of 3 items, seed 7, jobs 1, again 0" in said
    assert "secret" not in said


def test_what_is_reported_names_options_and_no_paths() -> None:
    def broken(_: object, **__: object) -> None:
        raise InternalError("it broke")

    with pytest.raises(InternalError, match="it broke") as error:
        on_own_thread(broken, "lgps")(TABLE, watch=Watch(), seed=1, hierarchy="/home/alice/tree.csv", divide="valid")
    assert "method lgps, seed 1, hierarchy given, divide valid" in str(error.value)
    assert "alice" not in str(error.value)


# A thread of its own


def test_a_method_runs_on_a_thread_of_its_own() -> None:
    where: list[threading.Thread] = []

    def method(data: object, **_: object) -> object:
        where.append(threading.current_thread())
        return data

    assert on_own_thread(method, "mine")("data", watch=Watch()) == "data"
    assert where[0] is not threading.current_thread()


@pytest.mark.parametrize(
    "name", ["mine", "dist", "exact", "jia", "naka", "naka-sampled", "global", "lgps", "tdcontrol", "cahd"]
)
def test_a_raised_flag_stops_a_method(name: str) -> None:
    """What kernels leave half done is never used: the run raises."""
    rng = np.random.default_rng(0)
    baskets = Baskets.from_sets([{str(i) for i in rng.integers(30, size=6)} for _ in range(200)])
    policy = sordino.InferencePolicy([str(i) for i in range(0, 30, 2)], "0.3").resolve(baskets)
    watch = Watch()
    watch.stop[0] = 1
    with pytest.raises(Stopped):
        METHODS[name].load()(baskets, policy, seed=0, jobs=1, watch=watch)


def test_a_quiet_watch_is_stopped_with_its_owner() -> None:
    told: list[object] = []
    watch = Watch(lambda *said: told.append(said))
    other = silent(watch)
    other.report("phase", 1, 2)
    assert not told
    watch.stop[0] = 1
    assert other.stop[0]


# Long records


def test_many_deletions_at_once_leave_the_ledger_as_one_after_another() -> None:
    rng = np.random.default_rng(3)
    width = ledger.LONG + 200
    items = [f"{k:04}" for k in range(width)]
    table = [
        set(items),
        set(items[: ledger.LONG + 50]),
        *({items[k] for k in rng.integers(width, size=9)} for _ in range(60)),
    ]
    baskets = Baskets.from_sets(table)
    policy = sordino.InferencePolicy(items[::2], "0.5").resolve(baskets)
    one, other = (Workspace(baskets, policy, jobs=1, watch=Watch()).ledger for _ in range(2))
    out = rng.random(width) < 0.4
    u = int(one.length.argmax())
    shortest = int(one.length.argmin())
    for g in (one, other):
        for v in range(len(g.length)):  # everybody watches the long one, about an item
            if v != u:
                door(ledger.add_watch)(g, v, u, 0)
        door(ledger.add_watch)(g, u, shortest, 1)
    door(ledger.delete_marked)(one, u, out)
    for k in range(int(other.length[u]) - 1, -1, -1):
        if out[k]:
            door(ledger.delete)(other, u, other.ptr[u] + k)
    for name in ("items", "slot", "length", "sig", "post", "post_sig", "support", "gone", "queued"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert (one.head[:, 0] >= 0).tolist() == (other.head[:, 0] >= 0).tolist()
    for part in (ledger.GONE, ledger.OPEN, ledger.LEFT):
        assert one.tally[part] == other.tally[part]


@pytest.mark.parametrize("method", ["mine", "dist", "jia", "naka-sampled", "global", "cahd"])
def test_records_of_thousands_of_items(method: str) -> None:
    """Longer than a power of two that a float can hold; nothing overflows, and it takes a moment."""
    names = [f"{k:04}" for k in range(3_000)]
    table = [
        set(names[:2_500]),
        set(names[500:]),
        *({x} for x in names[:50]),
        *(set(names[k : k + 3]) for k in range(40)),
    ]
    policy = sordino.InferencePolicy(names[::2], "0.5", knowledge=2)
    release = sordino.protect(table, policy, method=method, jobs=1, seed=0)
    assert release.audit_after.holds


def test_the_cost_of_a_part_of_long_records_is_beyond_all_numbers() -> None:
    names = [str(k) for k in range(5_000)]
    baskets = Baskets.from_sets([set(names), set(names[1:]), {"1"}])
    assert jia.cost(baskets, np.array([0, 1])) == np.inf
    assert [part.tolist() for part in jia.split(baskets, 500.0)] == [[0], [2], [1]]


# The order of cahd


@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_that_of_reverse_cuthill_mckee(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records, items = int(rng.integers(2, 60)), int(rng.integers(1, 15))
    size = records + items
    pairs = np.unique(rng.integers(records, size=90) * size + records + rng.integers(items, size=90))
    one, other = pairs // size, pairs % size
    graph = coo_array((np.ones(2 * len(one)), (np.r_[one, other], np.r_[other, one])), shape=(size, size)).tocsr()
    graph.sort_indices()
    ptr, near = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    first = np.argsort(np.diff(graph.indptr))  # as SciPy begins
    found = reverse_cuthill_mckee(ptr, near, first, np.zeros(1, dtype=np.uint8))
    assert found.tolist() == expected_order(graph, symmetric_mode=True).tolist()
