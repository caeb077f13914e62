"""What arrives is read with goodwill: every parameter of every operation, in the forms that clients send."""

import json

import pytest

from recortex import Cortex, codec
from recortex.mcp.arguments import converted
from recortex.operations.registry import operations_of

OPERATIONS = operations_of(Cortex)
WHEN = "2026-03-01T10:00:00Z"
EXAMPLES = {"boolean": True, "integer": 5, "number": 0.5, "object": {"a": 1}}


def example(schema):
    """A value that a schema declares."""
    if "anyOf" in schema:
        return example(next(one for one in schema["anyOf"] if one.get("type") != "null"))
    if "enum" in schema:
        return next(filter(None, schema["enum"]))  # an empty text stands for nothing given
    return [example(schema["items"])] if schema["type"] == "array" else EXAMPLES.get(schema["type"], WHEN)


def written(value):
    """The forms in which clients send a value that is not any text."""
    if isinstance(value, bool):
        return [str(value).lower(), str(value), f" {value} ".lower()]
    if isinstance(value, int | float):
        return [str(value), float(value), str(float(value)), f" {value} ", f'"{value}"']
    if isinstance(value, dict):
        return [json.dumps(value), json.dumps(value, indent=2)]
    if isinstance(value, list):
        return [json.dumps(value), json.dumps(value, indent=1), value[0], json.dumps(value[0])]
    return [json.dumps(value), value.upper(), value.lower(), value.capitalize(), f" {value} "]


def takes_any_text(schema):
    """Whether a text stays what it is there."""
    return any(one.get("type") == "string" and "enum" not in one for one in schema.get("anyOf", [schema]))


def forms():
    for name, operation in OPERATIONS.items():
        for parameter in operation.parameters():
            schema = codec.schema(parameter.hint)
            value = example(schema)
            lists = (one["items"] for one in schema.get("anyOf", [schema]) if one.get("type") == "array")
            texts = any(map(takes_any_text, lists))
            if not takes_any_text(schema):
                yield name, parameter.name, value, written(value)[: 3 if texts else None]


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_decodes_to_the_declared_type_is_taken(name):
    operation = OPERATIONS[name]
    needed = {one.name: example(codec.schema(one.hint)) for one in operation.parameters() if one.required}
    for _, parameter, value, sent in (one for one in forms() if one[0] == name):
        wanted = converted(operation, needed | {parameter: value})[parameter]
        for form in sent:
            assert converted(operation, needed | {parameter: form})[parameter] == wanted, (parameter, form)


def test_where_a_text_is_wanted_a_text_stays_what_it_is():
    for text in ('["a"]', "5", "true", '"quoted"', " Spaced, and with a comma "):
        assert converted(OPERATIONS["recall"], {"query": text})["query"] == text
        assert converted(OPERATIONS["remember"], {"text": "x", "tags": [text]})["tags"] == [text]
