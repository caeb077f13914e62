import pytest
from jsonschema import Draft202012Validator

from recortex.mcp.projection import CARD, WHOLE, described, lean


@pytest.fixture
def tools(operations):
    return {tool["name"]: tool for tool in described(operations.values())}


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
        "id", "kind", "summary", "content", "text", "status", "confidence", "importance", "priority",
        "pinned", "tags", "domain", "files", "patterns", "constraints", "functions", "source", "origin",
        "trust", "recorded_at", "valid_from", "valid_until", "last_accessed_at", "access_count",
        "supersedes", "superseded_by",
    ]  # fmt: skip
    assert set(contract) == set(CARD)
    assert set(CARD) < set(WHOLE)
