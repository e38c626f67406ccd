"""Who finds what sensitive: how choices are stated, and what they come to on data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sordino
from sordino.data.baskets import Baskets
from sordino.errors import InputError, PolicyError
from sordino.policy.answer import Answer
from sordino.policy.choices import Choices

TABLE = [{"a", "b"}, {"b", "c"}, {"c"}, {"a", "c"}]


def chosen(policy: sordino.InferencePolicy, baskets: Baskets) -> list[set[str]]:
    """E_u of every record, as far as it can matter."""
    resolved = policy.resolve(baskets, missing="accept")
    if resolved.personal is None:
        common = {name for name, mask in zip(baskets.names, resolved.sensitive, strict=True) if mask}
        return [common] * len(baskets)
    who = [resolved.personal.chosen_by(code) for code in range(len(baskets.names))]
    return [{n for n, by in zip(baskets.names, who, strict=True) if by[u]} for u in range(len(baskets))]


def test_common_items_own_items_and_exceptions() -> None:
    policy = sordino.InferencePolicy(["a"], per_record={0: ["b"], "2": "c"}, except_for={3: ["a", "b"]})
    assert chosen(policy, Baskets.from_sets(TABLE)) == [{"a", "b"}, {"a"}, {"a", "c"}, set()]


@pytest.mark.parametrize("own", ["mapping", "matrix"])
@pytest.mark.parametrize("less", ["mapping", "matrix"])
def test_exceptions_as_an_array_are_exceptions(own: str, less: str) -> None:
    """Of common items and of own ones, whatever form the own ones have: an exception never makes anybody mind."""
    mine: Any = {0: ["b"], 2: ["c"], 3: ["c"]}
    if own == "matrix":
        mine = Choices.of_matrix(np.array([[1, 0, 0, 0], [0, 0, 1, 1]], dtype=bool), "bc")
    gone: Any = {1: ["a", "b"], 3: ["a", "c"]}
    if less == "matrix":
        gone = Choices.of_matrix(np.array([[0, 1, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=bool), "abc")
    policy = sordino.InferencePolicy(["a"], per_record=mine, except_for=gone)
    assert chosen(policy, Baskets.from_sets(TABLE)) == [{"a", "b"}, set(), {"a", "c"}, set()]


def test_records_are_named_by_their_ids_where_they_have_ids() -> None:
    baskets = Baskets.from_sets(TABLE, ids=["ann", "bob", "cec", "0"])
    policy = sordino.InferencePolicy([], per_record={"bob": ["c"], 0: ["a"]})
    assert chosen(policy, baskets) == [set(), {"c"}, set(), {"a"}]


@pytest.mark.parametrize("form", ["csv", "parquet", "pandas", "arrow", "pairs", "mapping", "matrix"])
def test_every_way_to_state_choices(form: str, tmp_path: Path) -> None:
    pairs = [(0, "b"), (3, "a"), (3, "c")]
    frame = pd.DataFrame(pairs, columns=["user", "item"])
    source: Any = {"pandas": frame, "arrow": pa.Table.from_pandas(frame), "pairs": pairs}.get(form)
    if form == "csv":
        source = tmp_path / "choices.csv"
        frame.to_csv(source, index=False)
    elif form == "parquet":
        source = tmp_path / "choices.parquet"
        pq.write_table(pa.Table.from_pandas(frame), source)
    elif form == "mapping":
        source = {0: ["b"], 3: ["a", "c"]}
    elif form == "matrix":
        source = Choices.of_matrix(np.array([[0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=bool), "abc")
    policy = sordino.InferencePolicy([], per_record=source)
    assert chosen(policy, Baskets.from_sets(TABLE)) == [{"b"}, set(), set(), {"a", "c"}]
    written = policy.per_record.to_arrow()  # type: ignore[union-attr]
    back = sordino.InferencePolicy([], per_record=written)
    assert chosen(back, Baskets.from_sets(TABLE)) == [{"b"}, set(), set(), {"a", "c"}]


def test_what_the_data_do_not_have_is_counted_and_not_named() -> None:
    own = {0: ["a", "zebra"], 17: ["a"], "eve": ["b"], -1: ["a"]}
    policy = sordino.InferencePolicy([], per_record=own)
    said = " ".join(policy.resolve(Baskets.from_sets(TABLE), missing="accept").remarks)
    with pytest.raises(PolicyError, match="name 3 records that the data do not have") as refusal:
        policy.resolve(Baskets.from_sets(TABLE))
    assert "3 records" in said
    assert "1 item " in said
    assert not any(word in f"{said} {refusal.value}" for word in ("zebra", "eve", "17"))


@pytest.mark.parametrize("missing", ["error", "accept"])
def test_choices_of_other_people_are_refused_whatever_may_be_missing(missing: str) -> None:
    policy = sordino.InferencePolicy(["a"], per_record={"eve": ["b"], "ann": ["c"]})
    with pytest.raises(PolicyError, match="name 2 records, and the data have none of them"):
        policy.resolve(Baskets.from_sets(TABLE), missing=missing)
    several = Choices.of_matrix(np.array([[0, 0, 0, 0, 0, 1]], dtype=bool), "b")
    with pytest.raises(PolicyError, match="name 1 record, and the data have none"):
        sordino.InferencePolicy(["a"], per_record=several).resolve(Baskets.from_sets(TABLE), missing=missing)


def test_choices_of_which_nobody_has_anything() -> None:
    policy = sordino.InferencePolicy(["a"], per_record={0: ["zebra", "gnu"]})
    with pytest.raises(PolicyError, match="name 2 items, and nobody has any of them"):
        policy.resolve(Baskets.from_sets(TABLE))
    assert policy.resolve(Baskets.from_sets(TABLE), missing="accept").remarks


def test_an_id_that_several_records_have_names_none() -> None:
    """Whose choice it is could not be told: such data are refused before anybody's choice is looked up."""
    with pytest.raises(InputError, match="1 of 4 record ids repeat others") as refusal:
        Baskets.from_sets(TABLE, ids=["ann", "bob", "ann", "cec"])
    assert "ann" not in str(refusal.value)


def test_a_file_without_a_header_loses_no_choice(tmp_path: Path) -> None:
    """Its first line would be taken for one."""
    file = tmp_path / "choices.csv"
    baskets = Baskets.from_sets(TABLE, ids=["ann", "bob", "cec", "dan"])
    for text in ("ann,b\nbob,c\n", "ann,b\nann,a\n", "nobody,c\nbob,c\n", "bob,nothing\nbob,c\n"):
        file.write_text(text)
        with pytest.raises(PolicyError, match=r"reads like a choice|does not look like a header"):
            sordino.InferencePolicy([], per_record=file).resolve(baskets, missing="accept")
    file.write_text("who,what\nann,b\nbob,c\n")
    assert chosen(sordino.InferencePolicy([], per_record=file), baskets) == [{"b"}, {"c"}, set(), set()]


def test_a_policy_that_demands_nothing_is_no_policy() -> None:
    for policy in (sordino.InferencePolicy([]), sordino.InferencePolicy([], per_record={})):
        for verb in (sordino.audit, sordino.protect):
            with pytest.raises(PolicyError, match="names nothing as sensitive"):
                verb(TABLE, policy)
    accepted = sordino.audit(TABLE, sordino.InferencePolicy([]), missing="accept")
    assert any("nothing to look for" in remark for remark in accepted.remarks)
    with pytest.raises(PolicyError, match="nothing to protect"):  # keep/policy.toml could not be read again
        sordino.protect(TABLE, sordino.InferencePolicy([]), missing="accept")


def test_choices_never_show_in_a_representation() -> None:
    policy = sordino.InferencePolicy([], per_record={"ann": ["methadone"]}, except_for={"bob": ["tea"]})
    assert not any(word in f"{policy!r} {policy.per_record!r}" for word in ("ann", "methadone", "bob", "tea"))


def test_a_file_that_is_not_there_and_pairs_that_are_none() -> None:
    with pytest.raises(PolicyError, match="per_record"):
        sordino.InferencePolicy([], per_record="nowhere.csv")
    with pytest.raises(PolicyError, match="pairs"):
        sordino.InferencePolicy([], per_record=[("ann", "a", "b")])


@pytest.mark.parametrize("method", ["mine", "dist", "jia"])
@pytest.mark.parametrize("knowledge", [None, 2])
def test_the_same_choice_of_all_is_the_common_model_byte_for_byte(method: str, knowledge: int | None) -> None:
    rng = np.random.default_rng(3)
    table = [{str(i) for i in rng.choice(12, size=rng.integers(1, 6), replace=False)} for _ in range(80)]
    sensitive = ["0", "3", "7"]
    common = sordino.InferencePolicy(sensitive, "0.4", knowledge=knowledge)
    own = sordino.InferencePolicy(
        ["0"], "0.4", knowledge=knowledge, per_record={u: ["3", "7", "nobody's"] for u in range(80)}
    )
    one, two = (sordino.audit(table, policy) for policy in (common, own))
    assert (one.answer, one.personal, two.answer, two.personal) == (Answer.FAILS, False, Answer.FAILS, True)
    assert two.people_at_risk >= one.people_at_risk  # who lacks what she minds may still be suspected of it
    first, second = (sordino.protect(table, policy, method=method, seed=0) for policy in (common, own))
    assert not first.unchanged
    for name in ("items", "indptr", "names"):
        assert np.array_equal(getattr(first.data, name), getattr(second.data, name))


def test_one_exception_makes_it_personal() -> None:
    policy = sordino.InferencePolicy(["a"], except_for={0: ["a"]})
    assert sordino.audit(TABLE, policy).personal


def test_the_original_must_fit() -> None:
    policy = sordino.InferencePolicy([], per_record={0: ["a"]})
    with pytest.raises(InputError, match="3 published and 4 original"):
        sordino.audit(TABLE[:3], policy, original=TABLE, missing="accept")
    with pytest.raises(InputError, match="not parts of the original"):
        sordino.audit([{"a"}, {"a"}, {"c"}, {"c"}], policy, original=TABLE)


def test_records_in_another_order_belong_together_by_their_ids() -> None:
    policy = sordino.InferencePolicy([], "0.5", per_record={"u": ["m"]})
    original = Baskets.from_sets([{"x", "y"}, {"x", "m"}, {"y"}], ids=["u", "v", "w"])
    published = Baskets.from_sets([{"y"}, {"x", "m"}, {"y"}], ids=["w", "v", "u"])
    result = sordino.audit(published, policy, original=original)
    assert (result.holds, result.people_at_risk) == (False, 1)


def test_a_method_that_cannot_honour_choices_says_so() -> None:
    policy = sordino.InferencePolicy([], "0.3", per_record={0: ["a"]})
    with pytest.raises(InputError, match="'jia' cannot honour") as refusal:
        sordino.protect(TABLE, policy, method="jia")
    assert "mine" in str(refusal.value)
    with pytest.raises(InputError, match="'lgps' cannot honour"):  # not even where all choose the same
        sordino.protect([{"a", "b"}], sordino.InferencePolicy([], "0.5", per_record={0: ["a"]}), method="lgps")


def test_a_file_in_which_nobody_chose_anything(tmp_path: Path) -> None:
    """It can be read, as an export of a quiet day must be; what it leaves open is said, and alone it is no policy."""
    path = tmp_path / "choices.csv"
    path.write_text("record,item\n")
    policy = sordino.InferencePolicy(["a"], "0.5", per_record=str(path), except_for=str(path))
    assert any("name nobody" in remark for remark in sordino.audit(TABLE, policy).remarks)
    with pytest.raises(PolicyError, match="names nothing"):
        sordino.audit(TABLE, sordino.InferencePolicy([], "0.5", per_record=str(path)))
    out = sordino.protect(TABLE, policy, seed=1).write(tmp_path / "out")
    assert sordino.read_policy(out / "keep" / "policy.toml").personal
