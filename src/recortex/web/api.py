"""Every operation as a route: POST /api/v1/NAME with its arguments as a JSON object.

The answer is the envelope that the command line prints with `--json`. GET /api/v1/openapi.json describes all
of them.
"""

from __future__ import annotations

import time
import traceback
from functools import cache
from http import HTTPStatus
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec
from starlette.responses import Response
from starlette.routing import Route

import recortex
from recortex.app.access import Right
from recortex.cli.execution import success, warnings_of
from recortex.codec import loads, plain
from recortex.errors import InvalidInputError, RecortexError
from recortex.mcp.arguments import converted, is_true
from recortex.mcp.projection import CONFIRM, input_schema
from recortex.operations import manifest
from recortex.operations.registry import find_operation
from recortex.web.answers import HERE, JSON, STATUS_OF, error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from recortex.operations.registry import Operation
    from recortex.web.answers import Desk
    from recortex.web.guard import Visitor

ROOT = "/api/v1"
# A token that may write memories must not be a way to read any file of the machine.
_REACHING = frozenset({"export", "backup", "extract", "import", "ingest", "index", "install", "uninstall"})
"""They read or write files that the caller names, on the machine of the server."""


def right_of(operation: Operation) -> Right:
    """What a token has to allow for an operation."""
    traits = operation.traits
    if traits.person or traits.asks or operation.name in _REACHING:
        return Right.ADMIN
    return Right.READ if traits.read_only else Right.WRITE


class _RefusedError(RecortexError):
    def __init__(self, status: HTTPStatus, code: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.status, self.code = status, code


def routes(desk: Desk) -> list[Route]:
    """The routes of all operations, and of their description."""

    async def call(request: Request) -> Response:
        name = request.path_params["operation"]
        visitor: Visitor = request.state.visitor
        started = time.perf_counter()
        try:
            operation = _operation(name)
            arguments = _arguments(await request.body())
            _check(operation, arguments, visitor, read_only=request.state.read_only)
            # It was for the check: no operation has such a parameter.
            arguments.pop(CONFIRM, None)
            project = request.query_params.get("project", HERE)
            data, unwritten = await desk.do(_done, desk, project, operation, arguments)
        except _RefusedError as refused:
            return JSON(error(name[:40], refused.code, refused.message, refused.hint), refused.status)
        except RecortexError as failed:
            status = STATUS_OF.get(failed.code, HTTPStatus.INTERNAL_SERVER_ERROR)
            return JSON(error(name[:40], failed.code, failed.message, failed.hint), status)
        except Exception as failed:  # noqa: BLE001  whatever goes wrong, a program gets a clear error
            # To the server's own log: it may name paths and texts that the token does not open.
            traceback.print_exception(failed)
            return JSON(
                error(name, "internal_error", f"`{name}` failed inside Recortex ({type(failed).__name__})."),
                HTTPStatus.INTERNAL_SERVER_ERROR,
            )
        told = success(name, data, [*warnings_of(data), *unwritten], time.perf_counter() - started)
        return Response(told, media_type="application/json")

    async def describe(_: Request) -> Response:
        return JSON(await desk.do(document))

    return [
        Route(f"{ROOT}/openapi.json", describe),
        Route(f"{ROOT}/{{operation}}", call, methods=["POST"]),
    ]


def _operation(name: str) -> Operation:
    try:
        return find_operation(name.replace("-", "_"))
    except KeyError:
        raise _RefusedError(
            HTTPStatus.NOT_FOUND,
            "unknown_operation",
            f"There is no operation {name[:40]!r}.",
            f"GET {ROOT}/openapi.json lists them.",
        ) from None


def _arguments(body: bytes) -> dict[str, Any]:
    given = loads(body) if body.strip() else {}
    if not isinstance(given, dict):
        raise InvalidInputError("The body must be a JSON object.", hint="Give the arguments by name.")
    return given


def _check(operation: Operation, arguments: Mapping[str, Any], visitor: Visitor, *, read_only: bool) -> None:
    needed = right_of(operation)
    if read_only and not operation.traits.read_only:
        raise _RefusedError(
            HTTPStatus.FORBIDDEN, "read_only", "This server changes nothing.", "Start it without --read-only."
        )
    if not visitor.right.covers(needed):
        raise _RefusedError(
            HTTPStatus.FORBIDDEN,
            "not_allowed",
            f"`{operation.name}` needs a token with the right {needed}; this one has {visitor.right}.",
            f"Make one: recortex tokens add --right {needed} --name NAME",
        )
    removes = operation.traits.asks and operation.traits.removes(arguments)
    # With `dry_run` nothing is removed, so that nothing has to be confirmed.
    if removes and not is_true(arguments.get("dry_run")) and not is_true(arguments.get(CONFIRM)):
        raise _RefusedError(
            HTTPStatus.CONFLICT,
            "not_confirmed",
            f"`{operation.name}` removes something for good; nothing was changed.",
            f'Send it again with "{CONFIRM}": true, once the person has agreed.',
        )


def _done(
    desk: Desk, project: str, operation: Operation, arguments: Mapping[str, Any]
) -> tuple[Any, list[str]]:
    facade = desk.facade(project)
    data = getattr(facade, operation.method)(**converted(operation, arguments))
    return data, facade.unwritten


class _Described(NamedTuple):
    operation: Operation
    answer: dict[str, Any]


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document of all operations."""
    operations = [find_operation(one["name"]) for one in manifest.operations()]
    kinds = list(dict.fromkeys(one for operation in operations for one in _kinds(operation)))
    # In one call, so that types of the same name in two modules are told apart.
    schemas, components = msgspec.json.schema_components(kinds, ref_template=f"{_REF}{{name}}")
    named = {name: _short(name) for name in components}
    components = {named[name]: {**one, "title": named[name]} for name, one in components.items()}
    schemas, components = _renamed((schemas, components), named)
    schema_of = dict(zip(kinds, schemas, strict=True))
    described = [_Described(one, _either([schema_of[kind] for kind in _kinds(one)])) for one in operations]
    whole: dict[str, Any] = _known_to_generators(
        plain(
            {
                "openapi": "3.1.0",
                "info": {
                    "title": "Recortex",
                    "version": recortex.__version__,
                    "description": "Long-term memory for coding agents. Every operation of the command line, "
                    "by the same name and with the same arguments.",
                },
                "servers": [{"url": "/"}],
                "security": [{"token": []}],
                "paths": {f"{ROOT}/{one.operation.name}": {"post": _path(one)} for one in described},
                "components": {
                    "schemas": components | {"Error": _ERROR},
                    "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
                    "responses": {
                        "Error": {
                            "description": "Why it was not done.",
                            "content": {
                                "application/json": {"schema": {"$ref": "#/components/schemas/Error"}}
                            },
                        }
                    },
                },
            }
        )
    )
    return whole


_REF = "#/components/schemas/"


def _short(name: str) -> str:
    """The name of a type; of those that share one, with the last part of their module behind it."""
    module, _, own = name.rpartition(".")
    return f"{own}Of{module.rpartition('.')[2].capitalize()}" if module else own


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    """The same with other names in its references."""
    if isinstance(node, list | tuple):
        return [_renamed(one, names) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {**node, "$ref": _REF + names[node["$ref"].removeprefix(_REF)]}
    return {name: _renamed(one, names) for name, one in node.items()}


def _kinds(operation: Operation) -> tuple[Any, ...]:
    """What an operation gives: one type, or one of several."""
    given = operation.returns()
    return get_args(given) if isinstance(given, UnionType) else (given,)


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _known_to_generators(node: Any) -> Any:
    """A schema without what generators of clients do not read (openapi-python-client 0.29).

    That is `items: false` behind `prefixItems`, and truths that have one value only.
    """
    if isinstance(node, list):
        return [_known_to_generators(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {name: _known_to_generators(one) for name, one in node.items()}
    if isinstance(found.get("enum"), list) and all(isinstance(one, bool) for one in found["enum"]):
        found = {"type": "boolean", **{name: one for name, one in found.items() if name != "enum"}}
    if isinstance(places := found.pop("prefixItems", None), list):
        kinds = [one for place, one in enumerate(places) if one not in places[:place]]
        found |= {"items": _either(kinds), "minItems": len(places), "maxItems": len(places)}
    return found


_ERROR = {
    "type": "object",
    "required": ["status", "command", "error"],
    "properties": {
        "status": {"const": "error"},
        "command": {"type": "string"},
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        },
    },
}


def _taken(operation: Operation) -> dict[str, Any]:
    """The schema of the arguments: those that a tool takes, without the budget of an agent's context."""
    schema = input_schema(operation)
    own = {*(one.name for one in operation.parameters()), CONFIRM}
    return {**schema, "properties": {name: one for name, one in schema["properties"].items() if name in own}}


def _path(described: _Described) -> dict[str, Any]:
    operation = described.operation
    envelope = {
        "type": "object",
        "required": ["status", "command", "data", "warnings", "duration_ms"],
        "properties": {
            "status": {"const": "ok"},
            "command": {"type": "string"},
            "data": described.answer,
            "warnings": {"type": "array", "items": {"type": "string"}},
            "duration_ms": {"type": "number"},
        },
    }
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"{operation.help}\n\nNeeds the right `{right_of(operation)}`.",
        "parameters": [
            {
                "name": "project",
                "in": "query",
                "description": "Key of another project; by default the one that the server was started in.",
                "schema": {"type": "string"},
            }
        ],
        "requestBody": {"content": {"application/json": {"schema": _taken(operation)}}},
        "responses": {
            "200": {
                "description": "What it gave.",
                "content": {"application/json": {"schema": envelope}},
            },
            "default": {"$ref": "#/components/responses/Error"},
        },
    }
