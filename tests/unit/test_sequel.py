"""Continuing earlier releases: what is out stays, additions that disclose go, the joint audit has the last word."""

from __future__ import annotations

import gzip
import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import oracle_joint
import sordino
from sordino.data.baskets import Baskets
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from tables import examples, random_table

SENSITIVE = ["e", "f"]


class History(NamedTuple):
    """Two states of the data about people."""

    first: dict[str, frozenset[str]]
    second: dict[str, frozenset[str]]
    rho: str


@st.composite
def histories(draw: st.DrawFn, *, grow: bool) -> History:
    """With grow, records only grow and nobody leaves."""
    kinds = draw(st.lists(st.frozensets(st.sampled_from("abef"), max_size=3), min_size=1, max_size=5))
    first = {f"p{k}": draw(st.sampled_from(kinds)) for k in range(draw(st.integers(1, 7)))}
    second = {}
    for person, record in first.items():
        if not grow and draw(st.integers(0, 5)) == 0:
            continue
        more = draw(st.sampled_from(kinds)) if draw(st.booleans()) else frozenset()
        less = draw(st.frozensets(st.sampled_from("abef"), max_size=1)) if not grow else frozenset()
        second[person] = (record | more) - less
    second |= {f"n{k}": draw(st.sampled_from(kinds)) for k in range(draw(st.integers(0, 4)))}
    if not second:
        second = {"n0": frozenset("a")}
    return History(first, second, draw(st.sampled_from(("1/2", "0.7", "1/3"))))


def baskets(records: dict[str, frozenset[str]]) -> Baskets:
    return Baskets.from_sets(records.values(), ids=records)


def shown(release: sordino.Release, people: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    return dict(zip(people, release.data, strict=True))


def continued(history: History, **options: object) -> tuple[dict[str, frozenset[str]], sordino.Release]:
    """What the first release shows of whom, and the second release."""
    policy = sordino.InferencePolicy(SENSITIVE, history.rho)
    first = sordino.protect(baskets(history.first), policy, jobs=1, seed=0, missing="accept")
    out = shown(first, history.first)
    release = sordino.protect(
        baskets(history.second), policy, previous=baskets(out), jobs=1, seed=0, missing="accept", **options
    )
    return out, release


@given(histories(grow=True))
@settings(max_examples=examples(250), suppress_health_check=[HealthCheck.too_slow])
def test_if_records_only_grow_nothing_is_disclosed_together(history: History) -> None:
    out, release = continued(history)
    rho_of = dict.fromkeys(SENSITIVE, Fraction(history.rho))
    now = shown(release, history.second)
    assert release.together
    assert release.audit_after.holds
    assert oracle_joint.holds([out, now], rho_of, rho_of)
    for person, record in out.items():
        assert record <= now[person] <= history.second[person], "what is out stays"
    event(f"something was added: {any(now[person] > out[person] for person in out)}")


@given(histories(grow=False), st.booleans())
@settings(max_examples=examples(250), suppress_health_check=[HealthCheck.too_slow])
def test_what_is_claimed_is_so(history: History, keep: bool) -> None:
    """People leave and records shrink: then it may be that nothing can be done, and that is what is said."""
    assume(history.first.keys() & history.second.keys())
    out, release = continued(history, leavers="keep" if keep else "report")
    people = {**history.second, **({p: out[p] for p in out if p not in history.second} if keep else {})}
    rho_of = dict.fromkeys(SENSITIVE, Fraction(history.rho))
    now = shown(release, people)
    assert release.audit_after.holds
    assert release.together == oracle_joint.holds([out, now], rho_of, rho_of)
    assert release.joint.people_at_risk == len(oracle_joint.people_at_risk([out, now], rho_of, rho_of))
    event(f"together: {release.together}")
    if keep:
        assert release.left == 0
    assert all(now[person] <= record for person, record in people.items())


def test_matching_by_row() -> None:
    """Without ids the k-th row is the same person."""
    policy = sordino.InferencePolicy(["e"], "1/2")
    old = Baskets.from_sets([{"a"}, {"b"}])
    result = sordino.audit(Baskets.from_sets([{"e"}, {"b"}]), policy, previous=old)
    assert result.people_at_risk == 1
    assert result.remarks[0].startswith("People were matched by row")
    with pytest.raises(InputError, match="by id, another by row"):
        sordino.audit(Baskets.from_sets([{"e"}, {"b"}], ids="uv"), policy, previous=old)


def test_releases_of_other_people_are_not_said_to_be_safe_together() -> None:
    """Ids that are written otherwise match nobody: then nothing was laid side by side."""
    policy = sordino.InferencePolicy(["e"], "1/2")
    old, new = Baskets.from_sets([{"a"}, {"b"}], ids=["1", "2"]), Baskets.from_sets([{"e"}, {"b"}], ids=["01", "02"])
    assert sordino.audit(Baskets.from_sets([{"e"}, {"b"}], ids=["1", "2"]), policy, previous=old).people_at_risk == 1
    with pytest.raises(InputError, match="nobody of release 1 is in another one"):
        sordino.audit(new, policy, previous=old)
    with pytest.raises(InputError, match="nobody of release 2 is in another one"):
        sordino.audit(old, policy, previous=[old, new], missing="accept")
    with pytest.raises(InputError, match="nobody of release 1 is in another one"):
        sordino.protect(new, policy, previous=old)


def test_three_releases() -> None:
    policy = sordino.InferencePolicy(["e"], "1/2")
    first = Baskets.from_sets([{"a"}, {"b"}], ids="uv")
    second = Baskets.from_sets([{"a"}, {"b"}], ids="uv")
    third = Baskets.from_sets([{"e"}, {"b"}], ids="uv")
    assert sordino.audit(second, policy, previous=first, missing="accept").holds
    result = sordino.audit(third, policy, previous=[first, second])
    assert (result.people_at_risk, result.releases) == (1, 3)


# Folders


@pytest.fixture
def chain(tmp_path: Path) -> tuple[Path, Path]:
    """Two releases: 300 people, of whom 240 were in the first; a few of those have something new."""
    records = random_table(300, 20, 5, seed=3)
    people = [f"person {k}" for k in range(300)]
    policy = sordino.InferencePolicy([str(k) for k in range(0, 20, 4)], "0.6")
    first = sordino.protect(Baskets.from_sets(records[:240], ids=people[:240]), policy, seed=1)
    first.write(tmp_path / "first")
    for k in range(0, 240, 10):
        records[k] |= {"1", "4"}
    second = sordino.protect(Baskets.from_sets(records, ids=people), policy, seed=2, previous=tmp_path / "first")
    assert second.together
    second.write(tmp_path / "second")
    return tmp_path / "first", tmp_path / "second"


def test_a_chain_is_verified(chain: tuple[Path, Path]) -> None:
    first, second = chain
    alone = sordino.verify(second)  # it promises more than what can be told from it alone
    assert alone.answer is Answer.NOT_CHECKED
    assert "by itself it is valid" in alone.reason
    verdict = sordino.verify(second, previous=first)
    assert (verdict.answer, verdict.reason) == (Answer.HOLDS, "proved, together")
    policy = sordino.read_policy(second / "keep" / "policy.toml")
    assert sordino.verify(second, policy, previous=[first]).holds
    assert sordino.audit(second, policy, previous=first).holds
    manifest = json.loads((second / "publish" / "manifest.json").read_text())
    assert manifest["shape"] == "sequel"
    assert len(manifest["previous"]) == 1
    text = " ".join((second / "publish" / "README.txt").read_text().split())
    assert "together with the earlier releases" in text
    assert "with another release of the same records" not in text
    published = {path.name for path in (second / "publish").iterdir()}
    assert "joint.json.gz" not in published, "the link between rows stays in the house"


def test_independent_releases_disclose_and_a_sequel_does_not(chain: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = chain
    policy = sordino.read_policy(second / "keep" / "policy.toml")
    records = random_table(300, 20, 5, seed=3)
    people = [f"person {k}" for k in range(300)]
    alone = sordino.protect(Baskets.from_sets(records, ids=people), policy, seed=9)
    alone.write(tmp_path / "alone")
    assert sordino.verify(tmp_path / "alone").holds
    assert sordino.audit(tmp_path / "alone", policy, previous=first).people_at_risk > 0
    assert sordino.verify(tmp_path / "alone", previous=first).answer is Answer.FAILS


def test_without_the_links_nothing_is_said_about_both(chain: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = chain
    shutil.copytree(second / "publish", tmp_path / "public")
    verdict = sordino.verify(tmp_path / "public", previous=first / "publish")
    assert verdict.answer is Answer.NOT_CHECKED
    (second / "keep" / "joint.json.gz").unlink()
    assert sordino.verify(second, previous=first).answer is Answer.NOT_CHECKED


def test_another_predecessor_is_refused(chain: tuple[Path, Path]) -> None:
    first, second = chain
    assert "not those that the manifest names" in sordino.verify(second, previous=second).reason
    assert sordino.verify(second, previous=[first, first]).answer is Answer.FAILS
    assert (
        sordino.verify(first, previous=first).reason
        == "by itself it is, but it claims nothing together with earlier releases"
    )


def test_a_predecessor_that_was_changed_is_refused(chain: tuple[Path, Path]) -> None:
    """However its data were changed: by hand, or with a manifest that fits them."""
    first, second = chain
    policy = sordino.read_policy(second / "keep" / "policy.toml")
    publish = first / "publish"
    data = next(path for path in publish.iterdir() if path.name.startswith("data."))
    content = data.read_bytes()
    data.write_bytes(content[:-1] + (b" " if content[-1:] == b"\n" else b"\n"))
    assert sordino.verify(second, previous=first).answer is Answer.FAILS
    with pytest.raises(InputError, match="was changed"):
        sordino.audit(second, policy, previous=first)
    with pytest.raises(InputError, match="was changed"):
        sordino.protect(sordino.Baskets.from_sets([{"1"}], ids=["person 0"]), policy, previous=first, missing="accept")
    other = sordino.protect(
        Baskets.from_sets(random_table(240, 20, 5, seed=3), ids=[f"person {k}" for k in range(240)]), policy, seed=5
    )
    other.write(first, force=True)
    assert sordino.verify(first).holds
    assert sordino.verify(second, previous=first).answer is Answer.FAILS


def test_the_published_policy_is_not_enough_for_all_releases(chain: tuple[Path, Path]) -> None:
    """It names only what the newest data still hold; what an earlier release shows besides would not be looked at."""
    first, second = chain
    path = second / "keep" / "policy.toml"
    policy = sordino.read_policy(path)
    path.write_text(path.read_text().replace('"0.6"', '"0.9"'))
    assert "state the policy" in sordino.verify(second, previous=first).reason
    assert sordino.verify(second, previous=first).answer is Answer.NOT_CHECKED
    path.unlink()
    assert sordino.verify(second, previous=first).answer is Answer.NOT_CHECKED
    assert sordino.verify(second, policy, previous=first).answer is Answer.HOLDS


def test_a_joint_proof_that_was_changed_is_refused(chain: tuple[Path, Path]) -> None:
    first, second = chain
    path = second / "keep" / "joint.json.gz"
    content = json.loads(gzip.decompress(path.read_bytes()))
    item = next(name for name, entry in content["tables"][0]["items"].items() if entry["units"])
    content["tables"][0]["items"][item]["units"][0] += 1
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    assert sordino.verify(second, previous=first).answer is Answer.FAILS
    content["tables"] = []
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    assert "about other releases" in sordino.verify(second, previous=first).reason


def test_rows_that_are_linked_otherwise_are_refused(chain: tuple[Path, Path]) -> None:
    """The proof is about these people: with the rows of two of them swapped it does not fit."""
    import pyarrow as pa
    from pyarrow import parquet

    first, second = chain
    path = first / "keep" / "records.parquet"
    table = parquet.read_table(path)
    people = table.column("record").to_pylist()
    people = people[1:] + people[:1]
    parquet.write_table(pa.table({"published": table.column("published"), "record": people}), path)
    assert sordino.verify(second, previous=first).answer is Answer.FAILS


def test_who_left_and_nothing_is_claimed(chain: tuple[Path, Path], tmp_path: Path) -> None:
    first, _ = chain
    policy = sordino.read_policy(first / "keep" / "policy.toml")
    stay = sordino.Baskets.from_sets([{"1"}, {"2", "4"}], ids=["person 0", "person 1"])
    release = sordino.protect(stay, policy, previous=first, missing="accept")
    assert release.left == 238
    if not release.together:
        out = release.write(tmp_path / "out")
        assert json.loads((out / "publish" / "manifest.json").read_text()).get("shape") is None
        assert sordino.verify(out).holds
        assert not json.loads((out / "keep" / "audit.json").read_text())["joint"]["holds"]


@pytest.mark.parametrize("leavers", ["drop", ""])
def test_leavers_are_reported_or_kept(leavers: str) -> None:
    old = Baskets.from_sets([{"a"}], ids="u")
    with pytest.raises(InputError, match="those who left cannot be treated"):
        sordino.protect(old, sordino.InferencePolicy(["a"], "1/2"), previous=old, leavers=leavers)


def test_what_cannot_continue() -> None:
    old = Baskets.from_sets([{"a", "e"}], ids="u")
    with pytest.raises(InputError, match="cannot continue"):
        sordino.protect(old, sordino.InferencePolicy(["e"], "1/2"), previous=old, method="lgps")
    with pytest.raises(PolicyError, match="cannot be judged together"):
        sordino.protect(old, sordino.InferencePolicy(["e"], "1/2", absent="any"), previous=old)
    with pytest.raises(InputError, match="no option 'previous'"):
        sordino.audit([{"x": 1}], sordino.TemplatePolicy.__new__(sordino.TemplatePolicy), previous=old)


def test_what_older_releases_found_sensitive_counts_too() -> None:
    from sordino.verify.linked import Linked, policy_of_all

    data = Baskets.from_sets([{"a"}], ids="u")
    old = Linked(data, ("u",), policy=sordino.InferencePolicy(["e", "f"], "1/2", rho_of={"f": "1/3"}))
    new = Linked(data, ("u",), policy=sordino.InferencePolicy(["e"], "2/3"))
    assert policy_of_all([old, new]) == sordino.InferencePolicy(["e", "f"], "2/3", rho_of={"f": "1/3"})
    assert policy_of_all([old, Linked(data, ("u",))]) == old.policy
