"""Readable JSON is written by our own indenting, and is what Python's own would be, byte for byte."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sordino.verify.bounded import readable_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
NAMES = st.text() | st.integers() | st.booleans() | st.none() | st.floats()
CONTENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(NAMES, inner),
    max_leaves=25,
)


@given(CONTENTS)
def test_it_is_what_python_writes(content: object) -> None:
    usual = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    assert readable_json(content) == usual.encode("utf-8", "surrogatepass")


def test_names_and_texts_that_need_care() -> None:
    content = {
        "": [{}, [], ()],
        'a": 1}': {"\ud800\n": [1.5, float("inf"), -0.0, True, None]},
        "x": {"y": {"z": "\u2028"}},
    }
    usual = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    assert readable_json(content) == usual.encode("utf-8", "surrogatepass")
