import pytest
from jsonschema import Draft202012Validator

from recortex.mcp.projection import CARD, WHOLE, described, lean, output_schema


@pytest.fixture
def tools(operations):
    return {tool["name"]: tool for tool in described(operations.values())}


def test_a_tool_says_what_it_does_to_the_store(tools):
    assert tools["recall"]["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert tools["import"]["annotations"]["destructiveHint"]
    assert not tools["remember"]["annotations"]["idempotentHint"]


def test_name_title_and_description_come_from_the_operation(tools):
    assert tools["import"]["title"] == "Import"
    assert tools["remember"]["description"] == "Keep something.\n\nMore about it."


def test_arguments_come_from_the_signature_and_its_docstring(tools):
    schema = tools["remember"]["inputSchema"]
    assert schema["required"] == ["text"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["text"] == {"type": "string", "description": "what to keep."}
    assert schema["properties"]["tags"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "words to find it by, as many as needed.",
    }
    importance = {
        key: value for key, value in schema["properties"]["importance"].items() if key in {"type", "enum"}
    }
    assert importance == {"type": "string", "enum": ["critical", "high", "low", "normal"]}


def test_an_operation_without_required_arguments_lists_none(tools):
    assert "required" not in tools["import"]["inputSchema"]


def test_schemas_are_valid_have_no_references_and_a_type_everywhere(tools):
    for tool in tools.values():
        for name in ("inputSchema", "outputSchema"):
            Draft202012Validator.check_schema(tool[name])
            assert tool[name]["type"] == "object"
            for node in _nodes(tool[name]):
                assert "$ref" not in node
                assert {"type", "anyOf"} & set(node)


def _nodes(schema):
    yield schema
    for child in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        yield from _nodes(child)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from _nodes(schema[key])


def test_what_is_answered_fits_its_schema(tools, small, make_memory):
    for name, value in (
        ("recall", small.recall("x", limit=2)),
        ("remember", make_memory()),
        ("import", small.import_("x")),
    ):
        Draft202012Validator(tools[name]["outputSchema"]).validate(lean(value))


def test_a_memory_promises_the_fields_of_the_contract():
    contract = [
        "id",
        "kind",
        "summary",
        "content",
        "text",
        "status",
        "confidence",
        "importance",
        "priority",
        "pinned",
        "tags",
        "domain",
        "files",
        "patterns",
        "constraints",
        "functions",
        "source",
        "origin",
        "trust",
        "recorded_at",
        "valid_from",
        "valid_until",
        "last_accessed_at",
        "access_count",
        "supersedes",
        "superseded_by",
    ]
    assert set(contract) == set(CARD)
    assert set(CARD) < set(WHOLE)


def test_a_type_that_is_no_object_stands_under_result():
    schema = output_schema(tuple[str, ...])
    assert schema["properties"]["result"] == {"type": "array"}
    assert lean(("a",)) == {"result": ["a"]}
