"""JSON with comments is edited as text: what is not ours keeps its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.clients.jsonc import DEEPEST, parse, put
from recortex.errors import FormatError


def test_a_value_takes_the_place_of_the_former_one():
    assert put('{"a": {"b": 1}}', ("a", "b"), 2) == '{"a": {"b": 2}}'
    assert put('{"a": 1, "a": 2}', ("a",), 3) == '{"a": 1, "a": 3}'  # the last one holds


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a"}',
        '{"a": 1,,}',
        "[1 2]",
        "nul",
        '{"a": 1} x',
        '"\x01"',
        "/* open",
        "01",
        "[,]",
        "'a'",
        '"\\x"',
        "",
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text):
    with pytest.raises(FormatError, match="Line 1"):
        parse(text)


def test_a_bottomless_text_is_refused():
    parse("[" * DEEPEST + "]" * DEEPEST)
    with pytest.raises(FormatError, match="deep"):
        parse("[" * 100_000)


KEYS = st.text(alphabet=st.characters(codec="utf-8"), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS.filter(lambda key: key not in {"mcpServers", "hooks"}), VALUES, max_size=5)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@given(OBJECTS, INDENTS, st.booleans())
def test_every_object_is_read_as_the_standard_library_reads_it(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert parse(text).plain() == json.loads(text)
