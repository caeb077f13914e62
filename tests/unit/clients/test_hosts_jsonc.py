"""JSON with comments is edited as text: what is not ours keeps its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recortex.clients.jsonc import DEEPEST, parse, prepend, put, remove
from recortex.errors import FormatError

SERVER = {"command": "recortex", "args": ["mcp"]}
HERE = ("mcpServers", "recortex")

COMMENTED = """\
{
\t// the look
\t"theme": "dark", /* as at night */
\t"mcpServers": {
\t\t"toy": {"command": "cat"}, // mine
\t},
}
"""


@pytest.mark.parametrize(
    "text",
    [
        COMMENTED,
        "{}",
        '{"a":1}',
        '{ "a": 1 }\n',
        '{\r\n    "a": [1, 2],\r\n    "mcpServers": {"x": {}}\r\n}\r\n',
        '{ // first\n  "a": 1\n}',
        '\ufeff{\n  "a": 1\n}\n',
        '{"a":\n  {"b": 1}}',
    ],
)
def test_what_was_put_in_comes_out_again_to_the_byte(text):
    there = prepend(put(text, HERE, SERVER), ("hooks", "Stop"), {"hooks": []})
    assert parse(there).plain()["mcpServers"]["recortex"] == SERVER
    assert remove(remove(there, HERE), ("hooks", "Stop", 0)) == text


def test_indents_and_line_ends_are_the_files_own():
    assert '\n\t\t"recortex": {\n\t\t\t"command"' in put(COMMENTED, HERE, SERVER)
    windows = put('{\r\n    "a": 1\r\n}', ("b",), {"c": 1})
    assert windows == '{\r\n    "b": {\r\n        "c": 1\r\n    },\r\n    "a": 1\r\n}'
    assert put('{"a":1}', ("b",), [1, 2]) == '{"b": [1, 2],"a":1}'


def test_a_value_takes_the_place_of_the_former_one():
    assert put('{"a": {"b": 1}}', ("a", "b"), 2) == '{"a": {"b": 2}}'
    assert put('{"a": 1, "a": 2}', ("a",), 3) == '{"a": 1, "a": 3}'  # the last one holds


@pytest.mark.parametrize(
    ("text", "path", "left"),
    [
        ('{"a": 1, "b": 2}', ("b",), '{"a": 1}'),
        ('{"a": 1, "b": 2}', ("a",), '{ "b": 2}'),
        ("[1, 2, 3]", (1,), "[1, 3]"),
        ('{\n  "a": 1, // one\n  "b": 2\n}', ("b",), '{\n  "a": 1 // one\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 }', ("b",), '{\n  "a": 1 // one\n }'),
        ('{"h": {"Stop": [{}]}, "x": 1}', ("h", "Stop", 0), '{ "x": 1}'),
        ('{"h": {/* keep */ "Stop": 1}}', ("h", "Stop"), '{"h": {/* keep */}}'),
        ('{"a": 1}', ("b", "c"), '{"a": 1}'),
    ],
)
def test_what_is_taken_out_leaves_the_rest(text, path, left):
    assert remove(text, path) == left
    parse(left)


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


def test_something_else_where_ours_belongs_is_not_overwritten():
    with pytest.raises(FormatError, match="mcpServers is not an object"):
        put('{"mcpServers": []}', HERE, SERVER)
    with pytest.raises(FormatError, match="not a list"):
        prepend('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)


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


@given(st.text(alphabet='{}[]",:/*\\ \nabtrue01.-', max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        value = parse(text)
    except FormatError:
        return
    assert 0 <= value.start < value.end <= len(text)
