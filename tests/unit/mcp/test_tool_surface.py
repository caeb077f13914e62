"""The tools that agents see by default change only on purpose: run this file to write a new snapshot."""

import json
from hashlib import blake2b
from pathlib import Path

import pytest

from recortex.cortex import Cortex
from recortex.mcp.arguments import BUDGET
from recortex.mcp.projection import CONFIRM, described
from recortex.operations import manifest
from recortex.operations.registry import operations_of

SNAPSHOT = Path(__file__).parents[2] / "snapshots" / "mcp_tools.json"


def surface():
    return {
        tool["name"]: {
            "annotations": tool["annotations"],
            "arguments": sorted(tool["inputSchema"]["properties"]),
            "schemas": _digest([tool["inputSchema"], tool["outputSchema"]]),
        }
        for tool in manifest.tools("default")
    }


def _digest(value):
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).hexdigest()


def test_the_default_tools_are_as_they_were():
    assert surface() == json.loads(SNAPSHOT.read_text())


def test_the_default_tools_are_at_most_ten_and_all_of_the_contract():
    contract = {
        "remember", "recall", "context", "why", "get", "edit", "forget", "feedback", "learn", "status",
    }  # fmt: skip
    assert set(surface()) <= contract
    assert len(surface()) <= 10


@pytest.mark.parametrize(("which", "most"), [("default", 9_000), ("full", 46_200)])
def test_the_tools_cost_each_session_little(which, most):
    tools = {"tools": manifest.tools(which)}
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) <= most


def test_every_operation_is_a_tool_but_those_for_people_alone():
    names = [name for name, one in operations_of(Cortex).items() if not one.traits.person]
    assert [tool["name"] for tool in manifest.tools("full")] == names
    whole = described(operations_of(Cortex)[name] for name in names)
    for shown, tool in zip(manifest.tools("full"), whole, strict=True):
        traits = operations_of(Cortex)[tool["name"]].traits
        arguments = tool["inputSchema"]["properties"]
        told = {
            name: one
            for name, one in arguments.items()
            if traits.core or not traits.told or name in (*traits.told, BUDGET, CONFIRM)
        }
        assert shown == {**tool, "inputSchema": {**tool["inputSchema"], "properties": told}}


def test_every_tool_describes_each_argument():
    tools = described(operations_of(Cortex).values())
    bare = [
        (tool["name"], name)
        for tool in tools
        for name, schema in tool["inputSchema"]["properties"].items()
        if not schema.get("description") and name != BUDGET  # the instructions tell of it
    ]
    assert bare == []
    assert max(len(tool["description"]) for tool in tools) < 2_000


if __name__ == "__main__":
    SNAPSHOT.write_text(json.dumps(surface(), indent=2) + "\n")
