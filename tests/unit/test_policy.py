"""Thresholds are exact, policies report every problem at once, and a written policy reads back as itself."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sordino
from sordino.data.baskets import Baskets
from sordino.errors import InputError, PolicyError, SordinoError
from sordino.kinds import read_policy
from sordino.policy.file import read_name_list, write_policy
from sordino.policy.inference import InferencePolicy
from sordino.policy.threshold import Rational, floor_fraction, read_rational, read_threshold, show_rational
from tables import examples

UNIT = st.fractions(min_value=0, max_value=1).filter(lambda f: 0 < f < 1)


# Numbers


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0.3", Fraction(3, 10)),
        (".3", Fraction(3, 10)),
        (" 0.30 ", Fraction(3, 10)),
        ("30%", Fraction(3, 10)),
        ("12.5 %", Fraction(1, 8)),
        ("1/3", Fraction(1, 3)),
        ("2 / 6", Fraction(1, 3)),
        ("-1/3", Fraction(-1, 3)),
        ("1e-3", Fraction(1, 1000)),
        (0.07, Fraction(7, 100)),  # what the float writes, not what it is
        (0.1 + 0.2, Fraction(30000000000000004, 10**17)),
        (Decimal("0.07"), Fraction(7, 100)),
        (Fraction(1, 7), Fraction(1, 7)),
        (2, Fraction(2)),
        ("1/100000000000000000000", Fraction(1, 10**20)),
    ],
)
def test_numbers_are_what_their_text_says(value: Rational, number: Fraction) -> None:
    assert read_rational(value) == number


@pytest.mark.parametrize(
    "value",
    ["", "half", "1/0", "1/2/3", "0.3.1", "nan", "inf", "1e999999999", "1e-999999999", "9" * 500, True, "1/3%", "0x1"],
)
def test_what_is_no_number_is_refused_at_once(value: Rational) -> None:
    with pytest.raises(ValueError, match=r"number|denominator"):
        read_rational(value)


@pytest.mark.parametrize("value", ["0", "1", "1.0", "100%", "-0.5", "7/6", 0, 1, "1e30"])
def test_thresholds_lie_strictly_between_0_and_1(value: Rational) -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        read_threshold(value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(1, 2), "0.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 20), "-0.05"),
        (Fraction(7), "7"),
        (Fraction(10**20 * 2 + 1, 2), "100000000000000000000.5"),
        (Fraction(1, 10**7), "1/10000000"),
    ],
)
def test_numbers_are_shown_exactly(number: Fraction, text: str) -> None:
    assert show_rational(number) == text


@settings(deadline=None)
@given(st.fractions())
def test_a_shown_number_reads_back(number: Fraction) -> None:
    assert read_rational(show_rational(number)) == number


@settings(deadline=None)
@given(st.fractions(min_value=0, max_value=1).filter(lambda f: f < 1), st.integers(1, 60))
def test_floor_fraction_is_the_largest_below(number: Fraction, limit: int) -> None:
    brute = max(Fraction(number.numerator * den // number.denominator, den) for den in range(1, limit + 1))
    assert floor_fraction(number, limit) == brute


@settings(deadline=None)
@given(st.integers(0, 10**30), st.integers(1, 10**30), st.integers(1, 10**7))
def test_floor_fraction_of_large_numbers_is_close_and_comparable(num: int, gap: int, limit: int) -> None:
    number = Fraction(num, num + gap)
    floor = floor_fraction(number, limit)
    assert 0 <= floor <= number
    assert floor.denominator <= limit
    for den in (limit, max(1, limit // 2), max(1, limit - 1)):  # no ratio of counts lies in between
        assert Fraction(number.numerator * den // number.denominator, den) <= floor


# Policies


def test_a_policy_holds_exact_numbers() -> None:
    policy = InferencePolicy(["b", "a", "b"], 0.3, rho_of={"a": "1/3"}, knowledge=2)
    assert policy.sensitive == ("b", "a")
    assert (policy.rho, policy.rho_of, policy.knowledge) == (Fraction(3, 10), {"a": Fraction(1, 3)}, 2)
    assert InferencePolicy("alone").sensitive == ("alone",)


def test_all_problems_of_a_policy_at_once() -> None:
    with pytest.raises(PolicyError) as caught:
        InferencePolicy(["medicine"], "2", rho_of={"medicin": "0", 7: "x"}, adaptive={"medcine": "y"}, knowledge=0)  # type: ignore[dict-item]
    problems = caught.value.problems
    assert len(problems) == 8
    text = str(caught.value)
    assert text.count("Did you mean 'medicine'?") == 2
    assert text.startswith("8 problems in the policy:")


@pytest.mark.parametrize("knowledge", [0, -1, True, "2", 1.5])
def test_knowledge_is_a_whole_number(knowledge: int) -> None:
    with pytest.raises(PolicyError, match="whole number of items"):
        InferencePolicy(["x"], knowledge=knowledge)


def records(**share: int) -> Baskets:
    """Ten records in which each item has its number of records."""
    return Baskets.from_sets([{item for item, n in share.items() if u < n} for u in range(10)])


def test_the_default_adaptive_rule_gives_the_numbers_of_the_paper() -> None:
    resolved = InferencePolicy(["e", "f", "g"], "0.3", adaptive=True).resolve(records(e=8, f=6, g=2))
    assert resolved.thresholds == {"e": Fraction(7, 10), "f": Fraction(5, 10), "g": Fraction(3, 10)}
    assert resolved.remarks == ()


def test_the_default_adaptive_rule_is_capped_and_says_so() -> None:
    resolved = InferencePolicy(["e"], "0.5", adaptive=True).resolve(records(e=10))
    assert resolved.thresholds == {"e": Fraction(19, 20)}
    assert "1 frequent item was capped at 0.95" in resolved.remarks[0]


@pytest.mark.parametrize(
    ("adaptive", "thresholds"),
    [
        ("0.5", {"e": Fraction(7, 10), "g": Fraction(4, 10)}),  # 0.3 + 0.5 F
        ({"e": "-0.25"}, {"e": Fraction(1, 10), "g": Fraction(3, 10)}),
    ],
)
def test_own_adaptive_factors(adaptive: Rational | Mapping[str, Rational], thresholds: dict[str, Fraction]) -> None:
    assert InferencePolicy(["e", "g"], "0.3", adaptive=adaptive).resolve(records(e=8, g=2)).thresholds == thresholds


def test_own_adaptive_factors_must_stay_between_0_and_1() -> None:
    with pytest.raises(PolicyError) as caught:
        InferencePolicy(["e", "g"], "0.3", adaptive={"e": "1", "g": "-2"}).resolve(records(e=8, g=2))
    assert len(caught.value.problems) == 2
    assert "the adaptive threshold of 'e' is 1.1, not between 0 and 1" in str(caught.value)


def test_a_threshold_of_its_own_is_not_adapted() -> None:
    resolved = InferencePolicy(["e"], "0.3", rho_of={"e": "0.2"}, adaptive=True).resolve(records(e=8))
    assert resolved.thresholds == {"e": Fraction(1, 5)}


def test_resolving_gives_codes_and_comparable_fractions() -> None:
    baskets = records(a=5, e=8, g=2)
    resolved = InferencePolicy(["g", "e"], "0.3333", rho_of={"g": "1/7"}).resolve(baskets)
    assert [baskets.names[c] for c in resolved.sensitive.nonzero()[0]] == ["e", "g"]
    assert resolved.thresholds == {"g": Fraction(1, 7), "e": Fraction(3333, 10000)}
    assert resolved.comparison == {"g": Fraction(1, 7), "e": Fraction(3, 10)}  # of ten records; 1/3 > 0.3333
    for name, fraction in resolved.comparison.items():
        code = baskets.code_of[name]
        assert (resolved.num[code], resolved.den[code]) == (fraction.numerator, fraction.denominator)


def test_items_that_do_not_occur() -> None:
    policy = InferencePolicy(["medicine", "e", *(f"q{k}" for k in range(6))])
    with pytest.raises(PolicyError) as caught:
        policy.resolve(records(medicines=3, e=2))
    problems = caught.value.problems
    assert problems[0] == "sensitive item 'medicine' occurs in no record."
    assert caught.value.suggestions == ("Instead of 'medicine', did you mean 'medicines'?",)
    assert "medicines" not in str(caught.value)  # a name of the data: messages may go into logs
    assert len(problems) == 6
    assert "2 more of 8" in problems[-1]
    accepted = policy.resolve(records(medicines=3, e=2), missing="accept")
    assert list(accepted.thresholds) == ["e"]
    assert "7 sensitive items occur in no record" in accepted.remarks[0]


def test_a_name_without_records_does_not_occur() -> None:
    whole = records(a=5, e=2)
    rest = Baskets.from_pairs(whole.items[:0], whole.items[:0], whole.names, 3)
    with pytest.raises(PolicyError, match="'e' occurs in no record"):
        InferencePolicy(["e"]).resolve(rest)


# Files


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_policy_file(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("\ufeffβ\n\n  two words \n", encoding="utf-8")
    text = """
        kind = "inference"
        [sensitive]
        items = ["medicine", 7]
        file = "names.txt"
        [threshold]
        rho = 0.5
        per_item = { medicine = "1/3" }
        adaptive = true
        [knowledge]
        items = 2
        """
    assert read_policy(write(tmp_path, text)) == InferencePolicy(
        ["medicine", "7", "β", "two words"], "0.5", rho_of={"medicine": "1/3"}, adaptive=True, knowledge=2
    )


def test_all_problems_of_a_file_at_once(tmp_path: Path) -> None:
    text = """
        knd = "inference"
        [sensitive]
        items = ["a"]
        file = "nowhere.txt"
        [treshold]
        [threshold]
        per_items = { a = "0.1" }
        per_item = "0.1"
        [knowledge]
        items = "two"
        """
    path = write(tmp_path, text)
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    shown = str(caught.value)
    assert shown.startswith(f"{path}: 7 problems in the policy:")
    for part in (
        "unknown key 'knd'. Did you mean 'kind'?",
        "unknown key 'treshold'. Did you mean 'threshold'?",
        "unknown key 'per_items' in [threshold]. Did you mean 'per_item'?",
        "nowhere.txt: cannot read the list of names",
        "[threshold] per_item must be a table",
        "[threshold] rho is missing",
        "knowledge must be a whole number",
    ):
        assert part in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind = ", "not valid TOML"),
        ("a = " + "[" * 5000, "not valid TOML"),
        ('kind = "templates"\n[[template]]', "unknown kind 'templates'.*Did you mean 'template'"),
        ('kind = "inferense"', "Did you mean 'inference'?"),
        ('[threshold]\nrho = "0.5"', r"\[sensitive\] must name"),
        ('[sensitive]\nitems = []\n[threshold]\nrho = "0.5"', "names no item"),
        ('[sensitive]\nitems = "a"\n[threshold]\nrho = "0.5"', "must be a list"),
        ('[sensitive]\nitems = ["a"]\nfile = 3\n[threshold]\nrho = "0.5"', "name of a text file"),
        ('sensitive = ["a"]\n[threshold]\nrho = "0.5"', "'sensitive' must be a section"),
        ('[sensitive]\nitems = ["a"]\n[threshold]\nrho = 1979-05-27', "rho: not a number"),
        ('[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\nadaptive = [1]', "adaptive factor: not a number"),
    ],
)
def test_files_that_are_no_policy(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        read_policy(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for read in (read_policy, read_name_list):
        with pytest.raises(InputError, match=r"nowhere\.toml: cannot read"):
            read(tmp_path / "nowhere.toml")
        path = tmp_path / "latin.toml"
        path.write_bytes(b"\xe9")
        with pytest.raises(InputError, match="not UTF-8"):
            read(path)


def test_errors_are_one_family() -> None:
    assert issubclass(PolicyError, SordinoError)
    assert issubclass(InputError, SordinoError)


NAMES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4, unique=True)


@st.composite
def policies(draw: st.DrawFn) -> InferencePolicy:
    """Any policy, with names of any characters."""
    names = draw(NAMES)
    some = st.dictionaries(st.sampled_from(names), UNIT, max_size=3)
    factors = st.fractions()
    adaptive = draw(st.booleans() | factors | st.dictionaries(st.sampled_from(names), factors, max_size=3))
    knowledge = draw(st.none() | st.integers(1, 99))
    return InferencePolicy(names, draw(UNIT), rho_of=draw(some), adaptive=adaptive, knowledge=knowledge)


@settings(max_examples=examples(150), deadline=None)
@given(policy=policies())
def test_a_written_policy_reads_back_as_itself(
    policy: InferencePolicy, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.toml"
    path.write_text(write_policy(policy), encoding="utf-8", newline="")
    assert read_policy(path) == policy


def test_what_is_no_collection_is_a_problem_like_any_other() -> None:
    with pytest.raises(PolicyError) as error:
        InferencePolicy(5, "2", rho_of=["x"], knowledge=0)  # type: ignore[arg-type]
    assert len(error.value.problems) == 4


def test_a_file_may_begin_with_a_byte_order_mark_and_numbers_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    text = '[sensitive]\nitems = ["x"]\n[threshold]\nrho = 0.50000000000000000001\n'
    path.write_text(text, encoding="utf-8-sig")
    policy = read_policy(path)
    assert isinstance(policy, InferencePolicy)
    assert policy.rho == Fraction(1, 2) + Fraction(1, 10**20)


def test_sensitive_items_from_a_file_in_python(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("x\n\ny\n")
    assert InferencePolicy(path, "0.5") == InferencePolicy(["x", "y"], "0.5")
    with pytest.raises(PolicyError) as error:
        InferencePolicy(tmp_path / "nowhere.txt", "2")
    assert [problem.split(":")[0] for problem in error.value.problems] == ["sensitive", "rho"]


def test_every_verb_takes_the_path_of_a_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text('[sensitive]\nitems = ["x"]\n[threshold]\nrho = "0.5"\n')
    records = [{"a", "x"}, {"a", "x"}, {"a"}]
    assert not sordino.audit(records, path).holds
    release = sordino.protect(records, str(path))
    out = release.write(tmp_path / "out")
    assert sordino.verify(out, path).holds
    assert sordino.measure(records, out, path).ns == sordino.measure(records, out).ns
    assert len(sordino.compare(records, path, methods=["mine"]).cells) == 1
    with pytest.raises(InputError, match="cannot read the policy"):
        sordino.audit(records, tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('rho = "0.5"\n[sensitive]\nitems = ["a"]\n', "'rho' does not belong here: write it in [threshold]"),
        ('[sensitive]\nitems = ["a"]\nrho = "0.5"\n', "'rho' does not belong in [sensitive]: write it in [threshold]"),
        ('items = ["a"]\n[threshold]\nrho = "0.5"\n', "write it in [sensitive] or [knowledge]"),
        (
            '[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\nroh = 1\n',
            "unknown key 'roh' in [threshold]. Did you",
        ),
    ],
)
def test_a_misplaced_key_is_told_where_it_belongs(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(f'kind = "inference"\n{text}')
    with pytest.raises(sordino.PolicyError) as error:
        sordino.read_policy(file)
    assert words in str(error.value)
