"""Operations as tool descriptions: the JSON objects that `tools/list` answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex import codec
from recortex.mcp.bounds import BUDGET, USUAL, takes_budget
from recortex.mcp.projection import output_schema, typed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.operations.registry import Operation, Parameter

CONFIRM = "confirm"
_BUDGET = {"type": "integer", "default": USUAL}
"""What it is stands in the server's instructions, once: each session pays for what is told of a tool."""
_CONFIRM = {
    "type": "boolean",
    "default": False,
    "description": "The person has agreed to exactly this. Clients that can ask the person are told to ask "
    "instead.",
}

# Claude Code lists the names of most tools only; these two are of use only when the agent sees them without
# asking.
_ALWAYS_SHOWN = frozenset(("recall", "remember"))
_LOAD = {"anthropic/alwaysLoad": True}


def described(operations: Iterable[Operation]) -> list[dict[str, Any]]:
    """Each operation as a `Tool` of the protocol."""
    return [_tool(operation) for operation in operations]


def _tool(operation: Operation) -> dict[str, Any]:
    title = operation.name.replace("_", " ").capitalize()
    tool = {
        "name": operation.name,
        "title": title,
        "description": operation.help,
        "inputSchema": input_schema(operation),
        "outputSchema": output_schema(operation.returns()) if operation.traits.core else {"type": "object"},
        "annotations": {
            "readOnlyHint": operation.traits.read_only,
            "destructiveHint": operation.traits.destructive,
            "idempotentHint": operation.traits.idempotent,
            "openWorldHint": False,
        },
    }
    return {**tool, "_meta": _LOAD} if operation.name in _ALWAYS_SHOWN else tool


def input_schema(operation: Operation) -> dict[str, Any]:
    """The JSON schema of an operation's arguments, without references."""
    parameters = operation.parameters()
    required = [parameter.name for parameter in parameters if parameter.required]
    return {
        "type": "object",
        "properties": {parameter.name: _property(parameter) for parameter in parameters}
        | ({BUDGET: _BUDGET} if takes_budget(operation) else {})
        | ({CONFIRM: _CONFIRM} if operation.traits.asks else {}),
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    """An argument's schema.

    That it may be left out is said by `required`; an empty default says nothing more.
    """
    schema = typed(codec.schema(parameter.hint))
    if not parameter.required and parameter.default is None:
        schema = _without_null(schema)
    if parameter.help:
        schema["description"] = parameter.help
    default = None if parameter.required else codec.plain(parameter.default)
    return schema | {"default": default} if default not in (None, "", False, [], {}) else schema


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of what is given, if anything is given.

    Null is taken as well, but nobody needs to be told.
    """
    given = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    if not given:
        return schema
    return dict(given[0]) if len(given) == 1 else {**schema, "anyOf": given}
