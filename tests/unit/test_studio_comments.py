"""Comments of a policy.toml stay where they belong when a form writes the text anew, and change nothing in it."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from sordino.sample import path as sample_path
from sordino.studio.comments import keep_comments
from sordino.studio.toml import Content, read_content, write_content

RULES = '''# for the ministry

kind = "template"  # agreed in May
class = "x#y"  # the # class

# about the first
[[template]]  # head
given = [ # these
  "a", # a is known
  "b",
]
value = { d = "HIV" }
at_most = "0.2" # strict

# about the second
[[template]]
given = ["c"]
# its value
value = { d = "#flu" }
at_most = """0.3"""
# ages
[bins]
age = { width = 5 } # years
# the end
'''


def formed(text: str, change: Any = lambda _: None) -> str:
    """The text that a form writes after a change of the content."""
    content: Content | None = read_content(text)
    assert content is not None
    content = copy.deepcopy(content)
    change(content)
    made = keep_comments(text, write_content(content))
    assert read_content(made) == content, "comments change nothing"
    return made


def test_every_comment_stays_at_its_entry() -> None:
    assert formed(RULES).splitlines() == [
        "# for the ministry",
        'kind = "template"  # agreed in May',
        'class = "x#y"  # the # class',
        "",
        "# about the first",
        "[[template]]  # head",
        "# these",
        "# a is known",
        'given = ["a", "b"]',
        'value = { d = "HIV" }',
        'at_most = "0.2"  # strict',
        "",
        "# about the second",
        "[[template]]",
        'given = ["c"]',
        "# its value",
        'value = { d = "#flu" }',
        'at_most = "0.3"',
        "",
        "# ages",
        "[bins]",
        "age = { width = 5 }  # years",
        "",
        "# the end",
    ]
    assert formed(formed(RULES)) == formed(RULES), "and does not wander"


def test_a_rule_takes_its_comments_along() -> None:
    def without_the_first(content: Content) -> None:
        del content["template"][0]

    text = formed(RULES, without_the_first)
    assert "first" not in text
    assert "strict" not in text
    assert '# about the second\n[[template]]\ngiven = ["c"]\n# its value' in text

    def with_another(content: Content) -> None:
        content["template"].insert(0, {"given": ["z"], "value": {"d": "x"}, "at_most": "0.1"})

    text = formed(RULES, with_another)
    assert text.index('"z"') < text.index("# about the first") < text.index("# a is known") < text.index('"a"')

    def stricter(content: Content) -> None:
        content["template"][1]["at_most"] = "0.1"

    assert "# about the second" in formed(RULES, stricter)


def test_what_was_said_of_an_entry_that_is_gone_moves_on() -> None:
    text = '[sensitive]\n# from the doctors\nfile = "list.txt" # 2024\n[threshold]\nrho = "0.5"\n'

    def marked(content: Content) -> None:
        content["sensitive"] = {"items": ["a"]}

    assert formed(text, marked) == (
        '[sensitive]\nitems = ["a"]\n\n# from the doctors\n# 2024\n[threshold]\nrho = "0.5"\n'
    )

    def nothing_below(content: Content) -> None:
        content.clear()
        content["kind"] = "inference"

    assert formed(text, nothing_below) == 'kind = "inference"\n\n# from the doctors\n# 2024\n'


def test_an_inline_table_and_one_with_a_head_are_the_same() -> None:
    text = '[sensitive]\nitems = ["a"]\n[threshold]\nrho = "0.5"\n# of its own\nper_item = { a = "0.3" }\n'
    assert "# of its own\n[threshold.per_item]\n" in formed(text)
    assert "# of its own\n[threshold.per_item]\n" in formed(formed(text))


def test_what_is_no_toml_has_no_comments_to_keep() -> None:
    assert keep_comments("# a\n[[", "l = 3\n") == "l = 3\n"
    assert keep_comments("", "l = 3\n") == "l = 3\n"
    assert keep_comments("# all\n", "l = 3\n") == "l = 3\n\n# all\n"


@pytest.mark.parametrize("name", ["pharmacy_policy.toml", "patients_policy.toml"])
def test_the_samples_keep_all_theirs(name: str) -> None:
    text = sample_path(name).read_text(encoding="utf-8")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert comments
    assert [line for line in formed(text).splitlines() if line.startswith("#")] == comments


def test_random_texts_keep_their_comments_and_what_they_say() -> None:
    """Strings with every sign that could be taken for another thing, comments everywhere that TOML allows them."""
    draw = random.Random(5)
    strings = ['"a # b"', "'#'", '"\\"#"', '"""x # "y" \n # z"""', "'''a'b\n#'''", '"["', "'}'", "7", "true", "0.25"]

    def value(deep: int = 0) -> str:
        if deep < 2 and draw.random() < 0.3:
            inside = "".join(f"{value(deep + 1)},{draw.choice(['', ' # in', ''])}\n" for _ in range(draw.randrange(3)))
            return f"[\n{inside}]"
        return draw.choice(strings)

    for _ in range(400):
        lines = []
        for number, head in enumerate(["", "[a]", "[[t]]", "[[t]]", '["b c"]', "[a.per_item]"]):
            lines += [f"# above {number}"] * draw.randrange(2) + [head]
            for key in draw.sample(["k", '"q #"', "'r'", "x-y"], draw.randrange(3)):
                lines += [f"{key} = {value()}{draw.choice(['', ' # beside'])}"]
        text = "\n".join(lines) + "\n"
        content = read_content(text)
        assert content is not None
        made = formed(text)
        assert made.count("# above") == text.count("# above")
        assert made.count("# beside") == text.count("# beside")
        assert made.count("# in") == text.count("# in")
        assert read_content(made) == read_content(write_content(content))
