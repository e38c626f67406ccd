"""model.md 1.3, Table 1: what the paper's methods do to seven customers, one sensitive product, threshold one third."""

from __future__ import annotations

import pytest

import sordino

TABLE = (
    "bread milk condom",
    "bread milk",
    "milk condom",
    "flour fruits",
    "flour condom",
    "bread fruits",
    "fruits condom",
)


@pytest.fixture
def policy() -> sordino.InferencePolicy:
    return sordino.InferencePolicy(["condom"], "1/3")


def deleted(release: sordino.Release) -> list[set[str]]:
    return [set(line.split()) - kept for line, kept in zip(TABLE, release.data, strict=True)]


def test_mine_takes_condom_from_the_first_and_the_fifth(policy: sordino.InferencePolicy) -> None:
    release = sordino.protect([line.split() for line in TABLE], policy, method="mine")
    assert deleted(release) == [{"condom"}, set(), set(), set(), {"condom"}, set(), set()]


def test_dist_deletes_two_and_spares_one_condom(policy: sordino.InferencePolicy) -> None:
    release = sordino.protect([line.split() for line in TABLE], policy, method="dist")
    lost = deleted(release)
    assert sum(map(len, lost)) == 2
    assert lost[4] in ({"flour"}, {"condom"})


@pytest.mark.parametrize("heuristic", ["mine", "dist"])
def test_the_paper_itself_deletes_two(policy: sordino.InferencePolicy, heuristic: str) -> None:
    release = sordino.protect([line.split() for line in TABLE], policy, method="jia", heuristic=heuristic)
    assert sum(map(len, deleted(release))) == 2
