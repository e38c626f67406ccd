"""One suite for every registered method. Adding a method is a line in the registry; then it is covered here.

That a policy cannot be satisfied does not occur with suppression: a table without sensitive occurrences satisfies every
policy, and deleting may go that far. So every method must find a way, whatever the policy.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracle
import sordino
from judge import Table, allowed_change, counted, safe
from sordino.audit.inference import audit_baskets
from sordino.data.baskets import Baskets
from sordino.engine.local import Watch
from sordino.errors import PolicyError
from sordino.protect.registry import METHODS, methods_for
from sordino.release.coarsened.audit import audit_coarsened
from tables import Case, dense_tables, examples, quiet_tables, random_table, small_tables, wide_tables

# Options worth trying, beside none at all.
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "mine": [{"only_sensitive": True}, {"parts": 3}],
    "dist": [{"only_sensitive": True}, {"parts": 2}],
    "twins": [{"only_sensitive": True}],
    "lgps": [{"divide": "valid"}],
    "jia": [{"heuristic": "mine"}, {"heuristic": "dist"}, {"heuristic": "mine", "b_max": 3, "t_max": 2}],
}
# What an option must be, so that a method ends soon on tables that are hard for it; the result must be as good.
HASTE: dict[str, dict[str, Any]] = {"exact": {"seconds": 1}}
CHOICES = [(name, options) for name in methods_for("inference") for options in [{}, *VARIANTS.get(name, [])]]
every_method = pytest.mark.parametrize(
    ("method", "options"), CHOICES, ids=["-".join([n, *(str(v) for v in o.values())]) for n, o in CHOICES]
)
every_suppressor = pytest.mark.parametrize(
    ("method", "options"), [c for c in CHOICES if METHODS[c[0]].form == "suppress"], ids=lambda v: str(v)
)


def protect(table: Table, policy: sordino.InferencePolicy, method: str, options: dict[str, Any], **more: Any) -> Any:
    """The release, once it is sure that only what the method's form allows happened, and nothing if nothing had to."""
    release = sordino.protect(
        table, policy, method=method, jobs=more.pop("jobs", 1), missing="accept", **options, **more
    )
    assert allowed_change(table, policy.sensitive, release)
    assert release.audit_after.holds
    if options.get("only_sensitive"):
        assert set(release.changes["from"].to_pylist()) <= set(policy.sensitive)
    if sordino.audit(table, policy, jobs=1, missing="accept").holds:
        assert list(release.data) == list(table)
    return release


def judged_by_the_oracle(case: Case, method: str, options: dict[str, Any]) -> None:
    release = protect(case.records, case.policy, method, options)
    policy = case.policy
    rho_of = dict(case.rho_of)
    if policy.adaptive is not False:  # as they follow from the published records
        eps = None if policy.adaptive is True else policy.adaptive
        rho_of = oracle.adaptive_rho(counted(release), policy.rho, eps, policy.sensitive)  # type: ignore[arg-type]
        rho_of |= policy.rho_of
    assert safe(release, policy.sensitive, rho_of, policy.knowledge)


# Random tables against the oracle

few = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
fewer = settings(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])


@every_method
@few
@given(case=small_tables())
def test_small_tables(case: Case, method: str, options: dict[str, Any]) -> None:
    judged_by_the_oracle(case, method, options)


@every_method
@few
@given(case=quiet_tables())
def test_quiet_tables(case: Case, method: str, options: dict[str, Any]) -> None:
    judged_by_the_oracle(case, method, options)


@every_method
@fewer
@given(case=dense_tables())
def test_dense_tables(case: Case, method: str, options: dict[str, Any]) -> None:
    """Too wide for the oracle; the audit, which has been compared with it, is the judge."""
    protect(case.records, case.policy, method, HASTE.get(method, {}) | options)


@every_method
@fewer
@given(case=wide_tables())
def test_wide_tables(case: Case, method: str, options: dict[str, Any]) -> None:
    judged_by_the_oracle(case, method, HASTE.get(method, {}) | options)


# The corners, one by one


@every_method
def test_an_empty_table(method: str, options: dict[str, Any]) -> None:
    """Files and collections without records are refused before; a method is asked all the same."""
    empty = Baskets(np.zeros(1, np.int64), np.empty(0, np.int32), ("a", "x"))
    policy = sordino.InferencePolicy(["x"], "0.5").resolve(empty, missing="accept")
    result: Any = METHODS[method].load()(empty, policy, seed=0, jobs=1, watch=Watch(), **options)
    assert (len(result), getattr(result, "baskets", result).occurrences) == (0, 0)


@every_method
@pytest.mark.parametrize("record", [set(), {"x"}, {"a", "x"}, {"a", "b", "x", "y"}, {"a"}])
def test_one_record(method: str, options: dict[str, Any], record: set[str]) -> None:
    policy = sordino.InferencePolicy(["x", "y"], "0.5")
    release = protect([record], policy, method, options)
    assert len(next(iter(release.data)) & {"x", "y"}) <= (len(record) == 1)


@every_method
def test_records_that_are_all_empty(method: str, options: dict[str, Any]) -> None:
    policy = sordino.InferencePolicy(["x"], "0.5")
    assert protect([set()] * 3, policy, method, options).unchanged


@every_method
@pytest.mark.parametrize("rho", ["0.01", "0.5", "0.99"])
def test_all_sensitive(method: str, options: dict[str, Any], rho: str) -> None:
    table = [{"a", "b", "c"}, {"a", "b"}, {"b", "c"}, {"a"}, {"c", "d"}, {"d"}, {"a", "b", "c", "d"}]
    release = protect(table, sordino.InferencePolicy(list("abcd"), rho), method, options)
    assert safe(release, "abcd", dict.fromkeys("abcd", Fraction(rho)))


@every_method
def test_nothing_sensitive(method: str, options: dict[str, Any]) -> None:
    table = [{"a", "b"}, {"a"}, set()]
    assert protect(table, sordino.InferencePolicy(["nobody's"], "0.5"), method, options).unchanged
    with pytest.raises(PolicyError, match="nothing to protect"):
        protect(table, sordino.InferencePolicy([], "0.5"), method, options)


@every_method
def test_what_is_safe_is_not_changed(method: str, options: dict[str, Any]) -> None:
    table = [{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}]
    assert protect(table, sordino.InferencePolicy(["x"], "0.5"), method, options).unchanged


@every_suppressor
def test_a_method_leaves_alone_what_is_safe_even_when_asked(method: str, options: dict[str, Any]) -> None:
    table = Baskets.from_sets([{"a", "x"}, {"a"}, {"a", "b", "x"}, {"a", "b"}, {"b"}])
    policy = sordino.InferencePolicy(["x"], "0.5").resolve(table)
    result = METHODS[method].load()(table, policy, seed=0, jobs=1, watch=Watch(), **options)
    assert audit_baskets(result, policy, jobs=1).holds
    if "t_max" not in options:  # parts, each made safe for itself, may lose what was safe in the whole
        assert list(result) == list(table)


@every_method
@pytest.mark.parametrize("knowledge", [1, 2, 3, None])
def test_limited_knowledge(method: str, options: dict[str, Any], knowledge: int | None) -> None:
    table = random_table(60, 12, 5, seed=4)
    sensitive = ["0", "3", "7", "9"]
    release = protect(table, sordino.InferencePolicy(sensitive, "0.4", knowledge=knowledge), method, options)
    assert not release.unchanged
    assert safe(release, sensitive, dict.fromkeys(sensitive, Fraction(2, 5)), knowledge)


@every_method
def test_thresholds_of_single_items(method: str, options: dict[str, Any]) -> None:
    table = random_table(80, 12, 5, seed=5)
    rho_of = {"0": "0.1", "1": "0.9", "2": "1/3", "3": "0.000001"}
    release = protect(table, sordino.InferencePolicy(list("012345"), "0.5", rho_of=rho_of), method, options)
    exact = {e: Fraction(rho_of.get(e, "0.5")) for e in "012345"}
    assert safe(release, exact, exact)
    assert not any("3" in record and len(record) > 1 for record in release.data)


@every_method
@pytest.mark.parametrize("adaptive", [True, "0.3", {"0": "0.5", "1": "-0.2"}])
def test_adaptive_thresholds(method: str, options: dict[str, Any], adaptive: Any) -> None:
    table = [record | {"0"} if u % 5 else record for u, record in enumerate(random_table(80, 10, 4, seed=6))]
    policy = sordino.InferencePolicy(list("0123"), "0.4", adaptive=adaptive)
    release = protect(table, policy, method, options)
    eps = None if adaptive is True else policy.adaptive
    exact = oracle.adaptive_rho(counted(release), policy.rho, eps, "0123")  # type: ignore[arg-type]
    assert safe(release, "0123", exact)


@every_method
def test_duplicates(method: str, options: dict[str, Any]) -> None:
    table = [{"a", "b", "x"}] * 40 + [{"a", "b"}] * 10 + [{"a", "x", "y"}] * 3 + [{"c", "y"}] * 7 + [{"c"}] * 7
    release = protect(table, sordino.InferencePolicy(["x", "y"], "0.5"), method, options)
    exact = dict.fromkeys("xy", Fraction(1, 2))
    assert safe(release, exact, exact)
    assert sum(map(len, counted(release))) > 60  # not everything had to go


@every_method
def test_long_records(method: str, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(7)
    table = [{str(i) for i in rng.choice(200, size=size, replace=False)} for size in (60, 45, 30, 30, 5, 5, 2, 2, 1)]
    table += [set(table[1]) - {min(table[1])}, set(table[2]) | {"0"}]
    policy = sordino.InferencePolicy([str(i) for i in range(0, 200, 3)], "0.5")
    release = protect(table, policy, method, options)
    assert max(map(len, counted(release))) > (1 if METHODS[method].form == "generalize" else 5)


@every_method
@pytest.mark.parametrize("name", ['a b,c"d', "ü", "0", " ", "x" * 500])
def test_names_do_not_matter(method: str, options: dict[str, Any], name: str) -> None:
    table = [{"a", name}, {"a", name}, {"a"}]
    assert not protect(table, sordino.InferencePolicy([name], "0.5"), method, options).unchanged


# Seeds and threads


@every_method
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(
    method: str, options: dict[str, Any], seed: int, tmp_path: Any
) -> None:
    size = 80 if method == "exact" else 400  # so that the solver can prove what it says
    table = random_table(size, 40, 6, seed=8)
    policy = sordino.InferencePolicy([str(i) for i in range(0, 40, 3)], "0.4")
    files = []
    for number, jobs in enumerate((1, 2, 2, 1)):
        release = protect(table, policy, method, options, seed=seed, jobs=jobs)
        if number < 2:  # all the bytes of the folder, timings excepted by design
            out = release.write(tmp_path / str(number), jobs=jobs)
            files.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
        if number == 0:
            first = release.data
        assert np.array_equal(release.data.items, first.items)
        assert np.array_equal(release.data.indptr, first.indptr)
    assert files[0] == files[1]


@every_method
def test_input_is_left_alone_and_progress_is_told(method: str, options: dict[str, Any]) -> None:
    table = Baskets.from_sets(random_table(100, 20, 5, seed=9), ids=range(100))
    indptr, items = table.indptr.copy(), table.items.copy()
    policy = sordino.InferencePolicy(["1", "2", "5"], "0.3").resolve(table)
    told: list[tuple[str, int, int]] = []
    watch = Watch(lambda *said: told.append(said))
    result: Any = METHODS[method].load()(table, policy, seed=0, jobs=2, watch=watch, **options)
    assert np.array_equal(table.indptr, indptr)
    assert np.array_equal(table.items, items)
    if METHODS[method].form == "suppress":
        assert (result.names, result.ids) == (table.names, table.ids)
        assert audit_baskets(result, policy, jobs=1).holds
    else:
        assert result.baskets.ids == table.ids
        assert audit_coarsened(result, policy.policy, jobs=1).holds
    assert told
    assert all(phase and done >= 0 and (of == 0 or done <= of) for phase, done, of in told)


@every_method
@settings(max_examples=examples(10))
@given(seed=st.integers(0, 2**31))
def test_any_seed_will_do(seed: int, method: str, options: dict[str, Any]) -> None:
    table = random_table(30, 8, 4, seed=10)
    release = protect(table, sordino.InferencePolicy(list("024"), "0.4"), method, options, seed=seed)
    exact = dict.fromkeys("024", Fraction(2, 5))
    assert safe(release, exact, exact)
