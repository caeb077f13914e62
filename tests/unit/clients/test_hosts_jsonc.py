"""JSON with comments is edited as text: what is not ours keeps its bytes."""

import pytest

from recortex.clients.jsonc import DEEPEST, parse, put
from recortex.errors import FormatError


def test_a_value_takes_the_place_of_the_former_one():
    assert put('{"a": {"b": 1}}', ("a", "b"), 2) == '{"a": {"b": 2}}'
    assert put('{"a": 1, "a": 2}', ("a",), 3) == '{"a": 1, "a": 3}'  # the last one holds


@pytest.mark.parametrize(
    "text",
    [
        "{", '{"a"}', '{"a": 1,,}', "[1 2]", "nul", '{"a": 1} x', '"\x01"', "/* open", "01", "[,]", "'a'",
        '"\\x"', "",
    ],
)  # fmt: skip
def test_what_is_no_json_is_refused_with_its_line(text):
    with pytest.raises(FormatError, match="Line 1"):
        parse(text)


def test_a_bottomless_text_is_refused():
    parse("[" * DEEPEST + "]" * DEEPEST)
    with pytest.raises(FormatError, match="deep"):
        parse("[" * 100_000)
